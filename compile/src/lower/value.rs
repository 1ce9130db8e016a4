//! Lowers simple expressions.

use super::place::Found;
use super::types::{rotation, steps, translation, values_of_type};
use super::{Binding, Lowered, Lowering, Unsupported, once};
use crate::cells::{UNDEFINED, encode};
use crate::form::bounds::bounds;
use crate::form::{Loop, Operator, Place, Range, Statement, Value, Values};
use model::checked::{self, Arithmetic, Binder, Comparison, Expression, ExpressionKind};
use model::syntax::QuantifierKind;
use model::types::TypeId;

/// How a value is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// It must be defined.
    Read,
    /// It is stored somewhere, defined or not.
    Copied,
}

impl<'m> Lowering<'m> {
    /// Lowers a simple value that must be in the type `of`, encoded as that type does.
    pub(super) fn simple_in(&mut self, expression: &'m Expression, of: TypeId) -> Lowered<Value> {
        let value = self.simple(expression)?;
        self.converted(value, expression.of, of)
    }

    /// Lowers a simple value that is stored in a place of the type `of`, encoded as that type does. It
    /// is undefined where that of a place is, or the result of a function.
    pub(super) fn copied_in(&mut self, expression: &'m Expression, of: TypeId) -> Lowered<Value> {
        let (value, before) = self.apart(|lowering| lowering.copied_value(expression, of));
        Ok(value?.after(before))
    }

