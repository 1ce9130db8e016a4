//! The run-time errors of a compiled model, numbered for the engine.

use engine::system::{FaultId, FaultSummary};
use hashbrown::HashMap;
use model::interpret::{Failure, FailureKind};
use std::sync::{PoisonError, RwLock};

/// All failures that were met, each with one number. There are few different ones: a failure says
/// where in the model it is and by which rule instance, but not in which state.
#[derive(Default)]
pub(crate) struct Faults {
    table: RwLock<Table>,
}

#[derive(Default)]
struct Table {
    failures: Vec<Failure>,
    /// By kind and span, the numbers of the failures there.
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

    /// What the engine must know of a failure.
    pub(crate) fn summary(&self, fault: FaultId) -> FaultSummary {
        self.read(fault, |failure| FaultSummary {
            site: (failure.span.start, failure.span.end),
            kind: number_of(failure.kind),
            assertion: match failure.kind {
                FailureKind::Assertion(property) => Some(property),
                _ => None,
            },
        })
    }

    fn read<T>(&self, fault: FaultId, read: impl FnOnce(&Failure) -> T) -> T {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        read(&table.failures[fault.0 as usize])
    }
}

/// A number for each kind. Assertions need no numbers of their own: one site has one of them.
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
