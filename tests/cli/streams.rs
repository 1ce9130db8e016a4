//! Results that cannot be written, and messages that cannot.

use super::binary::{Run, into_closed_pipe, isonomy, run, scratch, transcript};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

const MUTEX: &str = "fixtures/cli/mutex.m";
const VIOLATED: &str = "F false";

/// Commands that print something: arguments, and standard input.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["--help"], ""),
    (&["--version"], ""),
    (&["check", "--help"], ""),
    (&["man"], ""),
    (&["completions", "bash"], ""),
    (&["describe", MUTEX], ""),
    (&["describe", MUTEX, "--format", "json"], ""),
    (&["print", MUTEX], ""),
    (&["explore", MUTEX], ""),
    (&["explore", MUTEX, "--format", "json"], ""),
    (&["check", MUTEX], ""),
    (&["check", MUTEX, VIOLATED], ""),
    (&["check", MUTEX, VIOLATED, "--format", "json"], ""),
    (&["check", MUTEX, "--progress", "always", "--stats", "--log", "debug"], ""),
    (&["simulate", MUTEX], "1\n1\n"),
    (&["simulate", MUTEX, "--random", "7", "--steps", "5"], ""),
    (&["simulate", MUTEX, "--random", "7", "--steps", "5", "--format", "json"], ""),
    (&["automaton", "G F a"], ""),
    (&["automaton", "G F a", "--format", "svg"], ""),
    (&["automaton", "G F a", "--format", "hoa"], ""),
    (&["automaton", "G F a", "--format", "never"], ""),
    (&["automaton", "G F a", "--format", "json"], ""),
    (&["automaton", "--file", "-", "--format", "stats", "--header"], "a U b\nG a\n"),
    (&["formula", "G F a"], ""),
    (&["formula", "G F a", "--classify"], ""),
    (&["formula", "G F a", "--implies", "F a"], ""),
    (&["formula", "G F a", "--equivalent-to", "F a"], ""),
];

