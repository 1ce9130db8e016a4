//! The symmetry rules: which permutations of index values are automorphisms of a model.
//!
//! Types alone guarantee nearly all of it: no value of an index type has a name, none is less than
//! another, and `next` and `adjacent` are preserved by rotations and reflections. So for a rule
//! body p and a permutation g of the declared group, p takes g(s) to g(p(s)), by induction on the
//! statements of p, *unless* a construct depends on the order in which the values of a type are
//! enumerated. These are all such constructs:
//!
//! - `clear` of a place that stores an index (the first value), `put` of one ([`traps`]);
//! - effects inside a quantifier over an index type, or inside a condition on the elements of a
//!   multiset ([`traps`]);
//! - a `for` over an index type that is left by `return`, or whose outcome depends on the order of
//!   its iterations for another reason ([`loops`]; [`access`] says which accesses are allowed).
//!
//! A type whose values one of these distinguishes has the trivial group everywhere, and a warning
//! says so. All other loops over index types are marked as unordered: they run all of their
//! iterations even if one fails, so that not even the failure depends on the order.

mod access;
mod apply;
mod compare;
mod flow;
mod follow;
mod interval;
mod loops;
pub(crate) mod rules;
mod traps;
mod update;

use super::checked::{
    Atom, Binder, Domain, Expression, ExpressionKind, FunctionId, Group, Local, LocalId, LocalKind,
    Model, Scope, Statement, StatementKind, Symmetry,
};
use super::types::{IndexTypeId, Types};
use super::walk;
use hashbrown::HashSet;
use ltl::{Diagnostic, Span};
use rules::Rules;
use std::collections::BTreeSet;

/// Finds the group of every index type, and marks the loops whose order does not matter.
///
/// Fills [`Model::symmetries`] and [`Model::warnings`], and changes `for` loops and logical
/// updates: see [`StatementKind::For`] and [`StatementKind::Accumulate`].
///
/// The errors are those of loops over the elements of a multiset: these have no order at all, so that
/// there is no other meaning that such a loop could have if its order mattered.
pub(super) fn judge(model: &mut Model, rules: Rules) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut reasons = traps::find(model, rules);
    let findings = loops::judge(model, rules);
    let mut unordered = HashSet::new();
    for (key, found) in &findings.loops {
        if found.is_empty() {
            unordered.insert(*key);
        } else {
            let local = &locals_of(model, key.body)[key.local.0 as usize];
            if local.kind == LocalKind::Chosen {
                errors.extend(found.iter().cloned().map(Reason::error));
                continue;
            }
            let of = model.types.indices(local.of);
            reasons.extend(found.iter().map(|reason| (of.clone(), reason.clone())));
        }
    }
    apply::apply(model, &findings, &unordered);
    model.symmetries = (0..model.types.index_types.len())
        .map(|k| {
            let of = IndexTypeId(k as u32);
            Symmetry {
                of,
                group: Group::from(model.types.index_type(of).kind),
                reasons: Vec::new(),
            }
        })
        .collect();
    reasons.sort_by_key(|(_, reason)| (reason.span.start, reason.span.end));
    for (mut of, reason) in reasons {
        // A type with one value has nothing to distinguish.
        of.retain(|&of| model.types.index_type(of).size > 1);
        of.sort_unstable();
        of.dedup();
        of.retain(|of| {
            let known = &model.symmetries[of.0 as usize].reasons;
            !known.contains(&(reason.span, reason.message.clone()))
        });
        if of.is_empty() {
            continue;
        }
        for id in &of {
            let symmetry = &mut model.symmetries[id.0 as usize];
            symmetry.group = Group::Trivial;
            symmetry.reasons.push((reason.span, reason.message.clone()));
        }
        model.warnings.push(reason.warning(&model.types, &of));
    }
    errors
}

/// A reason why the values of an index type can be distinguished.
#[derive(Clone, Debug)]
struct Reason {
    span: Span,
    message: String,
    related: Vec<(Span, String)>,
    help: Option<String>,
}

