//! Packed markings against the token game, on random nets.
//!
//! What the engine explores, with and without symmetry, is what the token game reaches.

use engine::explore::{Deadlock, Options, Symmetry as Reduction, explore_system};
use engine::system::{Steps, System as _};
use judge::Reference as _;
use nets::formula::{Atom, Builder, Sum, Value};
use nets::net::{
    Arc, Base, Class, Comparison, Guard, Part, Place, Side, Term, Tokens, Transition, Variable,
};
use nets::{Bounds, Condition, Game, Marking, Net, PackedNet, Symmetry};
use run::{Span, SplitMix64, Watch};
use std::collections::BTreeSet;
use terms::Group;

/// Nets with more markings than this are left out.
const MOST: usize = 400;

struct Generator(SplitMix64);

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next() % limit as u64).expect("it is small")
    }

    fn colour(&mut self, size: u32) -> u32 {
        u32::try_from(self.below(size as usize)).expect("it is small")
    }

    fn net(&mut self) -> Net {
        let classes: Vec<Class> = (0..=self.below(2))
            .map(|k| Class {
                name: format!("c{k}"),
                colours: (0..2 + self.below(3)).map(|at| format!("c{k}_{at}")).collect(),
                is_cyclic: true,
            })
            .collect();
        let sizes: Vec<u32> = classes.iter().map(|one| one.colours.len() as u32).collect();
        let mut net = Net {
            name: "random".to_owned(),
            classes,
            partitions: Vec::new(),
            places: Vec::new(),
            transitions: Vec::new(),
        };
        for k in 0..2 + self.below(3) {
            let sort: Vec<usize> = (0..self.below(3)).map(|_| self.below(sizes.len())).collect();
            let mut initial = Tokens::new();
            for _ in 0..self.below(4) {
                let tuple: Vec<u32> = sort.iter().map(|&of| self.colour(sizes[of])).collect();
                *initial.entry(net.encode(&sort, tuple)).or_default() += 1 + self.below(2) as u64;
            }
            if self.below(3) == 0 {
                initial = (0..net.tuples(&sort)).map(|code| (code, 1)).collect();
            }
            let id = format!("p{k}");
            let name = id.clone();
            net.places.push(Place { id, name, sort, initial, safe: None, span: Span::at(0) });
        }
        for k in 0..=self.below(3) {
            let transition = self.transition(&net, &sizes, k);
            net.transitions.push(transition);
        }
        net
    }

    fn transition(&mut self, net: &Net, sizes: &[u32], number: usize) -> Transition {
        let variables: Vec<Variable> = (0..=self.below(3))
            .map(|k| Variable { name: format!("x{k}"), class: self.below(sizes.len()) })
            .collect();
        let (plain, moved) = (self.below(3) > 0, self.below(2) == 0);
        let mut arcs = || -> Vec<Arc> {
            let mut places: Vec<usize> = (0..net.places.len()).collect();
            let mut arcs = Vec::new();
            for _ in 0..=self.below(2) {
                let place = places.remove(self.below(places.len()));
                let sum = (0..=self.below(2))
                    .map(|_| {
                        let parts = net.places[place].sort.iter();
                        let parts = parts.map(|&of| self.part(of, sizes, &variables, plain, moved));
                        (1, parts.collect::<Vec<Part>>())
                    })
                    .collect::<Vec<_>>();
                let mut collected: Vec<(i64, Vec<Part>)> = Vec::new();
                for (number, parts) in sum {
                    match collected.iter_mut().find(|one| one.1 == parts) {
                        Some(known) => known.0 += number,
                        None => collected.push((number, parts)),
                    }
                }
                collected.sort_by(|a, b| a.1.cmp(&b.1));
                arcs.push(Arc { place, sum: collected, span: Span::at(0) });
            }
            arcs.sort_by_key(|arc| arc.place);
            arcs
        };
        let (inputs, outputs) = (arcs(), arcs());
        let guard = self.guard(sizes, &variables, plain, moved);
        let id = format!("t{number}");
        let name = id.clone();
        Transition { id, name, variables, guard, inputs, outputs, span: Span::at(0) }
    }

    fn part(
        &mut self,
        class: usize,
        sizes: &[u32],
        variables: &[Variable],
        plain: bool,
        moved: bool,
    ) -> Part {
        let size = sizes[class];
        let fitting: Vec<usize> =
            (0..variables.len()).filter(|&at| variables[at].class == class).collect();
        if fitting.is_empty() || self.below(8) == 0 {
            if plain || self.below(2) == 0 {
                return Part::All;
            }
            return Part::One(Term { base: Base::Colour(self.colour(size)), shift: 0, size });
        }
        let base = Base::Variable(fitting[self.below(fitting.len())]);
        let shift = if moved && self.below(3) == 0 { 1 + self.colour(size - 1) } else { 0 };
        Part::One(Term { base, shift, size })
    }

    fn guard(&mut self, sizes: &[u32], variables: &[Variable], plain: bool, moved: bool) -> Guard {
        let left = self.below(variables.len());
        let class = variables[left].class;
        let right = self.part(class, sizes, variables, plain, moved);
        let Part::One(right) = right else { return Guard::Constant(true) };
        let left = Term { base: Base::Variable(left), shift: 0, size: sizes[class] };
        let comparison = match self.below(if plain { 3 } else { 6 }) {
            0 => return Guard::Constant(true),
            1 => Comparison::Equal,
            2 => Comparison::Unequal,
            3 => Comparison::Less,
            4 => Comparison::AtMost,
            _ => Comparison::AtLeast,
        };
        let side = |term| Side { term, partition: None };
        let one = Guard::Compare(comparison, side(left), side(right));
        if self.below(4) == 0 { Guard::Not(Box::new(one)) } else { one }
    }
}

