//! Exploration: all reachable states of a system, breadth first.
//!
//! The search goes layer by layer, in rounds of a bounded number of states. In a round the states
//! are checked and expanded in parallel, and each target is put aside for the shard of the store
//! that it belongs to; then the targets are inserted, in parallel by shards, in the order of their
//! source states. So nothing depends on the number of threads: neither counts, nor which state is
//! the parent of which, nor the reports. And a target is looked up once, together with all others
//! of its shard, while that shard is in the cache.
//!
//! Under symmetry the states are representatives: every target is replaced by that of its orbit
//! before it is looked up, and of equivalent steps only one is followed.
//!
//! A state is checked when it is expanded: its invariants, then its steps. One that violates an
//! invariant is reported, and expanded only on demand. Because the search is breadth first, and the
//! parent of a state is in the layer before, the trace to a state is a shortest one.

mod asked;
mod choices;
mod concretise;
mod covers;
mod liveness;
mod look;
mod round;
mod search;
pub(crate) mod team;
mod total;

pub use crate::symmetry::Reduction as Symmetry;
pub use asked::{Asked, Decision, Subject};
pub use run::{Progress, Watch};
pub use search::{explore_asked, explore_on, explore_system, reduction_for};

use crate::system::FaultId;
use num_bigint::BigUint;
use run::StopReason;
use std::time::Duration;
use terms::PropertyId;

/// Which states count as deadlocks, and whether they are violations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deadlock {
    /// Those of [`Deadlock::Stuttering`] are counted, but they are no violations.
    Off,
    /// No rule is enabled.
    Stuck,
    /// No enabled rule changes the state.
    Stuttering,
}

impl Deadlock {
    /// Whether deadlocks are violations.
    pub fn is_asked(self) -> bool {
        self != Deadlock::Off
    }
}

/// How states are stored. The results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Compression {
    /// As packed words.
    #[default]
    None,
    /// As trees of shared parts: states of more than 16 bytes take less memory and more time.
    Tree,
}

/// The options of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which states count as deadlocks, and whether they are violations.
    pub deadlock: Deadlock,
    /// Whether states that violate an invariant are expanded, too.
    pub expand_violating: bool,
    /// The exploration stops when there are more states than this.
    pub most_states: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// How states are reduced by symmetry. If there are `liveness` properties, sorting is not
    /// enough: then [`Symmetry::Sorted`] is treated as [`Symmetry::Canonical`].
    pub symmetry: Symmetry,
    /// How states are stored.
    pub compression: Compression,
}

/// The options of `isonomy explore`, but in one thread.
impl Default for Options {
    fn default() -> Self {
        Options {
            deadlock: Deadlock::Off,
            expand_violating: false,
            most_states: None,
            threads: 1,
            symmetry: Symmetry::Canonical,
            compression: Compression::None,
        }
    }
}

/// The packed states of a run, from a start state on.
pub type Path = Vec<Box<[u64]>>;

/// The result of an exploration. Runs are paths of packed states, and run-time errors are numbers,
/// until a front end explains them.
#[derive(Debug)]
pub struct Exploration<T = Path, F = FaultId> {
    /// The counts of the search itself: under symmetry, of representatives and their steps.
    pub progress: Progress,
    /// The counts of the unreduced system. Unknown if states were only sorted.
    pub full: Option<Full>,
    /// The counts of the quotient, if symmetry is not [`Symmetry::Off`].
    pub quotient: Option<QuotientCounts>,
    /// The number of different start states; under symmetry, of their representatives.
    pub starts: u64,
    /// The number of states that count as deadlocks; under symmetry, of such representatives.
    pub deadlocks: u64,
    /// By rule: the number of its instances executed in the unreduced system; if states were only
    /// sorted, in their representatives. The sum is [`Full::fired`].
    pub rules: Vec<BigUint>,
    /// The `cover` properties and statements that were true, for all choices of values of their
    /// parameters.
    pub covered: Vec<PropertyId>,
    /// The violations, in the order of the properties, with the first occurrence of each.
    pub violations: Vec<Violation<T, F>>,
    /// Why the exploration is not complete; none if it is.
    pub stopped: Option<StopReason>,
    /// The duration of the exploration.
    pub time: Duration,
    /// Bytes of memory for the states that were found.
    pub memory: u64,
    /// Bytes of one packed state.
    pub state_bytes: usize,
}

impl<T, F> Exploration<T, F> {
    /// Whether every reachable state was found and expanded. If not, nothing is known of the
    /// successors of the others, and `cover` and `liveness` are not decided.
    pub fn is_exhaustive(&self) -> bool {
        self.stopped.is_none() && self.progress.expanded == self.progress.states
    }
}

/// The exact counts of the unreduced system. Under symmetry they cover the representatives that
/// were checked: all of them, unless the search was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Full {
    /// The number of states.
    pub states: BigUint,
    /// The number of start states.
    pub starts: BigUint,
    /// The number of different steps out of states that were expanded.
    pub steps: BigUint,
    /// The number of rule instances executed.
    pub fired: BigUint,
    /// The number of states that count as deadlocks.
    pub deadlocks: BigUint,
}

/// The counts of a quotient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotientCounts {
    /// The number of representatives found.
    pub representatives: u64,
    /// The number of different steps out of the representatives that were expanded.
    pub annotated_edges: u64,
    /// The number of those steps whose owner is the first of its class of interchangeable ones.
    pub kept_edges: Option<u64>,
    /// The number of orbits of those steps.
    pub orbit_edges: Option<u64>,
}

/// A violation.
#[derive(Debug)]
pub struct Violation<T = Path, F = FaultId> {
    /// The kind of the violation.
    pub kind: ViolationKind<F>,
    /// The number of states in which it was found, including those that representatives stand for;
    /// 0 for a `cover`.
    pub count: BigUint,
    /// A run that leads there; none for a `cover` that was never true, for a start state that fails,
    /// and if it was stopped before there was one.
    pub trace: Option<T>,
    /// Why there is no run although there should be one.
    pub untraced: Option<StopReason>,
}

/// The kind of a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum ViolationKind<F = FaultId> {
    /// A top-level `invariant` or `assert` is false.
    Invariant(PropertyId),
    /// A run-time error, an `error` or an `assert` statement; also in a property or a guard.
    Failure(F),
    /// A deadlock.
    Deadlock,
    /// A `cover` that was never true, for the choice of this number of values of its parameters.
    Cover(PropertyId, usize),
    /// No state is reachable from here where a `liveness` property is true, for the choice of this
    /// number of values of its parameters.
    Liveness(PropertyId, usize),
}
