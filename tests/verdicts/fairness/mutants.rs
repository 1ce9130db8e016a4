//! Tests of the test: a checker with one rule broken is noticed by the cases of the ordinary run.
//!
//! It is noticed if it gives a wrong answer, about a named system or about a random one: a violation is
//! missed; or there is one that is none, which then is not believed, or not even told.

use super::certified::is_certified;
use super::named::{self, NAMED};
use automata::limits::Limits;
use automata::translate::Effort;
use compile::CompiledModel;
use engine::fairness::knowledge::Knowledge;
use engine::fairness::rules::{Exact, Rules};
use engine::quotient::Quotient;
use engine::search::Node;
use engine::symmetry::Permutation;
use isonomy::check::{Options, Question, Verdict};
use model::checked::{Demand, Formula, Model};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::fairness::brute_force::{Reference, violates};
use suites::fairness::walks::{Told, ask_by};
use suites::fairness::{demands, system};
use support::many::in_parallel;

/// Parts keep the potentials that their nodes have in the component.
#[derive(Default)]
struct OldPotentials {
    /// By node of a part.
    old: Option<Vec<Permutation>>,
}

impl Rules<Permutation> for OldPotentials {
    fn for_part(potentials: &mut dyn Iterator<Item = Permutation>) -> Self {
        OldPotentials { old: Some(potentials.collect()) }
    }

    fn potential(&self, node: Node) -> Option<Permutation> {
        self.old.as_ref().map(|old| old[node.0 as usize].clone())
    }
}

/// Only the first node is taken out, and what is left is believed to satisfy all obligations.
#[derive(Default)]
struct RemovesOne {
    is_part: bool,
}

impl Rules<Permutation> for RemovesOne {
    fn for_part(_: &mut dyn Iterator<Item = Permutation>) -> Self {
        RemovesOne { is_part: true }
    }

    fn is_removed(&self, concerns: bool, removed: usize) -> bool {
        concerns && removed == 0
    }

    fn is_fair(&self, owes_nothing: bool) -> bool {
        self.is_part || owes_nothing
    }
}

/// Orbits of tuples are all tuples out of the orbits of their points.
#[derive(Default)]
struct ClassesOfPoints;

impl Rules<Permutation> for ClassesOfPoints {
    fn are_points_enough(&self, knowledge: &Knowledge<'_>) -> bool {
        !knowledge.is_global()
    }
}

/// Under global fairness, a step counts for a node if any other over the same (r, l) takes it.
#[derive(Default)]
struct Published;

impl Rules<Permutation> for Published {
    fn is_same_state(&self, _: bool) -> bool {
        true
    }
}

/// Whether somebody with a mistake finds a question violated; none if there is no answer.
type Answerer = fn(&Question<'_, CompiledModel<'_>>, &Quotient<'_>) -> Option<bool>;

fn answer<R: Rules<Permutation>>(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    told: Told,
) -> Option<bool> {
    match ask_by::<R>(question, quotient, None, told) {
        Ok(Verdict::Holds) => Some(false),
        // What is there, but not told, was found; what is found, but not believed, too.
        Ok(Verdict::Violated(_) | Verdict::Unknown(_)) | Err(_) => Some(true),
        Ok(Verdict::Failed(_)) => None,
    }
}

const MUTANTS: &[(&str, Answerer)] = &[
    ("no mistake", |question, quotient| answer::<Exact>(question, quotient, Told::All)),
    ("no symmetries in H", |question, quotient| answer::<Exact>(question, quotient, Told::Nothing)),
    ("dropped by all, only swaps in H", |question, quotient| {
        answer::<Exact>(question, quotient, Told::Swaps)
    }),
    ("old potentials in parts", |question, quotient| {
        answer::<OldPotentials>(question, quotient, Told::All)
    }),
    ("one node removed, the rest believed", |question, quotient| {
        answer::<RemovesOne>(question, quotient, Told::All)
    }),
    ("classes of indices, not orbits", |question, quotient| {
        answer::<ClassesOfPoints>(question, quotient, Told::All)
    }),
    ("the published global rule", |question, quotient| {
        answer::<Published>(question, quotient, Told::All)
    }),
];

/// How many random systems are looked at, out of those of the ordinary run.
const SYSTEMS: u64 = 400;

#[derive(Default)]
struct Record {
    missed: AtomicUsize,
    false_alarms: AtomicUsize,
    panics: AtomicUsize,
}

#[test]
fn mistakes_are_noticed() {
    let records: Vec<Record> = MUTANTS.iter().map(|_| Record::default()).collect();
    for (text, formula, demand, violated) in NAMED {
        let model = named::model(text, formula);
        ask_all(&model, &model.questions[0], demand, violated, &records);
    }
    in_parallel(SYSTEMS, |seed| {
        let (_, model) = system(seed);
        let Some(reference) = Reference::new(&model, 60) else { return };
        for (formula, demand) in model.questions.iter().zip(demands(seed, &model)) {
            if let Some(violated) = violates(&reference, formula, demand) {
                ask_all(&model, formula, demand, violated, &records);
            }
        }
    });
    let mut unnoticed = Vec::new();
    eprintln!("{:40} missed  false alarms  panics", "");
    for ((k, (name, _)), record) in MUTANTS.iter().enumerate().zip(records) {
        let Record { missed, false_alarms, panics } = record;
        let [missed, false_alarms, panics] =
            [missed, false_alarms, panics].map(AtomicUsize::into_inner);
        eprintln!("{name:40} {missed:6} {false_alarms:13} {panics:7}");
        // The first has none.
        if (missed + false_alarms + panics == 0) != (k == 0) {
            unnoticed.push(name);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

/// What everybody with a mistake says about a question.
fn ask_all(model: &Model, formula: &Formula, demand: Demand, violated: bool, records: &[Record]) {
    let options = Options { demand, effort: Effort::Low, longest_cycle: 500, ..Options::default() };
    let system = CompiledModel::new(model);
    let quotient = Quotient::new(&system, options.reduction);
    let question = Question::new(&system, formula, &options, Limits::default());
    let question = question.expect("a small formula");
    for ((_, answer), record) in MUTANTS.iter().zip(records) {
        let said = std::panic::catch_unwind(AssertUnwindSafe(|| answer(&question, &quotient)));
        let noted = match said {
            Ok(Some(said)) if said == violated => continue,
            Ok(Some(false)) => {
                assert!(!is_certified(&system, formula, demand), "of what is violated");
                &record.missed
            }
            Ok(Some(true)) => &record.false_alarms,
            Ok(None) | Err(_) => &record.panics,
        };
        noted.fetch_add(1, Ordering::Relaxed);
    }
}
