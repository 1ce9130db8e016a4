//! The states that were found: packed bytes in arenas that never move, found by one table.
//!
//! There are [`SHARDS`] shards, chosen by the hash of a state, each with its own arena and table.
//! A state's id says where it is: shard and position. Per state this costs its bytes, four bytes for
//! its parent, and five to eleven for a table, which doubles when it is full. If the shards
//! were of one size, all would double at once; so the last is nearly twice as large as the first,
//! and all tables together take about eight bytes per state at any time.

use crate::system::states::States;

/// Shards, a power of two.
pub(super) const SHARDS: usize = 64;
/// Parents in a chunk, a power of two.
const CHUNK: usize = 256;

/// A state of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct StateId(u32);

/// The parent of a start state.
pub(super) const NO_PARENT: StateId = StateId(u32::MAX);

impl StateId {
    fn new(shard: usize, position: usize) -> StateId {
        let id = (position * SHARDS + shard) as u64;
        StateId(u32::try_from(id).expect("more than four billion states do not fit into memory"))
    }

    fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    fn position(self) -> usize {
        self.0 as usize / SHARDS
    }

    /// A dense number, nearly: below [`Store::bound`].
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// Which shard a hash belongs to.
pub(super) fn shard_of(hash: u64) -> usize {
    // The tables use the upper and the lowest bits: take others.
    SHARD_OF[(hash >> 16) as u32 as usize % SHARD_OF.len()] as usize
}

/// Shard k has `SHARDS + k` parts of all.
const SHARD_OF: [u8; SHARDS * SHARDS + SHARDS * (SHARDS - 1) / 2] = {
    let mut shards = [0; SHARDS * SHARDS + SHARDS * (SHARDS - 1) / 2];
    let (mut at, mut shard) = (0, 0);
    while shard < SHARDS {
        let mut part = 0;
        while part < SHARDS + shard {
            shards[at] = shard as u8;
            at += 1;
            part += 1;
        }
        shard += 1;
    }
    shards
};

/// All states.
pub(super) struct Store {
    shards: Vec<Shard>,
}

/// The states of one shard.
pub(super) struct Shard {
    number: usize,
    states: States,
    /// In chunks, too: a vector would be half empty after it has grown.
    parents: Vec<Box<[StateId]>>,
}

impl Store {
    /// No states of so many bytes yet.
    pub(super) fn new(bytes: usize) -> Store {
        let shard = |number| Shard { number, states: States::new(bytes), parents: Vec::new() };
        Store { shards: (0..SHARDS).map(shard).collect() }
    }

    /// Numbers of ids are below this.
    pub(super) fn bound(&self) -> usize {
        self.shards.iter().map(|shard| shard.states.len()).max().unwrap_or(0) * SHARDS
    }

    /// All ids.
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
        all.sum::<usize>() as u64
    }

    pub(super) fn get(&self, id: StateId) -> &[u8] {
        self.shards[id.shard()].states.get(id.position())
    }

    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.shards[id.shard()].parents[id.position() / CHUNK][id.position() % CHUNK];
        (parent != NO_PARENT).then_some(parent)
    }

    pub(super) fn find(&self, hash: u64, bytes: &[u8]) -> Option<StateId> {
        let shard = &self.shards[shard_of(hash)];
        let position = shard.states.find(hash, bytes)?;
        Some(StateId::new(shard.number, position as usize))
    }

    /// Has the processor fetch what it takes to find states that have these hashes, all at once: the
    /// loads of a loop do not wait for each other, but those of one state would.
    pub(super) fn touch(&self, hashes: impl Iterator<Item = u64> + Clone, slots: &mut Vec<u32>) {
        slots.clear();
        slots.extend(hashes.clone().map(|hash| self.shards[shard_of(hash)].states.touch(hash)));
        let bytes = hashes.zip(&*slots).fold(0, |all, (hash, &slot)| {
            all ^ self.shards[shard_of(hash)].states.touch_state(hash, slot)
        });
        std::hint::black_box(bytes);
    }

    /// Each by itself, so that they can be filled in parallel.
    pub(super) fn shards_mut(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// Inserts a state; its id if it is new.
    pub(super) fn insert(&mut self, hash: u64, bytes: &[u8], parent: StateId) -> Option<StateId> {
        self.shards[shard_of(hash)].insert(hash, bytes, parent)
    }
}

impl Shard {
    /// Inserts a state whose hash belongs here; its id if it is new.
    pub(super) fn insert(&mut self, hash: u64, bytes: &[u8], parent: StateId) -> Option<StateId> {
        let (position, is_new) = self.states.insert(hash, bytes);
        let position = position as usize;
        is_new.then(|| {
            if position.is_multiple_of(CHUNK) {
                self.parents.push(vec![NO_PARENT; CHUNK].into_boxed_slice());
            }
            self.parents[position / CHUNK][position % CHUNK] = parent;
            StateId::new(self.number, position)
        })
    }
}
