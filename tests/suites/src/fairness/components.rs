//! Globally fair runs that are told as components, against brute force.

use super::brute_force::{Reference, violates};
use super::{LARGEST, schedules, system, walks};
use crate::Counts;
use automata::limits::Limits;
use compile::CompiledModel;
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use isonomy::check::{Options, Question, Verdict, check};
use model::checked::{Demand, Model};
use model::syntax::{Fairness, Over};
use run::SplitMix64;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many questions are asked about each system.
pub const QUESTIONS: usize = 3;

/// What was met.
#[derive(Default)]
pub struct Figures {
    pub holds: AtomicUsize,
    pub lassos: AtomicUsize,
    pub components: AtomicUsize,
    /// Those that say of some place that another one is the same state again.
    pub again: AtomicUsize,
    /// Those that calculate elements of the group for that.
    pub calculated: AtomicUsize,
}

fn count(figure: &AtomicUsize) {
    figure.fetch_add(1, Ordering::Relaxed);
}

/// Asks the questions about a small system under global fairness.
pub fn small_system(seed: u64, counts: &Counts) {
    ask_small_system(seed, counts, &Figures::default());
}

/// The same, and counts kinds of answers.
pub fn ask_small_system(seed: u64, counts: &Counts, figures: &Figures) {
    // Systems at random hardly ever need places that are one state: schedules do.
    let (context, model) =
        if seed.is_multiple_of(2) { system(seed) } else { schedules::system(seed) };
    let run = AssertUnwindSafe(|| compare(seed, &model, counts, figures));
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("of {context}");
        std::panic::resume_unwind(panic);
    }
}

fn compare(seed: u64, model: &Model, counts: &Counts, figures: &Figures) {
    let Some(reference) = Reference::new(model, LARGEST) else {
        return counts.add(1, 0, 0, model.questions.len());
    };
    counts.add(1, 0, 0, 0);
    let mut random = SplitMix64::new(seed ^ 0xc0);
    for formula in &model.questions {
        let declared = random.below(2) == 0;
        let demand = Demand { fairness: Fairness::Global, over: Over::Processes, declared };
        let Some(expected) = violates(&reference, formula, demand) else {
            counts.add(0, 0, 0, 1);
            continue;
        };
        let longest_cycle = random.below(10);
        let system = CompiledModel::new(model);
        for reduction in [Reduction::Off, Reduction::Canonical] {
            let options = Options { reduction, demand, longest_cycle, ..Options::default() };
            let about = || format!("{reduction:?} {longest_cycle} {demand:?} {}", formula.text);
            let found = check(&system, formula, &options, &isonomy::Watch::none());
            let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about()));
            agrees(&found.verdict, expected, figures, &about());
            let quotient = Quotient::new(&system, options.reduction);
            let question = Question::new(&system, formula, &options, Limits::default());
            let question = question.expect("a small formula");
            let found = walks::ask(&question, &quotient, Some(seed), walks::Told::All);
            let found = found.unwrap_or_else(|wrong| panic!("disturbed: {wrong:#?} {}", about()));
            agrees(&found, expected, figures, &about());
        }
        counts.add(0, 1, 4, 0);
    }
}

fn agrees(verdict: &Verdict, expected: bool, figures: &Figures, about: &str) {
    match verdict {
        Verdict::Holds => count(&figures.holds),
        Verdict::Violated(counterexample) => match &counterexample.component {
            None => count(&figures.lassos),
            Some(component) => {
                count(&figures.components);
                if component.places.iter().any(|place| !place.again.is_empty()) {
                    count(&figures.again);
                }
                if !component.elements.is_empty() {
                    count(&figures.calculated);
                }
            }
        },
        other => panic!("{other:?} of {about}"),
    }
    let is_violated = matches!(verdict, Verdict::Violated(_));
    assert_eq!(is_violated, expected, "{verdict:?} of {about}");
}
