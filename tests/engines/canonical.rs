//! Representatives and stabilisers against all elements of the group, on random states of random
//! shapes; and numbers of orbits that are known.
//!
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random states.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "cells hold positions, which are small and not negative"
)]

mod known;

use std::sync::Mutex;
use suites::canonical::{Case, Seen};
use support::many::{cases, in_parallel};

#[test]
fn random_states_of_random_shapes() {
    let seen = Mutex::new(Seen::default());
    in_parallel(cases(4000), |seed| {
        let case = Case::new(seed, false);
        let mut one = Seen::default();
        case.check(&mut one);
        seen.lock().unwrap().add(&one);
    });
    let seen = seen.into_inner().unwrap();
    // There is something to see: states with symmetries, and some with all and with none.
    assert!(seen.symmetric * 3 > seen.cases, "{seen:?}");
    assert!(seen.asymmetric * 20 > seen.cases, "{seen:?}");
    assert!(seen.proper * 10 > seen.cases, "{seen:?}");
    assert!(seen.no_swaps * 50 > seen.cases, "{seen:?}");
    assert!(seen.unsorted * 100 > seen.cases, "{seen:?}");
}

#[test]
fn random_states_of_larger_types() {
    in_parallel(cases(2000), |seed| Case::new(seed, true).check_some());
}
