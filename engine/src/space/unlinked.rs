//! Edges that an exploration has found, before their targets have been inserted.
//!
//! The number of a target is known when its shard has taken the targets of the round. Until then an
//! edge remembers where its target is among those of its chunk.

use super::{Edges, Representative, Targets};
use crate::narrow::to_u32;
use crate::symmetry::Point;
use std::ops::Range;

/// The edges of a chunk of states.
#[derive(Default)]
pub(crate) struct Unlinked {
    pub(super) sources: Vec<Source>,
    pub(super) edges: Edges<Landing>,
}

/// A state whose edges are known.
pub(super) struct Source {
    pub(super) of: Representative,
    pub(super) is_stuck: bool,
    pub(super) edges: Range<usize>,
}

/// Where an edge leads.
#[derive(Clone, Copy)]
pub(super) enum Landing {
    /// To its source.
    Source,
    /// To the target at this place among those of its chunk for a shard.
    Target { shard: u32, place: u32 },
}

impl Unlinked {
    /// Removes all edges, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.sources.clear();
        self.edges.clear(false);
    }

    /// Appends an edge: its rule, the arguments of its event, and the points that its permutation
    /// moves. It leads to the last target that was sent to a shard, or else to its source.
    pub(crate) fn push(
        &mut self,
        rule: u32,
        arguments: &[i64],
        moves: impl Iterator<Item = (Point, Point)>,
        target: Option<(usize, &Targets)>,
    ) {
        let target = target.map_or(Landing::Source, |(shard, targets)| Landing::Target {
            shard: to_u32(shard),
            place: to_u32(targets.sent(shard) - 1),
        });
        self.edges.push(rule, arguments, target, moves);
    }

    /// The number of edges so far.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The edges from this number on are those of a state.
    pub(crate) fn end(&mut self, of: Representative, first: usize, is_stuck: bool) {
        self.sources.push(Source { of, is_stuck, edges: first..self.edges.len() });
    }

    /// Removes the edges from this number on.
    pub(crate) fn abandon(&mut self, first: usize) {
        self.edges.truncate(first);
    }
}
