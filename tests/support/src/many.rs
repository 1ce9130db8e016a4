//! Many cases, on all processors.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many random cases are looked at: `ISONOMY_CASES` says how many instead.
pub fn cases(default: u64) -> u64 {
    std::env::var("ISONOMY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Calls `test` for 0 to `count` - 1, on all processors.
pub fn in_parallel(count: u64, test: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count {
                        break;
                    }
                    test(k);
                }
            });
        }
    });
}
