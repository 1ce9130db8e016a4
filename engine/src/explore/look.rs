//! Checks and expansions of states: their violations and their targets.

use super::search::{ExplorationSearch, is_same_fault};
use super::total::{Tally, Total, Weight};
use super::{Deadlock, ViolationKind};
use crate::quotient::{Reported, Successor, Successors};
use crate::space::{Representative, Store, Targets, Unlinked};
use crate::symmetry::Permutation;
use std::convert::Infallible;
use terms::PropertyId;

/// The results of a chunk of states. Aligned, so that no two share a cache line: different threads
/// write to them.
#[repr(align(128))]
pub(super) struct Expanded {
    /// The targets of steps.
    pub(super) targets: Targets,
    /// The edges to these targets, if they are stored.
    pub(super) edges: Unlinked,
    /// All other results.
    pub(super) seen: Seen,
}

/// The results of a chunk of states, except the targets.
#[derive(Default)]
pub(super) struct Seen {
    /// The counts of states that were expanded.
    pub(super) counts: Counts,
    /// The counts of the states that these stand for.
    pub(super) full: Totals,
    /// Violations, each with its state and the number of states that this one stands for.
    pub(super) wrong: Vec<(ViolationKind, Representative, Weight)>,
    pub(super) covered_statements: Vec<PropertyId>,
    /// The answers of top-level covers in some states.
    pub(super) covered: Vec<(PropertyId, Vec<bool>)>,
}

/// Counts of representatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// The number of states that were expanded.
    pub(super) expanded: u64,
    pub(super) steps: u64,
    pub(super) fired: u64,
    /// Steps whose owner is the first of the interchangeable ones.
    pub(super) kept: u64,
    /// Steps that represent their orbit.
    pub(super) orbits: u64,
}

/// The counts of all states that the representatives stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) states: Total,
    pub(super) steps: Total,
    /// By rule: its instances executed.
    pub(super) fired: Tally,
}

impl Expanded {
    /// No results yet; the targets are those of this store.
    pub(super) fn new(store: &Store) -> Expanded {
        Expanded { targets: store.targets(), edges: Unlinked::default(), seen: Seen::default() }
    }

    /// Overwrites earlier results.
    pub(super) fn begin(&mut self) {
        self.targets.clear();
        self.edges.clear();
        self.seen.clear();
    }
}

impl Seen {
    /// Removes all results, but keeps the memory.
    fn clear(&mut self) {
        let Seen { counts, full, wrong, covered_statements, covered } = self;
        *counts = Counts::default();
        full.states.clear();
        full.steps.clear();
        full.fired.clear();
        wrong.clear();
        covered_statements.clear();
        covered.clear();
    }
}

/// Checks and expands states. Owns its scratch memory: one per thread.
pub(super) struct Looker<'s> {
    successors: Successors<'s>,
    /// The state that is looked at.
    packed: Vec<u64>,
    /// The number of states that the current one stands for.
    weight: Weight,
    /// By rule: its instances executed in this chunk, where every state stands for itself. Such counts
    /// take a fraction of the time of weighted ones.
    fired: Vec<u64>,
}

impl<'s> Looker<'s> {
    pub(super) fn new(search: &ExplorationSearch<'s>) -> Self {
        Looker {
            successors: search.quotient.successors(),
            packed: vec![0; search.layout.words()],
            weight: Weight::ONE,
            fired: vec![0; search.system.rules().len()],
        }
    }

    /// Checks and expands states, and adds the results to `out`.
    pub(super) fn look(
        &mut self,
        search: &ExplorationSearch<'_>,
        chunk: &[Representative],
        out: &mut Expanded,
    ) {
        let Expanded { targets, edges, seen } = out;
        for &id in chunk {
            run::poll();
            search.store.read(id, &mut self.packed);
            if search.order.is_some() {
                self.weight = search.weight(self.successors.begin(&self.packed));
                seen.full.states.add(&self.weight, 1);
            }
            let violated = self.check(search, id, seen);
            self.cover(search, seen);
            if !violated || search.options.expand_violating {
                self.expand(search, id, (targets, edges), seen);
            }
        }
        if search.order.is_none() {
            // Every state stands for itself.
            seen.full.states.add(&Weight::ONE, chunk.len() as u64);
            seen.full.steps.add(&Weight::ONE, seen.counts.steps);
            for (rule, count) in (0..).zip(&mut self.fired) {
                seen.full.fired.add(rule, &Weight::ONE, std::mem::take(count));
            }
        }
    }

    /// Checks the invariants of the state and returns whether one is violated.
    fn check(
        &mut self,
        search: &ExplorationSearch<'_>,
        id: Representative,
        out: &mut Seen,
    ) -> bool {
        let mut violated = false;
        for &property in &search.invariants {
            if !self.successors.worker().is_violated(&self.packed, property) {
                continue;
            }
            violated = true;
            let answers = self.successors.worker().property(&self.packed, property);
            // As with quantifiers, a false answer takes precedence over a failing one. If several
            // choices fail in different positions, the first position is reported, not the first
            // choice: that would be a different one in an equivalent state.
            let failures = answers.into_iter().filter_map(Result::err);
            let kind = match failures.min_by_key(|one| search.system.fault(*one).site) {
                Some(failure) if !self.is_false(property) => ViolationKind::Failure(failure),
                _ => ViolationKind::Invariant(property),
            };
            out.wrong.push((kind, id, self.weight.clone()));
        }
        violated
    }

