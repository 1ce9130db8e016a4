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
//!
//! **Invariant.** The set of a removed node is full, so that nothing is carried to it: edges out of S
//! need not be told from others. (That saves time. Nothing would be carried through it, either: the
//! predecessors that it has in S are only those of nodes that (F) and (G) have removed, where all that
//! they still carry was served before.)

use super::families::Families;
use super::flags::{Flags, words};
use super::inner::{Edge, Inner, Part};
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
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The counts that are read at once, and the removed nodes that are followed at once: see
/// [`trim`](super::trim).
const BATCH: usize = 256;
const AHEAD: usize = 32;
/// The removed nodes of an item.
const GONE: usize = 512;
/// The most nodes that a thread removes for those of an item before others may help.
const MOST_FOLLOWED: usize = 1 << 13;

/// A node: the number of its (r, l), and its state of the automaton.
pub(super) type Place = (u32, u32);

/// The elimination, and the data that all threads work on.
pub(super) struct Elimination<'e, W> {
    pub(super) found: &'e Reached,
    pub(super) families: &'e Families,
    pub(super) takes: bool,
    graph: Inner,
    /// S, by the numbers of nodes.
    pub(super) left: Flags,
    /// S by (r, l), as it was when that was asked for last.
    pub(super) rows: Rows,
    /// By node: its predecessors in S, each as often as there are edges.
    before: Vec<AtomicU32>,
    /// By node: the objects that are served there.
    served: Vec<AtomicU64>,
    /// What is said of (r, l), each once: the group by which edges were dropped, what the state
    /// serves, and what concerns it. While edges are written, and then in one piece.
    facts: Mutex<Interned<Vec<u64>>>,
    said: Vec<u64>,
    /// What (A) has marked.
    marked: Flags,
    /// The nodes from which something is to be carried on.
    dirty: Flags,
    pub(super) has_changed: AtomicBool,
    pub(super) phase: Phase,
    /// Nodes that were removed, and whose successors have not been told.
    pub(super) gone: Vec<u32>,
    pub(super) next: Mutex<Vec<u32>>,
    pub(super) stopped: Mutex<Option<StopReason>>,
    ways: PhantomData<fn() -> W>,
}

/// A part of a pass, done by all threads before the next one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Writes the edges, and counts predecessors.
    Write,
    /// (T): tells successors of removed nodes.
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
    /// Writes S by (r, l).
    Tell,
}

/// Buffers of a thread.
#[derive(Default)]
pub(super) struct Buffers {
    enabled: Vec<u64>,
    /// The facts about some (r, l).
    said: Vec<u64>,
    known: Known<Vec<u64>>,
    /// The set of a node, what is carried along an edge, and its image.
    row: Vec<u64>,
    out: Vec<u64>,
    image: Vec<u64>,
    /// Removed nodes, those of them that are followed next, and the edges out of these.
    open: Vec<u32>,
    next: Vec<u32>,
    targets: Vec<Edge>,
}

impl<'e, W: Ways> Elimination<'e, W> {
    /// Begins with these nodes.
    pub(super) fn new(
        found: &'e Reached,
        families: &'e Families,
        left: Rows,
        is_global: bool,
    ) -> Result<Self, StopReason> {
        let needs_marks = !found.shape.all_cycles_accept;
        let graph = Inner::new(found, families, left, needs_marks)?;
        let count = graph.count();
        let words = families.words * count;
        run::memory::ask_for(count * size_of::<u32>() + words * size_of::<u64>())?;
        Ok(Elimination {
            found,
            families,
            takes: is_global,
            left: Flags::all(count),
            rows: graph.rows(),
            before: (0..count).map(|_| AtomicU32::new(0)).collect(),
            served: (0..words).map(|_| AtomicU64::new(0)).collect(),
            facts: Mutex::default(),
            said: Vec::new(),
            marked: Flags::none(0),
            dirty: Flags::none(count),
            has_changed: AtomicBool::new(false),
            phase: Phase::Write,
            gone: Vec::new(),
            next: Mutex::new(Vec::new()),
            stopped: Mutex::new(None),
            ways: PhantomData,
            graph,
        })
    }

