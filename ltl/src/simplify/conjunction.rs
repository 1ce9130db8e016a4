//! Rules for `f & g & ...`, and dually for `f | g | ...`.
//!
//! Operands are joined where one operator can do the work of two: fewer temporal operators, fewer
//! promises. W and M are introduced here; they need one promise less than U, or none.

use super::assume::MOST_PAIRED;
use super::boolean::boolean_part;
use super::rule::{Binary, Rule};
use super::view::View;
use crate::formula::{Formula, Node};

pub(super) const RULES: &[Rule] = &[
    Rule::many(
        "and.boolean",
        "b & c = b if b => c, and 0 if b => !c, for Boolean b and c of few atoms",
        "b | c = c if b => c, and 1 if !b => c, for Boolean b and c of few atoms",
        boolean_part,
    ),
    Rule::many("and.implied", "f & g = f if f => g", "f | g = g if f => g", |v, operands| {
        for &f in few(operands)? {
            if let Some(k) = operands.iter().position(|&g| f != g && v.implies(f, g)) {
                return Some(v.and(&without(operands, k)));
            }
        }
        None
    }),
    Rule::many(
        "and.contradiction",
        "f & g = 0 if f => !g",
        "f | g = 1 if !f => g",
        |v, operands| {
            let few = few(operands)?;
            let clash =
                |(k, &f): (usize, &Formula)| few[k + 1..].iter().any(|&g| v.contradicts(f, g));
            few.iter().enumerate().any(clash).then_some(v.bottom())
        },
    ),
    Rule::many(
        "and.known",
        "f & g = f & g', where g' is g if f holds",
        "f | g = f | g', where g' is g if f does not hold",
        known,
    ),
    Rule::many("and.next", "X f & X g = X(f & g)", "X f | X g = X(f | g)", |v, operands| {
        collect(
            v,
            operands,
            |node| if let Node::Next(f) = node { Some(f) } else { None },
            |v, all| {
                let all = v.and(all);
                v.next(all)
            },
        )
    }),
    Rule::many(
        "and.next-suspendable",
        "q & X f = X(q & f)",
        "q | X f = X(q | f)",
        |v, operands| {
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
        collect(
            v,
            operands,
            |node| if let Node::Globally(f) = node { Some(f) } else { None },
            |v, all| {
                let all = v.and(all);
                v.globally(all)
            },
        )
    }),
    // Once one holds it holds for ever: both hold from the later moment on.
    Rule::many(
        "and.finally",
        "F u & F v = F(u & v), v universal too",
        "G e | G d = G(e | d), d eventual too",
        |v, operands| {
            let universal: Vec<_> = operands
                .iter()
                .copied()
                .filter(|&f| matches!(v.node(f), Node::Finally(u) if v.is_universal(u)))
                .collect();
            let [f, g, ..] = universal[..] else { return None };
            let (Node::Finally(first), Node::Finally(second)) = (v.node(f), v.node(g)) else {
                return None;
            };
            let both = v.and(&[first, second]);
            let mut rest: Vec<_> = operands.iter().copied().filter(|&h| h != f && h != g).collect();
            rest.push(v.finally(both));
            Some(v.and(&rest))
        },
    ),
    Rule::many(
        "and.until-until",
        "(f U g) & (h U g) = (f & h) U g",
        "(f R g) | (h R g) = (f | h) R g",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Until(f, g), Node::Until(h, k)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (g == k).then(|| (v.and(&[f, h]), g)).map(|(f, g)| v.until(f, g))
            })
        },
    ),
    Rule::many(
        "and.until-weak",
        "(f U g) & (h W g) = (f & h) U g",
        "(f R g) | (h M g) = (f | h) R g",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Until(f, g), Node::WeakUntil(h, k)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (g == k).then(|| (v.and(&[f, h]), g)).map(|(f, g)| v.until(f, g))
            })
        },
    ),
    Rule::many(
        "and.weak-weak",
        "(f W g) & (h W g) = (f & h) W g",
        "(f M g) | (h M g) = (f | h) M g",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::WeakUntil(f, g), Node::WeakUntil(h, k)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (g == k).then(|| (v.and(&[f, h]), g)).map(|(f, g)| v.weak_until(f, g))
            })
        },
    ),
    Rule::many(
        "and.release-release",
        "(f R g) & (f R h) = f R (g & h)",
        "(f U g) | (f U h) = f U (g | h)",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Release(f, g), Node::Release(k, h)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (f == k).then(|| v.and(&[g, h])).map(|both| v.release(f, both))
            })
        },
    ),
    Rule::many(
        "and.release-strong",
        "(f R g) & (f M h) = f M (g & h)",
        "(f U g) | (f W h) = f W (g | h)",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Release(f, g), Node::StrongRelease(k, h)) = (v.node(a), v.node(b))
                else {
                    return None;
                };
                (f == k).then(|| v.and(&[g, h])).map(|both| v.strong_release(f, both))
            })
        },
    ),
    Rule::many(
        "and.strong-strong",
        "(f M g) & (f M h) = f M (g & h)",
        "(f W g) | (f W h) = f W (g | h)",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::StrongRelease(f, g), Node::StrongRelease(k, h)) = (v.node(a), v.node(b))
                else {
                    return None;
                };
                (f == k).then(|| v.and(&[g, h])).map(|both| v.strong_release(f, both))
            })
        },
    ),
    Rule::many(
        "and.finally-release",
        "F f & (f R g) = f M g",
        "G f | (f U g) = f W g",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Finally(f), Node::Release(k, g)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (f == k).then(|| v.strong_release(f, g))
            })
        },
    ),
    Rule::many(
        "and.finally-weak",
        "F g & (f W g) = f U g",
        "G g | (f M g) = f R g",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Finally(g), Node::WeakUntil(f, k)) = (v.node(a), v.node(b)) else {
                    return None;
                };
                (g == k).then(|| v.until(f, g))
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
    Rule::many(
        "and.factor",
        "(f | g) & (f | h) = f | (g & h)",
        "(f & g) | (f & h) = f & (g | h)",
        |v, operands| {
            join(v, operands, |v, a, b| {
                let (Node::Or(_), Node::Or(_)) = (v.node(a), v.node(b)) else { return None };
                let (first, second) = (v.disjuncts(a), v.disjuncts(b));
                let (mut shared, left): (Vec<_>, Vec<_>) =
                    first.into_iter().partition(|f| second.contains(f));
                if shared.is_empty() {
                    return None;
                }
                let right: Vec<_> = second.into_iter().filter(|f| !shared.contains(f)).collect();
                let sides = [v.or(&left), v.or(&right)];
                shared.push(v.and(&sides));
                Some(v.or(&shared))
            })
        },
    ),
];

