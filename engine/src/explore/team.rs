//! Threads that do a job together.
//!
//! A job consists of items. One thread leads: it prepares a job alone, has everyone do the items, each by
//! whoever is free, and then has the job for itself again, to read what came of it and to prepare the next
//! one. The others help. They wait for the next job for a moment before they go to sleep: it usually
//! comes within microseconds, and to wake a thread takes longer than that.
//!
//! The threads are rayon's. Its own way to share out work is not used: it would halve what is left again and again, and a
//! round is over so soon that who gets the last quarter is waited for by all others.
//!
//! The leader never waits for who sleeps: a helper that comes too late finds the call over. What it
//! does wait for are items that others have begun.
//!
//! Which item is done by whom is left to chance. That nothing depends on it is up to the job.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock, RwLockWriteGuard};
use std::thread;
use std::time::{Duration, Instant};

/// What is done together.
pub(super) trait Job: Send + Sync {
    /// What each thread has for itself. It is made by the thread, in memory that no other one writes to.
    type Own: Send;

    fn own(&self) -> Self::Own;

    /// How many items there are now.
    fn items(&self) -> usize;

    /// Does one of them.
    fn item(&self, own: &mut Self::Own, item: usize);
}

/// Bytes of a stack: models may be deeply nested.
const STACK: usize = 64 << 20;
/// How long a thread waits before it sleeps.
const PATIENCE: Duration = Duration::from_micros(200);

/// Has so many threads do a job, one of which leads; the job after that, and what the leader says.
pub(super) fn with_team<J: Job, R: Send>(
    threads: usize,
    job: J,
    lead: impl FnOnce(&mut Team<'_, J>) -> R + Send,
) -> (J, R) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let board = Board {
        job: RwLock::new(job),
        call: AtomicUsize::new(0),
        next: AtomicUsize::new(0),
        active: AtomicUsize::new(0),
        has_panicked: AtomicBool::new(false),
        // Who waits must not keep others from working.
        patience: if threads <= cores { PATIENCE } else { Duration::ZERO },
        asleep: Mutex::new(0),
        bell: Condvar::new(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).stack_size(STACK);
    let said = pool.build().expect("threads can be started").scope(|scope| {
        // Whatever happens, it is dropped, and helpers go home.
        let mut team = Team { board: &board, has_helpers: threads > 1, own: None };
        for _ in 1..threads {
            scope.spawn(|_| board.help());
        }
        lead(&mut team)
    });
    (board.job.into_inner().unwrap_or_else(PoisonError::into_inner), said)
}

/// The team as its leader knows it.
pub(super) struct Team<'t, J: Job> {
    board: &'t Board<J>,
    has_helpers: bool,
    own: Option<J::Own>,
}

/// What a team shares.
struct Board<J> {
    /// Written to by the leader between calls, read by all during one.
    job: RwLock<J>,
    /// The number of a call: odd while it lasts, even between two, [`OVER`] at the end.
    call: AtomicUsize,
    /// The next item. Set by the leader between calls.
    next: AtomicUsize,
    /// Helpers that may be at an item. One that has added itself does nothing before it has looked
    /// whether there is a call; the leader ends a call before it looks whether there is anyone.
    active: AtomicUsize,
    has_panicked: AtomicBool,
    patience: Duration,
    /// How many threads wait for the bell.
    asleep: Mutex<usize>,
    bell: Condvar,
}

/// There will be no more calls.
const OVER: usize = usize::MAX - 1;

impl<J: Job> Team<'_, J> {
    /// The job, between two calls.
    pub(super) fn job(&mut self) -> RwLockWriteGuard<'_, J> {
        self.board.job.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all items done.
    pub(super) fn call(&mut self) {
        let board = self.board;
        let is_shared = self.has_helpers && self.job().items() > 1;
        board.next.store(0, Ordering::Relaxed);
        if is_shared {
            board.call.fetch_add(1, Ordering::SeqCst);
            board.ring();
        }
        board.work(&mut self.own);
        if is_shared {
            board.call.fetch_add(1, Ordering::SeqCst);
            board.wait(|| board.active.load(Ordering::SeqCst) == 0);
            assert!(!board.has_panicked.load(Ordering::SeqCst), "another thread has panicked");
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
    /// What a helper does.
    fn help(&self) {
        let mut own = None;
        let mut last = 0;
        loop {
            let is_news = |call: usize| call == OVER || call % 2 == 1 && call != last;
            self.wait(|| is_news(self.call.load(Ordering::SeqCst)));
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
            job.item(own.get_or_insert_with(|| job.own()), item);
        }
    }

    /// Waits until something is so. Whoever makes it so rings.
    fn wait(&self, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            if began.elapsed() < self.patience {
                (0..16).for_each(|_| std::hint::spin_loop());
                continue;
            }
            let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            *asleep += 1;
            while !is_so() {
                asleep = self.bell.wait(asleep).unwrap_or_else(PoisonError::into_inner);
            }
            *asleep -= 1;
            return;
        }
    }

    /// Wakes who sleeps.
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

        fn own(&self) -> u64 {
            0
        }

        fn items(&self) -> usize {
            self.items
        }

        fn item(&self, own: &mut u64, item: usize) {
            assert_ne!(Some(item), self.bad, "a bad item");
            *own += 1;
            self.done[item].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tally(bad: Option<usize>) -> Tally {
        Tally { done: (0..100).map(|_| AtomicU64::new(0)).collect(), items: 0, bad }
    }

    #[test]
    fn every_item_is_done_once_per_call() {
        for threads in [1, 2, 3, 7] {
            let (job, calls) = with_team(threads, tally(None), |team| {
                for call in 1..=2_000 {
                    // Now and then everyone falls asleep.
                    if call % 500 == 0 {
                        thread::sleep(3 * PATIENCE);
                    }
                    team.job().items = call % 101;
                    team.call();
                    // All of them are over.
                    let job = team.job();
                    let done: u64 = job.done.iter().map(|one| one.load(Ordering::Relaxed)).sum();
                    let expected: u64 = (1..=call as u64).map(|call| call % 101).sum();
                    assert_eq!(done, expected);
                }
                2_000_u64
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
    fn a_panic_is_everybodys() {
        for threads in [1, 2, 3] {
            for bad in [0, 50, 99] {
                let run = || {
                    with_team(threads, tally(Some(bad)), |team| {
                        team.job().items = 100;
                        team.call();
                    })
                };
                assert!(std::panic::catch_unwind(run).is_err(), "{threads} threads, item {bad}");
            }
        }
    }
}
