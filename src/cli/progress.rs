//! How far a run has come: a line that changes at a terminal, lines elsewhere.
//!
//! A line begins with what is always known, time and memory; then comes what is under way, what was begun last first,
//! each with what it has told of itself; of the first, how much that is per second. So what does not fit in a narrow
//! terminal is what matters least.

use super::console;
use super::numbers::per_second;
use super::trace::{UnderWay, mebibytes};
use clap::ValueEnum;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

/// `--progress`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum When {
    /// At a terminal
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// Shows progress now and then.
pub(crate) struct ProgressLine {
    kind: Kind,
    pause: Duration,
    shown: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One line, written over and over.
    Live,
    /// Line after line.
    Plain,
}

impl ProgressLine {
    /// Of a run that begins, if it is wanted.
    pub(crate) fn new(when: When) -> Option<Self> {
        let (kind, pause) = match (when, io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => return None,
            (_, true) => (Kind::Live, Duration::from_millis(100)),
            (When::Always, false) => (Kind::Plain, Duration::from_secs(1)),
        };
        Some(ProgressLine { kind, pause: asked_pause().unwrap_or(pause), shown: Instant::now() })
    }

    /// How long what is shown stays.
    pub(crate) fn pause(&self) -> Duration {
        self.pause
    }

    /// Whether it is time to show something.
    pub(crate) fn is_due(&self) -> bool {
        self.shown.elapsed() >= self.pause
    }

    /// Shows what is under way after this time, with so many bytes of memory. If nothing is, there is no line: the
    /// run waits for somebody.
    pub(crate) fn show(&mut self, time: Duration, memory: Option<u64>, under_way: &[UnderWay]) {
        self.shown = Instant::now();
        let line = line(time, memory, under_way);
        match self.kind {
            Kind::Live if under_way.is_empty() => console::live(""),
            Kind::Live => console::live(fitting(&line, width())),
            Kind::Plain if under_way.is_empty() => {}
            Kind::Plain => console::say(format_args!("{line}")),
        }
    }

    /// The run has ended.
    pub(crate) fn end(self) {
        if self.kind == Kind::Live {
            console::live("");
        }
    }
}

/// For tests: milliseconds between two lines. Zero asks for a line with every change, so that what is
/// shown does not depend on time.
fn asked_pause() -> Option<Duration> {
    let text = std::env::var("ISONOMY_PROGRESS_MS").ok()?;
    text.parse().ok().map(Duration::from_millis)
}

/// What is under way, in a line.
fn line(time: Duration, memory: Option<u64>, under_way: &[UnderWay]) -> String {
    let mut line = format!("progress: {:.1} s", time.as_secs_f64());
    if let Some(memory) = memory {
        let _ = write!(line, ", {}", mebibytes(memory));
    }
    for (nth, UnderWay { name, spans, time, told }) in under_way.iter().enumerate() {
        let _ = write!(line, "; {name}");
        if *spans > 1 {
            let _ = write!(line, " x{spans}");
        }
        for (k, (what, count)) in told.iter().enumerate() {
            let _ = write!(line, "{} {what} {count}", if k == 0 { ":" } else { "," });
            if nth == 0 && k == 0 {
                let _ = write!(line, " ({}/s)", per_second(*count, *time));
            }
        }
    }
    line
}

/// The part of a line that fits in a terminal of this width. The last column stays free: some terminals would begin a
/// new line after it.
fn fitting(line: &str, width: usize) -> &str {
    let end = line.char_indices().nth(width.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    &line[..end]
}

/// Of the terminal at standard error.
fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(80, |(terminal_size::Width(width), _)| usize::from(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under_way(name: &'static str, spans: usize, told: &[(&'static str, u64)]) -> UnderWay {
        UnderWay { name, spans, time: Duration::from_millis(500), told: told.to_vec() }
    }

    #[test]
    fn a_line_says_it_all() {
        let time = Duration::from_millis(1540);
        let search = [("nodes", 3000), ("edges", 5000), ("depth", 7)];
        let both = [
            under_way("product.search", 2, &search),
            under_way("check.answer", 1, &[("representatives", 100), ("answered", 1)]),
        ];
        for (memory, phases, expected) in [
            (None, &[][..], "progress: 1.5 s"),
            (Some(3 << 19), &[][..], "progress: 1.5 s, 1.5 MiB"),
            (None, &[under_way("model.parse", 1, &[])], "progress: 1.5 s; model.parse"),
            (
                Some(34 << 20),
                &both,
                "progress: 1.5 s, 34.0 MiB; product.search x2: nodes 3000 (6000/s), edges 5000, \
                 depth 7; check.answer: representatives 100, answered 1",
            ),
        ] {
            assert_eq!(line(time, memory, phases), expected);
        }
    }

    #[test]
    fn a_line_fits_in_its_terminal() {
        let line = "progress: 1.5 s; product.search";
        for (width, expected) in [
            (80, line),
            (32, line),
            (31, "progress: 1.5 s; product.searc"),
            (10, "progress:"),
            (1, ""),
            (0, ""),
        ] {
            assert_eq!(fitting(line, width), expected, "{width}");
            assert!(fitting(line, width).chars().count() < width.max(1));
        }
        assert_eq!(fitting("äöü", 3), "äö");
    }
}
