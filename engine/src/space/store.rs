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

use super::edges::{Edges, Encoded};
use super::numbers::{EPOCH, most_positions};
use super::tree::Tree;
use super::{Permutations, Representative, Unlinked, stored};
use crate::explore::Compression;
use crate::narrow::{low_u8, low_u32, to_u32};
use crate::space::unlinked::Landing;
use crate::system::states::{Key, States, hash};
use run::StopReason;
use std::sync::Arc;

/// The number of shards, a power of two. A set of shards is a word: see [`Targets`].
pub(crate) const SHARDS: usize = u64::BITS as usize;
/// The number of parents in a chunk, a power of two.
const CHUNK: usize = 256;
/// The number of targets that are looked up at once: enough to hide the latency of memory, few
/// enough for the fetched lines to be still in the cache.
const BATCH: usize = 32;
/// A shard of fewer bytes is in the cache anyway, so nothing is prefetched.
const CACHED: usize = 1 << 14;

/// The parent of a start state.
const NO_PARENT: Representative = Representative(u32::MAX);
/// The parent of a state that no exploration has reached yet.
const UNREACHED: Representative = Representative(u32::MAX - 1);
/// The number of no state.
const MISSING: Representative = Representative(u32::MAX);

/// The shard of a hash.
pub(super) fn shard_of(hash: u64) -> usize {
    // The tables use the upper and the lowest bits of the hash, so others are taken here.
    SHARD_OF[low_u32(hash >> 16) as usize % SHARD_OF.len()] as usize
}

