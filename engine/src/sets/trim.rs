//! (T) on the whole product: nodes are removed that are on no cycle and behind none.
//!
//! This comes before all other passes, on the records, because it often leaves little or nothing: if
//! all cycles of the automaton accept, that decides all questions that need no fairness. What is left
//! is written out for the other passes.
//!
//! Nodes have a count of predecessors each, so that every edge is visited once to count, and once
//! more if its source is removed.
//!
//! Counts and records are all over memory, and an atomic change waits for all memory accesses before it.
//! So they are read first, many at once, and changed when they are in the cache.

use super::eliminate::Place;
use super::lock;
use super::reach::Reached;
use super::rows::{Rows, ones};
use crate::explore::team::{Job, Team};
use crate::narrow::to_u32;
use run::{StopReason, Ticker, stoppable};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The counts that are read at once.
const BATCH: usize = 256;
/// The removed nodes that are followed at once.
const AHEAD: usize = 32;
/// The (r, l) of a chunk: their rows begin and end with words.
const CHUNK: usize = 2048;
/// The removed nodes of an item.
const GONE: usize = 512;
/// The most nodes that a thread removes for those of an item before others may help.
const MOST_FOLLOWED: usize = 1 << 13;

/// The first pass, and the data that all threads work on.
pub(super) struct Trimming<'t> {
    found: &'t Reached,
    /// S
    pub(super) left: Rows,
    numbers: Numbers,
    /// By node: its predecessors in S, each as often as there are edges.
    before: Vec<AtomicU32>,
    phase: Phase,
    /// Nodes that were removed, and whose successors have not been told.
    gone: Vec<Place>,
    next: Mutex<Vec<Place>>,
    stopped: Mutex<Option<StopReason>>,
}

/// A part of the pass, done by all threads before the next one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Counts predecessors; finds nodes that have none; tells successors of removed nodes.
    Count,
    Bare,
    Drop,
}

/// Where the count of a node is.
enum Numbers {
    /// The number of (r, l) times the width, plus the rank of the state among those of nodes. Some
    /// counts are for no node.
    Calculated { width: usize, ranks: Box<[u32]> },
    /// Nodes are numbered: at first those over the first (r, l).
    Listed { first: Vec<u32>, all: Rows },
}

impl Numbers {
    /// The numbers of these nodes, whose states are these, and one more than the greatest number:
    /// they take the least memory of both ways.
    fn new(all: &Rows, states: &[u64]) -> Result<(Numbers, usize), StopReason> {
        let width: usize = states.iter().map(|word| word.count_ones() as usize).sum();
        let calculated = width.saturating_mul(all.len());
        let count = usize::try_from(all.count()).unwrap_or(usize::MAX);
        if calculated <= count.saturating_add(all.len()) {
            let mut ranks = vec![0; 64 * states.len()];
            let states = states.iter().enumerate().flat_map(|(k, &word)| ones(word, k));
            (0..).zip(states).for_each(|(rank, state)| ranks[state as usize] = rank);
            return Ok((Numbers::Calculated { width, ranks: ranks.into() }, calculated));
        }
        let mut first = run::memory::try_filled(0_u32, all.len())?;
        let mut next = 0_u32;
        for base in all.filled(0..all.len()) {
            run::poll();
            first[base] = next;
            next = next
                .checked_add(all.count_of(base))
                .ok_or(StopReason::States(u32::MAX as usize))?;
        }
        Ok((Numbers::Listed { first, all: all.copied() }, count))
    }

    #[inline]
    fn of(&self, base: usize, state: u32) -> usize {
        match self {
            Numbers::Calculated { width, ranks } => base * width + ranks[state as usize] as usize,
            Numbers::Listed { first, all } => (first[base] + all.before(base, state)) as usize,
        }
    }
}

impl<'t> Trimming<'t> {
    /// Begins with all nodes that can be on an accepting cycle.
    pub(super) fn new(found: &'t Reached) -> Result<Self, StopReason> {
        let left = found.accepting();
        let states = found.shape.accepting_words(left.per_row());
        let (numbers, bound) = Numbers::new(&left, &states)?;
        run::memory::ask_for(bound.saturating_mul(size_of::<u32>()))?;
        Ok(Trimming {
            found,
            left,
            numbers,
            before: (0..bound).map(|_| AtomicU32::new(0)).collect(),
            phase: Phase::Count,
            gone: Vec::new(),
            next: Mutex::new(Vec::new()),
            stopped: Mutex::new(None),
        })
    }

