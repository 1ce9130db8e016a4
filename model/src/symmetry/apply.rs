//! Marks loops as unordered, and turns logical updates in them into accumulations.

use super::super::checked::{
    Expression, ExpressionKind, FunctionId, Model, Place, Statement, StatementKind,
};
use super::loops::Findings;
use super::update::logical_update;
use super::{Body, LoopKey};
use hashbrown::HashSet;

/// Applies the findings of the walks; `unordered` are the loops whose order does not matter.
pub(super) fn apply(model: &mut Model, findings: &Findings, unordered: &HashSet<LoopKey>) {
    let apply = Apply { findings, unordered };
    for (k, function) in model.functions.iter_mut().enumerate() {
        apply.block(&mut function.body, Body::Function(FunctionId(k as u32)), &mut Vec::new());
    }
    for (k, start) in model.starts.iter_mut().enumerate() {
        apply.block(&mut start.body, Body::Start(k as u32), &mut Vec::new());
    }
    for (k, rule) in model.rules.iter_mut().enumerate() {
        apply.block(&mut rule.body, Body::Rule(k as u32), &mut Vec::new());
    }
}

struct Apply<'a> {
    findings: &'a Findings,
    unordered: &'a HashSet<LoopKey>,
}

impl Apply<'_> {
    /// `around` are the unordered loops around the block, the innermost last.
    fn block(&self, block: &mut [Statement], body: Body, around: &mut Vec<LoopKey>) {
        for statement in block {
            self.statement(statement, body, around);
        }
    }

    fn statement(&self, statement: &mut Statement, body: Body, around: &mut Vec<LoopKey>) {
        use StatementKind as S;
        let span = statement.span;
        match &mut statement.kind {
            S::For { binder, unordered, body: block } => {
                let key = LoopKey { body, local: binder.local };
                *unordered = self.unordered.contains(&key);
                if *unordered {
                    around.push(key);
                }
                self.block(block, body, around);
                if *unordered {
                    around.pop();
                }
            }
            S::Each { local, body: block, .. } => {
                around.push(LoopKey { body, local: *local });
                self.block(block, body, around);
                around.pop();
            }
            S::If { branches, otherwise } => {
                for (_, block) in branches {
                    self.block(block, body, around);
                }
                self.block(otherwise, body, around);
            }
            S::Switch { cases, otherwise, .. } => {
                for (_, block) in cases {
                    self.block(block, body, around);
                }
                self.block(otherwise, body, around);
            }
            S::While { body: block, .. } | S::Alias { body: block, .. } => {
                self.block(block, body, around);
            }
            S::Assign { target, value } => {
                let ends = self.findings.accumulated(body, span);
                if let Some(outermost) = around.iter().position(|key| ends.contains(key)) {
                    let loops = (around.len() - outermost) as u32;
                    statement.kind = accumulate(target, value, loops);
                }
            }
            _ => {}
        }
    }
}

fn accumulate(target: &Place, value: &Expression, loops: u32) -> StatementKind {
    let (or, operands) = logical_update(target, value).expect("only logical updates are noted");
    let mut operands = operands.into_iter().cloned();
    let first = operands.next().expect("a logical update has an operand");
    let value = operands.fold(first, |left, right| {
        let (of, span) = (value.of, (left.span.start..right.span.end).into());
        let (left, right) = (Box::new(left), Box::new(right));
        let kind =
            if or { ExpressionKind::Or(left, right) } else { ExpressionKind::And(left, right) };
        Expression { kind, of, span }
    });
    StatementKind::Accumulate { target: target.clone(), or, value, loops }
}
