//! Formulas about protocols that hold for the wrong reason: see [`parts::implications`].
//!
//! An implication is *vacuous* if the formula still holds with `false` in place of its right side. One
//! inside a closure cannot be seen: only those that are written in the formula are.

use crate::frontend::Variant;
use crate::parts::{self, Implication, implications, replaced};
use ltl::Node;
use protocol::Formula;

/// The variants of a formula.
pub(super) fn variants(formula: &Formula) -> Vec<Variant<Formula>> {
    let (formulas, root) = formula.syntax();
    let variant = |Implication { part, around }| {
        let Node::Implies(left, _) = formulas.node(part) else {
            unreachable!("no atom of a protocol is an implication")
        };
        let antecedent = parts::text(formulas, left, &|atom| formula.atom_text(atom).to_owned());
        let mut changed = formulas.clone();
        let negated = changed.not(left);
        let root = replaced(&mut changed, root, part, negated, true);
        Variant { antecedent, formula: formula.with_syntax(changed, root), around }
    };
    implications(formulas, root, &|_| false).into_iter().map(variant).collect()
}
