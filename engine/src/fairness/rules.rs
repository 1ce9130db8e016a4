//! The decisions by which components are judged, one function each.
//!
//! Searches decide by [`Exact`]. Tests replace one decision at a time by a wrong one, and check
//! that the suite detects it: a decision that can be wrong without being detected is not tested.

use super::knowledge::Knowledge;
use crate::search::Node;

/// The decisions about components of products whose edges carry an `A`. The provided functions are
/// exact.
pub trait Rules<A>: Default {
    /// The rules for a part of a component, whose nodes have these potentials in the tree of the
    /// component. A part is searched along a tree of its own, which has other potentials.
    #[must_use]
    fn for_part(_potentials: &mut dyn Iterator<Item = A>) -> Self {
        Self::default()
    }

    /// The potential of a node, if it differs from the one along the tree by which the node is
    /// visited.
    fn potential(&self, _node: Node) -> Option<A> {
        None
    }

    /// Whether a node is removed from a component before its parts are searched. `concerns` says
    /// whether it concerns an object with an obligation that the component does not satisfy;
    /// `_removed` is the number of nodes that were removed before.
    fn is_removed(&self, concerns: bool, _removed: usize) -> bool {
        concerns
    }

    /// Whether a set of nodes carries a fair run; `owes_nothing` says whether it satisfies all
    /// obligations.
    fn is_fair(&self, owes_nothing: bool) -> bool {
        owes_nothing
    }

    /// Whether the orbits of points are all that must be known of a loop group, because no object
    /// has several points.
    fn are_points_enough(&self, knowledge: &Knowledge<'_>) -> bool {
        knowledge.is_about_points()
    }

    /// Whether two nodes u, w over the same (r, l) are one concrete state; `is_in_group` says
    /// whether ρ(u) ρ(w)⁻¹ is in the loop group.
    fn is_same_state(&self, is_in_group: bool) -> bool {
        is_in_group
    }
}

/// The exact rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exact;

impl<A> Rules<A> for Exact {}
