//! Sets of numbers.

/// A set of numbers, a bit for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Inserts a number and returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let (at, bit) = (number / 64, 1 << (number % 64));
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        let word = &mut self.words[at];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether a number is in the set.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}
