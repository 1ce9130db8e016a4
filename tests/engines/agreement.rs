//! The engines against each other: whatever is visited and however that is remembered, what is
//! violated is, and who may have omitted something says so.
//!
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

use automata::StopReason;
use compile::CompiledModel;
use engine::search::hashed::{Bitstate, Compaction, Hashed, Visited};
use engine::search::nested::{MarkedGraph, nested_search};
use engine::symmetry::Reduction;
use isonomy::check::{Engine, Method, Options, Outcome, Reason, Verdict, check};
use ltl::generate::Random;
use model::Definition;
use model::checked::{Formula, Model};
use run::{Progress, Ticker};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::headers::fixtures;
use support::many::in_parallel;
use support::random::each_model;

const REDUCTIONS: [Reduction; 3] = [Reduction::Off, Reduction::Canonical, Reduction::Sorted];

/// Enough for all that is looked at here: with these hashes, nothing is omitted.
const AMPLE: Engine = Engine::Bitstate { bytes: 1 << 22 };

/// Larger products are left to larger tests.
const MOST_NODES: u64 = 4000;

fn run(system: &CompiledModel<'_>, formula: &Formula, options: &Options) -> Outcome {
    // An automaton with one acceptance set may be larger.
    let most = MOST_NODES * if options.engine == Engine::Components { 1 } else { 8 };
    let watch = |now: &Progress| (now.product_nodes > most).then_some(StopReason::Interrupted);
    let found = check(system, formula, options, &watch);
    found.unwrap_or_else(|wrong| panic!("{wrong:#?} {options:?}"))
}

#[derive(Default)]
struct Counts {
    holds: AtomicUsize,
    violated: AtomicUsize,
    failed: AtomicUsize,
}

impl Counts {
    fn report(&self, what: &str, least: usize) {
        let [holds, violated, failed] =
            [&self.holds, &self.violated, &self.failed].map(|one| one.load(Ordering::Relaxed));
        eprintln!("{what}: {holds} hold, {violated} are violated, {failed} fail");
        assert!(holds >= least && violated >= least, "too few were compared");
    }
}

/// The same answer of all engines.
fn compare(context: &str, model: &Model, formula: &Formula, counts: &Counts) {
    let system = CompiledModel::new(model);
    for reduction in REDUCTIONS {
        let base = Options { reduction, ignores_fairness: true, ..Options::default() };
        let by = |engine| run(&system, formula, &Options { engine, ..base });
        let expected = by(Engine::Components);
        let count = match &expected.verdict {
            Verdict::Holds => &counts.holds,
            Verdict::Violated(_) => &counts.violated,
            Verdict::Failed(_) => &counts.failed,
            Verdict::Unknown(_) => continue,
        };
        count.fetch_add(1, Ordering::Relaxed);
        for engine in [Engine::Nested, AMPLE, Engine::Compaction, Engine::Bitstate { bytes: 8 }] {
            let found = by(engine);
            let context = format!(
                "{engine:?} {reduction:?}: {:?}, not {:?} {formula:?} {context}",
                found.verdict, expected.verdict
            );
            let agrees = match (&expected.verdict, &found.verdict) {
                // On the fly, what fails may never be reached, with one automaton or the other.
                (Verdict::Failed(_), _)
                | (_, Verdict::Failed(_))
                | (Verdict::Violated(_), Verdict::Violated(_)) => true,
                (_, Verdict::Holds) if engine != Engine::Nested => {
                    // No search at all.
                    found.statistics.instances == 0
                }
                (expected, Verdict::Holds) => matches!(expected, Verdict::Holds),
                (expected, Verdict::Unknown(Reason::NotExhaustive(omission))) => {
                    assert!(omission.expected.is_finite(), "{context}");
                    // Eight bytes may omit anything.
                    matches!(expected, Verdict::Holds) || engine == Engine::Bitstate { bytes: 8 }
                }
                _ => false,
            };
            assert!(agrees, "{context}");
            if let (Verdict::Failed(before), Verdict::Failed(now)) =
                (&expected.verdict, &found.verdict)
            {
                assert_eq!(before.run.is_some(), now.run.is_some(), "{context}");
            }
        }
    }
}

#[test]
fn formulas_of_fixtures() {
    let all = fixtures();
    let counts = Counts::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        for formula in &model.formulas {
            compare(&fixture.name, &model, formula, &counts);
        }
    });
    counts.report("formulas of fixtures", 30);
}

#[test]
fn random_formulas_of_random_models() {
    let counts = Counts::default();
    each_model(400, |context, model| {
        let Some(base) = model.formulas.first() else { return };
        let mut random = Random::new(context.len() as u64);
        for size in [3, 5, 8] {
            let mut formula = base.clone();
            formula.under = None;
            let atoms: Vec<ltl::Atom> = (0..formula.atoms.len() as u32).map(ltl::Atom).collect();
            formula.root = random.formula(size, &atoms, &mut formula.formulas);
            compare(context, model, &formula, &counts);
        }
    });
    counts.report("random formulas", 100);
}

