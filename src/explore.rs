//! Exploration of models: all reachable states, with traces in the words of the model.

mod graph;
mod trace;

pub use engine::explore::{
    Asked, Compression, Deadlock, Decision, Full, Options, Path, Progress, QuotientCounts, Subject,
    Symmetry, Watch, explore_asked, explore_system,
};
pub use graph::{Edge, Graph, Node, graph, nodes_of};
pub use trace::{Trace, TraceStep, explore, explore_for};

use model::interpret::Failure;

/// What an exploration of a model has found.
pub type Exploration = engine::explore::Exploration<Trace, Failure>;

/// A violation with a run to it.
pub type Violation = engine::explore::Violation<Trace, Failure>;

/// What is wrong.
pub type ViolationKind = engine::explore::ViolationKind<Failure>;
