//! The run-time errors of a compiled model, numbered for the engine.

use engine::system::{FaultId, FaultSummary};
use hashbrown::HashTable;
use model::checked::Model;
use model::interpret::{Failure, FailureKind};
use std::hash::BuildHasher as _;
use std::sync::{PoisonError, RwLock};
use terms::{PropertyId, PropertyKind};

/// All failures that were met, each with one number. There are few different ones: a failure says
/// where in the model it is and by which rule instance, but not in which state.
#[derive(Default)]
pub(crate) struct Faults {
    table: RwLock<FaultTable>,
}

#[derive(Default)]
struct FaultTable {
    /// By number, each with the facts that the engine asks for repeatedly.
    failures: Vec<(Failure, FaultSummary)>,
    /// The numbers, by hash of the failure.
    numbers: HashTable<u32>,
}

impl FaultTable {
    fn find(&self, failure: &Failure) -> Option<FaultId> {
        let is_it = |&number: &u32| self.failures[number as usize].0 == *failure;
        self.numbers.find(hash(failure), is_it).copied().map(FaultId)
    }
}

fn hash(failure: &Failure) -> u64 {
    foldhash::fast::FixedState::with_seed(0xfa17).hash_one(failure)
}

impl Faults {
    /// The number of a failure of this model. Most failures have been met before.
    pub(crate) fn intern(&self, model: &Model, failure: Failure) -> FaultId {
        let known = self.table.read().unwrap_or_else(PoisonError::into_inner).find(&failure);
        known.unwrap_or_else(|| self.insert(model, failure))
    }

    fn insert(&self, model: &Model, failure: Failure) -> FaultId {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = table.find(&failure) {
            return known;
        }
        let FaultTable { failures, numbers } = &mut *table;
        let number = u32::try_from(failures.len()).expect("there are few different failures");
        let hash_of = |&number: &u32| hash(&failures[number as usize].0);
        numbers.insert_unique(hash(&failure), number, hash_of);
        let summary = summary(model, &failure);
        failures.push((failure, summary));
        FaultId(number)
    }

    /// The failure of a number.
    pub(crate) fn get(&self, fault: FaultId) -> Failure {
        self.read(fault, |(failure, _)| failure.clone())
    }

    /// The facts about a failure that the engine needs.
    pub(crate) fn summary(&self, fault: FaultId) -> FaultSummary {
        self.read(fault, |(_, summary)| *summary)
    }

    fn read<T>(&self, fault: FaultId, read: impl FnOnce(&(Failure, FaultSummary)) -> T) -> T {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        read(&table.failures[fault.0 as usize])
    }
}

fn summary(model: &Model, failure: &Failure) -> FaultSummary {
    FaultSummary {
        site: (failure.span.start, failure.span.end),
        kind: number_of(failure.kind),
        assertion: match failure.kind {
            FailureKind::Assertion(property) => Some(property),
            _ => None,
        },
        property: failing_property(model, failure),
    }
}

/// The top-level property whose evaluation fails; `None` for a rule, a start state or an
/// assumption.
fn failing_property(model: &Model, failure: &Failure) -> Option<PropertyId> {
    if failure.during.is_some() {
        return None;
    }
    let outermost = failure.calls.first().unwrap_or(&failure.span);
    let all = (0..).map(PropertyId).zip(&model.properties);
    let mut properties =
        all.filter(|(_, one)| !one.is_statement && one.kind != PropertyKind::Assume);
    let found = properties
        .find(|(_, one)| one.span.start <= outermost.start && outermost.end <= one.span.end);
    found.map(|(id, _)| id)
}

/// A number for each kind. Assertions need no numbers of their own: a site has only one.
fn number_of(kind: FailureKind) -> u32 {
    match kind {
        FailureKind::Undefined => 0,
        FailureKind::OutOfRange => 1,
        FailureKind::Index => 2,
        FailureKind::DivisionByZero => 3,
        FailureKind::Overflow => 4,
        FailureKind::Shift => 5,
        FailureKind::Assertion(_) => 6,
        FailureKind::Error => 7,
        FailureKind::MultisetFull => 8,
        FailureKind::ElementGone => 9,
        FailureKind::OtherMultiset => 10,
        FailureKind::NoReturn => 11,
        FailureKind::LoopDirection => 12,
        FailureKind::TooDeep => 13,
        FailureKind::QueueFull => 14,
        FailureKind::NoElement => 15,
    }
}
