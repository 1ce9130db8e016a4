//! Counterexamples are nearly as short as possible.

use compile::CompiledModel;
use isonomy::Watch;
use isonomy::check::{Options, Shortening, Verdict, check};
use model::checked::Demand;
use model::syntax::{Fairness, Over};
use std::collections::BTreeMap;
use std::sync::Mutex;
use suites::fairness::shortest::{Ratios, compare};
use support::headers::fixtures;
use support::many::{cases, in_parallel};

/// Of all lassos of small systems, the shortest one that violates a formula and is fair is known by trying all. By default
/// counterexamples are at most 1.25 times as long, in the geometric mean of each kind of fairness; thoroughly shortened
/// ones 1.05 times.
#[test]
fn counterexamples_are_nearly_as_short_as_possible() {
    let all: Mutex<BTreeMap<String, Ratios>> = Mutex::default();
    in_parallel(cases(600) / 3, |seed| {
        for (fairness, ratios) in compare(seed) {
            let mut all = all.lock().expect("no thread has failed");
            all.entry(format!("{fairness:?}")).or_default().add(&ratios);
        }
    });
    let all = all.into_inner().expect("no thread has failed");
    for (fairness, ratios) in &all {
        let Ratios { compared, unknown, longer, .. } = ratios;
        let [first, quick, thorough] = ratios.means();
        eprintln!(
            "{fairness}: {compared} compared, {unknown} unknown; first {first:.3}, by default {quick:.3}, \
             thoroughly {thorough:.3}; longer {longer:?}"
        );
        assert!(quick <= 1.25 && thorough <= 1.05, "{fairness}: {ratios:?}");
        assert!(*compared > 5, "{fairness}: too few were compared: {ratios:?}");
    }
    assert_eq!(all.len(), 4, "all kinds of fairness: {all:?}");
}

/// Counterexamples of the gallery are never longer with more work to shorten them, whatever the fairness.
#[test]
fn counterexamples_of_fixtures_are_never_longer() {
    let all = fixtures();
    let lengths: Mutex<[usize; 4]> = Mutex::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        let system = CompiledModel::new(&model);
        for formula in &model.formulas {
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global] {
                let demand = Demand { fairness, over: Over::Processes, declared: true };
                let length = |shortening| {
                    let options = Options {
                        shortening,
                        demand,
                        most_states: Some(2000),
                        ..Options::default()
                    };
                    let outcome = check(&system, formula, &options, &Watch::none());
                    match outcome.expect("the judge agrees").verdict {
                        Verdict::Violated(found) if found.component.is_none() => {
                            Some(found.run.steps().count())
                        }
                        _ => None,
                    }
                };
                let [Some(first), Some(quick)] = [Shortening::Off, Shortening::Quick].map(length)
                else {
                    continue;
                };
                let context = format!("{} {} {fairness:?}", fixture.name, formula.text);
                assert!(quick <= first, "{context}: {first} -> {quick}");
                let mut lengths = lengths.lock().expect("no thread has failed");
                lengths[0] += 1;
                lengths[1] += usize::from(quick < first);
                lengths[2] += first;
                lengths[3] += quick;
            }
        }
    });
    let [compared, shorter, first, quick] = lengths.into_inner().expect("no thread has failed");
    eprintln!("{compared} compared, {shorter} shorter: {first} steps, {quick} when shortened");
    assert!(compared > 60 && shorter * 4 > compared, "{compared} compared, {shorter} shorter");
}
