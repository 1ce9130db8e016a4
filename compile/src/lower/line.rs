//! Lowers operations of queues to loads and stores.
//!
//! A queue is its length and its elements, from the head on. All cells of elements beyond the length
//! are undefined, and so is the length if it is 0: this holds after every statement, so that equal
//! queues have equal cells, and packed states need not be put in order.

use super::value::Use;
use super::whole::Item;
use super::{Lowered, Lowering, Unsupported};
use crate::cells::{UNDEFINED, width};
use crate::form::bounds::bounds;
use crate::form::{Cells, Loop, Operator, Place, Quantifier, Range, Statement, Value, Values};
use model::checked::{self, Arithmetic, Comparison, Expression, ExpressionKind};
use model::types::{Type, TypeId};
use model::walk;

/// A queue in memory.
pub(super) struct Line {
    /// The cell of the length. Its indices are constants and registers.
    at: Cells,
    /// The greatest length.
    capacity: usize,
    /// Cells of an element.
    stride: usize,
    /// The type of elements.
    element: TypeId,
}

fn number(operator: Arithmetic, a: Value, b: i64) -> Value {
    Value::binary(Operator::Arithmetic(operator), a, Value::Constant(b))
}

fn less(a: Value, b: Value) -> Value {
    Value::compare(Comparison::Less, a, b)
}

impl Line {
    /// The number of elements.
    pub(super) fn length(&self) -> Value {
        let at = || Place::Cells(self.at.clone());
        let range = Range { low: 1, high: self.capacity as i64 };
        Value::choice(Value::is_undefined(at()), Value::Constant(0), Value::Load(at(), range))
    }

    fn positions(&self) -> Values {
        Values { from: 0, by: 1, count: self.capacity as u64 }
    }

    /// The element at a position that is proved to be one.
    fn nth(&self, position: Value) -> Cells {
        let elements = self.at.clone().after(1);
        match position {
            Value::Constant(k) => elements.after(k as usize * self.stride),
            position => elements.nth(position, self.positions().range(), 0, self.stride),
        }
    }

    /// All elements but the last place.
    fn all_but_one(&self) -> usize {
        (self.capacity - 1) * self.stride
    }
}

impl<'m> Lowering<'m> {
    /// Lowers a queue; its address is evaluated now.
    pub(super) fn line(&mut self, place: &'m checked::Place) -> Lowered<Line> {
        let cells = self.part(place)?.cells;
        self.line_at(cells, place.of)
    }

    /// The queue of this type at a place, whose address is evaluated now.
    pub(super) fn line_at(&mut self, at: Cells, of: TypeId) -> Lowered<Line> {
        let &Type::Queue { capacity, element } = self.model.types.get(of) else {
            return Err(Unsupported("a path that does not fit its type"));
        };
        let stride = width(&self.model.types, element);
        Ok(Line { at: self.fixed(at), capacity: capacity as usize, stride, element })
    }

    /// The element at a position; traps if there is none.
    pub(super) fn position(&mut self, queue: &Line, position: &'m Expression) -> Lowered<Cells> {
        let wanted = queue.positions().range();
        let at = self.simple(position)?;
        let is_position = wanted.contains(bounds(&at, &self.frame).certain());
        let at = if is_position { at } else { at.inside(wanted) };
        let at = self.settled(at);
        self.out.push(Statement::require(less(at.clone(), queue.length())));
        Ok(queue.nth(at))
    }

    /// The last element; traps if there is none.
    pub(super) fn last(&mut self, queue: &Line) -> Cells {
        let last = number(Arithmetic::Subtract, queue.length(), 1);
        let last = self.settled(last.inside(queue.positions().range()));
        queue.nth(last)
    }

    /// Whether a value is among the elements, compared from the head on.
    pub(super) fn is_in_queue(
        &mut self,
        element: &'m Expression,
        queue: &'m checked::Place,
    ) -> Lowered<Value> {
        let item = self.item(element, element.of, Use::Read)?;
        let queue = self.line(queue)?;
        let register = self.register(queue.positions().range());
        let at = Value::Register(register);
        let cells = queue.nth(at.clone());
        let is_equal = match item {
            Item::Simple(value) => {
                let one = Value::Load(Place::Cells(cells), self.range_of(queue.element));
                self.same((one, queue.element), (value, element.of))?
            }
            Item::Whole(part) => Value::SameCells(Box::new((cells, part.cells)), queue.stride),
        };
        let length = self.settled(queue.length());
        let body = Value::choice(less(at, length), is_equal, Value::Constant(0));
        let over = Loop { register, values: queue.positions() };
        let quantifier = Quantifier { is_exists: true, over, body };
        Ok(Value::Quantified(Box::new(quantifier)))
    }

    pub(super) fn push(
        &mut self,
        queue: &'m checked::Place,
        element: &'m Expression,
        is_front: bool,
    ) -> Lowered<()> {
        let &Type::Queue { element: of, .. } = self.model.types.get(queue.of) else {
            return Err(Unsupported("a path that does not fit its type"));
        };
        let may_move = is_front || self.has_effects_on_the_way(queue);
        let item = if may_move && !self.model.types.is_simple(of) {
            // Elements move, and what is pushed may be one of them.
            Item::Whole(self.copied(element)?.into())
        } else {
            self.item(element, of, Use::Copied)?
        };
        let line = self.line(queue)?;
        let length = self.settled(line.length().inside(line.positions().range()));
        let to = if is_front {
            let (from, to) = (line.nth(Value::Constant(0)), line.nth(Value::Constant(0)));
            let to = to.after(line.stride);
            if line.capacity > 1 {
                self.out.push(Statement::Copy { to, from, cells: line.all_but_one() });
            }
            line.nth(Value::Constant(0))
        } else {
            line.nth(length.clone())
        };
        self.out.push(item.stored(to, line.stride));
        let longer = number(Arithmetic::Add, length, 1);
        self.out.push(Statement::store(line.at, longer));
        Ok(())
    }

    pub(super) fn pop(&mut self, queue: &'m checked::Place) -> Lowered<()> {
        let line = self.line(queue)?;
        let shorter = number(Arithmetic::Subtract, line.length(), 1);
        let shorter = self.settled(shorter.inside(line.positions().range()));
        let (first, last) =
            (line.nth(Value::Constant(0)), line.nth(Value::Constant(line.capacity as i64 - 1)));
        if line.capacity > 1 {
            let from = first.clone().after(line.stride);
            self.out.push(Statement::Copy { to: first, from, cells: line.all_but_one() });
        }
        self.out.push(Statement::Fill(last, vec![UNDEFINED; line.stride]));
        let store = |value| vec![Statement::store(line.at.clone(), value)];
        let is_empty = Value::equal(shorter.clone(), Value::Constant(0));
        let (empty, other) = (store(Value::Constant(UNDEFINED)), store(shorter));
        self.out.push(Statement::If(is_empty, empty, other));
        Ok(())
    }

    /// Whether evaluating an expression may change something.
    pub(super) fn has_effects(&self, expression: &Expression) -> bool {
        let mut found = false;
        walk::expressions(expression, &mut |one| {
            if let ExpressionKind::Call { function, .. } = &one.kind {
                found |= self.model.functions[function.0 as usize].has_effects;
            }
        });
        found
    }

    /// Whether evaluating the indices of a place may change something.
    fn has_effects_on_the_way(&self, place: &checked::Place) -> bool {
        let mut found = false;
        walk::indices(place, &mut |index| found |= self.has_effects(index));
        found
    }
}
