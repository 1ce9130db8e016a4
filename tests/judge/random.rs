//! Random runs of random models, and formulas whose meaning is written down a second time.
//!
//! `ISONOMY_CASES=100000 cargo test --test judge` looks at more random models.

use suites::judged::{Judged, judge_random_model};
use support::many::cases;

#[test]
fn random_runs_are_judged_by_what_formulas_mean() {
    let mut judged = Judged::default();
    for seed in 0..cases(500) {
        judge_random_model(seed, &mut judged);
    }
    let Judged { refuted, satisfied, stutters, disturbed, refused, .. } = judged;
    let counts = [refuted, satisfied, stutters, disturbed, refused];
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
