//! Any bytes as automata in the HOA format.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| suites::fuzzed::hoa::check(bytes));
