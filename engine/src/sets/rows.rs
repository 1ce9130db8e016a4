//! Rows of bits that several threads set and clear.
//!
//! A row belongs to some (r, l), and its bits to the states of the automaton: a set of product nodes
//! costs a bit for each pair, whether or not there is such a node. Rows of up to 64 bits lie inside
//! of a word.
//!
//! All changes are monotone while threads share the rows: in one round bits are only set, or only
//! cleared, or each is taken by one thread. So the result of a round does not depend on the order of
//! the changes, and relaxed accesses will do. The exceptions are bits that tell of other memory:
//! [`Rows::announce`] publishes what the thread has written before, and
//! [`Rows::take`] and [`Rows::remove`] see it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A set of pairs of a row and a bit.
#[derive(Debug)]
pub(super) struct Rows {
    words: Vec<AtomicU64>,
    len: usize,
    width: usize,
    /// Bits for a row inside of a word, a power of two; 64 if rows take whole words.
    bits: usize,
    /// Words of a row; 1 if several rows share one.
    per_row: usize,
}

impl Rows {
    /// No rows yet; each will have so many bits.
    pub(super) fn new(width: usize) -> Rows {
        let bits = width.max(1).next_power_of_two().min(64);
        let per_row = width.div_ceil(64).max(1);
        Rows { words: Vec::new(), len: 0, width, bits, per_row }
    }

    /// Empty rows of the same number and width.
    pub(super) fn cleared(&self) -> Rows {
        let mut rows = Rows::new(self.width);
        rows.grow(self.len);
        rows
    }