/// Maps residues of a hash to shards. Shard k has `SHARDS + k` of them.
const SHARD_OF: [u8; EPOCH] = {
    let mut shards = [0; EPOCH];
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

/// All states that were found, owned by an exploration.
pub(crate) struct Store {
    /// The number of bytes of a state.
    pub(super) bytes: usize,
    /// If present, the shards hold roots of this tree in place of states.
    pub(super) tree: Option<Arc<Tree>>,
    pub(super) shards: Vec<Shard>,
    pub(super) permutations: Arc<Permutations>,
}

/// The states of one shard. No two shards share a cache line, because different threads write to
/// them.
#[repr(align(128))]
pub(crate) struct Shard {
    number: usize,
    /// Whether the space is not divided.
    is_only: bool,
    states: States,
    /// Parents in chunks, like states: a vector would be half empty after it has grown. States
    /// that products have found before an exploration have none yet.
    parents: Vec<Box<[Representative]>>,
    /// Whether some states may be [`UNREACHED`].
    has_unreached: bool,
    /// The edges of states, if they are stored.
    pub(super) edges: Encoded,
    /// Newly reached states since the last call of [`Shard::take_fresh`], in their order.
    fresh: Vec<Representative>,
    /// The states of all targets of a round, in their order, if edges are stored.
    landed: Vec<Representative>,
    keeps_landed: bool,
    /// Whether a new state was dropped because positions are used up.
    is_full: bool,
}

/// A store without shards.
impl Default for Store {
    fn default() -> Self {
        Store { bytes: 0, tree: None, shards: Vec::new(), permutations: Arc::default() }
    }
}

impl Store {
    /// Creates an empty store for states of `bytes` bytes.
    pub(crate) fn new(bytes: usize, compression: Compression) -> Store {
        Store::below(bytes, compression, usize::MAX)
    }

    /// [`Store::new`] with at most `most` states in a shard.
    pub(crate) fn below(bytes: usize, compression: Compression, most: usize) -> Store {
        let tree = match compression {
            Compression::None => None,
            Compression::Tree => Tree::new(bytes).map(Arc::new),
        };
        let stored = tree.as_ref().map_or(bytes, |tree| tree.bytes());
        let shard = |number| Shard::below(number, stored, most);
        let shards = (0..SHARDS).map(shard).collect();
        Store { bytes, tree, shards, permutations: Arc::default() }
    }

    /// The reason why a new state was dropped, if one was: the shard of one of these targets is
    /// full, or, before it became a target, the table of one of its parts was.
    pub(crate) fn full<'t>(
        &self,
        targets: impl Iterator<Item = &'t Targets> + Clone,
    ) -> Option<StopReason> {
        let is_dropped = targets.clone().any(|one| one.is_full);
        let is_full = || shards_of(targets).any(|shard| self.shards[shard].is_full);
        (is_dropped || is_full()).then(|| self.used_up())
    }

    /// The reason why there is no room for another state: memory, or else the numbers of states.
    pub(crate) fn used_up(&self) -> StopReason {
        let refused = self.shards.iter().find_map(|shard| shard.states.refused());
        let states = || self.shards.iter().map(|shard| shard.states.len()).sum();
        refused.unwrap_or_else(|| StopReason::States(states()))
    }

    /// Reads a state.
    #[inline]
    pub(crate) fn read(&self, id: Representative, words: &mut [u64]) {
        let (shard, position) = id.place();
        self.shards[shard].load(self.tree.as_deref(), position, words);
    }

    /// Creates an empty batch of targets for this store.
    pub(crate) fn targets(&self) -> Targets {
        Targets::new(self.bytes, self.tree.clone(), SHARDS)
    }

    /// Begins an exploration, which has reached no state yet. It may store edges.
    pub(crate) fn begin(&mut self, keeps_edges: bool) {
        for shard in &mut self.shards {
            shard.parents.clear();
            shard.has_unreached = shard.states.len() > 0;
            shard.keeps_landed = keeps_edges;
        }
    }

    /// Ends an exploration, whose parents are still known.
    pub(crate) fn end(&mut self) {
        for shard in &mut self.shards {
            shard.fresh = Vec::new();
            shard.landed = Vec::new();
            shard.keeps_landed = false;
        }
    }

    /// Stores the edges of the states of a round, whose targets have been inserted. Returns none if
    /// there is no room for them.
    pub(crate) fn store_edges<'e>(
        &mut self,
        chunks: impl Iterator<Item = (&'e Unlinked, &'e Targets)>,
    ) -> Option<()> {
        let mut before = [0_usize; SHARDS];
        let mut edges = Edges::default();
        for (chunk, targets) in chunks {
            for source in &chunk.sources {
                edges.clear(source.is_stuck);
                for edge in source.edges.clone().map(|number| chunk.edges.get(number)) {
                    let target = match edge.target {
                        Landing::Source => source.of,
                        Landing::Target { shard, place } => {
                            let shard = shard as usize;
                            self.shards[shard].landed[before[shard] + place as usize]
                        }
                    };
                    edges.push(edge.rule, edge.arguments, target, edge.moves.iter().copied());
                }
                let Store { shards, permutations, .. } = self;
                let (shard, position) = source.of.place();
                let number = |moves: &[_]| permutations.intern(moves);
                shards[shard].edges.insert(position, &edges, number)?;
            }
            for (before, all) in before.iter_mut().zip(&targets.by_shard) {
                *before += all.len() / targets.stride;
            }
        }
        self.shards.iter_mut().for_each(|shard| shard.landed.clear());
        Some(())
    }

    /// Takes the shards, so that each can be filled by itself. The store is empty until they are
    /// put back.
    pub(crate) fn take_shards(&mut self) -> impl Iterator<Item = Shard> + '_ {
        self.shards.drain(..)
    }

    /// Puts the shards back, in the order in which they were taken.
    pub(crate) fn put_shards(&mut self, shards: impl Iterator<Item = Shard>) {
        self.shards.extend(shards);
    }

    /// Inserts the targets of all shards, in their order, and appends the ids of the new states
    /// to `new`, shard by shard. Visits only shards that have targets, and returns their number.
    pub(crate) fn insert_all<'t>(
        &mut self,
        targets: &(impl Iterator<Item = &'t Targets> + Clone),
        new: &mut Vec<Representative>,
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
    pub(crate) fn insert_start(
        &mut self,
        words: &[u64],
    ) -> Result<Option<Representative>, StopReason> {
        let hash = hash(words, self.bytes);
        let shard = &mut self.shards[shard_of(hash)];
        let mut root = [0; 2];
        let (id, is_full) = match stored(self.tree.as_deref(), hash, words, &mut root) {
            Some((key, words)) => (shard.reach(key, words, NO_PARENT), shard.is_full),
            None => (None, true),
        };
        // It is not the target of an edge.
        shard.landed.clear();
        if is_full { Err(self.used_up()) } else { Ok(id) }
    }
}

