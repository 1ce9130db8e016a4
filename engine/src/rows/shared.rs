//! Rows that threads number together.
//!
//! Numbers are given under a lock, and rows are read without one: even a lock that is always free costs
//! several threads more than what they read, because its cache line goes from core to core. For the
//! same reason a thread remembers the numbers that it knows.

use super::{Rows, hash};
use crate::narrow::to_u32;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Different rows by number, in blocks that never move.
///
/// Invariant: a row is in its place before anyone gets its number.
#[derive(Debug)]
pub(crate) struct SharedRows<T> {
    numbers: Mutex<HashTable<u32>>,
    /// Block k has 2ᵏ times [`FIRST`] places.
    blocks: [OnceLock<Block<T>>; BLOCKS],
}

type Block<T> = Box<[OnceLock<Box<[T]>>]>;

/// The places of the first block, a power of two.
const FIRST: usize = 16;
const BLOCKS: usize = (u32::BITS - FIRST.ilog2()) as usize + 1;

/// The block of a number, and the place there.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let at = number as usize + FIRST;
    let block = (at.ilog2() - FIRST.ilog2()) as usize;
    (block, at - (FIRST << block))
}

impl<T> Default for SharedRows<T> {
    fn default() -> Self {
        SharedRows { numbers: Mutex::default(), blocks: [const { OnceLock::new() }; BLOCKS] }
    }
}

impl<T: Copy + Eq + Hash> SharedRows<T> {
    /// The number of a row, which is inserted if it is new.
    pub(crate) fn intern(&self, row: &[T]) -> u32 {
        let mut numbers = self.numbers();
        let number = to_u32(numbers.len());
        let is_it = |&number: &u32| self.get(number) == row;
        match numbers.entry(hash(row), is_it, |&number| hash(self.get(number))) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let (block, at) = place(number);
                let new = || (0..FIRST << block).map(|_| OnceLock::new()).collect();
                self.blocks[block].get_or_init(new)[at].get_or_init(|| row.into());
                vacant.insert(number);
                number
            }
        }
    }

    fn numbers(&self) -> MutexGuard<'_, HashTable<u32>> {
        // No thread panics between two changes that belong together.
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row with a number that was given.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[T] {
        let (block, at) = place(number);
        let row = self.blocks[block].get().and_then(|block| block[at].get());
        row.expect("a row is there before its number is given")
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        let numbers = self.numbers();
        let items: usize = (0..to_u32(numbers.len())).map(|number| self.get(number).len()).sum();
        let blocks = self.blocks.iter().filter_map(OnceLock::get);
        numbers.allocation_size()
            + items * size_of::<T>()
            + blocks.map(|block| size_of_val(&**block)).sum::<usize>()
    }
}

/// The numbers of shared rows that a thread knows, so that it need not ask for them again.
#[derive(Debug)]
pub(crate) struct KnownRows<T> {
    rows: Rows<T>,
    numbers: Vec<u32>,
}

impl<T> Default for KnownRows<T> {
    fn default() -> Self {
        KnownRows { rows: Rows::default(), numbers: Vec::new() }
    }
}

impl<T: Copy + Eq + Hash> KnownRows<T> {
    /// The number of a row among the shared ones.
    #[inline]
    pub(crate) fn number(&mut self, shared: &SharedRows<T>, row: &[T]) -> u32 {
        let own = self.rows.intern(row) as usize;
        if own == self.numbers.len() {
            self.numbers.push(shared.intern(row));
        }
        self.numbers[own]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_give_the_same_numbers() {
        let shared = SharedRows::default();
        let rows: Vec<Vec<u8>> = (0..2000_u32).map(|k| k.to_le_bytes()[..2].to_vec()).collect();
        std::thread::scope(|scope| {
            for first in 0..3 {
                let (shared, rows) = (&shared, &rows);
                scope.spawn(move || {
                    let mut known = KnownRows::default();
                    for _ in 0..2 {
                        for k in 0..rows.len() {
                            let row = &rows[(k * 7 + first * 500) % rows.len()][..];
                            assert_eq!(shared.get(known.number(shared, row)), row);
                        }
                    }
                });
            }
        });
        let mut numbers: Vec<u32> = rows.iter().map(|row| shared.intern(row)).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..2000));
    }

    #[test]
    fn every_number_has_a_place() {
        let all = [0, 1, 15, 16, 17, 47, 48, 49, 111, 112, u32::MAX - 1, u32::MAX];
        let places: Vec<_> = all.iter().map(|&number| place(number)).collect();
        assert!(places.is_sorted());
        for (block, at) in places {
            assert!(block < BLOCKS && at < FIRST << block);
        }
    }
}