    fn count(&self, rows: Range<usize>, targets: &mut Vec<Target>) {
        let add = |targets: &mut Vec<Target>| {
            self.touch(targets);
            for target in targets.drain(..) {
                self.before[target.number].fetch_add(1, Ordering::Relaxed);
            }
        };
        for base in self.left.filled(rows) {
            run::poll();
            for state in self.left.bits(base) {
                self.targets((to_u32(base), state), targets);
                if targets.len() >= BATCH {
                    add(targets);
                }
            }
        }
        add(targets);
    }

    /// Appends the targets of the edges out of a node.
    #[inline]
    fn targets(&self, (base, state): Place, targets: &mut Vec<Target>) {
        let Reached { records, kinds, inner, .. } = self.found;
        for (target, kind) in records.get(base).edges {
            for &(to, _) in inner.of(kinds[kind as usize].letter, state) {
                let number = self.numbers.of(target as usize, to);
                targets.push(Target { number, place: (target, to) });
            }
        }
    }

    /// Makes the processor fetch the counts of nodes.
    #[inline]
    fn touch(&self, targets: &[Target]) {
        let counts = targets.iter().map(|one| self.before[one.number].load(Ordering::Relaxed));
        std::hint::black_box(counts.fold(0, |all, count| all ^ count));
    }

    fn bare(&self, rows: Range<usize>) {
        let mut gone = Vec::new();
        for base in self.left.filled(rows) {
            run::poll();
            for state in self.left.bits(base) {
                if self.before[self.numbers.of(base, state)].load(Ordering::Relaxed) == 0 {
                    self.left.remove(base, state);
                    gone.push((to_u32(base), state));
                }
            }
        }
        lock(&self.next).append(&mut gone);
    }

    /// Removes the nodes whose last predecessors are among removed ones, and so on.
    fn drop_after(&self, gone: &[Place], Buffers { open, next, targets }: &mut Buffers) {
        open.clear();
        open.extend_from_slice(gone);
        let mut followed = 0;
        while !open.is_empty() && followed < MOST_FOLLOWED {
            next.clear();
            next.extend(open.drain(open.len().saturating_sub(AHEAD)..));
            run::poll_for(next.len() as u64);
            followed += next.len();
            self.found.records.touch(next.iter().map(|&(base, _)| base));
            for &place in &*next {
                self.targets(place, targets);
            }
            self.touch(targets);
            for Target { number, place: (base, state) } in targets.drain(..) {
                // A node is removed when all edges to it were followed, so this one is in S.
                let last = self.before[number].fetch_sub(1, Ordering::Relaxed);
                if last == 1 && self.left.remove(base as usize, state) {
                    open.push((base, state));
                }
            }
        }
        lock(&self.next).append(open);
    }
}

/// Leads the pass.
pub(super) fn lead(
    team: &mut Team<'_, Trimming<'_>>,
    watch: &Ticker<'_>,
) -> Result<(), StopReason> {
    let mut call = |phase: Phase| {
        team.job().phase = phase;
        watch.ask()?;
        team.call();
        let mut job = team.job();
        let gone = std::mem::take(&mut *lock(&job.next));
        job.gone = gone;
        let is_over = job.gone.is_empty();
        lock(&job.stopped).take().map_or(Ok(is_over), Err)
    };
    call(Phase::Count)?;
    let mut is_over = call(Phase::Bare)?;
    while !is_over {
        is_over = call(Phase::Drop)?;
    }
    Ok(())
}

/// Buffers of a thread.
#[derive(Default)]
pub(super) struct Buffers {
    /// Removed nodes, and those of them that are followed next.
    open: Vec<Place>,
    next: Vec<Place>,
    targets: Vec<Target>,
}

/// Where an edge leads: the number of the node's count, and the node.
struct Target {
    number: usize,
    place: Place,
}

impl Job for Trimming<'_> {
    type Own = Buffers;

    fn items(&self) -> usize {
        match self.phase {
            Phase::Drop => self.gone.len().div_ceil(GONE),
            Phase::Count | Phase::Bare => self.left.len().div_ceil(CHUNK),
        }
    }

    fn item(&self, own: &mut Option<Buffers>, item: usize) {
        if lock(&self.stopped).is_some() {
            return;
        }
        let rows = item * CHUNK..self.left.len().min((item + 1) * CHUNK);
        let own = own.get_or_insert_default();
        let done = stoppable(|| match self.phase {
            Phase::Count => self.count(rows, &mut own.targets),
            Phase::Bare => self.bare(rows),
            Phase::Drop => {
                let gone = &self.gone[item * GONE..self.gone.len().min((item + 1) * GONE)];
                self.drop_after(gone, own);
            }
        });
        if let Err(reason) = done {
            *lock(&self.stopped) = Some(reason);
        }
    }
}
