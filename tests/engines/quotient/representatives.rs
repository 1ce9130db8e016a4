//! Representatives of all reachable states: one per orbit, in the orbit, with a permutation that leads
//! back; and what leaves them as they are.

use isonomy::explore::Deadlock;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::representatives::{LARGEST, check};
use support::headers::fixtures;
use support::many::in_parallel;
use support::orbits::Graph;
use support::random::each_model;

#[test]
fn of_fixtures() {
    let all = fixtures();
    let checked = AtomicUsize::new(0);
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        if let Some(graph) = Graph::of(&model, Deadlock::Stuck, true, 14_000) {
            check(&fixture.name, &model, &graph);
            checked.fetch_add(1, Ordering::Relaxed);
        }
    });
    let checked = checked.into_inner();
    assert!(checked > 70, "only {checked} fixtures were small enough");
}

#[test]
fn of_random_models() {
    let (checked, symmetric) = (AtomicUsize::new(0), AtomicUsize::new(0));
    each_model(10_000, |context, model| {
        if let Some(graph) = Graph::of(model, Deadlock::Stuck, true, LARGEST) {
            let found = check(context, model, &graph);
            checked.fetch_add(1, Ordering::Relaxed);
            let is_reduced = found.representatives < found.states;
            symmetric.fetch_add(usize::from(is_reduced), Ordering::Relaxed);
        }
    });
    let (checked, symmetric) = (checked.into_inner(), symmetric.into_inner());
    eprintln!("{checked} random models, {symmetric} of them smaller under symmetry");
    assert!(symmetric * 5 > checked, "{symmetric} of {checked}");
}
