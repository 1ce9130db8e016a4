//! What can end a command before its result.
//!
//! One type for four kinds of trouble: the user's request, the environment, a limit, our own bugs.
//! Diagnostics about a text are printed where the text is at hand; the error then says only that
//! there was one.

use super::exit::Exit;
use super::message::Kind;
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
    /// The system does not give something else.
    System {
        /// `read`, `write to`, `start`.
        action: &'static str,
        /// A standard stream, or a thread.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// The reader of standard output has gone, which needs no message. The exit code is that of the
    /// results known by then.
    ClosedPipe(Exit),
    /// A diagnostic about the input was printed already.
    Diagnosed,
    /// A limit was reached.
    Stopped(StopReason),
    /// A limit was reached while something was written.
    Unwritten {
        /// Lower case, no final dot.
        what: String,
        /// The limit.
        reason: StopReason,
    },
    /// The result is too large to print.
    TooLarge {
        /// Lower case, no final dot.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// What was replayed is not a counterexample, for this reason.
    NotValid(String),
    /// A bug of ours.
    Internal(String),
}

impl Error {
    /// A request that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Error::Usage { message: message.into(), help: None }
    }

    /// A result that is too large to print.
    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Error::TooLarge { message: message.into(), help: None }
    }

    /// The same, with advice.
    #[must_use]
    pub(crate) fn help(mut self, advice: impl Into<String>) -> Self {
        if let Error::Usage { help, .. } | Error::TooLarge { help, .. } = &mut self {
            *help = Some(advice.into());
        }
        self
    }

    /// The same at a time when it is known how the run ends, even if its results are not read.
    #[must_use]
    pub(crate) fn knowing(self, exit: Exit) -> Self {
        match self {
            Error::ClosedPipe(known) => Error::ClosedPipe(known.and(exit)),
            other => other,
        }
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        match self {
            Error::Usage { help, .. } | Error::TooLarge { help, .. } => help.as_deref(),
            Error::Internal(_) => Some(REPORT),
            _ => None,
        }
    }

    /// What it is to programs.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Error::Usage { .. } => Kind::Usage,
            Error::File { .. } | Error::System { .. } | Error::ClosedPipe(_) => Kind::File,
            Error::Diagnosed => Kind::Input,
            Error::NotValid(_) => Kind::NotValid,
            Error::Stopped(_) | Error::Unwritten { .. } | Error::TooLarge { .. } => Kind::Stopped,
            Error::Internal(_) => Kind::Internal,
        }
    }

    /// What is wrong, without the advice.
    pub(crate) fn headline(&self) -> String {
        match self {
            Error::Usage { message, .. } | Error::TooLarge { message, .. } => message.clone(),
            Error::File { action, name, error } | Error::System { action, name, error } => {
                format!("cannot {action} `{name}`: {}", reason(error))
            }
            Error::ClosedPipe(_) => "standard output is closed".to_owned(),
            Error::Diagnosed => "bad input".to_owned(),
            Error::NotValid(objection) => format!("not valid: {objection}"),
            Error::Stopped(reason) => reason.to_string(),
            Error::Unwritten { what, reason } => format!("{what}: {reason}"),
            Error::Internal(message) => format!("internal error: {message}"),
        }
    }

    /// How the run ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Error::ClosedPipe(known) => *known,
            Error::Usage { .. } | Error::File { .. } | Error::System { .. } | Error::Diagnosed => {
                Exit::BadInput
            }
            Error::NotValid(_) => Exit::Violated,
            Error::Stopped(reason) | Error::Unwritten { reason, .. } => match reason {
                StopReason::Interrupted => Exit::Interrupted,
                _ => Exit::NoAnswer,
            },
            Error::TooLarge { .. } => Exit::NoAnswer,
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
        let headline = self.headline();
        match self.advice() {
            Some(advice) => write!(out, "{headline}\n    = help: {advice}"),
            None => out.write_str(&headline),
        }
    }
}

/// What follows every message about a bug of ours.
pub(crate) const REPORT: &str = concat!(
    "this is a bug in isonomy ",
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
        let gone = Error::ClosedPipe(Exit::Done);
        assert_eq!(gone.exit(), Exit::Done);
        assert_eq!(gone.knowing(Exit::Violated).exit(), Exit::Violated);
    }
}
