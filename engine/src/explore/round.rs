//! A round: some states of a layer are expanded, then their targets are inserted into the store.
//!
//! Both are shared out among the threads of a [team](super::team), the states in chunks and the
//! store in shards, or done by the leader alone if they are little work. A shard takes its targets
//! in the order of their source states, whichever thread has expanded those and however they were
//! divided into chunks; and new states are listed shard by shard. So the result of a round does not
//! depend on the number of threads.
//!
//! A deep state space has many layers of a few states. Such a round costs what its states cost: the
//! leader visits only shards that have targets, and neither calls the team nor reads the clock.

use super::look::{Expanded, Looker};
use super::search::ExplorationSearch;
use super::team::{Job, ends};
use crate::space::{Representative, Shard};
use run::{Pace, StopReason, stoppable};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The number of states of a round.
pub(super) const ROUND: usize = 8192;
/// The greatest number of states of a chunk.
const CHUNK: usize = 512;
/// The number of targets from which on several threads insert them.
const MANY_TARGETS: usize = 2048;
/// The time from which on an expansion is shared. To wake a thread takes about as long.
const WORTH_SHARING: Duration = Duration::from_micros(100);
/// The greatest number of states that are expanded in small rounds before the clock is read.
const BETWEEN_READINGS: usize = 64;

/// A search, and the data that all threads work on.
#[expect(clippy::vec_box, reason = "results are large, and are moved from list to list")]
pub(super) struct Round<'s> {
    pub(super) search: ExplorationSearch<'s>,
    /// The states that are being expanded.
    states: Vec<Representative>,
    /// By chunk of these states: where it ends.
    ends: Vec<usize>,
    /// By chunk: its results.
    chunks: Vec<Mutex<Box<Expanded>>>,
    /// The results of earlier chunks of this round.
    expanded: Vec<Box<Expanded>>,
    /// Memory for further results.
    spare: Vec<Box<Expanded>>,
    /// The shards, while targets are inserted by several threads.
    shards: Vec<Mutex<Shard>>,
    /// Why the expansion of a state was not completed.
    stopped: OnceLock<StopReason>,
    /// The work done besides expanding states and inserting targets.
    pub(super) overhead: Overhead,
}

/// Work that depends on the number of rounds, not on that of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Overhead {
    /// The number of times that the team was called.
    pub(super) calls: u64,
    /// The number of visits of a shard.
    pub(super) visits: u64,
}

impl<'s> Round<'s> {
    /// A round without states.
    pub(super) fn new(search: ExplorationSearch<'s>) -> Self {
        Round {
            search,
            states: Vec::new(),
            ends: Vec::new(),
            chunks: Vec::new(),
            expanded: Vec::new(),
            spare: Vec::new(),
            shards: Vec::new(),
            stopped: OnceLock::new(),
            overhead: Overhead::default(),
        }
    }

    /// Expands some more states of the round in the leader's thread.
    pub(super) fn expand_alone(&mut self, own: &mut Option<Looker<'s>>, states: &[Representative]) {
        for states in states.chunks(CHUNK) {
            let mut chunk = self.room();
            self.look(own, states, &mut chunk);
            self.expanded.push(chunk);
        }
    }

    /// Prepares the expansion of some more states of the round by the team. If states are expensive
    /// (the pace is low), a thread takes smaller chunks of them.
    pub(super) fn expand(&mut self, states: &[Representative], pace: usize) {
        self.overhead.calls += 1;
        self.states.clear();
        self.states.extend(states);
        self.ends.clear();
        let sizes = (pace / 128).clamp(1, CHUNK)..=CHUNK;
        self.ends.extend(ends(states.len(), sizes, self.search.options.threads));
        for _ in 0..self.ends.len() {
            let chunk = self.room();
            self.chunks.push(Mutex::new(chunk));
        }
    }

    /// Memory for the results of a chunk.
    fn room(&mut self) -> Box<Expanded> {
        self.spare.pop().unwrap_or_else(|| Box::new(Expanded::new(&self.search.store)))
    }

