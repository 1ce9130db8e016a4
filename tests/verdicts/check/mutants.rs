//! Tests of the test: checking with a mistake in it is noticed by the cases of the ordinary run.
//!
//! A mistake shows in three ways. The wrong answer: a violation is missed, or there is a false alarm.
//! The right one, with a run that the judge does not believe: *misjudged*. Or a panic, because something
//! that must be so is not. The wrong answers are what counts: the judge sees only what was found.

use super::SYSTEMS;
use automata::limits::Limits;
use automata::translate::Effort;
use compile::CompiledModel;
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use isonomy::check::{Engine, Misjudged, Options, Question, Verdict};
use model::checked::{Group, Model};
use model::syntax::PropertyKind;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::verdicts::brute_force::{Answer, Reference};
use suites::verdicts::small;
use suites::verdicts::walks::{Mistake, Mistaken, ask};
use support::many::in_parallel;

/// What is changed.
#[derive(Clone, Copy)]
enum Mutation {
    /// How the quotient is walked.
    Walk(Mistake),
    /// The model: none if there is nothing to change in it.
    Model(fn(&Model) -> Option<Model>),
    /// Only the first tuple of tracked values is asked about.
    OneTuple,
}

/// How a mutation must be noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Noticed {
    /// Not at all, because nothing is wrong.
    Never,
    /// By wrong answers.
    ByAnswers,
    /// By the judge, or by a panic.
    Anyhow,
}

const MUTANTS: &[(&str, Mutation, Noticed)] = &[
    ("no mistake", Mutation::Walk(Mistake::None), Noticed::Never),
    (
        "starts and tuples reduced independently",
        Mutation::Walk(Mistake::IndependentStarts),
        Noticed::ByAnswers,
    ),
    ("one start only", Mutation::Walk(Mistake::OneStart), Noticed::ByAnswers),
    ("runs start in representatives", Mutation::Walk(Mistake::StartFrame), Noticed::Anyhow),
    ("edge permutation not updated", Mutation::Walk(Mistake::StalePermutation), Noticed::Anyhow),
    ("dropped under Stab(r)", Mutation::Walk(Mistake::DroppedByAll), Noticed::ByAnswers),
    (
        "dropped by swaps not in the group",
        Mutation::Walk(Mistake::DroppedByStrangers),
        Noticed::ByAnswers,
    ),
    ("the tuple becomes its image", Mutation::Walk(Mistake::Inverse), Noticed::ByAnswers),
    ("the tuple stays", Mutation::Walk(Mistake::TupleStays), Noticed::ByAnswers),
    ("arguments not renamed", Mutation::Walk(Mistake::ArgumentsStay), Noticed::ByAnswers),
    ("no stutter", Mutation::Walk(Mistake::NoStutter), Noticed::ByAnswers),
    ("stutter where all is cut", Mutation::Walk(Mistake::StutterWhereCut), Noticed::ByAnswers),
    ("stutter everywhere", Mutation::Walk(Mistake::StutterEverywhere), Noticed::ByAnswers),
    ("rings as scalarsets", Mutation::Model(rings_as_scalarsets), Noticed::ByAnswers),
    ("rings as undirected ones", Mutation::Model(rings_as_undirected), Noticed::ByAnswers),
    ("assumptions ignored", Mutation::Model(without_assumptions), Noticed::ByAnswers),
    ("one tuple only", Mutation::OneTuple, Noticed::ByAnswers),
];

fn rings_as_scalarsets(model: &Model) -> Option<Model> {
    regrouped(model, &[Group::Rotations, Group::Dihedral], Group::Full)
}

fn rings_as_undirected(model: &Model) -> Option<Model> {
    regrouped(model, &[Group::Rotations], Group::Dihedral)
}

fn regrouped(model: &Model, from: &[Group], to: Group) -> Option<Model> {
    let mut changed = model.clone();
    let mut any = false;
    for symmetry in &mut changed.symmetries {
        if from.contains(&symmetry.group) {
            symmetry.group = to;
            any = true;
        }
    }
    any.then_some(changed)
}

fn without_assumptions(model: &Model) -> Option<Model> {
    let mut changed = model.clone();
    for property in &mut changed.properties {
        if property.kind == PropertyKind::Assume && !property.is_statement {
            property.kind = PropertyKind::Cover;
        }
    }
    model.assumptions().next().is_some().then_some(changed)
}

/// What came of a mutant.
#[derive(Default)]
struct Record {
    missed: AtomicUsize,
    false_alarms: AtomicUsize,
    misjudged: AtomicUsize,
    panics: AtomicUsize,
}

