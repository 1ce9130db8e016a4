//! Colours in little memory: a nested search that may miss something, and says how much.
//!
//! **Bitstate** ([`HOL98`]): k bits of an array stand for a node, and a node is known if all of its
//! are set. Where they are is told by two hashes, combined as in [`DM04`]. A new node, taken at
//! random, is taken for a known one with chance qᵢ = (fraction of bits set)ᵏ, if i nodes are known.
//!
//! **Hash compaction** ([`WL93`]): a table of hashes of b bits stands for the nodes. A new node is
//! taken for a known one with chance qᵢ = i/2ᵇ, if i nodes are known. ([`SD95`] shows that fewer
//! bits would do; we take what fits into a word.)
//!
//! **The estimate.** Before one new node is entered as the (i+1)-th, qᵢ/(1 − qᵢ) others are
//! expected to be taken for known ones; the sum over all that were entered, by both searches, is
//! the expected number of *omissions* so far, and the chance that there was any is about
//! 1 − exp(−sum). For compaction the sum is about n²/2ᵇ⁺¹, as with birthdays. It counts
//! nodes that were looked at: how many more are reached through omitted ones only, nobody can say.
//! So the answer is "not exhaustive", whatever the estimate.
//!
//! Both searches have nodes of their own, so that red is not taken for blue. Nodes of the path are
//! kept as they are, because cyan must be exact ([`nested`](super::nested)).
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

/// One of the two searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// The first.
    Blue,
    /// The second.
    Red,
}

/// Two sets of nodes that may take a node for one that they have, but never forget one.
pub trait Visited {
    /// Puts a node into the set of a search; whether it seemed to be new. The hashes of equal nodes are
    /// equal.
    fn insert(&mut self, node: &impl Hash, pass: Pass) -> bool;

    /// What was probably omitted so far.
    fn omission(&self) -> Omission;

    /// Bytes of memory in use.
    fn memory(&self) -> usize;
}

/// An estimate of what a search did not look at.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Omission {
    /// Nodes that were entered, by both searches.
    pub entered: u64,
    /// The expected number of nodes that were met and taken for known ones, although they were new.
    pub expected: f64,
    /// The chance that this happens to the next new node.
    pub chance: f64,
}

impl Omission {
    /// The chance that some node was omitted.
    pub fn probability(&self) -> f64 {
        -(-self.expected).exp_m1()
    }

    /// What two searches omitted, one after the other.
    #[must_use]
    pub fn and(self, other: Omission) -> Omission {
        Omission {
            entered: self.entered + other.entered,
            expected: self.expected + other.expected,
            chance: self.chance.max(other.chance),
        }
    }

    /// Before a node was entered, a new one was omitted with this chance.
    fn enter(&mut self, chance: f64) {
        self.entered += 1;
        self.expected += chance / (1.0 - chance);
    }
}

/// Colours of which only cyan is exact.
#[derive(Clone, Debug)]
pub struct Hashed<N, V> {
    path: HashMap<N, u32>,
    visited: V,
}

impl<N, V> Hashed<N, V> {
    /// All nodes are white.
    pub fn new(visited: V) -> Self {
        Hashed { path: HashMap::new(), visited }
    }

    /// What is known of nodes that are not on the path.
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

/// Bits that stand for a node.
const BITS_PER_NODE: u8 = 3;

/// A bit array.
#[derive(Clone, Debug)]
pub struct Bitstate {
    words: Box<[u64]>,
    /// How many bits are set.
    set: u64,
    omission: Omission,
}

impl Bitstate {
    /// Nothing is known, in so many bytes; at least eight. None if there is not so much memory.
    pub fn new(bytes: u64) -> Option<Bitstate> {
        let words = usize::try_from(bytes / 8).ok()?.max(1);
        // Zeroed memory, which costs nothing before it is used, cannot be asked for without dying
        // of a refusal.
        Vec::<u64>::new().try_reserve_exact(words).ok()?;
        Some(Bitstate { words: vec![0; words].into(), set: 0, omission: Omission::default() })
    }

    fn bits(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// The chance that all bits of a new node are set.
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

/// Bits of a hash that are kept; one more tells red from blue.
const HASH_BITS: i32 = 63;

/// A table of hashes.
#[derive(Clone, Debug, Default)]
pub struct Compaction {
    /// Hashes, the last bit replaced by that of the search.
    table: HashTable<u64>,
    /// How many are of each search.
    known: [u64; 2],
    omission: Omission,
}

impl Compaction {
    /// Nothing is known.
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

/// Two hashes of a node, others for each search; the same in every run.
fn hashes(node: &impl Hash, pass: Pass) -> [u64; 2] {
    let seeds: [u64; 2] = match pass {
        Pass::Blue => [0x1507, 0x2b1e],
        Pass::Red => [0x37ed, 0x4c0d],
    };
    seeds.map(|seed| FixedState::with_seed(seed).hash_one(node))
}

#[cfg(test)]
mod tests;
