//! The numbers of states, from their shards and positions and back.
//!
//! Shards grow at different rates: shard k gets 64 + k of 6112 states. A number is made in such a way
//! that numbers are dense, and that states that are inserted one after the other, in whatever shards,
//! have numbers close to each other: arrays by number are then local in a search. In *epoch* e, shard
//! k has the positions from e (64 + k) on, 64 + k of them, and all shards together have the numbers
//! from 6112 e on. Row j of an epoch has a position of every shard, if j < 64, else of those that
//! have so many:
//!
//! ```text
//! row 0:    number 0 ... 63         position 0 of the shards 0 ... 63
//! row 1:    number 64 ... 127       position 1
//! ...
//! row 64:   number 4096 ... 4158    position 64 of the shards 1 ... 63
//! row 126:  number 6111             position 126 of shard 63
//! ```

use super::Representative;
use super::store::SHARDS;
use crate::narrow::{low_u8, to_u32, to_usize};

/// The numbers of an epoch.
pub(super) const EPOCH: usize = SHARDS * SHARDS + SHARDS * (SHARDS - 1) / 2;
/// The number of rows that have a position of every shard.
const FULL_ROWS: usize = SHARDS;
/// The number of epochs: numbers are less than `u32::MAX - 1`.
const MOST_EPOCHS: usize = (u32::MAX as usize - 1) / EPOCH;

/// The positions of a shard in an epoch.
const fn width(shard: usize) -> usize {
    SHARDS + shard
}

/// The maximal number of states of a shard.
pub(super) const fn most_positions(shard: usize) -> usize {
    MOST_EPOCHS * width(shard)
}

/// A division by a width is a multiplication, and a shift by this: exact for all positions, which
/// are less than 2²⁷, because 2²⁷ · 128 < 2⁴⁰.
const SHIFT: u32 = 40;

/// By shard: 2⁴⁰ divided by its width, rounded up.
const RECIPROCALS: [u64; SHARDS] = {
    let mut found = [0; SHARDS];
    let mut shard = 0;
    while shard < SHARDS {
        found[shard] = (1_u64 << SHIFT).div_ceil(width(shard) as u64);
        shard += 1;
    }
    found
};

/// By row that is not full, counted from 0: the number of the row's first shard in an epoch, less
/// that shard, plus [`SHARDS`], so that it is not negative.
const PART_ROWS: [usize; SHARDS] = {
    let mut found = [0; SHARDS];
    let (mut row, mut next) = (0, FULL_ROWS * SHARDS);
    while row < SHARDS {
        // The first shard of row 64 + r is r + 1.
        found[row] = next + SHARDS - (row + 1);
        next += SHARDS - (row + 1);
        row += 1;
    }
    found
};

/// By number in an epoch, from the first part row on: the row, counted from 0, and the shard.
const PARTS: [(u8, u8); EPOCH - FULL_ROWS * SHARDS] = {
    let mut found = [(0, 0); EPOCH - FULL_ROWS * SHARDS];
    let (mut at, mut row) = (0, 0);
    while row < SHARDS {
        let mut shard = row + 1;
        while shard < SHARDS {
            found[at] = (low_u8(row as u64), low_u8(shard as u64));
            at += 1;
            shard += 1;
        }
        row += 1;
    }
    found
};

impl Representative {
    /// The state at a position of a shard, which must be below [`most_positions`].
    #[inline]
    pub(super) fn new(shard: usize, position: usize) -> Representative {
        let epoch = to_usize((position as u64 * RECIPROCALS[shard]) >> SHIFT);
        let row = position - epoch * width(shard);
        let number = match row.checked_sub(FULL_ROWS) {
            None => row * SHARDS + shard,
            Some(row) => PART_ROWS[row] + shard - SHARDS,
        };
        Representative(to_u32(epoch * EPOCH + number))
    }

    /// Its shard, and its position there.
    #[inline]
    pub(super) fn place(self) -> (usize, usize) {
        let (epoch, number) = (self.0 as usize / EPOCH, self.0 as usize % EPOCH);
        let (row, shard) = match number.checked_sub(FULL_ROWS * SHARDS) {
            None => (number / SHARDS, number % SHARDS),
            Some(at) => {
                let (row, shard) = PARTS[at];
                (FULL_ROWS + row as usize, shard as usize)
            }
        };
        (shard, epoch * width(shard) + row)
    }

    /// A nearly dense number, below [`Space::bound`](super::Space::bound).
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_lead_back() {
        let mut seen = vec![false; 3 * EPOCH];
        for shard in 0..SHARDS {
            for position in 0..3 * width(shard) {
                let state = Representative::new(shard, position);
                assert_eq!(state.place(), (shard, position));
                assert!(!std::mem::replace(&mut seen[state.number()], true));
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn the_last_numbers_are_those_of_no_state() {
        for shard in 0..SHARDS {
            let last = most_positions(shard) - 1;
            assert!(last < 1 << 27);
            for position in last - 1000..=last {
                let state = Representative::new(shard, position);
                assert_eq!(state.place(), (shard, position));
                assert!(state.0 < u32::MAX - 1);
            }
        }
    }
}
