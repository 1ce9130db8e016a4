//! The states that were found: packed bytes in arenas that never move, found by hash tables.
//!
//! There are [`SHARDS`] shards, chosen by the hash of a state, each with its own arena and table.
//! The id of a state consists of its shard and its position. A state costs its bytes, four bytes
//! for its parent, and five to eleven for a table, which doubles when it is full. If the shards
//! were of one size, all would double at once; so the last is nearly twice as large as the first,
//! and all tables together take about eight bytes per state at any time.

#![allow(
    clippy::inline_always,
    reason = "where the number of words is known, loops over them must see it"
)]

use super::Compression;
use super::tree::Tree;
use crate::narrow::{low_u8, low_u32, to_u32};
use crate::system::states::{Key, States, hash};
use run::StopReason;

/// The number of shards, a power of two. A set of shards is a word: see [`Targets`].
const SHARDS: usize = u64::BITS as usize;
/// The number of parents in a chunk, a power of two.
const CHUNK: usize = 256;
/// The number of targets that are looked up at once: enough to hide the latency of memory, few
/// enough for the fetched lines to be still in the cache.
const BATCH: usize = 32;
/// A shard of fewer bytes is in the cache anyway, so nothing is prefetched.
const CACHED: usize = 1 << 14;

/// The id of a state in a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct StateId(u32);

/// The parent of a start state.
const NO_PARENT: StateId = StateId(u32::MAX);
/// The maximal number of states of a shard: their ids are less than [`NO_PARENT`].
const MOST_POSITIONS: usize = NO_PARENT.0 as usize / SHARDS;

impl StateId {
    /// Creates the id of a position, which must be below [`MOST_POSITIONS`].
    fn new(shard: usize, position: usize) -> StateId {
        StateId(to_u32(position * SHARDS + shard))
    }

    fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    fn position(self) -> usize {
        self.0 as usize / SHARDS
    }

    /// A nearly dense number, below [`Store::bound`].
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// The shard of a hash.
fn shard_of(hash: u64) -> usize {
    // The tables use the upper and the lowest bits of the hash, so others are taken here.
    SHARD_OF[low_u32(hash >> 16) as usize % SHARD_OF.len()] as usize
}

/// Maps residues of a hash to shards. Shard k has `SHARDS + k` of them.
const SHARD_OF: [u8; SHARDS * SHARDS + SHARDS * (SHARDS - 1) / 2] = {
    let mut shards = [0; SHARDS * SHARDS + SHARDS * (SHARDS - 1) / 2];
    let (mut at, mut shard) = (0, 0);
    while shard < SHARDS {
        let mut part = 0;
        while part < SHARDS + shard {
            shards[at] = low_u8(shard as u64);
            at += 1;
            part += 1;
        }
        shard += 1;
    }
    shards
};

/// All states that were found.
pub(super) struct Store {
    /// The number of bytes of a state.
    bytes: usize,
    /// If present, the shards hold roots of this tree in place of states.
    tree: Option<Tree>,
    shards: Vec<Shard>,
}

/// The states of one shard. No two shards share a cache line, because different threads write to
/// them.
#[repr(align(128))]
pub(super) struct Shard {
    number: usize,
    states: States,
    /// Parents in chunks, like states: a vector would be half empty after it has grown.
    parents: Vec<Box<[StateId]>>,
    /// New states since the last call of [`Shard::take_fresh`], in their order.
    fresh: Vec<StateId>,
    /// Whether a new state was dropped because positions are used up.
    is_full: bool,
}

impl Store {
    /// Creates an empty store for states of `bytes` bytes.
    pub(super) fn new(bytes: usize, compression: Compression) -> Store {
        Store::below(bytes, compression, MOST_POSITIONS)
    }

    /// [`Store::new`] with at most `most_positions` states in a shard.
    pub(super) fn below(bytes: usize, compression: Compression, most_positions: usize) -> Store {
        let tree = match compression {
            Compression::None => None,
            Compression::Tree => Tree::new(bytes),
        };
        let stored = tree.as_ref().map_or(bytes, Tree::bytes);
        let shard = |number| Shard {
            number,
            states: States::below(stored, most_positions),
            parents: Vec::new(),
            fresh: Vec::new(),
            is_full: false,
        };
        Store { bytes, tree, shards: (0..SHARDS).map(shard).collect() }
    }