    fn is_false(&mut self, property: PropertyId) -> bool {
        self.successors
            .worker()
            .property(&self.packed, property)
            .iter()
            .any(|one| matches!(one, Ok(false)))
    }

    /// Evaluates the covers that have not been true yet.
    fn cover(&mut self, search: &ExplorationSearch<'_>, out: &mut Seen) {
        for one in &search.covers.conditions {
            let is_decided = one.missing().next().is_none();
            if is_decided || self.successors.worker().is_false_everywhere(&self.packed, one.id) {
                continue;
            }
            let answers = self.successors.worker().property(&self.packed, one.id);
            let answers = answers.into_iter().map(|one| one.unwrap_or(false)).collect();
            out.covered.push((one.id, answers));
        }
    }

    fn expand(
        &mut self,
        search: &ExplorationSearch<'_>,
        id: Representative,
        (targets, edges): (&mut Targets, &mut Unlinked),
        out: &mut Seen,
    ) {
        let Looker { successors, packed, weight, fired } = self;
        let steps = successors.expand(packed);
        out.counts.expanded += 1;
        out.counts.fired += steps.fired();
        if search.order.is_some() {
            // The steps of a rule follow each other.
            for same in steps.labels.chunk_by(|one, other| one.rule == other.rule) {
                out.full.fired.add(same[0].rule, weight, same.len() as u64);
            }
            for &rule in &steps.repeated {
                out.full.fired.add(rule, weight, 1);
            }
        } else {
            let repeated = steps.repeated.iter().copied();
            for rule in steps.labels.iter().map(|label| label.rule).chain(repeated) {
                fired[rule as usize] += 1;
            }
        }
        let failed = !steps.faults.is_empty();
        // A position where several instances fail counts once.
        for (k, &fault) in steps.faults.iter().enumerate() {
            let mut before = steps.faults[..k].iter();
            if !before.any(|&one| is_same_fault(search.system, one, fault)) {
                out.wrong.push((ViolationKind::Failure(fault), id, weight.clone()));
            }
        }
        let is_stuck = steps.labels.is_empty();
        let is_deadlock = match search.options.deadlock {
            Deadlock::Stuck => is_stuck,
            Deadlock::Off | Deadlock::Stuttering => steps.labels.iter().all(|label| label.stutters),
        };
        if is_deadlock && !failed {
            out.wrong.push((ViolationKind::Deadlock, id, weight.clone()));
        }
        out.covered_statements.append(successors.covered());
        if let (Some(steps), false) = (successors.plain(), search.keeps_edges) {
            // Each is an orbit of its own.
            let Counts { steps: all, kept, orbits, .. } = &mut out.counts;
            for count in [all, kept, orbits] {
                *count += steps.len() as u64;
            }
            for (stutters, target) in steps {
                if !stutters {
                    targets.send(target, id.0);
                }
            }
            return;
        }
        let before = out.counts.steps;
        let (first, faults) = (edges.len(), out.wrong.len());
        // Sorted states are not unique, so that all of their steps count.
        let is_exact = search.order.is_some() && search.is_exact();
        let reported = if is_exact { Reported::All } else { Reported::Single };
        let Ok(()) = successors.each::<Infallible>(packed, reported, |step| {
            match step {
                Ok(mut step) => self::step(search, id, &mut step, (targets, edges), out),
                Err(fault) => out.wrong.push((ViolationKind::Failure(fault), id, weight.clone())),
            }
            Ok(())
        });
        if search.keeps_edges {
            // The edges of a state with failing steps are not complete.
            if failed || out.wrong.len() > faults {
                edges.abandon(first);
            } else {
                edges.end(id, first, is_stuck);
            }
        }
        if search.order.is_some() {
            out.full.steps.add(weight, out.counts.steps - before);
        }
    }
}

/// Counts a step, and sends its target to the store.
#[expect(clippy::inline_always, reason = "a step costs less than a call")]
#[inline(always)]
fn step(
    search: &ExplorationSearch<'_>,
    id: Representative,
    step: &mut Successor<'_, '_>,
    (targets, edges): (&mut Targets, &mut Unlinked),
    out: &mut Seen,
) {
    out.counts.steps += 1;
    out.counts.kept += u64::from(step.place.is_kept);
    out.counts.orbits += u64::from(step.place.is_first);
    let stutters = step.stutters();
    // Equivalent steps have equivalent targets: one is enough.
    if !step.place.is_first || stutters && !search.keeps_edges {
        return;
    }
    if !search.keeps_edges {
        targets.send(step.target(), id.0);
        return;
    }
    let (target, by) = step.target_with();
    let shard = (!stutters).then(|| targets.send(target, id.0));
    let target = shard.map(|shard| (shard, &*targets));
    let moves = by.iter().flat_map(Permutation::moved);
    edges.push(step.rule(), step.arguments(), moves, target);
}
