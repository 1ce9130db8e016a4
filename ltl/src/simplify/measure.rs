//! The measure by which every rule makes formulas smaller: why rewriting ends.
//!
//! Only builds with debug assertions have this. The components are sums over the syntax tree, which
//! may be exponentially larger than the formula in memory: they saturate, and then nothing is checked.

use crate::formula::{Formula, Formulas, Node};
use hashbrown::HashMap;
use std::cmp::Reverse;

/// Ordered as the fields are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Measure {
    temporal: u64,
    /// Weighted.
    size: u64,
    /// The sizes of the operands of temporal operators other than X.
    scopes: u64,
    /// The sizes of the operands of X: at most `temporal * size`, the more the better.
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
        let saturated = [before, after].iter().any(|measure| {
            measure.size == u64::MAX
                || measure.scopes == u64::MAX
                || measure.next_scopes.0 == u64::MAX
        });
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
        let mut sum = Measure::default();
        for operand in formulas.operands(f) {
            let part = self.known[&operand];
            sum.temporal = sum.temporal.saturating_add(part.temporal);
            sum.size = sum.size.saturating_add(part.size);
            sum.scopes = sum.scopes.saturating_add(part.scopes);
            sum.next_scopes.0 = sum.next_scopes.0.saturating_add(part.next_scopes.0);
        }
        let operands = sum.size;
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        match formulas.node(f) {
            Node::And(run) | Node::Or(run) => {
                add(&mut sum.size, run.len() as u64 - 1);
            }
            Node::Next(_) => {
                add(&mut sum.temporal, 1);
                add(&mut sum.size, 1);
                add(&mut sum.next_scopes.0, operands);
            }
            Node::Finally(_) | Node::Globally(_) => {
                add(&mut sum.temporal, 1);
                add(&mut sum.size, 1);
                add(&mut sum.scopes, operands);
            }
            Node::Until(..) | Node::Release(..) | Node::WeakUntil(..) | Node::StrongRelease(..) => {
                let promise = matches!(formulas.node(f), Node::Until(..) | Node::StrongRelease(..));
                add(&mut sum.temporal, 1);
                add(&mut sum.size, 3 + u64::from(promise));
                add(&mut sum.scopes, operands);
            }
            // A literal.
            _ => sum.size = 1,
        }
        sum
    }
}
