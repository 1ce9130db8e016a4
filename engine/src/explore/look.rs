//! Looking at states: what is wrong with one, and where it leads.

use super::reduction::{Reducer, Reduction};
use super::search::{Search, is_same_fault};
use super::store::{StateId, Store, Targets};
use super::total::{Total, Weight};
use super::{Deadlock, ViolationKind};
use crate::system::{Steps, System, Worker};
use terms::PropertyId;

/// What came of a chunk of states. No two are in one line of the cache: different threads write to them.
#[repr(align(128))]
pub(super) struct Expanded {
    /// Where steps lead.
    pub(super) targets: Targets,
    /// Everything else.
    pub(super) seen: Seen,
}

/// What is said of a chunk of states, besides where they lead.
#[derive(Default)]
pub(super) struct Seen {
    /// Of states that were expanded.
    pub(super) counts: Counts,
    /// Of what they stand for.
    pub(super) full: Totals,
    /// What is wrong, where, and of how many states.
    pub(super) wrong: Vec<(ViolationKind, StateId, Weight)>,
    pub(super) covered_statements: Vec<PropertyId>,
    /// Top-level covers: what each says of some state.
    pub(super) covered: Vec<(PropertyId, Vec<bool>)>,
}

/// Counts of representatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// States that were expanded.
    pub(super) expanded: u64,
    pub(super) steps: u64,
    pub(super) fired: u64,
    /// Steps of owners that are the first of those that are interchangeable.
    pub(super) kept: u64,
    /// Steps that stand for their orbit.
    pub(super) orbits: u64,
}

/// The same, and more, of all states that they stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) states: Total,
    pub(super) steps: Total,
    pub(super) fired: Total,
}

impl Expanded {
    /// Nothing yet; targets are for this store.
    pub(super) fn new(store: &Store) -> Expanded {
        Expanded { targets: store.targets(), seen: Seen::default() }
    }
}

/// Looks at states, with memory of its own.
pub(super) struct Looker<'s> {
    worker: Box<dyn Worker + 's>,
    packed: Vec<u64>,
    steps: Steps,
    target: Vec<u64>,
    reducer: Option<Reducer<'s>>,
    /// How many states the one that is looked at stands for.
    weight: Weight,
}

impl<'s> Looker<'s> {
    pub(super) fn new(system: &'s dyn System, reduction: Option<&'s Reduction>) -> Self {
        let words = system.layout().words();
        Looker {
            worker: system.worker(),
            packed: vec![0; words],
            steps: Steps::default(),
            target: vec![0; words],
            reducer: reduction.map(Reduction::reducer),
            weight: Weight::ONE,
        }
    }

    /// Looks at states; what was there of others is overwritten.
    pub(super) fn look(&mut self, search: &Search<'_>, chunk: &[StateId], out: &mut Expanded) {
        out.targets.clear();
        out.seen = Seen::default();
        let Expanded { targets, seen } = out;
        for &id in chunk {
            search.store.read(id, &mut self.packed);
            if let Some(reducer) = &mut self.reducer {
                self.weight = reducer.begin(&self.packed);
                seen.full.states.add(&self.weight, 1);
            }
            let violated = self.check(search, id, seen);
            self.cover(search, seen);
            if !violated || search.options.expand_violating {
                self.expand(search, id, targets, seen);
            }
        }
        if self.reducer.is_none() {
            // Everything stands for itself.
            seen.full.states.add(&Weight::ONE, chunk.len() as u64);
            seen.full.steps.add(&Weight::ONE, seen.counts.steps);
            seen.full.fired.add(&Weight::ONE, seen.counts.fired);
        }
    }

    /// Checks the invariants of the state; whether one is violated.
    fn check(&mut self, search: &Search<'_>, id: StateId, out: &mut Seen) -> bool {
        let mut violated = false;
        for &property in &search.properties.invariants {
            if !self.worker.is_violated(&self.packed, property) {
                continue;
            }
            violated = true;
            let answers = self.worker.property(&self.packed, property);
            // As with quantifiers, what is false counts for more than what fails. If several choices
            // fail in different places, the first place is told, not the first choice: that would be
            // another one in a state that is like this one.
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

    /// Notes which of the covers that were never true are true here.
    fn cover(&mut self, search: &Search<'_>, out: &mut Seen) {
        for one in &search.covers.conditions {
            if one.missing().next().is_none() {
                continue;
            }
            let answers = self.worker.property(&self.packed, one.id);
            let answers = answers.into_iter().map(|one| one.unwrap_or(false)).collect();
            out.covered.push((one.id, answers));
        }
    }

    fn expand(&mut self, search: &Search<'_>, id: StateId, targets: &mut Targets, out: &mut Seen) {
        self.steps.clear();
        self.worker.expand(&self.packed, &mut self.steps);
        out.counts.expanded += 1;
        out.counts.fired += self.steps.fired;
        out.covered_statements.append(&mut self.steps.covered);
        let failed = !self.steps.faults.is_empty();
        // A place where several instances fail counts once.
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
        if self.reducer.is_none() && !search.properties.has_assumptions {
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
        for step in 0..self.steps.labels.len() {
            self.step(search, id, step, targets, out);
        }
        if self.reducer.is_some() {
            out.full.fired.add(&self.weight, self.steps.fired);
            out.full.steps.add(&self.weight, out.counts.steps - before);
        }
    }

    /// Follows a step.
    fn step(
        &mut self,
        search: &Search<'_>,
        id: StateId,
        step: usize,
        targets: &mut Targets,
        out: &mut Seen,
    ) {
        let words = self.packed.len();
        let label = self.steps.labels[step];
        let mut is_first = true;
        let mut is_kept = true;
        if let Some(reducer) = &mut self.reducer {
            let arguments = self.steps.arguments_of(step);
            let place = reducer.place(&self.packed, label.rule, arguments);
            (is_first, is_kept) = (place.is_first, place.is_kept);
        }
        let target = &self.steps.targets[step * words..(step + 1) * words];
        if search.properties.has_assumptions {
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
        out.counts.kept += u64::from(is_kept);
        out.counts.orbits += u64::from(is_first);
        // Who is like another leads to what is like the other's target.
        if label.stutters || !is_first {
            return;
        }
        if let Some(reducer) = &mut self.reducer {
            self.target.copy_from_slice(target);
            reducer.reduce(&mut self.target);
            search.store.send(&self.target, id, targets);
        } else {
            search.store.send(target, id, targets);
        }
    }
}
