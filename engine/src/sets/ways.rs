//! The decisions by which nodes are eliminated, one constant each.
//!
//! Passes decide by [`Exact`]. Tests replace one decision at a time by a wrong one, and check that
//! the suite detects it.

/// The decisions. Those that are provided are exact.
pub trait Ways: Sync {
    /// The surroundings of the first start are searched before anything is eliminated. It is no
    /// mistake to do without: tests do, since small systems are near their start as a whole.
    const LOOKS_NEAR: bool = true;
    /// Nodes without a predecessor are removed.
    const TRIMS: bool = true;
    /// Nodes that no edge of some acceptance set leads to are removed.
    const ACCEPTS: bool = true;
    /// States of the automaton are left out that are on no accepting cycle.
    const ENTERS_ACCEPTING_ONLY: bool = true;
    /// Nodes are removed that concern an object that is not served there.
    const SERVES: bool = true;
    /// Objects are carried along edges by the permutations of these.
    const PERMUTES: bool = true;
    /// Sets of served objects are closed under the group by which edges were dropped.
    const CLOSES: bool = true;
    /// What dropped edges execute is enabled, too.
    const COUNTS_DROPPED: bool = true;
    /// Objects are carried through nodes that do not concern them.
    const CARRIES_THROUGH: bool = true;
}

/// The exact decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exact;

impl Ways for Exact {}

/// The exact decisions without a search near the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Everywhere;

impl Ways for Everywhere {
    const LOOKS_NEAR: bool = false;
}
