//! Runs the `isonomy` binary, for the tests that look at it from outside.

use std::io::Write as _;
use std::process::{Command, Stdio};

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
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in ["ISONOMY_LOG", "NO_COLOR", "RUST_BACKTRACE"] {
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
