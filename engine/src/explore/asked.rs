//! Which properties an exploration is about, and when they are decided.
//!
//! A state that violates an invariant decides it, whatever else there is; so does a true `cover`. That an
//! invariant holds is known only at the end. When the last of what is asked is decided, the exploration may
//! stop: who asks for one invariant of a huge model, and it is violated nearby, need not wait for all of it.
//!
//! Decisions are made between rounds, which do not depend on the number of threads; and, if states that
//! violate an invariant are expanded, what an exploration finds up to some round does not depend on what is
//! asked. Then the moment at which a property is decided is the one at which an exploration for it alone would
//! have stopped.

use super::Deadlock;
use crate::system::System;
use std::time::Duration;
use terms::PropertyId;
use terms::PropertyKind;

/// Which properties an exploration is about. Assumptions are no questions, and always respected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// These; others are not looked at. A statement whose property is not among them fails all the same.
    pub properties: Vec<PropertyId>,
    /// Whether to stop when they, and deadlocks if they count, are decided.
    pub until_decided: bool,
}

impl Asked {
    /// All of them, to the end.
    pub fn all(system: &dyn System) -> Asked {
        let properties = (0..).map(PropertyId).zip(system.properties());
        let claims = properties.filter(|(_, one)| one.kind != PropertyKind::Assume);
        Asked { properties: claims.map(|(id, _)| id).collect(), until_decided: false }
    }

    /// All that is to be decided.
    pub(super) fn subjects(&self, deadlock: Deadlock) -> Vec<Subject> {
        let properties = self.properties.iter().map(|&id| Subject::Property(id));
        properties.chain((deadlock != Deadlock::Off).then_some(Subject::Deadlock)).collect()
    }
}

/// What can be decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// A property of states.
    Property(PropertyId),
    /// That there is no deadlock.
    Deadlock,
}

/// Something was decided before the end of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// What.
    pub subject: Subject,
    /// The states that had been found then; under symmetry, representatives.
    pub states: u64,
    /// The steps out of those that had been expanded; of those that are alike, one.
    pub edges: u64,
    /// When, since the exploration began.
    pub time: Duration,
}
