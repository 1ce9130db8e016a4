//! How far an exploration has come: a line that changes at a terminal, lines elsewhere.

use super::super::console;
use super::report::per_second;
use clap::ValueEnum;
use isonomy::explore::Progress;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

/// `--progress`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum When {
    /// At a terminal
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// Shows progress now and then.
pub(super) struct ProgressLine {
    kind: Kind,
    /// What is counted.
    what: &'static str,
    began: Instant,
    shown: Instant,
    /// Whether a line of a terminal has to be wiped.
    is_dirty: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Silent,
    /// One line, written over and over.
    Live,
    /// Line after line.
    Plain,
}

impl Kind {
    /// How long what is shown stays.
    fn pause(self) -> Duration {
        match self {
            Kind::Live => Duration::from_millis(100),
            Kind::Silent | Kind::Plain => Duration::from_secs(1),
        }
    }
}

impl ProgressLine {
    /// Of an exploration that begins, and finds `what`: states or representatives.
    pub(super) fn new(when: When, what: &'static str) -> Self {
        let kind = match (when, io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => Kind::Silent,
            (_, true) => Kind::Live,
            (When::Always, false) => Kind::Plain,
        };
        let now = Instant::now();
        ProgressLine { kind, what, began: now, shown: now, is_dirty: false }
    }

    /// Shows how far it has come, unless that was done just now.
    pub(super) fn show(&mut self, progress: &Progress) {
        if self.kind == Kind::Silent || self.shown.elapsed() < self.kind.pause() {
            return;
        }
        self.shown = Instant::now();
        let line = layout(progress, self.what, self.began.elapsed());
        if self.kind == Kind::Live {
            console::live(&line);
            self.is_dirty = true;
        } else {
            console::say(format_args!("{line}"));
        }
    }

    /// The exploration has ended.
    pub(super) fn end(&mut self, progress: &Progress) {
        if std::mem::take(&mut self.is_dirty) {
            console::live("");
        }
        if self.kind == Kind::Plain {
            let line = layout(progress, self.what, self.began.elapsed());
            console::say(format_args!("{line}"));
        }
    }
}

fn layout(progress: &Progress, what: &str, time: Duration) -> String {
    let Progress { states, expanded, steps, fired: _, depth } = progress;
    let open = states - expanded;
    let seconds = time.as_secs_f64();
    let rate = per_second(*states, time);
    format!(
        "progress: {states} {what}, {open} not expanded, {steps} steps, layer {depth}, \
         {seconds:.1} s, {rate} {what}/s"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_it_all() {
        let progress =
            Progress { states: 3000, expanded: 1000, steps: 5000, fired: 5001, depth: 7 };
        assert_eq!(
            layout(&progress, "states", Duration::from_millis(1500)),
            "progress: 3000 states, 2000 not expanded, 5000 steps, layer 7, 1.5 s, 2000 states/s"
        );
    }
}
