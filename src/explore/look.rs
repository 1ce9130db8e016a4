//! Looking at states: what is wrong with one, and where it leads.

use super::reduction::{Reducer, Reduction};
use super::search::{Search, is_same_failure};
use super::store::{SHARDS, StateId, shard_of};
use super::total::{Total, Weight};
use super::{Deadlock, ViolationKind};
use crate::model::checked::PropertyId;
use crate::system::states::{hash, read_words, write_bytes};
use crate::system::{Steps, Worker};

/// Targets that are looked for at once: enough to hide how slow memory is, few enough for what was
/// fetched to be there still.
const BATCH: usize = 64;

/// What came of a chunk of states.
#[derive(Default)]
pub(super) struct Expanded {
    /// Bytes of the targets that are not in the store, one behind the other.
    pub(super) bytes: Vec<u8>,
    /// For each its hash and the state that it came from.
    pub(super) targets: Vec<(u64, StateId)>,
    /// By shard: which of them belong there.
    pub(super) by_shard: Vec<Vec<u32>>,
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

/// Looks at states, with memory of its own.
pub(super) struct Looker<'s> {
    search: &'s Search<'s>,
    worker: Box<dyn Worker + 's>,
    packed: Vec<u64>,
    steps: Steps,
    target: Vec<u64>,
    /// Targets that are still to be looked for: their bytes, one behind the other, and for each its
    /// hash and the state that it came from.
    bytes: Vec<u8>,
    targets: Vec<(u64, StateId)>,
    slots: Vec<u32>,
    reducer: Option<Reducer<'s>>,
    /// How many states the one that is looked at stands for.
    weight: Weight,
}

impl<'s> Looker<'s> {
    pub(super) fn new(search: &'s Search<'s>) -> Self {
        Looker {
            worker: search.system.worker(),
            packed: vec![0; search.layout.words()],
            steps: Steps::default(),
            target: vec![0; search.layout.words()],
            bytes: Vec::new(),
            targets: Vec::new(),
            slots: Vec::new(),
            reducer: search.reduction.map(Reduction::reducer),
            weight: Weight::ONE,
            search,
        }
    }

    pub(super) fn look(&mut self, chunk: &[StateId]) -> Expanded {
        let mut out = Expanded { by_shard: vec![Vec::new(); SHARDS], ..Expanded::default() };
        for &id in chunk {
            read_words(self.search.store.get(id), &mut self.packed);
            if let Some(reducer) = &mut self.reducer {
                self.weight = reducer.begin(&self.packed);
            }
            out.full.states.add(&self.weight, 1);
            let violated = self.check(id, &mut out);
            self.cover(&mut out);
            if !violated || self.search.options.expand_violating {
                self.expand(id, &mut out);
            }
            if self.targets.len() >= BATCH {
                self.look_for(&mut out);
            }
        }
        self.look_for(&mut out);
        out
    }

    /// Checks the invariants of the state; whether one is violated.
    fn check(&mut self, id: StateId, out: &mut Expanded) -> bool {
        let mut violated = false;
        for &property in &self.search.properties.invariants {
            if !self.worker.is_violated(&self.packed, property) {
                continue;
            }
            violated = true;
            let answers = self.worker.property(&self.packed, property);
            // As with quantifiers, what is false counts for more than what fails. If several choices
            // fail in different places, the first place is told, not the first choice: that would be
            // another one in a state that is like this one.
            let failures = answers.into_iter().filter_map(Result::err);
            let kind = match failures.min_by_key(|one| (one.span.start, one.span.end)) {
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
    fn cover(&mut self, out: &mut Expanded) {
        for one in &self.search.covers.conditions {
            if one.missing().next().is_none() {
                continue;
            }
            let answers = self.worker.property(&self.packed, one.id);
            let answers = answers.into_iter().map(|one| one.unwrap_or(false)).collect();
            out.covered.push((one.id, answers));
        }
    }

    fn expand(&mut self, id: StateId, out: &mut Expanded) {
        self.steps.clear();
        self.worker.expand(&self.packed, &mut self.steps);
        out.counts.expanded += 1;
        out.counts.fired += self.steps.fired;
        out.full.fired.add(&self.weight, self.steps.fired);
        out.covered_statements.append(&mut self.steps.covered);
        let failed = !self.steps.failures.is_empty();
        // A place where several instances fail counts once.
        for (k, failure) in self.steps.failures.iter().enumerate() {
            if !self.steps.failures[..k].iter().any(|one| is_same_failure(one, failure)) {
                let kind = ViolationKind::Failure(failure.clone());
                out.wrong.push((kind, id, self.weight.clone()));
            }
        }
        let is_deadlock = match self.search.options.deadlock {
            Deadlock::Off => false,
            Deadlock::Stuck => self.steps.labels.is_empty(),
            Deadlock::Stuttering => self.steps.labels.iter().all(|label| label.stutters),
        };
        if is_deadlock && !failed {
            out.wrong.push((ViolationKind::Deadlock, id, self.weight.clone()));
        }
        let before = out.counts.steps;
        for step in 0..self.steps.labels.len() {
            self.step(id, step, out);
        }
        out.full.steps.add(&self.weight, out.counts.steps - before);
    }

    /// Follows a step.
    fn step(&mut self, id: StateId, step: usize, out: &mut Expanded) {
        let words = self.search.layout.words();
        let label = self.steps.labels[step];
        let mut is_first = true;
        let mut is_kept = true;
        if let Some(reducer) = &mut self.reducer {
            let arguments = self.steps.arguments_of(step);
            let place = reducer.place(&self.packed, label.rule, arguments);
            (is_first, is_kept) = (place.is_first, place.is_kept);
        }
        let target = &self.steps.targets[step * words..(step + 1) * words];
        if self.search.properties.has_assumptions {
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
        let start = self.bytes.len();
        if let Some(reducer) = &mut self.reducer {
            self.target.copy_from_slice(target);
            reducer.reduce(&mut self.target);
            write_bytes(&self.target, self.search.layout.bytes(), &mut self.bytes);
        } else {
            write_bytes(target, self.search.layout.bytes(), &mut self.bytes);
        }
        self.targets.push((hash(&self.bytes[start..]), id));
    }

    /// Keeps those targets that are not in the store.
    fn look_for(&mut self, out: &mut Expanded) {
        let store = &self.search.store;
        store.touch(self.targets.iter().map(|&(hash, _)| hash), &mut self.slots);
        let width = self.search.layout.bytes();
        for (k, &(hash, id)) in self.targets.iter().enumerate() {
            let bytes = &self.bytes[k * width..(k + 1) * width];
            if store.find(hash, bytes).is_none() {
                out.by_shard[shard_of(hash)].push(out.targets.len() as u32);
                out.targets.push((hash, id));
                out.bytes.extend_from_slice(bytes);
            }
        }
        self.targets.clear();
        self.bytes.clear();
    }
}
