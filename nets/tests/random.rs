//! Packed markings against the token game, on random nets.
//!
//! What the engine explores, with and without symmetry, is what the token game reaches.

use engine::explore::{Deadlock, Options, Symmetry as Reduction, explore_system};
use engine::system::{Steps, System as _};
use judge::Reference as _;
use nets::formula::{Atom, Builder, Sum, Value};
use nets::random::Generator;
use nets::symmetry::Blocks;
use nets::{Bounds, Condition, Figure, Game, Marking, Net, PackedNet, Symmetry, Watched, equation};
use nets::{formula, text};
use run::{SplitMix64, Watch};
use std::collections::BTreeSet;
use terms::Group;

/// Nets with more markings than this are left out.
const MOST: usize = 400;

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
    let mut symmetric = 0;
    for round in 0..3000 {
        let net = generator.net();
        let symmetry = Symmetry::of(&net, &[]);
        let Some((markings, _)) = reached(&net) else { continue };
        let different = first_difference(&net, &symmetry, &markings);
        assert_eq!(different, None, "{round} {symmetry:?}: {net:#?}");
        symmetric += u32::from(!symmetry.is_trivial());
    }
    assert!(symmetric > 300, "{symmetric}");
}

/// The first of these markings with steps whose images under some generator of the group are not the
/// steps of its image.
fn first_difference(
    net: &Net,
    symmetry: &Symmetry,
    markings: &BTreeSet<Marking>,
) -> Option<Marking> {
    let game = Game::new(net, symmetry);
    let types = game.index_types();
    for (number, of) in types.iter().enumerate() {
        // A rotation; or all swaps of neighbours.
        let is_ring = of.group == Group::Rotations;
        for first in 0..if is_ring { 1 } else { of.size - 1 } {
            let image = |k: u32| match k {
                _ if is_ring => (k + 1) % of.size,
                _ if k == first => k + 1,
                _ if k == first + 1 => first,
                _ => k,
            };
            let images = types.iter().enumerate().map(|(other, one)| {
                (0..one.size).map(|k| if other == number { image(k) } else { k }).collect()
            });
            let by = judge::Renaming::new(images.collect()).expect("a permutation");
            for marking in markings.iter().take(20) {
                let there = game.steps(&game.renamed_state(&by, marking)).attempts;
                let here = game.steps(marking).attempts;
                let is_same = here.len() == there.len()
                    && here.into_iter().all(|attempt| {
                        let action = game.renamed_action(&by, &attempt.action);
                        let target = attempt.target.expect("few tokens are no fault");
                        let target = game.renamed_state(&by, &target);
                        there
                            .iter()
                            .any(|one| one.action == action && one.target.as_ref() == Ok(&target))
                    });
                if !is_same {
                    return Some(marking.clone());
                }
            }
        }
    }
    None
}

/// Makes wrong blocks of the right ones of a class, if it can be made there.
type Mistake = fn(&Blocks) -> Option<Blocks>;

/// Wrong classifications.
const MISTAKES: [(&str, Mistake); 4] = [
    ("colours that are told apart are called interchangeable", |right| {
        let size = right.block_of.len();
        let is_apart = right.group == Group::Trivial && size > 1;
        is_apart.then(|| Blocks { block_of: vec![0; size], group: Group::Full })
    }),
    ("colours that are told apart are called a ring", |right| {
        let size = right.block_of.len();
        let is_apart = right.group == Group::Trivial && size > 1;
        is_apart.then(|| Blocks { block_of: vec![0; size], group: Group::Rotations })
    }),
    ("two subclasses are joined", |right| {
        let is_divided = right.group == Group::Full && right.block_of.contains(&1);
        let joined = |&block: &u32| block.saturating_sub(1);
        let block_of = right.block_of.iter().map(joined).collect();
        is_divided.then_some(Blocks { block_of, group: Group::Full })
    }),
    ("the successor is overlooked", |right| {
        let is_ring = right.group == Group::Rotations && right.block_of.len() > 2;
        is_ring.then(|| Blocks { group: Group::Full, ..right.clone() })
    }),
];

