//! A set of packed states: bytes in an arena that never moves, found by one table of positions.
//!
//! The table has open addressing and linear probing. A slot holds the number of a state; the upper
//! bits, which such numbers do not need, hold bits of its key. So a slot of another state is nearly
//! always recognised without reading that state's bytes, and finding a state costs two cache
//! misses, its slot and its bytes. For several states the misses can be overlapped:
//! [`States::touch`].
//!
//! A state costs its bytes, and five to eleven more for the table, which doubles when it is full.
//! When the numbers are used up, or there is no memory for a larger table, no more states are
//! inserted, and [`States::insert`] returns none.
//!
//! Bytes are read and written in words of 64 bits. The last word may extend into the bytes after
//! the state, so a chunk of the arena ends with spare room. A state is written before those after
//! it are.

#![allow(
    clippy::inline_always,
    reason = "where the number of words is known, loops over them must see it"
)]

use crate::narrow::{low_u32, to_u32};
use run::StopReason;

/// The number of states in a chunk of the arena, a power of two.
const CHUNK: usize = 256;
/// The number of slots of the smallest table, a power of two.
const FEW: usize = 16;
/// The number of slots of the largest table: a slot that holds the last number, and bits of a key,
/// is not [`FREE`].
const MANY: usize = 1 << 31;
/// The maximal number of states: those of the largest table.
const MOST: usize = MANY / 4 * 3;
/// A slot without a state. Numbers are below three quarters of the slots: none is all ones, in the
/// bits that such numbers need.
///
/// Not zero: zeroed pages are mapped lazily, so reading before writing costs a second page fault
/// and a TLB shoot-down in every other thread.
const FREE: u32 = u32::MAX;
/// The number of states whose slots are fetched at once when a table grows: the loads of a loop do not
/// wait for each other.
const BATCH: usize = 32;
/// The number of bytes of a word.
const WORD: usize = size_of::<u64>();

/// Different packed states, numbered in the order in which they were inserted.
#[derive(Debug)]
pub(crate) struct States {
    /// The number of bytes of a state.
    bytes: usize,
    /// A mask of the bits of a state's last word that belong to it.
    last: u64,
    /// The slots, a power of two or none. At least a quarter of them are [`FREE`].
    table: Box<[u32]>,
    chunks: Vec<Box<[u8]>>,
    length: usize,
    /// The number of states at which the table must grow: three quarters of its slots, or `most`.
    room: usize,
    most: usize,
    /// Why there was no memory for a larger table.
    refused: Option<StopReason>,
}

/// The hash of a packed state of `bytes` bytes.
#[inline]
pub(crate) fn hash(words: &[u64], bytes: usize) -> u64 {
    use std::hash::BuildHasher as _;
    let all: &[u8] = bytemuck::cast_slice(words);
    foldhash::fast::FixedState::with_seed(0x1507).hash_one(&all[..bytes])
}

/// The part of a hash by which a state is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(pub(crate) u32);

impl Key {
    /// The key of a hash.
    #[inline]
    pub(crate) fn of(hash: u64) -> Key {
        Key(low_u32(hash ^ hash >> 32))
    }
}

impl States {
    /// Creates an empty set of states of `bytes` bytes, whose numbers will be less than `most`.
    pub(crate) fn below(bytes: usize, most: usize) -> States {
        let last = match bytes % WORD {
            0 => u64::MAX,
            rest => (1 << (8 * rest)) - 1,
        };
        let (table, chunks) = (Box::default(), Vec::new());
        let (length, room, most, refused) = (0, 0, most.min(MOST), None);
        States { bytes, last, table, chunks, length, room, most, refused }
    }

    /// The number of bytes of a state.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Why there was no memory for a state, if that is why it was not inserted.
    pub(crate) fn refused(&self) -> Option<StopReason> {
        self.refused
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        self.table.len() * size_of::<u32>() + self.chunks.len() * self.chunk_bytes()
    }

