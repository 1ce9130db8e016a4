//! Formulas that hold for the wrong reason.
//!
//! `G (p -> F q)` holds if p is never true, and hardly anybody means that. An implication of a formula
//! that holds, where it stands for something that is demanded (under an even number of negations), is
//! *vacuous* if the formula still holds with `false` in place of the right side: then it is never needed.
//! This is vacuity in the sense of [`BBER01`](engine::papers::BBER01), of right sides only.

use super::formula::text;
use crate::frontend::Variant;
use crate::parts::{Implication, implications, replaced};
use ltl::{Formula as Part, Node};
use model::checked::{Atom, Expression, ExpressionKind, Formula};
use model::types::Types;

/// The most values of `exists` in front whose orders are all asked about for a variant.
const MOST_IN_ALL_ORDERS: usize = 3;

/// The variants of a formula.
pub(super) fn variants(formula: &Formula) -> Vec<Variant<Formula>> {
    // A variant changes one alternative of `exists`, so that it is not the same for all orders of the
    // values.
    let mut orders = formula.tracked.iter().filter(|group| group.stands_for_all);
    if orders.any(|group| group.locals.len() > MOST_IN_ALL_ORDERS) {
        return Vec::new();
    }
    let is_implication = |atom: ltl::Atom| {
        matches!(&formula.atoms[atom.0 as usize], Atom::State { antecedent: Some(_), .. })
    };
    let variant = |Implication { part, around }| {
        let mut changed = formula.clone();
        for group in &mut changed.tracked {
            group.stands_for_all = false;
        }
        let (antecedent, negated) = without_consequent(&mut changed, part);
        changed.root = replaced(&mut changed.formulas, formula.root, part, negated, true);
        Variant { antecedent, formula: changed, around }
    };
    let found = implications(&formula.formulas, formula.root, &is_implication);
    found.into_iter().map(variant).collect()
}

/// The left side of an implication as text, and its negation as a formula.
fn without_consequent(formula: &mut Formula, part: Part) -> (String, Part) {
    match formula.formulas.node(part) {
        Node::Implies(left, _) => {
            let text = text(formula, left);
            (text, formula.formulas.not(left))
        }
        Node::Atom(atom) => {
            let Atom::State { condition, antecedent: Some(left), .. } =
                &formula.atoms[atom.0 as usize]
            else {
                unreachable!("only implications are looked at")
            };
            let ExpressionKind::Implies(premise, _) = &condition.kind else {
                unreachable!("what has a left side is an implication")
            };
            let kind = ExpressionKind::Not(premise.clone());
            let condition = Expression { kind, of: Types::BOOLEAN, span: premise.span };
            let (left, text) = (left.clone(), format!("!({left})"));
            let negated = ltl::Atom(formula.atoms.len() as u32);
            formula.atoms.push(Atom::State { condition, text, antecedent: None });
            (left, formula.formulas.atom(negated))
        }
        _ => unreachable!("only implications are looked at"),
    }
}
