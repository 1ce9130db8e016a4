//! Lowers values that are not simple: records, arrays and multisets.
//!
//! A type without multisets is a run of cells. In a type with multisets, each multiset is copied,
//! cleared or made undefined by itself, for its slots have marks.

use super::value::after;
use super::{Lowered, Lowering, Unsupported};
use crate::cells::{UNDEFINED, flatten, width};
use crate::form::{Base, Cells, Domain, Loop, Statement, Value, Values};
use model::checked::{Expression, ExpressionKind};
use model::types::{Type, TypeId};
use model::value::Value as Constant;

/// What is done with all parts of a value.
#[derive(Clone)]
enum Work<'w> {
    /// Copies them from another place.
    Copy(Cells),
    /// Sets them to a constant: multisets become empty.
    Fill(&'w dyn Fn(TypeId) -> Constant),
}

impl<'m> Lowering<'m> {
    /// The place of a value that is not simple.
    pub(super) fn whole(
        &mut self,
        expression: &'m Expression,
        before: &mut Vec<Statement>,
    ) -> Lowered<Cells> {
        match &expression.kind {
            ExpressionKind::Read(place) => self.cells(place),
            ExpressionKind::Call { function, arguments } => {
                self.call_for_cells(*function, arguments, before)
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.simple(condition)?;
                let to = self.allocate_undefined(expression.of, before);
                let [yes, no] = [yes, no].map(|part| {
                    let mut branch = Vec::new();
                    let from = self.whole(part, &mut branch)?;
                    self.copy(expression.of, to.clone(), from, &mut branch)?;
                    Ok(branch)
                });
                before.push(Statement::If(condition, yes?, no?));
                Ok(to)
            }
            _ => Err(Unsupported("a record or array that is computed")),
        }
    }

    /// A copy of a value that is not simple: nothing else writes to it.
    pub(super) fn copied(
        &mut self,
        expression: &'m Expression,
        before: &mut Vec<Statement>,
    ) -> Lowered<Cells> {
        let from = self.whole(expression, before)?;
        if let ExpressionKind::Call { .. } | ExpressionKind::Conditional(..) = expression.kind {
            // The result is stored for it alone.
            return Ok(from);
        }
        let from = self.fixed(from, before);
        let to = self.allocate_undefined(expression.of, before);
        self.copy(expression.of, to.clone(), from, before)?;
        Ok(to)
    }

    /// New cells of the frame for a value that is not simple. Multisets are empty.
    pub(super) fn allocate_undefined(&mut self, of: TypeId, before: &mut Vec<Statement>) -> Cells {
        let cells = width(&self.model.types, of);
        let at = self.allocate(cells);
        if self.model.types.contains_multiset(of) {
            before.push(Statement::Fill(at.clone(), vec![UNDEFINED; cells]));
        }
        at
    }

    /// Whether two values that are not simple are equal.
    pub(super) fn equal_wholes(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        let (mut before, mut between) = (Vec::new(), Vec::new());
        let mut left = self.whole(a, &mut before)?;
        let right = self.whole(b, &mut between)?;
        if !between.is_empty() {
            left = self.fixed(left, &mut before);
            before.append(&mut between);
        }
        if self.model.types.contains_multiset(a.of) {
            // Between steps equal multisets have equal cells; in a body they need not.
            let is_state = |cells: &Cells| matches!(cells.base, Base::State(_));
            if self.is_body || !is_state(&left) || !is_state(&right) {
                return Err(Unsupported("a comparison of multisets in a body"));
            }
        }
        let cells = width(&self.model.types, a.of);
        Ok(after(before, Value::SameCells(Box::new((left, right)), cells)))
    }

    /// Copies a value. The address `to` is evaluated before `from`.
    pub(super) fn copy(
        &mut self,
        of: TypeId,
        to: Cells,
        from: Cells,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        if !self.model.types.contains_multiset(of) {
            let cells = width(&self.model.types, of);
            out.push(Statement::Copy { to, from, cells });
            return Ok(());
        }
        let to = self.fixed(to, out);
        let from = self.fixed(from, out);
        self.parts(of, to, &Work::Copy(from), out)
    }

    /// Sets all parts of a value to constants, which depend on their types.
    pub(super) fn fill(
        &mut self,
        of: TypeId,
        to: Cells,
        constant: &dyn Fn(TypeId) -> Constant,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        if !self.model.types.contains_multiset(of) {
            out.push(Statement::Fill(to, self.constant_cells(of, constant)));
            return Ok(());
        }
        let to = self.fixed(to, out);
        self.parts(of, to, &Work::Fill(constant), out)
    }

    fn constant_cells(&self, of: TypeId, constant: &dyn Fn(TypeId) -> Constant) -> Vec<i64> {
        let mut cells = Vec::new();
        flatten(&self.model.types, of, &constant(of), &mut cells);
        cells
    }

    /// Does something with all parts of a value at a fixed place.
    fn parts(
        &mut self,
        of: TypeId,
        to: Cells,
        work: &Work<'_>,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let types = &self.model.types;
        if to.within.is_some() {
            return Err(Unsupported("a multiset inside a multiset"));
        }
        let moved = |step: &dyn Fn(Cells) -> Cells| match work {
            Work::Copy(from) => Work::Copy(step(from.clone())),
            Work::Fill(constant) => Work::Fill(*constant),
        };
        match types.get(of) {
            _ if !types.contains_multiset(of) => out.push(match work {
                Work::Copy(from) => {
                    Statement::Copy { to, from: from.clone(), cells: width(types, of) }
                }
                Work::Fill(constant) => Statement::Fill(to, self.constant_cells(of, *constant)),
            }),
            Type::Record(fields) => {
                let mut offset = 0;
                for &(_, part) in fields {
                    let work = moved(&|cells| cells.after(offset));
                    self.parts(part, to.clone().after(offset), &work, out)?;
                    offset += width(types, part);
                }
            }
            &Type::Array { index, element } => {
                let values = Values { from: 0, by: 1, count: types.size(index) };
                let register = self.register(values.range());
                let step = |cells: Cells| {
                    let value = Value::Register(register);
                    cells.nth(value, values.range(), 0, width(types, element))
                };
                let mut body = Vec::new();
                self.parts(element, step(to), &moved(&step), &mut body)?;
                let over = Loop { register, over: Domain::Fixed(values) };
                out.push(Statement::For { over, is_unordered: false, body });
            }
            Type::Multiset { .. } => {
                let bag = self.bag_at(to, of)?;
                out.push(match work {
                    Work::Copy(from) => {
                        Statement::CopyBag { to: bag, from: self.bag_at(from.clone(), of)? }
                    }
                    Work::Fill(_) => Statement::Clear(bag),
                });
            }
            _ => return Err(Unsupported("a path that does not fit its type")),
        }
        Ok(())
    }
}
