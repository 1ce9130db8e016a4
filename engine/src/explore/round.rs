//! A round: some states of a layer are expanded, then their targets are inserted into the store.
//!
//! Both are shared out among the threads of a [team](super::team), the states in chunks and the
//! store in shards. A shard takes its targets in the order of their source states, whichever thread
//! has expanded those and however they were divided into chunks; and new states are listed shard by
//! shard. So the result of a round does not depend on the number of threads.

use super::look::{Expanded, Looker};
use super::search::ExplorationSearch;
use super::store::{Shard, StateId};
use super::team::Job;
use run::{StopReason, stoppable};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of states of a round.
pub(super) const ROUND: usize = 8192;
/// The greatest number of states of a chunk.
const CHUNK: usize = 512;

/// A search, and the data that all threads work on.
pub(super) struct Round<'s> {
    pub(super) search: ExplorationSearch<'s>,
    /// The states that are being expanded.
    states: Vec<StateId>,
    /// By chunk of these states: where it ends.
    ends: Vec<usize>,
    /// By chunk: its results.
    chunks: Vec<Mutex<Expanded>>,
    /// The results of earlier chunks of this round.
    expanded: Vec<Expanded>,
    /// Memory for further results.
    spare: Vec<Expanded>,
    /// The shards, while targets are inserted.
    shards: Vec<Mutex<Shard>>,
    /// Why the expansion of a state was not completed.
    stopped: OnceLock<StopReason>,
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
        }
    }

    /// Prepares the expansion of some more states of the round. If states are expensive (the pace
    /// is low), a thread takes smaller chunks of them.
    pub(super) fn expand(&mut self, states: &[StateId], pace: usize) {
        self.collect();
        self.states.clear();
        self.states.extend(states);
        self.ends.clear();
        self.ends.extend(ends(states.len(), pace, self.search.options.threads));
        for _ in &self.ends {
            let chunk = self.spare.pop().unwrap_or_else(|| Expanded::new(&self.search.store));
            self.chunks.push(Mutex::new(chunk));
        }
    }

    /// Why the expansion of a state was not completed, if one was not.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stopped.get().copied()
    }

    /// Ends the round early: the violations found in it are kept, targets and counts are not.
    pub(super) fn abandon(&mut self) {
        self.collect();
        for one in &mut self.expanded {
            self.search.gather_findings(&mut one.seen);
        }
        self.search.decide();
    }

    /// Prepares the insertion of the targets.
    pub(super) fn insert(&mut self) {
        self.collect();
        self.shards.extend(self.search.store.take_shards().map(Mutex::new));
    }

    /// Appends the new states to `new`, and adds the other results to the search. If the store is
    /// full, new states may be missing, and the reason is returned.
    pub(super) fn end(&mut self, new: &mut Vec<StateId>) -> Option<StopReason> {
        let shards = self.shards.drain(..).map(|mut shard| {
            shard.get_mut().unwrap_or_else(PoisonError::into_inner).take_fresh(new);
            shard.into_inner().unwrap_or_else(PoisonError::into_inner)
        });
        self.search.store.put_shards(shards);
        let full = self.search.store.full(self.expanded.iter().map(|one| &one.targets));
        for one in &mut self.expanded {
            self.search.gather(std::mem::take(&mut one.seen));
        }
        // Chunks at the same position have similar lengths, so the first memory is used first
        // again.
        self.spare.extend(self.expanded.drain(..).rev());
        full
    }

    /// Adds the results of the last chunks to those of the others.
    fn collect(&mut self) {
        let chunks = self.chunks.drain(..);
        self.expanded
            .extend(chunks.map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)));
    }
}

/// The ends of the chunks of this number of states.
///
/// A single thread takes chunks of the greatest size. Several threads take smaller ones towards the
/// end, so that none works for long when nothing is left for the others.
fn ends(states: usize, pace: usize, threads: usize) -> impl Iterator<Item = usize> {
    let least = (pace / 128).clamp(1, CHUNK);
    let mut end = 0;
    std::iter::from_fn(move || {
        let rest = states - end;
        let share = if threads <= 1 { rest } else { rest.div_ceil(2 * threads).max(least) };
        end += share.min(CHUNK).min(rest);
        (rest > 0).then_some(end)
    })
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
            chunk.begin();
            if self.stopped().is_some() {
                return;
            }
            let states = &self.states[start..self.ends[item]];
            let looked = stoppable(|| {
                let new = || Looker::new(self.search.system, self.search.reduction);
                own.get_or_insert_with(new).look(&self.search, states, &mut chunk);
            });
            if let Err(reason) = looked {
                // Another thread may have been stopped before.
                let _ = self.stopped.set(reason);
            }
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
    use crate::explore::store::Store;
    use crate::explore::team::with_team;
    use crate::explore::{Asked, Compression, Deadlock, Options, Symmetry};
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

    #[test]
    fn states_their_order_and_their_parents_do_not_depend_on_threads() {
        let found = |threads| {
            let system = counters();
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
            let asked = Asked::all(&system);
            let search =
                ExplorationSearch::new(&system, &options, &asked, None, tracing::Span::none());
            let (round, stopped) = with_team(threads, &Watch::none(), Round::new(search), |team| {
                run(team, &Watch::none())
            });
            assert_eq!(stopped, None);
            let store = round.search.store;
            let state = |id| {
                let mut words = vec![0; system.layout().words()];
                store.read(id, &mut words);
                (id, words, store.parent(id))
            };
            store.ids().map(state).collect::<Vec<_>>()
        };
        let alone = found(1);
        assert_eq!(alone.len(), 11_usize.pow(5));
        for threads in [2, 3, 7] {
            assert!(found(threads) == alone, "{threads} threads");
        }
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
            let mut search =
                ExplorationSearch::new(&system, &options, &asked, None, tracing::Span::none());
            search.store = Store::below(bytes, options.compression, 100);
            let (round, stopped) = with_team(threads, &Watch::none(), Round::new(search), |team| {
                run(team, &Watch::none())
            });
            let stored = round.search.store.ids().count();
            assert_eq!(stopped, Some(StopReason::States(stored)));
            assert!(stored > 100 && stored < 6400, "{stored}");
        }
    }

    #[test]
    fn chunks_are_all_states() {
        for states in [0, 1, 2, 63, 64, 65, 511, 513, 1000, ROUND] {
            for pace in [1, 16, 1000, ROUND] {
                for threads in [0, 1, 2, 3, 7, 256] {
                    let ends: Vec<usize> = ends(states, pace, threads).collect();
                    assert_eq!(ends.last().copied().unwrap_or(0), states);
                    let starts = std::iter::once(&0).chain(&ends);
                    let sizes: Vec<usize> = ends.iter().zip(starts).map(|(b, a)| b - a).collect();
                    assert!(sizes.iter().all(|size| (1..=CHUNK).contains(size)), "{sizes:?}");
                    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
                }
            }
        }
    }
}
