//! The last pass: eventualities are gathered below an operator that does not change them.
//!
//! The rules take a pure eventuality e out of where it does not matter, because there it may meet
//! others. Once they are done it goes back in:
//!
//! ```text
//! F f | e      =   F(f | e)
//! (f U g) | e  =   f U (g | e)
//! (f W g) | e  =   f W (g | e)
//! ```
//!
//! for an automaton then waits in one state for both, which is its first one too, where `F f | e`
//! needs a state for the disjunction, and one for F f alone. (For conjunctions, dually, it makes no
//! difference: a state waits for all its parts anyway.)
//!
//! Each equation is the inverse of a `pull-eventual` rule, so that a gathered formula is simplified to
//! itself. The pass is linear in the number of subformulas, and its results are not simplified again,
//! so that it does not bear on termination.

use super::Simplifier;
use crate::formula::{Formula, Formulas, Node};
use crate::hash::IdMap;

impl Simplifier<'_> {
    /// The same formula, with eventualities gathered in all its parts.
    pub(super) fn gathered(formulas: &mut Formulas, f: Formula) -> Formula {
        let mut changed: IdMap<Formula, Formula> = IdMap::default();
        let mut operands = Vec::new();
        for part in formulas.subformulas(f) {
            let current = if changed.is_empty() {
                part
            } else {
                operands.clear();
                operands.extend(formulas.operands(part).map(|g| *changed.get(&g).unwrap_or(&g)));
                formulas.with_operands(part, &operands)
            };
            let result = gather(formulas, current);
            if result != part {
                changed.insert(part, result);
            }
        }
        *changed.get(&f).unwrap_or(&f)
    }
}

/// Gathers the eventual operands of a disjunction in its first F, else U, else W.
fn gather(formulas: &mut Formulas, f: Formula) -> Formula {
    let Node::Or(operands) = formulas.node(f) else { return f };
    let is_eventual = |g: Formula| formulas.traits(g).is_eventual();
    if !operands.iter().any(|&g| is_eventual(g)) {
        return f;
    }
    let eventual = operands.iter().filter(|&&g| is_eventual(g)).count();
    // An F is eventual itself; it takes others in, or is taken in.
    let rank = |&g: &Formula| match formulas.node(g) {
        Node::Finally(_) if eventual > 1 => 0,
        Node::Until(..) => 1,
        Node::WeakUntil(..) => 2,
        _ => 3,
    };
    let Some(host) = operands.iter().copied().min_by_key(rank) else { return f };
    let others = operands.iter().copied().filter(|&g| g != host);
    let (mut inside, mut outside): (Vec<_>, Vec<_>) = others.partition(|&g| is_eventual(g));
    if inside.is_empty() {
        return f;
    }
    let node = formulas.node(host);
    let (Node::Finally(goal) | Node::Until(_, goal) | Node::WeakUntil(_, goal)) = node else {
        return f;
    };
    let first = match node {
        Node::Until(first, _) | Node::WeakUntil(first, _) => first,
        _ => Formula::TRUE,
    };
    let is_weak = matches!(node, Node::WeakUntil(..));
    inside.push(goal);
    let goal = formulas.or(inside);
    outside.push(if is_weak {
        formulas.weak_until(first, goal)
    } else {
        formulas.until(first, goal)
    });
    formulas.or(outside)
}