    /// The reason why a new state was dropped, if one was: the shard of one of these targets is
    /// full, or, before it became a target, the table of one of its parts was.
    pub(super) fn full<'t>(
        &self,
        targets: impl Iterator<Item = &'t Targets> + Clone,
    ) -> Option<StopReason> {
        let is_dropped = targets.clone().any(|one| one.is_full);
        let is_full = || shards_of(targets).any(|shard| self.shards[shard].is_full);
        (is_dropped || is_full()).then(|| self.used_up())
    }

    /// The reason why there is no room for another state: memory, or else the numbers of states.
    fn used_up(&self) -> StopReason {
        let refused = self.shards.iter().find_map(|shard| shard.states.refused());
        let states = || self.shards.iter().map(|shard| shard.states.len()).sum();
        refused.unwrap_or_else(|| StopReason::States(states()))
    }

    /// An upper bound of the numbers of ids, exclusive.
    pub(super) fn bound(&self) -> usize {
        self.shards.iter().map(|shard| shard.states.len()).max().unwrap_or(0) * SHARDS
    }

    /// The ids of all states.
    pub(super) fn ids(&self) -> impl Iterator<Item = StateId> + '_ {
        self.shards.iter().flat_map(|shard| {
            (0..shard.states.len()).map(|position| StateId::new(shard.number, position))
        })
    }

    /// Bytes of memory in use.
    pub(super) fn memory(&self) -> u64 {
        let all = self.shards.iter().map(|shard| {
            shard.states.memory() + shard.parents.len() * CHUNK * size_of::<StateId>()
        });
        (all.sum::<usize>() + self.tree.as_ref().map_or(0, Tree::memory)) as u64
    }

    /// Reads a state.
    #[inline]
    pub(super) fn read(&self, id: StateId, words: &mut [u64]) {
        let states = &self.shards[id.shard()].states;
        match &self.tree {
            None => states.read(id.position(), words),
            Some(tree) => {
                let mut root = [0; 2];
                states.read(id.position(), &mut root[..tree.bytes().div_ceil(size_of::<u64>())]);
                tree.unfold(root, words);
            }
        }
    }

    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.shards[id.shard()].parents[id.position() / CHUNK][id.position() % CHUNK];
        (parent != NO_PARENT).then_some(parent)
    }

    pub(super) fn find(&self, words: &[u64]) -> Option<StateId> {
        let hash = hash(words, self.bytes);
        let shard = &self.shards[shard_of(hash)];
        let position = match &self.tree {
            None => shard.states.find(Key::of(hash), words)?,
            Some(tree) => {
                let (root, length) = tree.find(words)?;
                shard.states.find(tree.key(&root[..length]), &root[..length])?
            }
        };
        Some(StateId::new(shard.number, position as usize))
    }

    /// Creates an empty batch of targets for this store.
    pub(super) fn targets(&self) -> Targets {
        let stored = self.tree.as_ref().map_or(self.bytes, Tree::bytes);
        let stride = stored.div_ceil(size_of::<u64>()) + 1;
        Targets { stride, by_shard: vec![Vec::new(); SHARDS], used: 0, is_full: false }
    }

    /// Adds the target of a step out of `parent` to a batch.
    #[inline]
    pub(super) fn send(&self, words: &[u64], parent: StateId, targets: &mut Targets) {
        let hash = hash(words, self.bytes);
        let Targets { by_shard, used, is_full, .. } = targets;
        let shard = shard_of(hash);
        *used |= 1 << shard;
        let targets = &mut by_shard[shard];
        match &self.tree {
            None => {
                targets.reserve(words.len() + 1);
                targets.extend(words.iter().copied());
                targets.push(link(Key::of(hash), parent));
            }
            Some(tree) => {
                let Some((root, length)) = tree.fold(words) else {
                    *is_full = true;
                    return;
                };
                targets.extend(&root[..length]);
                targets.push(link(tree.key(&root[..length]), parent));
            }
        }
    }

    /// Takes the shards, so that each can be filled by itself. The store is empty until they are
    /// put back.
    pub(super) fn take_shards(&mut self) -> impl Iterator<Item = Shard> + '_ {
        self.shards.drain(..)
    }

    /// Puts the shards back, in the order in which they were taken.
    pub(super) fn put_shards(&mut self, shards: impl Iterator<Item = Shard>) {
        self.shards.extend(shards);
    }

    /// Inserts the targets of all shards, in their order, and appends the ids of the new states
    /// to `new`, shard by shard. Visits only shards that have targets, and returns their number.
    pub(super) fn insert_all<'t>(
        &mut self,
        targets: &(impl Iterator<Item = &'t Targets> + Clone),
        new: &mut Vec<StateId>,
    ) -> usize {
        let mut visited = 0;
        for shard in shards_of(targets.clone()) {
            let shard = &mut self.shards[shard];
            targets.clone().for_each(|one| shard.insert_all(one));
            shard.take_fresh(new);
            visited += 1;
        }
        visited
    }

    /// Inserts a start state. Returns its id if it is new, or the reason why it could not be
    /// inserted.
    pub(super) fn insert_start(&mut self, words: &[u64]) -> Result<Option<StateId>, StopReason> {
        let hash = hash(words, self.bytes);
        let shard = &mut self.shards[shard_of(hash)];
        let (id, is_full) = match &self.tree {
            None => (shard.insert(Key::of(hash), words, NO_PARENT), shard.is_full),
            Some(tree) => match tree.fold(words) {
                None => (None, true),
                Some((root, length)) => {
                    let root = &root[..length];
                    (shard.insert(tree.key(root), root, NO_PARENT), shard.is_full)
                }
            },
        };
        if is_full { Err(self.used_up()) } else { Ok(id) }
    }
}

