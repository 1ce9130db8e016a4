//! All types that have cells: what is stored is what orbits are, and nothing is lost.
//!
//! A protocol with a state of many parts is explored by plain Rust, on values. Its states, and its orbits
//! under all renamings of values, must be as many as the engine counts.

use hashbrown::{HashMap, HashSet};
use isonomy::judge::{self, Reference as _};
use isonomy::protocol::*;
use isonomy::run::random::SplitMix64;

index! { Client }
index! { Station: ring }
index! { Seat: circle }
index! { Level: ordered }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
#[allow(clippy::option_option, reason = "all types that have cells are tested")]
struct Whole {
    clients: Map<Client, Part<Client>>,
    stations: Map<Station, Option<Client>>,
    seats: Map<Seat, bool>,
    levels: Map<Level, u8>,
    queue: Fifo<Client, 2>,
    bag: Bag<(Client, bool), 2>,
    pair: (Option<Station>, [Option<Option<Seat>>; 2]),
    nothing: (),
    number: Ranged<-1, 1>,
    boxed: Box<Wrapped>,
    level: Option<Level>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Part<T> {
    Empty,
    One(T),
    Two { first: T, second: Option<bool> },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Wrapped(Option<Part<Station>>, Unit);

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Unit;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Own(Client, Client),
    Split { client: Client, by: Client, how: Option<bool> },
    Visit(Station, Client),
    Leave(Station),
    Sit(Seat, Seat),
    Push(Client),
    Pop,
    Put((Client, bool)),
    Take(Client),
    Wrap(Option<Station>),
    Climb(Level),
}

/// Which events there are decides which parts of the state are reachable.
struct Everything {
    events: u32,
}

impl Everything {
    fn has(&self, event: u32) -> bool {
        self.events >> event & 1 == 1
    }
}

impl Protocol for Everything {
    type State = Whole;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(3).with::<Station>(3).with::<Seat>(4).with::<Level>(2)
    }

    fn starts(&self, all: &Indices) -> Vec<Whole> {
        vec![Whole {
            clients: Map::filled(all, Part::Empty),
            stations: Map::filled(all, None),
            seats: Map::filled(all, false),
            levels: Map::filled(all, 0),
            queue: Fifo::new(),
            bag: Bag::new(),
            pair: (None, [None, None]),
            nothing: (),
            number: Ranged::new(0),
            boxed: Box::new(Wrapped(None, Unit)),
            level: None,
        }]
    }

    fn events(&self, whole: &Whole, enabled: &mut Vec<Event>) {
        for client in whole.clients.keys() {
            for by in whole.clients.keys() {
                enabled.push(Event::Own(client, by));
                for how in [None, Some(false), Some(true)] {
                    enabled.push(Event::Split { client, by, how });
                }
            }
            for station in whole.stations.keys() {
                enabled.push(Event::Visit(station, client));
            }
            enabled.extend([Event::Push(client), Event::Take(client)]);
            enabled.extend([false, true].map(|flag| Event::Put((client, flag))));
        }
        for station in whole.stations.keys() {
            enabled.extend([Event::Leave(station), Event::Wrap(Some(station))]);
        }
        for one in whole.seats.keys() {
            enabled.extend(whole.seats.keys().map(|other| Event::Sit(one, other)));
        }
        enabled.extend([Event::Pop, Event::Wrap(None)]);
        enabled.extend(whole.levels.keys().map(Event::Climb));
    }

    fn next(&self, whole: &Whole, event: &Event) -> Option<Whole> {
        let mut whole = whole.clone();
        let kind = match event {
            Event::Own(client, by) => {
                whole.clients[*client] = Part::One(*by);
                0
            }
            Event::Split { client, by, how } => {
                whole.clients[*client] = Part::Two { first: *by, second: *how };
                1
            }
            Event::Visit(station, client) => {
                if whole.stations[station.previous()].is_some() {
                    return None;
                }
                whole.stations[*station] = Some(*client);
                whole.pair.0 = Some(station.next());
                2
            }
            Event::Leave(station) => {
                whole.stations[*station].take()?;
                3
            }
            Event::Sit(one, other) => {
                if !one.is_adjacent(*other) || whole.seats[*other] {
                    return None;
                }
                whole.seats[*one] = !whole.seats[*one];
                whole.pair.1 = [Some(Some(*one)), Some(None)];
                4
            }
            Event::Push(client) => {
                if whole.queue.is_full() || whole.queue.contains(client) {
                    return None;
                }
                whole.queue.push(*client);
                5
            }
            Event::Pop => {
                whole.queue.pop()?;
                whole.number = Ranged::new(-whole.number.get().signum().abs());
                6
            }
            Event::Put(element) => {
                if whole.bag.is_full() {
                    return None;
                }
                whole.bag.add(*element);
                7
            }
            Event::Take(client) => {
                if !(whole.bag.remove(&(*client, true)) && whole.number < 1) {
                    return None;
                }
                whole.number += 1;
                8
            }
            Event::Wrap(station) => {
                let part = match station {
                    Some(station) => Part::One(*station),
                    None => Part::Empty,
                };
                *whole.boxed = Wrapped(Some(part), Unit);
                9
            }
            Event::Climb(level) => {
                whole.levels[*level] = 7 * level.position() as u8 + 1;
                whole.level = Some(*level);
                10
            }
        };
        self.has(kind).then_some(whole)
    }

