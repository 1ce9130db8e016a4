//! Checks and expansions of states: their violations and their targets.

use super::search::{ExplorationSearch, is_same_fault};
use super::total::{Total, Weight};
use super::{Deadlock, ViolationKind};
use crate::quotient::{Folding, Place};
use crate::space::{Representative, Store, Targets, Unlinked};
use crate::system::{Steps, Worker};
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
    pub(super) fired: Total,
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
    worker: Box<dyn Worker + 's>,
    packed: Vec<u64>,
    steps: Steps,
    target: Vec<u64>,
    /// None if every state is its own representative.
    folding: Option<Folding<'s>>,
    /// The number of states that the current one stands for.
    weight: Weight,
}

impl<'s> Looker<'s> {
    pub(super) fn new(search: &ExplorationSearch<'s>) -> Self {
        let words = search.layout.words();
        Looker {
            worker: search.system.worker(),
            packed: vec![0; words],
            steps: Steps::default(),
            target: vec![0; words],
            folding: search.order.is_some().then(|| search.quotient.folding()),
            weight: Weight::ONE,
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
            if let (Some(folding), Some(order)) = (&mut self.folding, &search.order) {
                let stabiliser = folding.begin(&self.packed);
                self.weight = if search.is_exact() {
                    Weight::of_orbit(order, stabiliser)
                } else {
                    Weight::ONE
                };
                seen.full.states.add(&self.weight, 1);
            }
            let violated = self.check(search, id, seen);
            self.cover(search, seen);
            if !violated || search.options.expand_violating {
                self.expand(search, id, (targets, edges), seen);
            }
        }
        if self.folding.is_none() {
            // Every state stands for itself.
            seen.full.states.add(&Weight::ONE, chunk.len() as u64);
            seen.full.steps.add(&Weight::ONE, seen.counts.steps);
            seen.full.fired.add(&Weight::ONE, seen.counts.fired);
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
            if !self.worker.is_violated(&self.packed, property) {
                continue;
            }
            violated = true;
            let answers = self.worker.property(&self.packed, property);
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
        self.worker.property(&self.packed, property).iter().any(|one| matches!(one, Ok(false)))
    }

    /// Evaluates the covers that have not been true yet.
    fn cover(&mut self, search: &ExplorationSearch<'_>, out: &mut Seen) {
        for one in &search.covers.conditions {
            let is_decided = one.missing().next().is_none();
            if is_decided || self.worker.is_false_everywhere(&self.packed, one.id) {
                continue;
            }
            let answers = self.worker.property(&self.packed, one.id);
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
        self.steps.clear();
        self.worker.expand(&self.packed, &mut self.steps);
        // A step takes memory for its target.
        run::poll_for(self.steps.labels.len() as u64 / 16);
        out.counts.expanded += 1;
        out.counts.fired += self.steps.fired;
        out.covered_statements.append(&mut self.steps.covered);
        let failed = !self.steps.faults.is_empty();
        // A position where several instances fail counts once.
        for (k, failure) in self.steps.faults.iter().enumerate() {
            if !self.steps.faults[..k]
                .iter()
                .any(|one| is_same_fault(search.system, *one, *failure))
            {
                let kind = ViolationKind::Failure(*failure);
                out.wrong.push((kind, id, self.weight.clone()));
            }
        }
        let is_deadlock = match search.options.deadlock {
            Deadlock::Off => false,
            Deadlock::Stuck => self.steps.labels.is_empty(),
            Deadlock::Stuttering => self.steps.labels.iter().all(|label| label.stutters),
        };
        if is_deadlock && !failed {
            out.wrong.push((ViolationKind::Deadlock, id, self.weight.clone()));
        }
        let words = self.packed.len();
        if self.folding.is_none() && !search.quotient.has_assumptions() {
            let steps = self.steps.labels.len() as u64;
            out.counts.steps += steps;
            out.counts.kept += steps;
            out.counts.orbits += steps;
            for (step, label) in self.steps.labels.iter().enumerate() {
                if !label.stutters {
                    let target = &self.steps.targets[step * words..(step + 1) * words];
                    search.store.send(target, id, targets);
                }
            }
            return;
        }
        let before = out.counts.steps;
        let (first, faults) = (edges.len(), out.wrong.len());
        for step in 0..self.steps.labels.len() {
            self.step(search, id, step, (targets, edges), out);
        }
        // The edges of a state with failing steps are not complete.
        if failed || out.wrong.len() > faults {
            edges.abandon(first);
        } else if search.keeps_edges {
            edges.end(id, first, self.steps.labels.is_empty());
        }
        if self.folding.is_some() {
            out.full.fired.add(&self.weight, self.steps.fired);
            out.full.steps.add(&self.weight, out.counts.steps - before);
        }
    }

    /// Sends the target of a step to the store.
    fn step(
        &mut self,
        search: &ExplorationSearch<'_>,
        id: Representative,
        step: usize,
        (targets, edges): (&mut Targets, &mut Unlinked),
        out: &mut Seen,
    ) {
        let words = self.packed.len();
        let label = self.steps.labels[step];
        let arguments = self.steps.arguments_of(step);
        let mut place = Place { is_first: true, is_kept: true };
        if let (Some(folding), true) = (&mut self.folding, search.is_exact()) {
            place = folding.place(&self.packed, label.rule, arguments);
        }
        let target = &self.steps.targets[step * words..(step + 1) * words];
        if search.quotient.has_assumptions() {
            match self.worker.is_assumed(target) {
                Ok(true) => {}
                Ok(false) => return,
                Err(failure) => {
                    let kind = ViolationKind::Failure(failure);
                    out.wrong.push((kind, id, self.weight.clone()));
                    return;
                }
            }
        }
        out.counts.steps += 1;
        out.counts.kept += u64::from(place.is_kept);
        out.counts.orbits += u64::from(place.is_first);
        // Equivalent steps have equivalent targets: one is enough.
        if !place.is_first || label.stutters && !search.keeps_edges {
            return;
        }
        let Some(folding) = &mut self.folding else {
            search.store.send(target, id, targets);
            return;
        };
        self.target.copy_from_slice(target);
        if !search.keeps_edges {
            folding.normalise(&mut self.target);
            search.store.send(&self.target, id, targets);
            return;
        }
        let by = folding.normalise_with(&mut self.target);
        let shard = (!label.stutters).then(|| search.store.send(&self.target, id, targets));
        let target = shard.map(|shard| (shard, &*targets));
        edges.push(label.rule, arguments, by.moved(), target);
    }
}