impl Shard {
    /// Inserts a state of this shard. Returns its id if it is new and positions are not used up.
    #[inline(always)]
    fn insert(&mut self, key: Key, words: &[u64], parent: StateId) -> Option<StateId> {
        let Some((position, is_new)) = self.states.insert(key, words) else {
            self.is_full = true;
            return None;
        };
        let position = position as usize;
        is_new.then(|| {
            if position.is_multiple_of(CHUNK) {
                self.parents.push(vec![NO_PARENT; CHUNK].into_boxed_slice());
            }
            self.parents[position / CHUNK][position % CHUNK] = parent;
            StateId::new(self.number, position)
        })
    }

    /// Appends the ids of the states that are new since the last call.
    pub(super) fn take_fresh(&mut self, all: &mut Vec<StateId>) {
        all.append(&mut self.fresh);
    }

    /// Inserts the targets of this shard, in their order.
    pub(super) fn insert_all(&mut self, targets: &Targets) {
        let all = &targets.by_shard[self.number];
        // Most states are short, and code specialised to their length is faster.
        match targets.stride {
            2 => self.insert_each(all.as_chunks::<2>().0),
            3 => self.insert_each(all.as_chunks::<3>().0),
            4 => self.insert_each(all.as_chunks::<4>().0),
            stride => {
                for batch in all.chunks(BATCH * stride) {
                    self.touch(batch.chunks_exact(stride));
                    self.insert_batch(batch.chunks_exact(stride));
                }
            }
        }
    }

    fn insert_each<const STRIDE: usize>(&mut self, targets: &[[u64; STRIDE]]) {
        for batch in targets.chunks(BATCH) {
            self.touch(batch.iter().map(<[u64; STRIDE]>::as_slice));
            self.insert_batch(batch.iter().map(<[u64; STRIDE]>::as_slice));
        }
    }

