//! Formulas that hold for the wrong reason.
//!
//! `G (p -> F q)` holds if p is never true, and hardly anybody means that. An implication of a formula
//! that holds, where it stands for something that is demanded (under an even number of negations), is
//! *vacuous* if the formula still holds with `false` in place of the right side: then it is never needed.
//! This is vacuity in the sense of [`BBER01`](engine::papers::BBER01), of right sides only.

use super::formula::text;
use crate::frontend::Variant;
use ltl::{Formula as Part, Formulas, Node};
use model::checked::{Atom, Expression, ExpressionKind, Formula};
use model::types::Types;

/// The variants of a formula.
pub(super) fn variants(formula: &Formula) -> Vec<Variant<Formula>> {
    let mut implications = Implications { formula, found: Vec::new() };
    implications.collect(formula.root, true, None);
    let found = implications.found;
    found
        .into_iter()
        .map(|(part, around)| {
            let mut changed = formula.clone();
            let (antecedent, negated) = without_consequent(&mut changed, part);
            changed.root = replaced(&mut changed.formulas, formula.root, part, negated, true);
            Variant { antecedent, formula: changed, around }
        })
        .collect()
}

struct Implications<'f> {
    formula: &'f Formula,
    /// With the position of the nearest one around.
    found: Vec<(Part, Option<usize>)>,
}

impl Implications<'_> {
    fn collect(&mut self, part: Part, is_demanded: bool, around: Option<usize>) {
        let formulas = &self.formula.formulas;
        let is_implication = match formulas.node(part) {
            Node::Implies(..) => true,
            Node::Atom(atom) => matches!(
                &self.formula.atoms[atom.0 as usize],
                Atom::State { antecedent: Some(_), .. }
            ),
            _ => false,
        };
        let mut around = around;
        if is_implication && is_demanded {
            if self.found.iter().any(|(known, _)| *known == part) {
                return;
            }
            self.found.push((part, around));
            around = Some(self.found.len() - 1);
        }
        match formulas.node(part) {
            Node::Not(inner) => self.collect(inner, !is_demanded, around),
            Node::Implies(left, right) => {
                self.collect(left, !is_demanded, around);
                self.collect(right, is_demanded, around);
            }
            // Both sides are demanded and forbidden.
            Node::Xor(..) | Node::Iff(..) => {}
            _ => {
                for operand in formulas.operands(part) {
                    self.collect(operand, is_demanded, around);
                }
            }
        }
    }
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

/// A formula with another part in place of one, wherever that is demanded.
fn replaced(formulas: &mut Formulas, f: Part, old: Part, new: Part, is_demanded: bool) -> Part {
    if f == old && is_demanded {
        return new;
    }
    let operands: Vec<Part> = formulas.operands(f).collect();
    let kind = formulas.node(f);
    let flips = |k: usize| match kind {
        Node::Not(_) => true,
        Node::Implies(..) => k == 0,
        _ => false,
    };
    if matches!(kind, Node::Xor(..) | Node::Iff(..)) {
        return f;
    }
    let demanded: Vec<bool> = (0..operands.len()).map(|k| is_demanded != flips(k)).collect();
    let changed: Vec<Part> = operands
        .iter()
        .zip(demanded)
        .map(|(&operand, is_demanded)| replaced(formulas, operand, old, new, is_demanded))
        .collect();
    if changed == operands {
        return f;
    }
    let node = match formulas.node(f) {
        Node::Not(_) => Node::Not(changed[0]),
        Node::And(_) => Node::And(&changed),
        Node::Or(_) => Node::Or(&changed),
        Node::Implies(..) => Node::Implies(changed[0], changed[1]),
        Node::Next(_) => Node::Next(changed[0]),
        Node::Finally(_) => Node::Finally(changed[0]),
        Node::Globally(_) => Node::Globally(changed[0]),
        Node::Until(..) => Node::Until(changed[0], changed[1]),
        Node::Release(..) => Node::Release(changed[0], changed[1]),
        Node::WeakUntil(..) => Node::WeakUntil(changed[0], changed[1]),
        Node::StrongRelease(..) => Node::StrongRelease(changed[0], changed[1]),
        Node::Xor(..) | Node::Iff(..) | Node::False | Node::True | Node::Atom(_) => return f,
    };
    formulas.written(node)
}
