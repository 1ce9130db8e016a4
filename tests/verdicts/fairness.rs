//! Checking under fairness against brute force: the unreduced product, and fairness by its definition.
//!
//! `ISONOMY_CASES=100000 cargo test --release --test verdicts` asks so many questions about small systems.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod arguments;
pub(crate) mod brute_force;
mod component;
mod early;
mod mutants;
mod named;
mod schedules;
mod tally;
mod walks;

use super::systems;
use arguments::Seen;
use automata::limits::Limits;
use brute_force::{Reference, violates};
use compile::CompiledModel;
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use isonomy::check::{Options, Question, Verdict, check};
use model::check_with;
use model::checked::{Demand, Formula, Model};
use model::syntax::{Fairness, Over};
use run::SplitMix64;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use support::many::{cases, in_parallel};
use tally::Tally;
use walks::Told;

/// How many questions are asked about each system.
const QUESTIONS: usize = 3;

/// Of each kind, one in so many questions must hold, and one be violated.
const RARE: usize = 300;

#[test]
fn random_questions_about_small_systems() {
    let tally = Mutex::new(Tally::default());
    let argued: Mutex<BTreeMap<Seen, usize>> = Mutex::default();
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
                disturbed(&model, formula, demand, seed, expected, &context);
                // The last time loops are not closed, but given by one lap.
                let ways = [
                    (Reduction::Off, 10_000),
                    (Reduction::Canonical, 10_000),
                    (Reduction::Sorted, 10_000),
                    (Reduction::Canonical, 1),
                ];
                for (reduction, longest_cycle) in ways {
                    let is_global = demand.fairness == Fairness::Global;
                    if is_global && (reduction == Reduction::Sorted || longest_cycle == 1) {
                        continue;
                    }
                    let options =
                        Options { reduction, demand, longest_cycle, ..Options::default() };
                    let system = CompiledModel::new(&model);
                    let found =
                        check(&system, formula, &options, &|_| None).unwrap_or_else(|wrong| {
                            panic!("{wrong:#?} {reduction:?} {demand:?} {} {context}", formula.text)
                        });
                    let agrees = match &found.verdict {
                        Verdict::Holds => !expected,
                        Verdict::Violated(_) => expected,
                        _ => false,
                    };
                    if let Verdict::Violated(found) = &found.verdict
                        && found.component.is_none()
                    {
                        let seen = arguments::check(&reference, formula, demand, found);
                        let mut argued = argued.lock().expect("nobody has failed");
                        for one in seen {
                            *argued.entry(one).or_default() += 1;
                        }
                    }
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
    let argued = argued.into_inner().expect("nobody has failed");
    eprintln!("reasons that are true: {argued:?}");
    assert!(argued.len() == 7 && argued.values().all(|&count| count > 5), "{argued:?}");
    let tally = tally.into_inner().expect("nobody panics");
    eprintln!("{}", tally.shown());
    let rare = tally.rare(RARE);
    assert!(rare.is_empty(), "too few were compared\n{}", rare.join("\n"));
}

/// The same with annotations at random.
fn disturbed(
    model: &Model,
    formula: &Formula,
    demand: Demand,
    seed: u64,
    expected: bool,
    context: &str,
) {
    let options = Options { demand, longest_cycle: 200, ..Options::default() };
    let system = CompiledModel::new(model);
    let quotient = Quotient::new(&system, options.reduction);
    let question = Question::new(&system, formula, &options, Limits::default());
    let question = question.expect("a small formula");
    let right = walks::ask(&question, &quotient, Some(seed), Told::All);
    let right = right.unwrap_or_else(|wrong| panic!("{wrong:#?} disturbed {demand:?} {context}"));
    let is_violated = match &right {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        other => panic!("{other:?} disturbed {demand:?} {context}"),
    };
    assert_eq!(is_violated, expected, "disturbed {demand:?} {} {context}", formula.text);
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
