//! The reachable part of a product, breadth first, by a team of threads.
//!
//! The search goes in rounds of some thousand (r, l). First the edges out of those that are new are
//! computed, by chunks, and written to records; then the states of the automaton in which they were
//! reached are spread along their edges. An edge of the quotient is computed and stored once, for all
//! states of the automaton.
//!
//! Threads give numbers as they come. What is reached does not depend on them, nor do counts.

use super::bases::{Bases, KnownTuples};
use super::declared::{Declared, Tuples};
use super::kinds::{Kind, Kinds, Numbered};
use super::records::{Records, Written};
use super::rows::{Rows, ones};
use super::source::Source;
use super::steps::{Shape, Steps};
use super::{Counts, Demand, lock};
use crate::explore::team::{Job, Team, ends};
use crate::narrow::{to_u32, to_usize};
use crate::product::{Stop, Touched};
use crate::quotient::Representative;
use crate::symmetry::Point;
use hashbrown::HashSet;
use run::{Every, StopReason, Ticker, stoppable};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The (r, l) of a round.
const ROUND: usize = 1 << 14;
/// The most and the fewest (r, l) of a chunk. The edges of a chunk are made together, and its rows lie
/// together, so that large chunks keep threads apart. At the end of a round threads wait for those that
/// are still at a chunk, so that the last ones are small.
const CHUNK: std::ops::RangeInclusive<usize> = 16..=512;

/// If fewer than one of so many rows are to be put in order, that is done by sorting.
const SORTED: usize = 256;

/// The reachable part of a product.
pub(super) struct Reached {
    /// The (r, l) of start nodes, in the order of the start states.
    pub(super) starts: Vec<u32>,
    pub(super) bases: Bases,
    pub(super) records: Records,
    /// The nodes: a row for each (r, l), a bit for each state of the automaton.
    pub(super) nodes: Rows,
    pub(super) kinds: Vec<Kind>,
    /// All edges of the automaton, and those that can be on an accepting cycle.
    pub(super) steps: Steps,
    pub(super) inner: Steps,
    pub(super) shape: Shape,
    pub(super) numbered: Numbered,
}

impl Reached {
    /// The nodes that can be on an accepting cycle.
    pub(super) fn accepting(&self) -> Rows {
        let mut rows = self.nodes.cleared();
        let accepting = self.shape.accepting_words(rows.per_row());
        for base in self.nodes.filled(0..self.nodes.len()) {
            run::poll();
            for (k, accepting) in accepting.iter().enumerate() {
                rows.add(base, k, self.nodes.word(base, k) & accepting);
            }
        }
        rows
    }
}

/// The search, and the data that all threads work on.
pub(super) struct Search<'s, M> {
    demand: &'s Demand<'s>,
    make: &'s M,
    tuples: &'s Tuples,
    numbered: &'s Mutex<Numbered>,
    found: Reached,
    /// The nodes that were reached, but not spread.
    ///
    /// **Invariant.** An (r, l) that has some is in the rest of the layer, or among the next ones.
    fresh: Rows,
    phase: Phase,
    /// The (r, l) of the round, and where its chunks end.
    round: Vec<u32>,
    ends: Vec<usize>,
    chunks: Vec<Mutex<Chunk>>,
    /// The nodes that were reached from others, and the edges of nodes that were spread.
    new: AtomicU64,
    edges: AtomicU64,
    touched: Touched,
    counts: Counts,
    stopped: Mutex<Option<Stop>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Expand,
    Spread,
}

/// The results of a chunk. Aligned, so that no two share a cache line: different threads write to
/// them.
#[derive(Default)]
#[repr(align(128))]
struct Chunk {
    written: Written,
    touched: Vec<(Representative, u32)>,
    /// One more than the greatest number of a target.
    bound: usize,
    next: Vec<u32>,
}

/// What a thread owns.
pub(super) struct Own<'s, S> {
    source: S,
    kinds: Kinds<'s>,
    known: KnownTuples,
    declared: Declared<'s>,
    tuple: Vec<Point>,
    /// The (r, l) of a chunk that are to be expanded, and their r.
    open: Vec<u32>,
    open_of: Vec<Representative>,
}

