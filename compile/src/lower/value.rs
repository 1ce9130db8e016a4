//! Lowers simple expressions.

use super::place::Found;
use super::types::{Conversion, steps, translation, values_of_type};
use super::{Binding, Lowered, Lowering, once};
use crate::cells::encode;
use crate::form::bounds::bounds;
use crate::form::{Decider, Domain, Loop, Operator, Quantifier, Range, Statement, Steps, Value};
use model::checked::{self, Arithmetic, Binder, Expression, ExpressionKind};
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
        Ok(match Conversion::new(&self.model.types, from, to)? {
            Conversion::Same => value,
            Conversion::Inside(range) => {
                let is_inside = range.contains(bounds(&value, &self.frame).certain());
                if is_inside { value } else { Value::Inside(Box::new(value), range) }
            }
            Conversion::Table(table) => Value::Translate(Box::new(value), table),
        })
    }

    /// Lowers a simple value, encoded as the expression's own type encodes it. In a guard the value
    /// may be [kept](super::once).
    pub(super) fn simple(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let Some(level) = self.around.as_ref().and_then(|around| around.keeps(expression)) else {
            return self.evaluated(expression);
        };
        let register = self.register(Range::ALL);
        if let Some(around) = &mut self.around {
            around.kept[level].push(register);
        }
        Ok(Value::Once(register, Box::new(self.evaluated(expression)?)))
    }

    fn boxed(&mut self, expression: &'m Expression) -> Lowered<Box<Value>> {
        Ok(Box::new(self.simple(expression)?))
    }

    /// Lowers a simple value that is evaluated every time.
    fn evaluated(&mut self, expression: &'m Expression) -> Lowered<Value> {
        let types = &self.model.types;
        let size = |e: &Expression| types.size(e.of) as i64;
        Ok(match &expression.kind {
            ExpressionKind::Constant(value) => {
                Value::Constant(encode(types, expression.of, *value))
            }
            ExpressionKind::Read(place) => self.read(place)?,
            ExpressionKind::Not(e) => Value::Not(self.boxed(e)?),
            ExpressionKind::Negate(e) => {
                let operator = Operator::Arithmetic(Arithmetic::Subtract);
                Value::Binary(operator, Box::new(Value::Constant(0)), self.boxed(e)?)
            }
            ExpressionKind::BitwiseNot(e) => Value::Complement(self.boxed(e)?),
            ExpressionKind::Arithmetic(operator, a, b) => {
                Value::Binary(Operator::Arithmetic(*operator), self.boxed(a)?, self.boxed(b)?)
            }
            ExpressionKind::Compare(operator, a, b) => {
                Value::Binary(Operator::Compare(*operator), self.boxed(a)?, self.boxed(b)?)
            }
            ExpressionKind::Equal(a, b) => self.equal(a, b)?,
            ExpressionKind::NotEqual(a, b) => match self.equal(a, b)? {
                Value::Binary(Operator::Equal, a, b) => Value::Binary(Operator::NotEqual, a, b),
                equal => Value::Not(Box::new(equal)),
            },
            ExpressionKind::And(a, b) => {
                choice(self.simple(a)?, self.simple(b)?, Value::Constant(0))
            }
            ExpressionKind::Or(a, b) => {
                let a = self.simple(a)?;
                choice(a, Value::Constant(1), self.simple(b)?)
            }
            ExpressionKind::Implies(a, b) => {
                choice(self.simple(a)?, self.simple(b)?, Value::Constant(1))
            }
            ExpressionKind::Conditional(c, a, b) => {
                let of = expression.of;
                choice(self.simple(c)?, self.simple_in(a, of)?, self.simple_in(b, of)?)
            }
            ExpressionKind::Quantified { kind, binder, body } => {
                self.quantified(*kind, binder, body)?
            }
            ExpressionKind::Sum { binder, body } => {
                let over = self.each(binder)?;
                Value::Sum(Box::new((over, self.simple(body)?)))
            }
            ExpressionKind::Call { function, arguments } => {
                let mut before = Vec::new();
                let value = self.call_for_value(*function, arguments, &mut before)?;
                after(before, value)
            }
            ExpressionKind::IsUndefined(place) => match self.find(place)? {
                Found::Value(_) => Value::Constant(0),
                Found::Place(place) => Value::IsUndefined(place),
            },
            ExpressionKind::IsMember(e, of) => {
                Value::IsTranslated(self.boxed(e)?, translation(types, e.of, *of)?)
            }
            ExpressionKind::Next(e) => Value::Next(self.boxed(e)?, size(e)),
            ExpressionKind::Previous(e) => Value::Previous(self.boxed(e)?, size(e)),
            ExpressionKind::Adjacent(a, b) => {
                Value::Binary(Operator::Adjacent(size(a)), self.boxed(a)?, self.boxed(b)?)
            }
            ExpressionKind::MultisetCount { local, multiset, condition } => {
                let mut before = Vec::new();
                let bag = self.bag(multiset, &mut before)?;
                let slot = self.bind_element(*local, &bag, false);
                let condition = self.simple(condition)?;
                after(before, Value::Count(Box::new((bag, slot, condition))))
            }
        })
    }

    /// The value of a simple place, which must be defined.
    fn read(&mut self, place: &'m checked::Place) -> Lowered<Value> {
        Ok(match self.find(place)? {
            Found::Value(value) => value,
            Found::Place(found) => Value::Load(found, self.range_of(place.of)),
        })
    }

    fn equal(&mut self, a: &'m Expression, b: &'m Expression) -> Lowered<Value> {
        if !self.model.types.is_simple(a.of) {
            return self.equal_wholes(a, b);
        }
        let (left, right) = (self.simple(a)?, self.simple(b)?);
        self.same(left, a.of, right, b.of)
    }

    /// Whether two simple values of these types are equal; both are evaluated, the left one first.
    pub(super) fn same(
        &mut self,
        left: Value,
        left_of: TypeId,
        right: Value,
        right_of: TypeId,
    ) -> Lowered<Value> {
        let types = &self.model.types;
        if left_of == right_of || types.is_range(left_of) && types.is_range(right_of) {
            return Ok(Value::Binary(Operator::Equal, Box::new(left), Box::new(right)));
        }
        // A value that is not in the other type is equal to no value there.
        let table = translation(types, left_of, right_of)?;
        let mut before = Vec::new();
        let left = self.settled(left, &mut before);
        let right = self.settled(right, &mut before);
        let translated = Value::Translate(Box::new(left.clone()), table.clone());
        let equal = Value::Binary(Operator::Equal, Box::new(translated), Box::new(right));
        let is_there = Value::IsTranslated(Box::new(left), table);
        Ok(after(before, choice(is_there, equal, Value::Constant(0))))
    }

    fn quantified(
        &mut self,
        kind: QuantifierKind,
        binder: &'m Binder,
        body: &'m Expression,
    ) -> Lowered<Value> {
        let over = self.each(binder)?;
        let mut deciders = Vec::new();
        for one in once::deciders(binder.local, body, self.locals) {
            let condition = self.simple(one.condition)?;
            deciders.push(Decider { condition, value: one.value, outcome: one.outcome });
        }
        let is_unordered = match binder.domain {
            checked::Domain::Type(of) => !self.model.types.indices(of).is_empty(),
            checked::Domain::Steps { .. } => false,
        };
        let is_exists = kind == QuantifierKind::Exists;
        let body = self.simple(body)?;
        Ok(Value::Quantified(Box::new(Quantifier {
            is_exists,
            over,
            deciders,
            body,
            is_unordered,
        })))
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
        Ok(if is_proved { value } else { Value::Inside(Box::new(value), known.range) })
    }
}

/// The second if the first is true, else the third.
pub(super) fn choice(condition: Value, yes: Value, no: Value) -> Value {
    Value::If(Box::new([condition, yes, no]))
}

/// A value after some statements, if there are any.
pub(super) fn after(before: Vec<Statement>, value: Value) -> Value {
    if before.is_empty() { value } else { Value::After(before, Box::new(value)) }
}
