//! A rule of simplification: a row of a table.

use super::view::View;
use crate::formula::Formula;

/// A rule: an equation between formulas, used from left to right.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The operator and what the rule is about.
    pub name: &'static str,
    /// The equation, with its condition.
    pub statement: &'static str,
    /// The same for the dual operator; empty if it is its own dual.
    pub dual: &'static str,
    apply: Apply,
}

pub(super) type Unary = fn(&mut View<'_, '_>, Formula) -> Option<Formula>;
pub(super) type Binary = fn(&mut View<'_, '_>, Formula, Formula) -> Option<Formula>;
pub(super) type Many = fn(&mut View<'_, '_>, &[Formula]) -> Option<Formula>;

/// The function of a rule takes the operands of the formula, and gives the right side if the
/// formula has the form of the left side and the condition is proved.
#[derive(Clone, Copy, Debug)]
enum Apply {
    Unary(Unary),
    Binary(Binary),
    Many(Many),
}

impl Rule {
    pub(super) const fn unary(
        name: &'static str,
        statement: &'static str,
        dual: &'static str,
        apply: Unary,
    ) -> Rule {
        Rule { name, statement, dual, apply: Apply::Unary(apply) }
    }

    pub(super) const fn binary(
        name: &'static str,
        statement: &'static str,
        dual: &'static str,
        apply: Binary,
    ) -> Rule {
        Rule { name, statement, dual, apply: Apply::Binary(apply) }
    }

    pub(super) const fn many(
        name: &'static str,
        statement: &'static str,
        dual: &'static str,
        apply: Many,
    ) -> Rule {
        Rule { name, statement, dual, apply: Apply::Many(apply) }
    }

    pub(super) fn apply(&self, view: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
        match (self.apply, operands) {
            (Apply::Unary(apply), &[f]) => apply(view, f),
            (Apply::Binary(apply), &[f, g]) => apply(view, f, g),
            (Apply::Many(apply), operands) => apply(view, operands),
            _ => None,
        }
    }
}
