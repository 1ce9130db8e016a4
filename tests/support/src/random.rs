//! Random models with something to permute.
#![allow(clippy::print_stderr, reason = "a failure names its model")]

use crate::many::{cases, in_parallel};
use model::check;
use model::checked::{Group, Model};
use model::generate::{self, Options};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

/// Calls `test` with the random models of so many seeds that have a symmetry, on all processors;
/// `ISONOMY_CASES` says how many instead. Nearly all texts must be models, and many must have a symmetry.
pub fn each_model(default: u64, test: impl Fn(&str, &Model) + Sync) {
    let texts = cases(default);
    let (models, symmetric) = (AtomicU64::new(0), AtomicU64::new(0));
    in_parallel(texts, |seed| {
        let options = Options { traps: seed % 8 == 0, ..Options::default() };
        let text = generate::model(seed, &options);
        // What is no model has tests of its own.
        let Ok(model) = check(&text, &[]) else { return };
        models.fetch_add(1, Ordering::Relaxed);
        let is_moved = |k: usize| {
            model.symmetries[k].group != Group::Trivial && model.types.index_types[k].size > 1
        };
        if (0..model.symmetries.len()).any(is_moved) {
            symmetric.fetch_add(1, Ordering::Relaxed);
            let context = format!("seed {seed}:\n{text}");
            // What panics inside of the program does not say of which model.
            let run = AssertUnwindSafe(|| test(&context, &model));
            if let Err(panic) = std::panic::catch_unwind(run) {
                eprintln!("of {context}");
                std::panic::resume_unwind(panic);
            }
        }
    });
    let (models, symmetric) = (models.into_inner(), symmetric.into_inner());
    assert!(models * 100 >= texts * 99, "only {models} of {texts} texts are models");
    assert!(symmetric * 4 > models, "only {symmetric} of {models} models have a symmetry");
}
