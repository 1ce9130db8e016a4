//! A profile in the making: spans in, a file out, in one of the formats.

use super::record::{Span, UnderWay};
use serde_json::Value;
use std::io;
use std::time::Duration;

/// A format of profiles.
pub(super) trait Sink {
    /// Takes note of a span.
    fn span(&mut self, span: &Span) -> io::Result<()>;
    /// Whether the format has room for counts over time.
    fn is_sampled(&self) -> bool {
        false
    }
    /// Takes note of a count at a moment: one of several of this name.
    fn sample(&mut self, _at: Duration, _name: &str, _of: &str, _count: u64) -> io::Result<()> {
        Ok(())
    }
    /// Completes the file.
    fn finish(&mut self) -> io::Result<()>;
}

/// A duration in microseconds, exact to the nanosecond.
pub(super) fn microseconds(duration: Duration) -> Value {
    Value::from(duration.div_duration_f64(Duration::from_micros(1)))
}

/// A file that is written as spans close.
pub(super) struct Profile {
    sink: Box<dyn Sink + Send>,
    /// What went wrong first; nothing is written after that.
    failed: Option<io::Error>,
}

impl Profile {
    /// An empty one.
    pub(super) fn new(sink: Box<dyn Sink + Send>) -> Self {
        Profile { sink, failed: None }
    }

    /// Takes note of a span.
    pub(super) fn span(&mut self, span: &Span) {
        if self.failed.is_none() {
            self.failed = self.sink.span(span).err();
        }
    }

    /// Whether it is of use to take note of counts.
    pub(super) fn is_sampled(&self) -> bool {
        self.sink.is_sampled()
    }

    /// Records what a phase has reported.
    pub(super) fn phase(&mut self, at: Duration, phase: &UnderWay) {
        for &(name, count) in &phase.told {
            self.sample(at, name, phase.name, count);
        }
    }

    /// Takes note of a count.
    pub(super) fn sample(&mut self, at: Duration, name: &str, of: &str, count: u64) {
        if self.failed.is_none() {
            self.failed = self.sink.sample(at, name, of, count).err();
        }
    }

    /// Completes the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or_else(|| self.sink.finish(), Err)
    }
}
