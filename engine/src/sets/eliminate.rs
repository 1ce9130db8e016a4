//! The passes: nodes are removed until nothing changes.
//!
//! Let S be the nodes that are left, at first all that were reached in a component of the automaton
//! that has accepting cycles. Only edges that stay in such a component count.
//!
//! ```text
//! (T)  remove nodes without a predecessor in S
//! (A)  for each acceptance set: keep what can be reached in S from the target of an edge of the set
//! (F)  remove a node if p is true there of an object that is not served there
//! (G)  remove all nodes over (r, l) if some step out of it is taken by no edge between nodes of S
//! ```
//!
//! *Served* at u, for each family, are the least sets of objects, in the coordinates of u and closed
//! under the group by which edges were dropped at u, such that an object of which q is true at u is
//! served at u; and if an object x is served at u, or by the step of an edge u –π→ v in S, then
//! π⁻¹(x) is served at v. (A step that was dropped is σ of one that was kept, with the permutation
//! σπ: it takes to v what the kept one takes there.) Sets are kept at all nodes, whatever p says of
//! them: objects are carried through.
//!
//! **Invariant.** Nodes that a fair, accepting run visits again and again are never removed. **At
//! the end**, what is left of S, if anything, has a component into which no edge of S leads, and
//! that carries such a run, unless global fairness is demanded.
//!
//! Each pass begins with some S and removes what does not depend on the order of its work. (T) keeps
//! the numbers of predecessors up to date, so that all of its rounds together visit each edge once.

use super::families::Families;
use super::kinds::Known;
use super::lock;
use super::reach::Reached;
use super::rows::{Rows, ones};
use super::ways::Ways;
use crate::explore::team::Job;
use crate::interned::Interned;
use crate::narrow::to_u32;
use run::{StopReason, stoppable};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The (r, l) of a chunk: their rows begin and end with words.
const CHUNK: usize = 2048;
/// The removed nodes of a chunk.
const GONE: usize = 512;
/// The most nodes that a thread removes for those of a chunk before others may help.
const MOST_FOLLOWED: usize = 1 << 13;

/// A node: the number of its (r, l), and its state of the automaton.
pub(super) type Place = (u32, u32);

/// The elimination, and the data that all threads work on.
pub(super) struct Elimination<'e, W> {
    pub(super) found: &'e Reached,
    pub(super) families: &'e Families,
    pub(super) takes: bool,
    /// The nodes at the beginning, and by (r, l) how many are before its own: that is where their
    /// counts and sets are.
    pub(super) all: Rows,
    first: Vec<u32>,
    /// S.
    pub(super) left: Rows,
    /// By node: its predecessors in S, each as often as there are edges.
    before: Vec<AtomicU32>,
    /// By node: the objects that are served there.
    served: Vec<AtomicU64>,
    /// What (r, l) serve, and what concerns them: all that differs.
    facts: Mutex<Interned<Vec<u64>>>,
    /// By (r, l): the number of that plus one; 0 before it was computed.
    fact: Vec<AtomicU32>,
    /// What (A) has marked.
    pub(super) marked: Rows,
    /// The nodes from which something is to be carried on.
    pub(super) dirty: Rows,
    pub(super) has_changed: AtomicBool,
    pub(super) phase: Phase,
    /// Nodes that were removed, and whose successors have not been told.
    pub(super) gone: Vec<Place>,
    pub(super) next: Mutex<Vec<Place>>,
    pub(super) stopped: Mutex<Option<StopReason>>,
    ways: PhantomData<fn() -> W>,
}

/// A part of a pass, done by all threads before the next one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// (T): counts predecessors; finds those that have none; tells successors of removed nodes.
    Count,
    Bare,
    Drop,
    /// (A): marks targets of edges of a set, then what they lead to; removes the others.
    Mark(u32),
    Spread,
    Keep,
    /// (F): what states serve; what is carried to others; removes what is concerned, not served.
    Serve,
    Carry,
    Refuse,
    /// (G): finds the nodes over (r, l) with steps that are not taken, and removes them.
    Take,
    Clear,
}

/// Buffers of a thread.
#[derive(Default)]
pub(super) struct Buffers {
    /// The sets of the nodes over one (r, l).
    rows: Vec<u64>,
    enabled: Vec<u64>,
    /// What some (r, l) serves, and then what concerns it.
    said: Vec<u64>,
    known: Known<Vec<u64>>,
    /// The first of all facts.
    facts: Vec<Vec<u64>>,
    out: Vec<u64>,
    image: Vec<u64>,
    /// Removed nodes.
    open: Vec<Place>,
}

