//! The engines against each other: whatever is visited and however that is remembered, what is
//! violated is, and who may have omitted something says so.
//!
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

use automata::StopReason;
use compile::CompiledModel;
use engine::search::hashed::{Bitstate, Compaction, Hashed, Visited};
use engine::search::nested::{MarkedGraph, nested_search};
use isonomy::check::{Engine, Method, Options, Reason, Verdict};
use model::Definition;
use model::checked::Formula;
use run::Ticker;
use suites::agreement::{Outcomes, ask_random_model, compare, run};
use support::headers::fixtures;
use support::many::in_parallel;
use support::random::each_model;

#[test]
fn formulas_of_fixtures() {
    let all = fixtures();
    let outcomes = Outcomes::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        for formula in &model.formulas {
            compare(&fixture.name, &model, formula, &outcomes);
        }
    });
    outcomes.report("formulas of fixtures", 30);
}

#[test]
fn random_formulas_of_random_models() {
    let outcomes = Outcomes::default();
    each_model(400, |context, model| ask_random_model(context, model, &outcomes));
    outcomes.report("random formulas", 100);
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
        statistics.product_nodes
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
