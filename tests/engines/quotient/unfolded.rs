//! Annotated quotient structures, unfolded: exactly the unreduced graph comes out, with and without
//! tracked indices, built in advance or on demand.

use std::sync::atomic::{AtomicUsize, Ordering};
use suites::unfolded::{LARGEST, check};
use support::headers::fixtures;
use support::many::in_parallel;
use support::random::each_model;

#[test]
fn fixtures_unfold_to_their_graphs() {
    let all = fixtures();
    let checked = AtomicUsize::new(0);
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        if check(&fixture.name, &model, 2000).is_some() {
            checked.fetch_add(1, Ordering::Relaxed);
        }
    });
    let checked = checked.into_inner();
    assert!(checked > 50, "only {checked} fixtures were small enough");
}

#[test]
fn random_models_unfold_to_their_graphs() {
    let [checked, reduced] = [0; 2].map(AtomicUsize::new);
    each_model(4000, |context, model| {
        if let Some(found) = check(context, model, LARGEST) {
            checked.fetch_add(1, Ordering::Relaxed);
            let is_reduced = found.representatives < found.states;
            reduced.fetch_add(usize::from(is_reduced), Ordering::Relaxed);
        }
    });
    let [checked, reduced] = [checked, reduced].map(AtomicUsize::into_inner);
    eprintln!("{checked} random models unfolded, {reduced} of them smaller under symmetry");
    assert!(reduced * 5 > checked && reduced > 0, "{reduced} of {checked}");
}