impl<'e, W: Ways> Elimination<'e, W> {
    /// Begins with all nodes that can be on an accepting cycle.
    pub(super) fn new(
        found: &'e Reached,
        families: &'e Families,
        is_global: bool,
    ) -> Result<Self, StopReason> {
        let all = found.nodes.cleared();
        let mut first = run::memory::try_filled(0_u32, found.nodes.len())?;
        let mut count = 0_u32;
        for base in found.nodes.filled(0..found.nodes.len()) {
            run::poll();
            first[base] = count;
            for state in found.nodes.bits(base) {
                if found.shape.is_accepting(state) {
                    all.insert(base, state);
                    count = count.checked_add(1).ok_or(StopReason::States(u32::MAX as usize))?;
                }
            }
        }
        let left = all.cleared();
        all.filled(0..all.len()).for_each(|base| {
            all.bits(base).for_each(|state| {
                left.insert(base, state);
            });
        });
        let words = families.words * count as usize;
        run::memory::ask_for(count as usize * size_of::<u32>() + words * size_of::<u64>())?;
        let asked = if families.is_empty() { 0 } else { found.nodes.len() };
        run::memory::ask_for(asked * size_of::<u32>())?;
        Ok(Elimination {
            found,
            families,
            takes: is_global,
            first,
            left,
            before: (0..count).map(|_| AtomicU32::new(0)).collect(),
            served: (0..words).map(|_| AtomicU64::new(0)).collect(),
            facts: Mutex::default(),
            fact: (0..asked).map(|_| AtomicU32::new(0)).collect(),
            marked: all.cleared(),
            dirty: all.cleared(),
            all,
            has_changed: AtomicBool::new(false),
            phase: Phase::Count,
            gone: Vec::new(),
            next: Mutex::new(Vec::new()),
            stopped: Mutex::new(None),
            ways: PhantomData,
        })
    }

    /// The number of a node among those at the beginning.
    #[inline]
    fn number(&self, base: usize, state: u32) -> usize {
        (self.first[base] + self.all.before(base, state)) as usize
    }

    /// The set of objects that are served at a node.
    #[inline]
    fn served(&self, base: usize, state: u32) -> &[AtomicU64] {
        let words = self.families.words;
        &self.served[self.number(base, state) * words..][..words]
    }

    /// Calls a function for each edge of S out of the nodes over (r, l), with its source, its target
    /// and whether it is in an acceptance set.
    #[inline]
    fn edges(&self, base: usize, mut each: impl FnMut(u32, usize, u32, automata::Marks)) {
        let Reached { records, kinds, inner, .. } = self.found;
        let edges = records.get(to_u32(base)).edges;
        for k in 0..self.left.per_row() {
            let word = self.left.word(base, k);
            if word == 0 {
                continue;
            }
            for (target, kind) in edges.clone() {
                let letter = kinds[kind as usize].letter;
                for state in ones(word, k) {
                    for &(to, marks) in inner.of(letter, state) {
                        if self.left.contains(target as usize, to) {
                            each(state, target as usize, to, marks);
                        }
                    }
                }
            }
        }
    }

    fn count(&self, rows: Range<usize>) {
        for base in self.left.filled(rows) {
            run::poll();
            self.edges(base, |_, target, to, _| {
                self.before[self.number(target, to)].fetch_add(1, Ordering::Relaxed);
            });
        }
    }

    /// Removes nodes for which this is true.
    fn remove(&self, rows: Range<usize>, mut is_removed: impl FnMut(usize, u32) -> bool) {
        let mut gone = Vec::new();
        for base in self.left.filled(rows) {
            run::poll();
            for k in 0..self.left.per_row() {
                for state in ones(self.left.word(base, k), k) {
                    if is_removed(base, state) {
                        self.left.remove(base, state);
                        gone.push((to_u32(base), state));
                    }
                }
            }
        }
        lock(&self.next).append(&mut gone);
    }

    /// Removes the nodes whose last predecessors are among removed ones, and so on.
    fn drop_after(&self, gone: &[Place], open: &mut Vec<Place>) {
        let Reached { records, kinds, inner, .. } = self.found;
        open.clear();
        open.extend_from_slice(gone);
        let mut followed = 0;
        while let Some((base, state)) = open.pop() {
            run::poll();
            followed += 1;
            for (target, kind) in records.get(base).edges {
                for &(to, _) in inner.of(kinds[kind as usize].letter, state) {
                    let at = target as usize;
                    // The count of a removed node is not read any more.
                    if !self.left.contains(at, to) {
                        continue;
                    }
                    let last = self.before[self.number(at, to)].fetch_sub(1, Ordering::Relaxed);
                    if last == 1 && self.left.remove(at, to) {
                        open.push((target, to));
                    }
                }
            }
            if followed > MOST_FOLLOWED {
                break;
            }
        }
        lock(&self.next).append(open);
    }

