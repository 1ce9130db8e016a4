//! The inputs of the fuzz targets for texts, and some at random.

use suites::fuzzed::{certificates, formulas, hoa, models};
use support::corpora::{at_random, replay};

#[test]
fn models_that_fuzzers_found() {
    replay("models", models::check);
    at_random(150, models::check);
}

#[test]
fn formulas_that_fuzzers_found() {
    replay("formulas", formulas::check);
    at_random(2000, formulas::check);
}

#[test]
fn automata_that_fuzzers_found() {
    replay("hoa", hoa::check);
    at_random(2000, hoa::check);
}

/// Corpora are read by every clone and run by every test: they stay small.
#[test]
fn corpora_are_small() {
    let folder = support::root().join("fuzz/corpus");
    let mut bytes = 0;
    for target in std::fs::read_dir(folder).expect("corpora") {
        for file in std::fs::read_dir(target.expect("an entry").path()).expect("a folder") {
            bytes += file.expect("an entry").metadata().expect("a file").len();
        }
    }
    assert!(bytes < 100_000, "{bytes} bytes");
}

#[test]
fn certificates_that_fuzzers_found() {
    replay("certificates", certificates::check);
    at_random(400, certificates::check);
}
