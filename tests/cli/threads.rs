//! The same output for any number of threads, times and memory aside: all fixtures by elimination.

use super::binary::{isonomy, run};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::headers::{Fixture, fixtures};
use support::many::in_parallel;

/// How each fixture is checked.
const WAYS: [&[&str]; 5] = [
    &["--fairness", "none"],
    &["--fairness", "weak", "--format", "json"],
    &["--fairness", "strong", "--fair-over", "event", "--format", "json"],
    &["--fairness", "weak", "--symmetry", "off", "--format", "json"],
    &["--fairness", "global", "--format", "json"],
];

const THREADS: [&str; 4] = ["1", "2", "3", "8"];

/// What is printed, with each measured number replaced.
fn masked(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(before) = before_time(line) {
            found += before.trim_end();
            found += "\n";
            continue;
        }
        let mut rest = line;
        while let Some(at) = end_of_key(rest) {
            found += &rest[..at];
            rest = rest[at..].trim_start_matches(|digit: char| digit.is_ascii_digit());
        }
        found += rest;
    }
    found
}

/// What is before a time at the end of a line.
fn before_time(line: &str) -> Option<&str> {
    let (before, number) = line.trim_end().strip_suffix(" s")?.rsplit_once(' ')?;
    number.parse::<f64>().is_ok().then_some(before)
}

/// Where the first key of a measured number ends.
fn end_of_key(text: &str) -> Option<usize> {
    let keys = ["\"time_us\":", "\"peak_memory_bytes\":", "\"peak_rss_bytes\":"];
    keys.iter().filter_map(|key| text.find(key).map(|at| at + key.len())).min()
}

/// Checks a fixture in one way with each number of threads. Returns whether a formula was answered
/// by elimination, and whether one was violated.
fn compare(fixture: &Fixture, way: &[&str]) -> (bool, bool) {
    let outputs = THREADS.map(|threads| {
        let mut arguments = vec!["check", &*fixture.file, "--engine", "sets"];
        arguments.extend(["--max-states", "20000", "--threads", threads]);
        arguments.extend(way);
        let found = run(isonomy(&arguments), b"");
        (found.code, masked(&found.out), found.err)
    });
    for (threads, output) in THREADS.iter().zip(&outputs) {
        assert_eq!(output, &outputs[0], "{} {way:?} with {threads} threads", fixture.file);
    }
    let [(code, out, _), ..] = &outputs;
    (out.contains("\"engine\":\"sets\""), *code == Some(1))
}

#[test]
fn fixtures_by_elimination_print_the_same_for_any_number_of_threads() {
    let fixtures = fixtures();
    let (by_sets, violated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    in_parallel((fixtures.len() * WAYS.len()) as u64, |k| {
        let k = k as usize;
        let (is_by_sets, is_violated) = compare(&fixtures[k / WAYS.len()], WAYS[k % WAYS.len()]);
        by_sets.fetch_add(usize::from(is_by_sets), Ordering::Relaxed);
        violated.fetch_add(usize::from(is_violated), Ordering::Relaxed);
    });
    let [by_sets, violated] = [by_sets, violated].map(AtomicUsize::into_inner);
    assert!(by_sets > 80 && violated > 40, "{by_sets} by elimination, {violated} violated");
}

#[test]
fn measures_are_masked_and_nothing_else() {
    assert_eq!(
        masked("{\"time_us\":12,\"n\":3,\"peak_rss_bytes\":456}\n  time      0.1 s\nholds\n"),
        "{\"time_us\":,\"n\":3,\"peak_rss_bytes\":}\n  time\nholds\n"
    );
}
