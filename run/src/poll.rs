//! Stopping in the middle of one long evaluation.
//!
//! A search asks its watch between two nodes. But a single state may have a billion rule instances,
//! and the judge may need an hour for a single step. If the code for these returned reasons to stop,
//! every function of the interpreter and of the judge would have one in its result, and front ends
//! that others write would have to pass it on. Instead, such code calls [`poll`] for each piece of its
//! work. That counts the work and asks the watch of the current thread now and then
//! ([`Watch::over`]). If the watch wants to stop, `poll` does not return: it unwinds the stack up
//! to the nearest [`stoppable`] or [`Watch::over`], which returns the reason.
//!
//! Work is not all that counts: a few pieces of work may take much memory. So the allocator tells how
//! much a thread has taken in large pieces (`taken`), and after some megabytes the next `poll` asks,
//! whatever the work was, and has the watch look at the memory.
//!
//! **Contract.** Code that polls may be abandoned at any poll. So it holds no lock there, and the
//! values that it was changing are dropped or overwritten, never read again. Most of the code that
//! polls computes a value from others that it only reads, and satisfies this by construction.
//!
//! A stop is no panic: the panic hook is not called.

use crate::limits::StopReason;
use crate::watch::{Progress, Watch};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};

/// The work between two questions to a watch. A piece of work takes between some nanoseconds and
/// some microseconds.
const BETWEEN: u64 = 1 << 10;

/// The memory that a thread may take in large pieces between two questions to a watch.
const BYTES_BETWEEN: usize = 8 << 20;

thread_local! {
    /// What a thread polls for.
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
    /// The work up to the next question.
    static LEFT: Cell<u64> = const { Cell::new(BETWEEN) };
    /// The memory that was taken in large pieces since the last question. Like `LEFT` it needs no
    /// destructor, so that the allocator may use both at any time.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// What unwinds the stack.
struct Thrown(StopReason);

/// Counts one piece of work. Does not return if the run should stop.
#[inline]
pub fn poll() {
    poll_for(1);
}

/// Counts pieces of work. Does not return if the run should stop.
#[inline]
pub fn poll_for(work: u64) {
    match LEFT.get().checked_sub(work) {
        Some(left) => LEFT.set(left),
        None => ask(),
    }
}

#[cold]
fn ask() {
    LEFT.set(BETWEEN);
    // Wanting a byte is a reason to look at the memory.
    let wanted_bytes = u64::from(TAKEN.get() >= BYTES_BETWEEN);
    if wanted_bytes > 0 {
        TAKEN.set(0);
    }
    let watch = WATCH.with_borrow(Clone::clone);
    let now = Progress { wanted_bytes, ..Progress::default() };
    if let Some(reason) = watch.and_then(|watch| watch.report(&now)) {
        throw(reason);
    }
}

/// Counts memory that this thread has taken at once. Called by the allocator, for large pieces.
pub(crate) fn taken(bytes: usize) {
    let all = TAKEN.get().saturating_add(bytes);
    TAKEN.set(all);
    if all >= BYTES_BETWEEN {
        LEFT.set(0);
    }
}

/// These items, with a [`poll`] for each. It counts them by itself, which is cheaper where items are.
#[inline]
pub fn polled<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let mut since = 0_u64;
    items.into_iter().inspect(move |_| {
        since += 1;
        if since == ITEMS {
            since = 0;
            poll_for(ITEMS);
        }
    })
}

/// The items between two polls.
const ITEMS: u64 = 1 << 7;

/// Why so many bytes of memory should not be taken, if the watch of this thread objects to that.
pub fn refusal(bytes: usize) -> Option<StopReason> {
    let watch = WATCH.with_borrow(Clone::clone)?;
    watch.report(&Progress { wanted_bytes: bytes as u64, ..Progress::default() })
}

/// Ends the work up to the nearest [`stoppable`] or [`Watch::over`] for this reason.
pub fn throw(reason: StopReason) -> ! {
    panic::resume_unwind(Box::new(Thrown(reason)))
}

/// Does some work that [`poll`] may end; then the reason is the error.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> Result<T, StopReason> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| {
        match thrown.downcast::<Thrown>() {
            Ok(thrown) => thrown.0,
            Err(panicked) => panic::resume_unwind(panicked),
        }
    })
}