    fn owner(&self, event: &Event) -> Owner {
        match event {
            Event::Own(client, _) | Event::Split { by: client, .. } => Owner::of(*client),
            Event::Visit(station, _) => Owner::of(*station),
            Event::Sit(seat, _) => Owner::of(*seat),
            _ => Owner::none(),
        }
    }
}

/// All permutations of the group of all index types.
fn renamings(types: &[judge::IndexType]) -> Vec<judge::Renaming> {
    let mut all: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    for of in types {
        let n = of.size;
        let images: Vec<Vec<u32>> = match of.group {
            Group::Trivial => vec![(0..n).collect()],
            Group::Rotations => (0..n).map(|by| (0..n).map(|k| (k + by) % n).collect()).collect(),
            Group::Dihedral => (0..2 * n)
                .map(|by| {
                    (0..n).map(|k| if by < n { (k + by) % n } else { (by - k) % n }).collect()
                })
                .collect(),
            Group::Full => permutations(n),
        };
        all = all
            .iter()
            .flat_map(|before| {
                images.iter().map(|images| [before.clone(), vec![images.clone()]].concat())
            })
            .collect();
    }
    all.into_iter().map(|images| judge::Renaming::new(images).expect("a permutation")).collect()
}

fn permutations(n: u32) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |before: Vec<u32>| {
        (0..n as usize).map(move |at| {
            let mut longer = before.clone();
            longer.insert(at, n - 1);
            longer
        })
    };
    permutations(n - 1).into_iter().flat_map(insert).collect()
}