impl Reason {
    fn new(span: Span, message: impl Into<String>) -> Reason {
        Reason { span, message: message.into(), related: Vec::new(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Reason {
        Reason { help: Some(help.into()), ..self }
    }

    fn related(mut self, span: Span, note: impl Into<String>) -> Reason {
        self.related.push((span, note.into()));
        self
    }

    fn error(self) -> Diagnostic {
        let message = format!(
            "the elements of a multiset have no order, which matters here: {}",
            self.message
        );
        let error = Diagnostic::error(self.span, message);
        Diagnostic { related: self.related, help: self.help, ..error }
    }

    fn warning(self, types: &Types, of: &[IndexTypeId]) -> Diagnostic {
        let names: Vec<_> =
            of.iter().map(|&of| format!("`{}`", types.index_type(of).name)).collect();
        let message = format!(
            "no symmetry reduction for {}, whose values can be told apart: {}",
            names.join(" and "),
            self.message
        );
        Diagnostic {
            related: self.related,
            help: self.help,
            ..Diagnostic::warning(self.span, message)
        }
    }
}

/// The body that statements and conditions belong to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Body {
    Function(FunctionId),
    Start(u32),
    Rule(u32),
    /// A property, or another separate expression; it has no statements of its own.
    Condition,
}

/// Identifies a `for` by its variable, which no other loop has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct LoopKey {
    body: Body,
    local: LocalId,
}

fn locals_of(model: &Model, body: Body) -> &[Local] {
    match body {
        Body::Function(id) => &model.functions[id.0 as usize].locals,
        Body::Start(k) => &model.starts[k as usize].locals,
        Body::Rule(k) => &model.rules[k as usize].locals,
        Body::Condition => &[],
    }
}

/// The index types that a variable ranges over.
fn binder_indices(types: &Types, binder: &Binder) -> Vec<IndexTypeId> {
    match binder.domain {
        Domain::Type(of) => types.indices(of),
        Domain::Steps { .. } => Vec::new(),
    }
}

fn is_over_indices(types: &Types, binder: &Binder) -> bool {
    !binder_indices(types, binder).is_empty()
}

/// A rule, a start state, a property, or the conditions of a formula or requirement.
struct Top<'m> {
    body: Body,
    locals: &'m [Local],
    scope: &'m [Scope],
    /// All expressions that are not part of a statement, those of the scope included.
    conditions: Vec<&'m Expression>,
    statements: &'m [Statement],
}

/// All bodies that are not called by others: rules, start states, properties, and the conditions of
/// formulas and requirements.
fn bodies(model: &Model) -> Vec<Top<'_>> {
    let mut found = Vec::new();
    for (k, start) in model.starts.iter().enumerate() {
        found.push(Top {
            body: Body::Start(k as u32),
            locals: &start.locals,
            scope: &start.scope,
            conditions: in_scope(&start.scope),
            statements: &start.body,
        });
    }
    for (k, rule) in model.rules.iter().enumerate() {
        found.push(Top {
            body: Body::Rule(k as u32),
            locals: &rule.locals,
            scope: &rule.scope,
            conditions: in_scope(&rule.scope).into_iter().chain(&rule.guard).collect(),
            statements: &rule.body,
        });
    }
    let condition = |locals, scope, conditions| Top {
        body: Body::Condition,
        locals,
        scope,
        conditions,
        statements: &[],
    };
    for property in &model.properties {
        let scope = &property.scope[..];
        let conditions = in_scope(scope).into_iter().chain(&property.condition).collect();
        found.push(condition(&property.locals, scope, conditions));
    }
    for formula in model.formulas.iter().chain(&model.questions) {
        let conditions = formula.atoms.iter().filter_map(|atom| match atom {
            Atom::State { condition, .. } => Some(condition),
            Atom::Event { .. } | Atom::By { .. } => None,
        });
        found.push(condition(&formula.locals, &[], conditions.collect()));
    }
    for requirement in &model.requirements {
        let conditions = requirement.premise.iter().chain([&requirement.conclusion]).collect();
        found.push(condition(&requirement.locals, &[], conditions));
    }
    found
}

fn in_scope(scope: &[Scope]) -> Vec<&Expression> {
    let mut found = Vec::new();
    for part in scope {
        match part {
            Scope::Parameter { .. } => {}
            Scope::Choose { multiset, .. } => walk::indices(multiset, &mut |e| found.push(e)),
            Scope::Alias { target, .. } => found.push(target),
        }
    }
    found
}

/// The functions that a body may call, directly or indirectly.
fn reachable(model: &Model, top: &Top) -> BTreeSet<FunctionId> {
    let mut called = Vec::new();
    for condition in &top.conditions {
        calls_in(condition, &mut |function| called.push(function));
    }
    calls_in_statements(top.statements, &mut called);
    reachable_from(model, called)
}

/// These functions and those that they may call, directly or indirectly.
fn reachable_from(model: &Model, mut waiting: Vec<FunctionId>) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    while let Some(function) = waiting.pop() {
        if found.insert(function) {
            calls_in_statements(&model.functions[function.0 as usize].body, &mut waiting);
        }
    }
    found
}

fn calls_in_statements(statements: &[Statement], found: &mut Vec<FunctionId>) {
    statements_in(statements, &mut |statement| {
        if let StatementKind::Call { function, .. } = &statement.kind {
            found.push(*function);
        }
        walk::own_expressions(statement, &mut |expression| {
            if let ExpressionKind::Call { function, .. } = &expression.kind {
                found.push(*function);
            }
        });
    });
}

/// Calls `visit` for every function that is called in the expression.
fn calls_in(expression: &Expression, visit: &mut dyn FnMut(FunctionId)) {
    walk::expressions(expression, &mut |expression| {
        if let ExpressionKind::Call { function, .. } = &expression.kind {
            visit(*function);
        }
    });
}

/// Calls `visit` for every statement of the block, at any depth.
fn statements_in<'s>(block: &'s [Statement], visit: &mut dyn FnMut(&'s Statement)) {
    for statement in block {
        visit_statements(statement, visit);
    }
}

fn visit_statements<'s>(statement: &'s Statement, visit: &mut dyn FnMut(&'s Statement)) {
    visit(statement);
    walk::substatements(statement, &mut |inner| visit_statements(inner, visit));
}
