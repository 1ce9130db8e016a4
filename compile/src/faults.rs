//! The run-time errors of a compiled model, numbered for the engine.

use engine::system::{FaultId, FaultSummary};
use hashbrown::HashMap;
use model::checked::Model;
use model::interpret::{Failure, FailureKind};
use std::sync::{PoisonError, RwLock};
use terms::{PropertyId, PropertyKind};

/// All failures that occurred, each with one number. There are few different ones: a failure has a
/// position in the model and a rule instance, but no state.
#[derive(Default)]
pub(crate) struct Faults {
    table: RwLock<Table>,
}

#[derive(Default)]
struct Table {
    failures: Vec<Failure>,
    /// The numbers of the failures with this kind and span.
    numbers: HashMap<(FailureKind, run::Span), Vec<u32>>,
}

impl Faults {
    /// The number of a failure.
    pub(crate) fn intern(&self, failure: Failure) -> FaultId {
        let place = (failure.kind, failure.span);
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let Table { failures, numbers } = &mut *table;
        let there = numbers.entry(place).or_default();
        if let Some(&known) = there.iter().find(|&&known| failures[known as usize] == failure) {
            return FaultId(known);
        }
        let number = u32::try_from(failures.len()).expect("there are few different failures");
        there.push(number);
        failures.push(failure);
        FaultId(number)
    }

    /// The failure of a number.
    pub(crate) fn get(&self, fault: FaultId) -> Failure {
        self.read(fault, Failure::clone)
    }

    /// The facts about a failure that the engine needs.
    pub(crate) fn summary(&self, model: &Model, fault: FaultId) -> FaultSummary {
        self.read(fault, |failure| FaultSummary {
            site: (failure.span.start, failure.span.end),
            kind: number_of(failure.kind),
            assertion: match failure.kind {
                FailureKind::Assertion(property) => Some(property),
                _ => None,
            },
            property: failing_property(model, failure),
        })
    }

    fn read<T>(&self, fault: FaultId, read: impl FnOnce(&Failure) -> T) -> T {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        read(&table.failures[fault.0 as usize])
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
        FailureKind::TooMuchWork => 14,
    }
}
