//! States, fired rules and verdicts against rumur's verifiers, where rumur and gcc are installed; and states
//! and steps of our Promela versions against Spin's, where Spin is.
//!
//! A model with additions of ours is translated where that changes nothing but the words ([`rumur`]).
//! Without symmetry: if it passes, both count the same states and the same firings; if it does not,
//! both find something. Where rumur tries all permutations, it counts the orbits that brute force
//! finds, and that we find, and fires as many rules; where it sorts, at least these.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

use compile::CompiledModel;
use isonomy::explore::{Deadlock, Exploration, Options, Symmetry, ViolationKind, explore};
use model::checked::{Group, Model};
use model::{Definition, check};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::headers::fixtures;
use support::measured::measure;
use support::needs;
use support::orbits::{Graph, Orbits};
use support::rumur::{self, Reduction, Report, Verifier, report, translated};
use support::spin::{self, Aim, Pan};

/// Fixtures about which we and rumur differ, and what rumur does.
const DIFFERENT: [(&str, &str); 2] = [
    ("fault_recursion", "the verifier's stack overflows"),
    ("tiny_quantifier_order", "an undefined read counts before an instance that decides"),
];

/// Fixtures with index types that rumur does not permute, or not everywhere.
const NOT_PERMUTED: [&str; 2] = ["tiny_anonymous_index", "tiny_renamed_scalarset"];

/// Models with several representatives of an orbit where rumur sorts; N, orbits, and what it finds.
const SORTED: [(&str, u32, u64, u64); 4] = [
    ("follower_graph", 4, 3044, 65_536),
    ("pointer_graph", 4, 19, 256),
    ("mcs_lock_stepwise", 3, 1285, 1369),
    ("mcs_lock_stepwise", 4, 23_636, 32_072),
];

/// Fixtures with Promela versions, which benches compare us with; N, and what only these have: states before
/// the first one of ours, and transitions out of them.
const PROMELA: [(&str, u32, u64, u64); 7] = [
    ("peterson", 2, 0, 0),
    ("peterson", 4, 0, 0),
    ("chang_roberts", 4, 1, 24),
    ("dining_philosophers", 6, 0, 0),
    ("mcs_lock_stepwise", 3, 0, 0),
    ("ticket_lock", 5, 0, 0),
    ("database_managers", 6, 0, 0),
];

/// Models that end or stutter, and whether that counts as a deadlock: stuck, stuttering.
const ENDINGS: [(&str, &str, [bool; 2]); 4] = [
    (
        "goes_on",
        "var x: boolean; startstate x := true; end; rule begin x := !x; end;",
        [false, false],
    ),
    ("ends", "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end;", [true, true]),
    (
        "stutters",
        "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end;
         rule x = 3 ==> x := 3; end;",
        [false, true],
    ),
    (
        "is_abandoned",
        "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end;
         rule x = 3 ==> x := 0; assume x > 0; end;",
        [true, true],
    ),
];

#[test]
fn fixtures_are_counted_alike() {
    let Some(folder) = folder("fixtures") else { return };
    let all = fixtures();
    let refused = AtomicUsize::new(0);
    let passed = AtomicUsize::new(0);
    by_two(all.len(), |k| {
        let fixture = &all[k];
        if DIFFERENT.iter().any(|(name, _)| *name == fixture.name) {
            return;
        }
        let text = translated(&fixture.text, &[]);
        for deadlock in [Deadlock::Stuttering, Deadlock::Off] {
            let verifier =
                Verifier::new(&folder, &fixture.name, &text, deadlock, Reduction::Off, "-O1");
            let Ok(verifier) = verifier else {
                refused.fetch_add(1, Ordering::Relaxed);
                return;
            };
            let theirs = run(&verifier);
            let ours = explored(&fixture.model(&[]), deadlock, Symmetry::Off);
            passed.fetch_add(usize::from(ours.violations.is_empty()), Ordering::Relaxed);
            agree(&format!("{}, deadlock {deadlock:?}", fixture.name), &ours, theirs);
            // What only ends is counted without looking for deadlocks.
            if ours.violations.iter().all(|one| one.kind != ViolationKind::Deadlock) {
                return;
            }
        }
    });
    let (refused, passed) = (refused.into_inner(), passed.into_inner());
    eprintln!("{} fixtures, {refused} refused by rumur, {passed} counted alike", all.len());
    assert!(passed > 35, "only {passed} fixtures were compared, {refused} refused");
}

#[test]
fn deadlocks_mean_the_same() {
    let Some(folder) = folder("deadlocks") else { return };
    by_two(ENDINGS.len() * 3, |k| {
        let (name, text, [stuck, stuttering]) = ENDINGS[k / 3];
        let (deadlock, expected) =
            [(Deadlock::Off, false), (Deadlock::Stuck, stuck), (Deadlock::Stuttering, stuttering)]
                [k % 3];
        let file = format!("{name}_{}", k % 3);
        let verifier = Verifier::new(&folder, &file, text, deadlock, Reduction::Off, "-O1");
        let verifier = verifier.expect("plain Murphi");
        let model = check(text, &[]).expect("a model");
        let ours = explored(&model, deadlock, Symmetry::Off);
        let context = format!("{name}, deadlock {deadlock:?}");
        assert_eq!(ours.violations.is_empty(), !expected, "{context}: {:?}", ours.violations);
        agree(&context, &ours, run(&verifier));
    });
}