    /// A copy.
    pub(super) fn copied(&self) -> Rows {
        let copy = self.cleared();
        for (word, now) in copy.words.iter().zip(&self.words) {
            word.store(now.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        copy
    }

    /// Adds empty rows up to this number.
    pub(super) fn grow(&mut self, rows: usize) {
        if rows > self.len {
            self.len = rows;
            let words = self.word_of(rows - 1).0 + self.per_row;
            run::memory::ask_to_grow::<u64>(self.words.len(), self.words.capacity());
            self.words.resize_with(words, AtomicU64::default);
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The first word of a row, and the first bit in it.
    #[inline]
    fn word_of(&self, row: usize) -> (usize, usize) {
        if self.bits == 64 {
            (row * self.per_row, 0)
        } else {
            let bit = row * self.bits;
            (bit / 64, bit % 64)
        }
    }

    #[inline]
    fn place(&self, row: usize, bit: u32) -> (&AtomicU64, u64) {
        let (word, shift) = self.word_of(row);
        let bit = bit as usize;
        (&self.words[word + bit / 64], 1 << (shift + bit % 64))
    }

    /// Whether a bit is set.
    #[inline]
    pub(super) fn contains(&self, row: usize, bit: u32) -> bool {
        let (word, mask) = self.place(row, bit);
        word.load(Ordering::Relaxed) & mask != 0
    }

    /// Sets a bit, and returns whether it was not.
    #[inline]
    pub(super) fn insert(&self, row: usize, bit: u32) -> bool {
        let (word, mask) = self.place(row, bit);
        // Most bits are set already, and to read is cheaper.
        if word.load(Ordering::Relaxed) & mask != 0 {
            return false;
        }
        word.fetch_or(mask, Ordering::Relaxed) & mask == 0
    }

    /// Sets a bit after all that this thread has written: who [takes](Rows::take) it sees that.
    /// Returns whether the row had no bit in the same word.
    #[inline]
    pub(super) fn announce(&self, row: usize, bit: u32) -> bool {
        let (word, shift) = self.word_of(row);
        let bit = bit as usize;
        let before =
            self.words[word + bit / 64].fetch_or(1 << (shift + bit % 64), Ordering::Release);
        before >> shift & self.mask() == 0
    }

    /// Clears a bit, and returns whether it was set.
    #[inline]
    pub(super) fn remove(&self, row: usize, bit: u32) -> bool {
        let (word, mask) = self.place(row, bit);
        word.fetch_and(!mask, Ordering::AcqRel) & mask != 0
    }

    /// The part of a row that is in its `k`-th word, as the bits from `64 k` on.
    #[inline]
    pub(super) fn word(&self, row: usize, k: usize) -> u64 {
        let (word, shift) = self.word_of(row);
        self.mask() & (self.words[word + k].load(Ordering::Relaxed) >> shift)
    }

    /// Clears the part of a row that is in its `k`-th word, and returns it.
    #[inline]
    pub(super) fn take(&self, row: usize, k: usize) -> u64 {
        let (word, shift) = self.word_of(row);
        let word = &self.words[word + k];
        if self.mask() & (word.load(Ordering::Relaxed) >> shift) == 0 {
            return 0;
        }
        self.mask() & (word.fetch_and(!(self.mask() << shift), Ordering::Acquire) >> shift)
    }

    /// Sets bits of the part of a row that is in its `k`-th word.
    pub(super) fn add(&mut self, row: usize, k: usize, bits: u64) {
        let (word, shift) = self.word_of(row);
        *self.words[word + k].get_mut() |= bits << shift;
    }

    /// Replaces the word of a row that takes a whole word. No other thread uses it in the meantime.
    #[inline]
    pub(super) fn set_word(&self, row: usize, bits: u64) {
        debug_assert!(self.bits == 64 && self.per_row == 1);
        self.words[row].store(bits, Ordering::Relaxed);
    }

    #[inline]
    fn mask(&self) -> u64 {
        if self.bits == 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }

    /// The words of a row.
    #[inline]
    pub(super) fn per_row(&self) -> usize {
        self.per_row
    }

    /// The bits of a row that are set.
    #[inline]
    pub(super) fn bits(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.per_row).flat_map(move |k| ones(self.word(row, k), k))
    }

    /// Whether no bit of a row is set.
    #[inline]
    pub(super) fn is_empty(&self, row: usize) -> bool {
        (0..self.per_row).all(|k| self.word(row, k) == 0)
    }

    /// How many bits of a row are set before this one.
    #[inline]
    pub(super) fn before(&self, row: usize, bit: u32) -> u32 {
        let (full, rest) = (bit as usize / 64, bit % 64);
        let whole: u32 = (0..full).map(|k| self.word(row, k).count_ones()).sum();
        whole + (self.word(row, full) & ((1 << rest) - 1)).count_ones()
    }

    /// How many bits of a row are set.
    #[inline]
    pub(super) fn count_of(&self, row: usize) -> u32 {
        (0..self.per_row).map(|k| self.word(row, k).count_ones()).sum()
    }

    /// How many bits are set.
    pub(super) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }

    /// The rows in a range in which a bit is set, when they are come to.
    pub(super) fn filled(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut next = range.start;
        let end = range.end.min(self.len);
        std::iter::from_fn(move || {
            while next < end {
                let row = next;
                if self.bits == 64 {
                    next += 1;
                    if !self.is_empty(row) {
                        return Some(row);
                    }
                    continue;
                }
                // Empty rows in the rest of the word are left out at once.
                let (word, shift) = self.word_of(row);
                let rest = self.words[word].load(Ordering::Relaxed) >> shift;
                if rest == 0 {
                    next += (64 - shift) / self.bits;
                } else {
                    let found = row + rest.trailing_zeros() as usize / self.bits;
                    next = found + 1;
                    return (found < end).then_some(found);
                }
            }
            None
        })
    }
}

/// The numbers of the bits that are set in the `k`-th word of a row.
#[inline]
pub(super) fn ones(mut word: u64, k: usize) -> impl Iterator<Item = u32> {
    let first = crate::narrow::to_u32(64 * k);
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(first + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_of_all_widths_are_sets() {
        let mut random = run::SplitMix64::new(3);
        for width in [1, 2, 3, 5, 8, 17, 33, 64, 65, 130] {
            let mut rows = Rows::new(width);
            rows.grow(40);
            rows.grow(90);
            let mut expected = BTreeSet::new();
            for _ in 0..600 {
                let pair = (random.below(90), random.below(width) as u32);
                if random.below(3) > 0 {
                    assert_eq!(rows.insert(pair.0, pair.1), expected.insert(pair));
                } else {
                    assert_eq!(rows.remove(pair.0, pair.1), expected.remove(&pair));
                }
            }
            let all = rows.filled(0..90).flat_map(|row| rows.bits(row).map(move |bit| (row, bit)));
            assert!(all.eq(expected.iter().copied()), "{width}");
            assert_eq!(rows.count(), expected.len() as u64);
            for &(row, bit) in &expected {
                assert!(rows.contains(row, bit));
                let before = expected.range((row, 0)..(row, bit)).count();
                assert_eq!(rows.before(row, bit) as usize, before);
            }
            let row = random.below(90);
            let taken = (0..rows.per_row()).flat_map(|k| ones(rows.take(row, k), k)).count();
            assert_eq!(taken, expected.range((row, 0)..(row + 1, 0)).count());
            assert!(rows.is_empty(row));
        }
    }
}
