//! The state space of a run: states, the edges between them, and how an exploration reached them.
//!
//! Under symmetry a run has one. Whatever comes first fills it: an [exploration](crate::explore), in
//! parallel and without locks, or the searches of [products](crate::product), each as far as it
//! needs. The others walk what is there and add the rest.
//!
//! States are in shards, chosen by their hash, and so is everything that belongs to a state. A
//! [`Space`] is shared by threads, with a lock for each shard; an exploration [takes](Space::take)
//! all shards as a [`Store`] that it owns, and puts them back at its end. A space that a few threads
//! search and none explores is [undivided](Space::undivided).

mod edges;
mod numbers;
mod store;
mod tree;
mod unlinked;

pub use edges::{Edge, Edges};
pub(crate) use store::{SHARDS, Shard, Store, Targets};
pub(crate) use unlinked::Unlinked;

use crate::explore::Compression;
use crate::rows::{KnownRows, SharedRows};
use crate::symmetry::Point;
use crate::system::states::{Key, hash};
use run::StopReason;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use store::shard_of;
use tree::Tree;

/// A state of the space: the representative of its orbit. Without symmetry every state is its own.
///
/// Numbers are nearly dense: the largest is little more than the number of states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Representative(pub u32);

/// The permutations of edges, each stored once, as the points that move with their images: most
/// move few.
pub(crate) type Permutations = SharedRows<(Point, Point)>;
/// The numbers of permutations that a thread knows.
pub(crate) type KnownPermutations = KnownRows<(Point, Point)>;

/// A permutation that moves fewer points than this is short.
const SHORT: usize = 16;

/// A state space, as far as it is known.
pub(crate) struct Space {
    /// The number of bytes of a state.
    bytes: usize,
    tree: Option<Arc<Tree>>,
    shards: Vec<RwLock<Shard>>,
    permutations: Arc<Permutations>,
    /// The number of states.
    states: AtomicUsize,
    /// The start states, each once, in the order in which they were first found, if all are known.
    starts: OnceLock<Vec<Representative>>,
}

/// The words by which a state of this hash is stored, with their key: those of the state, or of the
/// root of its tree. None if there is no number for a part of it.
#[inline]
fn stored<'w>(
    tree: Option<&Tree>,
    hash: u64,
    packed: &'w [u64],
    root: &'w mut [u64; 2],
) -> Option<(Key, &'w [u64])> {
    let Some(tree) = tree else { return Some((Key::of(hash), packed)) };
    let (folded, length) = tree.fold(packed)?;
    *root = folded;
    Some((tree.key(&root[..length]), &root[..length]))
}

impl Space {
    /// Creates an empty space for states of `bytes` bytes that explorations and many threads fill.
    pub(crate) fn new(bytes: usize, compression: Compression) -> Space {
        Space::of(Store::new(bytes, compression))
    }

    /// Creates an empty space that is not divided into shards, for searches that go from state to
    /// state: their numbers are in the order of insertion, and one table is in fewer pages. It cannot
    /// be explored.
    pub(crate) fn undivided(bytes: usize) -> Space {
        Space::undivided_below(bytes, usize::MAX)
    }

    /// [`Space::undivided`] with at most `most` states.
    pub(crate) fn undivided_below(bytes: usize, most: usize) -> Space {
        let shards = vec![Shard::only(bytes, most)];
        Space::of(Store { bytes, shards, ..Store::default() })
    }

    /// A space with these shards.
    pub(crate) fn of(store: Store) -> Space {
        let Store { bytes, tree, shards, permutations } = store;
        let states = AtomicUsize::new(shards.iter().map(Shard::len).sum());
        let shards = shards.into_iter().map(RwLock::new).collect();
        Space { bytes, tree, shards, permutations, states, starts: OnceLock::new() }
    }