    fn copied_value(&mut self, expression: &'m Expression, of: TypeId) -> Lowered<Value> {
        let place = match &expression.kind {
            ExpressionKind::Read(place) => match self.find(place)? {
                Found::Value(value) => return self.converted(value, expression.of, of),
                Found::Place(place, _) => place,
            },
            ExpressionKind::Peek(place) => Place::Cells(self.part(place)?.cells),
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.simple(condition)?;
                let (yes, no) = (self.copied_in(yes, of)?, self.copied_in(no, of)?);
                return Ok(Value::choice(condition, yes, no));
            }
            ExpressionKind::Call { function, arguments } => {
                let result = self.call(*function, arguments, Use::Copied)?.0.ok_or(NO_VALUE)?;
                match self.held(result) {
                    Value::Peek(place) => place,
                    value => return self.converted(value, expression.of, of),
                }
            }
            _ => return self.simple_in(expression, of),
        };
        let found = Value::Load(place.clone(), self.range_of(expression.of));
        if self.converted(found.clone(), expression.of, of)? == found {
            return Ok(Value::Peek(place));
        }
        let place = self.fixed_place(place);
        let found = Value::Load(place.clone(), self.range_of(expression.of));
        let converted = self.converted(found, expression.of, of)?;
        Ok(Value::choice(Value::is_undefined(place), Value::Constant(UNDEFINED), converted))
    }

    /// A value that is evaluated now. It may be undefined.
    pub(super) fn held(&mut self, value: Value) -> Value {
        if !may_be_undefined(&value) {
            return self.settled(value);
        }
        let register = self.register(Range::ALL);
        self.out.push(Statement::register(register, value));
        Value::Peek(Place::Register(register))
    }

    /// A value of one type, encoded as in another; traps if it is not there.
    pub(super) fn converted(&self, value: Value, from: TypeId, to: TypeId) -> Lowered<Value> {
        let types = &self.model.types;
        if from == to {
            return Ok(value);
        }
        if !types.is_range(from) || !types.is_range(to) {
            let table = translation(types, from, to)?;
            return Ok(value.translated(table).inside(self.range_of(to)));
        }
        let (wanted, known) = (self.range_of(to), bounds(&value, &self.frame).certain());
        let is_inside = wanted.contains(self.range_of(from)) || wanted.contains(known);
        Ok(if is_inside { value } else { value.inside(wanted) })
    }

    /// Lowers a simple value, encoded as the expression's own type encodes it.
    pub(super) fn simple(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let (value, before) = self.apart(|lowering| lowering.evaluated(expression));
        Ok(value?.after(before))
    }

    /// Lowers a simple value that must be in the type of a function's result. Numbers are not checked
    /// against its range where they are returned, only where they are stored.
    pub(super) fn returned(
        &mut self,
        expression: &'m Expression,
        of: TypeId,
        used: Use,
    ) -> Lowered<Value> {
        let of = if self.model.types.is_range(of) { expression.of } else { of };
        match used {
            Use::Read => self.simple_in(expression, of),
            Use::Copied => self.copied_in(expression, of),
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        a: &'m Expression,
        b: &'m Expression,
    ) -> Lowered<Value> {
        let a = self.simple(a)?;
        Ok(Value::binary(operator, a, self.simple(b)?))
    }

    /// Whether two values are neighbours in a ring. No value is its own neighbour.
    fn adjacent(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        let size = self.model.types.size(a.of);
        let [a, b] = [self.simple(a)?, self.simple(b)?].map(|one| self.settled(one));
        let [next, previous] = [1, size - 1].map(|by| {
            let neighbours = if size == 1 { [-1].into() } else { rotation(size, by) };
            Value::equal(a.clone().translated(neighbours), b.clone())
        });
        Ok(Value::choice(next, Value::Constant(1), previous))
    }

    /// Lowers a simple value that is evaluated every time, after the statements that precede it.
    fn evaluated(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let types = &self.model.types;
        let [no, yes] = [0, 1].map(Value::Constant);
        Ok(match &expression.kind {
            ExpressionKind::Constant(value) => {
                Value::Constant(encode(types, expression.of, *value))
            }
            ExpressionKind::Read(place) => match self.find(place)? {
                Found::Value(value) => value,
                Found::Place(found, _) => Value::Load(found, self.range_of(place.of)),
            },
            ExpressionKind::Peek(place) => {
                let cells = self.part(place)?.cells;
                Value::Load(Place::Cells(cells), self.range_of(place.of))
            }
            ExpressionKind::Length(place) => self.line(place)?.length(),
            ExpressionKind::InQueue(element, queue) => self.is_in_queue(element, queue)?,
            ExpressionKind::InSet(element, set) => self.is_in_set(element, set)?,
            ExpressionKind::Size(set) => self.size_of_set(set)?,
            ExpressionKind::Subset(a, b) => self.is_subset(a, b)?,
            ExpressionKind::Parts(_)
            | ExpressionKind::SetOf(_)
            | ExpressionKind::SetOperation(..) => {
                return Err(Unsupported("a value with parts where a simple one is needed"));
            }
            ExpressionKind::Not(e) => Value::negated(self.simple(e)?),
            ExpressionKind::Negate(e) => {
                let operator = Operator::Arithmetic(Arithmetic::Subtract);
                Value::binary(operator, no, self.simple(e)?)
            }
            ExpressionKind::BitwiseNot(e) => {
                let operator = Operator::Arithmetic(Arithmetic::BitwiseXor);
                Value::binary(operator, self.simple(e)?, Value::Constant(-1))
            }
            ExpressionKind::Arithmetic(operator, a, b) => {
                self.binary(Operator::Arithmetic(*operator), a, b)?
            }
            ExpressionKind::Compare(operator, a, b) => {
                self.binary(Operator::Compare(*operator), a, b)?
            }
            ExpressionKind::Equal(a, b) => self.equal(a, b)?,
            ExpressionKind::NotEqual(a, b) => match self.equal(a, b)? {
                Value::Binary(Operator::Equal, a, b) => Value::Binary(Operator::NotEqual, a, b),
                equal => Value::negated(equal),
            },
            ExpressionKind::And(a, b) => Value::choice(self.simple(a)?, self.simple(b)?, no),
            ExpressionKind::Or(a, b) => Value::choice(self.simple(a)?, yes, self.simple(b)?),
            ExpressionKind::Implies(a, b) => Value::choice(self.simple(a)?, self.simple(b)?, yes),
            ExpressionKind::Conditional(c, a, b) => {
                let of = expression.of;
                Value::choice(self.simple(c)?, self.simple_in(a, of)?, self.simple_in(b, of)?)
            }
            ExpressionKind::Quantified { kind, binder, body } => {
                self.quantified(*kind, binder, body)?
            }
            ExpressionKind::Sum { binder, body } => {
                let (over, is_one) = self.each(binder)?;
                let one = self.simple(body)?;
                Value::Sum(Box::new((over, Value::choice(is_one, one, no))))
            }
            ExpressionKind::Call { function, arguments } => {
                self.call(*function, arguments, Use::Read)?.0.ok_or(NO_VALUE)?
            }
            ExpressionKind::IsUndefined(place) => match self.find(place)? {
                Found::Value(_) => no,
                Found::Place(place, _) => Value::is_undefined(place),
            },
            ExpressionKind::IsMember(e, of) => {
                let position = self.simple(e)?.translated(translation(types, e.of, *of)?);
                Value::compare(Comparison::GreaterOrEqual, position, no)
            }
            ExpressionKind::Next(e) => self.simple(e)?.translated(rotation(types.size(e.of), 1)),
            ExpressionKind::Previous(e) => {
                let size = types.size(e.of);
                self.simple(e)?.translated(rotation(size, size - 1))
            }
            ExpressionKind::Adjacent(a, b) => self.adjacent(a, b)?,
            ExpressionKind::MultisetCount { local, multiset, condition } => {
                self.count(*local, multiset, condition)?
            }
        })
    }

    fn equal(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        if !self.model.types.is_simple(a.of) {
            return self.equal_wholes(a, b);
        }
        let (left, right) = (self.simple(a)?, self.simple(b)?);
        self.same((left, a.of), (right, b.of))
    }

    /// Whether two simple values of these types are equal; both are evaluated, the left one first.
    pub(super) fn same(
        &self,
        (left, left_of): (Value, TypeId),
        (right, right_of): (Value, TypeId),
    ) -> Lowered<Value> {
        let types = &self.model.types;
        if left_of == right_of || types.is_range(left_of) && types.is_range(right_of) {
            return Ok(Value::equal(left, right));
        }
        // A value that is not in the other type is equal to no value there.
        let table = translation(types, left_of, right_of)?;
        Ok(Value::equal(left.translated(table), right))
    }

    fn quantified(
        &mut self,
        kind: QuantifierKind,
        binder: &'m Binder,
        body: &'m Expression,
    ) -> Lowered<Value> {
        let (over, is_one) = self.each(binder)?;
        let is_exists = kind == QuantifierKind::Exists;
        let body = self.simple(body)?;
        let body = Value::choice(is_one, body, Value::Constant(i64::from(!is_exists)));
        Ok(once::quantified(is_exists, over, body))
    }

    /// Lowers a loop over the values of a bound variable, and binds the variable. If the bounds are
    /// computed, it is over all values that they allow, and the condition says which are between them.
    pub(super) fn each(&mut self, binder: &'m Binder) -> Lowered<(Loop, Value)> {
        let (values, bounds) = match &binder.domain {
            checked::Domain::Type(of) => (values_of_type(&self.model.types, *of)?, None),
            checked::Domain::Steps { from, to, by } => self.steps(from, to, by.as_deref())?,
        };
        let register = self.register(values.range());
        let value = Value::Register(register);
        self.bind(binder.local, Binding::Value(value.clone()));
        let is_one = bounds.map_or(Value::Constant(1), |[from, to]| {
            let is_before = Value::compare(Comparison::Less, value.clone(), from);
            let is_not_after = Value::compare(Comparison::LessOrEqual, value, to);
            Value::choice(is_before, Value::Constant(0), is_not_after)
        });
        Ok((Loop { register, values }, is_one))
    }

    /// The values from one number to another; if these are computed, all that they allow, and the least
    /// and the greatest one. Traps if the step leads away from the end.
    fn steps(
        &mut self,
        from: &'m Expression,
        to: &'m Expression,
        by: Option<&'m Expression>,
    ) -> Lowered<(Values, Option<[Value; 2]>)> {
        let [from, to] = [self.simple(from)?, self.simple(to)?];
        let by = by.map_or(Ok(Value::Constant(1)), |by| self.simple(by))?;
        let Value::Constant(by @ (..=-1 | 1..)) = by else {
            return Err(Unsupported("a loop whose step is computed"));
        };
        if let (&Value::Constant(from), &Value::Constant(to)) = (&from, &to)
            && (by > 0 && from <= to || by < 0 && from >= to)
        {
            return Ok((steps(from, to, by), None));
        }
        if by.abs() > 1 {
            return Err(Unsupported("a loop with a step and computed bounds"));
        }
        let [first, last] = [&from, &to].map(|bound| bounds(bound, &self.frame).range);
        let (low, high) = (first.low.min(last.low), first.high.max(last.high));
        if high.checked_sub(low).is_none_or(|width| width > MOST_VALUES) {
            return Err(Unsupported("a loop with far computed bounds"));
        }
        // Nothing is proved of what memory contains.
        let all = Range { low, high };
        let [from, to] = [from, to].map(|bound| self.settled(bound.inside(all)));
        let (values, [least, most]) = if by > 0 {
            (steps(low, high, 1), [from, to])
        } else {
            (steps(high, low, -1), [to, from])
        };
        let is_empty = Value::compare(Comparison::Greater, least.clone(), most.clone());
        self.out.push(Statement::If(is_empty, vec![Statement::Trap], vec![]));
        Ok((values, Some([least, most])))
    }
}

/// The most values, less one, that the computed bounds of a loop may allow: all of them are tried.
const MOST_VALUES: i64 = 1000;

/// Whether a value is perhaps that of a place in which nothing is stored.
fn may_be_undefined(value: &Value) -> bool {
    match value {
        Value::Peek(_) | Value::Constant(UNDEFINED) => true,
        Value::If(parts) => may_be_undefined(&parts[1]) || may_be_undefined(&parts[2]),
        Value::After(_, value) => may_be_undefined(value),
        _ => false,
    }
}

/// The reason for which calls without a result are left to the interpreter, where one is needed.
pub(super) const NO_VALUE: Unsupported = Unsupported("a call without a value");
