//! Any bytes as a formula.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| suites::fuzzed::formulas::check(bytes));
