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
        // What is no model has tests of its own.
        let Some((context, model)) = model(seed) else { return };
        models.fetch_add(1, Ordering::Relaxed);
        if has_symmetry(&model) {
            symmetric.fetch_add(1, Ordering::Relaxed);
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

/// The random model of a seed if it has a symmetry, after a text for messages.
pub fn symmetric_model(seed: u64) -> Option<(String, Model)> {
    model(seed).filter(|(_, model)| has_symmetry(model))
}

/// The random model of a seed, after a text for messages; none if the generated text is not a model.
fn model(seed: u64) -> Option<(String, Model)> {
    let options = Options { traps: seed.is_multiple_of(8), ..Options::default() };
    let text = generate::model(seed, &options);
    let model = check(&text, &[]).ok()?;
    Some((format!("seed {seed}:\n{text}"), model))
}

/// Whether values of some index type are interchangeable, and there are several.
fn has_symmetry(model: &Model) -> bool {
    let types = model.symmetries.iter().zip(&model.types.index_types);
    types.into_iter().any(|(symmetry, of)| symmetry.group != Group::Trivial && of.size > 1)
}
