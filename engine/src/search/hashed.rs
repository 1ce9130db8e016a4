//! Colours in little memory: a nested search that may miss nodes, and estimates how many.
//!
//! **Bitstate** ([`HOL98`]): a node is represented by k bits of an array, and is considered known
//! if all of its bits are set. Two hashes, combined as in [`DM04`], determine the positions of the
//! bits. A random new node is mistaken for a known one with probability qᵢ = (fraction of bits
//! set)ᵏ, if i nodes are known.
//!
//! **Hash compaction** ([`WL93`]): nodes are represented by a table of hashes of b bits. A new node
//! is mistaken for a known one with probability qᵢ = i/2ᵇ, if i nodes are known. ([`SD95`] shows
//! that fewer bits are enough; this implementation uses as many as fit into a word.)
//!
//! **The estimate.** Before one new node is entered as the (i+1)-th, qᵢ/(1 − qᵢ) others are
//! expected to be mistaken for known ones. The sum over all nodes that were entered, by both
//! searches, is the expected number of *omissions* so far, and the probability of any omission is
//! about 1 − exp(−sum). For compaction the sum is about n²/2ᵇ⁺¹, as in the birthday problem. It
//! counts nodes that were reached: the number of nodes that are reachable through omitted ones only
//! is unknown. So the answer is "not exhaustive", whatever the estimate.
//!
//! The two searches have separate sets of nodes, so that red is not mistaken for blue. The nodes of
//! the path are stored exactly, because cyan must be exact ([`nested`](super::nested)).
//!
//! [`DM04`]: crate::papers::DM04
//! [`HOL98`]: crate::papers::HOL98
//! [`SD95`]: crate::papers::SD95
//! [`WL93`]: crate::papers::WL93

#![allow(clippy::cast_precision_loss, reason = "an estimate needs few digits")]

use super::nested::Colours;
use foldhash::quality::FixedState;
use hashbrown::hash_table::Entry;
use hashbrown::{HashMap, HashTable};
use std::hash::{BuildHasher as _, Hash};

/// One of the two searches of a nested search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// The first search.
    Blue,
    /// The second search.
    Red,
}

/// Two sets of nodes that may mistake a new node for a known one, but never forget a node.
pub trait Visited {
    /// Inserts a node into the set of a search, and returns whether it seemed to be new. Equal
    /// nodes must have equal hashes.
    fn insert(&mut self, node: &impl Hash, pass: Pass) -> bool;

    /// An estimate of the omissions so far.
    fn omission(&self) -> Omission;

    /// Bytes of memory in use.
    fn memory(&self) -> usize;
}

/// An estimate of the nodes that a search missed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Omission {
    /// The number of nodes that were entered, by both searches.
    pub entered: u64,
    /// The expected number of new nodes that were reached and mistaken for known ones.
    pub expected: f64,
    /// The probability that this happens to the next new node.
    pub chance: f64,
}

impl Omission {
    /// The probability that some node was omitted.
    pub fn probability(&self) -> f64 {
        -(-self.expected).exp_m1()
    }

    /// The omissions of two searches, one after the other.
    #[must_use]
    pub fn and(self, other: Omission) -> Omission {
        Omission {
            entered: self.entered + other.entered,
            expected: self.expected + other.expected,
            chance: self.chance.max(other.chance),
        }
    }

    /// Counts a node that was entered, before which a new one was omitted with this probability.
    fn enter(&mut self, chance: f64) {
        self.entered += 1;
        self.expected += chance / (1.0 - chance);
    }
}

/// Colours of nodes, of which only cyan is exact.
#[derive(Clone, Debug)]
pub struct Hashed<N, V> {
    path: HashMap<N, u32>,
    visited: V,
}

impl<N, V> Hashed<N, V> {
    /// Creates the colours with all nodes white.
    pub fn new(visited: V) -> Self {
        Hashed { path: HashMap::new(), visited }
    }

    /// The sets of nodes that are not on the path.
    pub fn visited(&self) -> &V {
        &self.visited
    }
}

impl<N: Clone + Eq + Hash, V: Visited> Colours<N> for Hashed<N, V> {
    fn position(&self, node: &N) -> Option<u32> {
        self.path.get(node).copied()
    }