    /// Takes all shards, so that they can be filled without locks. The space is empty until they
    /// are [put back](Space::put).
    pub(crate) fn take(&self) -> Store {
        assert_eq!(self.shards.len(), SHARDS, "an undivided space cannot be explored");
        let take = |(number, shard): (usize, &RwLock<Shard>)| {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            let empty = Shard::new(number, shard.bytes());
            std::mem::replace(&mut *shard, empty)
        };
        let shards = self.shards.iter().enumerate().map(take).collect();
        let (tree, permutations) = (self.tree.clone(), Arc::clone(&self.permutations));
        Store { bytes: self.bytes, tree, shards, permutations }
    }

    /// Forgets how the last exploration reached states.
    pub(crate) fn forget_parents(&self) {
        (0..self.shards.len()).for_each(|shard| self.write(shard).forget_parents());
    }

    /// Puts back the shards that were taken.
    pub(crate) fn put(&self, store: Store) {
        let mut states = 0;
        for (shard, filled) in self.shards.iter().zip(store.shards) {
            states += filled.len();
            *shard.write().unwrap_or_else(PoisonError::into_inner) = filled;
        }
        self.states.store(states, Ordering::Relaxed);
    }

    /// The shard of a hash.
    #[inline]
    fn shard_of(&self, hash: u64) -> usize {
        if self.shards.len() == 1 { 0 } else { shard_of(hash) }
    }

    /// The shard of a state, and its position there.
    #[inline]
    fn place(&self, of: Representative) -> (usize, usize) {
        if self.shards.len() == 1 { (0, of.number()) } else { of.place() }
    }

