//! Exit codes: what the shell learns of a run.

use std::process::ExitCode;

/// How a run ended. The numbers are part of the command line's contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Done; whatever was asked holds.
    Done = 0,
    /// Something asked does not hold, and a checked witness was printed.
    Violated = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// A limit was reached before an answer.
    NoAnswer = 3,
    /// A bug of ours.
    Internal = 4,
    /// The user stopped the run.
    Interrupted = 130,
}

/// With several results the first that applies.
const FIRST_THAT_APPLIES: [Exit; 6] =
    [Exit::Internal, Exit::BadInput, Exit::Interrupted, Exit::Violated, Exit::NoAnswer, Exit::Done];

impl Exit {
    /// The exit of a run with two results.
    #[must_use]
    pub(crate) fn and(self, other: Exit) -> Exit {
        let applies = |exit: &&Exit| **exit == self || **exit == other;
        *FIRST_THAT_APPLIES.iter().find(applies).expect("every exit is in the list")
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_result_decides() {
        use Exit::{BadInput, Done, Internal, Interrupted, NoAnswer, Violated};
        for (results, expected) in [
            (&[][..], Done),
            (&[Done, NoAnswer], NoAnswer),
            (&[NoAnswer, Violated, Done], Violated),
            (&[Violated, Interrupted], Interrupted),
            (&[Interrupted, BadInput, NoAnswer], BadInput),
            (&[BadInput, Internal, Interrupted], Internal),
        ] {
            assert_eq!(results.iter().fold(Done, |sum, &exit| sum.and(exit)), expected);
        }
        assert_eq!(FIRST_THAT_APPLIES.map(|exit| exit as u8), [4, 2, 130, 1, 3, 0]);
    }
}
