//! Rules for `f & g & ...`, and dually for `f | g | ...`.
//!
//! Operands are joined where one operator can do the work of two: fewer temporal operators, fewer
//! promises. W and M are introduced here; they need one promise less than U, or none.

use super::boolean::boolean_part;
use super::joining::{
    Common, collect, contradiction, factor, implied, join, known, unfolded_globally,
    unfolded_release, weaken,
};
use super::rule::Rule;
use crate::formula::{Formula, Node, Operator};

pub(super) const RULES: &[Rule] = &[
    Rule::many(
        "and.boolean",
        "b & c = b if b => c, and 0 if b => !c, for Boolean b and c of few atoms",
        "b | c = c if b => c, and 1 if !b => c, for Boolean b and c of few atoms",
        boolean_part,
    ),
    Rule::many("and.implied", "f & g = f if f => g", "f | g = g if f => g", implied),
    Rule::many("and.contradiction", "f & g = 0 if f => !g", "f | g = 1 if !f => g", contradiction),
    Rule::many(
        "and.known",
        "f & g = f & g', where g' is g if f holds",
        "f | g = f | g', where g' is g if f does not hold",
        known,
    ),
    Rule::many("and.next", "X f & X g = X(f & g)", "X f | X g = X(f | g)", |v, operands| {
        collect(v, operands, Operator::Next)
    }),
    Rule::many(
        "and.next-suspendable",
        "q & X f = X(q & f)",
        "q | X f = X(q | f)",
        |v, operands| {
            if !v.present.has(Operator::Next) {
                return None;
            }
            let next = *operands.iter().find(|&&f| matches!(v.node(f), Node::Next(_)))?;
            let Node::Next(inner) = v.node(next) else { return None };
            let moved = |&&f: &&Formula| f == next || v.is_suspendable(f);
            let (inside, mut outside): (Vec<_>, Vec<_>) = operands.iter().partition(moved);
            if inside.len() < 2 {
                return None;
            }
            let inside: Vec<_> =
                inside.iter().map(|&f| if f == next { inner } else { f }).collect();
            let inside = v.and(&inside);
            outside.push(v.next(inside));
            Some(v.and(&outside))
        },
    ),
    Rule::many("and.globally", "G f & G g = G(f & g)", "F f | F g = F(f | g)", |v, operands| {
        collect(v, operands, Operator::Globally)
    }),
    // Once one holds it holds forever: both hold from the later moment on. (This goes for all
    // universal formulas; but G(F f & F g) | G(F h & F k) is better left alone.)
    Rule::many(
        "and.finally",
        "F G f & F G g = F G(f & g)",
        "G F f | G F g = G F(f | g)",
        |v, operands| {
            if !v.present.has_two(Operator::Finally) {
                return None;
            }
            let (mut always, mut rest) = (Vec::new(), Vec::new());
            for &f in operands {
                match v.node(f) {
                    Node::Finally(g) if v.operator(g) == Operator::Globally => always.push(g),
                    _ => rest.push(f),
                }
            }
            if always.len() < 2 {
                return None;
            }
            let all = v.and(&always);
            rest.push(v.finally(all));
            Some(v.and(&rest))
        },
    ),
    Rule::many(
        "and.until-until",
        "(f U g) & (h U g) = (f & h) U g",
        "(f R g) | (h R g) = (f | h) R g",
        |v, operands| {
            let operators = (Operator::Until, Operator::Until);
            join(v, operands, operators, Common::Right, |v, g, others| {
                let all = v.and(others);
                v.until(all, g)
            })
        },
    ),
    Rule::many(
        "and.until-weak",
        "(f U g) & (h W g) = (f & h) U g",
        "(f R g) | (h M g) = (f | h) R g",
        |v, operands| {
            let operators = (Operator::Until, Operator::WeakUntil);
            join(v, operands, operators, Common::Right, |v, g, others| {
                let all = v.and(others);
                v.until(all, g)
            })
        },
    ),
    Rule::many(
        "and.weak-weak",
        "(f W g) & (h W g) = (f & h) W g",
        "(f M g) | (h M g) = (f | h) M g",
        |v, operands| {
            let operators = (Operator::WeakUntil, Operator::WeakUntil);
            join(v, operands, operators, Common::Right, |v, g, others| {
                let all = v.and(others);
                v.weak_until(all, g)
            })
        },
    ),
    Rule::many(
        "and.release-release",
        "(f R g) & (f R h) = f R (g & h)",
        "(f U g) | (f U h) = f U (g | h)",
        |v, operands| {
            let operators = (Operator::Release, Operator::Release);
            join(v, operands, operators, Common::Left, |v, f, others| {
                let all = v.and(others);
                v.release(f, all)
            })
        },
    ),
    Rule::many(
        "and.release-strong",
        "(f R g) & (f M h) = f M (g & h)",
        "(f U g) | (f W h) = f W (g | h)",
        |v, operands| {
            let operators = (Operator::Release, Operator::StrongRelease);
            join(v, operands, operators, Common::Left, |v, f, others| {
                let all = v.and(others);
                v.strong_release(f, all)
            })
        },
    ),
    Rule::many(
        "and.strong-strong",
        "(f M g) & (f M h) = f M (g & h)",
        "(f W g) | (f W h) = f W (g | h)",
        |v, operands| {
            let operators = (Operator::StrongRelease, Operator::StrongRelease);
            join(v, operands, operators, Common::Left, |v, f, others| {
                let all = v.and(others);
                v.strong_release(f, all)
            })
        },
    ),
    Rule::many(
        "and.finally-release",
        "F f & (f R g) = f M g",
        "G f | (f U g) = f W g",
        |v, operands| {
            let operators = (Operator::Finally, Operator::Release);
            join(v, operands, operators, Common::Left, |v, f, others| {
                let all = v.and(&others[1..]);
                v.strong_release(f, all)
            })
        },
    ),
    Rule::many(
        "and.finally-weak",
        "F g & (f W g) = f U g",
        "G g | (f M g) = f R g",
        |v, operands| {
            let operators = (Operator::Finally, Operator::WeakUntil);
            join(v, operands, operators, Common::Right, |v, g, others| {
                let all = v.and(&others[1..]);
                v.until(all, g)
            })
        },
    ),
    Rule::many(
        "and.unfolded-globally",
        "f & X(G f & g) = G f & X g",
        "f | X(F f | g) = F f | X g",
        unfolded_globally,
    ),
    Rule::many(
        "and.unfolded-release",
        "g & (f | X(f R g)) = f R g and g & (f | X(f M g)) = f M g",
        "g | (f & X(f U g)) = f U g and g | (f & X(f W g)) = f W g",
        unfolded_release,
    ),
    // One promise less, in conjunctions and in disjunctions: these two are not duals.
    Rule::many(
        "and.weaken",
        "(f U g) & h = (f W g) & h if h => F g; (f M g) & h = (f R g) & h if h => F f",
        "(f U g) | h = (f W g) | h if G f => h or G !g => h; (f M g) | h = (f R g) | h if G g => h or G !f => h",
        weaken,
    ),
    Rule::many(
        "and.factor",
        "(f | g) & (f | h) = f | (g & h)",
        "(f & g) | (f & h) = f & (g | h)",
        factor,
    ),
];
