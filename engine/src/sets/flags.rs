//! A bit for each numbered node, which several threads set and clear. See [`Rows`].

use super::rows::{Rows, ones};

/// A set of numbered nodes.
#[derive(Debug)]
pub(super) struct Flags {
    words: Rows,
    count: usize,
}

/// The word of a node, and its bit there.
#[inline]
fn place(node: u32) -> (usize, u32) {
    (node as usize / 64, node % 64)
}

impl Flags {
    /// None of this number of nodes.
    pub(super) fn none(count: usize) -> Flags {
        let mut words = Rows::new(64);
        words.grow(count.div_ceil(64));
        Flags { words, count }
    }

    /// All of this number of nodes.
    pub(super) fn all(count: usize) -> Flags {
        let flags = Flags::none(count);
        (0..count.div_ceil(64)).for_each(|word| {
            let rest = count - 64 * word;
            flags.words.set_word(word, if rest < 64 { (1 << rest) - 1 } else { u64::MAX });
        });
        flags
    }

    /// None of as many nodes.
    pub(super) fn cleared(&self) -> Flags {
        Flags::none(self.count)
    }

    /// The number of nodes that are in the set.
    pub(super) fn count(&self) -> u64 {
        self.words.count()
    }

    /// Whether a node is in the set.
    #[inline]
    pub(super) fn contains(&self, node: u32) -> bool {
        let (word, bit) = place(node);
        self.words.contains(word, bit)
    }

    /// Adds a node, and returns whether it was not in the set.
    #[inline]
    pub(super) fn insert(&self, node: u32) -> bool {
        let (word, bit) = place(node);
        self.words.insert(word, bit)
    }

    /// Adds a node after all that this thread has written: see [`Rows::announce`].
    #[inline]
    pub(super) fn announce(&self, node: u32) {
        let (word, bit) = place(node);
        self.words.announce(word, bit);
    }

    /// Removes a node, and returns whether it was in the set.
    #[inline]
    pub(super) fn remove(&self, node: u32) -> bool {
        let (word, bit) = place(node);
        self.words.remove(word, bit)
    }

    /// The nodes of the `k`-th word.
    #[inline]
    pub(super) fn word(&self, k: usize) -> u64 {
        self.words.word(k, 0)
    }

    /// Removes the nodes of the `k`-th word, and returns them: see [`Rows::take`].
    #[inline]
    pub(super) fn take(&self, k: usize) -> u64 {
        self.words.take(k, 0)
    }

    /// Replaces the nodes of the `k`-th word, which no other thread uses in the meantime.
    #[inline]
    pub(super) fn set_word(&self, k: usize, nodes: u64) {
        self.words.set_word(k, nodes);
    }

    /// The nodes of these words that are in the set, as they are when they are come to.
    #[inline]
    pub(super) fn of(&self, words: std::ops::Range<usize>) -> impl Iterator<Item = u32> + '_ {
        words.flat_map(|k| ones(self.word(k), k))
    }
}

/// The words of nodes in a range, whose ends are multiples of 64.
#[inline]
pub(super) fn words(nodes: std::ops::Range<u32>) -> std::ops::Range<usize> {
    debug_assert!(nodes.start.is_multiple_of(64));
    nodes.start as usize / 64..(nodes.end as usize).div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::to_u32;

    #[test]
    fn all_nodes_and_no_more_are_in_the_set() {
        for count in [0, 1, 63, 64, 65, 128, 200] {
            let flags = Flags::all(count);
            assert_eq!(flags.count(), count as u64);
            let found: Vec<u32> = flags.of(words(0..to_u32(count))).collect();
            assert!(found.into_iter().eq(0..to_u32(count)), "{count}");
            assert_eq!(flags.cleared().count(), 0);
        }
    }

    #[test]
    fn words_are_taken_whole() {
        let flags = Flags::none(200);
        for node in [3, 64, 127, 199] {
            assert!(flags.insert(node));
            assert!(!flags.insert(node));
        }
        assert_eq!(ones(flags.take(1), 1).collect::<Vec<_>>(), [64, 127]);
        assert!(!flags.contains(64) && flags.contains(199));
        flags.set_word(1, 2);
        assert!(flags.contains(65) && flags.remove(65) && !flags.remove(65));
        flags.announce(66);
        assert_eq!(flags.of(0..4).collect::<Vec<_>>(), [3, 66, 199]);
    }
}