/// The operands, if they are few enough to compare all pairs.
fn few(operands: &[Formula]) -> Option<&[Formula]> {
    (operands.len() <= MOST_PAIRED).then_some(operands)
}

fn without(operands: &[Formula], k: usize) -> Vec<Formula> {
    [&operands[..k], &operands[k + 1..]].concat()
}

fn known(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    for &c in few(operands)? {
        for (k, &h) in operands.iter().enumerate() {
            if c == h {
                continue;
            }
            let known = v.assume_now(h, c);
            if known != h {
                let mut rest = without(operands, k);
                rest.push(known);
                return Some(v.and(&rest));
            }
        }
    }
    None
}

/// Joins all operands that `pick` takes something out of, if there are two of them.
fn collect(
    v: &mut View<'_, '_>,
    operands: &[Formula],
    pick: fn(Node<'_>) -> Option<Formula>,
    join: fn(&mut View<'_, '_>, &[Formula]) -> Formula,
) -> Option<Formula> {
    let (mut picked, mut rest) = (Vec::new(), Vec::new());
    for &f in operands {
        match pick(v.node(f)) {
            Some(inner) => picked.push(inner),
            None => rest.push(f),
        }
    }
    if picked.len() < 2 {
        return None;
    }
    rest.push(join(v, &picked));
    Some(v.and(&rest))
}

/// Replaces the first two operands that can be joined, in either order.
fn join(v: &mut View<'_, '_>, operands: &[Formula], pair: Binary) -> Option<Formula> {
    if operands.len() > 10 * MOST_PAIRED {
        return None;
    }
    for &a in operands {
        if matches!(v.node(a), Node::Atom(_) | Node::Not(_) | Node::Next(_)) {
            continue;
        }
        for &b in operands {
            if a != b
                && let Some(joined) = pair(v, a, b)
            {
                let mut rest: Vec<_> =
                    operands.iter().copied().filter(|&f| f != a && f != b).collect();
                rest.push(joined);
                return Some(v.and(&rest));
            }
        }
    }
    None
}

fn unfolded_globally(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    for &next in operands {
        let Node::Next(inner) = v.node(next) else { continue };
        let inner = v.conjuncts(inner);
        for &globally in &inner {
            let Node::Globally(f) = v.node(globally) else { continue };
            let parts = v.conjuncts(f);
            if !parts.iter().all(|part| operands.contains(part)) {
                continue;
            }
            let others: Vec<_> = inner.iter().copied().filter(|&g| g != globally).collect();
            let others = v.and(&others);
            let mut rest: Vec<_> =
                operands.iter().copied().filter(|g| *g != next && !parts.contains(g)).collect();
            rest.extend([globally, v.next(others)]);
            return Some(v.and(&rest));
        }
    }
    None
}

fn unfolded_release(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    for &either in operands {
        let Node::Or(disjuncts) = v.node(either) else { continue };
        let disjuncts = disjuncts.to_vec();
        for (k, &next) in disjuncts.iter().enumerate() {
            let Node::Next(release) = v.node(next) else { continue };
            let (Node::Release(f, g) | Node::StrongRelease(f, g)) = v.node(release) else {
                continue;
            };
            let parts = v.conjuncts(g);
            let mut others = v.disjuncts(f);
            others.sort_unstable();
            if without(&disjuncts, k) == others && parts.iter().all(|g| operands.contains(g)) {
                let mut rest: Vec<_> = operands
                    .iter()
                    .copied()
                    .filter(|h| *h != either && !parts.contains(h))
                    .collect();
                rest.push(release);
                return Some(v.and(&rest));
            }
        }
    }
    None
}
