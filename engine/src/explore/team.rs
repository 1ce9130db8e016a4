//! Threads that work on a job together.
//!
//! A job consists of items. One thread is the leader: it prepares a job alone, has all threads do
//! the items, each by the next thread that is free, and then owns the job again, to read the
//! results and to prepare the next call. The other threads are helpers.
//!
//! Threads spin for a moment before they go to sleep: what they wait for usually comes within
//! microseconds, and waking a thread takes longer than that. On a busy machine it does not, because
//! another process has got the core of the thread that they wait for. Then spinning takes time from
//! that very thread, so a thread whose last waits were long spins less: see [`Patience`].
//!
//! The threads are rayon's. Its work sharing is not used: rounds are short, so with rayon's
//! recursive halving all threads would wait for the one that got the last quarter.
//!
//! The leader never waits for a sleeping helper: one that comes too late finds the call over. The
//! leader only waits for items that helpers have begun.
//!
//! Which thread does which item is left to chance. The job must not depend on it.

use run::{StopReason, Watch};
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock, RwLockWriteGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Work that a team does together.
pub(crate) trait Job: Send + Sync {
    /// The data of one thread. It is created by the thread with its first item, in memory that no
    /// other thread writes to.
    type Own;

    /// The number of items of the current call.
    fn items(&self) -> usize;

    /// Does one item, and handles its stops.
    fn item(&self, own: &mut Option<Self::Own>, item: usize);
}

/// The ends of the chunks of so many things, with sizes in this range, but for the last.
///
/// A single thread takes chunks of the greatest size. Several threads take smaller ones towards the
/// end, so that none works for long when nothing is left for the others.
pub(crate) fn ends(
    all: usize,
    sizes: RangeInclusive<usize>,
    threads: usize,
) -> impl Iterator<Item = usize> {
    let (least, most) = sizes.into_inner();
    let mut end = 0;
    std::iter::from_fn(move || {
        let rest = all - end;
        let share = if threads <= 1 { rest } else { rest.div_ceil(2 * threads).max(least) };
        end += share.min(most).min(rest);
        (rest > 0).then_some(end)
    })
}

/// The size of a stack in bytes: models may be deeply nested.
const STACK: usize = 64 << 20;
/// How long a thread spins at most before it sleeps.
const LONGEST_SPIN: Duration = Duration::from_micros(200);
/// How long it spins at least.
const SHORTEST_SPIN: Duration = Duration::from_micros(5);

/// Runs a job on this number of threads, one of which is the leader. Returns the job after that,
/// and the leader's result. If the system refuses to start so many threads, there are fewer.
pub(crate) fn with_team<J: Job>(
    threads: usize,
    watch: &Watch,
    job: J,
    lead: impl FnOnce(&mut Team<'_, J>) -> Option<StopReason> + Send,
) -> (J, Option<StopReason>) {
    let pool = pool(threads);
    let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let board = Board {
        job: RwLock::new(job),
        call: AtomicUsize::new(0),
        next: AtomicUsize::new(0),
        active: AtomicUsize::new(0),
        has_panicked: AtomicBool::new(false),
        // With more threads than cores, spinning would keep other threads from working.
        may_spin: threads <= cores,
        asleep: Mutex::new(0),
        bell: Condvar::new(),
    };
    let led = || {
        // It is dropped in any case, also on a panic, so that helpers return.
        let patience = Patience::default();
        let mut team = Team { board: &board, has_helpers: threads > 1, own: None, patience };
        watch.over(|| lead(&mut team)).unwrap_or_else(Some)
    };
    let stopped = match pool {
        None => led(),
        Some(pool) => pool.scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| {
                    // Items handle their stops.
                    let _ = watch.over(|| board.help());
                });
            }
            led()
        }),
    };
    (board.job.into_inner().unwrap_or_else(PoisonError::into_inner), stopped)
}

/// A pool of this number of threads, or of fewer; none if not a single one can be started. Then the
/// current thread has to do.
fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    (1..=threads.max(1)).rev().find_map(|count| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).stack_size(STACK).build();
        if pool.is_err() {
            run::threads::refused(threads, count - 1);
        }
        pool.ok()
    })
}

/// The leader's access to its team.
pub(crate) struct Team<'t, J: Job> {
    board: &'t Board<J>,
    has_helpers: bool,
    own: Option<J::Own>,
    patience: Patience,
}

