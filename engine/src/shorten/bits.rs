//! Small sets of obligations.

/// The most obligations of one component.
pub(super) const MOST: usize = 64 * WORDS;

const WORDS: usize = 4;

/// A set of numbers below [`MOST`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Bits([u64; WORDS]);

impl Bits {
    pub(super) fn insert(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    pub(super) fn or(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|k| self.0[k] | other.0[k]))
    }

    pub(super) fn minus(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|k| self.0[k] & !other.0[k]))
    }

    pub(super) fn is_empty(self) -> bool {
        self == Bits::default()
    }

    pub(super) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}
