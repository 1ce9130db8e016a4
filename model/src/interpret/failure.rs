//! Run-time errors.

use super::super::checked::PropertyId;
use super::step::{Event, Process};
use ltl::{Diagnostic, Span};
use std::fmt;

/// A run-time error, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Which.
    pub kind: FailureKind,
    /// What is wrong: lower case, no final dot (but an `error` statement says what it says).
    pub message: String,
    /// Where.
    pub span: Span,
    /// The calls that were under way, innermost last.
    pub calls: Vec<Span>,
    /// What to do about it.
    pub help: Option<&'static str>,
    /// The rule instance whose guard or body failed, if it was one.
    pub during: Option<Box<(Process, Event)>>,
}

/// The kinds of run-time errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FailureKind {
    /// A simple value is read that nobody has set.
    Undefined,
    /// A value is stored, or passed, where it does not belong.
    OutOfRange,
    /// There is no element of this index.
    Index,
    /// The right operand of `/` or `%` is zero.
    DivisionByZero,
    /// A number does not fit 64 bits.
    Overflow,
    /// A shift by less than 0 or more than 63.
    Shift,
    /// An `assert` or `invariant` statement is false.
    Assertion(PropertyId),
    /// An `error` statement.
    Error,
    /// An element is added to a multiset without room.
    MultisetFull,
    /// An element of a multiset is used after its removal.
    ElementGone,
    /// An element of a multiset is looked for in another one than it was chosen from.
    OtherMultiset,
    /// A function with a result ends without `return`.
    NoReturn,
    /// A `for` runs the wrong way, or in steps of zero.
    LoopDirection,
    /// Too many calls, or expressions and statements, inside each other.
    TooDeep,
    /// Too many iterations, calls and instances.
    TooMuchWork,
}

impl fmt::Display for Failure {
    /// The message alone.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Failure {
    /// As a message to render with the model's text.
    pub fn diagnostic(&self) -> Diagnostic {
        /// Calls that are shown of a deep recursion, at each of its ends.
        const SHOWN: usize = 4;
        let mut diagnostic = Diagnostic::error(self.span, &self.message);
        diagnostic.help = self.help.map(str::to_owned);
        let hidden = self.calls.len().saturating_sub(2 * SHOWN);
        for (k, &call) in self.calls.iter().rev().enumerate() {
            if k < SHOWN || k >= SHOWN + hidden {
                diagnostic = diagnostic.related(call, "called from here");
            } else if k == SHOWN {
                diagnostic = diagnostic.related(call, format!("and {hidden} calls like this"));
            }
        }
        diagnostic
    }

    /// Whether this is the one of two failures that stands first in the text; what is called stands
    /// where it is called. So of two failures that one iteration may meet one after the other, the
    /// first one counts, wherever the functions are declared.
    pub(super) fn is_before(&self, other: &Failure) -> bool {
        fn places(failure: &Failure) -> impl Iterator<Item = (usize, usize)> {
            failure.calls.iter().chain([&failure.span]).map(|span| (span.start, span.end))
        }
        places(self).lt(places(other))
    }
}

/// Why an evaluation has no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// A run-time error.
    Failed(Box<Failure>),
    /// An `assume` statement was false: the step does not exist.
    Abandoned,
}

/// What several instances came to of which none is the first: iterations of an unordered loop,
/// instances of a quantifier over an index type, elements of a multiset.
#[derive(Default)]
pub(super) struct Gathered {
    /// That of all failures which stands first in the text.
    failure: Option<Box<Failure>>,
    abandoned: bool,
}

impl Gathered {
    /// Takes the stop of one instance; gives it back if the others must not be tried: without a
    /// budget they would run for ever.
    pub(super) fn add(&mut self, stop: Stop) -> Result<(), Stop> {
        match stop {
            Stop::Failed(failure) if failure.kind == FailureKind::TooMuchWork => {
                return Err(Stop::Failed(failure));
            }
            Stop::Failed(failure) => {
                if self.failure.as_ref().is_none_or(|least| failure.is_before(least)) {
                    self.failure = Some(failure);
                }
            }
            Stop::Abandoned => self.abandoned = true,
        }
        Ok(())
    }

    /// A failure if there was one; otherwise the end of the step if one asked for it.
    pub(super) fn finish(self) -> Result<(), Stop> {
        match self.failure {
            Some(failure) => Err(Stop::Failed(failure)),
            None if self.abandoned => Err(Stop::Abandoned),
            None => Ok(()),
        }
    }
}
