//! Exploration: all reachable states of a system, breadth first.
//!
//! Layer by layer, in rounds of so many states. In a round the states are looked at and expanded in
//! parallel, and each target is put aside for the shard of the store that it belongs to; then what is new
//! is inserted, in parallel by shards, in the order of the states it came from. So nothing depends on
//! the number of threads: neither counts, nor which state is whose parent, nor what is reported. And a
//! target is looked for once, together with all others of its shard, when that is in the cache.
//!
//! Under symmetry the states are representatives: every target is replaced by that of its orbit before it
//! is looked up, and of steps that are alike one is followed.
//!
//! A state is checked when it is expanded: its invariants, then its steps. One that violates an
//! invariant is reported, and expanded only on demand. Because the search is breadth first, and the
//! parent of a state is of the layer before, the trace to a state is a shortest one.

mod asked;
mod concretise;
mod covers;
mod liveness;
mod look;
mod reduction;
mod round;
mod search;
mod store;
mod team;
mod total;
mod tree;

pub use crate::symmetry::Reduction as Symmetry;
pub use asked::{Asked, Decision, Subject};
pub use run::{Progress, Watch};
pub use search::{explore_asked, explore_system};

use crate::system::FaultId;
use num_bigint::BigUint;
use run::StopReason;
use std::time::Duration;
use terms::PropertyId;

/// When a state counts as a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deadlock {
    /// Never.
    Off,
    /// No rule is enabled.
    Stuck,
    /// No enabled rule changes the state.
    Stuttering,
}

/// How states are stored. What is found does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Compression {
    /// As they are.
    #[default]
    None,
    /// As trees of shared parts: states of more than 16 bytes take less memory and more time.
    Tree,
}

/// What is asked of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// When a state counts as a deadlock.
    pub deadlock: Deadlock,
    /// Whether states that violate an invariant are expanded, too.
    pub expand_violating: bool,
    /// Stop when there are more states than this.
    pub most_states: Option<u64>,
    /// How many threads work.
    pub threads: usize,
    /// What is done about symmetry. If there are `liveness` properties, states are not only sorted: then
    /// [`Symmetry::Sorted`] is [`Symmetry::Canonical`].
    pub symmetry: Symmetry,
    /// How states are stored.
    pub compression: Compression,
}

/// As `isonomy explore` does it, in one thread.
impl Default for Options {
    fn default() -> Self {
        Options {
            deadlock: Deadlock::Stuttering,
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

/// What an exploration has found. Runs are paths of packed states, and run-time errors are numbers,
/// until a front end explains them.
#[derive(Debug)]
pub struct Exploration<T = Path, F = FaultId> {
    /// What was found, as it was: under symmetry, representatives and their steps.
    pub progress: Progress,
    /// What that stands for: all states. Not known if states were sorted only.
    pub full: Option<Full>,
    /// Under symmetry: what there is of the quotient.
    pub quotient: Option<QuotientCounts>,
    /// Start states, different ones; under symmetry, their representatives.
    pub starts: u64,
    /// States that count as deadlocks; under symmetry, representatives that do.
    pub deadlocks: u64,
    /// The `cover` properties and statements that were true, for all choices of values around them.
    pub covered: Vec<PropertyId>,
    /// What is wrong, in the order of the properties, the first occurrence of each.
    pub violations: Vec<Violation<T, F>>,
    /// Why it is not complete.
    pub stopped: Option<StopReason>,
    /// How long it took.
    pub time: Duration,
    /// Bytes of memory for the states that were found.
    pub memory: u64,
    /// Bytes of one packed state.
    pub state_bytes: usize,
}

impl<T, F> Exploration<T, F> {
    /// Whether every reachable state was found and expanded. If not, nothing is known of what lies
    /// behind the others, and `cover` and `liveness` are not judged.
    pub fn is_exhaustive(&self) -> bool {
        self.stopped.is_none() && self.progress.expanded == self.progress.states
    }
}

/// What there is without symmetry, exactly. Under symmetry it is known of representatives that were
/// looked at: all of them, unless the search was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Full {
    /// States.
    pub states: BigUint,
    /// Start states.
    pub starts: BigUint,
    /// Different steps out of states that were expanded.
    pub steps: BigUint,
    /// Rule instances fired.
    pub fired: BigUint,
    /// States that count as deadlocks.
    pub deadlocks: BigUint,
}

/// What there is of a quotient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotientCounts {
    /// Representatives found.
    pub representatives: u64,
    /// Different steps out of those that were expanded.
    pub annotated_edges: u64,
    /// Those of one owner of each class of interchangeable ones.
    pub kept_edges: Option<u64>,
    /// Those of one step of each orbit.
    pub orbit_edges: Option<u64>,
}

/// Something that is wrong.
#[derive(Debug)]
pub struct Violation<T = Path, F = FaultId> {
    /// What.
    pub kind: ViolationKind<F>,
    /// How many states it was found in, those that representatives stand for included; none are counted
    /// for a `cover`.
    pub count: BigUint,
    /// How to get there; none for a `cover` that was never true, and for a start state that fails.
    pub trace: Option<T>,
}

/// What is wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum ViolationKind<F = FaultId> {
    /// A top-level `invariant` or `assert` is false.
    Invariant(PropertyId),
    /// A run-time error, an `error` or an `assert` statement; also in a property or a guard.
    Failure(F),
    /// A deadlock.
    Deadlock,
    /// A `cover` that was never true, for the choice of this number of values around it.
    Cover(PropertyId, usize),
    /// From here no state is reachable where a `liveness` property is true, for the choice of this
    /// number of values around it.
    Liveness(PropertyId, usize),
}
