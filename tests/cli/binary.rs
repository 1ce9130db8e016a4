//! Runs the `isonomy` binary, for the tests that look at it from outside.

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use support::root;

/// What a run left behind.
pub(crate) struct Run {
    /// The exit code; none after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

/// The command, in the project's folder and with nothing in its environment that matters.
pub(crate) fn isonomy(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isonomy"));
    command.args(arguments).current_dir(root());
    for variable in ["ISONOMY_LOG", "ISONOMY_PROGRESS_MS", "NO_COLOR", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the command to its end.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Run {
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

/// The JSON that a run prints.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let run = run(isonomy(arguments), b"");
    serde_json::from_str(&run.out)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", run.err))
}

/// A published schema, by the name of its file before `.schema.json`.
pub(crate) fn published(name: &str) -> Value {
    let file = root().join(format!("fixtures/schema/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(file).expect("a schema")).expect("JSON")
}

/// A file that no other test and no other run has.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(format!("{}-{number}-{name}", std::process::id()))
}

/// Runs the command with a standard output that is closed already.
pub(crate) fn into_closed_pipe(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = isonomy(arguments);
    command.stdin(Stdio::null()).stdout(writer).output().expect("the binary starts")
}

/// Starts the command, with pipes for both of its outputs.
#[cfg(unix)]
pub(crate) fn start(arguments: &[&str]) -> Child {
    let mut command = isonomy(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

/// What Ctrl-C sends.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
}

/// All that a run printed.
pub(crate) fn transcript(run: &Run) -> String {
    format!("{}--- standard error\n{}", run.out, run.err)
}

/// Arguments, standard input, exit code, and parts of what is printed on standard output and standard
/// error. An empty part means that nothing at all is printed there.
pub(crate) type Case<'a> = (&'a [&'a str], &'a str, i32, &'a str, &'a str);

/// Runs all cases.
pub(crate) fn check(cases: &[Case<'_>]) {
    for (arguments, input, code, out, err) in cases {
        let found = run(isonomy(arguments), input.as_bytes());
        let fits = |whole: &str, part: &str| {
            if part.is_empty() { whole.is_empty() } else { whole.contains(part) }
        };
        assert!(
            found.code == Some(*code) && fits(&found.out, out) && fits(&found.err, err),
            "isonomy {arguments:?} < {}\nexit {:?}\n{}",
            input.chars().take(500).collect::<String>(),
            found.code,
            transcript(&found)
        );
    }
}
