//! Runs, as they are written down.
//!
//! If an infinite run of a finite system violates a formula, then so does one of the form *stem cycle
//! cycle ...* Such a run is a [`Run`] of concrete states, with the owner and the event of each step:
//! nothing is packed, permuted or shared, so that the run that is printed is the run that was judged.
//! A property of states is violated by a run that ends, which is a [`Run`] without a cycle.
//!
//! ```text
//! state 0 ─ step 1 ─► state 1 ─ step 2 ─► ... ─ step n ─► state n = the first state of the cycle
//! ```
//!
//! If a cycle is too long to be written down, `cycle` is its first lap, and a
//! [`Renaming`](crate::Renaming) takes each lap to the next; `end` is then the image of the first
//! state of the lap. If a globally fair run is too long, there is no `cycle` but a
//! [`Component`](crate::Component), and `end` is the state from which on the run stays in it.

use crate::reference::{Action, Vocabulary};

/// A run: of the form *stem cycle cycle ...*, or, if the cycle is empty, one that ends.
///
/// Each step holds the state before it; the state after it is the one before the next step, or `end`.
/// All of this is claimed by the finder of the run; [`walk`](crate::walk) decides whether it is true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Run<V: Vocabulary> {
    /// The steps that are taken once.
    pub stem: Vec<Step<V>>,
    /// The steps that are repeated forever.
    pub cycle: Vec<Step<V>>,
    /// The state after the last step. That of a cycle is the first state of the cycle; that of a lap
    /// is the first state of the next.
    pub end: V::State,
}

/// A step of a run, or the stutter of a state without steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step<V: Vocabulary> {
    /// The state before the step.
    pub state: V::State,
    /// The owner of the step and its event. None if the state has no steps: it is followed by itself.
    pub action: Option<Action<V>>,
}

impl<V: Vocabulary> Run<V> {
    /// The steps of the stem, then those of the cycle.
    pub fn steps(&self) -> impl Iterator<Item = &Step<V>> {
        self.stem.iter().chain(&self.cycle)
    }

    /// Lets the cycle begin as early as possible: while the stem ends with the step that the cycle
    /// ends with, that one is a step of the cycle. It is the same run, with a shorter stem.
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
    pub fn states(&self) -> impl Iterator<Item = &V::State> {
        self.steps().map(|step| &step.state).chain([&self.end])
    }
}
