//! Rules for `f W g`, and dually for `f M g`.

use super::rule::Rule;
use super::view::View;
use crate::formula::Node;

pub(super) const RULES: &[Rule] = &[
    Rule::binary("weak.universal", "u W g = u | g", "e M g = e & g", |v, f, g| {
        v.is_universal(f).then(|| v.or(&[f, g]))
    }),
    Rule::binary("weak.eventual", "f W e = G f | e", "f M u = F f & u", |v, f, g| {
        if !v.is_eventual(g) {
            return None;
        }
        let always = v.globally(f);
        Some(v.or(&[always, g]))
    }),
    Rule::binary("weak.next", "X f W X g = X(f W g)", "X f M X g = X(f M g)", |v, f, g| {
        let (Node::Next(f), Node::Next(g)) = (v.node(f), v.node(g)) else { return None };
        let weak = v.weak_until(f, g);
        Some(v.next(weak))
    }),
    Rule::binary("weak.implied", "f W g = g if f => g", "f M g = g if g => f", |v, f, g| {
        v.implies(f, g).then_some(g)
    }),
    Rule::binary("weak.covering", "f W g = 1 if !f => g", "f M g = 0 if f => !g", |v, f, g| {
        v.covers(f, g).then_some(v.top())
    }),
    Rule::binary(
        "weak.pull-eventual",
        "f W (g | e) = (f W g) | e",
        "f M (g & u) = (f M g) & u",
        |v, f, g| {
            let (rest, eventual) = v.split_or(g, View::is_eventual)?;
            let weak = v.weak_until(f, rest);
            Some(v.or(&[weak, eventual]))
        },
    ),
    Rule::binary(
        "weak.left-suspendable",
        "(f | q) W g = (f W g) | q",
        "(f & q) M g = (f M g) & q",
        |v, f, g| {
            let (rest, suspendable) = v.split_or(f, View::is_suspendable)?;
            let weak = v.weak_until(rest, g);
            Some(v.or(&[weak, suspendable]))
        },
    ),
    Rule::binary(
        "weak.known",
        "f W g = f' W g, where f' is f if g is false now",
        "f M g = f' M g, where f' is f if g is true now",
        |v, f, g| {
            let known = v.flipped(|v| v.assume_now(f, g));
            (known != f).then(|| v.weak_until(known, g))
        },
    ),
    Rule::binary("weak.release", "f W (f & g) = g R f", "f M (f | g) = g U f", |v, f, g| {
        let rest = v.rest_of_and(g, f)?;
        Some(v.release(rest, f))
    }),
    Rule::binary(
        "weak.right-until",
        "f W (g U h) = f W (g W h) = f W h if g => f",
        "f M (g R h) = f M (g M h) = f M h if f => g",
        |v, f, right| {
            let (Node::Until(g, h) | Node::WeakUntil(g, h)) = v.node(right) else { return None };
            v.implies(g, f).then(|| v.weak_until(f, h))
        },
    ),
    Rule::binary(
        "weak.right-weak-skip",
        "f W (g W h) = g W h and f W G g = G g if f => g",
        "f M (g M h) = g M h and f M F g = F g if g => f",
        |v, f, right| {
            let (Node::WeakUntil(g, _) | Node::Globally(g)) = v.node(right) else { return None };
            v.implies(f, g).then_some(right)
        },
    ),
    Rule::binary(
        "weak.globally",
        "f W G g = G f if g => f",
        "f M F g = F f if f => g",
        |v, f, right| {
            let Node::Globally(g) = v.node(right) else { return None };
            v.implies(g, f).then(|| v.globally(f))
        },
    ),
    Rule::binary(
        "weak.right-release-skip",
        "f W (g R h) = g R h if f => h",
        "f M (g U h) = g U h if h => f",
        |v, f, right| {
            let Node::Release(_, h) = v.node(right) else { return None };
            v.implies(f, h).then_some(right)
        },
    ),
    Rule::binary(
        "weak.right-release",
        "f W (g R h) = f W (g M h) = f W (g & h) if h => f",
        "f M (g U h) = f M (g W h) = f M (g | h) if f => h",
        |v, f, right| {
            let (Node::Release(g, h) | Node::StrongRelease(g, h)) = v.node(right) else {
                return None;
            };
            if !v.implies(h, f) {
                return None;
            }
            let both = v.and(&[g, h]);
            Some(v.weak_until(f, both))
        },
    ),
    Rule::binary(
        "weak.left-done",
        "(f U g) W h = (f U g) | h, also for W and F, if g => h",
        "(f R g) M h = (f R g) & h, also for M and G, if h => g",
        |v, left, h| {
            let (Node::Until(_, g) | Node::WeakUntil(_, g) | Node::Finally(g)) = v.node(left)
            else {
                return None;
            };
            v.implies(g, h).then(|| v.or(&[left, h]))
        },
    ),
];
