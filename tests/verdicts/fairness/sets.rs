//! Elimination by sets against brute force, and with planted mistakes.

use super::certified::is_certified;
use super::named::{self, IDLERS, LEFT_OUT, NAMED, PARALLEL, RING_OF_IDLERS};
use compile::CompiledModel;
use engine::sets::ways::{Everywhere, Ways};
use isonomy::check::{Engine, MANY_THREADS, Method, Options, Outcome, Verdict, check};
use isonomy::model::Definition;
use model::checked::{Demand, Formula, Model};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::Counts;
use suites::fairness::brute_force::{Reference, violates};
use suites::fairness::sets::{Figures, QUESTIONS, ask_small_system, disturbed};
use suites::fairness::walks::Told;
use suites::fairness::{demands, system};
use support::headers::fixtures;
use support::many::{cases, in_parallel};

#[test]
fn random_questions_are_answered_by_elimination() {
    let (counts, figures) = (Counts::default(), Figures::default());
    in_parallel(cases(2400) / QUESTIONS as u64, |seed| {
        ask_small_system(seed, &counts, &figures);
    });
    let Figures { holds, violated, fails, global, together } = &figures;
    let [holds, violated, fails, global, together] =
        [holds, violated, fails, global, together].map(|one| one.load(Ordering::Relaxed));
    eprintln!(
        "{holds} hold, {violated} are violated, {fails} fail; {global} under global fairness; \
         {together} answers by choice of `auto`"
    );
    assert!(
        holds > 300 && violated > 300 && global > 100 && together > 500,
        "too few were compared"
    );
}

macro_rules! mistakes {
    ($($name:ident: $($decision:ident),+;)+) => {
        $(
            struct $name;
            impl Ways for $name {
                const LOOKS_NEAR: bool = false;
                $(const $decision: bool = false;)+
            }
        )+
    };
}

mistakes! {
    NotTrimmed: TRIMS;
    NotAccepted: ACCEPTS;
    NotEntered: ENTERS_ACCEPTING_ONLY;
    NotServed: SERVES;
    NotPermuted: PERMUTES;
    NotClosed: CLOSES;
    DroppedNotCounted: COUNTS_DROPPED;
    NotCarriedThrough: CARRIES_THROUGH;
}

/// Whether a mutant finds a question violated; none if there is no answer.
type Answerer = fn(&Model, &Formula, &Options) -> Option<bool>;

fn ask<Y: Ways>(told: Told, model: &Model, formula: &Formula, options: &Options) -> Option<bool> {
    match disturbed::<Y>(model, formula, options, None, told) {
        Ok(Verdict::Holds) => Some(false),
        // What is found, but not believed, was found.
        Ok(Verdict::Violated(_) | Verdict::Unknown(_)) | Err(_) => Some(true),
        Ok(Verdict::Failed(_)) => None,
    }
}

fn by<Y: Ways>(model: &Model, formula: &Formula, options: &Options) -> Option<bool> {
    ask::<Y>(Told::All, model, formula, options)
}

const MUTANTS: [(&str, Answerer); 10] = [
    ("no mistake", by::<Everywhere>),
    ("nodes without predecessors stay", by::<NotTrimmed>),
    ("acceptance sets are not looked at", by::<NotAccepted>),
    ("states of the automaton that do not accept stay", by::<NotEntered>),
    ("nothing is served", by::<NotServed>),
    ("permutations are forgotten", by::<NotPermuted>),
    ("served sets are not closed", by::<NotClosed>),
    ("p and q are judged on kept steps only", by::<DroppedNotCounted>),
    ("sets are kept only where p is true", by::<NotCarriedThrough>),
    ("no symmetries are told", |model, formula, options| {
        ask::<Everywhere>(Told::Nothing, model, formula, options)
    }),
];

const WEAK: Demand = named::WEAK;
const STRONG: Demand = named::STRONG;
const DECLARED: Demand = named::DECLARED;