/// A wrong classification is noticed: some image of a step is no step. Not of every net, for a mistake
/// may make no difference to the markings that are reached.
#[test]
fn wrong_classifications_are_caught() {
    let mut generator = Generator(SplitMix64::new(30));
    let mut caught = [0; MISTAKES.len()];
    for _ in 0..3000 {
        let net = generator.net();
        let Some((markings, _)) = reached(&net) else { continue };
        let right = Symmetry::of(&net, &[]);
        for ((_, mistake), caught) in MISTAKES.iter().zip(&mut caught) {
            for class in 0..net.classes.len() {
                let Some(blocks) = mistake(&right.classes[class]) else { continue };
                let mut wrong = right.clone();
                wrong.classes[class] = blocks;
                *caught += u32::from(first_difference(&net, &wrong, &markings).is_some());
            }
        }
    }
    for ((mistake, _), caught) in MISTAKES.iter().zip(caught) {
        assert!(caught > 20, "{mistake}: {caught}");
    }
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

/// No marking has more tokens than the state equation allows, and walks see nothing that is not reached.
#[test]
fn the_state_equation_bounds_all_markings() {
    let mut generator = Generator(SplitMix64::new(31));
    let (mut exact, mut climbed) = (0, 0);
    for round in 0..2000 {
        let net = generator.net();
        let Some((markings, _)) = reached(&net) else { continue };
        let first = generator.below(net.places.len());
        let mut places = vec![first, generator.below(net.places.len())];
        places.dedup();
        let total = |marking: &Marking| -> u64 {
            places.iter().flat_map(|&place| marking[place].values()).sum()
        };
        let most = markings.iter().map(total).max().expect("the first marking is one");
        let limit = equation::most(&net, &places);
        assert!(limit.is_none_or(|limit| limit >= most), "{round} {limit:?} {most}: {net:#?}");
        exact += u32::from(limit == Some(most));
        let watched = vec![Watched::new(Figure::Sum(places.clone()))];
        let system = PackedNet::new(&net, Symmetry::none(&net), Bounds::of_initial(&net));
        let system = system.watching(watched);
        let mut left = 50;
        system.climb(&places, &mut SplitMix64::new(round), &mut || {
            left -= 1;
            left == 0
        });
        let seen = system.watched()[0].most();
        assert!(seen <= most, "{round} {seen} {most}: {net:#?}");
        climbed += u32::from(seen == most);
    }
    assert!(exact > 300 && climbed > 300, "{exact} {climbed}");
}

/// Conditions mean the same for packed markings and for the token game.
#[test]
fn atoms_are_those_of_the_token_game() {
    let mut generator = Generator(SplitMix64::new(29));
    let (mut yes, mut no) = (0, 0);
    for _ in 0..1000 {
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

/// A formula as text is read as the same formula.
#[test]
fn formulas_are_written_as_they_are_read() {
    let mut generator = Generator(SplitMix64::new(31));
    let mut compared = 0;
    for _ in 0..3000 {
        let net = generator.net();
        let atom = |generator: &mut Generator| {
            let place =
                |generator: &mut Generator| format!("p{}", generator.below(net.places.len()));
            let transition = generator.below(net.transitions.len());
            match generator.below(7) {
                0 => format!("tokens({}) <= {}", place(generator), generator.below(4)),
                1 => {
                    let factor = 1 + generator.below(2000);
                    format!(
                        "{factor} * tokens({}) > tokens({}) + 2",
                        place(generator),
                        place(generator)
                    )
                }
                2 => format!("tokens({}, {}) != 1", place(generator), place(generator)),
                3 => format!("fireable(t{transition})"),
                4 => format!("fireable(t{transition}, t0)"),
                5 => format!("@t{transition}"),
                _ => "dead".to_owned(),
            }
        };
        let mut formula = atom(&mut generator);
        for _ in 0..generator.below(5) {
            let other = atom(&mut generator);
            formula = match generator.below(9) {
                0 => format!("!({formula})"),
                1 => format!("X ({formula})"),
                2 => format!("G ({formula})"),
                3 => format!("F ({formula})"),
                4 => format!("({formula}) U ({other})"),
                5 => format!("({other}) R ({formula})"),
                6 => format!("({formula}) & ({other})"),
                7 => format!("({formula}) | ({other})"),
                _ => format!("({formula}) -> ({other})"),
            };
        }
        let read = text::parse(&formula, &net).expect(&formula);
        let written = formula::written(&net, &read).expect("it is short");
        let again =
            text::parse(&written, &net).unwrap_or_else(|wrong| panic!("{written}: {wrong:?}"));
        assert_eq!(formula::written(&net, &again), Some(written), "{formula}");
        assert_eq!(again.atoms, read.atoms, "{formula}");
        compared += 1;
    }
    assert_eq!(compared, 3000);
}

/// What a walk says is a run is one, by the token game, and its letters are those of the token game.
#[test]
fn walks_are_runs() {
    let mut generator = Generator(SplitMix64::new(32));
    let (mut returns, mut ends) = (0, 0);
    for round in 0..2000 {
        let net = generator.net();
        let symmetry = Symmetry::of(&net, &[]);
        let mut bounds = Bounds::of_initial(&net);
        let mut random = SplitMix64::new(round);
        let formula = text::parse("G (fireable(t0) & tokens(p0) <= 1 & F @t0)", &net);
        let formula = formula.expect("a formula");
        for _ in 0..8 {
            let system = PackedNet::new(&net, symmetry.clone(), bounds.clone());
            let walk = system.walk(&mut random, 60, &mut || false);
            if let Some(raised) = system.raised() {
                bounds = raised.with_room(&bounds);
                continue;
            }
            let atoms = system.formula_atoms(&formula);
            let letters = walk.letters(&*atoms, &mut || false).expect("it is not over");
            let letters = letters.expect("conditions do not fail");
            for &cycle in walk.cycles().iter().take(20) {
                let run = system.run_of(&walk, cycle);
                let game = system.game();
                judge::walk(game, &run).unwrap_or_else(|wrong| panic!("{round} {wrong}: {net:#?}"));
                let (stem, cycle) = cycle.word(&letters);
                let expected = judge::letters(game, &formula, &[], &run).expect("letters");
                assert_eq!(stem.len(), run.stem.len());
                for (found, expected) in stem.iter().chain(cycle).zip(&expected) {
                    for atom in 0..formula.atoms.len() as u32 {
                        let expected = expected.has(ltl::Atom(atom));
                        assert_eq!(found >> atom & 1 == 1, expected, "{round} {atom}: {net:#?}");
                    }
                }
                assert_eq!(expected.len(), stem.len() + cycle.len());
                let is_dead = run.cycle[0].action.is_none();
                ends += u32::from(is_dead);
                returns += u32::from(!is_dead);
            }
        }
    }
    assert!(returns > 2000 && ends > 500, "{returns} {ends}");
}

/// Simplified formulas have the same truth on random runs, and conditions that became constant are so in
/// all markings.
#[test]
fn simplified_formulas_mean_the_same() {
    let mut generator = Generator(SplitMix64::new(33));
    let (mut simpler, mut constant, mut words) = (0, 0, 0);
    for round in 0..3000 {
        let net = generator.net();
        if reached(&net).is_none() {
            continue;
        }
        let Some(mut simplifier) = nets::Simplifier::of(&net) else { continue };
        let mut parts = (0..3).map(|_| {
            let (one, other) =
                (generator.below(net.places.len()), generator.below(net.places.len()));
            let transition = generator.below(net.transitions.len());
            match generator.below(5) {
                0 => format!("tokens(p{one}) <= {}", generator.below(4)),
                1 => format!("tokens(p{one}) + tokens(p{other}) >= {}", generator.below(5)),
                2 => format!("tokens(p{one}) <= 2 * tokens(p{other})"),
                3 => format!("@t{transition}"),
                _ => format!("fireable(t{transition})"),
            }
        });
        let (a, b, c) = (parts.next().expect("one"), parts.next().expect("two"), parts.next());
        let c = c.expect("three");
        drop(parts);
        let operators = ["U", "R", "W", "M", "->", "<->", "xor", "&", "|"];
        let first = operators[generator.below(operators.len())];
        let second = operators[generator.below(operators.len())];
        let unary = ["G", "F", "X", "!", "G F"][generator.below(5)];
        let text = format!("{unary} (({a}) {first} (({b}) {second} X ({c})))");
        let formula = text::parse(&text, &net).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        let Some(simple) = simplifier.simplified(&formula) else { continue };
        simpler += 1;
        let constants = [ltl::Formula::TRUE, ltl::Formula::FALSE];
        constant += u32::from(constants.contains(&simple.root));
        let system = PackedNet::new(&net, Symmetry::none(&net), Bounds::of_initial(&net));
        let mut random = SplitMix64::new(round);
        for _ in 0..4 {
            let walk = system.walk(&mut random, 30, &mut || false);
            if system.raised().is_some() {
                break;
            }
            for &cycle in walk.cycles().iter().take(8) {
                let run = system.run_of(&walk, cycle);
                let truth = |formula: &nets::Formula| {
                    let game = system.game();
                    let mut letters = judge::letters(game, formula, &[], &run).expect("letters");
                    let cycle = letters.split_off(run.stem.len());
                    let word = ltl::Lasso::new(letters, cycle).expect("a cycle");
                    word.satisfies(&formula.formulas, formula.root)
                };
                assert_eq!(truth(&formula), truth(&simple), "{round} {text}: {net:#?}");
                words += 1;
            }
        }
    }
    assert!(simpler > 300 && constant > 50 && words > 2000, "{simpler} {constant} {words}");
}