#[test]
fn orbits_are_counted_alike() {
    let Some(folder) = folder("orbits") else { return };
    let all = fixtures();
    let (compared, not_canonical) = (AtomicUsize::new(0), AtomicUsize::new(0));
    by_two(all.len(), |k| {
        let fixture = &all[k];
        let model = fixture.model(&[]);
        let is_reduced = model.symmetries.iter().all(|one| one.group != Group::Trivial);
        let is_different = DIFFERENT.iter().any(|(name, _)| *name == fixture.name);
        let is_known = !is_different && !NOT_PERMUTED.contains(&&*fixture.name);
        if model.symmetries.is_empty() || !is_reduced || !is_known {
            return;
        }
        let text = translated(&fixture.text, &[]);
        let theirs = |reduction| {
            let name = format!("{}_{reduction:?}", fixture.name);
            let verifier = Verifier::new(&folder, &name, &text, Deadlock::Off, reduction, "-O1");
            run(&verifier.ok()?).filter(|report| report.passes)
        };
        // What is refused, or does not pass, is compared elsewhere.
        let Some(exhaustive) = theirs(Reduction::Exhaustive) else { return };
        let heuristic = theirs(Reduction::Heuristic)
            .unwrap_or_else(|| panic!("{} passes for all permutations only", fixture.name));
        let graph = Graph::of(&model, Deadlock::Off, true, 40_000).expect("a small fixture");
        let orbits = Orbits::of(&model, &graph).representatives().count() as u64;
        let ours = explored(&model, Deadlock::Off, Symmetry::Canonical);
        let found = (ours.progress.states, ours.progress.fired);
        assert_eq!(found, (orbits, exhaustive.fired), "{}", fixture.name);
        assert_eq!(exhaustive.states, orbits, "{}", fixture.name);
        assert!(heuristic.states >= orbits, "{}: {heuristic:?}", fixture.name);
        compared.fetch_add(1, Ordering::Relaxed);
        not_canonical.fetch_add(usize::from(heuristic.states > orbits), Ordering::Relaxed);
    });
    let (compared, not_canonical) = (compared.into_inner(), not_canonical.into_inner());
    eprintln!("{compared} fixtures compared; sorting finds more than orbits in {not_canonical}");
    assert!(compared > 15, "only {compared} fixtures were compared");
}

#[test]
fn sorting_finds_more_than_orbits() {
    let Some(folder) = folder("sorting") else { return };
    by_two(SORTED.len() * 2, |k| {
        let (name, n, orbits, sorted) = SORTED[k / 2];
        let (reduction, expected) =
            [(Reduction::Exhaustive, orbits), (Reduction::Heuristic, sorted)][k % 2];
        let all = fixtures();
        let fixture = all.iter().find(|one| one.name == name).expect("a fixture of this name");
        let n = Definition { name: "N".to_owned(), value: n.to_string() };
        let text = translated(&fixture.text, std::slice::from_ref(&n));
        let file = format!("{name}_{k}");
        let verifier = Verifier::new(&folder, &file, &text, Deadlock::Off, reduction, "-O2");
        let report = run(&verifier.expect("plain Murphi")).expect("a small space");
        let context = format!("{name}, {} = {}, {reduction:?}", n.name, n.value);
        assert_eq!(report.states, expected, "{context}");
        let ours = explored(&fixture.model(&[n]), Deadlock::Off, Symmetry::Canonical);
        assert_eq!(ours.progress.states, orbits, "{context}");
    });
}

#[test]
fn promela_versions_are_counted_alike() {
    if !needs::programs(&spin::PROGRAMS) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers/promela");
    let all = fixtures();
    by_two(PROMELA.len(), |k| {
        let (name, n, states, transitions) = PROMELA[k];
        let fixture = all.iter().find(|one| one.name == name).expect("a fixture of this name");
        let definition = Definition { name: "N".to_owned(), value: n.to_string() };
        let ours = explored(&fixture.model(&[definition]), Deadlock::Off, Symmetry::Off);
        let context = format!("{name}, N = {n}");
        let pan = Pan::new(&folder, name, n, Aim::States, "-O1");
        let theirs = spin::report(&measure(&mut pan.command(100_000, 18)).output);
        let theirs = theirs.unwrap_or_else(|| panic!("{context}: Spin gives up"));
        // Spin counts a transition into its first state.
        let expected = (ours.progress.states + states, ours.progress.fired + transitions + 1);
        assert_eq!((theirs.stored, theirs.transitions), expected, "{context}");
    });
}

/// Where verifiers are made; `None` if they cannot be.
fn folder(name: &str) -> Option<PathBuf> {
    if !needs::programs(&rumur::PROGRAMS) {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers").join(name);
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    Some(folder)
}

fn run(verifier: &Verifier) -> Option<Report> {
    report(&measure(&mut verifier.command()).output)
}

fn explored(model: &Model, deadlock: Deadlock, symmetry: Symmetry) -> Exploration {
    let options = Options { deadlock, expand_violating: false, symmetry, ..Options::default() };
    explore(&CompiledModel::new(model), &options, &isonomy::Watch::none())
}

fn agree(context: &str, ours: &Exploration, theirs: Option<Report>) {
    let theirs = theirs.unwrap_or_else(|| panic!("{context}: rumur's verifier gives up"));
    assert_eq!(ours.violations.is_empty(), theirs.passes, "{context}: {:?}", ours.violations);
    if theirs.passes {
        let ours = (ours.progress.states, ours.progress.fired);
        assert_eq!(ours, (theirs.states, theirs.fired), "{context}: states and firings");
    }
}

/// Does 0 to `count` - 1, two at a time; reports all that panic.
fn by_two(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count {
                        return;
                    }
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(k))).is_err() {
                        *failed.lock().expect("nobody panics with it") += 1;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics with it");
    assert_eq!(failed, 0, "{failed} of {count} are not alike");
}