/// How long a thread spins before it sleeps. It depends on the thread's last waits: half as long
/// after a wait that was longer than any spinning, and twice as long after one that was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Patience(LONGEST_SPIN)
    }
}

impl Patience {
    /// Adapts to a wait.
    fn adapt(&mut self, waited: Duration) {
        let spin = if waited < LONGEST_SPIN { self.0 * 2 } else { self.0 / 2 };
        self.0 = spin.clamp(SHORTEST_SPIN, LONGEST_SPIN);
    }
}

/// The state that a team shares.
struct Board<J> {
    /// Written by the leader between calls, read by all during one.
    job: RwLock<J>,
    /// The number of a call: odd while it lasts, even between two, [`OVER`] at the end.
    call: AtomicUsize,
    /// The next item. Set by the leader between calls.
    next: AtomicUsize,
    /// The number of helpers that may be working on an item. A helper first adds itself and then
    /// checks whether there is a call; the leader first ends a call and then checks whether there
    /// are active helpers.
    active: AtomicUsize,
    has_panicked: AtomicBool,
    may_spin: bool,
    /// The number of threads that sleep.
    asleep: Mutex<usize>,
    bell: Condvar,
}

/// The value of `call` when there will be no more calls.
const OVER: usize = usize::MAX - 1;

impl<J: Job> Team<'_, J> {
    /// The job, between two calls.
    pub(crate) fn job(&mut self) -> RwLockWriteGuard<'_, J> {
        self.board.job.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job between two calls, and the leader's own data, for work that the leader does alone.
    pub(crate) fn alone(&mut self) -> (RwLockWriteGuard<'_, J>, &mut Option<J::Own>) {
        (self.board.job.write().unwrap_or_else(PoisonError::into_inner), &mut self.own)
    }

    /// Whether there are threads besides the leader.
    pub(crate) fn has_helpers(&self) -> bool {
        self.has_helpers
    }

    /// Does all items of the job, together with the helpers. Calls are logged, so that it can be
    /// judged how well threads share the work.
    pub(crate) fn call(&mut self) {
        let board = self.board;
        let items = self.job().items();
        let is_shared = self.has_helpers && items > 1;
        let began = tracing::enabled!(target: "rounds", tracing::Level::TRACE).then(Instant::now);
        board.next.store(0, Ordering::Relaxed);
        if is_shared {
            board.call.fetch_add(1, Ordering::SeqCst);
            board.ring();
        }
        board.work(&mut self.own);
        if is_shared {
            board.call.fetch_add(1, Ordering::SeqCst);
            board.wait(&mut self.patience, || board.active.load(Ordering::SeqCst) == 0);
            assert!(!board.has_panicked.load(Ordering::SeqCst), "another thread has panicked");
        }
        if let Some(took) = began.map(|began| began.elapsed()) {
            tracing::trace!(target: "rounds", items, ?took);
        }
    }
}

impl<J: Job> Drop for Team<'_, J> {
    fn drop(&mut self) {
        self.board.call.store(OVER, Ordering::SeqCst);
        self.board.ring();
    }
}

impl<J: Job> Board<J> {
    /// The main loop of a helper.
    fn help(&self) {
        let mut own = None;
        let mut patience = Patience::default();
        let mut last = 0;
        loop {
            let is_news = |call: usize| call == OVER || call % 2 == 1 && call != last;
            self.wait(&mut patience, || is_news(self.call.load(Ordering::SeqCst)));
            self.active.fetch_add(1, Ordering::SeqCst);
            let active = Active(self);
            last = self.call.load(Ordering::SeqCst);
            if last == OVER {
                return;
            }
            if last % 2 == 1 {
                self.work(&mut own);
            }
            drop(active);
        }
    }

    /// Does items until none is left.
    fn work(&self, own: &mut Option<J::Own>) {
        let job = self.job.read().unwrap_or_else(PoisonError::into_inner);
        let items = job.items();
        loop {
            let item = self.next.fetch_add(1, Ordering::Relaxed);
            if item >= items {
                return;
            }
            job.item(own, item);
        }
    }