impl Shard {
    /// An empty shard for states that are stored in so many bytes.
    pub(super) fn new(number: usize, bytes: usize) -> Shard {
        Shard::below(number, bytes, usize::MAX)
    }

    /// [`Shard::new`] with at most `most` states.
    fn below(number: usize, bytes: usize, most: usize) -> Shard {
        Shard {
            number,
            is_only: false,
            states: States::below(bytes, most.min(most_positions(number))),
            parents: Vec::new(),
            has_unreached: false,
            edges: Encoded::default(),
            fresh: Vec::new(),
            landed: Vec::new(),
            keeps_landed: false,
            is_full: false,
        }
    }

    /// The one shard of a space that is not divided, for states that are stored in so many bytes.
    pub(super) fn only(bytes: usize, most: usize) -> Shard {
        let most = most.min(UNREACHED.number());
        let states = States::below(bytes, most);
        Shard { is_only: true, states, ..Shard::new(0, bytes) }
    }

    /// The state at a position.
    #[inline]
    pub(super) fn state(&self, position: usize) -> Representative {
        if self.is_only {
            return Representative(to_u32(position));
        }
        Representative::new(self.number, position)
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of bytes of a stored state.
    pub(super) fn bytes(&self) -> usize {
        self.states.bytes()
    }

    /// Bytes of memory for states and their parents.
    pub(super) fn memory(&self) -> usize {
        let parents = self.parents.len() * CHUNK * size_of::<Representative>();
        self.states.memory() + parents
    }

    /// Forgets how an exploration reached states.
    pub(super) fn forget_parents(&mut self) {
        self.parents = Vec::new();
    }

    /// Why there was no memory for a state, if that is why it was not inserted.
    pub(super) fn refused(&self) -> Option<StopReason> {
        self.states.refused()
    }

    /// Reads a state.
    #[inline]
    pub(super) fn load(&self, tree: Option<&Tree>, position: usize, words: &mut [u64]) {
        match tree {
            None => self.states.read(position, words),
            Some(tree) => {
                let mut root = [0; 2];
                let length = tree.bytes().div_ceil(size_of::<u64>());
                self.states.read(position, &mut root[..length]);
                tree.unfold(root, words);
            }
        }
    }

    /// The state from which an exploration reached a state; none if it is a start state.
    pub(super) fn parent(&self, position: usize) -> Option<Representative> {
        let parent = self.parents[position / CHUNK][position % CHUNK];
        debug_assert!(parent != UNREACHED, "the exploration has reached it");
        (parent != NO_PARENT).then_some(parent)
    }

    /// The state of this shard with these words, if it is there.
    #[inline]
    pub(super) fn find(&self, key: Key, words: &[u64]) -> Option<Representative> {
        let position = self.states.find(key, words)?;
        Some(self.state(position as usize))
    }

    /// The state of this shard with these words, and whether it is new; none if positions are used
    /// up.
    pub(super) fn insert(&mut self, key: Key, words: &[u64]) -> Option<(Representative, bool)> {
        let (position, is_new) = self.states.insert(key, words)?;
        self.has_unreached |= is_new;
        Some((self.state(position as usize), is_new))
    }

    /// Inserts a state that the exploration has reached from its parent. Returns it if it was not
    /// reached before and positions are not used up.
    #[inline(always)]
    fn reach(&mut self, key: Key, words: &[u64], parent: Representative) -> Option<Representative> {
        let Some((position, is_new)) = self.states.insert(key, words) else {
            self.is_full = true;
            return None;
        };
        let position = position as usize;
        let is_first = is_new || self.has_unreached && self.is_unreached(position);
        // Most targets are known, and their numbers are not needed.
        if !is_first && !self.keeps_landed {
            return None;
        }
        let state = Representative::new(self.number, position);
        if self.keeps_landed {
            self.landed.push(state);
        }
        if !is_first {
            return None;
        }
        while self.parents.len() <= position / CHUNK {
            self.parents.push(vec![UNREACHED; CHUNK].into_boxed_slice());
        }
        self.parents[position / CHUNK][position % CHUNK] = parent;
        Some(state)
    }

    #[cold]
    fn is_unreached(&self, position: usize) -> bool {
        let parents = self.parents.get(position / CHUNK);
        parents.is_none_or(|parents| parents[position % CHUNK] == UNREACHED)
    }

    /// Appends the ids of the states that are new since the last call.
    pub(crate) fn take_fresh(&mut self, all: &mut Vec<Representative>) {
        all.append(&mut self.fresh);
    }

    /// Inserts the targets of this shard, in their order.
    pub(crate) fn insert_all(&mut self, targets: &Targets) {
        let all = &targets.by_shard[self.number];
        // Most states are short, and code specialised to their length is faster.
        match targets.stride {
            2 => self.insert_each(all.as_chunks::<2>().0),
            3 => self.insert_each(all.as_chunks::<3>().0),
            4 => self.insert_each(all.as_chunks::<4>().0),
            stride => {
                for batch in all.chunks(BATCH * stride) {
                    self.touch_all(batch.chunks_exact(stride));
                    self.insert_batch(batch.chunks_exact(stride));
                }
            }
        }
    }

    fn insert_each<const STRIDE: usize>(&mut self, targets: &[[u64; STRIDE]]) {
        for batch in targets.chunks(BATCH) {
            self.touch_all(batch.iter().map(<[u64; STRIDE]>::as_slice));
            self.insert_batch(batch.iter().map(<[u64; STRIDE]>::as_slice));
        }
    }

    #[inline(always)]
    fn insert_batch<'t>(&mut self, batch: impl Iterator<Item = &'t [u64]>) {
        for target in batch {
            let (words, key, parent) = parts(target);
            if let Some(id) = self.reach(key, words, Representative(parent)) {
                self.fresh.push(id);
            }
        }
    }

