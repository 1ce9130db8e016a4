//! Random models with something to permute.

use isonomy::model::check;
use isonomy::model::checked::{Group, Model};
use isonomy::model::generate::{self, Options};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

/// Calls `test` with the random models of so many seeds that have a symmetry, on all processors;
/// `ISONOMY_CASES` says how many instead.
pub(crate) fn each_model(default: u64, test: impl Fn(&str, &Model) + Sync) {
    let cases = std::env::var("ISONOMY_CASES").ok().and_then(|n| n.parse().ok());
    in_parallel(cases.unwrap_or(default), |seed| {
        let options = Options { traps: seed % 8 == 0, ..Options::default() };
        let text = generate::model(seed, &options);
        // What is no model has tests of its own.
        let Ok(model) = check(&text, &[]) else { return };
        let is_moved = |k: usize| {
            model.symmetries[k].group != Group::Trivial && model.types.index_types[k].size > 1
        };
        if (0..model.symmetries.len()).any(is_moved) {
            let context = format!("seed {seed}:\n{text}");
            // What panics inside of the program does not say of which model.
            let run = AssertUnwindSafe(|| test(&context, &model));
            if let Err(panic) = std::panic::catch_unwind(run) {
                eprintln!("of {context}");
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Calls `test` for 0 to `count` - 1, on all processors.
pub(crate) fn in_parallel(count: u64, test: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count {
                        break;
                    }
                    test(k);
                }
            });
        }
    });
}
