//! Different values, numbered in the order in which they were interned.

use crate::narrow::to_u32;
use hashbrown::HashTable;
use std::hash::{BuildHasher as _, Hash};

/// A set of numbered values.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    values: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned { values: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Eq + Hash + Clone> Interned<T> {
    /// The value with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Asks the watch of this thread if the next new value needs a larger table.
    pub(crate) fn ask_to_grow(&self) {
        run::memory::ask_to_grow::<T>(self.table.len(), self.table.capacity());
    }

    /// The number of a value, which is copied if it is new.
    pub(crate) fn intern(&mut self, value: &T) -> u32 {
        let hash = |value: &T| foldhash::fast::FixedState::with_seed(0x1507).hash_one(value);
        let Interned { values, table } = self;
        let own = hash(value);
        if let Some(&known) = table.find(own, |&k| values[k as usize] == *value) {
            return known;
        }
        let number = to_u32(values.len());
        table.insert_unique(own, number, |&k| hash(&values[k as usize]));
        values.push(value.clone());
        number
    }
}
