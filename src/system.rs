//! Systems: packed states and their steps, for engines.
//!
//! An engine knows states as runs of words ([`Layout`]) and asks a [`Worker`], one per thread, what
//! is true of a state and where it leads. A [`CompiledModel`] is the system of a checked model: its
//! guards and bodies are compiled, and wherever compiled code fails, the reference interpreter says
//! what happened.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "cells hold positions and addresses, which are small and not negative"
)]

pub mod layout;
pub mod atoms;
mod compile;
mod compiled;
mod machine;
mod native;
pub(crate) mod states;

pub use atoms::{AtomFailure, AtomWorker, Atoms, Tracking};
pub use compiled::{Backend, CompiledModel};
pub use layout::{Layout, Shape};

use crate::model::checked::{EventId, FamilyId, PropertyId};
use crate::model::interpret::Failure;
use crate::model::syntax::PropertyKind;
use crate::symmetry::Indices;

/// A transition system over packed states.
pub trait System: Sync {
    /// How states are packed.
    fn layout(&self) -> &Layout;

    /// The start states, one by one; equal ones may come more than once. A failure is one item.
    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, Failure>> + '_>;

    /// The `cover` statements that are true while start states are made.
    fn covered_by_starts(&self) -> Vec<PropertyId> {
        Vec::new()
    }

    /// The index types, and what may be permuted without anybody noticing: for every element g of
    /// their group, g maps start states to start states, and s → t is a step exactly if g(s) → g(t) is
    /// one, with the arguments of its event renamed alike; properties are true of g(s) if they are true
    /// of s. By default there are none.
    fn indices(&self) -> Indices {
        Indices::new([])
    }

    /// The rules, by the number in [`Label::rule`].
    fn rules(&self) -> Vec<RuleSummary>;

    /// The properties of states, by [`PropertyId`].
    fn properties(&self) -> Vec<PropertySummary>;

    /// Somebody to ask, with memory of its own: one per thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// What an engine must know of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSummary {
    /// What is observed of its steps, with the arguments.
    pub event: EventId,
    /// What the arguments of its event look like, one behind the other.
    pub arguments: Vec<Shape>,
    /// Who executes its steps: these processes ...
    pub family: FamilyId,
    /// ... and of them the one that this cell of the arguments says, if there is more than one.
    pub member: Option<usize>,
}

/// What an engine must know of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertySummary {
    /// What is said.
    pub kind: PropertyKind,
    /// Whether it is a statement, so that steps tell of it, and not states.
    pub is_statement: bool,
    /// What stands around it: the shapes of simple values, outermost first, each with as many values
    /// as there are choices, counted from 0. The first choice is the first value of each; the values of
    /// the last change fastest.
    pub parameters: Vec<Shape>,
}

/// Answers questions about states.
pub trait Worker: Send {
    /// Whether a state satisfies all global assumptions.
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, Failure>;

    /// What a top-level property says of a state, one answer per choice of values for its parameters,
    /// in order.
    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, Failure>>;

    /// Whether a top-level property says something wrong of a state for some choice of values: it
    /// is false, or it fails. Cheaper than [`Worker::property`].
    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool;

    /// The steps out of a state, appended to what is there. Steps to states that violate an
    /// assumption are among them.
    fn expand(&mut self, state: &[u64], steps: &mut Steps);
}

/// Steps out of some states, in flat memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Packed targets, one behind the other.
    pub targets: Vec<u64>,
    /// One per target.
    pub labels: Vec<Label>,
    /// The arguments of the events, one behind the other, as cells.
    pub arguments: Vec<i64>,
    /// Rule instances that were fired, equal steps included; an abandoned one does not count.
    pub fired: u64,
    /// What failed.
    pub failures: Vec<Failure>,
    /// `cover` statements that were true.
    pub covered: Vec<PropertyId>,
}

/// What a step is, short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// The rule, by its position in the model: with the arguments it says the event and who
    /// executes the step.
    pub rule: u32,
    /// Where its arguments start in [`Steps::arguments`]; they end where those of the next start.
    pub first_argument: u32,
    /// Whether the target is the source.
    pub stutters: bool,
}

impl Steps {
    /// The cells of a step's arguments.
    pub fn arguments_of(&self, step: usize) -> &[i64] {
        let start = self.labels[step].first_argument as usize;
        let end = self
            .labels
            .get(step + 1)
            .map_or(self.arguments.len(), |next| next.first_argument as usize);
        &self.arguments[start..end]
    }

    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.targets.clear();
        self.labels.clear();
        self.arguments.clear();
        self.fired = 0;
        self.failures.clear();
        self.covered.clear();
    }
}
