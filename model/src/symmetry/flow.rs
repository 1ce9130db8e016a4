//! Data flow of local variables at a point of a body.

use super::super::checked::LocalId;
use super::LoopKey;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// A variable of one activation of a body.
type Variable = (u32, LocalId);

/// Knowledge about local variables at one point of a body.
///
/// Open loops are counted from the outermost, across calls. A variable is *assigned* up to loop m
/// if it has been assigned as a whole since the current iterations of the loops 1 to m began. It is
/// *left behind* by a loop if its value may depend on which iteration came last.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct DataFlow {
    assigned: HashMap<Variable, u32>,
    left_behind: HashMap<Variable, BTreeSet<LoopKey>>,
    /// Whether this point cannot be reached.
    pub(super) is_dead: bool,
}

impl DataFlow {
    /// The flow at a point that cannot be reached.
    pub(super) fn unreachable() -> DataFlow {
        DataFlow { is_dead: true, ..DataFlow::default() }
    }

    /// Up to which loop the variable is assigned; `fresh` if it has not been assigned at all.
    pub(super) fn assigned(&self, variable: Variable, fresh: u32) -> u32 {
        self.assigned.get(&variable).copied().unwrap_or(fresh)
    }

    /// Records that the variable is assigned as a whole inside `loops` loops.
    pub(super) fn assign(&mut self, variable: Variable, loops: u32) {
        self.assigned.insert(variable, loops);
        self.left_behind.remove(&variable);
    }

    /// Records that the loop leaves the variable behind.
    pub(super) fn leave_behind(&mut self, variable: Variable, by: LoopKey) {
        self.left_behind.entry(variable).or_default().insert(by);
    }

    /// The loops that left the variable behind.
    pub(super) fn left_behind(&self, variable: Variable) -> impl Iterator<Item = LoopKey> {
        self.left_behind.get(&variable).into_iter().flatten().copied()
    }

    /// Joins the flow of another path that leads to this point.
    pub(super) fn join(&mut self, other: DataFlow) {
        if other.is_dead {
            return;
        }
        if self.is_dead {
            *self = other;
            return;
        }
        // A missing variable has the least value that it can have.
        self.assigned.retain(|variable, loops| {
            other.assigned.get(variable).is_some_and(|&there| {
                *loops = there.min(*loops);
                true
            })
        });
        for (variable, loops) in other.left_behind {
            self.left_behind.entry(variable).or_default().extend(loops);
        }
    }
}
