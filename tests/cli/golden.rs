//! Whole outputs and whole messages, byte for byte.
//!
//! Each case is a command line; what it prints is kept in `fixtures/golden`. `BLESS=1` rewrites the
//! files, for a difference that was looked at and wanted.

use super::binary::{Run, isonomy, run, scratch};
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
    // What people try who come from elsewhere: the message says what to write.
    ("mistake-words.txt", Err, 2, &["check", LOCK, "G", "F", "lent=1"]),
    ("mistake-parentheses.txt", Err, 2, &["check", LOCK, "G(lent=0", "|", "lent=1)"]),
    ("mistake-arrow.txt", Err, 2, &["check", LOCK, "G(lent=0", "->", "F lent=1)"]),
    ("mistake-index-value.txt", Err, 2, &["check", LOCK, "F @request(client_0)"]),
    ("mistake-leads-to.txt", Err, 2, &["check", LOCK, "lent = 1 ~> lent = 2"]),
    ("mistake-for-all.txt", Err, 2, &["check", LOCK, "\\A c \\in client: F @request(c)"]),
    ("mistake-small-letters.txt", Err, 2, &["check", LOCK, "g f (lent = 1)"]),
    ("mistake-word.txt", Err, 2, &["check", LOCK, "always lent < 4"]),
    ("mistake-and.txt", Err, 2, &["check", LOCK, "F lent = 1 and F lent = 2"]),
    ("mistake-past.txt", Err, 2, &["check", LOCK, "G (lent = 1 -> O lent = 0)"]),
    ("mistake-since.txt", Err, 2, &["check", LOCK, "lent < 2 S lent = 0"]),
    ("mistake-ltl-block.txt", Err, 2, &["check", LOCK, "ltl p { [] lent = 0 }"]),
    ("mistake-label.txt", Err, 2, &["check", LOCK, "F st[client_0]@Working"]),
    ("mistake-workers.txt", Err, 2, &["check", LOCK, "--workers", "2"]),
    ("mistake-option.txt", Err, 2, &["check", LOCK, "--frobnicate"]),
    ("mistake-second-model.txt", Err, 2, &["check", LOCK, "fixtures/cli/mutex.m"]),
    ("mistake-formula-as-name.txt", Err, 2, &["check", LOCK, "-p", "G F lent = 1"]),
    ("mistake-explore-formula.txt", Err, 2, &["explore", LOCK, "G F lent = 1"]),
    ("mistake-explore-two.txt", Err, 2, &["explore", LOCK, "fixtures/cli/mutex.m"]),
    ("mistake-number.txt", Err, 2, &["check", LOCK, "--max-states", "many"]),
    ("mistake-time.txt", Err, 2, &["check", LOCK, "--timeout", "soon"]),
    ("mistake-promela.txt", Err, 2, &["check", "fixtures/foreign/lock.pml"]),
    ("mistake-tla.txt", Err, 2, &["check", "fixtures/foreign/counter.tla"]),
    ("mistake-pluscal.txt", Err, 2, &["print", "fixtures/foreign/peterson.tla"]),
    ("mistake-smv.txt", Err, 2, &["describe", "fixtures/foreign/toggle.smv"]),
];

const LOCK: &str = "fixtures/cli/lock.m";

/// Ways to write a time and a number, all of which are accepted.
#[test]
fn times_and_numbers_have_several_forms() {
    for option in [
        ["--timeout", "90"],
        ["--timeout", "10m"],
        ["--timeout", "1h30m"],
        ["--timeout", "20000ms"],
        ["--max-states", "1e6"],
        ["--max-states", "1_000_000"],
    ] {
        let arguments = [&["check", LOCK, "-p", "exclusion"], &option[..]].concat();
        let Run { code, err, .. } = run(isonomy(&arguments), b"");
        assert_eq!((code, &err[..]), (Some(0), ""), "{option:?}");
    }
}

/// The text of a check or an exploration without times is the same each time, and is that with times
/// otherwise.
#[test]
fn times_can_be_left_out() {
    for command in [&["check", LOCK][..], &["check", LOCK, "-p", "exclusion"], &["explore", LOCK]] {
        let timed = run(isonomy(command), b"").out;
        let untimed = run(isonomy(&[command, &["--no-time"]].concat()), b"").out;
        assert!(timed.contains("  time ") && !untimed.contains("time"), "{untimed}");
        let kept = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with("  time "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let (timed, untimed) = (kept(&timed), kept(&untimed));
        assert_eq!(timed.len(), untimed.len(), "{untimed:?}");
        for (with, without) in timed.iter().zip(&untimed) {
            assert!(with.starts_with(without.trim_end()), "{with}\n{without}");
        }
    }
}

/// `fmt` prints, says what is not formatted, or writes; what is formatted stays as it is.
#[test]
fn models_are_formatted() {
    let file = scratch("untidy.m");
    let name = file.to_str().expect("a name");
    std::fs::write(&file, "var x:boolean;-- kept\nstartstate x:=false end;").expect("written");
    let printed = run(isonomy(&["print", name]), b"");
    let formatted = run(isonomy(&["fmt", name]), b"");
    assert_eq!((formatted.code, &formatted.out), (Some(0), &printed.out));
    let list = format!("{name}\n");
    let asked = |option| {
        let Run { code, out, err } = run(isonomy(&["fmt", option, name]), b"");
        (code, out, err)
    };
    assert_eq!(asked("--check"), (Some(1), list.clone(), String::new()));
    assert_eq!(asked("--write"), (Some(0), list, String::new()));
    assert_eq!(std::fs::read_to_string(&file).expect("a text"), printed.out);
    assert_eq!(asked("--check"), (Some(0), String::new(), String::new()));
    assert_eq!(asked("--write"), (Some(0), String::new(), String::new()));
    let both = run(isonomy(&["fmt", "--check", "fixtures/errors/missing_end.m", name]), b"");
    assert_eq!((both.code, &both.out[..]), (Some(2), ""));
    assert!(both.err.contains("missing_end.m"), "{}", both.err);
}

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