impl<'s, S: Source, M: Fn() -> S + Sync> Search<'s, M> {
    pub(super) fn new(
        demand: &'s Demand<'s>,
        make: &'s M,
        tuples: &'s Tuples,
        numbered: &'s Mutex<Numbered>,
        shape: Shape,
    ) -> Self {
        let states = demand.reader.states();
        let found = Reached {
            starts: Vec::new(),
            bases: Bases::new(demand.tracked, demand.indices),
            records: Records::default(),
            nodes: Rows::new(states),
            kinds: Vec::new(),
            steps: Steps::default(),
            inner: Steps::default(),
            shape,
            numbered: Numbered::default(),
        };
        Search {
            demand,
            make,
            tuples,
            numbered,
            found,
            fresh: Rows::new(states),
            phase: Phase::Expand,
            round: Vec::new(),
            ends: Vec::new(),
            chunks: Vec::new(),
            new: AtomicU64::new(0),
            edges: AtomicU64::new(0),
            touched: Touched::new(),
            counts: Counts::default(),
            stopped: Mutex::new(None),
        }
    }

    fn own(&self) -> Own<'s, S> {
        let keeps_labels = !self.demand.requirements.is_empty();
        Own {
            source: (self.make)(),
            kinds: Kinds::new(self.numbered, keeps_labels),
            known: KnownTuples::default(),
            declared: Declared::new(self.tuples, self.demand.atoms),
            tuple: Vec::new(),
            open: Vec::new(),
            open_of: Vec::new(),
        }
    }

    /// What was reached, and how much that is. What was expanded is written to `touched`.
    pub(super) fn end(mut self, touched: &mut Touched) -> (Reached, Counts) {
        self.count();
        *touched = self.touched;
        (self.found, self.counts)
    }

    /// Makes room for (r, l) below this number.
    fn grow(&mut self, bound: usize) {
        self.found.records.grow(bound);
        self.found.nodes.grow(bound);
        self.fresh.grow(bound);
    }

    /// The (r, l) of all start nodes.
    fn starts(&mut self, own: &mut Own<'s, S>) -> Result<Vec<u32>, Stop> {
        let initial = self.demand.reader.initial().0;
        let mut layer = Vec::new();
        while let Some(start) = own.source.next_start() {
            let start = start?;
            for tuple in own.source.start_tuples(start) {
                run::poll();
                let base = self.found.bases.intern(&mut own.known, start, &tuple);
                let base = base.ok_or(Stop::FULL)?;
                self.grow(base as usize + 1);
                self.found.starts.push(base);
                if self.found.nodes.insert(base as usize, initial) {
                    self.counts.nodes += 1;
                    self.fresh.insert(base as usize, initial);
                    layer.push(base);
                }
            }
        }
        Ok(layer)
    }

    /// Prepares a phase for some (r, l).
    fn prepare(&mut self, phase: Phase, round: &[u32]) {
        self.phase = phase;
        self.round.clear();
        self.round.extend_from_slice(round);
        self.ends.clear();
        self.ends.extend(ends(round.len(), CHUNK, self.demand.threads));
        if self.chunks.len() < self.ends.len() {
            self.chunks.resize_with(self.ends.len(), Mutex::default);
        }
    }

    /// Puts the (r, l) with fresh nodes in the order of their numbers, each once. Then the rows of a
    /// chunk lie together, and no other thread is at them.
    fn order(&self, all: &mut Vec<u32>) {
        let rows = self.fresh.len();
        if all.len() * SORTED < rows {
            all.sort_unstable();
            all.dedup();
        } else {
            all.clear();
            all.extend(self.fresh.filled(0..rows).map(to_u32));
        }
    }

    /// Whether the limit of states allows for a layer, all of which the search needs.
    ///
    /// **Invariant.** The limit counts whole layers: what is in a layer does not depend on numbers, which are
    /// others for other numbers of threads, and what is in a round does.
    fn admit(&self, layer: &[u32]) -> Result<(), Stop> {
        let Some(most) = self.demand.most_states else { return Ok(()) };
        let Reached { bases, records, .. } = &self.found;
        let mut tuple = Vec::new();
        let open = layer.iter().filter(|&&base| !records.has(base));
        let new = open.map(|&base| bases.get(base, &mut tuple));
        let new: HashSet<_> = new.filter(|&of| !self.touched.contains(of)).collect();
        if self.touched.representatives() + new.len() as u64 > most {
            return Err(Stop::Stopped(StopReason::States(to_usize(most))));
        }
        Ok(())
    }

    /// Takes over what the chunks have found. Returns why one was not completed.
    fn expanded(&mut self) -> Result<(), Stop> {
        if let Some(stop) = self.stop() {
            return Err(stop);
        }
        let chunks = || self.chunks[..self.ends.len()].iter().map(lock);
        let bound = chunks().map(|chunk| chunk.bound).max().unwrap_or(0);
        let mut touched = std::mem::take(&mut self.touched);
        let mut records = std::mem::take(&mut self.found.records);
        for chunk in chunks() {
            let (bytes, starts) = chunk.written.all();
            records.add(bytes, starts);
            for &(of, edges) in &chunk.touched {
                touched.insert(of, edges as usize);
            }
        }
        self.touched = touched;
        self.found.records = records;
        self.grow(bound);
        let numbered = lock(self.numbered);
        let Reached { kinds, steps, inner, shape, .. } = &mut self.found;
        for number in steps.letters()..numbered.letters.len() {
            let letter = *numbered.letters.get(to_u32(number));
            steps.add(self.demand.reader, letter, |_, _| true);
            inner.add(self.demand.reader, letter, |from, to| shape.is_inside(from, to));
        }
        let new = kinds.len()..numbered.kinds.len();
        kinds.extend(new.map(|number| *numbered.kinds.get(to_u32(number))));
        Ok(())
    }

    /// Counts what was found since the last time.
    fn count(&mut self) {
        self.counts.nodes += std::mem::take(self.new.get_mut());
        self.counts.edges += std::mem::take(self.edges.get_mut());
    }

    /// Reports what was found.
    fn report(&mut self, watch: &Ticker<'_>) -> Result<(), Stop> {
        self.count();
        let counts = self.counts;
        let bytes = self.found.records.memory();
        tracing::trace!(target: "progress", nodes = counts.nodes, edges = counts.edges, bytes);
        Ok(watch.report(counts.progress())?)
    }

    fn stop(&self) -> Option<Stop> {
        lock(&self.stopped).take()
    }

    /// Takes the (r, l) with new nodes.
    fn spread(&mut self, next: &mut Vec<u32>) -> Result<(), Stop> {
        let chunks = self.chunks[..self.ends.len()].iter();
        chunks.for_each(|chunk| next.append(&mut lock(chunk).next));
        self.stop().map_or(Ok(()), Err)
    }

    fn expand_chunk(
        &self,
        own: &mut Own<'s, S>,
        all: &[u32],
        chunk: &mut Chunk,
    ) -> Result<(), Stop> {
        chunk.written.clear();
        chunk.touched.clear();
        chunk.bound = 0;
        let Reached { bases, records, .. } = &self.found;
        let Own { open, open_of, tuple, .. } = own;
        open.clear();
        open.extend(all.iter().filter(|&&base| !records.has(base)));
        open_of.clear();
        open_of.extend(open.iter().map(|&base| bases.get(base, tuple)));
        let mut done = 0;
        while done < own.open.len() {
            let end = done + own.source.prepare(&own.open_of[done..])?;
            for k in done..end {
                run::poll();
                self.expand(own, own.open[k], chunk)?;
            }
            done = end;
        }
        Ok(())
    }

    /// Writes the record of (r, l).
    fn expand(&self, own: &mut Own<'s, S>, base: u32, chunk: &mut Chunk) -> Result<(), Stop> {
        let Own { source, kinds, known, declared, tuple, .. } = own;
        let Chunk { written, touched, bound, .. } = chunk;
        let Search { demand, found: Reached { bases, .. }, .. } = self;
        let of = bases.get(base, tuple);
        written.begin(base);
        let mut is_full = false;
        let outline = source.edges(of, tuple, kinds, &mut |target, tuple, kind| {
            if demand.removed.contains(&target) {
                return;
            }
            match bases.intern(known, target, tuple) {
                Some(target) => {
                    *bound = (*bound).max(target as usize + 1);
                    written.edge(target, kind);
                }
                None => is_full = true,
            }
        })?;
        if is_full {
            return Err(Stop::FULL);
        }
        touched.push((of, to_u32(outline.edges)));
        let (mut group, mut said) = (0, 0);
        if !demand.requirements.is_empty() {
            group = kinds.group(&source.symmetries(of, tuple));
            if demand.requirements.has_declared() {
                said = kinds.declared(declared.said(source.state(of))?);
            }
        }
        written.end(group, said);
        Ok(())
    }

    fn spread_chunk(&self, all: &[u32], next: &mut Vec<u32>) {
        let Reached { records, nodes, kinds, steps, .. } = &self.found;
        let (mut new, mut edges) = (0, 0);
        for &base in all {
            run::poll();
            for k in 0..self.fresh.per_row() {
                let fresh = self.fresh.take(base as usize, k);
                if fresh == 0 {
                    continue;
                }
                for (target, kind) in records.get(base).edges {
                    let letter = kinds[kind as usize].letter;
                    for state in ones(fresh, k) {
                        let read = steps.of(letter, state);
                        edges += read.len() as u64;
                        for &(state, _) in read {
                            if nodes.insert(target as usize, state) {
                                new += 1;
                                // Otherwise it is in the layer or among the next ones.
                                if self.fresh.announce(target as usize, state) {
                                    next.push(target);
                                }
                            }
                        }
                    }
                }
            }
        }
        self.new.fetch_add(new, Ordering::Relaxed);
        self.edges.fetch_add(edges, Ordering::Relaxed);
    }
}