impl Record {
    fn note(&self, found: &Said, expected: Answer) {
        let noted = match (found, expected) {
            (Said::Panic, _) => &self.panics,
            (Said::Holds, Answer::Violated) => &self.missed,
            (Said::Violated | Said::Misjudged, Answer::Holds) => &self.false_alarms,
            (Said::Misjudged, _) => &self.misjudged,
            _ => return,
        };
        noted.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many systems are looked at: no more than in the ordinary run.
const MUTATED: u64 = 1000;
const _: () = assert!(MUTATED <= SYSTEMS, "the cases of the ordinary run");

/// The most states of a system that is looked at: mistakes show in small ones.
const LARGEST: usize = 80;

enum Said {
    Holds,
    Violated,
    Misjudged,
    Panic,
}

#[test]
fn mistakes_are_noticed() {
    let records: Vec<Record> = MUTANTS.iter().map(|_| Record::default()).collect();
    let asked = AtomicUsize::new(0);
    in_parallel(MUTATED, |seed| {
        let (_, model) = small(seed);
        let Some(reference) = Reference::new(&model, LARGEST) else { return };
        if reference.fails {
            return;
        }
        let expected: Vec<Answer> =
            model.questions.iter().map(|formula| reference.truth(formula).answer).collect();
        asked.fetch_add(expected.len(), Ordering::Relaxed);
        for (all, record) in answers(&model).iter().zip(&records) {
            for (said, expected) in all.iter().zip(&expected) {
                record.note(said, *expected);
            }
        }
    });
    let asked = asked.into_inner();
    eprintln!("{asked} questions:                            missed  alarms  misjudged  panics");
    let mut unnoticed = Vec::new();
    for ((name, _, noticed), record) in MUTANTS.iter().zip(records) {
        let Record { missed, false_alarms, misjudged, panics } = record;
        let [missed, false_alarms, misjudged, panics] =
            [missed, false_alarms, misjudged, panics].map(AtomicUsize::into_inner);
        eprintln!("{name:40} {missed:12} {false_alarms:7} {misjudged:10} {panics:7}");
        let wrong = missed + false_alarms;
        let is_fine = match noticed {
            Noticed::Never => wrong + misjudged + panics == 0,
            Noticed::ByAnswers => wrong > 0,
            Noticed::Anyhow => wrong + misjudged + panics > 0,
        };
        if !is_fine {
            unnoticed.push(name);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

/// What everybody with a mistake says about the questions of a model; nothing about those that the
/// mutation has nothing to change in.
fn answers(model: &Model) -> Vec<Vec<Said>> {
    let walks = MUTANTS.iter().filter_map(|(_, mutation, _)| match mutation {
        Mutation::Walk(mistake) => Some((*mistake, usize::MAX)),
        Mutation::OneTuple => Some((Mistake::None, 1)),
        Mutation::Model(_) => None,
    });
    let mut unchanged = asked(model, &walks.collect::<Vec<_>>()).into_iter();
    let all = MUTANTS.iter().map(|(_, mutation, _)| match mutation {
        Mutation::Walk(_) | Mutation::OneTuple => unchanged.next().expect("one per walk"),
        Mutation::Model(change) => change(model).map_or_else(Vec::new, |changed| {
            let one =
                AssertUnwindSafe(|| asked(&changed, &[(Mistake::None, usize::MAX)]).remove(0));
            std::panic::catch_unwind(one).unwrap_or_else(|_| vec![Said::Panic])
        }),
    });
    all.collect()
}

/// What is said about the questions of a model with each of these mistakes, if at most so many tuples of
/// each question are asked about.
fn asked(model: &Model, walks: &[(Mistake, usize)]) -> Vec<Vec<Said>> {
    let options = Options {
        reduction: Reduction::Canonical,
        effort: Effort::Low,
        engine: Engine::Components,
        longest_cycle: 1000,
        ignores_fairness: true,
        ..Options::default()
    };
    let system = CompiledModel::new(model);
    let quotient = Quotient::new(&system, options.reduction);
    let questions: Vec<Question<'_, CompiledModel<'_>>> = model
        .questions
        .iter()
        .map(|formula| {
            let question = Question::new(&system, formula, &options, Limits::default());
            question.expect("a small formula")
        })
        .collect();
    let by = |&(mistake, most_tuples): &(Mistake, usize)| {
        let answer = |question| {
            let walk = || Mistaken::new(&quotient, mistake);
            said(&ask(question, &quotient, walk, most_tuples))
        };
        let guarded = |question| {
            std::panic::catch_unwind(AssertUnwindSafe(|| answer(question))).unwrap_or(Said::Panic)
        };
        questions.iter().map(guarded).collect()
    };
    walks.iter().map(by).collect()
}

fn said(verdict: &Result<Verdict, Box<Misjudged>>) -> Said {
    match verdict {
        Ok(Verdict::Holds) => Said::Holds,
        Ok(Verdict::Violated(_)) => Said::Violated,
        // Nothing fails in these systems, and nobody stops the search.
        Ok(Verdict::Failed(_) | Verdict::Unknown(_)) => Said::Panic,
        Err(_) => Said::Misjudged,
    }
}
