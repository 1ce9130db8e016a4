//! Evaluates expressions.
//!
//! Each kind of expression that needs more than a line is a function of its own: their frames are
//! on the stack only while they are needed, and recursion in models may be deep.

use super::super::checked::{
    Argument, Arithmetic, Binder, Comparison, Domain, Expression, ExpressionKind, FunctionId,
    LocalId, Place, SetOperator,
};
use super::super::syntax::QuantifierKind;
use super::super::types::{Type, TypeId, Types};
use super::super::value::{Scalar, Value};
use super::failure::{EvalStop, FailureKind, Gathered};
use super::machine::{Machine, Slot, StoreReference};
use super::statement::Flow;
use ltl::Span;
use std::collections::BTreeSet;

impl Machine<'_> {
    /// The value; if it is simple, it is defined.
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Result<Value, EvalStop> {
        self.nested(expression.span, |machine| machine.value(expression))
    }

    /// The value to be stored somewhere. It is undefined if that of a place is, or the result of a
    /// function: nothing is done with it here.
    pub(super) fn copied(&mut self, expression: &Expression) -> Result<Value, EvalStop> {
        self.nested(expression.span, |machine| match &expression.kind {
            ExpressionKind::Read(place) | ExpressionKind::Peek(place) => machine.copy_of(place),
            ExpressionKind::Conditional(condition, yes, no) => {
                let branch = if machine.truth(condition)? { yes } else { no };
                machine.copied(branch)
            }
            ExpressionKind::Call { function, arguments } => {
                machine.result(*function, arguments, expression.span)
            }
            _ => machine.value(expression),
        })
    }

    fn value(&mut self, expression: &Expression) -> Result<Value, EvalStop> {
        use ExpressionKind as E;
        let span = expression.span;
        let truth = match &expression.kind {
            E::Constant(scalar) => return Ok(Value::Scalar(*scalar)),
            E::Read(place) | E::Peek(place) => return self.read(place),
            E::Length(queue) => {
                let length = self.queue(queue)?.len();
                let length = i64::try_from(length).expect("capacities are 32 bits wide");
                return Ok(Value::Scalar(Scalar::Number(length)));
            }
            E::InQueue(element, queue) => self.is_in_queue(element, queue)?,
            E::SetOf(all) => return self.set_of(all, expression.of),
            E::SetOperation(operator, a, b) => {
                let (a, b) = (self.set(a)?, self.set(b)?);
                return Ok(Value::Set(match operator {
                    SetOperator::Union => &a | &b,
                    SetOperator::Intersection => &a & &b,
                    SetOperator::Difference => &a - &b,
                }));
            }
            E::Size(set) => {
                let size = self.set(set)?.len();
                let size = i64::try_from(size).expect("types have no more values than that");
                return Ok(Value::Scalar(Scalar::Number(size)));
            }
            E::InSet(element, set) => {
                let element = self.scalar(element)?;
                self.set(set)?.contains(&element)
            }
            E::Subset(a, b) => self.set(a)?.is_subset(&self.set(b)?),
            E::Negate(_) | E::BitwiseNot(_) | E::Arithmetic(..) => {
                return self.arithmetic(expression);
            }
            E::Conditional(condition, yes, no) => {
                let branch = if self.truth(condition)? { yes } else { no };
                return self.evaluate(branch);
            }
            E::Call { function, arguments } => {
                let result = self.result(*function, arguments, span)?;
                if result == Value::Undefined {
                    let name = &self.model.functions[function.0 as usize].name;
                    return Err(self.is_undefined(&format!("the result of `{name}`"), span));
                }
                return Ok(result);
            }
            E::Next(of) => return self.neighbour(of, 1),
            E::Previous(of) => return self.neighbour(of, -1),
            E::MultisetCount { local, multiset, condition } => {
                let found = self.satisfying(*local, multiset, condition)?.len();
                let found = i64::try_from(found).expect("capacities are 32 bits wide");
                return Ok(Value::Scalar(Scalar::Number(found)));
            }
            E::Sum { binder, body } => return self.sum(binder, body, span),
            E::Parts(all) => return self.parts(all, expression.of),
            E::Not(of) => !self.truth(of)?,
            E::Compare(comparison, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match comparison {
                    Comparison::Less => a < b,
                    Comparison::LessOrEqual => a <= b,
                    Comparison::GreaterOrEqual => a >= b,
                    Comparison::Greater => a > b,
                }
            }
            E::Equal(a, b) => self.equal(a, b)?,
            E::NotEqual(a, b) => !self.equal(a, b)?,
            E::And(a, b) => self.truth(a)? && self.truth(b)?,
            E::Or(a, b) => self.truth(a)? || self.truth(b)?,
            E::Implies(a, b) => !self.truth(a)? || self.truth(b)?,
            E::Quantified { kind, binder, body } => self.quantified(*kind, binder, body)?,
            E::IsUndefined(place) => {
                let reference = self.resolve(place)?;
                *self.find(&reference, place.span)? == Value::Undefined
            }
            E::IsMember(of, member) => self.scalar(of)?.is_in(&self.model.types, *member),
            E::Adjacent(a, b) => self.adjacent(a, b)?,
        };
        Ok(Value::boolean(truth))
    }

    /// The value of a simple expression.
    pub(super) fn scalar(&mut self, expression: &Expression) -> Result<Scalar, EvalStop> {
        match self.evaluate(expression)? {
            Value::Scalar(scalar) => Ok(scalar),
            value => unreachable!("the expression is checked to be simple, but is {value:?}"),
        }
    }

    /// The value of a Boolean expression.
    pub(super) fn truth(&mut self, expression: &Expression) -> Result<bool, EvalStop> {
        Ok(self.scalar(expression)?.is_true())
    }

    /// The value of a numeric expression.
    fn number(&mut self, expression: &Expression) -> Result<i64, EvalStop> {
        match self.scalar(expression)? {
            Scalar::Number(n) => Ok(n),
            scalar => unreachable!("the expression is checked to be a number, but is {scalar:?}"),
        }
    }

    #[inline(never)]
    fn read(&mut self, place: &Place) -> Result<Value, EvalStop> {
        let reference = self.resolve(place)?;
        self.load(&reference, place.span)
    }

    #[inline(never)]
    fn copy_of(&mut self, place: &Place) -> Result<Value, EvalStop> {
        let reference = self.resolve(place)?;
        let mut value = self.find(&reference, place.span)?.clone();
        value.settle();
        Ok(value)
    }

    /// A settled copy of the value stored there.
    pub(super) fn load(&self, reference: &StoreReference, span: Span) -> Result<Value, EvalStop> {
        let mut value = self.find(reference, span)?.clone();
        if value == Value::Undefined {
            return Err(self.is_undefined(&format!("`{}`", self.describe(reference)), span));
        }
        value.settle();
        Ok(value)
    }

    /// The failure of an operation that needs a value.
    fn is_undefined(&self, what: &str, span: Span) -> EvalStop {
        let message = format!("{what} is undefined");
        let help = Some("set it first, or ask `isundefined` before reading it");
        self.failure(FailureKind::Undefined, span, message, help)
    }

    /// A copy of the elements of a queue.
    fn queue(&mut self, place: &Place) -> Result<Vec<Value>, EvalStop> {
        let reference = self.resolve(place)?;
        match self.load(&reference, place.span)? {
            Value::Queue(elements) => Ok(elements),
            value => unreachable!("the place is checked to be a queue, but is {value:?}"),
        }
    }

    /// The value of an expression that is a set.
    fn set(&mut self, expression: &Expression) -> Result<BTreeSet<Scalar>, EvalStop> {
        match self.evaluate(expression)? {
            Value::Set(elements) => Ok(elements),
            value => unreachable!("the expression is checked to be a set, but is {value:?}"),
        }
    }

    /// A set with these elements.
    #[inline(never)]
    fn set_of(&mut self, all: &[Expression], of: TypeId) -> Result<Value, EvalStop> {
        let of = self.model.types.set_of(of).expect("elements are those of a set");
        let mut elements = BTreeSet::new();
        for one in all {
            let value = self.evaluate(one)?;
            self.must_be_in(of, &value, one.span, |_| "an element of the set".to_owned())?;
            if let Value::Scalar(scalar) = value {
                elements.insert(scalar);
            }
        }
        Ok(Value::Set(elements))
    }

    #[inline(never)]
    fn is_in_queue(&mut self, element: &Expression, queue: &Place) -> Result<bool, EvalStop> {
        let element = self.evaluate(element)?;
        for one in self.queue(queue)? {
            run::poll();
            if one == Value::Undefined {
                let message = "an element of the queue is undefined";
                return Err(self.failure(FailureKind::Undefined, queue.span, message, None));
            }
            if one == element {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[inline(never)]
    fn equal(&mut self, a: &Expression, b: &Expression) -> Result<bool, EvalStop> {
        Ok(self.evaluate(a)? == self.evaluate(b)?)
    }

    #[inline(never)]
    fn arithmetic(&mut self, expression: &Expression) -> Result<Value, EvalStop> {
        let span = expression.span;
        let (sign, result) = match &expression.kind {
            ExpressionKind::Negate(a) => ("-", self.number(a)?.checked_neg()),
            ExpressionKind::BitwiseNot(a) => ("~", Some(!self.number(a)?)),
            ExpressionKind::Arithmetic(operator, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match operator {
                    Arithmetic::Add => ("+", a.checked_add(b)),
                    Arithmetic::Subtract => ("-", a.checked_sub(b)),
                    Arithmetic::Multiply => ("*", a.checked_mul(b)),
                    Arithmetic::Divide | Arithmetic::Remainder if b == 0 => {
                        return Err(self.failure(
                            FailureKind::DivisionByZero,
                            span,
                            "division by zero",
                            None,
                        ));
                    }
                    Arithmetic::Divide => ("/", a.checked_div(b)),
                    Arithmetic::Remainder => ("%", a.checked_rem(b)),
                    Arithmetic::ShiftLeft | Arithmetic::ShiftRight if !(0..64).contains(&b) => {
                        let message = format!("a shift by {b}, which is not in 0..63");
                        return Err(self.failure(FailureKind::Shift, span, message, None));
                    }
                    Arithmetic::ShiftLeft => ("<<", i64::try_from(i128::from(a) << b).ok()),
                    Arithmetic::ShiftRight => (">>", Some(a >> b)),
                    Arithmetic::BitwiseAnd => ("&", Some(a & b)),
                    Arithmetic::BitwiseOr => ("|", Some(a | b)),
                    Arithmetic::BitwiseXor => ("^", Some(a ^ b)),
                }
            }
            kind => unreachable!("{kind:?} is not arithmetic"),
        };
        result.map(|n| Value::Scalar(Scalar::Number(n))).ok_or_else(|| {
            let message = format!("the result of `{sign}` does not fit 64 bits");
            self.failure(FailureKind::Overflow, span, message, None)
        })
    }

    /// The value `by` positions later in the ring.
    #[inline(never)]
    fn neighbour(&mut self, of: &Expression, by: i64) -> Result<Value, EvalStop> {
        let scalar = self.scalar(of)?;
        Ok(Value::Scalar(moved(&self.model.types, scalar, by)))
    }

    #[inline(never)]
    fn adjacent(&mut self, a: &Expression, b: &Expression) -> Result<bool, EvalStop> {
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        let types = &self.model.types;
        Ok(a != b && (moved(types, a, 1) == b || moved(types, a, -1) == b))
    }

    #[inline(never)]
    fn quantified(
        &mut self,
        kind: QuantifierKind,
        binder: &Binder,
        body: &Expression,
    ) -> Result<bool, EvalStop> {
        let deciding = kind == QuantifierKind::Exists;
        let ordered = self.is_ordered(&binder.domain);
        let mut gathered = Gathered::default();
        let mut values = self.values(&binder.domain)?;
        while let Some(scalar) = values.next(&self.model.types) {
            run::poll();
            self.bind_scalar(binder.local, scalar);
            // A quantifier takes as much stack as two expressions.
            match self.nested(body.span, |machine| machine.truth(body)) {
                Ok(truth) if truth == deciding => return Ok(deciding),
                Ok(_) => {}
                Err(stop) if ordered => return Err(stop),
                Err(stop) => gathered.add(stop),
            }
        }
        gathered.finish()?;
        Ok(!deciding)
    }

    /// A record or an array, made of its parts.
    #[inline(never)]
    fn parts(&mut self, all: &[Option<Expression>], of: TypeId) -> Result<Value, EvalStop> {
        let types = &self.model.types;
        let part_type = |k: usize| match types.get(of) {
            Type::Record(fields) => fields[k].1,
            Type::Array { element, .. } => *element,
            other => unreachable!("a value of {other:?} is not made of parts"),
        };
        let mut made = Vec::with_capacity(all.len());
        for (k, part) in all.iter().enumerate() {
            let of_part = part_type(k);
            made.push(match part {
                None => Value::undefined(types, of_part),
                Some(part) => {
                    let value = self.copied(part)?;
                    self.must_be_in(of_part, &value, part.span, |_| match types.get(of) {
                        Type::Record(fields) => format!("the field `{}`", fields[k].0),
                        _ => "an element".to_owned(),
                    })?;
                    value
                }
            });
        }
        Ok(Value::Parts(made))
    }

    /// The sum over all values of a variable, whatever their order.
    #[inline(never)]
    fn sum(&mut self, binder: &Binder, body: &Expression, span: Span) -> Result<Value, EvalStop> {
        let ordered = self.is_ordered(&binder.domain);
        let mut gathered = Gathered::default();
        let mut values = self.values(&binder.domain)?;
        // The order of the operands must not decide whether partial sums fit: there are at most
        // 2^64 of them, of 64 bits each.
        let mut sum = 0_i128;
        while let Some(scalar) = values.next(&self.model.types) {
            run::poll();
            self.bind_scalar(binder.local, scalar);
            match self.nested(body.span, |machine| machine.number(body)) {
                Ok(number) => sum = sum.saturating_add(i128::from(number)),
                Err(stop) if ordered => return Err(stop),
                Err(stop) => gathered.add(stop),
            }
        }
        gathered.finish()?;
        i64::try_from(sum).map(|n| Value::Scalar(Scalar::Number(n))).map_err(|_| {
            let message = "the sum does not fit 64 bits";
            self.failure(FailureKind::Overflow, span, message, None)
        })
    }

    /// Whether the values of a domain are ordered, so that one is the first.
    fn is_ordered(&self, domain: &Domain) -> bool {
        match domain {
            Domain::Type(of) => self.model.types.indices(*of).is_empty(),
            Domain::Steps { .. } => true,
        }
    }

    /// The values of a domain; bounds are evaluated now.
    pub(super) fn values(&mut self, domain: &Domain) -> Result<Values, EvalStop> {
        let (from, to, by) = match domain {
            Domain::Type(of) => return Ok(Values::of(&self.model.types, *of)),
            Domain::Steps { from, to, by } => (from, to, by),
        };
        let span = Span { start: from.span.start, end: by.as_ref().unwrap_or(to).span.end };
        let (from, to) = (self.number(from)?, self.number(to)?);
        let by = by.as_ref().map_or(Ok(1), |by| self.number(by))?;
        let message = match by {
            0 => "steps of 0 never end".to_owned(),
            1.. if from > to => format!("{from} to {to} runs the wrong way"),
            ..0 if from < to => format!("{from} to {to} by {by} runs the wrong way"),
            _ => return Ok(Values::Steps { next: Some(from), to, by }),
        };
        Err(self.failure(FailureKind::LoopDirection, span, message, None))
    }

    /// The positions of the elements that satisfy a condition. Elements have no order: all
    /// conditions are evaluated, even if one fails.
    #[inline(never)]
    pub(super) fn satisfying(
        &mut self,
        local: LocalId,
        multiset: &Place,
        condition: &Expression,
    ) -> Result<Vec<usize>, EvalStop> {
        let reference = self.resolve(multiset)?;
        let elements = self.elements(&reference, multiset.span)?.iter().enumerate();
        let present: Vec<_> =
            elements.filter(|(_, element)| element.is_some()).map(|(k, _)| k).collect();
        let mut found = Vec::new();
        let mut gathered = Gathered::default();
        for k in present {
            self.bind(local, Slot::Position(Box::new((reference.clone(), k))));
            match self.truth(condition) {
                Ok(true) => found.push(k),
                Ok(false) => {}
                Err(stop) => gathered.add(stop),
            }
        }
        gathered.finish()?;
        Ok(found)
    }

    /// The result of a function, defined or not.
    fn result(
        &mut self,
        function: FunctionId,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Value, EvalStop> {
        let result = self.call(function, arguments, span)?;
        Ok(result.expect("a function in an expression has a result"))
    }

    /// Calls a function and returns its result, if it has one.
    ///
    /// A number is not checked against the range of the function's result type (nor does rumur):
    /// the check happens where it is stored. But a value of a union must be in the result type,
    /// because the users of the result rely on it.
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Option<Value>, EvalStop> {
        let function = &self.model.functions[function.0 as usize];
        let mut slots = Vec::with_capacity(function.locals.len());
        for (argument, parameter) in arguments.iter().zip(&function.locals) {
            slots.push(match argument {
                Argument::Reference(place) => Slot::Reference(self.resolve(place)?),
                Argument::Value(expression) => {
                    let value = self.copied(expression)?;
                    self.must_be_in(parameter.of, &value, expression.span, |_| {
                        format!("parameter `{}` of `{}`", parameter.name, function.name)
                    })?;
                    Slot::Value(value)
                }
            });
        }
        self.in_call(span, &function.locals, slots, |machine| {
            match machine.block(&function.body)? {
                Flow::Return(Some(Value::Scalar(scalar)))
                    if !matches!(scalar, Scalar::Number(_)) =>
                {
                    let value = Value::Scalar(scalar);
                    let of = function.result.expect("only functions return values");
                    machine.must_be_in(of, &value, span, |_| {
                        format!("the result of `{}`", function.name)
                    })?;
                    Ok(Some(value))
                }
                Flow::Return(result) => Ok(result),
                Flow::Next if function.result.is_none() => Ok(None),
                Flow::Next => {
                    let message = format!("`{}` ends without `return`", function.name);
                    Err(machine.failure(FailureKind::NoReturn, function.span, message, None))
                }
            }
        })
    }

    /// Fails unless a simple value is in the type of the place that is to hold it.
    pub(super) fn must_be_in(
        &self,
        of: TypeId,
        value: &Value,
        span: Span,
        holder: impl FnOnce(&Self) -> String,
    ) -> Result<(), EvalStop> {
        let types = &self.model.types;
        match value {
            Value::Scalar(scalar) if !scalar.is_in(types, of) => {
                let (holder, value, of) = (holder(self), scalar.show(types), types.show(of));
                let message = format!("{holder} cannot be {value}: its type is {of}");
                Err(self.failure(FailureKind::OutOfRange, span, message, None))
            }
            _ => Ok(()),
        }
    }
}

/// The value of an index type `by` positions (one, or minus one) later, cyclically.
fn moved(types: &Types, scalar: Scalar, by: i64) -> Scalar {
    match scalar {
        Scalar::Index(of, k) => {
            let size = i64::from(types.index_type(of).size);
            Scalar::Index(of, (i64::from(k) + by).rem_euclid(size) as u32)
        }
        scalar => unreachable!("only indices have neighbours, not {scalar:?}"),
    }
}

/// An iterator over the values of a bound variable.
pub(super) enum Values {
    /// The remaining values of a simple type.
    Type { of: TypeId, next: u64, size: u64 },
    /// The remaining numbers.
    Steps { next: Option<i64>, to: i64, by: i64 },
}

impl Values {
    /// All values of a simple type.
    pub(super) fn of(types: &Types, of: TypeId) -> Values {
        Values::Type { of, next: 0, size: types.size(of) }
    }

    /// The next value.
    pub(super) fn next(&mut self, types: &Types) -> Option<Scalar> {
        match self {
            Values::Type { of, next, size } => {
                let k = *next;
                *next += 1;
                (k < *size).then(|| Scalar::nth(types, *of, k))
            }
            Values::Steps { next, to, by } => {
                let n = next.filter(|n| if *by > 0 { n <= to } else { n >= to })?;
                *next = n.checked_add(*by);
                Some(Scalar::Number(n))
            }
        }
    }
}
