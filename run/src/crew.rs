//! Threads that look at many items, each by itself.

use crate::limits::StopReason;
use crate::watch::{Progress, Watch};
use std::ops::Range;
use std::thread;

/// The items that are looked at between two questions whether to stop.
const BLOCK: usize = 1 << 12;

/// Bytes of stack: models may have functions that call themselves.
const STACK: usize = 64 << 20;

/// The threads of a run, and what stops them.
#[derive(Debug)]
pub struct Crew<'w> {
    watch: &'w Watch,
    threads: usize,
}

impl<'w> Crew<'w> {
    /// So many threads, which stop when the watch says so.
    pub fn new(threads: usize, watch: &'w Watch) -> Crew<'w> {
        Crew { watch, threads: threads.max(1) }
    }

    /// Does some work in this thread. The watch may end it.
    pub fn alone<T, E: From<StopReason>>(
        &self,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.watch.over(work)?
    }

    /// Looks at each of these items. Of several errors, the one for the first item counts, so that the
    /// answer does not depend on the number of threads.
    pub fn each<T: Send, E: Send + From<StopReason>>(
        &self,
        items: Range<usize>,
        look: impl Fn(usize) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let part = |items: Range<usize>| self.alone(|| items.map(&look).collect::<Result<_, _>>());
        let mut found: Vec<T> = Vec::new();
        for first in items.clone().step_by(BLOCK) {
            let (states, expanded) = (items.end as u64, first as u64);
            let now = Progress { states, expanded, ..Progress::default() };
            if let Some(reason) = self.watch.report(&now) {
                return Err(reason.into());
            }
            let block = first..items.end.min(first + BLOCK);
            let size = block.len().div_ceil(self.threads);
            thread::scope(|scope| {
                let (part, end) = (&part, block.end);
                let start = |first: usize| {
                    let (items, thread) = (first..end.min(first + size), thread::Builder::new());
                    let theirs = items.clone();
                    let started =
                        thread.stack_size(STACK).spawn_scoped(scope, move || part(theirs));
                    (items, started)
                };
                let all: Vec<_> = block.step_by(size).map(start).collect();
                for (items, started) in all {
                    let looked: Result<Vec<T>, E> = match started {
                        Ok(thread) => {
                            let joined = thread.join();
                            joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                        }
                        // The system refuses more threads.
                        Err(_) => part(items),
                    };
                    found.extend(looked?);
                }
                Ok::<_, E>(())
            })?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_looked_at_in_order_and_the_first_error_counts() {
        let watch = Watch::none();
        for threads in [1, 3, 8] {
            let crew = Crew::new(threads, &watch);
            let squares = crew.each(5..9_000, |k| Ok::<_, StopReason>(k * k)).expect("no error");
            assert!(squares.iter().copied().eq((5..9_000).map(|k| k * k)));
            let refuse = |k| if k >= 700 { Err(StopReason::Memory(k as u64)) } else { Ok(()) };
            assert_eq!(crew.each(0..9_000, refuse), Err(StopReason::Memory(700)));
            assert_eq!(crew.each(3..3, refuse), Ok(Vec::new()));
        }
    }

    #[test]
    fn a_watch_stops_it() {
        let watch = Watch::new(|now| (now.expanded >= 4096).then_some(StopReason::Interrupted));
        let looked = Crew::new(2, &watch).each(0..10_000, |_| Ok::<_, StopReason>(()));
        assert_eq!(looked, Err(StopReason::Interrupted));
    }
}
