//! Pairs of numbers, numbered themselves as they come.
//!
//! A pair costs its eight bytes, and five to eleven and a half for the hash table that finds it. Where the second
//! number is small, it is found in a row of numbers for each first one instead, without a hash and at four bytes
//! for each second one that there may be.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher as _;

/// Different pairs.
#[derive(Debug)]
pub(super) struct Pairs {
    pairs: Vec<(u32, u32)>,
    index: Index,
}

/// Finds a pair.
#[derive(Debug)]
enum Index {
    Hashed(HashTable<u32>),
    /// Second numbers are less than the width. Invariant: at first * width + second is the number of that pair plus
    /// one, or 0 if it was not met, or nothing yet.
    Rows {
        width: u32,
        numbers: Vec<u32>,
    },
}

/// The longest rows: with more, most of a row may be wasted.
const WIDEST: usize = 8;

impl Pairs {
    /// None yet, of any numbers.
    pub(super) fn new() -> Pairs {
        Pairs { pairs: Vec::new(), index: Index::Hashed(HashTable::new()) }
    }

    /// None yet; there are so many second numbers, and first ones come one after the other.
    pub(super) fn below(seconds: usize) -> Pairs {
        if seconds > WIDEST {
            return Pairs::new();
        }
        let index = Index::Rows { width: seconds as u32, numbers: Vec::new() };
        Pairs { pairs: Vec::new(), index }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The pair with a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> (u32, u32) {
        self.pairs[number as usize]
    }

    /// The number of a pair, which is put in if it is new.
    #[inline]
    pub(super) fn intern(&mut self, pair: (u32, u32)) -> u32 {
        let Pairs { pairs, index } = self;
        match index {
            Index::Rows { width, numbers } => {
                debug_assert!(pair.1 < *width);
                let at = pair.0 as usize * *width as usize + pair.1 as usize;
                if numbers.len() <= at {
                    numbers.resize(at + 1, 0);
                }
                if numbers[at] == 0 {
                    pairs.push(pair);
                    numbers[at] = pairs.len() as u32;
                }
                numbers[at] - 1
            }
            Index::Hashed(table) => {
                let is_it = |&number: &u32| pairs[number as usize] == pair;
                match table.entry(hash(pair), is_it, |&number| hash(pairs[number as usize])) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(vacant) => {
                        let number = pairs.len() as u32;
                        vacant.insert(number);
                        pairs.push(pair);
                        number
                    }
                }
            }
        }
    }
}

fn hash((first, second): (u32, u32)) -> u64 {
    let both = u64::from(first) << 32 | u64::from(second);
    foldhash::fast::FixedState::with_seed(0x1507).hash_one(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_hashes_number_alike() {
        let (mut rows, mut hashed) = (Pairs::below(3), Pairs::below(WIDEST + 1));
        assert!(matches!(rows.index, Index::Rows { .. }));
        assert!(matches!(hashed.index, Index::Hashed(_)));
        let mut random = ltl::generate::SplitMix64::new(5);
        for _ in 0..2000 {
            let pair = (random.below(200) as u32, random.below(3) as u32);
            let number = rows.intern(pair);
            assert_eq!(number, hashed.intern(pair));
            assert_eq!(rows.get(number), pair);
        }
        assert_eq!(rows.len(), hashed.len());
        assert_eq!(rows.pairs, hashed.pairs);
    }
}
