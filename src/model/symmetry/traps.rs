//! Constructs that tell the values of an index type apart wherever they stand.

use super::super::checked::{
    Expression, ExpressionKind, Function, Model, Statement, StatementKind,
};
use super::super::types::IndexTypeId;
use super::parts::{calls_in, operands, parts};
use super::{Reason, binder_indices};
use ltl::Span;

/// All that can be reached, each with the index types that it tells apart.
pub(super) fn find(model: &Model) -> Vec<(Vec<IndexTypeId>, Reason)> {
    let mut traps = Traps { model, found: Vec::new() };
    let mut called = std::collections::BTreeSet::new();
    for start in &model.starts {
        traps.block(&start.body, None);
        called.extend(super::loops::reachable(model, &[], &start.body));
    }
    for rule in &model.rules {
        let guard: Vec<_> = rule.guard.iter().collect();
        for guard in &guard {
            traps.expression(guard);
        }
        traps.block(&rule.body, None);
        called.extend(super::loops::reachable(model, &guard, &rule.body));
    }
    for (_, _, conditions) in super::conditions(model) {
        for condition in &conditions {
            traps.expression(condition);
        }
        called.extend(super::loops::reachable(model, &conditions, &[]));
    }
    for function in called {
        traps.block(&model.functions[function.0 as usize].body, None);
    }
    traps.found
}

/// A loop that a `return` would leave: its index types, and where it is.
type Around<'a> = Option<(&'a [IndexTypeId], Span)>;

struct Traps<'m> {
    model: &'m Model,
    found: Vec<(Vec<IndexTypeId>, Reason)>,
}

impl Traps<'_> {
    fn block(&mut self, block: &[Statement], around: Around) {
        for statement in block {
            self.statement(statement, around);
        }
    }

    fn statement(&mut self, statement: &Statement, around: Around) {
        use StatementKind as S;
        let types = &self.model.types;
        let (expressions, blocks) = parts(statement);
        match &statement.kind {
            S::Clear(place) => {
                let what = "`clear` stores the first value of an index type";
                let reason = Reason::new(statement.span, what);
                self.add(
                    types.stored_indices(place.of),
                    reason.help("`undefine` prefers no value"),
                );
            }
            S::Put(value) => {
                let what = "`put` shows a value of an index type";
                let reason = Reason::new(statement.span, what);
                self.add(types.stored_indices(value.of), reason.help("print something else"));
            }
            S::Return(_) => {
                if let Some((of, span)) = around {
                    let what = "`return` leaves a loop before all of its iterations have run";
                    let help = "find the answer with `exists` or `forall`, or gather it in a \
                                variable (`v := v | ...`) and return that behind the loop";
                    let reason = Reason::new(statement.span, what).help(help);
                    self.add(of.to_vec(), reason.related(span, "the loop"));
                }
            }
            S::MultisetRemoveWhere { condition, .. } => self.effects_per_element(condition),
            S::For { binder, body, .. } => {
                let mut of = binder_indices(types, binder);
                if !of.is_empty() {
                    for expression in expressions {
                        self.expression(expression);
                    }
                    of.extend(around.iter().flat_map(|(outer, _)| *outer));
                    return self.block(body, Some((&of, statement.span)));
                }
            }
            _ => {}
        }
        for expression in expressions {
            self.expression(expression);
        }
        for block in blocks {
            self.block(block, around);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Quantified { binder, body, .. } => {
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
        for operand in operands(expression) {
            self.expression(operand);
        }
    }

    /// The elements of a multiset come in an order that may depend on any index type.
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
            if function.has_effects {
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
