//! A profile in the making: spans in, a file out, in one of the formats.

use super::record::Span;
use serde_json::Value;
use std::io;
use std::time::Duration;

/// A format of profiles.
pub(super) trait Sink {
    /// Takes note of a span.
    fn span(&mut self, span: &Span) -> io::Result<()>;
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

    /// Completes the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or_else(|| self.sink.finish(), Err)
    }
}
