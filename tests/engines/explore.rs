//! Exploration of compiled models: the facts in the headers of fixtures, and the same outcome for
//! any number of threads.

use compile::CompiledModel;
use engine::quotient::{Difference, verify_symmetry};
use isonomy::explore::{
    Compression, Deadlock, Exploration, Options, Symmetry, ViolationKind, explore,
};
use model::checked::{Group, Model};
use model::{Definition, check};
use support::headers::fixtures;

const OPTIONS: Options = Options {
    deadlock: Deadlock::Stuck,
    expand_violating: true,
    most_states: None,
    threads: 1,
    symmetry: Symmetry::Off,
    compression: Compression::None,
};

/// Larger state spaces are left to benches.
const MOST_STATES: usize = 250_000;

fn explored(model: &Model, options: &Options) -> Exploration {
    explore(&CompiledModel::new(model), options, &isonomy::Watch::none())
}

#[test]
fn every_fact_about_states_is_found() {
    let mut checked = 0;
    for fixture in fixtures() {
        for size in fixture.sizes() {
            if !size.is_within(MOST_STATES) {
                continue;
            }
            let (definitions, fails) = (size.definitions, size.fails());
            let model = fixture.model(definitions);
            let found = explored(&model, &OPTIONS);
            let context = format!("{} {definitions:?}", fixture.name);
            let failed =
                found.violations.iter().any(|one| matches!(one.kind, ViolationKind::Failure(_)));
            assert_eq!(failed, fails, "{context}: {:?}", found.violations);
            for (kind, number) in [
                ("states", found.progress.states),
                ("steps", found.progress.steps),
                ("deadlocks", found.deadlocks),
            ] {
                if let Some(stated) = size.stated(kind) {
                    assert_eq!(number, stated as u64, "{context}: {kind}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 80, "only {checked} facts were found to be checked");
}

#[test]
fn results_are_checked_where_they_are_stored() {
    let text = "var x: 0..1; y: -3..3; function f(): 0..1; begin return y; end;
                startstate x := 0; y := -2; end; rule \"r\" true ==> x := f(); end;";
    let found = explored(&check(text, &[]).expect("a model"), &OPTIONS);
    let [only] = &found.violations[..] else { panic!("{:?}", found.violations) };
    let ViolationKind::Failure(failure) = &only.kind else { panic!("{only:?}") };
    assert_eq!(failure.message, "`x` cannot be -2: its type is 0..1");
}

/// Four counters, far from each other in a state of 39 bytes.
const COUNTERS: &str = "
    var a: array [0..30] of 0..1000;
    startstate for i: 0..30 do a[i] := 7 * i end; for i := 0 to 30 by 10 do a[i] := 0 end; end;
    ruleset i: 0..3 do rule \"count\" a[10 * i] < 9 ==> a[10 * i] := a[10 * i] + 1; end; end;
    invariant \"not all at once\" a[0] + a[10] + a[20] + a[30] < 35;";

#[test]
fn it_does_not_matter_how_states_are_stored() {
    let fixture = |name: &str, n: u32| {
        let text = std::fs::read_to_string(format!("fixtures/models/{name}.m"));
        let size = Definition { name: "N".to_owned(), value: n.to_string() };
        check(&text.expect("a fixture"), &[size]).expect("a model")
    };
    let models = [
        (check(COUNTERS, &[]).expect("a model"), Symmetry::Off, 10_000),
        (fixture("two_phase_commit", 16), Symmetry::Canonical, 0),
        (fixture("dining_philosophers", 12), Symmetry::Off, 0),
    ];
    for (model, symmetry, states) in models {
        let run = |compression, threads| {
            let options = Options { symmetry, compression, threads, ..OPTIONS };
            let found = explored(&model, &options);
            let Exploration { progress, full, quotient, starts, deadlocks, .. } = &found;
            let told = format!(
                "{progress:?} {full:?} {quotient:?} {starts} {deadlocks} {:?}",
                found.violations
            );
            (told, found.progress.states, found.memory)
        };
        let (flat, count, memory) = run(Compression::None, 1);
        for threads in [1, 2] {
            let (folded, _, less) = run(Compression::Tree, threads);
            assert_eq!(flat, folded);
            assert!(states == 0 || count == states && less < memory, "{less} of {memory}");
        }
    }
}

#[path = "token_ring.rs"]
mod token_ring;

#[test]
fn a_system_written_in_rust_is_explored() {
    // Each of the six stations may have the token: it works (2^5 for the others), or it does not
    // (2^6 for all).
    let found = token_ring::explored(Symmetry::Off);
    assert_eq!(found.progress.states, 6 * (32 + 64));
    assert!(found.violations.is_empty(), "{:?}", found.violations);
    // Up to rotation, it is always the same station that has the token.
    let reduced = token_ring::explored(Symmetry::Canonical);
    assert_eq!(reduced.progress.states, 32 + 64);
    assert_eq!(reduced.full, found.full);
    assert!(reduced.violations.is_empty(), "{:?}", reduced.violations);
}

#[test]
fn a_system_that_is_not_as_symmetric_as_it_says_is_found_out() {
    let verified = |group| verify_symmetry(&token_ring::TokenRing::new(group), 1000);
    assert_eq!(verified(Group::Rotations), Ok(6 * (32 + 64)));
    assert_eq!(verified(Group::Trivial), Ok(6 * (32 + 64)));
    for group in [Group::Dihedral, Group::Full] {
        let asymmetry = verified(group).expect_err("the token goes one way");
        assert_eq!(asymmetry.difference, Difference::Steps(3), "{asymmetry}");
    }
}