/// A mutant, and a system with a formula and its verdict, about which the mutant is wrong.
const NOTICED: [(&str, &str, &str, Demand, bool); 4] = [
    // One step of three is kept, and no two processes can be swapped.
    ("served sets are not closed", RING_OF_IDLERS, "forall c: q. F false", STRONG, true),
    ("served sets are not closed", IDLERS, "F false", WEAK, true),
    // From k = 2, where objects are served, to k = 1, where that matters, by way of k = 0.
    (
        "sets are kept only where p is true",
        LEFT_OUT,
        "forall c: t. (G F k = 2) -> G F (k = 2 & h = c)",
        DECLARED,
        true,
    ),
    // The automaton of the negation waits in a loop until x is true.
    (
        "states of the automaton that do not accept stay",
        PARALLEL,
        "G !x",
        named::WEAK_EVENTS,
        false,
    ),
];

fn options(demand: Demand) -> Options {
    Options { demand, engine: Engine::Sets, longest_cycle: 500, ..Options::default() }
}

/// What is said, unless that fails or panics.
fn said(by: Answerer, model: &Model, formula: &Formula, demand: Demand) -> Option<bool> {
    let ask = AssertUnwindSafe(|| by(model, formula, &options(demand)));
    std::panic::catch_unwind(ask).ok().flatten()
}

#[test]
fn named_systems_tell_mistakes_of_elimination() {
    for (name, text, formula, demand, violated) in NOTICED {
        let model = named::model(text, formula);
        let (_, mistaken) = MUTANTS.iter().find(|(one, _)| *one == name).expect("it is a mutant");
        let said = |by| said(by, &model, &model.questions[0], demand);
        assert_eq!(said(MUTANTS[0].1), Some(violated), "{formula} of {text}");
        assert_ne!(said(*mistaken), Some(violated), "{name}: {formula} of {text}");
    }
}

/// How many random systems are looked at, out of those of the ordinary run.
const SYSTEMS: u64 = 300;

