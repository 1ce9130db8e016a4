//! Any bytes as the body of a certificate.

#![no_main]

use suites::fuzzed::certificates;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| certificates::check(bytes));
