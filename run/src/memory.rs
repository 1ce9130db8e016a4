//! Memory that the system refuses.
//!
//! A failed allocation ends a Rust program at once, and everything it has found is lost. The program
//! therefore uses [`Reserving`] as its allocator: it keeps a reserve, and if an allocation fails,
//! it gives the reserve back to the system and tries again. From then on the memory counts as
//! [exhausted](is_exhausted), which is a reason to stop for every watch; so the run ends with what is
//! known, and for that the reserve is enough.
//!
//! Where a single allocation may be large, as for a table that doubles, the code asks first
//! ([`try_filled`], [`ask_to_grow`]), and a refusal is a reason to stop. If another allocation fails even with the
//! reserve, the program can only say so and end: that is left to a function that it has provided.

#![allow(unsafe_code, reason = "an allocator is unsafe to implement; this one forwards every call")]

use crate::limits::StopReason;
use crate::poll::{refusal, taken, throw};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Pieces of memory that are smaller than this are not counted: they take time, and that is.
const LARGE: usize = 1 << 12;

/// No watch is asked about fewer bytes than this.
const SMALL: usize = 1 << 20;

static IS_EXHAUSTED: AtomicBool = AtomicBool::new(false);
/// The reserve, if there is one, and its size.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Called when even the reserve is not enough.
static LAST_WORDS: OnceLock<LastWords> = OnceLock::new();

/// Ends the program because there is no memory for so many bytes. It must not allocate.
pub type LastWords = fn(usize) -> !;

thread_local! {
    /// Whether the current allocation may fail: its caller handles that.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Whether an allocation has failed.
pub fn is_exhausted() -> bool {
    IS_EXHAUSTED.load(Ordering::Relaxed)
}

/// Asks the watch of this thread about memory that is about to be taken; an error is its objection.
pub fn ask_for(bytes: usize) -> Result<(), StopReason> {
    (bytes > SMALL).then(|| refusal(bytes)).flatten().map_or(Ok(()), Err)
}

/// Asks the watch of this thread before a table with so many entries doubles because it has no room for
/// another. If the watch objects, this does not return, as with [`poll`](crate::poll::poll).
#[inline]
pub fn ask_to_grow<T>(length: usize, capacity: usize) {
    if length == capacity {
        ask_to_double(capacity.saturating_mul(size_of::<T>()));
    }
}

#[cold]
fn ask_to_double(bytes: usize) {
    if let Err(reason) = ask_for(bytes.saturating_mul(2)) {
        throw(reason);
    }
}

/// A vector of `length` equal values, unless the watch of this thread objects to so much memory, or
/// there is none.
pub fn try_filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, StopReason> {
    ask_for(length.saturating_mul(size_of::<T>()))?;
    let mut filled = Vec::new();
    let before = MAY_FAIL.replace(true);
    let reserved = filled.try_reserve_exact(length);
    MAY_FAIL.set(before);
    if reserved.is_err() {
        IS_EXHAUSTED.store(true, Ordering::Relaxed);
        return Err(StopReason::OutOfMemory);
    }
    filled.resize(length, value);
    Ok(filled)
}

/// The system's allocator with a reserve.
#[derive(Debug)]
pub struct Reserving;

impl Reserving {
    /// Takes the reserve. Its pages are not touched, so that it costs no memory before it is used.
    /// When even that is not enough, `last_words` ends the program. To be called before there are
    /// other threads.
    pub fn reserve(bytes: usize, last_words: LastWords) {
        share_arena();
        let _ = LAST_WORDS.set(last_words);
        let Ok(layout) = Layout::array::<u8>(bytes) else { return };
        if bytes == 0 || !RESERVE.load(Ordering::SeqCst).is_null() {
            return;
        }
        // SAFETY: the layout has a size greater than zero.
        let reserve = unsafe { System.alloc(layout) };
        BYTES.store(bytes, Ordering::SeqCst);
        RESERVE.store(reserve, Ordering::SeqCst);
    }

    /// Gives the reserve back and tries an allocation of so many bytes again.
    #[cold]
    fn again(bytes: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
        IS_EXHAUSTED.store(true, Ordering::SeqCst);
        // A large allocation that may fail is no reason to give up the reserve.
        let may_fail = MAY_FAIL.try_with(Cell::get).unwrap_or(false);
        if may_fail {
            return ptr::null_mut();
        }
        let reserve = RESERVE.swap(ptr::null_mut(), Ordering::SeqCst);
        if !reserve.is_null()
            && let Ok(layout) = Layout::array::<u8>(BYTES.load(Ordering::SeqCst))
        {
            // SAFETY: `reserve` has allocated it with this layout, and the swap has left it to no
            // other thread.
            unsafe { System.dealloc(reserve, layout) };
        }
        let found = allocate();
        if found.is_null()
            && let Some(end) = LAST_WORDS.get()
        {
            end(bytes);
        }
        found
    }
}

/// Ends the process with this exit code and does nothing else. `std::process::exit` runs handlers and
/// destructors of the thread first; if one of them allocates when there is no memory, it is called
/// again, and that is a panic in the allocator: an abort.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn end_at_once(code: i32) -> ! {
    // SAFETY: the call has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Ends the process with this exit code.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn end_at_once(code: i32) -> ! {
    std::process::exit(code)
}