/// All states, by plain Rust.
fn states(protocol: &Everything) -> HashSet<Whole> {
    let starts = protocol.starts(&protocol.indices());
    let mut seen: HashSet<Whole> = starts.iter().cloned().collect();
    let mut open = starts;
    while let Some(state) = open.pop() {
        let mut events = Vec::new();
        protocol.events(&state, &mut events);
        for target in events.iter().filter_map(|event| protocol.next(&state, event)) {
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    seen
}

#[test]
fn stored_states_are_the_orbits() {
    let mut random = SplitMix64::new(25);
    let mut sizes = HashMap::new();
    let mut sets: Vec<u32> = vec![0b1, 0b1_1000_0000, 0b10_0000_1100, 0b100_0001_0000, 0b110_0000];
    // Two or three kinds of events at a time: their product stays small.
    sets.extend(
        (0..20).map(|_| 1 << random.below(11) | 1 << random.below(11) | 1 << random.below(11)),
    );
    for events in sets {
        let all = states(&Everything { events });
        if all.len() > 4_000 {
            continue;
        }
        let prepared = Prepared::new::<Everything, Typed<Everything>>(Everything { events });
        let prepared = prepared.expect("it fits");
        let plain = prepared.plain();
        let renamings = renamings(&plain.index_types());
        assert_eq!(renamings.len(), 6 * 3 * 8);
        let mut orbits = 0;
        let mut left = all.clone();
        while let Some(state) = left.iter().next().cloned() {
            orbits += 1;
            for renaming in &renamings {
                let image = plain.renamed_state(renaming, &Value::new(state.clone()));
                left.remove(image.get::<Whole>());
            }
        }
        for threads in [1, 2] {
            let counts = check(Everything { events }).threads(threads).count().expect("counts");
            assert_eq!(counts.states, all.len().into(), "{events:b}");
            assert_eq!(counts.representatives, orbits, "{events:b}");
        }
        let counts = check(Everything { events }).symmetry(false).count().expect("counts");
        assert_eq!(counts.representatives, all.len() as u64, "{events:b}");
        let report =
            check(Everything { events }).verify(Verification::All).run().expect("a report");
        let verified = report.verified().expect("it was examined");
        assert_eq!((verified.states, verified.is_complete), (all.len(), true));
        sizes.insert(events, all.len());
    }
    assert!(sizes.len() > 10 && sizes.values().any(|&size| size > 1_000), "{sizes:?}");
}

#[test]
fn renamings_act_on_values() {
    let prepared = Prepared::new::<Everything, Typed<Everything>>(Everything { events: !0 });
    let prepared = prepared.expect("it fits");
    let plain = prepared.plain();
    let all = Everything { events: !0 }.indices();
    let start = &Everything { events: !0 }.starts(&all)[0];
    let clients: Vec<Client> = all.all().collect();
    let stations: Vec<Station> = all.all().collect();
    let mut state = start.clone();
    state.clients[clients[0]] = Part::One(clients[1]);
    state.stations[stations[2]] = Some(clients[2]);
    state.queue.push(clients[0]);
    state.bag.add((clients[1], true));
    // Clients 0 -> 1 -> 2 -> 0, stations 0 -> 1 -> 2 -> 0.
    let images = vec![vec![1, 2, 0], vec![1, 2, 0], (0..4).collect(), vec![0, 1]];
    let renaming = judge::Renaming::new(images).expect("a permutation");
    let mut expected = start.clone();
    expected.clients[clients[1]] = Part::One(clients[2]);
    expected.stations[stations[0]] = Some(clients[0]);
    expected.queue.push(clients[1]);
    expected.bag.add((clients[2], true));
    assert_eq!(plain.renamed_state(&renaming, &Value::new(state)), Value::new(expected));
    assert_eq!(
        format!("{:?}", plain.renamed_process(&renaming, &Owner::of(clients[2]))),
        format!("{:?}", Owner::of(clients[0]))
    );
}

#[test]
fn bags_have_no_order() {
    let clients: Vec<Client> = Indices::new().with::<Client>(3).all().collect();
    let one: Bag<Client, 3> = [clients[0], clients[1], clients[0]].into_iter().collect();
    let other: Bag<Client, 3> = [clients[1], clients[0], clients[0]].into_iter().collect();
    let third: Bag<Client, 3> = [clients[1], clients[1], clients[0]].into_iter().collect();
    assert_eq!(one, other);
    assert_ne!(one, third);
    let hashes: HashSet<Bag<Client, 3>> = [one, other, third].into_iter().collect();
    assert_eq!(hashes.len(), 2);
}

/// A protocol that walks through a list of states, forwards and back.
struct Walk<S>(fn(&Indices) -> Vec<S>);

impl<S: Cells> Protocol for Walk<S> {
    type State = S;
    type Event = ();

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(1)
    }

    fn starts(&self, all: &Indices) -> Vec<S> {
        vec![(self.0)(all).remove(0)]
    }

    fn events(&self, _: &S, enabled: &mut Vec<()>) {
        enabled.push(());
    }

    fn next(&self, state: &S, (): &()) -> Option<S> {
        let all = (self.0)(&self.indices());
        let at = all.iter().position(|one| one == state).expect("a state of the list");
        Some(all[(at + 1) % all.len()].clone())
    }
}

/// States with no cells, with many, and with numbers at the ends of their ranges.
#[test]
fn odd_states_are_explored() {
    fn walked<S: Cells>(states: fn(&Indices) -> Vec<S>) {
        let length = states(&Walk(states).indices()).len() as u64;
        for symmetry in [false, true] {
            let counts = check(Walk(states)).symmetry(symmetry).count().expect("counts");
            assert_eq!(counts.representatives, length, "{}", std::any::type_name::<S>());
            let check = check(Walk(states)).formula("G @\"()\"").expect("a formula");
            assert!(check.run().expect("a report").holds(), "{}", std::any::type_name::<S>());
        }
    }
    walked::<()>(|_| vec![()]);
    walked::<[bool; 0]>(|_| vec![[]]);
    walked::<Client>(|all| all.all().collect());
    walked::<Map<Client, ()>>(|all| vec![Map::filled(all, ())]);
    walked::<Fifo<u8, 0>>(|_| vec![Fifo::new()]);
    walked::<Fifo<(), 3>>(|_| (0..4).map(|k| std::iter::repeat_n((), k).collect()).collect());
    walked::<Bag<(), 3>>(|_| (0..4).map(|k| std::iter::repeat_n((), k).collect()).collect());
    walked::<(u8, i8, u16, i16)>(|_| vec![(0, -128, 65_535, -32_768), (255, 127, 0, 32_767)]);
    walked::<(u32, i32)>(|_| vec![(0, i32::MIN), (u32::MAX, i32::MAX), (7, -7)]);
    walked::<Ranged<{ -(1 << 61) }, { 1 << 61 }>>(|_| vec![Ranged::LOW, Ranged::HIGH]);
    walked::<Ranged<5, 5>>(|_| vec![Ranged::LOW]);
    walked::<[[u8; 30]; 20]>(|_| (0..3).map(|k| [[k * 100; 30]; 20]).collect());
    walked::<Option<Option<Option<bool>>>>(|_| {
        vec![None, Some(None), Some(Some(None)), Some(Some(Some(false))), Some(Some(Some(true)))]
    });
}
