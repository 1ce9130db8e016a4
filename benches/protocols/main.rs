//! How fast are systems that are written in Rust?
//!
//! `cargo bench --bench protocols` searches all states of two-phase commit, in one thread, in turns:
//! Stateright's breadth-first search on the system as its users write it and on a version that is tuned
//! for it, our check of the same system as a protocol without symmetry, and as a model text. All check
//! one invariant, which holds. Counts of states must be the same, or the bench fails. The best of
//! several rounds counts. Then the same protocol with symmetry, whose stored states must be as many as
//! there are orbits. Arguments are numbers of resource managers.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::cast_precision_loss, reason = "figures of three digits")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod published;
mod tuned;
mod typed;

use engine::symmetry::Reduction;
use isonomy::model::{Definition, check as check_model};
use isonomy::protocol::{Verification, check};
use isonomy::{CompiledModel, Deadlock, ExploreOptions, Watch, explore};
use stateright::{Checker, Model};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The rounds of which the best counts.
const ROUNDS: usize = 5;

fn main() {
    let sizes: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![5, 7, 8] } else { sizes };
    println!("two-phase commit, one thread, thousand states per second (best of {ROUNDS})\n");
    println!(
        "{:>2} {:>10} {:>10} {:>10} {:>10} {:>10}   protocol / published, tuned, model text",
        "N", "states", "published", "tuned", "protocol", "model text"
    );
    for &size in &sizes {
        row(size);
    }
    println!("\nwith symmetry\n\n{:>2} {:>12} {:>10} {:>10}", "N", "states", "stored", "orbits");
    for &size in &sizes {
        orbits(size);
    }
}

/// The same system in all versions.
fn row(size: usize) {
    let text = {
        let definition = Definition { name: "N".to_owned(), value: size.to_string() };
        check_model(typed::TEXT, &[definition]).expect("the model has no errors")
    };
    let versions: [(&str, &dyn Fn() -> u64); 4] = [
        ("published", &|| {
            let found = published::TwoPhase { managers: size }.checker().threads(1).spawn_bfs();
            found.join().unique_state_count() as u64
        }),
        ("tuned", &|| {
            let found = tuned::TwoPhase { managers: size as u32 }.checker().threads(1).spawn_bfs();
            found.join().unique_state_count() as u64
        }),
        ("protocol", &|| {
            let check = check(typed::TwoPhase { managers: size }).symmetry(false);
            let report = check.verify(Verification::Off).threads(1).run().expect("a verdict");
            assert!(report.holds(), "{report}");
            report.answers()[0].representatives().expect("states are counted")
        }),
        ("model text", &|| {
            let (symmetry, deadlock) = (Reduction::Off, Deadlock::Off);
            let options = ExploreOptions { symmetry, deadlock, ..ExploreOptions::default() };
            let found = explore(&CompiledModel::new(&text), &options, &Watch::none());
            assert!(found.violations.is_empty(), "consistent");
            found.progress.states
        }),
    ];
    let mut best = [Duration::MAX; 4];
    let mut states = None;
    for _ in 0..ROUNDS {
        for (best, (name, search)) in best.iter_mut().zip(&versions) {
            let start = Instant::now();
            let found = search();
            *best = start.elapsed().min(*best);
            assert_eq!(*states.get_or_insert(found), found, "{name}, N = {size}");
        }
    }
    let states = states.expect("there are rounds");
    let speed = best.map(|time| states as f64 / time.as_secs_f64() / 1000.0);
    let [published, tuned, protocol, text] = speed;
    println!(
        "{size:>2} {states:>10} {published:>10.0} {tuned:>10.0} {protocol:>10.0} {text:>10.0}   \
         {:.2} {:.2} {:.2}",
        protocol / published,
        protocol / tuned,
        protocol / text
    );
}

/// The stored states with symmetry, and the number of orbits.
fn orbits(size: usize) {
    let check = check(typed::TwoPhase { managers: size }).threads(1);
    let counts = check.verify(Verification::Off).count().expect("counts");
    let orbits = reachable_orbits(size);
    let (states, stored) = (&counts.states, counts.representatives);
    println!("{size:>2} {states:>12} {stored:>10} {orbits:>10}");
    assert_eq!(stored, orbits as u64, "stored states are orbits, N = {size}");
}

/// The number of orbits, counted by other means: all states of the tuned version are reached, and the
/// triples of phase, said and heard of their managers are sorted.
fn reachable_orbits(size: usize) -> usize {
    let model = tuned::TwoPhase { managers: size as u32 };
    let mut known: HashSet<tuned::Commit> = model.init_states().into_iter().collect();
    let mut open: Vec<tuned::Commit> = known.iter().copied().collect();
    while let Some(state) = open.pop() {
        for next in model.next_states(&state) {
            if known.insert(next) {
                open.push(next);
            }
        }
    }
    known.iter().map(|state| state.sorted(size as u8)).collect::<HashSet<_>>().len()
}
