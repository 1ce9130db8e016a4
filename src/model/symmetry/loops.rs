//! Which loops over index types depend on the order of their iterations.
//!
//! Each rule, start state and property is walked as if it ran, every branch taken and every call
//! followed, with parameters and aliases replaced by the places that they stand for. The walk lists
//! accesses to the store; where a loop over an index type ends, those of its body are compared with
//! each other ([`Iteration`]). A local variable that every iteration assigns before it reads it is
//! private to the iteration; its value is then left behind by the loop ([`Flow`]), and nobody may
//! read it before it is assigned again.
//!
//! A function's loop is judged once for every way in which it is called, and must be fine for all.
//! Recursive calls are not followed, and a walk ends after [`BUDGET`] nodes: then every loop that has
//! not been seen in full counts as one that depends on the order.

use super::super::checked::{
    Expression, FunctionId, Local, Model, Scope, Statement, StatementKind,
};
use super::parts::{calls_in, parts, statements_in};
use super::walk::{BUDGET, Walk};
use super::{Body, LoopKey, Reason, is_over_indices};
use hashbrown::HashMap;
use ltl::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What the walks found.
#[derive(Default)]
pub(super) struct Findings {
    /// All loops over index types that were met, with what makes the order of each matter.
    pub(super) loops: BTreeMap<LoopKey, Vec<Reason>>,
    /// Logical updates, each with the loops at the end of which it is carried out (`true`), or which
    /// do not see it (`false`). One that is both for a loop, for different calls, is a reason.
    pub(super) updates: HashMap<(Body, Span), BTreeSet<(LoopKey, bool)>>,
}

impl Findings {
    /// The loops that the logical update of this body and place is carried out at the end of.
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

/// Judges all loops over index types that can be reached.
pub(super) fn judge(model: &Model) -> Findings {
    let mut findings = Findings::default();
    for (k, start) in model.starts.iter().enumerate() {
        let body = Body::Start(k as u32);
        walk(model, body, &start.locals, &start.scope, &[], &start.body, &mut findings);
    }
    for (k, rule) in model.rules.iter().enumerate() {
        let guard: Vec<_> = rule.guard.iter().collect();
        let body = Body::Rule(k as u32);
        walk(model, body, &rule.locals, &rule.scope, &guard, &rule.body, &mut findings);
    }
    for (locals, scope, conditions) in super::conditions(model) {
        walk(model, Body::Condition, locals, scope, &conditions, &[], &mut findings);
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
fn walk<'m>(
    model: &'m Model,
    body: Body,
    locals: &'m [Local],
    scope: &'m [Scope],
    conditions: &[&'m Expression],
    statements: &'m [Statement],
    findings: &mut Findings,
) {
    let reachable = reachable(model, conditions, statements);
    let mut inside = vec![(body, statements)];
    inside.extend(
        reachable.iter().map(|&f| (Body::Function(f), &model.functions[f.0 as usize].body[..])),
    );
    let mut loops = Vec::new();
    for &(body, statements) in &inside {
        statements_in(statements, &mut |statement| {
            if let StatementKind::For { binder, .. } = &statement.kind
                && is_over_indices(&model.types, binder)
            {
                loops.push((LoopKey { body, local: binder.local }, statement.span));
            }
        });
    }
    if loops.is_empty() {
        return;
    }
    let mut walk = Walk::new(model, findings);
    walk.enter(body, locals);
    walk.scope(scope);
    for condition in conditions {
        walk.expression(condition);
    }
    walk.block(statements);
    let (exhausted, recursive) = (walk.visited >= BUDGET, walk.recursive);
    if exhausted {
        for (key, span) in loops {
            let what = "this loop is part of something too large to be looked at in full";
            findings.blame(key, Reason::new(span, what).help("write smaller functions"));
        }
    } else if !recursive.is_empty() {
        // What a recursive call binds differs from what has been looked at.
        let again: BTreeSet<_> = recursive
            .iter()
            .flat_map(|&f| {
                let body = &model.functions[f.0 as usize].body;
                self::reachable(model, &[], body).into_iter().chain([f])
            })
            .collect();
        for (key, span) in loops {
            if matches!(key.body, Body::Function(f) if again.contains(&f)) {
                let what = "this loop is run by a function that calls itself";
                findings.blame(key, Reason::new(span, what).help("write it without recursion"));
            }
        }
    }
}

/// The functions that may be called, directly or not.
pub(super) fn reachable(
    model: &Model,
    conditions: &[&Expression],
    statements: &[Statement],
) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut waiting = Vec::new();
    for condition in conditions {
        calls_in(condition, &mut |function| waiting.push(function));
    }
    called(statements, &mut waiting);
    while let Some(function) = waiting.pop() {
        if found.insert(function) {
            called(&model.functions[function.0 as usize].body, &mut waiting);
        }
    }
    found
}

fn called(statements: &[Statement], found: &mut Vec<FunctionId>) {
    statements_in(statements, &mut |statement| {
        if let StatementKind::Call { function, .. } = &statement.kind {
            found.push(*function);
        }
        for expression in parts(statement).0 {
            calls_in(expression, &mut |function| found.push(function));
        }
    });
}
