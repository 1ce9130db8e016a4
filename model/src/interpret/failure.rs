//! Run-time errors.

use super::super::checked::PropertyId;
use super::step::{Event, Process};
use ltl::{Diagnostic, Span};
use std::fmt;

/// A run-time error, with its position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    /// The kind of the error.
    pub kind: FailureKind,
    /// The message: lower case, no final dot (but an `error` statement has its own text).
    pub message: String,
    /// The position in the model.
    pub span: Span,
    /// The active calls, innermost last.
    pub calls: Vec<Span>,
    /// A hint how to correct it.
    pub help: Option<&'static str>,
    /// The rule instance whose guard or body failed, if it was one.
    pub during: Option<Box<(Process, Event)>>,
}

/// The kinds of run-time errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FailureKind {
    /// A simple value is read that is not defined.
    Undefined,
    /// A value is stored or passed that is not of the required type.
    OutOfRange,
    /// An index is outside the array.
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
    /// An element is added to a full queue.
    QueueFull,
    /// An element of a queue is used or removed that is not there.
    NoElement,
    /// An element is added to a full multiset.
    MultisetFull,
    /// An element of a multiset is used after its removal.
    ElementGone,
    /// An element is used with another multiset than the one that it was chosen from.
    OtherMultiset,
    /// A function with a result ends without `return`.
    NoReturn,
    /// A `for` runs in the wrong direction, or in steps of zero.
    LoopDirection,
    /// Calls, or expressions and statements, are nested too deeply.
    TooDeep,
}

impl fmt::Display for Failure {
    /// The message alone.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Failure {
    /// The error as a diagnostic for the model's text.
    pub fn diagnostic(&self) -> Diagnostic {
        /// The number of calls of a deep recursion that are shown, at each of its ends.
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

    /// Whether this failure comes before the other in the text; a callee counts as part of its
    /// call. So if one iteration may meet two failures one after the other, the first one is
    /// reported, wherever the functions are declared.
    pub(super) fn is_before(&self, other: &Failure) -> bool {
        fn places(failure: &Failure) -> impl Iterator<Item = (usize, usize)> {
            failure.calls.iter().chain([&failure.span]).map(|span| (span.start, span.end))
        }
        places(self).lt(places(other))
    }
}

/// The reason why an evaluation has no result.
#[derive(Debug)]
pub(super) enum EvalStop {
    /// A run-time error.
    Failed(Box<Failure>),
    /// An `assume` statement was false: the step does not exist.
    Abandoned,
}

/// The combined outcome of several instances that have no order: iterations of an unordered loop,
/// instances of a quantifier over an index type, elements of a multiset.
#[derive(Default)]
pub(super) struct Gathered {
    /// The failure that comes first in the text.
    failure: Option<Box<Failure>>,
    abandoned: bool,
}

impl Gathered {
    /// Adds the outcome of one instance.
    pub(super) fn add(&mut self, stop: EvalStop) {
        match stop {
            EvalStop::Failed(failure) => {
                if self.failure.as_ref().is_none_or(|least| failure.is_before(least)) {
                    self.failure = Some(failure);
                }
            }
            EvalStop::Abandoned => self.abandoned = true,
        }
    }

    /// Returns the failure if there was one; otherwise `Abandoned` if an instance abandoned the
    /// step.
    pub(super) fn finish(self) -> Result<(), EvalStop> {
        match self.failure {
            Some(failure) => Err(EvalStop::Failed(failure)),
            None if self.abandoned => Err(EvalStop::Abandoned),
            None => Ok(()),
        }
    }
}