    fn read(&self, shard: usize) -> RwLockReadGuard<'_, Shard> {
        // No thread panics between two changes that belong together.
        self.shards[shard].read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, shard: usize) -> RwLockWriteGuard<'_, Shard> {
        self.shards[shard].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.states.load(Ordering::Relaxed)
    }

    /// An upper bound of the numbers of states, exclusive.
    pub(crate) fn bound(&self) -> usize {
        let last = |shard| {
            let shard = self.read(shard);
            Some(shard.state(shard.len().checked_sub(1)?))
        };
        (0..self.shards.len()).filter_map(last).map(|last| last.number() + 1).max().unwrap_or(0)
    }

    /// The number of stored edges.
    pub(crate) fn edges(&self) -> u64 {
        (0..self.shards.len()).map(|shard| self.read(shard).edges.count()).sum()
    }

    /// All states of an explored space, shard by shard.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Representative> + '_ {
        (0..self.shards.len()).flat_map(|shard| {
            let length = self.read(shard).len();
            (0..length).map(move |position| Representative::new(shard, position))
        })
    }

    /// A state with these words, if it is there.
    pub(crate) fn find(&self, packed: &[u64]) -> Option<Representative> {
        let hash = hash(packed, self.bytes);
        let shard = self.read(self.shard_of(hash));
        match &self.tree {
            None => shard.find(Key::of(hash), packed),
            Some(tree) => {
                let (root, length) = tree.find(packed)?;
                shard.find(tree.key(&root[..length]), &root[..length])
            }
        }
    }

    /// The state from which the last exploration reached a state; none if it is a start state.
    pub(crate) fn parent(&self, of: Representative) -> Option<Representative> {
        let (shard, position) = self.place(of);
        self.read(shard).parent(position)
    }

    /// Bytes of memory for states.
    pub(crate) fn states_memory(&self) -> usize {
        let shards: usize = (0..self.shards.len()).map(|shard| self.read(shard).memory()).sum();
        shards + self.tree.as_ref().map_or(0, |tree| tree.memory())
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        let edges: usize =
            (0..self.shards.len()).map(|shard| self.read(shard).edges.memory()).sum();
        self.states_memory() + edges + self.permutations.memory()
    }

    /// The start states, if all are known.
    pub(crate) fn starts(&self) -> Option<&[Representative]> {
        self.starts.get().map(Vec::as_slice)
    }

    /// Records all start states.
    pub(crate) fn set_starts(&self, starts: Vec<Representative>) {
        // Another thread may have been faster, with the same states.
        let _ = self.starts.set(starts);
    }

    /// Reads a state.
    #[inline]
    pub(crate) fn load(&self, of: Representative, packed: &mut [u64]) {
        let (shard, position) = self.place(of);
        self.read(shard).load(self.tree.as_deref(), position, packed);
    }

    /// Reads some states, one after the other, each as so many words. Each shard is locked once.
    pub(crate) fn load_all(&self, all: &[Representative], words: usize, packed: &mut Vec<u64>) {
        packed.resize(all.len() * words, 0);
        if let [one] = all {
            return self.load(*one, packed);
        }
        let places = all.iter().map(|&of| self.place(of)).zip(0..);
        let mut places: Vec<((usize, usize), usize)> = places.collect();
        places.sort_unstable();
        for group in places.chunk_by(|((one, _), _), ((other, _), _)| one == other) {
            let shard = self.read(group[0].0.0);
            for &((_, position), k) in group {
                shard.load(self.tree.as_deref(), position, &mut packed[k * words..][..words]);
            }
        }
    }

    /// A state of these words, which is inserted if it is new; none if there is no room for it.
    pub(crate) fn intern(&self, packed: &[u64]) -> Option<Representative> {
        let hash = hash(packed, self.bytes);
        let shard = self.shard_of(hash);
        let mut root = [0; 2];
        let (key, words) = stored(self.tree.as_deref(), hash, packed, &mut root)?;
        if let Some(known) = self.read(shard).find(key, words) {
            return Some(known);
        }
        let (found, is_new) = self.write(shard).insert(key, words)?;
        self.states.fetch_add(is_new.into(), Ordering::Relaxed);
        Some(found)
    }

    /// An empty batch of states to be looked up together.
    pub(crate) fn targets(&self) -> Targets {
        Targets::new(self.bytes, self.tree.clone(), self.shards.len())
    }

    /// Writes the states of a batch to the places that were sent with them; new ones are inserted.
    /// Returns none if there is no room for one.
    ///
    /// Each shard is locked once, or once more to insert: threads that send many states at once hardly
    /// wait for each other, neither for locks nor for the memory of locks.
    pub(crate) fn look_up(&self, all: &Targets, found: &mut [Representative]) -> Option<()> {
        for shard in all.shards() {
            let targets = &all.by_shard[shard][..];
            if !self.read(shard).find_all(targets, all.stride, found) {
                let (new, inserted) = self.write(shard).insert_missing(targets, all.stride, found);
                self.states.fetch_add(new, Ordering::Relaxed);
                inserted?;
            }
        }
        (!all.is_full()).then_some(())
    }

    /// The reason why there is no room for another state: memory, or else the numbers of states.
    pub(crate) fn used_up(&self) -> StopReason {
        let refused = (0..self.shards.len()).find_map(|shard| self.read(shard).refused());
        refused.unwrap_or_else(|| StopReason::States(self.len()))
    }

    /// Reads the edges of a state, and returns whether they are stored.
    pub(crate) fn load_edges(&self, of: Representative, edges: &mut Edges) -> bool {
        let (shard, position) = self.place(of);
        self.read(shard).edges.read(position, edges, &self.permutations)
    }

    /// Stores the edges of a state, unless they are stored already. Returns none if there is no room
    /// for them.
    pub(crate) fn store_edges(
        &self,
        of: Representative,
        edges: &Edges,
        known: &mut KnownPermutations,
    ) -> Option<()> {
        let (shard, position) = self.place(of);
        let number = |moves: &[_]| match moves.len() {
            // Longer ones are many, and would take too much memory for each thread.
            0..SHORT => known.number(&self.permutations, moves),
            _ => self.permutations.intern(moves),
        };
        self.write(shard).edges.insert(position, edges, number)
    }
}
