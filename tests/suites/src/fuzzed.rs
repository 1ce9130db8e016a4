//! Inputs out of arbitrary bytes, and what must be true of the program for each of them.
//!
//! One module per fuzz target. The fuzzers in `fuzz/` call these functions with bytes of their own, and an ordinary test
//! with those of `fuzz/corpus`. Bytes that begin with ASCII are the input itself, so that a fuzzer may change it letter by
//! letter and people can write corpora. Other bytes are choices ([`choices`]): which valid input to begin with, and what to
//! do to its [`tokens`], so that most of what is made has the right structure.

pub mod certificates;
pub mod choices;
pub mod commands;
pub mod formulas;
pub mod hoa;
pub mod models;
pub mod program;
pub mod replays;
pub mod tokens;

use ltl::Diagnostic;
use ltl::source::{Colour, Source};
use std::thread;

/// Bytes of stack: syntax trees are walked by recursion. The program takes as much.
const STACK: usize = 64 << 20;

/// Runs a check on a thread with a large stack.
fn with_large_stack(check: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let running = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, check);
        let outcome = running.expect("a thread can be started").join();
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// A message must be about places of the text, and can be shown.
fn check_message(text: &str, message: &Diagnostic) {
    let places = message.related.iter().map(|(place, _)| place).chain([&message.span]);
    for place in places {
        assert!(text.get(place.start..place.end).is_some(), "{message:?} about {text:?}");
    }
    let shown = Source::new("input", text).render(message, Colour::Off);
    assert!(shown.contains('^'), "{shown}");
}
