//! The order of the passes, which one thread leads.

use super::eliminate::{Elimination, Phase};
use super::lock;
use super::steps::Shape;
use super::ways::Ways;
use crate::explore::team::Team;
use crate::fairness::requirements::Requirements;
use run::{StopReason, Ticker};
use std::sync::atomic::Ordering;

/// How many nodes each pass has removed, and how often all were gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Removed {
    pub(super) rounds: u64,
    pub(super) trimmed: u64,
    pub(super) unaccepted: u64,
    pub(super) unserved: u64,
    pub(super) untaken: u64,
}

/// Whether there are passes besides the first, which does not undo itself.
pub(super) fn are_needed<W: Ways>(shape: &Shape, requirements: &Requirements) -> bool {
    let accepts = W::ACCEPTS && !shape.all_cycles_accept;
    accepts || W::SERVES && !requirements.families.is_empty() || requirements.is_global
}

/// Leads the elimination until nothing changes.
pub(super) fn lead<W: Ways>(
    team: &mut Team<'_, Elimination<'_, W>>,
    watch: &Ticker<'_>,
) -> Result<Removed, StopReason> {
    let mut passes = Passes { team, watch, removed: Removed::default() };
    let sets = {
        let job = passes.team.job();
        let needs_marks = !job.found.shape.all_cycles_accept && W::ACCEPTS;
        job.found.shape.sets.iter().filter(|_| needs_marks).collect::<Vec<u32>>()
    };
    let (serves, takes) = {
        let job = passes.team.job();
        (!job.families.is_empty() && W::SERVES, job.takes)
    };
    passes.write()?;
    loop {
        passes.removed.rounds += 1;
        let before = passes.removed;
        for &set in &sets {
            passes.accept(set)?;
        }
        if serves {
            passes.serve()?;
        }
        if takes {
            passes.take()?;
        }
        if passes.removed == before {
            passes.call(Phase::Tell)?;
            return Ok(passes.removed);
        }
    }
}

struct Passes<'p, 't, 'e, W: Ways> {
    team: &'p mut Team<'t, Elimination<'e, W>>,
    watch: &'p Ticker<'p>,
    removed: Removed,
}

impl<W: Ways> Passes<'_, '_, '_, W> {
    /// Has all threads do a phase.
    fn call(&mut self, phase: Phase) -> Result<(), StopReason> {
        {
            let mut job = self.team.job();
            job.phase = phase;
            job.has_changed.store(false, Ordering::Relaxed);
        }
        self.watch.ask()?;
        self.team.call();
        lock(&self.team.job().stopped).take().map_or(Ok(()), Err)
    }

    /// Takes the nodes that were found, and returns how many there are.
    fn gone(&mut self) -> u64 {
        let mut job = self.team.job();
        let gone = std::mem::take(&mut *lock(&job.next));
        job.gone = gone;
        job.gone.len() as u64
    }

    fn count(&mut self) -> u64 {
        self.team.job().left.count()
    }

    /// Writes the edges between nodes.
    fn write(&mut self) -> Result<(), StopReason> {
        let span = tracing::debug_span!("sets.write", nodes = tracing::field::Empty);
        let _entered = span.enter();
        self.call(Phase::Write)?;
        self.team.job().freeze();
        span.record("nodes", self.count());
        Ok(())
    }

    /// (T), after some nodes were removed.
    fn trim(&mut self) -> Result<(), StopReason> {
        if !W::TRIMS {
            return Ok(());
        }
        let before = self.count();
        while !self.team.job().gone.is_empty() {
            self.call(Phase::Drop)?;
            self.gone();
        }
        self.removed.trimmed += before - self.count();
        Ok(())
    }

    /// Repeats a phase until it changes nothing.
    fn repeat(&mut self, phase: Phase) -> Result<u64, StopReason> {
        let mut sweeps = 0;
        loop {
            sweeps += 1;
            self.call(phase)?;
            if !self.team.job().has_changed.load(Ordering::Relaxed) {
                return Ok(sweeps);
            }
        }
    }

    /// (A), for one set.
    fn accept(&mut self, set: u32) -> Result<(), StopReason> {
        let span = tracing::debug_span!("sets.accept", set, left = tracing::field::Empty);
        let _entered = span.enter();
        self.team.job().unmark();
        self.call(Phase::Mark(set))?;
        self.repeat(Phase::Spread)?;
        self.call(Phase::Keep)?;
        self.removed.unaccepted += self.gone();
        self.trim()?;
        span.record("left", self.count());
        Ok(())
    }

    /// (F)
    fn serve(&mut self) -> Result<(), StopReason> {
        let empty = tracing::field::Empty;
        let span = tracing::debug_span!("sets.serve", sweeps = empty, left = empty);
        let _entered = span.enter();
        self.call(Phase::Serve)?;
        let sweeps = self.repeat(Phase::Carry)?;
        self.call(Phase::Refuse)?;
        self.removed.unserved += self.gone();
        self.trim()?;
        span.record("sweeps", sweeps);
        span.record("left", self.count());
        Ok(())
    }

    /// (G)
    fn take(&mut self) -> Result<(), StopReason> {
        let span = tracing::debug_span!("sets.take", left = tracing::field::Empty);
        let _entered = span.enter();
        self.call(Phase::Tell)?;
        self.call(Phase::Take)?;
        self.removed.untaken += self.gone();
        self.call(Phase::Clear)?;
        self.trim()?;
        span.record("left", self.count());
        Ok(())
    }
}
