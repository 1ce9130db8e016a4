//! The permutations of edges, each stored once, as the points that move with their images: most
//! move few.

use crate::narrow::to_u32;
use crate::rows::{Rows, hash};
use crate::symmetry::Point;
use std::sync::{PoisonError, RwLock};

/// The number of shards, a power of two.
const SHARDS: usize = 16;

/// Permutations by number. Number 0 is the identity.
#[derive(Default)]
pub(crate) struct Permutations {
    shards: [RwLock<Rows<(Point, Point)>>; SHARDS],
}

impl Permutations {
    /// The number of a permutation, which is stored if it is new.
    pub(super) fn intern(&self, moves: &[(Point, Point)]) -> u32 {
        if moves.is_empty() {
            return 0;
        }
        // The tables use the other bits.
        let shard = (hash(moves) >> 50) as usize % SHARDS;
        let number = |row: u32| row * to_u32(SHARDS) + to_u32(shard) + 1;
        let rows = &self.shards[shard];
        if let Some(row) = rows.read().unwrap_or_else(PoisonError::into_inner).find(moves) {
            return number(row);
        }
        number(rows.write().unwrap_or_else(PoisonError::into_inner).intern(moves))
    }

    /// Calls `each` with the points that a permutation moves, and their images.
    pub(super) fn with<T>(&self, number: u32, each: impl FnOnce(&[(Point, Point)]) -> T) -> T {
        let Some(number) = number.checked_sub(1) else { return each(&[]) };
        let shard = &self.shards[number as usize % SHARDS];
        let rows = shard.read().unwrap_or_else(PoisonError::into_inner);
        each(rows.get(number / to_u32(SHARDS)))
    }

    /// Bytes of memory in use.
    pub(super) fn memory(&self) -> usize {
        let rows = self.shards.iter().map(|one| one.read().unwrap_or_else(PoisonError::into_inner));
        rows.map(|rows| rows.memory()).sum()
    }
}
