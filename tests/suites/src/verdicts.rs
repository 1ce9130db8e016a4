//! Answers to formulas without fairness, by every engine and reduction, against brute force: the unreduced product of
//! the interpreter's graph and a plain tableau.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

pub mod brute_force;
pub mod compare;
pub mod walks;

use crate::{Counts, systems};
use brute_force::Reference;
use compare::{Outcomes, compare};
use ltl::generate::Random;
use model::check_with;
use model::checked::{
    Atom, Formula, Group, Local, LocalId, LocalKind, Model, Operand, ProcessOperand, TrackedGroup,
};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::random;

/// The most states of a random model that is looked at.
pub const LARGEST: usize = 150;

/// How many questions are asked about each small system.
pub const QUESTIONS: usize = 4;

/// Asks the questions about a small system.
pub fn small_system(seed: u64, counts: &Counts) {
    let outcomes = Outcomes::default();
    if ask_small_system(seed, &outcomes, &Usefulness::default()) {
        outcomes.add_to(counts);
    } else {
        counts.add(1, 0, 0, QUESTIONS);
    }
}

/// The same, and says whether the system is small enough.
pub fn ask_small_system(seed: u64, outcomes: &Outcomes, usefulness: &Usefulness) -> bool {
    let (context, model) = small(seed);
    let run = AssertUnwindSafe(|| {
        let reference = Reference::new(&model, LARGEST);
        usefulness.count(&model, reference.as_ref());
        let Some(reference) = reference else { return false };
        let formulas: Vec<&Formula> = model.questions.iter().collect();
        compare(&context, &reference, &formulas, seed, outcomes);
        true
    });
    // What panics inside of the program does not say of which model.
    std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        eprintln!("of {context}");
        std::panic::resume_unwind(panic);
    })
}

/// Asks random formulas of the random model of a seed, if it has a symmetry.
pub fn random_model(seed: u64, counts: &Counts) {
    let Some((context, model)) = random::symmetric_model(seed) else {
        return counts.add(1, 0, 0, QUESTIONS);
    };
    let outcomes = Outcomes::default();
    if ask_random_model(&context, &model, &outcomes, &Usefulness::default()) {
        outcomes.add_to(counts);
    } else {
        counts.add(1, 0, 0, QUESTIONS);
    }
}

/// The same, and says whether the model is small enough and has formulas to begin with.
pub fn ask_random_model(
    context: &str,
    model: &Model,
    outcomes: &Outcomes,
    usefulness: &Usefulness,
) -> bool {
    let reference = Reference::new(model, LARGEST);
    usefulness.count(model, reference.as_ref());
    let (Some(reference), Some(base)) = (reference, model.formulas.first()) else { return false };
    let seed = context.len() as u64 + reference.graph.states.len() as u64;
    let mut random = Random::new(seed);
    let formulas: Vec<Formula> =
        (0..QUESTIONS as u64).map(|k| varied(model, base, &mut random, seed + k)).collect();
    let formulas: Vec<&Formula> = formulas.iter().collect();
    compare(context, &reference, &formulas, seed, outcomes);
    true
}

/// The small system of a seed with its questions, and its text.
pub fn small(seed: u64) -> (String, Model) {
    let case = systems::case(seed, QUESTIONS);
    let questions: Vec<&str> = case.questions.iter().map(String::as_str).collect();
    // What is demanded of runs is ignored here.
    let demands = if seed.is_multiple_of(5) { &case.requirements } else { "" };
    let text = case.text + demands;
    let context = format!("seed {seed}:\n{text}\n{}", questions.join("\n"));
    let model = check_with(&text, &[], &questions);
    let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in {context}"));
    (context, model)
}

/// How many models say something about symmetry.
#[derive(Default)]
pub struct Usefulness {
    all: AtomicUsize,
    large: AtomicUsize,
    tiny: AtomicUsize,
    rigid: AtomicUsize,
    failing: AtomicUsize,
}

impl Usefulness {
    pub fn count(&self, model: &Model, reference: Option<&Reference<'_>>) {
        let is_moved = |k: usize| {
            model.symmetries[k].group != Group::Trivial && model.types.index_types[k].size > 1
        };
        let why = match reference {
            None => Some(&self.large),
            Some(reference) if reference.fails => Some(&self.failing),
            Some(reference) if reference.graph.states.len() < 2 => Some(&self.tiny),
            _ if !(0..model.symmetries.len()).any(is_moved) => Some(&self.rigid),
            Some(_) => None,
        };
        for one in why.into_iter().chain([&self.all]) {
            one.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Prints the counts, and tells how many of a hundred are useful.
    pub fn report(&self, what: &str) -> usize {
        let [all, large, tiny, rigid, failing] =
            [&self.all, &self.large, &self.tiny, &self.rigid, &self.failing]
                .map(|one| one.load(Ordering::Relaxed));
        let useful = all - large - tiny - rigid - failing;
        eprintln!(
            "{what}: {useful} of {all} are useful; {large} are large, {tiny} have one state, \
             {rigid} have no symmetry, {failing} fail"
        );
        useful * 100 / all.max(1)
    }
}

/// Another formula over the atoms of one, and over events and processes.
fn varied(model: &Model, base: &Formula, random: &mut Random, seed: u64) -> Formula {
    let mut formula = base.clone();
    formula.under = None;
    let first = formula.tracked.first().cloned();
    let mut tracked: Vec<LocalId> = first.iter().flat_map(|group| group.locals.clone()).collect();
    if let Some(first) = first.filter(|_| seed.is_multiple_of(2)) {
        // A second one of the same type, perhaps different from the first.
        let local = LocalId(formula.locals.len() as u32);
        let (name, kind) = ("second".to_owned(), LocalKind::Bound);
        formula.locals.push(Local { name, of: first.of, kind, span: formula.span });
        formula.tracked[0] = TrackedGroup {
            locals: first.locals.iter().copied().chain([local]).collect(),
            of: first.of,
            distinct: seed.is_multiple_of(4),
            stands_for_all: false,
        };
        tracked.push(local);
    }
    let of = |local: &LocalId| formula.locals[local.0 as usize].of;
    for (k, event) in model.events.iter().enumerate().take(3) {
        let operand = |(place, (_, of_parameter)): (usize, &(String, _))| {
            let fitting = tracked.iter().rev().find(|local| of(local) == *of_parameter);
            fitting
                .filter(|_| !(seed >> place).is_multiple_of(3))
                .map(|&local| Operand::Local(local))
        };
        let arguments = event.parameters.iter().enumerate().map(operand).collect();
        let events = vec![model::checked::EventId(k as u32)];
        formula.atoms.push(Atom::Event { events, arguments, text: format!("@{}", event.name) });
    }
    if let Some(&local) = tracked.last() {
        let process = Some(ProcessOperand::Member(Operand::Local(local)));
        formula.atoms.push(Atom::By { process, text: "@by".to_owned() });
    }
    let atoms: Vec<ltl::Atom> = (0..formula.atoms.len() as u32).map(ltl::Atom).collect();
    formula.root = random.formula(3 + seed as usize % 6, &atoms, &mut formula.formulas);
    formula
}
