//! The reason why a run is fair, for the readers of a counterexample.
//!
//! Fairness obliges a run to something for some parties: for all processes, for events, or for the
//! tuples of a declared requirement. The argument names, for each of them, one occurrence in the cycle
//! that satisfies the obligation, or says that the obligation never arises. Under global fairness,
//! which obliges the run to take every step, it is a count.
//!
//! Events that are enabled nowhere in the cycle are not listed: there is no obligation, weak or strong,
//! and there may be very many. For an event with both obligations the strong one is listed: if that is
//! satisfied, so is the weak one.
//!
//! If the cycle is given by its first lap and a renaming g, the run does to g(x) in the next lap what it
//! does to x in this one. So a party may be served some laps later, as the image of a party that is
//! served in this lap. The listed events are those of this lap; the reason for each applies, in later
//! laps, to its images.

use crate::reference::{Reference, Vocabulary};
use crate::renaming::Renaming;

/// Why a run is fair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument<V: Vocabulary> {
    /// The obligations, each party once, and why the run keeps them.
    pub kept: Vec<Kept<V>>,
    /// The enabled events for which there are obligations.
    pub events: OwedEvents,
    /// The number of steps, if all steps must be taken.
    pub all_steps: Option<AllSteps>,
}

/// Events for which there are obligations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OwedEvents {
    /// No events.
    #[default]
    None,
    /// Those of rules that are declared fair.
    OfFairRules,
    /// All events.
    All,
}

/// All steps of all states of the cycle are taken in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AllSteps {
    /// The number of states.
    pub states: usize,
    /// The number of different steps.
    pub steps: usize,
}

/// An obligation that the run keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept<V: Vocabulary> {
    /// The party that it is an obligation to.
    pub party: Party<V>,
    /// Whether it arises if its premise is true infinitely often (strong); else it arises only if that
    /// is eventually always true (weak).
    pub is_strong: bool,
    /// Why it is kept.
    pub reason: Reason<V>,
}

/// A party that a run must be fair to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Party<V: Vocabulary> {
    /// A process.
    Process(V::Process),
    /// An event with its arguments.
    Event(V::Event),
    /// Values of the variables of a requirement, which is given by its position in
    /// [`Reference::requirements`].
    Tuple(usize, Vec<V::Value>),
}

/// Why an obligation is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason<V: Vocabulary> {
    /// A step of the cycle is executed by the party.
    Executed(Occurrence<V>),
    /// The party is not enabled in a state of the cycle, so it is not eventually always enabled.
    Disabled(Occurrence<V>),
    /// The goal of the requirement is true in a state of the cycle.
    True(Occurrence<V>),
    /// The party is never enabled in the cycle; or the premise of the requirement is never true there.
    Never,
}

/// A position of the cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence<V: Vocabulary> {
    /// This step of the run, or the state before it. Steps of the stem count; the first is 0.
    pub position: usize,
    /// The lap, if it is not the one that is written down.
    pub later: Option<Later<V>>,
}

/// A later lap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Later<V: Vocabulary> {
    /// The number of laps between the one that is written down and this one; at least 1.
    pub laps: usize,
    /// The party whose image the served party is, and that is served in the lap that is written down.
    pub instead: Party<V>,
}

impl<V: Vocabulary> Default for Argument<V> {
    /// Nothing is demanded.
    fn default() -> Self {
        Argument { kept: Vec::new(), events: OwedEvents::None, all_steps: None }
    }
}

impl<V: Vocabulary> Argument<V> {
    /// Whether nothing was demanded.
    pub fn is_empty(&self) -> bool {
        *self == Argument::default()
    }
}

impl<V: Vocabulary> Reason<V> {
    /// The position of the cycle where it is seen, if there is one.
    pub fn place(&self) -> Option<&Occurrence<V>> {
        match self {
            Reason::Executed(place) | Reason::Disabled(place) | Reason::True(place) => Some(place),
            Reason::Never => None,
        }
    }
}

impl<V: Vocabulary> Party<V> {
    /// The party's image.
    #[must_use]
    pub fn renamed<R: Reference<Vocabulary = V>>(&self, reference: &R, by: &Renaming) -> Party<V> {
        match self {
            Party::Process(process) => Party::Process(reference.renamed_process(by, process)),
            Party::Event(event) => Party::Event(reference.renamed_event(by, event)),
            Party::Tuple(k, values) => {
                let image = |&value| reference.renamed_value(by, value);
                Party::Tuple(*k, values.iter().map(image).collect())
            }
        }
    }

    /// As people read it: `client_0`, `grant(client_0)`, `"served"(client_0)`.
    pub fn show<R: Reference<Vocabulary = V>>(&self, reference: &R) -> String {
        match self {
            Party::Process(process) => reference.show_process(process),
            Party::Event(event) => reference.show_event(event),
            Party::Tuple(k, values) => reference.show_tuple(*k, values),
        }
    }
}