/// Leads the search. Returns why it was not completed.
pub(super) fn lead<S: Source, M: Fn() -> S + Sync>(
    team: &mut Team<'_, Search<'_, M>>,
    watch: &Ticker<'_>,
) -> Result<(), Stop> {
    let mut layer = {
        let (mut search, own) = team.alone();
        let own = own.get_or_insert_with(|| search.own());
        search.starts(own)?
    };
    let mut next = Vec::new();
    let mut done = 0;
    while !layer.is_empty() {
        team.job().order(&mut layer);
        team.job().admit(&layer)?;
        for round in layer.chunks(ROUND) {
            let before = done;
            done += round.len() as u64;
            if before == 0 || Every::NODE.is_due_between(before, done) {
                team.job().report(watch)?;
            }
            team.job().prepare(Phase::Expand, round);
            team.call();
            team.job().expanded()?;
            team.job().prepare(Phase::Spread, round);
            team.call();
            team.job().spread(&mut next)?;
        }
        std::mem::swap(&mut layer, &mut next);
        next.clear();
    }
    team.job().report(watch)?;
    let mut search = team.job();
    let numbered = std::mem::replace(&mut *lock(search.numbered), Numbered::new());
    search.found.numbered = numbered;
    Ok(())
}

impl<'s, S: Source, M: Fn() -> S + Sync> Job for Search<'s, M> {
    type Own = Own<'s, S>;

    fn items(&self) -> usize {
        self.ends.len()
    }

    fn item(&self, own: &mut Option<Own<'s, S>>, item: usize) {
        let start = if item == 0 { 0 } else { self.ends[item - 1] };
        let all = &self.round[start..self.ends[item]];
        let mut chunk = lock(&self.chunks[item]);
        if lock(&self.stopped).is_some() {
            return;
        }
        let done = stoppable(|| match self.phase {
            Phase::Expand => {
                let own = own.get_or_insert_with(|| self.own());
                self.expand_chunk(own, all, &mut chunk)
            }
            Phase::Spread => {
                self.spread_chunk(all, &mut chunk.next);
                Ok(())
            }
        });
        if let Err(stop) = done.unwrap_or_else(|reason| Err(Stop::Stopped(reason))) {
            // Another thread may have been stopped before, by a limit or by a failure: a failure
            // counts, for it is there whatever the speed.
            let mut stopped = lock(&self.stopped);
            if !matches!((&*stopped, &stop), (Some(_), Stop::Stopped(_))) {
                *stopped = Some(stop);
            }
        }
    }
}
