//! Counterexamples: runs that violate a formula, in the words of the model language.
//!
//! [`find`] finds a lasso of the product, and [`concretise`] makes a run of it. The other modules are
//! views of the crates [`judge`](::judge) and [`model`], with the judge's types and functions for models.

pub use model::reference::{Binding, Run, Step};

/// Why a run is fair.
pub mod argument {
    pub use judge::{AllSteps, OwedEvents};
    pub use model::reference::{Argument, Kept, Party, Reason};
}

/// Components that globally fair runs stay in.
pub mod component {
    pub use judge::{Again, Element};
    pub use model::reference::{Component, Onward, Place};
}

/// Renamings of index values.
pub mod renaming {
    pub use judge::Renaming;
    pub use model::reference::ModelRenaming;
}

/// The judge of runs of models.
pub mod judge {
    pub use ::judge::{
        Deadlock, Extent, Flaw, Laps, LetterGraph, MOST_STATES, judge, judge_claim,
        judge_component, judge_fairness, judge_laps, letters, walk,
    };
    pub use model::reference::{Claim, FailurePattern, ModelReference, Objection, choice};
}

/// The cross-check of components by automata.
pub mod paths {
    pub use crate::check::paths::{judge_all_paths, refuted};
}
