//! Answers under fairness against brute force: the unreduced product, and fairness by its definition.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

pub mod arguments;
pub mod brute_force;
pub mod components;
pub mod schedules;
pub mod sets;
pub mod shortest;
pub mod tally;
pub mod walks;

use crate::{Counts, systems};
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
use tally::Tally;
use walks::Told;

/// How many questions are asked about each system.
pub const QUESTIONS: usize = 3;

/// The most states of a system that is looked at.
const LARGEST: usize = 100;

/// What was compared, by kinds of questions and of reasons for being fair.
#[derive(Default)]
pub struct Kinds {
    pub tally: Mutex<Tally>,
    pub argued: Mutex<BTreeMap<Seen, usize>>,
}

/// Asks the questions about a small system.
pub fn small_system(seed: u64, counts: &Counts) {
    ask_small_system(seed, counts, &Kinds::default());
}

/// The same, and counts kinds.
pub fn ask_small_system(seed: u64, counts: &Counts, kinds: &Kinds) {
    let (context, model) = system(seed);
    let run = AssertUnwindSafe(|| {
        let Some(reference) = Reference::new(&model, LARGEST) else {
            return counts.add(1, 0, 0, model.questions.len());
        };
        counts.add(1, 0, 0, 0);
        for (k, demand) in demands(seed, &model).into_iter().enumerate() {
            let formula = &model.questions[k];
            match ask(&reference, formula, demand, seed, kinds, &context) {
                Some(answers) => counts.add(0, 1, answers, 0),
                None => counts.add(0, 0, 0, 1),
            }
        }
    });
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("of {context}");
        std::panic::resume_unwind(panic);
    }
}

/// Asks a question in all ways. Returns the number of answers; none if an atom fails.
fn ask(
    reference: &Reference<'_>,
    formula: &Formula,
    demand: Demand,
    seed: u64,
    kinds: &Kinds,
    context: &str,
) -> Option<usize> {
    let model = reference.model;
    let expected = violates(reference, formula, demand)?;
    let without = violates(reference, formula, Demand::NONE).unwrap_or(expected);
    assert!(without || !expected, "a run is fair, but none of all runs: {context}");
    let of = tally::kinds(reference, model, formula, demand);
    kinds.tally.lock().expect("no thread has panicked here").add(of, expected, without);
    disturbed(model, formula, demand, seed, expected, context);
    let mut answers = 1;
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
        let options = Options { reduction, demand, longest_cycle, ..Options::default() };
        let system = CompiledModel::new(model);
        let found =
            check(&system, formula, &options, &isonomy::Watch::none()).unwrap_or_else(|wrong| {
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
            let seen = arguments::check(reference, formula, demand, found);
            let mut argued = kinds.argued.lock().expect("no thread has panicked here");
            for one in seen {
                *argued.entry(one).or_default() += 1;
            }
        }
        assert!(
            agrees,
            "{:?}, but violated is {expected}: {reduction:?} {demand:?} {} {context}",
            found.verdict, formula.text
        );
        answers += 1;
    }
    Some(answers)
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
pub fn system(seed: u64) -> (String, Model) {
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
pub fn demands(seed: u64, model: &Model) -> Vec<Demand> {
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
