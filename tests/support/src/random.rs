//! Random models with something to permute.
#![allow(clippy::print_stderr, reason = "a failure names its model")]

use super::many::{cases, in_parallel};
use isonomy::model::check;
use isonomy::model::checked::{Group, Model};
use isonomy::model::generate::{self, Options};
use std::panic::AssertUnwindSafe;

/// Calls `test` with the random models of so many seeds that have a symmetry, on all processors;
/// `ISONOMY_CASES` says how many instead.
pub fn each_model(default: u64, test: impl Fn(&str, &Model) + Sync) {
    in_parallel(cases(default), |seed| {
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
