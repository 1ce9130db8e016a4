//! What a search has found, in packed states. It is no verdict before the judge has seen it.

use super::{CheckStatistics, Method, Reason};
use engine::concretise::{ConcreteLasso, ConcreteStep};
use engine::fairness::spanned::Spanned;
use engine::product::Touched;
use engine::system::{AtomFault, FaultId};
use judge::Renaming;

/// The result of a search for one tuple of tracked values.
pub(super) struct Searched {
    pub(super) evidence: Evidence,
    pub(super) method: Method,
    pub(super) statistics: CheckStatistics,
    /// The representatives and edges of the quotient that the search needed.
    pub(super) touched: Touched,
}

/// What a search has found.
pub(super) enum Evidence {
    /// There is no violation.
    Holds,
    /// There is no answer.
    Unknown(Reason),
    /// A run that violates the formula, or the first lap of one and the renaming that takes a lap to
    /// the next. A shorter run besides, if one was found.
    Lasso { lasso: ConcreteLasso, renaming: Option<Renaming>, shorter: Option<ConcreteLasso> },
    /// A component in which globally fair runs violate the formula.
    Component(Box<PackedComponent>),
    /// An evaluation that fails, and a path to the state where it does; none if the construction of
    /// a start state fails.
    Failed { failing: Failing, path: Option<PackedPath> },
}

/// The steps of a path, and the packed state in which it ends.
pub(super) type PackedPath = (Vec<ConcreteStep>, Box<[u64]>);

/// A stem, and the component that it leads to.
pub(super) struct PackedComponent {
    pub(super) stem: PackedPath,
    /// The states of the component's nodes, in order.
    pub(super) states: Vec<Box<[u64]>>,
    pub(super) component: Spanned,
}

/// What fails, according to the engine.
#[derive(Clone, Copy)]
pub(super) enum Failing {
    /// A start state, a guard, a body or an assumption.
    Model(FaultId),
    /// An atom of the formula.
    Atom(AtomFault),
}