/// All markings that are reached, and the number of steps; none if there are too many.
fn reached(net: &Net) -> Option<(BTreeSet<Marking>, u64)> {
    let game = Game::new(net, &Symmetry::none(net));
    let mut seen: BTreeSet<Marking> = [game.initial()].into();
    let (mut open, mut steps) = (vec![game.initial()], 0);
    while let Some(marking) = open.pop() {
        for attempt in game.steps(&marking).attempts {
            let target = attempt.target.expect("few tokens are no fault");
            steps += 1;
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
        if seen.len() > MOST || steps > 20_000 {
            return None;
        }
    }
    Some((seen, steps))
}

/// What the engine counts: markings, steps, dead markings.
fn counted(net: &Net, symmetry: &Symmetry) -> [String; 3] {
    let mut bounds = Bounds::of_initial(net);
    loop {
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone());
        let options = Options {
            deadlock: Deadlock::Stuck,
            symmetry: Reduction::Canonical,
            ..Options::default()
        };
        let found = explore_system(&system, &options, &system.watch(&Watch::none()));
        if let Some(raised) = system.raised() {
            bounds = raised.with_room(&bounds);
            continue;
        }
        let full = found.full.expect("it is exhaustive");
        return [full.states, full.fired, full.deadlocks].map(|one| one.to_string());
    }
}

#[test]
fn counts_are_those_of_the_token_game() {
    let mut generator = Generator(SplitMix64::new(26));
    let (mut compared, mut symmetric, mut rings, mut asymmetric_starts) = (0, 0, 0, 0);
    for round in 0..6000 {
        let net = generator.net();
        let Some((markings, steps)) = reached(&net) else { continue };
        if markings.len() < 3 {
            continue;
        }
        let game = Game::new(&net, &Symmetry::none(&net));
        let dead = markings.iter().filter(|one| game.steps(one).attempts.is_empty()).count();
        let expected = [markings.len().to_string(), steps.to_string(), dead.to_string()];
        let rules = Symmetry::of(&net, &[]);
        let symmetry = rules.of_initial(&net);
        assert_eq!(counted(&net, &Symmetry::none(&net)), expected, "{round}: {net:#?}");
        assert_eq!(counted(&net, &symmetry), expected, "{round} {symmetry:?}: {net:#?}");
        compared += 1;
        symmetric += u32::from(!symmetry.is_trivial());
        asymmetric_starts += u32::from(symmetry != rules);
        rings += u32::from(symmetry.classes.iter().any(|one| one.group == Group::Rotations));
    }
    assert!(compared > 500 && symmetric > 200, "{compared} {symmetric}");
    assert!(rings > 10 && asymmetric_starts > 50, "{rings} {asymmetric_starts}");
}

