//! The `cover` properties that have been true in some state.

use super::asked::Asked;
use super::choices::Choices;
use crate::system::System;
use terms::PropertyId;
use terms::PropertyKind;

/// By `cover` property and statement: whether it has been true.
pub(super) struct Covers {
    pub(super) conditions: Vec<Condition>,
    pub(super) statements: Vec<(PropertyId, bool)>,
}

/// A top-level `cover` property.
pub(super) struct Condition {
    pub(super) id: PropertyId,
    /// By choice of values of its parameters: the representative of the equivalent choices.
    leaders: Vec<usize>,
    /// By choice: whether the property was true. Only representatives count.
    seen: Vec<bool>,
}

impl Condition {
    /// The representatives of the choices for which it was never true.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let leaders = self.leaders.iter().enumerate().filter(|(k, leader)| k == *leader);
        leaders.map(|(k, _)| k).filter(|&k| !self.seen[k])
    }

    /// Records the choices for which it is true in a state. If a range around it fails, there are
    /// no answers.
    pub(super) fn note(&mut self, answers: &[bool]) {
        if answers.len() == self.leaders.len() {
            for (&leader, answer) in self.leaders.iter().zip(answers) {
                self.seen[leader] |= answer;
            }
        }
    }
}

impl Covers {
    /// The requested `cover` properties of a system. Under symmetry, one that is true for some
    /// values in some state is true for all equivalent values in other states.
    pub(super) fn of(system: &dyn System, asked: &Asked, is_reduced: bool) -> Self {
        let all = (0..).map(PropertyId).zip(system.properties());
        let covers = all.filter(|(_, one)| one.kind == PropertyKind::Cover);
        let (mut conditions, mut statements) = (Vec::new(), Vec::new());
        for (id, one) in covers.filter(|(id, _)| asked.properties.contains(id)) {
            if one.is_statement {
                statements.push((id, false));
            } else {
                let choices = Choices::of(system, id, is_reduced);
                let leaders = choices.leaders();
                let seen = vec![false; leaders.len()];
                conditions.push(Condition { id, leaders, seen });
            }
        }
        Covers { conditions, statements }
    }

    /// Whether this is a `cover` that was true, for all choices of values of its parameters.
    pub(super) fn is_true(&self, id: PropertyId) -> bool {
        self.statements.contains(&(id, true))
            || self.conditions.iter().any(|one| one.id == id && one.missing().next().is_none())
    }

    /// The `cover`s that were never true, each with a choice of values of its parameters.
    pub(super) fn missing(&self) -> impl Iterator<Item = (PropertyId, usize)> {
        let statements = self.statements.iter().filter(|(_, seen)| !seen).map(|(id, _)| (*id, 0));
        let of = |one: &'_ Condition| one.missing().map(|choice| (one.id, choice)).collect();
        statements.chain(self.conditions.iter().flat_map::<Vec<_>, _>(of))
    }

    /// The `cover`s that were true, for all choices of values of their parameters.
    pub(super) fn true_ones(&self) -> Vec<PropertyId> {
        let statements = self.statements.iter().filter(|(_, seen)| *seen).map(|(id, _)| *id);
        let conditions = self.conditions.iter().filter(|one| one.missing().next().is_none());
        statements.chain(conditions.map(|one| one.id)).collect()
    }
}
