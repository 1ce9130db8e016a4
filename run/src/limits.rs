//! When to give up: running out is a result with its number, not an error.

use crate::watch::Report;
use std::fmt;

/// Why a construction stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// An automaton would have more states than this.
    States(usize),
    /// An automaton would have more edges than this.
    Edges(usize),
    /// The labels would need more than this many nodes of a decision diagram.
    Labels(usize),
    /// The labels would depend on more than this many atoms, or a construction on more variables.
    Variables(u32),
    /// A strongly connected component would need more acceptance sets than this.
    AcceptanceSets(usize),
    /// The event atoms can be combined in more ways than this.
    Letters(usize),
    /// The time is over.
    Timeout(std::time::Duration),
    /// The memory is used up, in bytes.
    Memory(u64),
    /// The system has refused to give more memory.
    OutOfMemory,
    /// The user wants to stop.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::States(most) => write!(out, "more than {most} states"),
            StopReason::Edges(most) => write!(out, "more than {most} edges"),
            StopReason::Labels(most) => write!(out, "more than {most} nodes of label diagrams"),
            StopReason::Variables(most) => write!(out, "more than {most} atoms or subformulas"),
            StopReason::AcceptanceSets(most) => write!(out, "more than {most} acceptance sets"),
            StopReason::Letters(most) => write!(out, "more than {most} combinations of events"),
            StopReason::Timeout(time) => write!(out, "time limit of {} s", time.as_secs_f64()),
            StopReason::Memory(bytes) => write!(out, "memory limit of {} MiB", bytes >> 20),
            StopReason::OutOfMemory => write!(out, "the system has no more memory"),
            StopReason::Interrupted => write!(out, "interrupted"),
        }
    }
}

/// How far a construction may go.
#[derive(Clone, Copy)]
pub struct Limits<'p> {
    /// States of any automaton built on the way.
    pub states: usize,
    /// Edges of any automaton built on the way.
    pub edges: usize,
    /// Nodes of the decision diagrams that labels are.
    pub labels: usize,
    /// Asked in every loop that can last: time, memory, interruption.
    pub watch: Option<&'p Report<'p>>,
}

impl Default for Limits<'_> {
    /// Enough for every formula that a person would want to see an automaton of, in about 1 GiB.
    fn default() -> Self {
        Limits { states: 1_000_000, edges: 8_000_000, labels: 1 << 22, watch: None }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { states, edges, labels, watch } = self;
        out.debug_struct("Limits")
            .field("states", states)
            .field("edges", edges)
            .field("labels", labels)
            .field("watch", &watch.is_some())
            .finish()
    }
}
