//! Any bytes as a model.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| suites::fuzzed::models::check(bytes));
