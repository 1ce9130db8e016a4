//! Rules for `F f`, and dually for `G f`.

use super::rule::Rule;
use super::view::View;
use crate::formula::{Formula, Node, Operator};

pub(super) const RULES: &[Rule] = &[
    Rule::unary("finally.eventual", "F e = e", "G u = u", |v, f| v.is_eventual(f).then_some(f)),
    Rule::unary("finally.next", "F X f = X F f", "G X f = X G f", next),
    Rule::unary(
        "finally.until",
        "F(f | (g U h)) = F(f | h)",
        "G(f & (g R h)) = G(f & h)",
        |v, f| {
            disjuncts(v, f, Operator::Until, |v, g| match v.node(g) {
                Node::Until(_, h) => Some(h),
                _ => None,
            })
        },
    ),
    Rule::unary(
        "finally.strong",
        "F(f | (g M h)) = F(f | (g & h))",
        "G(f & (g W h)) = G(f & (g | h))",
        |v, f| {
            disjuncts(v, f, Operator::StrongRelease, |v, g| match v.node(g) {
                Node::StrongRelease(g, h) => Some(v.and(&[g, h])),
                _ => None,
            })
        },
    ),
    Rule::unary(
        "finally.weak",
        "F(f | (g W h)) = F(f | G g | h)",
        "G(f & (g M h)) = G(f & F g & h)",
        |v, f| {
            disjuncts(v, f, Operator::WeakUntil, |v, g| {
                let Node::WeakUntil(g, h) = v.node(g) else { return None };
                let always = v.globally(g);
                Some(v.or(&[always, h]))
            })
        },
    ),
    Rule::unary(
        "finally.release",
        "F(f | (g R h)) = F(f | (g & h) | G h) unless g is Boolean and h simple",
        "G(f & (g U h)) = G(f & (g | h) & F h) unless g is Boolean and h simple",
        |v, f| {
            disjuncts(v, f, Operator::Release, |v, g| {
                let Node::Release(g, h) = v.node(g) else { return None };
                if v.is_boolean(g) && is_simple(v, h) {
                    return None;
                }
                let (both, always) = (v.and(&[g, h]), v.globally(h));
                Some(v.or(&[both, always]))
            })
        },
    ),
    Rule::unary("finally.finally", "F(f | F g) = F(f | g)", "G(f & G g) = G(f & g)", |v, f| {
        if !v.is_or_with(f, Operator::Finally) {
            return None;
        }
        let operands = v.disjuncts(f);
        let inner = |&g: &Formula| match v.node(g) {
            Node::Finally(h) => h,
            _ => g,
        };
        let stripped: Vec<_> = operands.iter().map(inner).collect();
        if stripped == operands {
            return None;
        }
        let either = v.or(&stripped);
        Some(v.finally(either))
    }),
    // The last moment at which g holds will do for both.
    Rule::unary(
        "finally.nested",
        "F(f & F g) = F g if g => f",
        "G(f | G g) = G g if f => g",
        |v, f| {
            if !v.is_and_with(f, Operator::Finally) {
                return None;
            }
            let conjuncts = v.conjuncts(f);
            conjuncts.iter().copied().find(|&inner| {
                let Node::Finally(g) = v.node(inner) else { return false };
                conjuncts.iter().all(|&h| h == inner || v.implies(g, h))
            })
        },
    ),
    Rule::unary("finally.pull-eventual", "F(f | e) = F f | e", "G(f & u) = G f & u", |v, f| {
        let (rest, eventual) = v.split_or(f, View::is_eventual)?;
        let rest = v.finally(rest);
        Some(v.or(&[rest, eventual]))
    }),
    Rule::unary("finally.pull-suspendable", "F(f & q) = F f & q", "G(f | q) = G f | q", |v, f| {
        let (rest, suspendable) = v.split_suspendable(f)?;
        let rest = v.finally(rest);
        Some(v.and(&[rest, suspendable]))
    }),
    Rule::unary(
        "finally.next-universal",
        "F(f | X u) = F(f | u)",
        "G(f & X e) = G(f & e)",
        |v, f| {
            if !v.is_or_with(f, Operator::Next) {
                return None;
            }
            let operands = v.disjuncts(f);
            let stripped: Vec<_> = operands.iter().map(|&g| universal_below_next(v, g)).collect();
            if stripped == operands {
                return None;
            }
            let either = v.or(&stripped);
            Some(v.finally(either))
        },
    ),
    Rule::unary(
        "finally.always-next",
        "F G(f & X g) = F G(f & g)",
        "G F(f | X g) = G F(f | g)",
        always_next,
    ),
    // Once u holds it holds forever: so does G(g | u).
    Rule::unary(
        "finally.always-universal",
        "F(f | G(g | u)) = F(f | G g | u)",
        "G(f & F(g & e)) = G(f & F g & e)",
        |v, f| {
            disjuncts(v, f, Operator::Globally, |v, g| {
                let Node::Globally(inner) = v.node(g) else { return None };
                let (rest, universal) = v.split_or(inner, View::is_universal)?;
                let rest = v.globally(rest);
                Some(v.or(&[rest, universal]))
            })
        },
    ),
    // What is true infinitely often, and was true whenever it will be, is always true.
    Rule::unary(
        "finally.always-eventual",
        "F G(f | e) = F G f | G e",
        "G F(f & u) = G F f & F u",
        |v, f| {
            let Node::Globally(inner) = v.node(f) else { return None };
            let (rest, eventual) = v.split_or(inner, View::is_eventual)?;
            let rest = v.globally(rest);
            let sides = [v.finally(rest), v.globally(eventual)];
            Some(v.or(&sides))
        },
    ),
    Rule::unary(
        "finally.known",
        "F(f | g) = F(f | g'), where g' is g if f never holds",
        "G(f & g) = G(f & g'), where g' is g if f always holds",
        |v, f| {
            let either = v.flipped(|v| v.assume_each(f))?;
            Some(v.finally(either))
        },
    ),
];

