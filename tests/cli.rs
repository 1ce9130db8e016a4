//! The binary from outside: arguments and input in, exit code and output out.

use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run left behind.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn isonomy(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isonomy"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in ["ISONOMY_LOG", "NO_COLOR", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

fn run(mut command: Command, input: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    // A command that does not read its input closes the pipe: no concern of ours.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// A file name of this test run's own.
fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(format!("{}-{name}", std::process::id()))
}

/// A run, its exit code, and parts of what it prints on standard output and standard error. An
/// empty part means that nothing at all is printed there.
type Case<'a> = (&'a [&'a str], &'a str, i32, &'a str, &'a str);

fn check(cases: &[Case<'_>]) {
    for (arguments, input, code, out, err) in cases {
        let run = run(isonomy(arguments), input.as_bytes());
        let fits = |whole: &str, part: &str| {
            if part.is_empty() { whole.is_empty() } else { whole.contains(part) }
        };
        assert!(
            run.code == Some(*code) && fits(&run.out, out) && fits(&run.err, err),
            "isonomy {arguments:?}: exit {:?}\n--- out\n{}\n--- err\n{}",
            run.code,
            run.out,
            run.err
        );
    }
}

#[test]
fn usage() {
    let version = concat!("isonomy ", env!("CARGO_PKG_VERSION"), "\n");
    check(&[
        (&["--version"], "", 0, version, ""),
        (&["--help"], "", 0, "Exit codes:", ""),
        (&["help", "man"], "", 0, "Usage: isonomy man", ""),
        (&[], "", 2, "", "Usage: isonomy"),
        (&["frobnicate"], "", 2, "", "unrecognized subcommand"),
        (&["man", "--frobnicate"], "", 2, "", "unexpected argument"),
        (&["man", "--log", "loud"], "", 2, "", "possible values: error, warn, info, debug, trace"),
        (&["man", "--color", "mauve"], "", 2, "", "possible values: auto, always, never"),
        (&["man", "--color", "always", "--nonsense"], "", 2, "", "\u{1b}["),
        (&["completions", "bash"], "", 0, "complete -F _isonomy", ""),
        (&["completions", "zsh"], "", 0, "#compdef isonomy", ""),
        (&["completions", "fish"], "", 0, "complete -c isonomy", ""),
        (&["completions", "elvish"], "", 0, "edit:completion", ""),
        (&["completions", "powershell"], "", 0, "Register-ArgumentCompleter", ""),
        (&["completions", "tcsh"], "", 2, "", "invalid value 'tcsh'"),
        (&["man"], "", 0, ".TH isonomy-completions 1", ""),
    ]);
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    for (choice, coloured) in [("auto", false), ("never", false), ("always", true)] {
        let help = run(isonomy(&["--help", "--color", choice]), b"");
        assert_eq!(help.out.contains("\x1b["), coloured, "{choice}");
        let mut command = isonomy(&["nonsense", "--color", choice]);
        command.env("NO_COLOR", "1");
        assert_eq!(run(command, b"").err.contains("\x1b["), coloured, "{choice}");
    }
}

#[test]
fn logs_and_profiles_are_asked_for_correctly() {
    check(&[
        (&["man", "--trace", "profile.txt"], "", 2, "", "end the name in .json"),
        (&["man", "--trace", "profile"], "", 2, "", "end the name in .json"),
        (
            &["man", "--trace", "no/such/folder/p.json"],
            "",
            2,
            "",
            "cannot create `no/such/folder/p.json`: no such file",
        ),
        (&["man", "--log", "info"], "", 0, ".TH", ""),
        (&["man", "--log", "debug"], "", 0, ".TH", "report.write{bytes="),
    ]);
    for (directives, code, err) in [
        ("debug", 0, "report.write{"),
        ("isonomy::cli::console=debug", 0, "report.write{"),
        ("ltl=debug", 0, ""),
        ("", 0, ""),
        ("isonomy=loud", 2, "ISONOMY_LOG is `isonomy=loud`: "),
    ] {
        let mut command = isonomy(&["man"]);
        command.env("ISONOMY_LOG", directives);
        let run = run(command, b"");
        assert_eq!(run.code, Some(code), "{directives}: {}", run.err);
        assert!(run.err.contains(err) && run.err.is_empty() == err.is_empty(), "{}", run.err);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for arguments in [&["man"][..], &["--help"], &["completions", "zsh"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = isonomy(arguments)
            .stdin(Stdio::null())
            .stdout(writer)
            .output()
            .expect("the binary starts");
        let err = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Runs with `--trace` and returns the profile.
fn profile(arguments: &[&str], ending: &str, code: i32) -> String {
    let file = scratch(&format!("{}.{ending}", arguments[0]));
    let name = file.to_str().expect("UTF-8");
    let run = run(isonomy(&[arguments, &["--trace", name]].concat()), b"");
    assert_eq!(run.code, Some(code), "{}", run.err);
    let text = std::fs::read_to_string(&file).expect("the profile is written");
    std::fs::remove_file(&file).expect("the profile is there");
    text
}

#[test]
fn profiles_have_three_formats() {
    let chrome: Value = serde_json::from_str(&profile(&["man"], "json", 0)).expect("JSON");
    let event = &chrome["traceEvents"][0];
    assert_eq!((&event["name"], &event["ph"]), (&json!("report.write"), &json!("X")));
    assert!(event["args"]["bytes"].as_u64() > Some(1000), "{event}");
    let lines = profile(&["man"], "jsonl", 0);
    let record: Value = serde_json::from_str(&lines).expect("one line of JSON");
    assert_eq!((&record["name"], &record["parent"]), (&json!("report.write"), &Value::Null));
    let folded = profile(&["man"], "folded", 0);
    let time = folded.strip_prefix("report.write ").expect("one stack").trim_end();
    assert!(time.parse::<u64>().is_ok(), "{folded}");
}
