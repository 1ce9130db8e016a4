//! Ctrl-C: the first ends the run in good order, a later one at once.
//!
//! A search asks now and then whether it should stop, prints what it has, and the run ends with
//! exit 130. Before the search has begun there is nothing to print, and Ctrl-C ends the process, with
//! the same code. While a command waits for input nobody would ask: there the first Ctrl-C ends the
//! process, with the same code. Either way the profile is completed.
//!
//! One Ctrl-C may arrive twice: the terminal sends it to every process in the foreground, and a
//! wrapper (`timeout`, `make`, ...) passes it on to us once more. So whatever comes within
//! [`SAME`] of the first is the first. That needs a clock, which is why a thread waits for the
//! signals; it sleeps until there is one.

use super::error::Error;
use super::exit::Exit;
use super::trace;
use automata::StopReason;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Signals that follow the first one this closely are the same Ctrl-C.
const SAME: Duration = Duration::from_millis(500);

/// Whether Ctrl-C ends the process at once, because nothing watches for it yet.
static IS_EARLY: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Lets Ctrl-C end the process in good order until a run watches for it. To be called first of all.
pub(crate) fn expect() {
    let is_early = Arc::clone(IS_EARLY.get_or_init(|| Arc::new(AtomicBool::new(true))));
    // Should the system refuse, Ctrl-C ends the process as ever.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, CODE, is_early);
}

/// Watches for Ctrl-C.
pub(crate) struct Interrupt {
    flags: Arc<Flags>,
}

#[derive(Default)]
struct Flags {
    /// The user wants to stop.
    asked: AtomicBool,
    /// The command waits for input.
    waiting: AtomicBool,
}

impl Interrupt {
    /// Begins to watch. Should the system refuse, Ctrl-C ends the process at once.
    pub(crate) fn watch() -> Self {
        let flags: Arc<Flags> = Arc::default();
        let watched = Arc::clone(&flags);
        if let Ok(signals) = Signals::new([SIGINT]) {
            let thread = std::thread::Builder::new().name("interrupt".to_owned());
            if thread.spawn(move || watched.listen(signals)).is_ok()
                && let Some(is_early) = IS_EARLY.get()
            {
                is_early.store(false, Ordering::SeqCst);
            }
        }
        Interrupt { flags }
    }

    /// Whether the user wants to stop.
    pub(crate) fn asked(&self) -> bool {
        self.flags.asked.load(Ordering::SeqCst)
    }

    /// Waits for input, unless the user wants to stop.
    pub(crate) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> Result<T, Error> {
        self.flags.waiting.store(true, Ordering::SeqCst);
        // A Ctrl-C before that line is seen in the next; one after it ends the process.
        if self.asked() {
            return Err(StopReason::Interrupted.into());
        }
        let result = wait();
        self.flags.waiting.store(false, Ordering::SeqCst);
        Ok(result)
    }
}

/// The exit code of a run that Ctrl-C ended.
const CODE: i32 = Exit::Interrupted as i32;

impl Flags {
    fn listen(&self, mut signals: Signals) {
        let mut first = None;
        for _ in signals.forever() {
            let first = *first.get_or_insert_with(Instant::now);
            let again = self.asked.swap(true, Ordering::SeqCst) && first.elapsed() > SAME;
            if again || self.waiting.load(Ordering::SeqCst) {
                trace::finish_at_once();
                std::process::exit(CODE);
            }
        }
    }
}
