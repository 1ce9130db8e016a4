//! Progress of a run, and the one question whether to stop it.
//!
//! Callers of an engine give it a [`Watch`]. Loops that can last report to it regularly, [`Every`] so
//! many steps or at a [`Pace`] that adapts; a [`Ticker`] does so for one search; code inside one step
//! calls [`poll`](crate::poll::poll). Events for people who follow a run are the `tracing` events
//! with target `progress`, which phases emit when they report.

use crate::limits::StopReason;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A function that is called with the progress of a run, regularly and from any of its threads.
/// The run stops as soon as it returns a reason.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Report<'static>>>);

/// A function that is called with the progress of a part of a run, and may return a reason to stop.
pub type Report<'w> = dyn Fn(&Progress) -> Option<StopReason> + Send + Sync + 'w;

impl Watch {
    /// A watch that calls this function.
    pub fn new(report: impl Fn(&Progress) -> Option<StopReason> + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(report)))
    }

    /// A watch that never stops a run.
    pub const fn none() -> Watch {
        Watch(None)
    }

    /// Reports the progress; the answer is the reason to stop, if there is one.
    pub fn report(&self, now: &Progress) -> Option<StopReason> {
        self.0.as_ref().and_then(|report| report(now))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Watch" } else { "Watch::none" })
    }
}

/// How far a run has come. Every phase fills in the counts that it has; the others are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Formulas to be answered.
    pub formulas: u64,
    /// Formulas that are answered.
    pub answered: u64,
    /// Nodes of the decision diagrams that labels are.
    pub label_nodes: u64,
    /// States found by an exploration; under symmetry, their representatives.
    pub states: u64,
    /// States expanded.
    pub expanded: u64,
    /// Different steps out of the expanded states.
    pub steps: u64,
    /// Rule instances fired.
    pub fired: u64,
    /// Layers begun by a breadth-first exploration, or nodes on the path of a depth-first search.
    pub depth: u64,
    /// Representatives in the quotient.
    pub representatives: u64,
    /// Nodes of products that were visited.
    pub product_nodes: u64,
    /// Edges of products that were looked at.
    pub product_edges: u64,
    /// Components of products that were completed, none of them accepting.
    pub components: u64,
    /// Bytes of memory that the run is about to take at once.
    pub wanted_bytes: u64,
}

/// How often a loop reports: once in so many of its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Every(u64);

impl Every {
    /// For representatives: each may take a search for a canonical state.
    pub const REPRESENTATIVE: Every = Every(64);
    /// For start states.
    pub const START: Every = Every(256);
    /// For nodes of a graph.
    pub const NODE: Every = Every(1024);
    /// For edges of a graph: a single node may have very many.
    pub const EDGE: Every = Every(1 << 16);
    /// For nodes of decision diagrams, which are cheap.
    pub const LABEL: Every = Every(1 << 14);
    /// For operations on decision diagrams, which are the cheapest: most are remembered.
    pub const OPERATION: Every = Every(1 << 17);

    /// Whether a loop reports after this many steps.
    #[inline]
    pub const fn is_due(self, steps: u64) -> bool {
        steps.is_multiple_of(self.0)
    }

    /// Whether a loop reports that has come from one number of steps to another.
    #[inline]
    pub const fn is_due_between(self, before: u64, after: u64) -> bool {
        before / self.0 != after / self.0
    }
}

/// How many steps a team of threads takes between two reports. It adapts to how long steps take, so
/// that reports come several times per second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    steps: usize,
    most: usize,
}

impl Pace {
    /// The longest time between two reports.
    const WAIT: Duration = Duration::from_millis(100);

    /// A few steps at first, never more than `most`.
    pub const fn new(most: usize) -> Pace {
        Pace { steps: 16, most }
    }

    /// The steps up to the next report.
    pub const fn steps(self) -> usize {
        self.steps
    }

    /// Adapts to the time that some steps have taken.
    pub fn adapt(&mut self, steps: usize, time: Duration) {
        let affordable = Self::WAIT.as_nanos() * steps as u128 / time.as_nanos().max(1);
        let affordable = usize::try_from(affordable).unwrap_or(usize::MAX);
        // A few cheap steps do not prove that all are.
        self.steps = affordable.clamp(1, (self.steps * 4).min(self.most));
    }
}

/// Reports the progress of one search to a [`Watch`], and keeps the last report.
#[derive(Clone)]
pub struct Ticker<'w> {
    watch: &'w (dyn Fn(&Progress) -> Option<StopReason> + 'w),
    last: Cell<Progress>,
}

impl<'w> Ticker<'w> {
    /// Nothing is reported yet. A function that stays in one thread will do for a watch.
    pub fn new(watch: &'w (dyn Fn(&Progress) -> Option<StopReason> + 'w)) -> Self {
        Ticker { watch, last: Cell::default() }
    }

    /// Reports the progress; an error is the reason to stop.
    pub fn report(&self, now: Progress) -> Result<(), StopReason> {
        self.last.set(now);
        self.ask()
    }

    /// Asks whether to stop, with the progress that is known.
    pub fn ask(&self) -> Result<(), StopReason> {
        (self.watch)(&self.last.get()).map_or(Ok(()), Err)
    }

    /// Keeps the progress without a question.
    pub fn keep(&self, now: Progress) {
        self.last.set(now);
    }

    /// The progress that was reported or kept last.
    pub fn last(&self) -> Progress {
        self.last.get()
    }
}

impl fmt::Debug for Ticker<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Ticker").field("last", &self.last.get()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_report_after_so_many_steps() {
        let due: Vec<u64> = (0..200).filter(|&steps| Every(64).is_due(steps)).collect();
        assert_eq!(due, [0, 64, 128, 192]);
        let passed = (0..200).filter(|&steps| Every(64).is_due_between(steps, steps + 1));
        assert_eq!(passed.collect::<Vec<_>>(), [63, 127, 191]);
        assert!(Every(64).is_due_between(60, 300) && !Every(64).is_due_between(64, 127));
    }

    #[test]
    fn a_pace_keeps_below_its_time_and_its_most() {
        let mut pace = Pace::new(1000);
        assert_eq!(pace.steps(), 16);
        for expected in [64, 256, 1000, 1000] {
            pace.adapt(pace.steps(), Duration::from_micros(1));
            assert_eq!(pace.steps(), expected);
        }
        pace.adapt(1000, Duration::from_secs(10));
        assert_eq!(pace.steps(), 10);
        pace.adapt(10, Duration::from_secs(10));
        assert_eq!(pace.steps(), 1, "some step must be taken");
    }

    #[test]
    fn a_ticker_keeps_what_it_reports() {
        let watch = |now: &Progress| (now.states > 5).then_some(StopReason::Interrupted);
        let ticker = Ticker::new(&watch);
        let at = |states| Progress { states, ..Progress::default() };
        assert_eq!(ticker.report(at(5)), Ok(()));
        assert_eq!((ticker.last(), ticker.ask()), (at(5), Ok(())));
        assert_eq!(ticker.report(at(6)), Err(StopReason::Interrupted));
        assert_eq!((ticker.last(), ticker.ask()), (at(6), Err(StopReason::Interrupted)));
        ticker.keep(at(0));
        assert_eq!(ticker.ask(), Ok(()));
    }
}