#[test]
fn mistakes_of_elimination_are_noticed() {
    let wrong: [[AtomicUsize; 3]; MUTANTS.len()] = Default::default();
    let ask_all = |model: &Model, formula: &Formula, demand: Demand, violated: bool| {
        for ((_, by), wrong) in MUTANTS.iter().zip(&wrong) {
            let noted = match said(*by, model, formula, demand) {
                Some(said) if said == violated => continue,
                Some(false) => {
                    let system = CompiledModel::new(model);
                    assert!(!is_certified(&system, formula, demand), "of what is violated");
                    0
                }
                Some(true) => 1,
                None => 2,
            };
            wrong[noted].fetch_add(1, Ordering::Relaxed);
        }
    };
    for (text, formula, demand, violated) in NAMED {
        let model = named::model(text, formula);
        ask_all(&model, &model.questions[0], demand, violated);
    }
    in_parallel(SYSTEMS, |seed| {
        let (_, model) = system(seed);
        let Some(reference) = Reference::new(&model, 60) else { return };
        for (formula, demand) in model.questions.iter().zip(demands(seed, &model)) {
            if let Some(violated) = violates(&reference, formula, demand) {
                ask_all(&model, formula, demand, violated);
            }
        }
    });
    let mut unnoticed = Vec::new();
    eprintln!("{:50} missed  false alarms  panics", "");
    for (k, ((name, _), wrong)) in MUTANTS.iter().zip(wrong).enumerate() {
        let [missed, false_alarms, panics] = wrong.map(AtomicUsize::into_inner);
        eprintln!("{name:50} {missed:6} {false_alarms:13} {panics:7}");
        // The first has none.
        if (missed + false_alarms + panics == 0) != (k == 0) {
            unnoticed.push(name);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

/// One thread searches a product of thousands of nodes for a while, and then all eliminate; or it
/// comes to the end first.
#[test]
fn many_threads_eliminate_in_a_large_product() {
    let peterson = fixtures().into_iter().find(|one| one.name == "peterson").expect("a fixture");
    let size = Definition { name: "N".to_owned(), value: "4".to_owned() };
    let model = peterson.model(&[size]);
    let formula = model.formulas.iter().find(|one| one.name.as_deref() == Some("access"));
    let formula = formula.expect("a formula");
    let system = CompiledModel::new(&model);
    let ask = |engine, threads, most_alone| {
        let options = Options { demand: WEAK, engine, threads, most_alone, ..Options::default() };
        let found = check(&system, formula, &options, &isonomy::Watch::none()).expect("judged");
        assert!(matches!(found.verdict, Verdict::Holds), "{:?}", found.verdict);
        found
    };
    let counts = |of: &Outcome| {
        let all = of.statistics;
        (all.representatives, all.edges, all.product_nodes, all.product_edges)
    };
    let alone = ask(Engine::Components, 1, 0);
    let nodes = alone.statistics.product_nodes;
    assert!(nodes > 4096, "{nodes}");
    for (threads, most_alone, method) in [
        (MANY_THREADS, 0, Method::Sets),
        (MANY_THREADS, nodes / 2, Method::Sets),
        (MANY_THREADS, u64::MAX, Method::Components),
        (MANY_THREADS - 1, 0, Method::Components),
    ] {
        let found = ask(Engine::Auto, threads, most_alone);
        assert_eq!(found.method, method, "{threads} threads, {most_alone} nodes alone");
        assert_eq!(counts(&found), counts(&alone), "{threads} threads, {most_alone} nodes alone");
    }
}

/// Automata with several states on accepting cycles, or several acceptance sets.
const LONG: [&str; 4] = [
    "G(pc[1] = Raise -> F(pc[1] = Critical & F(pc[2] = Critical)))",
    "(G F pc[1] = Wait & G F pc[2] = Wait) -> G F (pc[3] = Critical & F pc[4] = Critical)",
    "G(pc[1] = Raise -> X X (pc[1] != Critical U (pc[2] = Wait | F pc[1] = Critical)))",
    "G F pc[1] = Critical | F G pc[1] = Start | (G F pc[2] = Critical & G F pc[3] = Critical)",
];

/// Small systems fit into one chunk of nodes. Here there are many chunks, whose ends are between
/// nodes over one state.
#[test]
fn large_products_of_large_automata_are_answered_by_elimination() {
    let peterson = fixtures().into_iter().find(|one| one.name == "peterson").expect("a fixture");
    let text = peterson.text.replace("const N: 3;", "const N: 4;");
    let text = text.replace(": scalarset(N);", ": 1..N;");
    let watch = isonomy::Watch::none();
    in_parallel(LONG.len() as u64, |k| {
        let model = named::model(&text, LONG[k as usize]);
        let (system, formula) = (CompiledModel::new(&model), &model.questions[0]);
        for (demand, violated) in [(WEAK, false), (STRONG, false), (Demand::NONE, true)] {
            let ask = |engine, threads| {
                let options = Options { demand, engine, threads, ..Options::default() };
                check(&system, formula, &options, &watch).expect("judged")
            };
            let expected = ask(Engine::Components, 1);
            let context = format!("{} under {demand:?}", formula.text);
            assert_eq!(matches!(expected.verdict, Verdict::Violated(_)), violated, "{context}");
            let alone = ask(Engine::Sets, 1);
            assert!(alone.statistics.product_nodes > 20_000, "{:?} {context}", alone.statistics);
            for found in [&alone, &ask(Engine::Sets, 2), &ask(Engine::Sets, 3)] {
                match (&found.verdict, &alone.verdict) {
                    (Verdict::Holds, Verdict::Holds) => assert!(!violated, "{context}"),
                    (Verdict::Violated(one), Verdict::Violated(other)) => {
                        assert!(violated && one == other, "{context}");
                    }
                    (other, _) => panic!("{other:?} {context}"),
                }
            }
        }
    });
}
