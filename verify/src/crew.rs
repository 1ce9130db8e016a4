//! Threads that look at many items, each by itself.

use crate::verdict::Refusal;
use rayon::ThreadPool;
use rayon::prelude::*;
use run::{Progress, StopReason, Watch};

/// The items that are looked at between two questions whether to stop.
const BLOCK: usize = 1 << 12;

/// The threads of a run, and what stops them.
#[derive(Debug)]
pub struct Crew<'w> {
    watch: &'w Watch,
    pool: ThreadPool,
}

impl<'w> Crew<'w> {
    /// So many threads, which stop when the watch says so.
    pub fn new(threads: usize, watch: &'w Watch) -> Result<Crew<'w>, StopReason> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        Ok(Crew { watch, pool: pool.map_err(|_| StopReason::OutOfMemory)? })
    }

    /// Does some work in this thread. The watch may end it.
    pub fn alone<T>(&self, work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.watch.over(work)?
    }

    /// Looks at each of so many items. Of several refusals, the one for the first item counts, so that
    /// the answer does not depend on the number of threads.
    pub fn each<T: Send>(
        &self,
        items: usize,
        progress: impl Fn(u64) -> Progress,
        look: impl Fn(usize) -> Result<T, Refusal> + Sync,
    ) -> Result<Vec<T>, Refusal> {
        let mut found = Vec::new();
        for first in (0..items).step_by(BLOCK) {
            let now = progress(first as u64);
            tracing::trace!(target: "progress", states = now.states, product_nodes = now.product_nodes);
            if let Some(reason) = self.watch.report(&now) {
                return Err(reason.into());
            }
            let block = first..items.min(first + BLOCK);
            let watch = self.watch;
            let look = &look;
            let looked: Vec<Result<T, Refusal>> = self.pool.install(|| {
                let work = |item| watch.over(|| look(item))?;
                block.into_par_iter().with_min_len(8).map(work).collect()
            });
            for one in looked {
                found.push(one?);
            }
        }
        Ok(found)
    }
}