    fn chunk_bytes(&self) -> usize {
        CHUNK * self.bytes + WORD
    }

    /// The bytes of a state, and those after it up to a whole word, in words.
    #[inline(always)]
    fn stored(&self, number: usize) -> &[[u8; WORD]] {
        let start = number % CHUNK * self.bytes;
        let end = start + self.bytes.next_multiple_of(WORD);
        self.chunks[number / CHUNK][start..end].as_chunks().0
    }

    /// Reads a state by its number.
    #[inline]
    pub(crate) fn read(&self, number: usize, words: &mut [u64]) {
        for (word, stored) in words.iter_mut().zip(self.stored(number)) {
            *word = u64::from_le_bytes(*stored);
        }
        if let Some(word) = words.last_mut() {
            *word &= self.last;
        }
    }

    #[inline(always)]
    fn is(&self, number: usize, words: &[u64]) -> bool {
        let mut stored = self.stored(number).iter().map(|word| u64::from_le_bytes(*word));
        let Some((last, others)) = words.split_last() else { return true };
        others.iter().all(|&word| stored.next() == Some(word))
            && stored.next().is_some_and(|word| word & self.last == *last)
    }

    /// The number of a state, if it is in the set.
    pub(crate) fn find(&self, key: Key, words: &[u64]) -> Option<u32> {
        self.look_up(key, words).ok()
    }

    /// The number of a state, or else the slot where it belongs.
    #[inline(always)]
    fn look_up(&self, key: Key, words: &[u64]) -> Result<u32, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let last = self.table.len() - 1;
        let tag = tag(key, self.table.len());
        let mut at = key.0 as usize & last;
        loop {
            let slot = self.table[at];
            if slot == FREE {
                return Err(at);
            }
            // The lower bits are a number, the upper ones bits of a key.
            let number = slot as usize & last;
            if slot & !to_u32(last) == tag && self.is(number, words) {
                return Ok(to_u32(number));
            }
            at = (at + 1) & last;
        }
    }

    /// Makes the processor fetch the first slot at which a state is looked up, and returns its
    /// content.
    #[inline(always)]
    pub(crate) fn touch(&self, key: Key) -> u32 {
        match self.table.len() {
            0 => FREE,
            slots => self.table[key.0 as usize & (slots - 1)],
        }
    }

    /// Makes the processor fetch the bytes of the state in a slot that was touched, if it may be
    /// the wanted one, and returns one of them.
    #[inline(always)]
    pub(crate) fn touch_state(&self, key: Key, slot: u32) -> u8 {
        let slots = self.table.len();
        if slot == FREE || slot & !to_u32(slots).wrapping_sub(1) != tag(key, slots) {
            return 0;
        }
        let number = slot as usize & (slots - 1);
        self.stored(number).first().map_or(0, |word| word[0])
    }

    /// The number of a state, which is inserted if it is new, and whether it is new. None if it is
    /// new and the numbers are used up, or the memory.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: Key, words: &[u64]) -> Option<(u32, bool)> {
        let mut found = self.look_up(key, words);
        if found.is_err() && self.length >= self.room {
            self.grow()?;
            found = self.look_up(key, words);
        }
        let at = match found {
            Ok(number) => return Some((number, false)),
            Err(at) => at,
        };
        let number = self.length;
        self.table[at] = to_u32(number) | tag(key, self.table.len());
        if number.is_multiple_of(CHUNK) {
            self.chunks.push(vec![0; self.chunk_bytes()].into_boxed_slice());
        }
        let start = number % CHUNK * self.bytes;
        let places = self.chunks[number / CHUNK][start..].as_chunks_mut().0;
        for (place, word) in places.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        self.length += 1;
        Some((to_u32(number), true))
    }

    /// Doubles the table, unless the numbers are used up, or the memory.
    #[cold]
    fn grow(&mut self) -> Option<()> {
        if self.length >= self.most {
            return None;
        }
        // The table is not the largest yet, because there is still a number.
        let slots = (self.table.len() * 2).max(FEW);
        let table = run::memory::try_filled(FREE, slots);
        let mut table =
            table.map_err(|reason| self.refused = Some(reason)).ok()?.into_boxed_slice();
        let mut words = vec![0; self.bytes.div_ceil(WORD)];
        let mut keys = [Key(0); BATCH];
        for first in (0..self.length).step_by(BATCH) {
            let numbers = first..self.length.min(first + BATCH);
            let mut fetched = 0;
            for (key, number) in keys.iter_mut().zip(numbers.clone()) {
                self.read(number, &mut words);
                *key = Key::of(hash(&words, self.bytes));
                fetched ^= table[key.0 as usize & (slots - 1)];
            }
            std::hint::black_box(fetched);
            for (key, number) in keys.iter().zip(numbers) {
                let mut at = key.0 as usize & (slots - 1);
                while table[at] != FREE {
                    at = (at + 1) & (slots - 1);
                }
                table[at] = to_u32(number) | tag(*key, slots);
            }
        }
        self.table = table;
        self.room = (slots / 4 * 3).min(self.most);
        Some(())
    }
}

