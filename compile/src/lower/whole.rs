//! Lowers values that are not simple: records, arrays and multisets.
//!
//! A value is a run of cells. Where it is copied, each multiset in it is copied by itself: no element
//! that was chosen before is there any more, so that the marks of slots are other ones.

use super::place::Part;
use super::value::{NO_VALUE, Use};
use super::{Lowered, Lowering, Unsupported};
use crate::cells::{UNDEFINED, width};
use crate::form::{Cells, Loop, Statement, Value, Values};
use model::checked::{Expression, ExpressionKind};
use model::types::{Type, TypeId};

/// A value that is evaluated: a constant or a register, or a place with such indices.
pub(super) enum Item {
    Simple(Value),
    Whole(Part),
}

impl Item {
    /// Stores the value to so many cells.
    pub(super) fn stored(self, to: Cells, cells: usize) -> Statement {
        match self {
            Item::Simple(value) => Statement::store(to, value),
            Item::Whole(from) => Statement::Copy { to, from: from.cells, cells },
        }
    }
}

impl<'m> Lowering<'m> {
    /// Evaluates a value of this type now.
    pub(super) fn item(
        &mut self,
        expression: &'m Expression,
        of: TypeId,
        used: Use,
    ) -> Lowered<Item> {
        if self.model.types.is_simple(of) {
            let value = match used {
                Use::Read => self.simple_in(expression, of)?,
                Use::Copied => self.copied_in(expression, of)?,
            };
            return Ok(Item::Simple(self.held(value)));
        }
        let part = self.whole(expression)?;
        Ok(Item::Whole(self.fixed_part(part)))
    }

    /// The place of a value that is not simple.
    pub(super) fn whole(&mut self, expression: &'m Expression) -> Lowered<Part> {
        match &expression.kind {
            ExpressionKind::Read(place) | ExpressionKind::Peek(place) => self.part(place),
            ExpressionKind::Call { function, arguments } => {
                Ok(self.call(*function, arguments, Use::Read)?.1.ok_or(NO_VALUE)?.into())
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.simple(condition)?;
                let to = self.allocate_undefined(expression.of);
                let [yes, no] = [yes, no].map(|part| {
                    self.list(|lowering| {
                        let from = lowering.whole(part)?.cells;
                        lowering.copy(expression.of, to.clone(), from)
                    })
                });
                self.out.push(Statement::If(condition, yes?, no?));
                Ok(to.into())
            }
            ExpressionKind::SetOf(_) | ExpressionKind::SetOperation(..) => {
                self.set_made(expression).map(Part::from)
            }
            ExpressionKind::Parts(all) => self.made_of(all, expression.of).map(Part::from),
            _ => Err(Unsupported("a record or array that is computed")),
        }
    }

    /// New cells with a record or an array that is made of its parts, in order.
    fn made_of(&mut self, all: &'m [Option<Expression>], of: TypeId) -> Lowered<Cells> {
        let types = &self.model.types;
        let cells = width(types, of);
        let at = self.allocate(cells);
        if all.iter().any(Option::is_none) || types.contains_multiset(of) {
            self.out.push(Statement::Fill(at.clone(), vec![UNDEFINED; cells]));
        }
        let mut offset = 0;
        for (k, part) in all.iter().enumerate() {
            let of_part = match types.get(of) {
                Type::Record(fields) => fields[k].1,
                Type::Array { element, .. } => *element,
                _ => return Err(Unsupported("parts of a value that has none")),
            };
            let to = at.clone().after(offset);
            offset += width(types, of_part);
            match part {
                None => {}
                Some(part) if types.is_simple(of_part) => {
                    let value = self.copied_in(part, of_part)?;
                    self.out.push(Statement::store(to, value));
                }
                Some(part) => {
                    let from = self.whole(part)?.cells;
                    self.copy(of_part, to, from)?;
                }
            }
        }
        Ok(at)
    }

    /// A copy of a value that is not simple: nothing else writes to it.
    pub(super) fn copied(&mut self, expression: &'m Expression) -> Lowered<Cells> {
        let from = self.whole(expression)?.cells;
        if let ExpressionKind::Call { .. }
        | ExpressionKind::Conditional(..)
        | ExpressionKind::SetOf(_)
        | ExpressionKind::SetOperation(..)
        | ExpressionKind::Parts(_) = expression.kind
        {
            // The result is stored for it alone.
            return Ok(from);
        }
        let to = self.allocate_undefined(expression.of);
        self.copy(expression.of, to.clone(), from)?;
        Ok(to)
    }

    /// New cells of the frame for a value that is not simple. Multisets are empty.
    pub(super) fn allocate_undefined(&mut self, of: TypeId) -> Cells {
        let cells = width(&self.model.types, of);
        let at = self.allocate(cells);
        if self.model.types.contains_multiset(of) {
            self.out.push(Statement::Fill(at.clone(), vec![UNDEFINED; cells]));
        }
        at
    }

    /// Whether two values that are not simple are equal.
    pub(super) fn equal_wholes(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        // Evaluating the right one may change the place of the left one.
        let left = if self.has_effects(b) { self.copied(a)?.into() } else { self.whole(a)? };
        let left = self.fixed_part(left);
        let right = self.whole(b)?.cells;
        if self.model.types.contains_multiset(a.of) {
            // Between steps equal multisets have equal cells; in a body they need not.
            let is_state = |cells: &Cells| cells.base < self.layout.cells();
            if self.is_body || !is_state(&left.cells) || !is_state(&right) {
                return Err(Unsupported("a comparison of multisets in a body"));
            }
        }
        let right = self.fixed(right);
        self.require_presence(left.within.as_ref());
        let cells = width(&self.model.types, a.of);
        Ok(Value::SameCells(Box::new((left.cells, right)), cells))
    }

    /// Copies a value. The address `to` is evaluated before `from`.
    pub(super) fn copy(&mut self, of: TypeId, to: Cells, from: Cells) -> Lowered<()> {
        let types = &self.model.types;
        if !types.contains_multiset(of) {
            let cells = width(types, of);
            self.out.push(Statement::Copy { to, from, cells });
            return Ok(());
        }
        let (to, from) = (self.fixed(to), self.fixed(from));
        match types.get(of) {
            Type::Record(fields) => {
                let mut offset = 0;
                for &(_, part) in fields {
                    self.copy(part, to.clone().after(offset), from.clone().after(offset))?;
                    offset += width(types, part);
                }
            }
            &Type::Array { index, element } => {
                let values = Values { from: 0, by: 1, count: types.size(index) };
                let register = self.register(values.range());
                let nth = |cells: Cells| {
                    let value = Value::Register(register);
                    cells.nth(value, values.range(), 0, width(types, element))
                };
                let body = self.list(|lowering| lowering.copy(element, nth(to), nth(from)))?;
                self.out.push(Statement::For(Loop { register, values }, body));
            }
            _ => {
                let (to, from) = (self.bag_at(to, of)?, self.bag_at(from, of)?);
                let slot = self.slot_register(&to);
                self.out.push(to.copy(slot, &from));
            }
        }
        Ok(())
    }
}
