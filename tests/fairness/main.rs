//! Checking under fairness against brute force: the unreduced product, and fairness by its definition.
//!
//! `ISONOMY_CASES=100000 cargo test --release --test fairness` asks so many questions about small systems.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

#[path = "../many/mod.rs"]
mod many;
#[path = "../orbits/mod.rs"]
mod orbits;
#[path = "../systems/mod.rs"]
mod systems;

mod brute_force;
mod early;
mod named;
mod tally;
mod walks;

use brute_force::{Reference, violates};
use isonomy::automata::limits::Limits;
use isonomy::check::{Options, Question, Reason, Verdict, check};
use isonomy::ltl::generate::SplitMix64;
use isonomy::model::check_with;
use isonomy::model::checked::{Demand, Formula, Model};
use isonomy::model::syntax::{Fairness, Over};
use isonomy::quotient::Quotient;
use isonomy::symmetry::Reduction;
use isonomy::system::CompiledModel;
use many::{cases, in_parallel};
use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tally::Tally;
use walks::Told;

/// How many questions are asked about each system.
const QUESTIONS: usize = 3;

/// Of each kind, one in so many questions must hold, and one be violated.
const RARE: usize = 300;

#[test]
fn random_questions_about_small_systems() {
    let tally = Mutex::new(Tally::default());
    let mistaken = AtomicUsize::new(0);
    in_parallel(cases(4000) / QUESTIONS as u64, |seed| {
        let (context, model) = system(seed);
        let run = AssertUnwindSafe(|| {
            let Some(reference) = Reference::new(&model, 100) else { return };
            for (k, demand) in demands(seed, &model).into_iter().enumerate() {
                let formula = &model.questions[k];
                let expected = violates(&reference, formula, demand);
                let Some(expected) = expected else { continue };
                let without = violates(&reference, formula, Demand::NONE).unwrap_or(expected);
                assert!(without || !expected, "a run is fair, but none of all runs: {context}");
                let kinds = tally::kinds(&reference, &model, formula, demand);
                tally.lock().expect("nobody panics here").add(kinds, expected, without);
                mistaken.fetch_add(
                    usize::from(disturbed(&model, formula, demand, seed, expected, &context)),
                    Ordering::Relaxed,
                );
                for reduction in [Reduction::Off, Reduction::Canonical, Reduction::Sorted] {
                    if reduction == Reduction::Sorted && demand.fairness == Fairness::Global {
                        continue;
                    }
                    let options = Options { reduction, demand, ..Options::default() };
                    let system = CompiledModel::new(&model);
                    let found =
                        check(&system, formula, &options, &|_| None).unwrap_or_else(|wrong| {
                            panic!("{wrong:#?} {reduction:?} {demand:?} {} {context}", formula.text)
                        });
                    let agrees = match &found.verdict {
                        Verdict::Holds => !expected,
                        // A loop that takes all steps of all states may be too long to be told.
                        Verdict::Violated(_) | Verdict::Unknown(Reason::LongCycle(_)) => expected,
                        _ => false,
                    };
                    assert!(
                        agrees,
                        "{:?}, but violated is {expected}: {reduction:?} {demand:?} {} {context}",
                        found.verdict, formula.text
                    );
                }
            }
        });
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("of {context}");
            std::panic::resume_unwind(panic);
        }
    });
    let (tally, mistaken) = (tally.into_inner().expect("nobody panics"), mistaken.into_inner());
    eprintln!("{}", tally.shown());
    eprintln!("without symmetries in loop groups {mistaken} are wrong");
    assert!(mistaken > 0, "a mistake was not noticed");
    let rare = tally.rare(RARE);
    assert!(rare.is_empty(), "too few were compared\n{}", rare.join("\n"));
}

/// The same with annotations at random; and whether it would be noticed if loop groups had no symmetries of
/// nodes.
fn disturbed(
    model: &Model,
    formula: &Formula,
    demand: Demand,
    seed: u64,
    expected: bool,
    context: &str,
) -> bool {
    let options = Options { demand, longest_cycle: 2000, ..Options::default() };
    let system = CompiledModel::new(model);
    let quotient = Quotient::new(&system, options.reduction, options.policy);
    let question = Question::new(&system, formula, &options, Limits::default());
    let question = question.expect("a small formula");
    let right = walks::ask(&question, &quotient, Some(seed), Told::All);
    let right = right.unwrap_or_else(|wrong| panic!("{wrong:#?} disturbed {demand:?} {context}"));
    let is_violated = match &right {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        // A loop that takes all steps may get long on disturbed ways.
        Verdict::Unknown(Reason::LongCycle(_)) if expected => true,
        other => panic!("{other:?} disturbed {demand:?} {context}"),
    };
    assert_eq!(is_violated, expected, "disturbed {demand:?} {} {context}", formula.text);
    // Wrong groups may promise ways that are not there.
    let wrong = std::panic::catch_unwind(AssertUnwindSafe(|| {
        walks::ask(&question, &quotient, None, Told::Nothing)
    }));
    !matches!(
        (wrong, expected),
        (Ok(Ok(Verdict::Holds)), false) | (Ok(Ok(Verdict::Violated(_))), true)
    )
}

/// A system with requirements of its own now and then.
fn system(seed: u64) -> (String, Model) {
    let case = systems::case(seed, QUESTIONS);
    let mut random = SplitMix64::new(seed ^ 0xfa1);
    let mut text = String::new();
    for part in case.text.split_inclusive("rule \"") {
        let fairness = ["", "", "", "fair ", "strongly fair "][random.below(5)];
        match part.strip_suffix("rule \"") {
            Some(before) => {
                let _ = write!(text, "{before}{fairness}rule \"");
            }
            None => text += part,
        }
    }
    if random.below(2) == 0 {
        text += &case.requirements;
    }
    let mut questions: Vec<&str> = case.questions.iter().map(String::as_str).collect();
    for (question, recurrence) in questions.iter_mut().zip(&case.recurrences) {
        if random.below(3) > 0 {
            *question = recurrence;
        }
    }
    let context = format!("seed {seed}:\n{text}\n{}", questions.join("\n"));
    let model = check_with(&text, &[], &questions);
    let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in {context}"));
    (context, model)
}

/// What is demanded, question by question.
fn demands(seed: u64, model: &Model) -> Vec<Demand> {
    let mut random = SplitMix64::new(seed ^ 0xdead);
    let some = (0..model.questions.len()).map(|_| {
        let fairness = match random.below(9) {
            0 => Fairness::None,
            1..4 => Fairness::Weak,
            4..7 => Fairness::Strong,
            _ => Fairness::Global,
        };
        let over = [Over::Processes, Over::Events][random.below(2)];
        Demand { fairness, over, declared: random.below(2) == 0 }
    });
    some.collect()
}