    /// Writes the states of these targets, the targets of this shard, to their places among all of
    /// a batch; [`MISSING`] for those that are not there. Returns whether all are.
    pub(super) fn find_all(
        &self,
        targets: &[u64],
        stride: usize,
        found: &mut [Representative],
    ) -> bool {
        let mut are_there = true;
        for batch in targets.chunks(BATCH * stride) {
            self.touch_all(batch.chunks_exact(stride));
            for target in batch.chunks_exact(stride) {
                let (words, key, place) = parts(target);
                let state = self.find(key, words).unwrap_or(MISSING);
                are_there &= state != MISSING;
                found[place as usize] = state;
            }
        }
        are_there
    }

    /// Inserts those that are missing. Returns how many are new, and none besides if there is no room
    /// for all.
    pub(super) fn insert_missing(
        &mut self,
        targets: &[u64],
        stride: usize,
        found: &mut [Representative],
    ) -> (usize, Option<()>) {
        let before = self.len();
        let all = targets.chunks_exact(stride).try_for_each(|target| {
            let (words, key, place) = parts(target);
            let found = &mut found[place as usize];
            if *found == MISSING {
                // Another thread, or an earlier target, may have inserted it.
                *found = self.insert(key, words)?.0;
            }
            Some(())
        });
        (self.len() - before, all)
    }

