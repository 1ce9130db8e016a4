//! Counterexamples are nearly as short as possible.

use std::collections::BTreeMap;
use std::sync::Mutex;
use suites::fairness::shortest::{Ratios, compare};
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
