//! What a step changes is what differs: the packed target of a step is the packed value after it.
//!
//! Start states are written as a whole, targets by what differs from their source. Random pairs of
//! values of all types that have cells must give the same either way.

use isonomy::engine::system::{Steps, System};
use isonomy::protocol::*;
use isonomy::run::random::SplitMix64;

index! { Client }
index! { Level: ordered }

/// More than 64 cells, and of every type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Whole {
    clients: Map<Client, Part<Client>>,
    flags: Map<Client, bool>,
    phases: Map<Client, Phase>,
    friends: Map<Client, Option<Client>>,
    numbers: Map<Level, Ranged<-3, 3>>,
    queue: Fifo<Part<u8>, 3>,
    bag: Bag<(Client, bool), 3>,
    #[expect(clippy::option_option, reason = "it has cells of its own")]
    pair: (Option<Option<bool>>, [Option<Phase>; 2]),
    boxed: Box<Wrapped>,
    odd: Odd,
    phase: Phase,
    client: Client,
    level: Option<Level>,
    last: i8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Part<T> {
    Empty,
    One(T),
    Two { first: T, second: Option<bool> },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Phase {
    Idle,
    Waiting,
    Inside,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Wrapped(Option<Part<Level>>, u32);

/// Cells that are written by hand: what differs is not known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Odd(u8, u8);

impl Cells for Odd {
    fn shape(all: &Indices) -> Shape {
        <(u8, u8)>::shape(all)
    }

    fn cells(_: &Indices) -> usize {
        2
    }

    fn write(&self, to: &mut Writer<'_>) {
        to.put(self.0.into());
        // A value that breaks the contract.
        if self.1 != u8::MAX {
            to.put(self.1.into());
        }
    }

    fn read(from: &mut Reader<'_>) -> Odd {
        Odd(u8::read(from), u8::read(from))
    }

    fn renamed(&self, _: &Renaming<'_>) -> Odd {
        self.clone()
    }
}

/// Events whose cells are written by hand, with as many variants as [`Part`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ByHand(Part<u8>);

impl Cells for ByHand {
    fn shape(all: &Indices) -> Shape {
        Part::<u8>::shape(all)
    }

    fn cells(all: &Indices) -> usize {
        Part::<u8>::cells(all)
    }

    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> ByHand {
        ByHand(Part::read(from))
    }

    fn renamed(&self, by: &Renaming<'_>) -> ByHand {
        ByHand(self.0.renamed(by))
    }
}

/// Steps from the first state to all others, with random events.
struct Jumps<E> {
    states: Vec<Whole>,
    events: Vec<E>,
}

impl<E: Cells> Protocol for Jumps<E> {
    type State = Whole;
    type Event = (u8, E);

    fn indices(&self) -> Indices {
        indices()
    }

    fn starts(&self, _: &Indices) -> Vec<Whole> {
        self.states.clone()
    }

    fn events(&self, _: &Whole, enabled: &mut Vec<(u8, E)>) {
        enabled.extend((0..).zip(self.events.iter().cloned()));
    }

    fn next(&self, _: &Whole, (k, _): &(u8, E)) -> Option<Whole> {
        Some(self.states[usize::from(*k)].clone())
    }
}

/// The same with the events themselves, of which there is one for each state.
struct Named<E>(Jumps<E>);

impl<E: Cells> Protocol for Named<E> {
    type State = Whole;
    type Event = E;

    fn indices(&self) -> Indices {
        indices()
    }

    fn starts(&self, all: &Indices) -> Vec<Whole> {
        self.0.starts(all)
    }

    fn events(&self, _: &Whole, enabled: &mut Vec<E>) {
        enabled.extend(self.0.events.iter().cloned());
    }

    fn next(&self, whole: &Whole, _: &E) -> Option<Whole> {
        Some(whole.clone())
    }
}

const CLIENTS: usize = 9;

fn indices() -> Indices {
    Indices::new().with::<Client>(CLIENTS).with::<Level>(3)
}

/// Random values.
struct Any<'r> {
    all: &'r Indices,
    random: SplitMix64,
}

impl Any<'_> {
    fn of<I: Index>(&mut self) -> I {
        let all: Vec<I> = self.all.all().collect();
        all[self.random.below(all.len())]
    }

    fn flag(&mut self) -> bool {
        self.random.below(2) == 0
    }

    fn option<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flag() { Some(value(self)) } else { None }
    }

    fn byte(&mut self) -> u8 {
        self.random.below(250) as u8
    }

    fn phase(&mut self) -> Phase {
        [Phase::Idle, Phase::Waiting, Phase::Inside][self.random.below(3)]
    }

    fn part<T>(&mut self, mut value: impl FnMut(&mut Self) -> T) -> Part<T> {
        match self.random.below(3) {
            0 => Part::Empty,
            1 => Part::One(value(self)),
            _ => Part::Two { first: value(self), second: self.option(Self::flag) },
        }
    }

    fn number(&mut self) -> Ranged<-3, 3> {
        Ranged::new(i64::try_from(self.random.below(7)).expect("it is small") - 3)
    }

    fn whole(&mut self) -> Whole {
        let all = self.all;
        Whole {
            clients: Map::new(all, |_| self.part(Self::of)),
            flags: Map::new(all, |_| self.flag()),
            phases: Map::new(all, |_| self.phase()),
            friends: Map::new(all, |_| self.option(Self::of)),
            numbers: Map::new(all, |_| self.number()),
            queue: (0..self.random.below(4)).map(|_| self.part(Self::byte)).collect(),
            bag: {
                let mut bag = Bag::new();
                (0..self.random.below(4)).for_each(|_| bag.add((self.of(), self.flag())));
                bag
            },
            pair: (
                self.option(|any| any.option(Self::flag)),
                [self.option(Self::phase), self.option(Self::phase)],
            ),
            boxed: Box::new(Wrapped(self.option(|any| any.part(Self::of)), 7)),
            odd: Odd(self.byte(), self.byte()),
            phase: self.phase(),
            client: self.of(),
            level: self.option(Self::of),
            last: self.random.below(256) as i8,
        }
    }

    /// A value with some other parts, so that nearly everything is as it was.
    fn near(&mut self, one: &Whole) -> Whole {
        let (mut near, other) = (one.clone(), self.whole());
        for _ in 0..=self.random.below(3) {
            let (client, level): (Client, Level) = (self.of(), self.of());
            match self.random.below(14) {
                0 => near.clients[client] = other.clients[client].clone(),
                1 => near.flags[client] = other.flags[client],
                2 => near.phases[client] = other.phases[client],
                3 => near.friends[client] = other.friends[client],
                4 => near.numbers[level] = other.numbers[level],
                5 => near.queue.clone_from(&other.queue),
                6 => near.bag.clone_from(&other.bag),
                7 => near.pair.clone_from(&other.pair),
                8 => near.boxed.clone_from(&other.boxed),
                9 => near.odd.clone_from(&other.odd),
                10 => near.phase = other.phase,
                11 => near.client = other.client,
                12 => near.level = other.level,
                _ => near.last = other.last,
            }
        }
        near
    }
}