/// Runs a command with streams that a shell redirects.
fn redirected(arguments: &[&str], input: &str, how: &str) -> Run {
    let mut command = Command::new("sh");
    let line = format!("exec \"$0\" \"$@\" {how}");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_isonomy")]).args(arguments);
    command.current_dir(support::root());
    for variable in ["ISONOMY_LOG", "ISONOMY_PROGRESS_MS", "NO_COLOR", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    run(command, input.as_bytes())
}

/// A file with a counterexample.
fn result_file() -> String {
    let found = run(isonomy(&["check", MUTEX, VIOLATED, "--format", "json"]), b"");
    let file = scratch("result.json");
    fs::write(&file, found.out).expect("a file");
    file.to_str().expect("a path").to_owned()
}

#[test]
fn results_that_cannot_be_written_are_an_error() {
    let result = result_file();
    let replay: (&[&str], &str) = (&["replay", MUTEX, &result], "");
    for (arguments, input) in COMMANDS.iter().chain([&replay]) {
        for (how, reason) in [
            (">/dev/full", "no space left on device"),
            (">&-", "it is closed"),
            ("1</dev/null", "bad file descriptor"),
        ] {
            let found = redirected(arguments, input, how);
            let message = format!("error: cannot write to `standard output`: {reason}\n");
            assert!(
                found.code == Some(2) && found.err.contains(&message),
                "isonomy {arguments:?} {how}: exit {:?}\n{}",
                found.code,
                transcript(&found)
            );
        }
        // To throw results away is no error, and neither is a reader that has gone.
        for how in [">/dev/null", "1<>/dev/null"] {
            let expected = run(isonomy(arguments), input.as_bytes());
            let found = redirected(arguments, input, how);
            assert_eq!(found.code, expected.code, "isonomy {arguments:?} {how}\n{}", found.err);
        }
        let found = redirected(arguments, input, "| true");
        assert_eq!(found.code, Some(0), "isonomy {arguments:?} | true");
        assert!(!found.err.contains("cannot"), "isonomy {arguments:?} | true\n{}", found.err);
    }
}

/// If the reader goes away, the run ends quietly, and its exit code says what is known.
#[test]
fn verdicts_do_not_need_a_reader() {
    let result = result_file();
    let wrong = scratch("wrong.json");
    let text = fs::read_to_string(&result).expect("the file is there");
    fs::write(&wrong, text.replace("true", "false")).expect("a file");
    let wrong = wrong.to_str().expect("a path");
    let more: [(&[&str], &str); 4] = [
        (&["replay", MUTEX, &result], ""),
        (&["replay", MUTEX, wrong], ""),
        (&["check", MUTEX, "--max-states", "1"], ""),
        (&["check", MUTEX, "--timeout", "0"], ""),
    ];
    let mut codes = Vec::new();
    for (arguments, input) in COMMANDS.iter().chain(&more).filter(|(_, input)| input.is_empty()) {
        let expected = run(isonomy(arguments), input.as_bytes());
        let found = into_closed_pipe(arguments);
        let said = String::from_utf8_lossy(&found.stderr);
        assert_eq!(found.status.code(), expected.code, "isonomy {arguments:?} | true\n{said}");
        assert!(!said.contains("standard output"), "isonomy {arguments:?} | true\n{said}");
        codes.extend(expected.code);
    }
    for code in [0, 1, 3] {
        assert!(codes.contains(&code), "{codes:?}");
    }
}

#[test]
fn programs_are_told_too() {
    let arguments = ["describe", MUTEX, "--message-format", "json"];
    for how in [">/dev/full", ">&-"] {
        let found = redirected(&arguments, "", how);
        let message: Value = serde_json::from_str(&found.err).expect("a message");
        assert_eq!(message["kind"], "file", "{message}");
        assert_eq!(found.code, Some(2));
    }
}

/// Whether messages can be written makes no difference, and least of all a panic.
#[test]
fn messages_that_cannot_be_written_are_lost() {
    let result = result_file();
    let more: [(&[&str], &str); 5] = [
        (&["replay", MUTEX, &result], ""),
        (&["describe", "-"], "var x: 0..; rule \"a"),
        (&["check", MUTEX, "G"], ""),
        (&["nothing"], ""),
        (&["check", MUTEX, "--max-states", "1"], ""),
    ];
    for (arguments, input) in COMMANDS.iter().chain(&more) {
        let expected = run(isonomy(arguments), input.as_bytes());
        for how in ["2>/dev/full", "2>&-"] {
            let found = redirected(arguments, input, how);
            let lines = |run: &Run| run.out.lines().count();
            assert!(
                found.code == expected.code && lines(&found) == lines(&expected),
                "isonomy {arguments:?} {how}: exit {:?}\n{}",
                found.code,
                transcript(&found)
            );
        }
        let is_printed = !expected.out.is_empty();
        let found = redirected(arguments, input, ">&- 2>&-");
        let code = if is_printed { Some(2) } else { expected.code };
        assert_eq!(found.code, code, "isonomy {arguments:?} with neither stream");
    }
}

#[test]
fn files_that_cannot_be_written_are_an_error() {
    for (command, option, ending) in [
        ("check", "--report", "html"),
        ("check", "--trace", "json"),
        ("check", "--trace", "jsonl"),
        ("check", "--trace", "folded"),
        ("explore", "--dot", "dot"),
        ("explore", "--svg", "svg"),
    ] {
        let full = scratch(&format!("full.{ending}"));
        symlink("/dev/full", &full).expect("a link");
        let name = full.to_str().expect("a path");
        let expected = run(isonomy(&[command, MUTEX]), b"");
        assert!(!expected.out.is_empty(), "{}", transcript(&expected));
        let found = run(isonomy(&[command, MUTEX, option, name]), b"");
        let message = format!("error: cannot write `{name}`: no space left on device\n");
        assert!(
            found.code == Some(2)
                && found.err.contains(&message)
                && found.out.lines().count() == expected.out.lines().count(),
            "{option} {ending}: exit {:?}\n{}",
            found.code,
            transcript(&found)
        );
    }
}

/// What goes to files is written even if nobody reads standard output.
#[test]
fn files_are_written_without_standard_output() {
    for (command, option, ending) in
        [("check", "--report", "html"), ("explore", "--dot", "dot"), ("explore", "--svg", "svg")]
    {
        for (how, code) in [(">&-", 2), (">/dev/full", 2), ("| true", 0)] {
            let file = scratch(&format!("written.{ending}"));
            let name = file.to_str().expect("a path");
            let found = redirected(&[command, MUTEX, option, name], "", how);
            assert_eq!(found.code, Some(code), "{option} {how}\n{}", transcript(&found));
            // Behind a pipe, the shell does not wait for the command.
            if how != "| true" {
                let written = fs::read_to_string(&file).expect("it was written");
                assert!(written.len() > 100, "{option} {how}\n{written}");
            }
        }
    }
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let file = scratch("read.html");
    let mut command = isonomy(&["check", MUTEX, "--report", file.to_str().expect("a path")]);
    let done = command.stdin(Stdio::null()).stdout(writer).output().expect("it starts");
    // The exit code is that of the verdicts.
    assert_eq!(done.status.code(), Some(1));
    assert!(fs::read_to_string(&file).expect("it was written").len() > 1000);
}