/// Bits of a key, above those that the numbers of a table with `slots` slots need. They are
/// different bits from those that determine the first slot of a state.
#[inline]
fn tag(key: Key, slots: usize) -> u32 {
    key.0 & !to_u32(slots).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_as_they_come_and_found_again() {
        for width in [0, 1, 2, 7, 8, 9, 16, 21] {
            let mut states = States::below(width, MOST);
            let mut known: Vec<Vec<u64>> = Vec::new();
            for k in 0..5_000_u64 {
                // Many states occur twice.
                let mixed = (k % 3_000).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let mut words: Vec<u64> = [mixed, mixed >> 9, 7][..width.div_ceil(8)].to_vec();
                if let Some(last) = words.last_mut() {
                    *last &= states.last;
                }
                let place = known.iter().position(|one| *one == words);
                let key = Key::of(hash(&words, width));
                assert_eq!(states.find(key, &words), place.map(|at| at as u32));
                let number = place.unwrap_or(known.len()) as u32;
                assert_eq!(states.insert(key, &words), Some((number, place.is_none())));
                if place.is_none() {
                    known.push(words);
                }
                states.touch_state(key, states.touch(key));
            }
            assert_eq!(states.len(), known.len());
            for (k, one) in known.iter().enumerate() {
                let mut words = vec![0; one.len()];
                states.read(k, &mut words);
                assert_eq!(words, *one);
            }
            assert!(
                states.table.len() >= known.len() && states.table.len() <= 16.max(4 * known.len())
            );
        }
    }

    /// A new state is refused when there is no number for it, every time; the stored ones are still
    /// found.
    #[test]
    fn numbers_are_given_until_they_are_used_up() {
        for most in [0, 1, 11, 12, 13, 300] {
            let mut states = States::below(8, most);
            let key = |state: usize| Key::of(hash(&[state as u64], 8));
            for state in 0..2 * most + 5 {
                let expected = (state < most).then_some((state as u32, true));
                assert_eq!(states.insert(key(state), &[state as u64]), expected, "{state}");
            }
            assert_eq!(states.len(), most);
            for state in 0..most {
                let (number, words) = (state as u32, [state as u64]);
                assert_eq!(states.insert(key(state), &words), Some((number, false)));
                assert_eq!(states.find(key(state), &words), Some(number));
            }
            assert_eq!(states.find(key(most), &[most as u64]), None);
        }
        // The largest table has room for all numbers, and none of its slots is mistaken for a free
        // one.
        assert_eq!(States::below(8, MOST).most, MOST);
        assert_eq!(States::below(8, usize::MAX).most, MOST);
        assert!((MANY as u32 | (MOST as u32 - 1)) != FREE);
    }
}