type Stepped = (Prepared, Vec<Box<[u64]>>, Steps);

/// The packed states, and the steps out of the first one.
fn steps<P: Protocol>(protocol: P) -> Stepped
where
    P::State: Cells,
    P::Event: Cells,
{
    let system = Prepared::new::<P, Typed<P>>(protocol).expect("it fits");
    let packed: Vec<_> = system.starts().map_while(Result::ok).collect();
    let mut steps = Steps::default();
    // Steps are appended to what is there.
    let mut worker = system.worker();
    worker.expand(&packed[packed.len() - 1], &mut steps);
    let (before, faults) = (steps.labels.len(), steps.faults.len());
    worker.expand(&packed[0], &mut steps);
    let words = packed[0].len();
    assert_eq!(steps.targets.len(), steps.labels.len() * words);
    steps.targets.drain(..before * words);
    steps.labels.drain(..before);
    steps.faults.drain(..faults);
    drop(worker);
    (system, packed, steps)
}

#[test]
fn targets_are_what_is_written_as_a_whole() {
    let all = indices();
    assert!(Whole::cells(&all) > 64);
    let mut any = Any { all: &all, random: SplitMix64::new(11) };
    let mut stuttering = 0;
    for round in 0..400 {
        let first = any.whole();
        let mut states = vec![first.clone()];
        for k in 0..8 {
            states.push(if k < 6 { any.near(&first) } else { any.whole() });
        }
        let events = states.iter().map(|_| any.part(Any::byte)).collect();
        let (_, packed, steps) = steps(Jumps { states, events });
        let words = packed[0].len();
        for (k, label) in steps.labels.iter().enumerate() {
            let target = &steps.targets[k * words..(k + 1) * words];
            assert_eq!(target, &*packed[k], "round {round}, state {k}");
            assert_eq!(label.stutters, packed[k] == packed[0], "round {round}, state {k}");
            stuttering += u32::from(label.stutters);
        }
        assert_eq!((steps.labels.len(), steps.faults.len()), (packed.len(), 0));
    }
    assert!(stuttering > 400, "{stuttering}");
}

