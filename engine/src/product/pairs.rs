//! Pairs of numbers, numbered themselves.
//!
//! If second numbers may be large, pairs are numbered in the order in which they are inserted: a
//! pair costs its eight bytes, and five to eleven and a half for the hash table that finds it. If
//! they are small, the number of a pair is calculated: a pair costs one bit, and the numbers of
//! pairs that are never inserted stay unused.

use crate::bits::Bits;
use crate::narrow::to_u32;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher as _;

/// A set of numbered pairs.
#[derive(Debug)]
pub(crate) enum Pairs {
    Hashed {
        /// The pairs, indexed by number.
        pairs: Vec<(u32, u32)>,
        index: HashTable<u32>,
    },
    /// Second numbers are less than the width, and the number of a pair is first * width + second.
    Calculated { width: u32, met: Bits, count: usize },
}

/// A snapshot of the pairs that had been inserted at some time.
#[derive(Clone, Debug)]
pub struct Met(Known);

#[derive(Clone, Debug)]
enum Known {
    /// The pairs with smaller numbers than this.
    Below(usize),
    /// The pairs with exactly these numbers.
    These(Bits),
}

/// The largest count of second numbers for which pair numbers are calculated: with more, most
/// numbers might stay unused.
const WIDEST: usize = 8;

impl Pairs {
    /// Creates an empty set for pairs of any numbers.
    pub(crate) fn new() -> Pairs {
        Pairs::Hashed { pairs: Vec::new(), index: HashTable::new() }
    }

    /// Creates an empty set for pairs whose second numbers are less than `seconds` and whose first
    /// numbers are nearly dense.
    pub(crate) fn below(seconds: usize) -> Pairs {
        if seconds > WIDEST {
            return Pairs::new();
        }
        Pairs::Calculated { width: to_u32(seconds.max(1)), met: Bits::default(), count: 0 }
    }

    /// The number of pairs.
    pub(crate) fn len(&self) -> usize {
        match self {
            Pairs::Hashed { pairs, .. } => pairs.len(),
            Pairs::Calculated { count, .. } => *count,
        }
    }

    /// A snapshot of the pairs that were inserted so far.
    pub(crate) fn met(&self) -> Met {
        Met(match self {
            Pairs::Hashed { pairs, .. } => Known::Below(pairs.len()),
            Pairs::Calculated { met, .. } => Known::These(met.clone()),
        })
    }

    /// The pair with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> (u32, u32) {
        match self {
            Pairs::Hashed { pairs, .. } => pairs[number as usize],
            Pairs::Calculated { width, .. } => (number / width, number % width),
        }
    }

    /// The number of a pair, which is inserted if it is new; none if the numbers are used up.
    #[inline]
    pub(crate) fn intern(&mut self, pair: (u32, u32)) -> Option<u32> {
        match self {
            Pairs::Hashed { pairs, index } => {
                run::memory::ask_to_grow::<u32>(index.len(), index.capacity());
                let is_it = |&number: &u32| pairs[number as usize] == pair;
                match index.entry(hash(pair), is_it, |&number| hash(pairs[number as usize])) {
                    Entry::Occupied(known) => Some(*known.get()),
                    Entry::Vacant(vacant) => {
                        let number = u32::try_from(pairs.len()).ok()?;
                        vacant.insert(number);
                        pairs.push(pair);
                        Some(number)
                    }
                }
            }
            Pairs::Calculated { width, met, count } => {
                debug_assert!(pair.1 < *width);
                let number = pair.0.checked_mul(*width)?.checked_add(pair.1)?;
                *count += usize::from(met.insert(number as usize));
                Some(number)
            }
        }
    }
}

impl Met {
    /// Whether the snapshot contains the pair with a number.
    pub fn contains(&self, number: u32) -> bool {
        match &self.0 {
            Known::Below(bound) => (number as usize) < *bound,
            Known::These(met) => met.contains(number as usize),
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
    fn calculated_numbers_and_hashed_ones_stand_for_the_same_pairs() {
        let (mut calculated, mut hashed) = (Pairs::below(3), Pairs::below(WIDEST + 1));
        assert!(matches!(calculated, Pairs::Calculated { .. }));
        assert!(matches!(hashed, Pairs::Hashed { .. }));
        let mut random = run::SplitMix64::new(5);
        let mut before = None;
        for k in 0..2000 {
            if k == 100 {
                before = Some((calculated.met(), hashed.met()));
            }
            let pair = (random.below(200) as u32, random.below(3) as u32);
            let mut intern = || calculated.intern(pair).zip(hashed.intern(pair));
            let numbers = intern().expect("there are few");
            assert_eq!(Some(numbers), intern());
            assert_eq!((calculated.get(numbers.0), hashed.get(numbers.1)), (pair, pair));
            assert_eq!(calculated.len(), hashed.len());
            if let Some((one, other)) = &before {
                assert_eq!(one.contains(numbers.0), other.contains(numbers.1));
            }
            assert!(calculated.met().contains(numbers.0) && hashed.met().contains(numbers.1));
        }
        assert!(hashed.len() > 500);
    }

    #[test]
    fn numbers_that_do_not_fit_are_not_given() {
        let mut pairs = Pairs::below(3);
        for pair in [(u32::MAX / 3 + 1, 0), (u32::MAX / 3, 2), (u32::MAX, 1)] {
            assert_eq!(pairs.intern(pair), None);
        }
        assert_eq!(pairs.len(), 0);
        let (row, number) = (1 << 20, 3 << 20);
        assert_eq!(pairs.intern((row, 2)), Some(number + 2));
        assert_eq!(pairs.get(number + 2), (row, 2));
    }
}