    /// Waits until a condition is true. The thread that makes it true rings.
    fn wait(&self, patience: &mut Patience, is_so: impl Fn() -> bool) {
        if is_so() {
            return;
        }
        let began = Instant::now();
        while self.may_spin && began.elapsed() < patience.0 {
            (0..16).for_each(|_| std::hint::spin_loop());
            if is_so() {
                return patience.adapt(began.elapsed());
            }
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        *asleep += 1;
        while !is_so() {
            asleep = self.bell.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
        *asleep -= 1;
        patience.adapt(began.elapsed());
    }

    /// Wakes the sleeping threads.
    fn ring(&self) {
        if *self.asleep.lock().unwrap_or_else(PoisonError::into_inner) > 0 {
            self.bell.notify_all();
        }
    }
}

/// A helper that is counted as active.
struct Active<'b, J: Job>(&'b Board<J>);

impl<J: Job> Drop for Active<'_, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.has_panicked.store(true, Ordering::SeqCst);
        }
        self.0.active.fetch_sub(1, Ordering::SeqCst);
        self.0.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Counts how often each item is done; some items panic.
    struct Tally {
        done: Vec<AtomicU64>,
        items: usize,
        bad: Option<usize>,
    }

    impl Job for Tally {
        type Own = u64;

        fn items(&self) -> usize {
            self.items
        }

        fn item(&self, own: &mut Option<u64>, item: usize) {
            assert_ne!(Some(item), self.bad, "a bad item");
            *own.get_or_insert(0) += 1;
            self.done[item].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tally(bad: Option<usize>) -> Tally {
        Tally { done: (0..100).map(|_| AtomicU64::new(0)).collect(), items: 0, bad }
    }

    #[test]
    fn every_item_is_done_once_per_call() {
        for threads in [1, 2, 3, 7] {
            let calls = 2_000_u64;
            let (job, _) = with_team(threads, &Watch::none(), tally(None), |team| {
                for call in 1..=2_000_usize {
                    // Now and then all helpers fall asleep.
                    if call % 500 == 0 {
                        thread::sleep(3 * LONGEST_SPIN);
                    }
                    team.job().items = call % 101;
                    team.call();
                    // All items are done.
                    let job = team.job();
                    let done: u64 = job.done.iter().map(|one| one.load(Ordering::Relaxed)).sum();
                    let expected: u64 = (1..=call as u64).map(|call| call % 101).sum();
                    assert_eq!(done, expected);
                }
                None
            });
            for (item, done) in job.done.iter().enumerate() {
                let expected = (1..=calls).filter(|call| call % 101 > item as u64).count() as u64;
                assert_eq!(
                    done.load(Ordering::Relaxed),
                    expected,
                    "{threads} threads, item {item}"
                );
            }
        }
    }

    #[test]
    fn chunks_are_all_there_is() {
        for all in [0, 1, 2, 63, 64, 65, 511, 513, 1000, 8192] {
            for least in [1, 7, 64] {
                for threads in [0, 1, 2, 3, 7, 256] {
                    let ends: Vec<usize> = ends(all, least..=512, threads).collect();
                    assert_eq!(ends.last().copied().unwrap_or(0), all);
                    let starts = std::iter::once(&0).chain(&ends);
                    let sizes: Vec<usize> = ends.iter().zip(starts).map(|(b, a)| b - a).collect();
                    assert!(sizes.iter().all(|size| (1..=512).contains(size)), "{sizes:?}");
                    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
                }
            }
        }
    }

    #[test]
    fn threads_spin_less_where_waits_are_long() {
        let mut patience = Patience::default();
        let mut after = |waited: Duration| {
            (0..10).for_each(|_| patience.adapt(waited));
            patience.0
        };
        assert_eq!(after(Duration::from_micros(10)), LONGEST_SPIN);
        assert_eq!(after(Duration::from_millis(4)), SHORTEST_SPIN);
        // Short waits are recognised as such although the thread was asleep.
        assert_eq!(after(Duration::from_micros(100)), LONGEST_SPIN);
    }

    #[test]
    fn a_panic_is_everybodys() {
        for threads in [1, 2, 3] {
            for bad in [0, 50, 99] {
                let run = || {
                    with_team(threads, &Watch::none(), tally(Some(bad)), |team| {
                        team.job().items = 100;
                        team.call();
                        None
                    })
                };
                assert!(std::panic::catch_unwind(run).is_err(), "{threads} threads, item {bad}");
            }
        }
    }
}