/// `F f`, where each disjunct of `f` with this operator becomes what `change` makes of it.
fn disjuncts(
    v: &mut View<'_, '_>,
    f: Formula,
    operator: Operator,
    change: fn(&mut View<'_, '_>, Formula) -> Option<Formula>,
) -> Option<Formula> {
    if v.operator(f) == operator {
        let changed = change(v, f)?;
        return Some(v.finally(changed));
    }
    if !v.is_or_with(f, operator) {
        return None;
    }
    let old = v.disjuncts(f);
    let new: Vec<_> = old.iter().map(|&g| change(v, g).unwrap_or(g)).collect();
    if new == old {
        return None;
    }
    let either = v.or(&new);
    Some(v.finally(either))
}

/// All `X` in front are taken at once: there may be many.
fn next(v: &mut View<'_, '_>, f: Formula) -> Option<Formula> {
    let (mut core, mut nexts) = (f, 0);
    while let Node::Next(inner) = v.node(core) {
        (core, nexts) = (inner, nexts + 1);
    }
    if nexts == 0 {
        return None;
    }
    let finally = v.finally(core);
    Some((0..nexts).fold(finally, |f, _| v.next(f)))
}

/// Whether `f` is Boolean, or X of something that is neither eventual nor universal: then to say in
/// two formulas that it is waited for makes no automaton smaller.
fn is_simple(v: &View<'_, '_>, f: Formula) -> bool {
    v.is_boolean(f) || v.operator(f) == Operator::Next && !v.is_eventual(f) && !v.is_universal(f)
}

/// F u is suspendable, so `F X u = F u`.
fn universal_below_next(v: &View<'_, '_>, f: Formula) -> Formula {
    let mut core = f;
    while let Node::Next(inner) = v.node(core) {
        core = inner;
    }
    if v.is_universal(core) { core } else { f }
}

/// From some position on, f & X g holds always just if f and g do. All `X` that stand under `&` and
/// `X` alone are dropped at once.
fn always_next(v: &mut View<'_, '_>, f: Formula) -> Option<Formula> {
    let Node::Globally(inner) = v.node(f) else { return None };
    let mut open = vec![inner];
    let (mut conjuncts, mut dropped) = (Vec::new(), false);
    while let Some(part) = open.pop() {
        match v.node(part) {
            Node::And(operands) => open.extend_from_slice(operands),
            Node::Next(inner) => {
                open.push(inner);
                dropped = true;
            }
            _ => conjuncts.push(part),
        }
    }
    if !dropped {
        return None;
    }
    let all = v.and(&conjuncts);
    let always = v.globally(all);
    Some(v.finally(always))
}