    fn paint_cyan(&mut self, node: &N, position: u32) -> bool {
        let is_white = self.visited.insert(node, Pass::Blue);
        if is_white {
            self.path.insert(node.clone(), position);
        }
        is_white
    }

    fn paint_blue(&mut self, node: &N) {
        self.path.remove(node);
    }

    fn paint_red(&mut self, node: &N) -> bool {
        self.visited.insert(node, Pass::Red)
    }
}

/// The number of bits per node.
const BITS_PER_NODE: u8 = 3;

/// A bit array that represents sets of nodes.
#[derive(Clone, Debug)]
pub struct Bitstate {
    words: Box<[u64]>,
    /// The number of bits that are set.
    set: u64,
    omission: Omission,
}

impl Bitstate {
    /// Creates an empty array of `bytes` bytes, at least eight; none if there is not enough memory.
    pub fn new(bytes: u64) -> Option<Bitstate> {
        let words = usize::try_from(bytes / 8).ok()?.max(1);
        // `vec!` allocates zeroed pages, which cost nothing before they are used, but it aborts if
        // the allocation fails. So the allocation is tried before.
        Vec::<u64>::new().try_reserve_exact(words).ok()?;
        Some(Bitstate { words: vec![0; words].into(), set: 0, omission: Omission::default() })
    }

    fn bits(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// The probability that all bits of a new node are set.
    fn chance(&self) -> f64 {
        (self.set as f64 / self.bits() as f64).powi(BITS_PER_NODE.into())
    }
}

impl Visited for Bitstate {
    fn insert(&mut self, node: &impl Hash, pass: Pass) -> bool {
        let bits = self.bits();
        let [mut at, mut step] = hashes(node, pass).map(|hash| hash % bits);
        let (before, chance) = (self.set, self.chance());
        for k in 0..u64::from(BITS_PER_NODE) {
            let word = &mut self.words[(at / 64) as usize];
            self.set += u64::from(*word >> (at % 64) & 1 == 0);
            *word |= 1 << (at % 64);
            at = (at + step) % bits;
            step = (step + k + 1) % bits;
        }
        let is_new = self.set > before;
        if is_new {
            self.omission.enter(chance);
        }
        is_new
    }

    fn omission(&self) -> Omission {
        Omission { chance: self.chance(), ..self.omission }
    }

    fn memory(&self) -> usize {
        self.words.len() * 8
    }
}

/// The number of bits of a hash that are kept; one more bit distinguishes red from blue.
const HASH_BITS: i32 = 63;

/// A table of hashes that represents sets of nodes.
#[derive(Clone, Debug, Default)]
pub struct Compaction {
    /// The hashes, with the last bit replaced by that of the search.
    table: HashTable<u64>,
    /// The number of hashes of each search.
    known: [u64; 2],
    omission: Omission,
}

impl Compaction {
    /// Creates an empty table.
    pub fn new() -> Compaction {
        Compaction::default()
    }

    fn chance(&self, pass: Pass) -> f64 {
        self.known[pass as usize] as f64 / 2_f64.powi(HASH_BITS)
    }
}

impl Visited for Compaction {
    fn insert(&mut self, node: &impl Hash, pass: Pass) -> bool {
        let [hash, _] = hashes(node, pass);
        let kept = hash & !1 | pass as u64;
        let entry = self.table.entry(kept, |&known| known == kept, |&known| known);
        let Entry::Vacant(vacant) = entry else { return false };
        vacant.insert(kept);
        self.omission.enter(self.chance(pass));
        self.known[pass as usize] += 1;
        true
    }

    fn omission(&self) -> Omission {
        let chance = self.chance(Pass::Blue).max(self.chance(Pass::Red));
        Omission { chance, ..self.omission }
    }

    fn memory(&self) -> usize {
        self.table.allocation_size()
    }
}

/// Two hashes of a node. They differ between the two searches, and are the same in every run.
fn hashes(node: &impl Hash, pass: Pass) -> [u64; 2] {
    let seeds: [u64; 2] = match pass {
        Pass::Blue => [0x1507, 0x2b1e],
        Pass::Red => [0x37ed, 0x4c0d],
    };
    seeds.map(|seed| FixedState::with_seed(seed).hash_one(node))
}

#[cfg(test)]
mod tests;
