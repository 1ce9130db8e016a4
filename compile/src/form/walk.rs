//! Visits the parts of values and statements.

use super::{Cells, Place, Register, Statement, Value};

/// A part of a value or statement.
pub(crate) enum Part<'f> {
    Value(&'f mut Value),
    /// An address. Its indices come after it.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests alter addresses"))]
    Cells(&'f mut Cells),
    /// A register that is bound, set or reset.
    Bound(Register),
}

/// Visits a part. Returns whether to visit what is in it, too.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(Part<'_>) -> bool;

impl Value {
    /// Visits this value and its parts, outermost first, in the order of evaluation.
    pub(crate) fn walk(&mut self, visit: Visit<'_>) {
        if !visit(Part::Value(self)) {
            return;
        }
        match self {
            Value::Constant(_) | Value::Register(_) => {}
            Value::Load(place, _) | Value::Peek(place) => {
                if let Place::Cells(cells) = place {
                    cells.walk(visit);
                }
            }
            Value::Inside(one, _) | Value::Translate(one, _) => one.walk(visit),
            Value::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Value::If(parts) => parts.iter_mut().for_each(|one| one.walk(visit)),
            Value::Quantified(one) => {
                visit(Part::Bound(one.over.register));
                one.body.walk(visit);
            }
            Value::Sum(parts) => {
                visit(Part::Bound(parts.0.register));
                parts.1.walk(visit);
            }
            Value::SameCells(both, _) => {
                both.0.walk(visit);
                both.1.walk(visit);
            }
            Value::Once(register, one) => {
                visit(Part::Bound(*register));
                one.walk(visit);
            }
            Value::After(statements, value) => {
                Statement::walk(statements, visit);
                value.walk(visit);
            }
        }
    }
}

impl Statement {
    /// Visits the parts of statements.
    pub(crate) fn walk(list: &mut [Statement], visit: Visit<'_>) {
        for one in list {
            match one {
                Statement::Set(place, value) => {
                    match place {
                        Place::Register(register) => drop(visit(Part::Bound(*register))),
                        Place::Cells(cells) => cells.walk(visit),
                    }
                    value.walk(visit);
                }
                Statement::Fill(cells, _) => cells.walk(visit),
                Statement::Copy { to, from, .. } => {
                    to.walk(visit);
                    from.walk(visit);
                }
                Statement::If(condition, yes, no) => {
                    condition.walk(visit);
                    Statement::walk(yes, visit);
                    Statement::walk(no, visit);
                }
                Statement::For(over, body) => {
                    visit(Part::Bound(over.register));
                    Statement::walk(body, visit);
                }
                Statement::While(condition, body) => {
                    condition.walk(visit);
                    Statement::walk(body, visit);
                }
                Statement::Block(body) => Statement::walk(body, visit),
                Statement::Return | Statement::Trap | Statement::Abandon | Statement::Cover(_) => {}
            }
        }
    }
}

impl Cells {
    fn walk(&mut self, visit: Visit<'_>) {
        if visit(Part::Cells(self)) {
            self.indices.iter_mut().for_each(|index| index.value.walk(visit));
        }
    }
}
