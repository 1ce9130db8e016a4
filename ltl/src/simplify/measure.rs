//! The measure by which every rule makes formulas smaller: why rewriting ends.
//!
//! Only builds with debug assertions have this. Weights are exponential in the nesting of temporal
//! operators: they saturate, and then nothing is checked.

use crate::formula::{Formula, Formulas, Node};
use hashbrown::HashMap;
use std::cmp::Reverse;

/// Ordered as the fields are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Measure {
    weight: u64,
    /// The weights of the operands of X: at most the square of the weight, the more the better.
    next_scopes: Reverse<u64>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Measures {
    known: HashMap<Formula, Measure>,
}

impl Measures {
    /// Panics if the rule did not make the formula smaller.
    pub(super) fn check(&mut self, formulas: &Formulas, rule: &str, from: Formula, to: Formula) {
        let (before, after) = (self.of(formulas, from), self.of(formulas, to));
        let saturated = [before, after]
            .iter()
            .any(|measure| measure.weight == u64::MAX || measure.next_scopes.0 == u64::MAX);
        assert!(saturated || after < before, "{rule} makes {before:?} into {after:?}");
    }

    fn of(&mut self, formulas: &Formulas, f: Formula) -> Measure {
        if let Some(&known) = self.known.get(&f) {
            return known;
        }
        let mut open = vec![f];
        while let Some(&part) = open.last() {
            let before = open.len();
            open.extend(formulas.operands(part).filter(|g| !self.known.contains_key(g)));
            if open.len() == before {
                let measure = self.sum_of_operands(formulas, part);
                self.known.insert(part, measure);
                open.pop();
            }
        }
        self.known[&f]
    }

    fn sum_of_operands(&self, formulas: &Formulas, f: Formula) -> Measure {
        let mut next_scopes = 0u64;
        let mut add = |f: Formula| {
            let part = self.known[&f];
            next_scopes = next_scopes.saturating_add(part.next_scopes.0);
            part.weight
        };
        let weight = match formulas.node(f) {
            Node::And(run) | Node::Or(run) => {
                run.iter().fold(run.len() as u64 - 1, |sum, &g| sum.saturating_add(add(g)))
            }
            Node::Next(g) => {
                let operand = add(g);
                next_scopes = next_scopes.saturating_add(operand);
                operand.saturating_add(1)
            }
            Node::Finally(g) | Node::Globally(g) => add(g).saturating_mul(2).saturating_add(2),
            Node::Until(g, h) | Node::StrongRelease(g, h) => binary(add(g), add(h), 5),
            Node::Release(g, h) | Node::WeakUntil(g, h) => binary(add(g), add(h), 4),
            // A literal.
            _ => 1,
        };
        Measure { weight, next_scopes: Reverse(next_scopes) }
    }
}

fn binary(left: u64, right: u64, operator: u64) -> u64 {
    let (left, right) = (left.saturating_mul(2), right.saturating_mul(3));
    left.saturating_add(right).saturating_add(operator)
}
