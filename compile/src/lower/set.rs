//! Lowers operations of sets.
//!
//! A set has a cell for each value of its element type, which is [`PRESENT`] or undefined. Operators
//! are not carried out: whether a value is in `s | t` is whether it is in s or in t. Only where a set
//! is stored are its cells made, one after the other.

use super::types::{range_of, translation};
use super::{Lowered, Lowering, Unsupported};
use crate::cells::{PRESENT, UNDEFINED, width};
use crate::form::bounds::bounds;
use crate::form::{Cells, Loop, Operator, Place, Quantifier, Range, Statement, Value, Values};
use model::checked::{self, Comparison, Expression, ExpressionKind, SetOperator};
use model::types::TypeId;

/// A set whose parts are evaluated.
enum Members {
    /// Its cells, with indices that are constants and registers.
    Cells(Cells),
    /// These values of the element type: constants and registers.
    Values(Vec<Value>),
    Operation(SetOperator, Box<(Members, Members)>),
}

fn constant(value: bool) -> Value {
    Value::Constant(i64::from(value))
}

impl Members {
    /// Whether a value of the element type, a constant or a register, is an element.
    fn has(&self, one: &Value, range: Range) -> Value {
        match self {
            Members::Cells(cells) => {
                let at = Place::Cells(member_of(cells.clone(), one.clone(), range));
                Value::binary(Operator::NotEqual, Value::Peek(at), Value::Constant(UNDEFINED))
            }
            Members::Values(all) => all.iter().rev().fold(constant(false), |rest, other| {
                Value::choice(Value::equal(one.clone(), other.clone()), constant(true), rest)
            }),
            Members::Operation(operator, both) => {
                let (a, b) = (both.0.has(one, range), both.1.has(one, range));
                match operator {
                    SetOperator::Union => Value::choice(a, constant(true), b),
                    SetOperator::Intersection => Value::choice(a, b, constant(false)),
                    SetOperator::Difference => Value::choice(a, Value::negated(b), constant(false)),
                }
            }
        }
    }
}

/// The cell of a value of the element type, which is proved to be in its range.
fn member_of(cells: Cells, one: Value, range: Range) -> Cells {
    let known = match one {
        Value::Constant(k) => Range { low: k, high: k },
        _ => range,
    };
    cells.nth(one, known, range.low, 1)
}

impl<'m> Lowering<'m> {
    /// The element type of a set.
    fn element_type(&self, set: TypeId) -> Lowered<TypeId> {
        self.model.types.set_of(set).ok_or(Unsupported("an operation of sets on another value"))
    }

    /// Evaluates the parts of a set.
    fn members(&mut self, set: &'m Expression) -> Lowered<Members> {
        Ok(match &set.kind {
            ExpressionKind::SetOf(all) => {
                let of = self.element_type(set.of)?;
                let mut values = Vec::new();
                for one in all {
                    let value = self.simple_in(one, of)?;
                    values.push(self.settled(value));
                }
                Members::Values(values)
            }
            ExpressionKind::SetOperation(operator, a, b) => {
                let one = self.members_before(a, b)?;
                Members::Operation(*operator, Box::new((one, self.members(b)?)))
            }
            _ => {
                let part = self.whole(set)?;
                Members::Cells(self.fixed_part(part).cells)
            }
        })
    }

    /// The parts of a set that is evaluated before another one, which may change what it is read from.
    fn members_before(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Members> {
        if self.has_effects(b) { Ok(Members::Cells(self.copied(a)?)) } else { self.members(a) }
    }

    /// A loop over all values of an element type.
    fn each_element(&mut self, of: TypeId) -> (Loop, Value, Range) {
        let range = range_of(&self.model.types, of);
        let values = Values { from: range.low, by: 1, count: self.model.types.size(of) };
        let register = self.register(range);
        (Loop { register, values }, Value::Register(register), range)
    }

    /// New cells with a set that is computed.
    pub(super) fn set_made(&mut self, set: &'m Expression) -> Lowered<Cells> {
        let of = self.element_type(set.of)?;
        let members = self.members(set)?;
        let to = self.allocate(width(&self.model.types, set.of));
        let (over, one, range) = self.each_element(of);
        let has = members.has(&one, range);
        let cell = member_of(to.clone(), one, range);
        let store = |value| vec![Statement::store(cell.clone(), Value::Constant(value))];
        let body = vec![Statement::If(has, store(PRESENT), store(UNDEFINED))];
        self.out.push(Statement::For(over, body));
        Ok(to)
    }

    /// Whether a value is an element. The value is evaluated first.
    pub(super) fn is_in_set(
        &mut self,
        element: &'m Expression,
        set: &'m Expression,
    ) -> Lowered<Value> {
        let of = self.element_type(set.of)?;
        let range = self.range_of(of);
        let value = self.simple(element)?;
        let types = &self.model.types;
        let value = if element.of == of || types.is_range(of) {
            value
        } else {
            value.translated(translation(types, element.of, of)?)
        };
        let value = self.settled(value);
        let members = self.members(set)?;
        if range.contains(bounds(&value, &self.frame).certain()) {
            return Ok(members.has(&value, range));
        }
        // A value that is not in the element type is in no set.
        let inside = value.clone().inside(range);
        let (inside, before) = self.apart(|lowering| lowering.settled(inside));
        let has = members.has(&inside, range).after(before);
        let compare = |a, b| Value::compare(Comparison::LessOrEqual, a, b);
        let is_below = compare(value.clone(), Value::Constant(range.high));
        let is_above = compare(Value::Constant(range.low), value);
        let has = Value::choice(is_below, has, constant(false));
        Ok(Value::choice(is_above, has, constant(false)))
    }

    pub(super) fn size_of_set(&mut self, set: &'m Expression) -> Lowered<Value> {
        let of = self.element_type(set.of)?;
        let members = self.members(set)?;
        let (over, one, range) = self.each_element(of);
        let one = Value::choice(members.has(&one, range), Value::Constant(1), Value::Constant(0));
        Ok(Value::Sum(Box::new((over, one))))
    }

    pub(super) fn is_subset(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        let of = self.element_type(a.of)?;
        let one = self.members_before(a, b)?;
        let other = self.members(b)?;
        let (over, each, range) = self.each_element(of);
        let body = Value::choice(one.has(&each, range), other.has(&each, range), constant(true));
        let quantifier = Quantifier { is_exists: false, over, body };
        Ok(Value::Quantified(Box::new(quantifier)))
    }

    /// Adds an element to a set, or removes it.
    pub(super) fn member(
        &mut self,
        set: &'m checked::Place,
        element: &'m Expression,
        is_added: bool,
    ) -> Lowered<()> {
        let of = self.element_type(set.of)?;
        let range = self.range_of(of);
        let value = self.simple_in(element, of)?;
        let is_inside = range.contains(bounds(&value, &self.frame).certain());
        let value = if is_inside { value } else { value.inside(range) };
        let value = self.settled(value);
        let cells = self.part(set)?.cells;
        let stored = if is_added { PRESENT } else { UNDEFINED };
        let cell = member_of(cells, value, range);
        self.out.push(Statement::store(cell, Value::Constant(stored)));
        Ok(())
    }
}