    fn mark(&self, rows: Range<usize>, set: u32) {
        for base in self.left.filled(rows) {
            run::poll();
            self.edges(base, |_, target, to, marks| {
                if marks.has(set) && self.marked.insert(target, to) {
                    self.dirty.announce(target, to);
                }
            });
        }
    }

    fn spread(&self, rows: Range<usize>) {
        let Reached { records, kinds, inner, .. } = self.found;
        for base in self.dirty.filled(rows) {
            run::poll();
            for k in 0..self.dirty.per_row() {
                let word = self.dirty.take(base, k);
                if word == 0 {
                    continue;
                }
                for (target, kind) in records.get(to_u32(base)).edges {
                    let letter = kinds[kind as usize].letter;
                    for state in ones(word, k) {
                        for &(to, _) in inner.of(letter, state) {
                            let at = target as usize;
                            if self.left.contains(at, to) && self.marked.insert(at, to) {
                                self.dirty.announce(at, to);
                                self.has_changed.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                }
            }
        }
    }

    /// What (r, l) serves, and what concerns it. That never changes, and few (r, l) differ in it.
    fn facts<'o>(&self, base: usize, own: &'o mut Buffers) -> (&'o [u64], &'o [u64]) {
        let number = match self.fact[base].load(Ordering::Relaxed) {
            0 => {
                self.compute_facts(base, own);
                let number = own.known.number(&own.said, || lock(&self.facts).intern(&own.said));
                self.fact[base].store(number + 1, Ordering::Relaxed);
                number
            }
            known => known - 1,
        };
        if own.facts.len() <= number as usize {
            let all = lock(&self.facts);
            own.facts.extend((own.facts.len()..all.len()).map(|k| all.get(to_u32(k)).clone()));
        }
        own.facts[number as usize].split_at(self.families.words)
    }

    fn compute_facts(&self, base: usize, own: &mut Buffers) {
        let Reached { records, kinds, .. } = self.found;
        let record = records.get(to_u32(base));
        let Buffers { enabled, said, .. } = own;
        let words = self.families.words;
        for (row, words) in [(&mut *enabled, words), (&mut *said, 2 * words)] {
            row.clear();
            row.resize(words, 0);
        }
        for (_, kind) in record.edges {
            let executed = self.families.executed(kinds[kind as usize].action);
            enabled.iter_mut().zip(executed).for_each(|(word, more)| *word |= more);
        }
        let of = (record.group, record.declared);
        let (serves, concerns) = said.split_at_mut(words);
        self.families.facts::<W>(of, enabled, serves, concerns);
    }

    fn serve(&self, rows: Range<usize>, own: &mut Buffers) {
        for base in self.left.filled(rows) {
            run::poll();
            let (serves, _) = self.facts(base, own);
            for state in self.left.bits(base) {
                for (word, &serves) in self.served(base, state).iter().zip(serves) {
                    word.store(serves, Ordering::Relaxed);
                }
                self.dirty.announce(base, state);
            }
        }
    }

    /// Carries objects along the edges of those nodes of (r, l) where some were added.
    fn carry(&self, rows: Range<usize>, own: &mut Buffers) {
        let Reached { records, .. } = self.found;
        for base in self.dirty.filled(rows) {
            run::poll();
            for k in 0..self.dirty.per_row() {
                let word = self.dirty.take(base, k) & self.left.word(base, k);
                if word == 0 {
                    continue;
                }
                let record = records.get(to_u32(base));
                self.closed(base, record.group, (word, k), own);
                if !W::CARRIES_THROUGH {
                    let (_, concerns) = self.facts(base, own);
                    let concerns = concerns.to_vec();
                    let rows = own.rows.chunks_exact_mut(concerns.len());
                    rows.for_each(|row| {
                        row.iter_mut()
                            .zip(&concerns)
                            .for_each(|(word, concerns)| *word &= concerns);
                    });
                }
                for (target, kind) in record.edges {
                    self.carry_along(target as usize, kind, (word, k), own);
                }
            }
        }
    }

    /// Reads the sets of nodes over (r, l), which are closed on this occasion.
    fn closed(&self, base: usize, group: u32, (word, k): (u64, usize), own: &mut Buffers) {
        own.rows.clear();
        for state in ones(word, k) {
            let served = self.served(base, state);
            let first = own.rows.len();
            own.rows.extend(served.iter().map(|word| word.load(Ordering::Relaxed)));
            let row = &mut own.rows[first..];
            if W::CLOSES {
                self.families.close(group, row);
                for (word, &now) in served.iter().zip(&*row) {
                    if word.load(Ordering::Relaxed) != now {
                        word.fetch_or(now, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    #[inline]
    fn carry_along(&self, target: usize, kind: u32, (word, k): (u64, usize), own: &mut Buffers) {
        let Reached { kinds, inner, .. } = self.found;
        let Families { words, .. } = *self.families;
        let kind = kinds[kind as usize];
        let executed = self.families.executed(kind.action);
        for (row, state) in own.rows.chunks_exact(words).zip(ones(word, k)) {
            let mut has_image = false;
            for &(to, _) in inner.of(kind.letter, state) {
                if !self.left.contains(target, to) {
                    continue;
                }
                let served = self.served(target, to);
                if self.families.is_all(served) {
                    continue;
                }
                if !has_image {
                    has_image = true;
                    own.out.clear();
                    own.out.extend(row.iter().zip(executed).map(|(one, other)| one | other));
                    own.image.resize(words, 0);
                    self.families.carry::<W>(kind.permutation, &own.out, &mut own.image);
                }
                let mut is_new = false;
                for (word, &more) in served.iter().zip(&own.image) {
                    if more & !word.load(Ordering::Relaxed) != 0 {
                        is_new |= more & !word.fetch_or(more, Ordering::Relaxed) != 0;
                    }
                }
                if is_new {
                    self.dirty.announce(target, to);
                    self.has_changed.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn refuse(&self, rows: Range<usize>, own: &mut Buffers) {
        self.remove(rows, |base, state| {
            let (_, concerns) = self.facts(base, own);
            let mut both = self.served(base, state).iter().zip(concerns);
            both.any(|(word, concerns)| concerns & !word.load(Ordering::Relaxed) != 0)
        });
    }

    /// Finds the nodes over (r, l) with a step that none of them takes in S.
    fn take(&self, rows: Range<usize>) {
        let Reached { records, kinds, inner, .. } = self.found;
        let mut gone = Vec::new();
        for base in self.left.filled(rows) {
            run::poll();
            let is_taken = |(target, kind): (u32, u32)| {
                let letter = kinds[kind as usize].letter;
                self.left.bits(base).any(|state| {
                    let mut read = inner.of(letter, state).iter();
                    read.any(|&(to, _)| self.left.contains(target as usize, to))
                })
            };
            if !records.get(to_u32(base)).edges.all(is_taken) {
                gone.extend(self.left.bits(base).map(|state| (to_u32(base), state)));
            }
        }
        lock(&self.next).append(&mut gone);
    }

    fn of_rows(&self, rows: Range<usize>, own: &mut Buffers) {
        match self.phase {
            Phase::Count => self.count(rows),
            Phase::Bare => self.remove(rows, |base, state| {
                self.before[self.number(base, state)].load(Ordering::Relaxed) == 0
            }),
            Phase::Mark(set) => self.mark(rows, set),
            Phase::Spread => self.spread(rows),
            Phase::Keep => self.remove(rows, |base, state| !self.marked.contains(base, state)),
            Phase::Serve => self.serve(rows, own),
            Phase::Carry => self.carry(rows, own),
            Phase::Refuse => self.refuse(rows, own),
            Phase::Take => self.take(rows),
            Phase::Drop | Phase::Clear => unreachable!("these are about removed nodes"),
        }
    }
}

impl<W: Ways> Job for Elimination<'_, W> {
    type Own = Buffers;

    fn items(&self) -> usize {
        match self.phase {
            Phase::Drop | Phase::Clear => self.gone.len().div_ceil(GONE),
            _ => self.left.len().div_ceil(CHUNK),
        }
    }

    fn item(&self, own: &mut Option<Buffers>, item: usize) {
        if lock(&self.stopped).is_some() {
            return;
        }
        let own = own.get_or_insert_default();
        let done = stoppable(|| match self.phase {
            Phase::Drop | Phase::Clear => {
                let gone = &self.gone[item * GONE..self.gone.len().min((item + 1) * GONE)];
                if self.phase == Phase::Drop {
                    self.drop_after(gone, &mut own.open);
                } else {
                    for &(base, state) in gone {
                        self.left.remove(base as usize, state);
                    }
                }
            }
            _ => self.of_rows(item * CHUNK..self.left.len().min((item + 1) * CHUNK), own),
        });
        if let Err(reason) = done {
            *lock(&self.stopped) = Some(reason);
        }
    }
}
