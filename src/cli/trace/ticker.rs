//! A thread that looks at the record of the run now and then.
//!
//! Whatever is under way, those who do it need not know of it, nor of time: that they tell their counts once in a while
//! is enough, and even if they do not, one sees what they are doing and for how long. The thread sleeps in between.

use super::super::budget::resident_memory;
use super::super::progress::ProgressLine;
use super::record::{Record, lock};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How often counts are written down.
const SAMPLE_EVERY: Duration = Duration::from_millis(50);

/// The thread, until it is dropped.
pub(super) struct Ticker {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts the thread, if there is something to do. Should the system refuse, nobody looks.
    pub(super) fn start(
        record: &Arc<Mutex<Record>>,
        is_sampled: bool,
        mut line: Option<ProgressLine>,
    ) -> Option<Ticker> {
        let pauses = [is_sampled.then_some(SAMPLE_EVERY), line.as_ref().map(ProgressLine::pause)];
        let pause = pauses.into_iter().flatten().min()?;
        let record = Arc::clone(record);
        let (stop, stopped) = mpsc::channel();
        let tick = move || {
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if is_sampled {
                    lock(&record).sample();
                }
                if let Some(line) = &mut line
                    && line.is_due()
                {
                    let (time, under_way) = {
                        let record = lock(&record);
                        (record.elapsed(), record.under_way())
                    };
                    line.show(time, resident_memory(), &under_way);
                }
            }
            if let Some(line) = line {
                line.end();
            }
        };
        let thread = Builder::new().name("progress".to_owned()).spawn(tick).ok()?;
        Some(Ticker { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was said already.
            let _ = thread.join();
        }
    }
}
