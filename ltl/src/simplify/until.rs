//! Rules for `f U g`, and dually for `f R g`.

use super::rule::Rule;
use super::view::View;
use crate::formula::Node;

pub(super) const RULES: &[Rule] = &[
    Rule::binary("until.eventual", "f U e = e", "f R u = u", |v, _, g| {
        v.is_eventual(g).then_some(g)
    }),
    // If u holds it holds forever, and g comes or not. The dual makes automata larger.
    Rule::binary("until.universal", "u U g = (u | g) & F g", "", |v, f, g| {
        if v.dual || !v.is_universal(f) {
            return None;
        }
        let sides = [v.or(&[f, g]), v.finally(g)];
        Some(v.and(&sides))
    }),
    Rule::binary("until.next", "X f U X g = X(f U g)", "X f R X g = X(f R g)", |v, f, g| {
        let (Node::Next(f), Node::Next(g)) = (v.node(f), v.node(g)) else { return None };
        let until = v.until(f, g);
        Some(v.next(until))
    }),
    Rule::binary("until.implied", "f U g = g if f => g", "f R g = g if g => f", |v, f, g| {
        v.implies(f, g).then_some(g)
    }),
    Rule::binary(
        "until.covering",
        "f U g = F g if !f => g",
        "f R g = G g if f => !g",
        |v, f, g| v.covers(f, g).then(|| v.finally(g)),
    ),
    Rule::binary(
        "until.pull-eventual",
        "f U (g | e) = (f U g) | e",
        "f R (g & u) = (f R g) & u",
        |v, f, g| {
            let (rest, eventual) = v.split_or(g, View::is_eventual)?;
            let until = v.until(f, rest);
            Some(v.or(&[until, eventual]))
        },
    ),
    Rule::binary(
        "until.pull-suspendable",
        "f U (g & q) = (f U g) & q",
        "f R (g | q) = (f R g) | q",
        |v, f, g| {
            let (rest, suspendable) = v.split_suspendable(g)?;
            let until = v.until(f, rest);
            Some(v.and(&[until, suspendable]))
        },
    ),
    Rule::binary(
        "until.known",
        "f U g = f' U g, where f' is f if g is false now",
        "f R g = f' R g, where f' is f if g is true now",
        |v, f, g| {
            let known = v.flipped(|v| v.assume_now(f, g));
            (known != f).then(|| v.until(known, g))
        },
    ),
    Rule::binary("until.strong", "f U (f & g) = g M f", "f R (f | g) = g W f", |v, f, g| {
        let rest = v.rest_of_and(g, f)?;
        Some(v.strong_release(rest, f))
    }),
    Rule::binary(
        "until.right-until",
        "f U (g U h) = f U h if g => f",
        "f R (g R h) = f R h if f => g",
        |v, f, until| {
            let Node::Until(g, h) = v.node(until) else { return None };
            v.implies(g, f).then(|| v.until(f, h))
        },
    ),
    Rule::binary(
        "until.right-until-skip",
        "f U (g U h) = g U h if f => g",
        "f R (g R h) = g R h if g => f",
        |v, f, until| {
            let Node::Until(g, _) = v.node(until) else { return None };
            v.implies(f, g).then_some(until)
        },
    ),
    Rule::binary(
        "until.right-weak-skip",
        "f U (g W h) = g W h and f U G g = G g if f => g",
        "f R (g M h) = g M h and f R F g = F g if g => f",
        |v, f, right| {
            let (Node::WeakUntil(g, _) | Node::Globally(g)) = v.node(right) else { return None };
            v.implies(f, g).then_some(right)
        },
    ),
    Rule::binary(
        "until.right-release-skip",
        "f U (g R h) = g R h and f U (g M h) = g M h if f => h",
        "f R (g U h) = g U h and f R (g W h) = g W h if h => f",
        |v, f, right| {
            let (Node::Release(_, h) | Node::StrongRelease(_, h)) = v.node(right) else {
                return None;
            };
            v.implies(f, h).then_some(right)
        },
    ),
    Rule::binary(
        "until.right-strong",
        "f U (g M h) = f U (g & h) if h => f",
        "f R (g W h) = f R (g | h) if f => h",
        |v, f, right| {
            let Node::StrongRelease(g, h) = v.node(right) else { return None };
            if !v.implies(h, f) {
                return None;
            }
            let both = v.and(&[g, h]);
            Some(v.until(f, both))
        },
    ),
    Rule::binary(
        "until.left-done",
        "(f U g) U h = (f U g) | h and F g U h = F g | h if g => h",
        "(f R g) R h = (f R g) & h and G g R h = G g & h if h => g",
        |v, left, h| {
            let (Node::Until(_, g) | Node::Finally(g)) = v.node(left) else { return None };
            v.implies(g, h).then(|| v.or(&[left, h]))
        },
    ),
    // One promise less. The dual would make one more.
    Rule::binary("until.weaken", "f U g = f W g if f => F g", "", |v, f, g| {
        if v.dual {
            return None;
        }
        let comes = v.formulas.finally(g);
        v.implies(f, comes).then(|| v.weak_until(f, g))
    }),
];
