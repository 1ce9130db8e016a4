//! Which `cover` properties have been true.

use super::asked::Asked;
use super::reduction::Choices;
use crate::system::System;
use terms::PropertyId;
use terms::PropertyKind;

/// Which `cover` properties have not been true yet.
pub(super) struct Covers {
    pub(super) conditions: Vec<Condition>,
    pub(super) statements: Vec<(PropertyId, bool)>,
}

/// A top-level one.
pub(super) struct Condition {
    pub(super) id: PropertyId,
    /// By choice of values around it: the choice that stands for those that are alike.
    leaders: Vec<usize>,
    /// By choice: whether it was true. Only leaders count.
    seen: Vec<bool>,
}

impl Condition {
    /// The choices for which it was never true, one of those that are alike.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let leaders = self.leaders.iter().enumerate().filter(|(k, leader)| k == *leader);
        leaders.map(|(k, _)| k).filter(|&k| !self.seen[k])
    }

    /// It was true of a state for these choices. If what stands around it fails, there is no choice.
    pub(super) fn note(&mut self, answers: &[bool]) {
        if answers.len() == self.leaders.len() {
            for (&leader, answer) in self.leaders.iter().zip(answers) {
                self.seen[leader] |= answer;
            }
        }
    }
}

impl Covers {
    /// Those of a system that are asked about. Under symmetry, one that is true for some values somewhere is true elsewhere
    /// for all that are like them.
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

    /// Whether this is one that was true, for all choices of values around it.
    pub(super) fn is_true(&self, id: PropertyId) -> bool {
        self.statements.contains(&(id, true))
            || self.conditions.iter().any(|one| one.id == id && one.missing().next().is_none())
    }

    /// Those that were true, for all choices of values around them.
    pub(super) fn true_ones(&self) -> Vec<PropertyId> {
        let statements = self.statements.iter().filter(|(_, seen)| *seen).map(|(id, _)| *id);
        let conditions = self.conditions.iter().filter(|one| one.missing().next().is_none());
        statements.chain(conditions.map(|one| one.id)).collect()
    }
}