    /// Takes the results of the chunks. Returns why the expansion of a state was not completed, if
    /// one was not.
    pub(super) fn expanded(&mut self) -> Option<StopReason> {
        let chunks = self.chunks.drain(..);
        self.expanded
            .extend(chunks.map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)));
        self.stopped.get().copied()
    }

    /// Ends the round early: the violations found in it are kept, targets and counts are not.
    pub(super) fn abandon(&mut self) {
        for one in &mut self.expanded {
            self.search.gather_findings(&mut one.seen);
        }
        self.search.decide();
    }

    /// Whether there are enough targets for several threads.
    pub(super) fn has_many_targets(&self) -> bool {
        let mut count = 0;
        self.expanded.iter().any(|one| {
            count += one.targets.count();
            count >= MANY_TARGETS
        })
    }

    /// Prepares the insertion of the targets by the team.
    pub(super) fn insert(&mut self) {
        self.shards.extend(self.search.store.take_shards().map(Mutex::new));
        self.overhead.calls += 1;
        self.overhead.visits += self.shards.len() as u64;
    }

    /// Inserts the targets, unless the team has done so; appends the new states to `new`, and adds
    /// the other results to the search. If the store is full, new states may be missing, and the
    /// reason is returned.
    pub(super) fn end(&mut self, new: &mut Vec<Representative>) -> Option<StopReason> {
        let store = &mut self.search.store;
        let targets = self.expanded.iter().map(|one| &one.targets);
        if self.shards.is_empty() {
            self.overhead.visits += store.insert_all(&targets, new) as u64;
        } else {
            store.put_shards(self.shards.drain(..).map(|mut shard| {
                shard.get_mut().unwrap_or_else(PoisonError::into_inner).take_fresh(new);
                shard.into_inner().unwrap_or_else(PoisonError::into_inner)
            }));
        }
        let mut full = store.full(targets);
        if self.search.keeps_edges && full.is_none() {
            let chunks = self.expanded.iter().map(|one| (&one.edges, &one.targets));
            full = store.store_edges(chunks).is_none().then(|| store.used_up());
        }
        for one in &mut self.expanded {
            self.search.gather(&mut one.seen);
        }
        // Chunks at the same position have similar lengths, so the first memory is used first
        // again.
        self.spare.extend(self.expanded.drain(..).rev());
        full
    }

    /// Checks and expands the states of a chunk, unless the search is to stop.
    fn look(&self, own: &mut Option<Looker<'s>>, states: &[Representative], chunk: &mut Expanded) {
        chunk.begin();
        if self.stopped.get().is_some() {
            return;
        }
        let looked = stoppable(|| {
            let new = || Looker::new(&self.search);
            own.get_or_insert_with(new).look(&self.search, states, chunk);
        });
        if let Err(reason) = looked {
            // Another thread may have been stopped before.
            let _ = self.stopped.set(reason);
        }
    }
}

/// How long states take: it says when to report and which expansions are worth sharing. Results do
/// not depend on it.
pub(super) struct Tempo {
    pace: Pace,
    /// The number of states since the clock was read, and that at which it is read again.
    since: usize,
    until: usize,
    read: Instant,
    /// Nanoseconds per state, when the clock was read.
    cost: u128,
}

impl Tempo {
    /// States take ten microseconds as long as nothing is known.
    pub(super) fn new() -> Tempo {
        let (pace, read) = (Pace::new(ROUND), Instant::now());
        Tempo { pace, since: 0, until: 0, read, cost: 10_000 }
    }

    /// Whether it is time to report.
    pub(super) fn is_due(&self) -> bool {
        self.since >= self.until
    }

    /// Reads the clock.
    pub(super) fn read(&mut self) {
        let now = Instant::now();
        if self.since > 0 {
            let time = now - self.read;
            self.pace.adapt(self.since, time);
            self.cost = time.as_nanos() / self.since as u128;
        }
        self.read = now;
        self.since = 0;
        self.until = self.pace.steps().min((2 * self.until).clamp(1, BETWEEN_READINGS));
    }

    /// Counts states that were expanded.
    pub(super) fn count(&mut self, states: usize) {
        self.since += states;
    }

    /// The number of states up to the next report.
    pub(super) fn pace(&self) -> usize {
        self.pace.steps()
    }

    /// Whether so many states are worth sharing.
    pub(super) fn is_worth_sharing(&self, states: usize) -> bool {
        states > 1 && self.cost * states as u128 >= WORTH_SHARING.as_nanos()
    }
}

impl<'s> Job for Round<'s> {
    type Own = Looker<'s>;

    fn items(&self) -> usize {
        if self.shards.is_empty() { self.chunks.len() } else { self.shards.len() }
    }

