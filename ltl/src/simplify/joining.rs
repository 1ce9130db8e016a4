//! How the rules for conjunctions go through their operands: pairs, groups, and the longer rules.

use super::assume::MOST_PAIRED;
use super::rule::Binary;
use super::view::View;
use crate::formula::{Formula, Node};

/// The operands, if they are few enough to compare all pairs.
pub(super) fn few(operands: &[Formula]) -> Option<&[Formula]> {
    (operands.len() <= MOST_PAIRED).then_some(operands)
}

pub(super) fn without(operands: &[Formula], k: usize) -> Vec<Formula> {
    [&operands[..k], &operands[k + 1..]].concat()
}

pub(super) fn known(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
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
pub(super) fn collect(
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
pub(super) fn join(v: &mut View<'_, '_>, operands: &[Formula], pair: Binary) -> Option<Formula> {
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

pub(super) fn unfolded_globally(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
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

pub(super) fn unfolded_release(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
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

/// `f U g` is `f W g` and F g, and `f M g` is `f R g` and F f: a conjunct may say the second half
/// already. What `f W g` has and `f U g` has not is G f & G !g: a disjunct may have that already.
pub(super) fn weaken(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    for (k, &strong) in few(operands)?.iter().enumerate() {
        let (f, g, is_until) = match v.formulas.node(strong) {
            Node::Until(f, g) => (f, g, true),
            Node::StrongRelease(f, g) => (f, g, false),
            _ => continue,
        };
        let (goal, meanwhile) = if is_until { (g, f) } else { (f, g) };
        let others = without(operands, k);
        let said = if v.dual {
            let always = v.formulas.globally(meanwhile);
            let comes = v.formulas.finally(goal);
            // Seen through duality: h is implied by G f, or false only where F g holds.
            others.iter().any(|&h| v.implies(h, always) || v.contradicts(h, comes))
        } else {
            let comes = v.formulas.finally(goal);
            others.iter().any(|&h| v.implies(h, comes))
        };
        if said {
            let mut rest = others;
            let flip = v.dual;
            v.dual = false;
            rest.push(if is_until { v.weak_until(f, g) } else { v.release(f, g) });
            v.dual = flip;
            return Some(v.and(&rest));
        }
    }
    None
}