    /// Stores facts in one piece, after all edges were written.
    pub(super) fn freeze(&mut self) {
        let facts = std::mem::take(&mut *lock(&self.facts));
        self.said = (0..facts.len()).flat_map(|k| facts.get(to_u32(k)).iter().copied()).collect();
    }

    /// Marks nothing.
    pub(super) fn unmark(&mut self) {
        (self.marked, self.dirty) = (self.left.cleared(), self.left.cleared());
    }

    /// The set of objects that are served at a node.
    #[inline]
    fn served(&self, node: u32) -> &[AtomicU64] {
        let words = self.families.words;
        &self.served[node as usize * words..][..words]
    }

    /// Notes that something has changed. It is written once: to write it each time would take the
    /// cache line from all threads, each time.
    #[inline]
    fn changed(&self) {
        if !self.has_changed.load(Ordering::Relaxed) {
            self.has_changed.store(true, Ordering::Relaxed);
        }
    }

    /// Removes a node, and returns whether it was in S.
    #[inline]
    fn remove(&self, node: u32) -> bool {
        let was_there = self.left.remove(node);
        if was_there {
            self.families.fill(self.served(node));
        }
        was_there
    }

    /// The group, what the state serves, and what concerns it, by the number of these facts.
    #[inline]
    fn said(&self, number: u32) -> (u32, &[u64], &[u64]) {
        let words = self.families.words;
        let size = 1 + 2 * words;
        let row = &self.said[number as usize * size..][..size];
        let (serves, concerns) = row[1..].split_at(words);
        (to_u32(row[0]), serves, concerns)
    }

