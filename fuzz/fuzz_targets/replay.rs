//! Any bytes as a file of results.

#![no_main]

use suites::fuzzed::{program, replays};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| replays::check(program::asked(), bytes));
