//! Any bytes as a command line.

#![no_main]

use suites::fuzzed::{commands, program};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| commands::check(program::asked(), bytes));
