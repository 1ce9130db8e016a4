//! Finds the constructs that distinguish the values of an index type wherever they occur.

use super::super::checked::{
    Expression, ExpressionKind, Function, Model, Statement, StatementKind,
};
use super::super::types::IndexTypeId;
use super::rules::{Rules, SymmetryRule};
use super::{
    Reason, binder_indices, bodies, calls_in, calls_in_statements, reachable, reachable_from,
    statements_in,
};
use crate::walk;
use std::collections::BTreeSet;

/// All such constructs that are reachable, each with the index types that it distinguishes.
pub(super) fn find(model: &Model, rules: Rules) -> Vec<(Vec<IndexTypeId>, Reason)> {
    let mut traps = Traps { model, rules, is_shown: true, found: Vec::new() };
    let mut called = BTreeSet::new();
    let mut executed = Vec::new();
    for body in bodies(model) {
        traps.is_shown = false;
        for condition in &body.conditions {
            walk::expressions(condition, &mut |expression| traps.expression(expression));
        }
        traps.is_shown = true;
        traps.block(body.statements);
        called.extend(reachable(model, &body));
        calls_in_statements(body.statements, &mut executed);
    }
    let executed = reachable_from(model, executed);
    for function in called {
        traps.is_shown = executed.contains(&function);
        traps.block(&model.functions[function.0 as usize].body);
    }
    traps.found
}

struct Traps<'m> {
    model: &'m Model,
    rules: Rules,
    /// Whether output is shown here: what is called where a state is only looked at prints nothing.
    is_shown: bool,
    found: Vec<(Vec<IndexTypeId>, Reason)>,
}

impl Traps<'_> {
    fn block(&mut self, block: &[Statement]) {
        statements_in(block, &mut |statement| {
            self.statement(statement);
            walk::own_expressions(statement, &mut |expression| self.expression(expression));
        });
    }

    fn statement(&mut self, statement: &Statement) {
        let types = &self.model.types;
        match &statement.kind {
            StatementKind::Clear(place) => {
                let what = "`clear` stores the first value of an index type";
                let reason = Reason::new(statement.span, what);
                let reason = reason.help("`undefine` prefers no value");
                self.add(types.cleared_indices(place.of), reason);
            }
            StatementKind::Put(value) if self.is_shown => {
                let what = "`put` shows a value of an index type";
                let reason = Reason::new(statement.span, what);
                let shown = if self.rules.has(SymmetryRule::PutContents) {
                    types.all_indices(value.of)
                } else {
                    types.indices(value.of)
                };
                self.add(shown, reason.help("print something else"));
            }
            StatementKind::MultisetRemoveWhere { condition, .. } => {
                self.effects_per_element(condition);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Sum { .. } if !self.rules.has(SymmetryRule::EffectsInSum) => {}
            ExpressionKind::Quantified { binder, body, .. }
            | ExpressionKind::Sum { binder, body } => {
                let of = binder_indices(&self.model.types, binder);
                if !of.is_empty()
                    && let Some(function) = self.call_with_effects(body)
                {
                    let what =
                        format!("`{}` has effects, in the order of a quantifier", function.name);
                    let reason =
                        Reason::new(body.span, what).related(function.span, "declared here");
                    self.add(of, reason.help("call it in a loop before, and keep the results"));
                }
            }
            ExpressionKind::MultisetCount { condition, .. } => self.effects_per_element(condition),
            _ => {}
        }
    }

    /// Reports effects in a condition on elements: their order may depend on any index type.
    fn effects_per_element(&mut self, condition: &Expression) {
        if let Some(function) = self.call_with_effects(condition) {
            let all = (0..self.model.types.index_types.len()).map(|k| IndexTypeId(k as u32));
            let all = all.collect();
            let what =
                format!("`{}` has effects, in the order of a multiset's elements", function.name);
            let reason = Reason::new(condition.span, what).related(function.span, "declared here");
            self.add(all, reason.help("use a function without effects"));
        }
    }

    fn call_with_effects(&self, expression: &Expression) -> Option<&Function> {
        let mut found = None;
        calls_in(expression, &mut |function| {
            let function = &self.model.functions[function.0 as usize];
            if function.has_effects && (self.is_shown || !function.only_prints) {
                found.get_or_insert(function);
            }
        });
        found
    }

    fn add(&mut self, of: Vec<IndexTypeId>, reason: Reason) {
        if !of.is_empty() {
            self.found.push((of, reason));
        }
    }
}