/// A formula that holds is never said to, and the estimate tells how bad it is.
#[test]
fn little_memory_for_much() {
    let all = fixtures();
    let fixture = all.iter().find(|one| one.name == "resource_controller").expect("a fixture");
    let (name, value) = ("N".to_owned(), "199".to_owned());
    let model = fixture.model(&[Definition { name, value }]);
    let is_it = |one: &&Formula| one.name.as_deref() == Some("exclusion");
    let formula = model.formulas.iter().find(is_it).expect("it is stated");
    let system = CompiledModel::new(&model);
    let nodes = 798;
    let engine = Engine::Bitstate { bytes: 1 << 60 };
    let found = run(&system, formula, &Options { engine, ..Options::default() });
    let is_refused = |reason: &Reason| *reason == Reason::Stopped(StopReason::Memory(1 << 60));
    assert!(matches!(&found.verdict, Verdict::Unknown(reason) if is_refused(reason)));
    //  bytes, at least and at most expected to be omitted
    for (bytes, least, most) in [(1 << 10, 1.0, 100.0), (1 << 12, 0.05, 1.0), (1 << 22, 0.0, 0.01)]
    {
        let engine = Engine::Bitstate { bytes };
        let found = run(&system, formula, &Options { engine, ..Options::default() });
        assert_eq!(found.method, Method::Bitstate { bytes });
        let Verdict::Unknown(Reason::NotExhaustive(omission)) = found.verdict else {
            panic!("{:?}", found.verdict)
        };
        eprintln!("{bytes} bytes: {} nodes, {omission:?}", found.statistics.product_nodes);
        assert!(omission.expected > least && omission.expected < most, "{bytes}: {omission:?}");
        assert!(omission.probability() > 0.0 && omission.probability() <= 1.0);
        assert_eq!(found.statistics.product_nodes == nodes, bytes > 1 << 10, "{bytes}");
    }
}

/// All words of so many letters at most, as a tree; from each edge of which one cannot return.
struct Words {
    letters: u64,
    longest: u32,
    is_started: bool,
}

impl MarkedGraph for Words {
    type Node = (u32, u64);
    type Stop = StopReason;

    fn next_start(&mut self) -> Result<Option<(u32, u64)>, StopReason> {
        let is_started = std::mem::replace(&mut self.is_started, true);
        Ok((!is_started).then_some((0, 0)))
    }

    fn successors(
        &mut self,
        &(length, word): &(u32, u64),
        found: &mut Vec<((u32, u64), bool)>,
    ) -> Result<(), StopReason> {
        if length < self.longest {
            let longer = (0..self.letters).map(|letter| word * self.letters + letter);
            found.extend(longer.map(|word| ((length + 1, word), word % 3 == 0)));
        }
        Ok(())
    }
}

/// Nodes, and the most bytes that were in use.
fn measure(
    longest: u32,
    visited: impl FnOnce() -> Box<dyn FnOnce(&mut Words) -> u64>,
) -> (u64, u64) {
    let mut nodes = 0;
    let info = allocation_counter::measure(|| {
        let mut words = Words { letters: 2, longest, is_started: false };
        nodes = visited()(&mut words);
    });
    (nodes, info.bytes_max)
}

fn searched(visited: impl Visited + 'static) -> Box<dyn FnOnce(&mut Words) -> u64> {
    Box::new(|words| {
        let mut colours = Hashed::new(visited);
        let searched = nested_search(words, &mut colours, &Ticker::new(&|_| None));
        let (found, statistics) = searched.expect("nothing stops it");
        assert_eq!(found, None);
        statistics.nodes
    })
}

#[test]
fn bits_are_all_that_is_kept() {
    let bytes = 1 << 20;
    for longest in [4, 10, 17] {
        let (nodes, most) = measure(longest, || searched(Bitstate::new(bytes).expect("memory")));
        let all = (2 << longest) - 1;
        assert!(nodes <= all && nodes > all - all / 20, "{nodes} of {all}");
        // The path has 18 nodes.
        assert!((bytes..bytes + 8192).contains(&most), "{nodes} nodes, {most} bytes");
    }
    // Hashes are kept one by one: at most 18 bytes each, where the table has just doubled.
    let (nodes, most) = measure(17, || searched(Compaction::new()));
    assert_eq!(nodes, (2 << 17) - 1);
    assert!(most > 8 * nodes && most < 3 * 2 * 18 * nodes, "{nodes} nodes, {most} bytes");
}
