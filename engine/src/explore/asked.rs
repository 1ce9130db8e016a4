//! The properties that an exploration is about, and when they are decided.
//!
//! A state that violates an invariant decides it, whatever the other states are; so does a state
//! where a `cover` is true. That an invariant holds is known only at the end. When the last of the
//! requested properties is decided, the exploration may stop: if one invariant of a huge model is
//! requested, and it is violated nearby, the rest of the model need not be explored.
//!
//! Decisions are made between rounds, which do not depend on the number of threads; and, if states
//! that violate an invariant are expanded, the result of an exploration up to some round does not
//! depend on the requested properties. Then a property is decided at the moment at which an
//! exploration for it alone would have stopped.

use super::Deadlock;
use crate::system::System;
use std::time::Duration;
use terms::PropertyId;
use terms::PropertyKind;

/// The properties that an exploration is about. Assumptions are not among them: they are always
/// respected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The requested properties; others are not evaluated. A statement whose property is not among
    /// them fails all the same.
    pub properties: Vec<PropertyId>,
    /// Whether to stop as soon as all of them are decided, and deadlocks too if they count.
    pub until_decided: bool,
}

impl Asked {
    /// All properties, to the end of the exploration.
    pub fn all(system: &dyn System) -> Asked {
        let properties = (0..).map(PropertyId).zip(system.properties());
        let claims = properties.filter(|(_, one)| one.kind != PropertyKind::Assume);
        Asked { properties: claims.map(|(id, _)| id).collect(), until_decided: false }
    }

    /// Everything that is to be decided.
    pub(super) fn subjects(&self, deadlock: Deadlock) -> Vec<Subject> {
        let properties = self.properties.iter().map(|&id| Subject::Property(id));
        properties.chain((deadlock != Deadlock::Off).then_some(Subject::Deadlock)).collect()
    }
}

/// A question that an exploration decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// A property of states.
    Property(PropertyId),
    /// The absence of deadlocks.
    Deadlock,
}

/// A decision before the end of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The question that was decided.
    pub subject: Subject,
    /// The number of states found until then; under symmetry, of representatives.
    pub states: u64,
    /// The number of steps out of the states expanded until then; equivalent steps count once.
    pub edges: u64,
    /// The time since the exploration began.
    pub time: Duration,
}
