//! Different rows of items, numbered in the order in which they are interned, one after the other
//! in flat memory.

mod shared;

pub(crate) use shared::{KnownRows, SharedRows};

use crate::narrow::to_u32;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher as _, Hash};

/// A set of numbered rows.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    items: Vec<T>,
    /// By number: the end of the row. It starts where the row before ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { items: Vec::new(), ends: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Copy + Eq + Hash> Rows<T> {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The row with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[T] {
        row(&self.items, &self.ends, number)
    }

    /// The number of a row, which is inserted if it is new.
    pub(crate) fn intern(&mut self, wanted: &[T]) -> u32 {
        let Rows { items, ends, table } = self;
        let is_it = |&number: &u32| row(items, ends, number) == wanted;
        match table.entry(hash(wanted), is_it, |&number| hash(row(items, ends, number))) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let number = to_u32(ends.len());
                vacant.insert(number);
                items.extend_from_slice(wanted);
                ends.push(items.len());
                number
            }
        }
    }

    /// Asks the watch of this thread if the next new row needs a larger table.
    #[inline]
    pub(crate) fn ask_to_grow(&self) {
        run::memory::ask_to_grow::<u32>(self.table.len(), self.table.capacity());
    }
}

/// The hash of a row.
#[inline]
pub(crate) fn hash<T: Hash>(row: &[T]) -> u64 {
    foldhash::fast::FixedState::with_seed(0x1507).hash_one(row)
}

#[inline]
fn row<'r, T>(items: &'r [T], ends: &[usize], number: u32) -> &'r [T] {
    let at = number as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    &items[start..ends[at]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_once_each() {
        let all: [&[i64]; 6] = [&[0], &[], &[1, 7], &[1, 7, -2], &[7, -2], &[i64::MIN]];
        let mut rows = Rows::default();
        for _ in 0..2 {
            for (number, row) in (0..).zip(all) {
                assert_eq!(rows.intern(row), number);
                assert_eq!(rows.get(number), row);
            }
        }
        assert_eq!(rows.len(), all.len());
    }
}
