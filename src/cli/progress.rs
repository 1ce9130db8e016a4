//! How far a search has come: a line that changes at a terminal, lines elsewhere.

use super::console;
use super::numbers::per_second;
use clap::ValueEnum;
use isonomy::{check, explore};
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
    /// Of a search that begins.
    pub(crate) fn new(when: When) -> Self {
        let kind = match (when, io::stderr().is_terminal()) {
            (When::Never, _) | (When::Auto, false) => Kind::Silent,
            (_, true) => Kind::Live,
            (When::Always, false) => Kind::Plain,
        };
        let now = Instant::now();
        ProgressLine { kind, began: now, shown: now, is_dirty: false }
    }

    /// Shows how far it has come, unless that was done just now.
    pub(crate) fn show(&mut self, progress: &dyn Measured) {
        if self.kind == Kind::Silent || self.shown.elapsed() < self.kind.pause() {
            return;
        }
        self.shown = Instant::now();
        let line = progress.line(self.began.elapsed());
        if self.kind == Kind::Live {
            console::live(&line);
            self.is_dirty = true;
        } else {
            console::say(format_args!("{line}"));
        }
    }

    /// The search has ended.
    pub(crate) fn end(&mut self, progress: &dyn Measured) {
        if std::mem::take(&mut self.is_dirty) {
            console::live("");
        }
        if self.kind == Kind::Plain {
            let line = progress.line(self.began.elapsed());
            console::say(format_args!("{line}"));
        }
    }
}

/// How far something has come.
pub(crate) trait Measured {
    /// In a line, after this time.
    fn line(&self, time: Duration) -> String;
}

/// An exploration that finds states or representatives.
pub(crate) struct Explored<'p>(pub(crate) &'p explore::Progress, pub(crate) &'static str);

impl Measured for Explored<'_> {
    fn line(&self, time: Duration) -> String {
        let Explored(explore::Progress { states, expanded, steps, fired: _, depth }, what) = self;
        let open = states - expanded;
        let seconds = time.as_secs_f64();
        let rate = per_second(*states, time);
        format!(
            "progress: {states} {what}, {open} not expanded, {steps} steps, layer {depth}, \
             {seconds:.1} s, {rate} {what}/s"
        )
    }
}

impl Measured for check::Progress {
    fn line(&self, time: Duration) -> String {
        let check::Progress { formulas, answered, representatives, product_nodes, product_edges } =
            self;
        let seconds = time.as_secs_f64();
        let rate = per_second(*product_nodes, time);
        format!(
            "progress: {answered} of {formulas} formulas answered, {representatives} \
             representatives, {product_nodes} product nodes, {product_edges} product edges, \
             {seconds:.1} s, {rate} nodes/s"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_it_all() {
        let time = Duration::from_millis(1500);
        let (states, expanded, steps, fired, depth) = (3000, 1000, 5000, 5001, 7);
        let progress = explore::Progress { states, expanded, steps, fired, depth };
        assert_eq!(
            Explored(&progress, "states").line(time),
            "progress: 3000 states, 2000 not expanded, 5000 steps, layer 7, 1.5 s, 2000 states/s"
        );
        let progress = check::Progress {
            formulas: 3,
            answered: 1,
            representatives: 1000,
            product_nodes: 3000,
            product_edges: 5000,
        };
        assert_eq!(
            progress.line(time),
            "progress: 1 of 3 formulas answered, 1000 representatives, 3000 product nodes, 5000 \
             product edges, 1.5 s, 2000 nodes/s"
        );
    }
}
