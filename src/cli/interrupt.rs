//! Ctrl-C: the first ends the run in good order, the second at once.
//!
//! A search asks now and then whether it should stop, prints what it has, and the run ends with
//! exit 130. While a command waits for input there is nothing to put in order, and nobody would
//! ask: there the first Ctrl-C ends the process, with the same code.

use super::error::Error;
use super::exit::Exit;
use automata::StopReason;
use signal_hook::consts::SIGINT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches for Ctrl-C.
pub(crate) struct Interrupt {
    asked: Arc<AtomicBool>,
    /// The next Ctrl-C ends the process.
    at_once: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to watch. Should the system refuse, Ctrl-C ends the process as ever.
    pub(crate) fn watch() -> Self {
        let watch = Interrupt { asked: Arc::default(), at_once: Arc::default() };
        let (asked, at_once) = (&watch.asked, &watch.at_once);
        // The actions run in this order.
        let code = i32::from(Exit::Interrupted as u8);
        let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, code, Arc::clone(at_once))
            .and_then(|_| signal_hook::flag::register(SIGINT, Arc::clone(asked)))
            .and_then(|_| signal_hook::flag::register(SIGINT, Arc::clone(at_once)));
        watch
    }

    /// Whether the user wants to stop.
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Waits for input, unless the user wants to stop.
    pub(crate) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> Result<T, Error> {
        self.at_once.store(true, Ordering::SeqCst);
        // A Ctrl-C before that line is seen in the next; one after it ends the process.
        if self.asked() {
            return Err(StopReason::Interrupted.into());
        }
        let result = wait();
        self.at_once.store(self.asked(), Ordering::SeqCst);
        Ok(result)
    }
}