    fn item(&self, own: &mut Option<Looker<'s>>, item: usize) {
        if self.shards.is_empty() {
            let start = if item == 0 { 0 } else { self.ends[item - 1] };
            let mut chunk = self.chunks[item].lock().unwrap_or_else(PoisonError::into_inner);
            self.look(own, &self.states[start..self.ends[item]], &mut chunk);
        } else {
            // The last shard is the largest.
            let shard = &self.shards[self.shards.len() - 1 - item];
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            self.expanded.iter().for_each(|one| shard.insert_all(&one.targets));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::search::run;
    use crate::explore::team::with_team;
    use crate::explore::{Asked, Compression, Deadlock, Options, Symmetry};
    use crate::quotient::Quotient;
    use crate::space::{Space, Store};
    use crate::system::example::Example;
    use crate::system::{Layout, Shape, System as _};
    use run::Watch;

    /// Layers of up to 13 000 states, so that some rounds are full and others are not.
    fn counters() -> Example {
        Example {
            layout: Layout::new(vec![Shape::range(0, 10); 5]),
            indices: Vec::new(),
            rules: vec![vec![Shape::range(0, 4)]],
            start: vec![0; 5],
            next: |cells| {
                let counting = (0_u8..).zip(cells).filter(|(_, count)| **count < 10);
                let step = counting.map(|(i, _)| {
                    let mut target = cells.to_vec();
                    target[usize::from(i)] += 1;
                    (0, vec![i.into()], Some(target))
                });
                step.collect()
            },
            assumed: None,
        }
    }

    /// The number of states of [`chain`].
    const LENGTH: u16 = 5000;

    /// A cycle: layers of one state each.
    fn chain() -> Example {
        Example {
            layout: Layout::new(vec![Shape::range(0, i64::from(LENGTH) - 1)]),
            indices: Vec::new(),
            rules: vec![vec![]],
            start: vec![0],
            next: |cells| vec![(0, vec![], Some(vec![(cells[0] + 1) % i64::from(LENGTH)]))],
            assumed: None,
        }
    }

    /// A state that was found, with its parent.
    type FoundState = (Representative, Vec<u64>, Option<Representative>);

    /// The states of an exploration, in order, and the overhead.
    fn found(system: &Example, threads: usize) -> (Vec<FoundState>, Overhead) {
        let (deadlock, symmetry) = (Deadlock::Stuck, Symmetry::Off);
        let (expand_violating, most_states) = (true, None);
        let options = Options {
            deadlock,
            expand_violating,
            most_states,
            threads,
            symmetry,
            compression: Compression::None,
        };
        let asked = Asked::all(system);
        let quotient = Quotient::sharded(system, symmetry, Compression::None);
        let mut search = ExplorationSearch::new(&quotient, &options, &asked, tracing::Span::none());
        search.store = quotient.space().take();
        let (round, stopped) = with_team(threads, &Watch::none(), Round::new(search), |team| {
            run(team, &Watch::none())
        });
        assert_eq!(stopped, None);
        let space = Space::of(round.search.store);
        let state = |id| {
            let mut words = vec![0; system.layout().words()];
            space.load(id, &mut words);
            (id, words, space.parent(id))
        };
        (space.ids().map(state).collect(), round.overhead)
    }

    #[test]
    fn states_their_order_and_their_parents_do_not_depend_on_threads() {
        let (alone, _) = found(&counters(), 1);
        assert_eq!(alone.len(), 11_usize.pow(5));
        for threads in [2, 3, 8] {
            assert!(found(&counters(), threads).0 == alone, "{threads} threads");
        }
    }

    /// A layer of one state costs a visit of one shard, and no call of the team. The number of
    /// layers is all that counts.
    #[test]
    fn a_chain_takes_no_more_work_than_its_states() {
        let expected = Overhead { calls: 0, visits: LENGTH.into() };
        let (alone, overhead) = found(&chain(), 1);
        assert_eq!((alone.len(), overhead), (LENGTH.into(), expected));
        for threads in [2, 3, 8] {
            let (together, overhead) = found(&chain(), threads);
            assert!(together == alone, "{threads} threads");
            assert_eq!(overhead, expected, "{threads} threads");
        }
    }

    /// The team is called for large rounds, and the leader visits no shard in vain.
    #[test]
    fn large_rounds_are_shared() {
        assert_eq!(found(&counters(), 1).1.calls, 0);
        let (_, overhead) = found(&counters(), 2);
        // Six layers alone have 10 000 states and more.
        assert!(overhead.calls >= 12, "{overhead:?}");
    }

    /// A store that is full is a limit, whatever the number of threads.
    #[test]
    fn a_full_store_stops_the_search() {
        let system = counters();
        let bytes = system.layout().bytes();
        for threads in [1, 2, 7] {
            let options = Options {
                deadlock: Deadlock::Stuck,
                expand_violating: true,
                most_states: None,
                threads,
                symmetry: Symmetry::Off,
                compression: Compression::None,
            };
            let asked = Asked::all(&system);
            let quotient = Quotient::sharded(&system, Symmetry::Off, Compression::None);
            let mut search =
                ExplorationSearch::new(&quotient, &options, &asked, tracing::Span::none());
            search.store = Store::below(bytes, options.compression, 100);
            let (round, stopped) = with_team(threads, &Watch::none(), Round::new(search), |team| {
                run(team, &Watch::none())
            });
            let stored = Space::of(round.search.store).len();
            assert_eq!(stopped, Some(StopReason::States(stored)));
            assert!(stored > 100 && stored < 6400, "{stored}");
        }
    }
}
