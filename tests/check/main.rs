//! Checking against brute force: the unreduced product of the interpreter's graph and a plain tableau.
//!
//! `ISONOMY_CASES=100000 cargo test --test check` looks at more random models.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

#[path = "../headers/mod.rs"]
mod headers;
#[path = "../many/mod.rs"]
mod many;
#[path = "../orbits/mod.rs"]
mod orbits;
#[path = "../quotient/random.rs"]
mod random;

mod brute_force;

use brute_force::Answer;
use headers::fixtures;
use isonomy::check::{Options, Verdict, check};
use isonomy::explore::Deadlock;
use isonomy::ltl;
use isonomy::ltl::generate::Random;
use isonomy::model::checked::{
    Atom, Formula, Local, LocalId, LocalKind, Model, Operand, ProcessOperand, TrackedGroup,
};
use isonomy::quotient::Policy;
use isonomy::symmetry::Reduction;
use isonomy::system::CompiledModel;
use many::in_parallel;
use orbits::Graph;
use random::each_model;
use std::sync::atomic::{AtomicUsize, Ordering};

const REDUCTIONS: [Reduction; 3] = [Reduction::Off, Reduction::Canonical, Reduction::Sorted];

#[test]
fn formulas_of_fixtures() {
    let all = fixtures();
    let counts = Counts::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        let Some(graph) = Graph::of(&model, Deadlock::Stuck, true, 3000) else { return };
        for formula in &model.formulas {
            compare(&fixture.name, &model, &graph, formula, &counts);
        }
    });
    counts.report("formulas of fixtures", 20);
}

#[test]
fn random_formulas_of_random_models() {
    let counts = Counts::default();
    each_model(1500, |context, model| {
        let Some(graph) = Graph::of(model, Deadlock::Stuck, true, 150) else { return };
        let Some(base) = model.formulas.first() else { return };
        let seed = context.len() as u64 + graph.states.len() as u64;
        let mut random = Random::new(seed);
        for k in 0..4 {
            let formula = varied(model, base, &mut random, seed + k);
            compare(context, model, &graph, &formula, &counts);
        }
    });
    counts.report("random formulas", 200);
}

/// PAPERS: the product for mutual exclusion has as many nodes as the quotient has states.
#[test]
fn exclusion_of_the_resource_controller_costs_no_more_than_the_quotient() {
    let all = fixtures();
    let fixture = all.iter().find(|one| one.name == "resource_controller").expect("a fixture");
    for (clients, nodes) in [(9, 38), (49, 198), (99, 398)] {
        let (name, value) = ("N".to_owned(), clients.to_string());
        let model = fixture.model(&[isonomy::model::Definition { name, value }]);
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
        let events = vec![isonomy::model::checked::EventId(k as u32)];
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

#[derive(Default)]
struct Counts {
    holds: AtomicUsize,
    violated: AtomicUsize,
    fails: AtomicUsize,
}

impl Counts {
    fn report(&self, what: &str, least: usize) {
        let [holds, violated, fails] =
            [&self.holds, &self.violated, &self.fails].map(|one| one.load(Ordering::Relaxed));
        eprintln!("{what}: {holds} hold, {violated} are violated, {fails} fail");
        assert!(holds >= least && violated >= least / 2, "too few were compared");
    }
}

/// The same answer for every reduction and policy as by brute force.
fn compare(context: &str, model: &Model, graph: &Graph, formula: &Formula, counts: &Counts) {
    let expected = brute_force::answer(model, graph, formula);
    let counted = match expected {
        Answer::Holds => &counts.holds,
        Answer::Violated => &counts.violated,
        Answer::Fails => &counts.fails,
    };
    counted.fetch_add(1, Ordering::Relaxed);
    let system = CompiledModel::new(model);
    for (k, reduction) in REDUCTIONS.into_iter().enumerate() {
        let policy = [Policy::Store, Policy::Recompute][k % 2];
        let options = Options { reduction, policy, ignores_fairness: true, ..Options::default() };
        let found = check(&system, formula, &options, &|_| None)
            .unwrap_or_else(|wrong| panic!("{wrong:#?} {reduction:?} {formula:?} {context}"));
        let agrees = match (&found.verdict, expected) {
            (Verdict::Holds, Answer::Holds) | (Verdict::Violated(_), Answer::Violated) => true,
            // On the fly, what fails may never be reached; and then any answer may be right.
            (verdict, Answer::Fails) => !matches!(verdict, Verdict::Unknown(_)),
            _ => false,
        };
        assert!(
            agrees,
            "{:?}, not {expected:?} {reduction:?} {formula:?} {context}",
            found.verdict
        );
    }
}
