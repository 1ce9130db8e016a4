//! Accesses to the store, and when those of different iterations of a loop commute.
//!
//! Two accesses of different iterations *overlap* unless their paths diverge: at different fields,
//! at different constants, or where both use the loop variable as a subscript, or as the element of a
//! multiset. Overlapping accesses
//! one of which writes *commute* if both orders lead to the same store and the same failures:
//!
//! ```text
//! x := c         x := c           the same c, which does not depend on the iteration
//! undefine x     undefine x
//! clear x        clear x
//! n := n + e     n := n + e       one statement, the sign of e known: a bound is crossed in every
//!                                 order or in none
//! n := n ^ e     n := n ^ e       one statement, and no result can be out of range; likewise & |
//! v := v | e     v := v | e       logical, likewise &; with the quantifier rule for failures of e
//! add e to m     add e to m       one statement; the elements have no order
//! add e to m     read m[chosen]   present elements never move
//! ```
//!
//! If all pairs commute or do not overlap, any two neighbouring iterations may be exchanged, and so
//! every order has the same outcome.

use super::super::checked::{Arithmetic, LocalId, VariableId};
use super::super::value::Scalar;
use super::Body;
use ltl::Span;

/// The start of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum StoreRoot {
    /// A variable of the state.
    Global(VariableId),
    /// A variable of one activation of a body; calls are numbered as they are met.
    Local(u32, LocalId),
    /// The output of `put`.
    Output,
    /// Everything that a recursive call may touch.
    Anything,
}

/// Static knowledge about a simple value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    /// The value is this constant.
    Constant(Scalar),
    /// The value is that of a bound variable. Every binding has its own number, inner ones greater
    /// ones.
    Symbol(u32),
    /// Nothing is known.
    Unknown,
}

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PathStep {
    Field(u32),
    Element(Term),
    Chosen(Term),
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Form {
    Read,
    /// Stores an unknown value.
    Write,
    /// Replaces the old value by an unknown one that may depend on it.
    Change,
    Store(Term),
    Undefine,
    Clear,
    /// `v := v + e`, e not negative if `up`, else not positive.
    Sum {
        up: bool,
    },
    /// `v := v & e`, of numbers, where either every order or no order leaves the range.
    Bits(Arithmetic),
    /// `v := v | e`, logical, if `or`, else `v := v & e`.
    Logical {
        or: bool,
    },
    /// Adds an element to a multiset.
    Add,
    /// Prints a fixed text.
    Print,
}

impl Form {
    /// Whether the access depends on the old value.
    pub(super) fn reads(self) -> bool {
        match self {
            Form::Read
            | Form::Change
            | Form::Add
            | Form::Sum { .. }
            | Form::Bits(_)
            | Form::Logical { .. } => true,
            Form::Write | Form::Store(_) | Form::Undefine | Form::Clear | Form::Print => false,
        }
    }

    pub(super) fn writes(self) -> bool {
        self != Form::Read
    }
}

/// An access to the store.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub(super) root: StoreRoot,
    pub(super) path: Vec<PathStep>,
    pub(super) form: Form,
    /// For a local variable: how many of the open loops, counted from the outermost, have assigned
    /// it as a whole in their current iteration.
    pub(super) assigned: u32,
    /// The statement, or the place that is read.
    pub(super) span: Span,
    /// The body that contains it.
    pub(super) body: Body,
    /// The activation of that body.
    pub(super) frame: u32,
}

/// A loop whose iterations are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Iteration {
    /// The loop variable. Inner bindings have greater numbers.
    pub(super) symbol: u32,
    /// The activation that contains the loop.
    pub(super) frame: u32,
}

impl Iteration {
    /// Whether accesses of two different iterations may touch the same place.
    pub(super) fn overlap(self, a: &Access, b: &Access) -> bool {
        let parts = |(a, b): (&PathStep, &PathStep)| match (a, b) {
            (PathStep::Field(a), PathStep::Field(b)) => a != b,
            (PathStep::Element(Term::Constant(a)), PathStep::Element(Term::Constant(b))) => a != b,
            (PathStep::Element(Term::Symbol(a)), PathStep::Element(Term::Symbol(b)))
            | (PathStep::Chosen(Term::Symbol(a)), PathStep::Chosen(Term::Symbol(b))) => {
                *a == self.symbol && *b == self.symbol
            }
            _ => false,
        };
        a.root == b.root && !a.path.iter().zip(&b.path).any(parts)
    }

    /// Whether overlapping accesses of two different iterations may be exchanged.
    pub(super) fn commute(self, a: &Access, b: &Access) -> bool {
        match (a.form, b.form) {
            (Form::Store(s), Form::Store(t)) => s == t && self.is_invariant(s),
            (Form::Undefine, Form::Undefine) | (Form::Clear, Form::Clear) => true,
            (Form::Sum { .. }, Form::Sum { .. })
            | (Form::Bits(_), Form::Bits(_))
            | (Form::Add, Form::Add)
            | (Form::Print, Form::Print) => a.span == b.span && a.form == b.form,
            (Form::Logical { or: a_or }, Form::Logical { or: b_or }) => {
                a_or == b_or && self.accumulates(a) && self.accumulates(b)
            }
            (Form::Add, Form::Read) => {
                matches!(b.path.get(a.path.len()), Some(PathStep::Chosen(_)))
            }
            (Form::Read, Form::Add) => self.commute(b, a),
            (a, b) => !a.writes() && !b.writes(),
        }
    }

    /// Whether a logical update can be carried out at the end of the loop: it is in the loop
    /// itself, not in a callee, and all iterations update the same place.
    fn accumulates(self, access: &Access) -> bool {
        let fixed = |step: &PathStep| match step {
            PathStep::Field(_) => true,
            PathStep::Element(term) => self.is_invariant(*term),
            PathStep::Chosen(_) => false,
        };
        access.frame == self.frame && access.path.iter().all(fixed)
    }

    fn is_invariant(self, term: Term) -> bool {
        match term {
            Term::Constant(_) => true,
            Term::Symbol(symbol) => symbol < self.symbol,
            Term::Unknown => false,
        }
    }
}
