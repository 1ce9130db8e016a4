//! A fast, deterministic hash for keys that are a few small integers: ids of formulas.
//!
//! Each word is mixed in by a multiplication to 128 bits whose halves are added without carry, so
//! that all bits of the key reach both ends of the hash. It does not withstand keys chosen to
//! collide: ids are given in the order of construction, which a text cannot choose freely.

use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are ids.
pub(crate) type IdMap<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// An odd number without pattern: the fraction of the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of what was hashed before and one more word.
pub(crate) const fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word) as u128 * MULTIPLIER as u128;
    (product as u64).rotate_left(23) ^ (product >> 64) as u64
}

/// Hashes integers by [`mixed`].
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mixed(self.0, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::HashSet;

    /// Tables take the place of an entry from the low bits, and its tag from the high ones.
    #[test]
    fn small_keys_spread_over_low_and_high_bits() {
        let hashes: Vec<u64> = (0..1 << 12).map(|key| mixed(0, key)).collect();
        for shift in [0, 52] {
            let places: HashSet<u64> = hashes.iter().map(|hash| hash >> shift & 0xfff).collect();
            // 4096 balls in 4096 bins leave about 1507 empty; a pattern would leave many more.
            assert!(places.len() > 2400, "{} places from bit {shift}", places.len());
        }
    }
}
