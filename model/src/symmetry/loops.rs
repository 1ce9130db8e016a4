//! Finds the loops over index types that depend on the order of their iterations.
//!
//! Each rule, start state and property is walked as if it were executed, every branch taken and
//! every call followed, with parameters and aliases replaced by the places that they stand for. The
//! walk lists accesses to the store; where a loop over an index type ends, those of its body are
//! compared with each other ([`Iteration`](super::access::Iteration)). A local variable that every
//! iteration assigns before it reads it is private to the iteration; its value is then left behind
//! by the loop ([`DataFlow`](super::flow::DataFlow)), and must not be read before it is assigned
//! again.
//!
//! A function's loop is judged once for every way in which it is called, and must be independent of
//! the order in all of them. Recursive calls are not followed, and a walk ends after a fixed number
//! of nodes: then every loop that was not seen in full counts as one that depends on the order.

use super::super::checked::{Model, StatementKind};
use super::follow::Walk;
use super::rules::Rules;
use super::{
    Body, LoopKey, Reason, Top, bodies, is_over_indices, reachable, reachable_from, statements_in,
};
use hashbrown::HashMap;
use ltl::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The findings of all walks.
#[derive(Default)]
pub(super) struct Findings {
    /// All loops over index types that were visited, each with the reasons why its order matters.
    pub(super) loops: BTreeMap<LoopKey, Vec<Reason>>,
    /// Logical updates, each with the loops at whose end it is carried out (`true`), or which do
    /// not see it (`false`). An update that is both for one loop, in different calls, is a reason.
    pub(super) updates: HashMap<(Body, Span), BTreeSet<(LoopKey, bool)>>,
}

impl Findings {
    /// The loops at whose end the logical update of this body and span is carried out.
    pub(super) fn accumulated(&self, body: Body, span: Span) -> BTreeSet<LoopKey> {
        let loops = self.updates.get(&(body, span)).into_iter().flatten();
        loops.filter(|(_, accumulates)| *accumulates).map(|(key, _)| *key).collect()
    }

    pub(super) fn blame(&mut self, key: LoopKey, reason: Reason) {
        let reasons = self.loops.entry(key).or_default();
        if !reasons.iter().any(|known| known.span == reason.span) {
            reasons.push(reason);
        }
    }
}

/// Judges all loops over index types that are reachable.
pub(super) fn judge(model: &Model, rules: Rules) -> Findings {
    let mut findings = Findings::default();
    for body in bodies(model) {
        walk(model, rules, &body, &mut findings);
    }
    let torn: Vec<_> = findings
        .updates
        .iter()
        .flat_map(|(&(_, span), loops)| {
            let torn = loops.iter().filter(|(key, kept)| *kept && loops.contains(&(*key, false)));
            torn.map(move |(key, _)| (*key, span))
        })
        .collect();
    for (key, span) in torn {
        let what = "this updates one variable in some calls, and one per iteration in others";
        findings.blame(key, Reason::new(span, what).help("write two functions"));
    }
    findings
}

/// Walks one rule, start state or property.
fn walk<'m>(model: &'m Model, rules: Rules, top: &Top<'m>, findings: &mut Findings) {
    let called = reachable(model, top).into_iter();
    let called = called.map(|f| (Body::Function(f), &model.functions[f.0 as usize].body[..]));
    let mut loops = Vec::new();
    for (body, statements) in called.chain([(top.body, top.statements)]) {
        statements_in(statements, &mut |statement| {
            let local = match &statement.kind {
                StatementKind::For { binder, .. } if is_over_indices(&model.types, binder) => {
                    binder.local
                }
                StatementKind::Each { local, .. } => *local,
                _ => return,
            };
            loops.push((LoopKey { body, local }, statement.span));
        });
    }
    if loops.is_empty() {
        return;
    }
    let mut walk = Walk::new(model, rules, findings);
    walk.top(top);
    let (exhausted, recursive) = (walk.is_exhausted(), walk.recursive);
    // A recursive call has other bindings than those that were examined.
    let again: BTreeSet<_> =
        recursive.iter().flat_map(|&f| reachable_from(model, vec![f])).collect();
    for (key, span) in loops {
        if exhausted {
            let what = "this loop is part of something too large to be looked at in full";
            findings.blame(key, Reason::new(span, what).help("write smaller functions"));
        } else if matches!(key.body, Body::Function(f) if again.contains(&f)) {
            let what = "this loop is run by a function that calls itself";
            findings.blame(key, Reason::new(span, what).help("write it without recursion"));
        }
    }
}
