//! Whole outputs and whole messages, byte for byte.
//!
//! Each case is a command line; what it prints is kept in `fixtures/golden`. `BLESS=1` rewrites the
//! files, for a difference that was looked at and wanted.

use super::binary::{Run, isonomy, run};
use support::golden;

/// Where a command prints what is compared. A result comes without a message.
#[derive(Clone, Copy, PartialEq)]
enum Stream {
    Out,
    Err,
}
use Stream::{Err, Out};

/// File, stream, exit code, arguments.
const CASES: &[(&str, Stream, i32, &[&str])] = &[
    ("response.dot", Out, 0, &["automaton", "G(request -> F grant)"]),
    (
        "response.buchi.dot",
        Out,
        0,
        &["automaton", "G(request -> F grant)", "--acceptance", "buchi"],
    ),
    ("response.svg", Out, 0, &["automaton", "G(request -> F grant)", "--format", "svg"]),
    (
        "until.svg",
        Out,
        0,
        &["automaton", "(a U b) & G(c -> X d)", "--format", "svg", "--acceptance", "buchi"],
    ),
    ("response.hoa", Out, 0, &["automaton", "G(request -> F grant)", "--format", "hoa"]),
    ("response.json", Out, 0, &["automaton", "G(request -> F grant)", "--format", "json"]),
    (
        "response.never",
        Out,
        0,
        &["automaton", "G(request -> F grant)", "--format", "never", "--negate"],
    ),
    ("events.hoa", Out, 0, &["automaton", "@send(c) -> F @receive(c)", "--format", "hoa"]),
    ("fairness.dot", Out, 0, &["automaton", "GF a & GF b & GF c"]),
    ("fairness.svg", Out, 0, &["automaton", "GF a & GF b & GF c", "--format", "svg"]),
    ("bad-formula.txt", Err, 2, &["automaton", "G (p -> )"]),
    ("bad-file.txt", Err, 2, &["formula", "--file", "fixtures/bad.ltl", "--classify"]),
    ("bad-hoa.txt", Err, 2, &["automaton", "--hoa-in", "fixtures/bad.hoa"]),
    ("bad-other.txt", Err, 2, &["formula", "a", "--implies", "a U"]),
    ("never-events.txt", Err, 2, &["automaton", "F @send(c)", "--format", "never"]),
    ("never-tgba.txt", Err, 2, &["automaton", "a", "--format", "never", "--acceptance", "tgba"]),
    ("negate-hoa.txt", Err, 2, &["automaton", "--negate", "--hoa-in", "fixtures/bad.hoa"]),
    ("limit.txt", Err, 3, &["automaton", "a U (b U c)", "--max-states", "1"]),
];

#[test]
fn outputs_are_those_that_were_looked_at() {
    let mut kept = golden::Folder::new("fixtures/golden");
    for (file, stream, code, arguments) in CASES {
        let Run { code: found_code, out, err } = run(isonomy(arguments), b"");
        let (found, other) = if *stream == Out { (out, err) } else { (err, out) };
        assert_eq!(found_code, Some(*code), "isonomy {arguments:?}: {found}{other}");
        assert!(*stream == Err || other.is_empty(), "isonomy {arguments:?}: {other}");
        kept.compare(file, "", &found);
    }
    kept.finish_with_all();
}
