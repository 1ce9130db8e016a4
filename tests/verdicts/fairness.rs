//! Checking under fairness against brute force: the unreduced product, and fairness by its definition.
//!
//! `ISONOMY_CASES=100000 cargo test --release --test verdicts` asks so many questions about small systems.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod certified;
mod component;
mod early;
mod mutants;
mod named;
mod sets;
mod shortest;

use suites::Counts;
use suites::fairness::{self, Kinds, QUESTIONS};
use support::many::{cases, in_parallel};

/// Of each kind, one in so many questions must hold, and one be violated.
const RARE: usize = 300;

#[test]
fn random_questions_about_small_systems() {
    let (counts, kinds) = (Counts::default(), Kinds::default());
    in_parallel(cases(4000) / QUESTIONS as u64, |seed| {
        fairness::ask_small_system(seed, &counts, &kinds);
    });
    let argued = kinds.argued.into_inner().expect("no thread has failed");
    eprintln!("reasons that are true: {argued:?}");
    assert!(argued.len() == 7 && argued.values().all(|&count| count > 5), "{argued:?}");
    let tally = kinds.tally.into_inner().expect("no thread has failed");
    eprintln!("{}", tally.shown());
    let rare = tally.rare(RARE);
    assert!(rare.is_empty(), "too few were compared\n{}", rare.join("\n"));
}
