//! Lowers simple expressions.

use super::place::Found;
use super::types::{rotation, steps, translation, values_of_type};
use super::{Binding, Lowered, Lowering, Unsupported, once};
use crate::cells::encode;
use crate::form::bounds::bounds;
use crate::form::{Domain, Loop, Operator, Place, Quantifier, Range, Steps, Value};
use model::checked::{self, Arithmetic, Binder, Comparison, Expression, ExpressionKind};
use model::syntax::QuantifierKind;
use model::types::TypeId;

impl<'m> Lowering<'m> {
    /// Lowers a simple value that must be in the type `of`, encoded as that type does.
    pub(super) fn simple_in(&mut self, expression: &'m Expression, of: TypeId) -> Lowered<Value> {
        let value = self.simple(expression)?;
        self.converted(value, expression.of, of)
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

    /// Lowers a simple value, encoded as the expression's own type encodes it. In a guard the value
    /// may be [kept](super::once).
    pub(super) fn simple(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let level = self.around.as_ref().and_then(|around| around.keeps(expression));
        let kept = level.map(|level| (level, self.register(Range::ALL)));
        if let Some(around) = &mut self.around {
            around.kept.extend(kept);
        }
        let (value, before) = self.apart(|lowering| lowering.evaluated(expression));
        let value = value?.after(before);
        Ok(match kept {
            Some((_, register)) => Value::Once(register, Box::new(value)),
            None => value,
        })
    }

    /// Lowers a simple value that must be in the type of a function's result. Numbers are not checked
    /// against its range where they are returned, only where they are stored.
    pub(super) fn returned(&mut self, expression: &'m Expression, of: TypeId) -> Lowered<Value> {
        if self.model.types.is_range(of) {
            self.simple(expression)
        } else {
            self.simple_in(expression, of)
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
                let over = self.each(binder)?;
                Value::Sum(Box::new((over, self.simple(body)?)))
            }
            ExpressionKind::Call { function, arguments } => {
                self.call(*function, arguments)?.0.ok_or(NO_VALUE)?
            }
            ExpressionKind::IsUndefined(place) => match self.find(place)? {
                Found::Value(_) => no,
                Found::Place(place, _) => Value::is_undefined(place),
            },
            ExpressionKind::IsMember(e, of) => {
                let position = self.simple(e)?.translated(translation(types, e.of, *of)?);
                Value::binary(Operator::Compare(Comparison::GreaterOrEqual), position, no)
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
        let over = self.each(binder)?;
        let mut deciders = Vec::new();
        // Without values nothing is decided, and computed bounds may fail.
        if matches!(over.over, Domain::Fixed(values) if values.count > 0) {
            for one in once::deciders(&[binder.local], body, self.locals) {
                deciders.push((self.simple(one.condition)?, one.value, one.outcome));
            }
        }
        let is_unordered = match binder.domain {
            checked::Domain::Type(of) => !self.model.types.indices(of).is_empty(),
            checked::Domain::Steps { .. } => false,
        };
        let is_exists = kind == QuantifierKind::Exists;
        let body = self.simple(body)?;
        let each = Value::Quantified(Box::new(Quantifier { is_exists, over, body, is_unordered }));
        Ok(deciders.into_iter().rev().fold(each, |each, (condition, value, outcome)| {
            let outcome = Value::Constant(i64::from(outcome));
            let (yes, no) = if value { (outcome, each) } else { (each, outcome) };
            Value::choice(condition, yes, no)
        }))
    }

    /// Lowers a loop over the values of a bound variable, and binds the variable.
    pub(super) fn each(&mut self, binder: &'m Binder) -> Lowered<Loop> {
        let over = self.domain(&binder.domain)?;
        let register = self.register(over.bounds(&self.frame).certain());
        self.bind(binder.local, Binding::Value(Value::Register(register)));
        Ok(Loop { register, over })
    }

    fn domain(&mut self, domain: &'m checked::Domain) -> Lowered<Domain> {
        let (from, to, by) = match domain {
            checked::Domain::Type(of) => {
                return Ok(Domain::Fixed(values_of_type(&self.model.types, *of)?));
            }
            checked::Domain::Steps { from, to, by } => (from, to, by),
        };
        let (from, to) = (self.bound(from)?, self.bound(to)?);
        let by = by.as_ref().map_or(Ok(Value::Constant(1)), |by| self.simple(by))?;
        if let (Value::Constant(from), Value::Constant(to), Value::Constant(by)) = (&from, &to, &by)
            && (*by > 0 && from <= to || *by < 0 && from >= to)
        {
            return Ok(Domain::Fixed(steps(*from, *to, *by)));
        }
        Ok(Domain::Steps(Box::new(Steps { from, to, by })))
    }

    /// A bound of a loop, whose range is proved, so that those of the loop's values are.
    fn bound(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let value = self.simple(expression)?;
        let known = bounds(&value, &self.frame);
        let is_proved = known.is_proved || known.range == Range::ALL;
        Ok(if is_proved { value } else { value.inside(known.range) })
    }
}

/// The reason for which calls without a result are left to the interpreter, where one is needed.
pub(super) const NO_VALUE: Unsupported = Unsupported("a call without a value");
