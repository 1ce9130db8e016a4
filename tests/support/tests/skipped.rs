//! The list of tests that were skipped, at the end of a run of all tests.
//!
//! Cargo runs the tests of packages in the order of their names, so that this is among the last. It is not run by
//! `cargo test --test cli` and the like: then there are only the lines that skipped tests write themselves.
#![allow(clippy::print_stdout, reason = "this is what it does")]

fn main() {
    // A program that asks for the names of tests finds none here.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let skipped = support::needs::recorded();
    if skipped.is_empty() {
        println!("\nno test was skipped\n");
        return;
    }
    println!("\nskipped:");
    for line in skipped {
        println!("  {line}");
    }
    println!();
}