/// Both ways to write events: fields of the variant alone, and all cells.
#[test]
fn events_are_read_back() {
    fn read_back<E: Cells>(events: &[E]) {
        let all = indices();
        let state = Any { all: &all, random: SplitMix64::new(3) }.whole();
        let jumps = Jumps { states: vec![state], events: events.to_vec() };
        let (system, _, steps) = steps(Named(jumps));
        let read: Vec<E> = (0..steps.labels.len())
            .map(|k| system.step(steps.labels[k].rule, steps.arguments_of(k)).1.get::<E>().clone())
            .collect();
        assert_eq!(read, events);
    }
    let all = indices();
    let mut any = Any { all: &all, random: SplitMix64::new(5) };
    let parts: Vec<Part<u8>> = (0..50).map(|_| any.part(Any::byte)).collect();
    read_back(&parts);
    read_back(&parts.iter().cloned().map(ByHand).collect::<Vec<_>>());
    read_back(&parts.into_iter().map(|part| (part, 3_u8)).collect::<Vec<_>>());
    read_back(&[Phase::Inside, Phase::Idle]);
    read_back(&[Box::new(Part::One(Phase::Inside))]);
}

/// A step that fails half-way leaves nothing behind, and the first cell that is outside is named.
#[test]
fn failing_steps_leave_nothing_behind() {
    let all = indices();
    let mut any = Any { all: &all, random: SplitMix64::new(7) };
    let good = any.whole();
    let level: Vec<Level> = all.all().collect();
    let mut outside = any.near(&good);
    outside.numbers[level[1]] = Ranged::new(4);
    outside.numbers[level[2]] = Ranged::new(-9);
    let mut other = any.near(&good);
    other.flags = Map::filled(&Indices::new().with::<Client>(2), true);
    let mut short = any.near(&good);
    short.odd = Odd(good.odd.0, u8::MAX);
    let near = any.near(&good);
    let states = vec![good, near.clone(), outside, other, short, near];
    let events = states.iter().map(|_| any.part(Any::byte)).collect();
    let (system, packed, steps) = steps(Jumps { states, events });
    // The states that cannot be start states end the list.
    assert_eq!(packed.len(), 2);
    let words = packed[0].len();
    let targets: Vec<&[u64]> = steps.targets.chunks(words).collect();
    assert_eq!(targets, [&*packed[0], &packed[1], &packed[1]]);
    let says: Vec<String> =
        steps.faults.iter().map(|fault| system.explain(*fault).to_string()).collect();
    assert_eq!(says.len(), 3, "{says:?}");
    assert!(says[0].contains("`numbers[Level_1]` is 4, outside of -3..=3"), "{says:?}");
    assert!(says[1].contains("has 2 keys instead of 9"), "{says:?}");
    assert!(says[2].contains("as many cells as the shape has"), "{says:?}");
}
