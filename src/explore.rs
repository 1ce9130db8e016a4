//! Exploration of any front end: all reachable states, with runs in its own states and events.

mod graph;
mod runs;

pub use engine::explore::{
    Asked, Compression, Deadlock, Full, Options, Path, Progress, Subject, Symmetry, ViolationKind,
    Watch, explore_asked,
};
pub use graph::{Edge, Graph, Node, graph, nodes_of};
pub use runs::{explore, retrace};

use judge::{Run, Vocabulary};
use model::reference::ModelVocabulary;

/// What an exploration of a front end has found.
pub type Exploration<V = ModelVocabulary> =
    engine::explore::Exploration<Run<V>, <V as Vocabulary>::Fault>;

/// A violation with a run to it.
pub type Violation<V = ModelVocabulary> =
    engine::explore::Violation<Run<V>, <V as Vocabulary>::Fault>;
