//! Checking against brute force: the unreduced product of the interpreter's graph and a plain tableau.
//!
//! `ISONOMY_CASES=100000 cargo test --release --test verdicts` looks at so many random models, and asks so
//! many questions about small systems. That mistakes would be noticed is tested, too: see [`mutants`].
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod brute_force;
mod compare;
mod deep;
mod mutants;
mod plain;
mod walks;

use super::systems;
use brute_force::Reference;
use compare::{Counts, compare};
use compile::CompiledModel;
use isonomy::check::{Options, Verdict, check};
use ltl::generate::Random;
use model::check_with;
use model::checked::Group;
use model::checked::{
    Atom, Formula, Local, LocalId, LocalKind, Model, Operand, ProcessOperand, TrackedGroup,
};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::headers::fixtures;
use support::many::{cases, in_parallel};
use support::random::each_model;

#[test]
fn formulas_of_fixtures() {
    let all = fixtures();
    let counts = Counts::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        let Some(reference) = Reference::new(&model, 3000) else { return };
        let formulas: Vec<&Formula> = model.formulas.iter().collect();
        compare(&fixture.name, &reference, &formulas, k, &counts);
    });
    counts.report("formulas of fixtures", 20);
}

#[test]
fn random_formulas_of_random_models() {
    let counts = Counts::default();
    let usefulness = Usefulness::default();
    each_model(1500, |context, model| {
        let reference = Reference::new(model, LARGEST);
        usefulness.count(model, reference.as_ref());
        let Some(reference) = reference else { return };
        let Some(base) = model.formulas.first() else { return };
        let seed = context.len() as u64 + reference.graph.states.len() as u64;
        let mut random = Random::new(seed);
        let formulas: Vec<Formula> =
            (0..4).map(|k| varied(model, base, &mut random, seed + k)).collect();
        let formulas: Vec<&Formula> = formulas.iter().collect();
        compare(context, &reference, &formulas, seed, &counts);
    });
    usefulness.report("random models");
    counts.report("random formulas", 200);
}

/// The most states of a random model that is looked at.
const LARGEST: usize = 150;

/// How many questions are asked about each small system.
const QUESTIONS: usize = 4;

/// How many small systems are looked at.
const SYSTEMS: u64 = 1500;

#[test]
fn random_questions_about_small_systems() {
    let counts = Counts::default();
    let usefulness = Usefulness::default();
    // A case is a question about a system.
    let systems = cases(SYSTEMS * QUESTIONS as u64) / QUESTIONS as u64;
    in_parallel(systems, |seed| {
        let (context, model) = small(seed);
        let run = AssertUnwindSafe(|| {
            let reference = Reference::new(&model, LARGEST);
            usefulness.count(&model, reference.as_ref());
            let Some(reference) = reference else { return };
            let formulas: Vec<&Formula> = model.questions.iter().collect();
            compare(&context, &reference, &formulas, seed, &counts);
        });
        // What panics inside of the program does not say of which model.
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("of {context}");
            std::panic::resume_unwind(panic);
        }
    });
    let useful = usefulness.report("small systems");
    assert!(useful > 70, "{useful} % are useful: too few");
    counts.report("random questions", systems as usize);
}

/// The small system of a seed with its questions, and its text.
fn small(seed: u64) -> (String, Model) {
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
struct Usefulness {
    all: AtomicUsize,
    large: AtomicUsize,
    tiny: AtomicUsize,
    rigid: AtomicUsize,
    failing: AtomicUsize,
}

impl Usefulness {
    fn count(&self, model: &Model, reference: Option<&Reference<'_>>) {
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
    fn report(&self, what: &str) -> usize {
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

/// PAPERS: the product for mutual exclusion has as many nodes as the quotient has states.
#[test]
fn exclusion_of_the_resource_controller_costs_no_more_than_the_quotient() {
    let all = fixtures();
    let fixture = all.iter().find(|one| one.name == "resource_controller").expect("a fixture");
    for (clients, nodes) in [(9, 38), (49, 198), (99, 398)] {
        let (name, value) = ("N".to_owned(), clients.to_string());
        let model = fixture.model(&[model::Definition { name, value }]);
        let is_it = |one: &&Formula| one.name.as_deref() == Some("exclusion");
        let formula = model.formulas.iter().find(is_it).expect("it is stated");
        let system = CompiledModel::new(&model);
        let found = check(&system, formula, &Options::default(), &|_| None);
        let found = found.expect("nothing is misjudged");
        assert!(matches!(found.verdict, Verdict::Holds), "{:?}", found.verdict);
        assert_eq!(found.statistics.product_nodes, nodes, "{clients} clients");
        assert_eq!(found.statistics.representatives, nodes, "{clients} clients");
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
