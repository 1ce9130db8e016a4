//! The rules by which components are judged, one constant each.
//!
//! Everybody goes by [`Exact`]. Tests break one rule at a time, and see that it is noticed: rules that
//! nobody would miss were not tested.

/// Which rules are kept.
pub trait Rules {
    /// In a part of a component, potentials are those of a tree of that part.
    const NEW_POTENTIALS: bool = true;
    /// All nodes that concern somebody who is owed something are taken out of a component. (If only the first
    /// is, what is left is believed to owe nothing any more.)
    const REMOVES_ALL: bool = true;
    /// Orbits are those of whole tuples, not tuples out of the orbits of their points.
    const ORBITS_OF_TUPLES: bool = true;
    /// Under global fairness, a step counts for a node only if another one takes it that is the same
    /// concrete state.
    const SAME_STATE: bool = true;
}

/// All of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exact;

impl Rules for Exact {}
