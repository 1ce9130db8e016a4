//! How the rules for conjunctions go through their operands: pairs, groups, and the longer rules.

use super::assume::MOST_PAIRED;
use super::view::View;
use crate::formula::{Formula, Node, Operator};

/// The operands, if they are few enough to compare all pairs.
pub(super) fn few(operands: &[Formula]) -> Option<&[Formula]> {
    (operands.len() <= MOST_PAIRED).then_some(operands)
}

pub(super) fn without(operands: &[Formula], k: usize) -> Vec<Formula> {
    [&operands[..k], &operands[k + 1..]].concat()
}

pub(super) fn implied(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    if are_unrelated(v, operands) {
        return None;
    }
    for &f in few(operands)? {
        if let Some(k) = operands.iter().position(|&g| f != g && v.implies(f, g)) {
            return Some(v.and(&without(operands, k)));
        }
    }
    None
}

pub(super) fn contradiction(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    if are_unrelated(v, operands) {
        return None;
    }
    let few = few(operands)?;
    let clash = |(k, &f): (usize, &Formula)| few[k + 1..].iter().any(|&g| v.contradicts(f, g));
    few.iter().enumerate().any(clash).then_some(v.bottom())
}

pub(super) fn known(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    if are_unrelated(v, operands) {
        return None;
    }
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

/// Whether the operands are literals of propositions alone, of which no two have to do with each other.
fn are_unrelated(v: &View<'_, '_>, operands: &[Formula]) -> bool {
    let is_literal = |&f: &Formula| matches!(v.operator(f), Operator::Atom | Operator::Not);
    v.simplifier.alphabet.events().is_empty() && operands.iter().all(is_literal)
}

/// Joins all operands of this operator, X or G, if there are two of them.
pub(super) fn collect(
    v: &mut View<'_, '_>,
    operands: &[Formula],
    operator: Operator,
) -> Option<Formula> {
    if !v.present.has_two(operator) {
        return None;
    }
    let (mut inside, mut rest) = (Vec::new(), Vec::new());
    for &f in operands {
        match v.node(f) {
            Node::Next(g) | Node::Globally(g) if v.operator(f) == operator => inside.push(g),
            _ => rest.push(f),
        }
    }
    let inside = v.and(&inside);
    rest.push(if operator == Operator::Next { v.next(inside) } else { v.globally(inside) });
    Some(v.and(&rest))
}

/// What operands that can be joined have in common: their operand on this side. F and G have it on
/// either side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    Left,
    Right,
}

impl Common {
    /// Of a temporal formula, the operand in common and the other one.
    fn of(self, node: Node<'_>) -> Option<(Formula, Formula)> {
        match (node, self) {
            (Node::Finally(f) | Node::Globally(f), _) => Some((f, f)),
            (
                Node::Until(f, g)
                | Node::Release(f, g)
                | Node::WeakUntil(f, g)
                | Node::StrongRelease(f, g),
                side,
            ) => Some(if side == Common::Left { (f, g) } else { (g, f) }),
            _ => None,
        }
    }
}

/// Joins operands of the operators `first` and `second` (which may be the same) with an operand in
/// common: at least one of each. `joined` takes that operand and the other operands of them all,
/// those of `first` foremost.
pub(super) fn join(
    v: &mut View<'_, '_>,
    operands: &[Formula],
    (first, second): (Operator, Operator),
    common: Common,
    joined: fn(&mut View<'_, '_>, Formula, &[Formula]) -> Formula,
) -> Option<Formula> {
    let enough = if first == second {
        v.present.has_two(first)
    } else {
        v.present.has(first) && v.present.has(second)
    };
    if !enough {
        return None;
    }
    // Sorted by what they have in common, then by operator: groups are runs.
    let mut candidates: Vec<_> = operands
        .iter()
        .filter(|&&f| v.operator(f) == first || v.operator(f) == second)
        .filter_map(|&f| {
            let (shared, other) = common.of(v.node(f))?;
            Some((shared, v.operator(f) != first, other, f))
        })
        .collect();
    candidates.sort_unstable();
    let group = candidates.chunk_by(|a, b| a.0 == b.0).find(|group| {
        let firsts = group.iter().filter(|member| !member.1).count();
        group.len() >= 2 && firsts >= 1 && (first == second || firsts < group.len())
    })?;
    let others: Vec<_> = group.iter().map(|member| member.2).collect();
    let mut rest: Vec<_> =
        operands.iter().copied().filter(|&f| group.iter().all(|member| member.3 != f)).collect();
    rest.push(joined(v, group[0].0, &others));
    Some(v.and(&rest))
}

/// Two disjunctions with disjuncts in common: `(f | g) & (f | h) = f | (g & h)`.
pub(super) fn factor(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    if !v.present.has_two(Operator::Or) {
        return None;
    }
    let ors: Vec<_> = operands.iter().copied().filter(|&f| v.operator(f) == Operator::Or).collect();
    for (k, &a) in few(&ors)?.iter().enumerate() {
        for &b in &ors[k + 1..] {
            let (Node::Or(first), Node::Or(second)) = (v.node(a), v.node(b)) else { continue };
            let steps = first.len() + second.len();
            if !first.iter().any(|f| second.contains(f)) {
                if !v.spend(steps) {
                    return None;
                }
                continue;
            }
            let (mut shared, left): (Vec<_>, Vec<_>) =
                first.iter().partition(|f| second.contains(f));
            let right: Vec<_> = second.iter().copied().filter(|f| !shared.contains(f)).collect();
            let sides = [v.or(&left), v.or(&right)];
            shared.push(v.and(&sides));
            let mut rest: Vec<_> = operands.iter().copied().filter(|&f| f != a && f != b).collect();
            rest.push(v.or(&shared));
            return Some(v.and(&rest));
        }
    }
    None
}

pub(super) fn unfolded_globally(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    if !v.present.has(Operator::Next) {
        return None;
    }
    for &next in operands {
        let Node::Next(inner) = v.node(next) else { continue };
        let inner = v.conjuncts(inner);
        for &globally in &inner {
            let Node::Globally(f) = v.node(globally) else { continue };
            let parts = v.conjuncts(f);
            // Operands are sorted.
            if !v.spend(parts.len())
                || !parts.iter().all(|part| operands.binary_search(part).is_ok())
            {
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
    if !v.present.has(Operator::Or) {
        return None;
    }
    for &either in operands {
        if !v.is_or_with(either, Operator::Next) {
            continue;
        }
        let disjuncts = v.disjuncts(either);
        for (k, &next) in disjuncts.iter().enumerate() {
            let Node::Next(release) = v.node(next) else { continue };
            let (Node::Release(f, g) | Node::StrongRelease(f, g)) = v.node(release) else {
                continue;
            };
            let parts = v.conjuncts(g);
            if v.spend(disjuncts.len() + parts.len())
                && without(&disjuncts, k) == v.disjuncts(f)
                && parts.iter().all(|g| operands.binary_search(g).is_ok())
            {
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
    let promises = if v.dual {
        [Operator::Release, Operator::WeakUntil]
    } else {
        [Operator::Until, Operator::StrongRelease]
    };
    if !promises.iter().any(|&operator| v.present.has(operator)) {
        return None;
    }
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
