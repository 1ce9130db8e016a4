//! The corpora of the fuzz targets, and bytes at random, for ordinary tests.
#![allow(clippy::print_stderr, reason = "a failure names its input")]

use run::SplitMix64;
use std::fs;
use std::panic::AssertUnwindSafe;

/// Calls `check` with every file of the corpus of a target.
pub fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = crate::root().join("fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("the target has a corpus");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() > 5, "{}: {} files", folder.display(), files.len());
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        named(&file.display().to_string(), || check(&bytes));
    }
}

/// Calls `check` with bytes at random that stand for choices.
pub fn at_random(count: u64, check: impl Fn(&[u8])) {
    for seed in 0..count {
        let mut random = SplitMix64::new(seed);
        let mut bytes = vec![0x80 | random.below(128) as u8];
        for _ in 0..random.below(40) {
            bytes.push(random.next() as u8);
        }
        named(&format!("seed {seed}"), || check(&bytes));
    }
}

/// A panic does not say of which input.
fn named(input: &str, check: impl FnOnce()) {
    if let Err(panic) = std::panic::catch_unwind(AssertUnwindSafe(check)) {
        eprintln!("of {input}");
        std::panic::resume_unwind(panic);
    }
}
