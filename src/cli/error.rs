//! What can end a command before its result.
//!
//! One type for four kinds of trouble: the user's request, the environment, a limit, our own bugs.
//! Diagnostics about a text are printed where the text is at hand; the error then says only that
//! there was one.

use super::exit::Exit;
use automata::StopReason;
use std::fmt;
use std::io;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Error {
    /// The request makes no sense, for this reason; perhaps with advice.
    Usage {
        /// Lower case, no final dot.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// A file cannot be used.
    File {
        /// `read`, `write`, `create`.
        action: &'static str,
        /// The file as the user named it.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// Nobody reads standard output any more: not worth a word.
    ClosedPipe,
    /// A diagnostic about the input was printed already.
    Diagnosed,
    /// A limit was reached.
    Stopped(StopReason),
    /// The result is too large to print.
    TooLarge(String),
    /// A bug of ours.
    Internal(String),
}

impl Error {
    /// A request that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Error::Usage { message: message.into(), help: None }
    }

    /// The same, with advice.
    #[must_use]
    pub(crate) fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Error::Usage { message, .. } => Error::Usage { message, help: Some(advice.into()) },
            other => other,
        }
    }

    /// How the run ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Error::ClosedPipe => Exit::Done,
            Error::Usage { .. } | Error::File { .. } | Error::Diagnosed => Exit::BadInput,
            Error::Stopped(StopReason::Interrupted) => Exit::Interrupted,
            Error::Stopped(_) | Error::TooLarge(_) => Exit::NoAnswer,
            Error::Internal(_) => Exit::Internal,
        }
    }
}

impl From<StopReason> for Error {
    fn from(reason: StopReason) -> Self {
        Error::Stopped(reason)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage { message, help: None } | Error::TooLarge(message) => {
                out.write_str(message)
            }
            Error::Usage { message, help: Some(help) } => {
                write!(out, "{message}\n    = help: {help}")
            }
            Error::File { action, name, error } => {
                write!(out, "cannot {action} `{name}`: {}", reason(error))
            }
            Error::ClosedPipe => out.write_str("standard output is closed"),
            Error::Diagnosed => out.write_str("bad input"),
            Error::Stopped(reason) => write!(out, "{reason}"),
            Error::Internal(message) => write!(out, "internal error: {message}\n{REPORT}"),
        }
    }
}

/// What follows every message about a bug of ours.
pub(crate) const REPORT: &str = concat!(
    "    = help: this is a bug in isonomy ",
    env!("CARGO_PKG_VERSION"),
    ": please report it with the command line and the input that led here"
);

/// What the system says, without its error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_and_end_with_their_code() {
        let missing = io::Error::from_raw_os_error(2);
        let missing = Error::File { action: "read", name: "f.ltl".to_owned(), error: missing };
        for (error, exit, text) in [
            (Error::usage("no").help("yes"), Exit::BadInput, "no\n    = help: yes"),
            (missing, Exit::BadInput, "cannot read `f.ltl`: no such file or directory"),
            (StopReason::States(7).into(), Exit::NoAnswer, "more than 7 states"),
            (StopReason::Interrupted.into(), Exit::Interrupted, "interrupted"),
        ] {
            assert_eq!((error.exit(), error.to_string().as_str()), (exit, text));
        }
        let bug = Error::Internal("two is three".to_owned());
        assert!(bug.to_string().contains("please report it"));
        assert_eq!(bug.exit(), Exit::Internal);
        assert_eq!(Error::ClosedPipe.exit(), Exit::Done);
    }
}
