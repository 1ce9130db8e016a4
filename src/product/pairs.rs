//! Pairs of numbers, numbered themselves as they come.
//!
//! A pair costs its eight bytes, and five to eleven and a half for the table that finds it.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher as _;

/// Different pairs.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pairs: Vec<(u32, u32)>,
    table: HashTable<u32>,
}

impl Pairs {
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
    pub(super) fn intern(&mut self, pair: (u32, u32)) -> u32 {
        let Pairs { pairs, table } = self;
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

fn hash((first, second): (u32, u32)) -> u64 {
    let both = u64::from(first) << 32 | u64::from(second);
    foldhash::fast::FixedState::with_seed(0x1507).hash_one(both)
}