/// The rules of a net are symmetric: the image of every step of every marking is a step. So a formula
/// holds of a marking if it holds of its image, whatever the initial marking.
#[test]
fn images_of_steps_are_steps() {
    let mut generator = Generator(SplitMix64::new(27));
    let mut renamed = 0;
    for round in 0..3000 {
        let net = generator.net();
        let symmetry = Symmetry::of(&net, &[]);
        let Some((markings, _)) = reached(&net) else { continue };
        let game = Game::new(&net, &symmetry);
        let types = game.index_types();
        for (number, of) in types.iter().enumerate() {
            let images = types.iter().enumerate().map(|(other, one)| {
                let turned = |k: u32| if other == number { (k + 1) % one.size } else { k };
                let swapped = |k: u32| if other == number && k < 2 { 1 - k } else { k };
                let is_ring = of.group == Group::Rotations;
                (0..one.size).map(|k| if is_ring { turned(k) } else { swapped(k) }).collect()
            });
            let by = judge::Renaming::new(images.collect()).expect("a permutation");
            for marking in markings.iter().take(20) {
                let image = game.renamed_state(&by, marking);
                let there = game.steps(&image).attempts;
                let here = game.steps(marking).attempts;
                assert_eq!(here.len(), there.len(), "{round} {symmetry:?}: {net:#?}");
                for attempt in here {
                    let action = game.renamed_action(&by, &attempt.action);
                    let target = game.renamed_state(&by, &attempt.target.expect("no fault"));
                    let is_there = |one: &judge::Attempt<_>| {
                        one.action == action && one.target == Ok(target.clone())
                    };
                    assert!(there.iter().any(is_there), "{round} {symmetry:?}: {net:#?}");
                    renamed += 1;
                }
            }
        }
    }
    assert!(renamed > 2000, "{renamed}");
}

/// With few steps, targets are those of all steps up to symmetry.
#[test]
fn few_steps_stand_for_all() {
    let mut generator = Generator(SplitMix64::new(28));
    let mut saved = 0;
    for round in 0..3000 {
        let net = generator.net();
        let Some((markings, _)) = reached(&net) else { continue };
        let symmetry = Symmetry::of(&net, &[]).of_initial(&net);
        if symmetry.is_trivial() || markings.len() < 3 {
            continue;
        }
        let representatives = |few: bool| {
            let mut bounds = Bounds::of_initial(&net);
            loop {
                let mut system = PackedNet::new(&net, symmetry.clone(), bounds.clone());
                if few {
                    system = system.with_few_steps();
                }
                let options = Options { deadlock: Deadlock::Stuck, ..Options::default() };
                let found = explore_system(&system, &options, &Watch::none());
                if let Some(raised) = system.raised() {
                    bounds = raised.with_room(&bounds);
                } else {
                    let full = found.full.expect("it is exhaustive");
                    return (
                        found.progress.states,
                        full.states,
                        full.deadlocks,
                        found.progress.fired,
                    );
                }
            }
        };
        let (all, few) = (representatives(false), representatives(true));
        assert_eq!((all.0, &all.1, &all.2), (few.0, &few.1, &few.2), "{round}: {net:#?}");
        saved += all.3 - few.3;
    }
    assert!(saved > 500, "{saved}");
}

/// Conditions mean the same for packed markings and for the token game.
#[test]
fn atoms_are_those_of_the_token_game() {
    let mut generator = Generator(SplitMix64::new(29));
    let (mut yes, mut no) = (0, 0);
    for _ in 0..600 {
        let net = generator.net();
        if reached(&net).is_none() {
            continue;
        }
        let mut builder = Builder::default();
        let place = generator.below(net.places.len());
        let sum = Sum::new(0, [(1, place), (2, generator.below(net.places.len()))]);
        let most = Sum::new(generator.below(4).cast_signed() as i64, []);
        let value = builder.join(
            true,
            vec![
                Value::Condition(Condition::at_most(&sum, &most)),
                Value::Condition(
                    Condition::fireable([generator.below(net.transitions.len())]).negated(),
                ),
            ],
        );
        let formula = builder.finish(value, "random".to_owned());
        let symmetry = Symmetry::of(&net, &[]);
        let bounds = (0..8).fold(Bounds::of_initial(&net), |bounds, _| bounds);
        let system = PackedNet::new(&net, symmetry, bounds);
        let Some(Ok(start)) = system.starts().next() else { continue };
        let atoms = system.formula_atoms(&formula);
        let (mut worker, mut letters) = (system.worker(), atoms.worker());
        let (mut open, mut seen) = (vec![start.clone()], BTreeSet::from([start]));
        while let Some(state) = open.pop() {
            let letter = letters.of_state(&state, &[]).expect("atoms do not fail");
            let marking = system.marking(&state);
            for (number, atom) in formula.atoms.iter().enumerate() {
                assert!(matches!(atom, Atom::Marking(_)));
                let atom = ltl::Atom(number as u32);
                let expected =
                    system.game().atom(&formula, atom, &[], &marking, None).expect("no fault");
                assert_eq!(letter >> number & 1 == 1, expected, "{net:#?}");
                if expected { yes += 1 } else { no += 1 }
            }
            let mut steps = Steps::default();
            worker.expand(&state, &mut steps);
            for target in steps.targets.chunks(system.layout().words()) {
                if seen.len() < 50 && seen.insert(target.into()) {
                    open.push(target.into());
                }
            }
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}