    fn write(&self, chunk: usize, own: &mut Buffers) -> Result<(), StopReason> {
        let facts = |base| if self.families.is_empty() { 0 } else { self.facts_of(base, own) };
        let edges = self.graph.write(self.found, chunk, facts)?;
        if W::TRIMS {
            for edges in edges.chunks(BATCH) {
                self.touch(edges);
                for edge in edges {
                    self.before[edge.target as usize].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// Makes the processor fetch the counts of targets.
    #[inline]
    fn touch(&self, edges: &[Edge]) {
        let counts =
            edges.iter().map(|edge| self.before[edge.target as usize].load(Ordering::Relaxed));
        std::hint::black_box(counts.fold(0, |all, count| all ^ count));
    }

    /// The number of the facts about (r, l). They never change, and few (r, l) differ in them.
    fn facts_of(&self, base: usize, own: &mut Buffers) -> u32 {
        let Reached { records, kinds, .. } = self.found;
        let record = records.get(to_u32(base));
        let Buffers { enabled, said, known, .. } = own;
        let words = self.families.words;
        for (row, words) in [(&mut *enabled, words), (&mut *said, 1 + 2 * words)] {
            row.clear();
            row.resize(words, 0);
        }
        for (_, kind) in record.edges {
            let executed = self.families.executed(kinds[kind as usize].action);
            enabled.iter_mut().zip(executed).for_each(|(word, more)| *word |= more);
        }
        said[0] = u64::from(record.group);
        let (serves, concerns) = said[1..].split_at_mut(words);
        self.families.facts::<W>((record.group, record.declared), enabled, serves, concerns);
        known.number(said, || lock(&self.facts).intern(said))
    }

    /// Removes nodes of a chunk for which this is true.
    fn remove_where(&self, chunk: usize, is_removed: impl Fn(&Part, u32) -> bool) {
        let part = self.graph.part(chunk);
        let mut gone = Vec::new();
        for node in self.left.of(words(self.graph.nodes(chunk))) {
            run::poll();
            if is_removed(part, node) {
                self.remove(node);
                gone.push(node);
            }
        }
        if !gone.is_empty() {
            lock(&self.next).append(&mut gone);
        }
    }

    /// Removes the nodes whose last predecessors are among removed ones, and so on.
    fn drop_after(&self, gone: &[u32], Buffers { open, next, targets, .. }: &mut Buffers) {
        open.clear();
        open.extend_from_slice(gone);
        let mut followed = 0;
        while !open.is_empty() && followed < MOST_FOLLOWED {
            next.clear();
            next.extend(open.drain(open.len().saturating_sub(AHEAD)..));
            run::poll_for(next.len() as u64);
            followed += next.len();
            let edges = |&node: &u32| self.graph.part(Inner::chunk_of(node)).edges(node);
            let first = next.iter().map(|node| edges(node).first().map_or(0, |edge| edge.target));
            std::hint::black_box(first.fold(0, |all, target| all ^ target));
            targets.clear();
            targets.extend(next.iter().flat_map(edges));
            self.touch(targets);
            for edge in &*targets {
                // The count of a removed node is not read any more.
                if !self.left.contains(edge.target) {
                    continue;
                }
                let last = self.before[edge.target as usize].fetch_sub(1, Ordering::Relaxed);
                if last == 1 && self.remove(edge.target) {
                    open.push(edge.target);
                }
            }
        }
        if !open.is_empty() {
            lock(&self.next).append(open);
        }
    }

    fn mark(&self, chunk: usize, set: u32) {
        let part = self.graph.part(chunk);
        for node in self.left.of(words(self.graph.nodes(chunk))) {
            run::poll();
            for edge in part.edges(node) {
                let target = edge.target;
                if self.graph.label(edge.label).marks.has(set)
                    && self.left.contains(target)
                    && self.marked.insert(target)
                {
                    self.dirty.announce(target);
                }
            }
        }
    }

    fn spread(&self, chunk: usize) {
        let part = self.graph.part(chunk);
        for k in words(self.graph.nodes(chunk)) {
            for node in ones(self.dirty.take(k), k) {
                run::poll();
                for edge in part.edges(node) {
                    let target = edge.target;
                    if self.left.contains(target) && self.marked.insert(target) {
                        self.dirty.announce(target);
                        self.changed();
                    }
                }
            }
        }
    }

    fn serve(&self, chunk: usize) {
        let part = self.graph.part(chunk);
        for k in words(self.graph.nodes(chunk)) {
            let nodes = self.left.word(k);
            self.dirty.set_word(k, nodes);
            for node in ones(nodes, k) {
                run::poll();
                let (_, serves, _) = self.said(part.fact(node));
                let all = self.served(node).iter().zip(serves);
                all.for_each(|(word, &serves)| word.store(serves, Ordering::Relaxed));
            }
        }
    }

    /// Carries objects along the edges of those nodes of a chunk where some were added.
    fn carry(&self, chunk: usize, own: &mut Buffers) {
        let part = self.graph.part(chunk);
        let size = self.families.words;
        for buffer in [&mut own.row, &mut own.out, &mut own.image] {
            buffer.clear();
            buffer.resize(size, 0);
        }
        for k in words(self.graph.nodes(chunk)) {
            for node in ones(self.dirty.take(k), k) {
                run::poll();
                self.close(node, part, &mut own.row);
                for edge in part.edges(node) {
                    let served = self.served(edge.target);
                    if !self.families.is_all(served) {
                        self.carry_along(edge.label, served, edge.target, own);
                    }
                }
            }
        }
    }

    /// Reads the set of a node, which is closed on this occasion.
    #[inline]
    fn close(&self, node: u32, part: &Part, row: &mut [u64]) {
        let served = self.served(node);
        let read = row.iter_mut().zip(served);
        read.for_each(|(row, word)| *row = word.load(Ordering::Relaxed));
        let (group, _, concerns) = self.said(part.fact(node));
        if W::CLOSES && group != 0 {
            self.families.close(group, row);
            for (word, &now) in served.iter().zip(&*row) {
                if word.load(Ordering::Relaxed) != now {
                    word.fetch_or(now, Ordering::Relaxed);
                }
            }
        }
        if !W::CARRIES_THROUGH {
            row.iter_mut().zip(concerns).for_each(|(word, concerns)| *word &= concerns);
        }
    }

    #[inline]
    fn carry_along(&self, label: u32, served: &[AtomicU64], target: u32, own: &mut Buffers) {
        let Buffers { row, out, image, .. } = own;
        let label = self.graph.label(label);
        let executed = self.families.executed(label.action);
        for (out, (row, executed)) in out.iter_mut().zip(row.iter().zip(executed)) {
            *out = row | executed;
        }
        self.families.carry::<W>(label.permutation, out, image);
        let mut is_new = false;
        for (word, &more) in served.iter().zip(&*image) {
            if more & !word.load(Ordering::Relaxed) != 0 {
                is_new |= more & !word.fetch_or(more, Ordering::Relaxed) != 0;
            }
        }
        if is_new {
            self.dirty.announce(target);
            self.changed();
        }
    }

    /// Whether p is true at a node of an object that is not served there.
    fn is_unserved(&self, part: &Part, node: u32) -> bool {
        let (_, _, concerns) = self.said(part.fact(node));
        let mut both = self.served(node).iter().zip(concerns);
        both.any(|(word, concerns)| concerns & !word.load(Ordering::Relaxed) != 0)
    }

    /// Finds the nodes over (r, l) with a step that none of them takes in S.
    fn take(&self, chunk: usize) {
        let Reached { records, kinds, inner, .. } = self.found;
        let mut gone = Vec::new();
        for base in self.graph.bases(chunk) {
            run::poll();
            if self.rows.is_empty(base) {
                continue;
            }
            let is_taken = |(target, kind): (u32, u32)| {
                let letter = kinds[kind as usize].letter;
                self.rows.bits(base).any(|state| {
                    let mut read = inner.of(letter, state).iter();
                    read.any(|&(to, _)| self.rows.contains(target as usize, to))
                })
            };
            if !records.get(to_u32(base)).edges.all(is_taken) {
                let over = self.graph.over(base).map(|(node, _)| node);
                gone.extend(over.filter(|&node| self.left.contains(node)));
            }
        }
        if !gone.is_empty() {
            lock(&self.next).append(&mut gone);
        }
    }

    fn tell(&self, chunk: usize) {
        for base in self.graph.bases(chunk) {
            run::poll();
            for (node, state) in self.graph.over(base) {
                if !self.left.contains(node) {
                    self.rows.remove(base, state);
                }
            }
        }
    }

    fn of_chunk(&self, chunk: usize, own: &mut Buffers) -> Result<(), StopReason> {
        match self.phase {
            Phase::Write => return self.write(chunk, own),
            Phase::Mark(set) => self.mark(chunk, set),
            Phase::Spread => self.spread(chunk),
            Phase::Keep => self.remove_where(chunk, |_, node| !self.marked.contains(node)),
            Phase::Serve => self.serve(chunk),
            Phase::Carry => self.carry(chunk, own),
            Phase::Refuse => self.remove_where(chunk, |part, node| self.is_unserved(part, node)),
            Phase::Take => self.take(chunk),
            Phase::Tell => self.tell(chunk),
            Phase::Drop | Phase::Clear => unreachable!("these are about removed nodes"),
        }
        Ok(())
    }
}

impl<W: Ways> Job for Elimination<'_, W> {
    type Own = Buffers;

    fn items(&self) -> usize {
        match self.phase {
            Phase::Drop | Phase::Clear => self.gone.len().div_ceil(GONE),
            _ => self.graph.chunks(),
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
                    self.drop_after(gone, own);
                } else {
                    for &node in gone {
                        self.remove(node);
                    }
                }
                Ok(())
            }
            _ => self.of_chunk(item, own),
        });
        if let Err(reason) = done.and_then(|done| done) {
            *lock(&self.stopped) = Some(reason);
        }
    }
}