    /// Makes the processor fetch the slots and states of these targets, all at once: the loads of a
    /// loop do not wait for each other, but those of one state would.
    #[inline(always)]
    fn touch_all<'t>(&self, batch: impl Iterator<Item = &'t [u64]> + Clone) {
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

/// Targets on their way to the shards, in the order in which they were found, by shard.
///
/// The expansion of states does not look up whether a target is known: all targets of a shard are
/// looked up together, when that part of the table and of the arena is in the cache anyway.
///
/// The shard of a state depends only on the state, so the order of states is the same in every run;
/// its position in the shard depends on its stored form.
pub(crate) struct Targets {
    /// The number of bytes of a state, and the tree in which it is stored.
    bytes: usize,
    tree: Option<Arc<Tree>>,
    /// The number of words of a target: the stored form of the state, and a link.
    pub(super) stride: usize,
    pub(super) by_shard: Vec<Vec<u64>>,
    /// A bit for each shard, which is set if the shard has targets.
    used: u64,
    /// Whether a target was dropped because there was no number for a part of it.
    is_full: bool,
}

impl Targets {
    /// An empty batch for so many shards of states of `bytes` bytes that are stored in this tree, if
    /// there is one.
    pub(super) fn new(bytes: usize, tree: Option<Arc<Tree>>, shards: usize) -> Targets {
        let stored = tree.as_ref().map_or(bytes, |tree| tree.bytes());
        let stride = stored.div_ceil(size_of::<u64>()) + 1;
        let by_shard = vec![Vec::new(); shards];
        Targets { bytes, tree, stride, by_shard, used: 0, is_full: false }
    }

    /// Adds a state, with a number that stays with it: that of its parent, or its place among the
    /// targets of a batch. Returns its shard.
    #[inline]
    pub(crate) fn send(&mut self, words: &[u64], number: u32) -> usize {
        let hash = hash(words, self.bytes);
        let shard = if self.by_shard.len() == 1 { 0 } else { shard_of(hash) };
        self.used |= 1 << shard;
        let mut root = [0; 2];
        let Some((key, words)) = stored(self.tree.as_deref(), hash, words, &mut root) else {
            self.is_full = true;
            return shard;
        };
        let targets = &mut self.by_shard[shard];
        // Most states have one or two words: for them this is faster than to append a slice.
        for &word in words {
            targets.push(word);
        }
        targets.push(link(key, number));
        shard
    }

    /// Whether a target was dropped because there was no number for a part of it.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The number of targets of a shard.
    pub(super) fn sent(&self, shard: usize) -> usize {
        self.by_shard[shard].len() / self.stride
    }

    /// Removes all targets, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        ones(self.used).for_each(|shard| self.by_shard[shard].clear());
        self.used = 0;
        self.is_full = false;
    }

    /// The shards that have targets, in ascending order.
    pub(super) fn shards(&self) -> impl Iterator<Item = usize> + use<> {
        ones(self.used)
    }

    /// The number of targets.
    pub(crate) fn count(&self) -> usize {
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

/// Packs the key of a target and the number that was sent with it into a word.
#[inline]
fn link(key: Key, number: u32) -> u64 {
    u64::from(number) << 32 | u64::from(key.0)
}

#[inline]
fn unlink(link: u64) -> (Key, u32) {
    (Key(low_u32(link)), low_u32(link >> 32))
}

/// The stored form of a target, its key, and the number that was sent with it.
#[inline(always)]
fn parts(target: &[u64]) -> (&[u64], Key, u32) {
    let [words @ .., link] = target else { unreachable!("a link follows the words") };
    let (key, number) = unlink(*link);
    (words, key, number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Space;

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
            let space = Space::of(store);
            for (k, id) in stored {
                assert_eq!(space.find(&[k, k, 5]), Some(id));
                assert_eq!(space.parent(id), None);
                let mut words = [0; 3];
                space.load(id, &mut words);
                assert_eq!(words, [k, k, 5]);
            }
            assert_eq!(space.find(&[next, next, 5]), None);
        }
    }

    /// Threads that look up the same states in batches of their own get the same numbers, each once.
    #[test]
    fn states_that_are_looked_up_together_have_one_number() {
        let spaces = [
            Space::undivided(24),
            Space::new(24, Compression::None),
            Space::new(24, Compression::Tree),
        ];
        for space in spaces {
            let look_up = |first: u64| {
                let (mut sent, mut numbers) = (space.targets(), vec![MISSING; 3000]);
                for batch in 0..10 {
                    sent.clear();
                    for k in 0..500 {
                        // Some states are sent twice, even in a batch.
                        let state = (first + batch * 400 + 7 * k) % 3000;
                        sent.send(&[state / 3, state, 5], to_u32(state as usize));
                    }
                    space.look_up(&sent, &mut numbers).expect("there is room");
                }
                numbers
            };
            let all: Vec<_> = std::thread::scope(|scope| {
                let threads = [0, 700, 1900].map(|first| scope.spawn(move || look_up(first)));
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            let mut seen = vec![MISSING; 3000];
            for (state, number) in all.iter().flat_map(|numbers| numbers.iter().enumerate()) {
                if *number == MISSING {
                    continue;
                }
                let mut words = [0; 3];
                space.load(*number, &mut words);
                assert_eq!(words, [state as u64 / 3, state as u64, 5]);
                assert!([MISSING, *number].contains(&seen[state]));
                seen[state] = *number;
            }
            let known: Vec<_> = seen.into_iter().filter(|one| *one != MISSING).collect();
            assert_eq!(known.len(), space.len());
            let mut together = Vec::new();
            space.load_all(&known, 3, &mut together);
            for (number, packed) in known.iter().zip(together.chunks(3)) {
                assert_eq!(space.find(packed), Some(*number));
            }
        }
    }
}
