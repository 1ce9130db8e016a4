//! Threads that the system refuses to start.
//!
//! A run goes on with the threads that it has. The shortage is recorded for the whole
//! process, so that the report of the run can mention it.

use std::sync::atomic::{AtomicUsize, Ordering};

static WANTED: AtomicUsize = AtomicUsize::new(0);
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// Records that only `started` of `wanted` threads could be started.
pub fn refused(wanted: usize, started: usize) {
    STARTED.store(started, Ordering::SeqCst);
    WANTED.store(wanted, Ordering::SeqCst);
}

/// The numbers of threads that were wanted and started, if the system has refused to start some.
pub fn shortage() -> Option<(usize, usize)> {
    let wanted = WANTED.load(Ordering::SeqCst);
    (wanted > 0).then(|| (wanted, STARTED.load(Ordering::SeqCst)))
}