/// Lets all threads share one arena of the system's allocator if the address space is limited. An
/// arena takes 64 MiB of it, and a thread that cannot have one maps every small piece of memory by
/// itself, which is a hundred times slower.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn share_arena() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls only read or write their arguments and the allocator's settings.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0
            && limit.rlim_cur != libc::RLIM_INFINITY
        {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn share_arena() {}

/// Tells the polls of this thread of a large piece of memory.
#[inline]
fn count(bytes: usize) {
    if bytes >= LARGE {
        taken(bytes);
    }
}

// SAFETY: every call is forwarded to the system's allocator with the arguments that it came with.
// Nothing here unwinds.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`.
        let allocate = || unsafe { System.alloc(layout) };
        let found = allocate();
        count(layout.size());
        if found.is_null() { Self::again(layout.size(), allocate) } else { found }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`.
        let allocate = || unsafe { System.alloc_zeroed(layout) };
        let found = allocate();
        count(layout.size());
        if found.is_null() { Self::again(layout.size(), allocate) } else { found }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`. If it fails, the old allocation is
        // still valid, so that it can be tried again.
        let allocate = || unsafe { System.realloc(old, layout, size) };
        let found = allocate();
        count(size.saturating_sub(layout.size()));
        if found.is_null() { Self::again(size, allocate) } else { found }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are those of `System`.
        unsafe { System.dealloc(old, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Watch;

    #[test]
    fn what_is_too_large_is_refused() {
        assert_eq!(try_filled(7_u8, 3), Ok(vec![7, 7, 7]));
        let limit = StopReason::Memory(1 << 21);
        let watch = Watch::new(move |now| (now.wanted_bytes > 1 << 21).then_some(limit));
        let sizes =
            watch.over(|| [1 << 20, 1 << 22].map(|size| try_filled(0_u8, size).map(|_| ())));
        assert_eq!(sizes, Ok([Ok(()), Err(limit)]));
        let growths = [(1, 1 << 18), (1 << 17, 1 << 17), (1 << 18, 1 << 18)];
        let grown =
            growths.map(|(length, capacity)| watch.over(|| ask_to_grow::<u64>(length, capacity)));
        assert_eq!(grown, [Ok(()), Ok(()), Err(limit)]);
        assert!(!is_exhausted());
        assert_eq!(try_filled(7_u64, usize::MAX / 64), Err(StopReason::OutOfMemory));
        assert!(is_exhausted());
    }
}
