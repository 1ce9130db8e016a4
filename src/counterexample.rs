//! Counterexamples: runs that violate a formula.
//!
//! A temporal property speaks of infinite runs. If one of a finite system violates it, then so does
//! one of the form *stem cycle cycle ...*; such a run is written down as a [`Run`], in states of the
//! reference interpreter and with the names of those who act: nothing is packed, permuted or shared,
//! so that what is printed is what was judged. A property of states is violated by a run that ends,
//! which is a [`Run`] without a cycle.
//!
//! The tracked variables of a formula (`forall c: client.` in front) have one value each for the whole
//! run: its [`Binding`].
//!
//! ```text
//! state 0 ─ step 1 ─► state 1 ─ step 2 ─► ... ─ step n ─► state n = the first state of the cycle
//! ```
//!
//! A cycle that is too long to be written down is one lap and a [`renaming`] that takes each lap to the next:
//! then the run's `cycle` is the first lap, and its `end` what the renaming makes of the first state of that. A
//! globally fair run that is too long is a stem and a [`component`]: then there is no `cycle`, and `end` is the state
//! from which on the run stays in the component.
//!
//! Whoever finds a counterexample may be wrong, for much lies between the model's text and a
//! violation: compiled code, representatives of states, automata, a search. Therefore each one is
//! shown to the [`judge`], who knows of none of these.

pub mod argument;
pub mod component;
pub mod judge;
pub mod paths;
pub mod renaming;

use model::checked::LocalId;
use model::interpret::{Event, Process, State};
use model::value::Scalar;

/// A run: of the form *stem cycle cycle ...*, or, if the cycle is empty, one that ends.
///
/// Each step says what is before it; the state behind it is the one before the next step, or `end`.
/// These are the claims of whoever made it: only [`judge::walk`] knows whether they are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    /// What happens once.
    pub stem: Vec<Step>,
    /// What happens again and again, without end.
    pub cycle: Vec<Step>,
    /// The state behind the last step. That of a cycle is the first state of the cycle; that of a lap is
    /// the first state of the next.
    pub end: State,
}

/// A step of a run, or the stutter of a state without steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The state before.
    pub state: State,
    /// Who does what. Nobody anything, if the state has no steps: then it is followed by itself.
    pub action: Option<(Process, Event)>,
}

/// The values of the tracked variables of a formula.
pub type Binding = Vec<(LocalId, Scalar)>;

impl Run {
    /// The steps of the stem, then those of the cycle.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.stem.iter().chain(&self.cycle)
    }

    /// Lets the cycle begin as early as possible: while the stem ends with the step that the cycle ends with,
    /// that one is a step of the cycle. It is the same run, with a shorter stem.
    pub fn roll(&mut self) {
        while let (Some(last), Some(of_cycle)) = (self.stem.last(), self.cycle.last())
            && last == of_cycle
        {
            self.stem.pop();
            self.cycle.rotate_right(1);
            self.end.clone_from(&self.cycle[0].state);
        }
    }

    /// The states before each step, then the end: one more than steps.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.steps().map(|step| &step.state).chain([&self.end])
    }
}