impl Watch {
    /// The watch that this thread polls for, for other threads that work for it.
    pub fn of_this_thread() -> Watch {
        WATCH.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// Does some work for which [`poll`] asks this watch, in this thread. If the watch ends the
    /// work, its reason is the error.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> Result<T, StopReason> {
        let before = WATCH.replace(Some(self.clone()));
        let _restored = Restored(before);
        stoppable(work)
    }
}

/// Restores the watch that a thread had before.
struct Restored(Option<Watch>);

impl Drop for Restored {
    fn drop(&mut self) {
        // A thread that ends may have dropped its watch already.
        let _ = WATCH.try_with(|watch| watch.replace(self.0.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A watch that stops at a question, and the number of questions so far.
    fn stopping_at(last: u64) -> (Watch, Arc<AtomicU64>) {
        let asked: Arc<AtomicU64> = Arc::default();
        let counted = Arc::clone(&asked);
        let watch = Watch::new(move |_| {
            let asked = counted.fetch_add(1, Ordering::Relaxed) + 1;
            (asked >= last).then_some(StopReason::Interrupted)
        });
        (watch, asked)
    }

    #[test]
    fn long_work_is_stopped() {
        let (watch, asked) = stopping_at(3);
        let done = Cell::new(0);
        let stopped: Result<(), _> = watch.over(|| {
            loop {
                poll();
                done.set(done.get() + 1);
            }
        });
        assert_eq!(stopped, Err(StopReason::Interrupted));
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        let done = done.get();
        assert!((2 * BETWEEN..=3 * BETWEEN + 3).contains(&done), "{done}");
    }

    #[test]
    fn large_pieces_are_asked_about_at_once() {
        let (watch, asked) = stopping_at(u64::MAX);
        assert_eq!(watch.over(|| (0..10).for_each(|_| poll_for(BETWEEN + 1))), Ok(()));
        assert_eq!(asked.load(Ordering::Relaxed), 10);
    }

    #[test]
    fn items_are_counted() {
        let (watch, asked) = stopping_at(u64::MAX);
        let items = 10 * (BETWEEN + ITEMS);
        assert_eq!(watch.over(|| polled(0..items).count() as u64), Ok(items));
        assert_eq!(asked.load(Ordering::Relaxed), 10);
    }

    #[test]
    fn much_memory_is_asked_about_at_the_next_poll() {
        let limit = StopReason::Memory(1);
        let watch = Watch::new(move |now| (now.wanted_bytes > 0).then_some(limit));
        let found = watch.over(|| {
            poll_for(u64::MAX);
            taken(BYTES_BETWEEN - 1);
            poll_for(u64::MAX);
            taken(1);
            let stopped = stoppable(poll).and(stoppable(poll));
            poll_for(u64::MAX);
            stopped
        });
        assert_eq!(found, Ok(Err(limit)));
    }

    #[test]
    fn without_a_watch_nothing_stops() {
        for _ in 0..5 * BETWEEN {
            poll();
        }
    }

    #[test]
    fn the_inner_watch_counts_until_its_work_is_done() {
        let (outer, asked_outer) = stopping_at(u64::MAX);
        let (inner, _) = stopping_at(1);
        let found = outer.over(|| {
            let stopped = inner.over(|| poll_for(u64::MAX));
            poll_for(u64::MAX);
            stopped
        });
        assert_eq!(found, Ok(Err(StopReason::Interrupted)));
        assert_eq!(asked_outer.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        assert_eq!(refusal(usize::MAX), None, "there is no watch");
        let limit = StopReason::Memory(100);
        let watch = Watch::new(move |now| (now.wanted_bytes > 100).then_some(limit));
        let found = watch.over(|| (refusal(100), refusal(101)));
        assert_eq!(found, Ok((None, Some(limit))));
    }

    #[test]
    fn the_nearest_catches() {
        let (watch, _) = stopping_at(1);
        let found = watch.over(|| stoppable(|| poll_for(u64::MAX)));
        assert_eq!(found, Ok(Err(StopReason::Interrupted)));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panicked =
            panic::catch_unwind(|| stoppable(|| panic::resume_unwind(Box::new("no stop"))));
        let payload = panicked.expect_err("it panics");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"no stop"));
    }
}