    #[inline(always)]
    fn insert_batch<'t>(&mut self, batch: impl Iterator<Item = &'t [u64]>) {
        for target in batch {
            let [words @ .., link] = target else { unreachable!("a link follows the words") };
            let (key, parent) = unlink(*link);
            if let Some(id) = self.insert(key, words, parent) {
                self.fresh.push(id);
            }
        }
    }

    /// Makes the processor fetch the slots and states of these targets, all at once: the loads of a
    /// loop do not wait for each other, but those of one state would.
    #[inline(always)]
    fn touch<'t>(&self, batch: impl Iterator<Item = &'t [u64]> + Clone) {
        if self.states.memory() < CACHED {
            return;
        }
        let mut slots = [0; BATCH];
        let keys = batch.map(|target| unlink(target[target.len() - 1]).0);
        for (slot, key) in slots.iter_mut().zip(keys.clone()) {
            *slot = self.states.touch(key);
        }
        let bytes =
            keys.zip(&slots).fold(0, |all, (key, &slot)| all ^ self.states.touch_state(key, slot));
        std::hint::black_box(bytes);
    }
}

/// Targets on their way to the store, in the order in which they were found, by shard.
///
/// The expansion of states does not look up whether a target is known: all targets of a shard are
/// looked up together, when that part of the table and of the arena is in the cache anyway.
///
/// The shard of a state depends only on the state, so the order of states is the same in every run;
/// its position in the shard depends on its stored form.
pub(super) struct Targets {
    /// The number of words of a target: the stored form of the state, and a link.
    stride: usize,
    by_shard: Vec<Vec<u64>>,
    /// A bit for each shard, which is set if the shard has targets.
    used: u64,
    /// Whether a target was dropped because there was no number for a part of it.
    is_full: bool,
}

impl Targets {
    /// Removes all targets, but keeps the memory.
    pub(super) fn clear(&mut self) {
        ones(self.used).for_each(|shard| self.by_shard[shard].clear());
        self.used = 0;
        self.is_full = false;
    }

    /// The number of targets.
    pub(super) fn count(&self) -> usize {
        ones(self.used).map(|shard| self.by_shard[shard].len()).sum::<usize>() / self.stride
    }
}

/// The shards that have targets, in ascending order.
fn shards_of<'t>(targets: impl Iterator<Item = &'t Targets>) -> impl Iterator<Item = usize> {
    ones(targets.fold(0, |used, one| used | one.used))
}

/// The positions of the bits that are set, in ascending order.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then_some(bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}

/// Packs the key of a target and its parent into a word.
#[inline]
fn link(key: Key, parent: StateId) -> u64 {
    u64::from(parent.0) << 32 | u64::from(key.0)
}

#[inline]
fn unlink(link: u64) -> (Key, StateId) {
    (Key(low_u32(link)), StateId((link >> 32) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store reports that the positions of a shard are used up, and the stored states are still
    /// found.
    #[test]
    fn a_store_says_that_it_is_full() {
        for compression in [Compression::None, Compression::Tree] {
            let mut store = Store::below(24, compression, 2);
            let mut stored = Vec::new();
            let refused = (0..).find_map(|k| match store.insert_start(&[k, k, 5]) {
                Ok(id) => {
                    stored.push((k, id.expect("it is new")));
                    None
                }
                Err(reason) => Some((k, reason)),
            });
            let (next, reason) = refused.expect("there are 128 positions");
            assert_eq!(reason, StopReason::States(stored.len()), "{next}");
            assert!(stored.len() > 2 && stored.len() <= 2 * SHARDS);
            for (k, id) in stored {
                assert_eq!(store.find(&[k, k, 5]), Some(id));
                assert_eq!(store.parent(id), None);
                let mut words = [0; 3];
                store.read(id, &mut words);
                assert_eq!(words, [k, k, 5]);
            }
            assert_eq!(store.find(&[next, next, 5]), None);
        }
    }

    #[test]
    fn no_id_is_that_of_no_parent() {
        let last = StateId::new(SHARDS - 1, MOST_POSITIONS - 1);
        assert_eq!((last.shard(), last.position()), (SHARDS - 1, MOST_POSITIONS - 1));
        assert!(last < NO_PARENT);
    }
}
