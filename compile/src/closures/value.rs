//! Simple values.

use super::Compiler;
use super::machine::{CallCode, Code, Eval, Flow, Machine, Trap};
use super::operand::{Simple, load};
use super::place::{Address, Cell};
use crate::cells::UNDEFINED;
use crate::form::bounds::bounds;
use crate::form::{
    Call, Domain, Loop, Operator, Passed, Place, Quantifier, Range, Statement, Table, Value, Values,
};
use model::checked::{Arithmetic, Comparison};
use model::{calculate, compare};

/// The value if it is in the range.
#[inline]
fn inside(value: i64, range: Range) -> Result<i64, Trap> {
    if range.low <= value && value <= range.high { Ok(value) } else { Err(Trap::Failure) }
}

/// The loop of a quantifier, a sum or a statement.
pub(super) struct LoopCode {
    register: Cell,
    over: Over,
}

enum Over {
    Fixed(Values),
    /// From, to, by.
    Steps([Eval; 3]),
}

impl LoopCode {
    /// The values of the loop.
    fn values(&self, code: &Code, m: &mut Machine) -> Result<Values, Trap> {
        let [from, to, by] = match &self.over {
            Over::Fixed(values) => return Ok(*values),
            Over::Steps(steps) => steps,
        };
        let (from, to, by) = (from(code, m)?, to(code, m)?, by(code, m)?);
        if by == 0 || by > 0 && from > to || by < 0 && from < to {
            return Err(Trap::Failure);
        }
        Ok(Values { from, by, count: from.abs_diff(to) / by.unsigned_abs() + 1 })
    }

    /// Binds one value after another and visits each, until a visit returns something.
    #[inline]
    fn each<T>(
        &self,
        m: &mut Machine,
        values: Values,
        mut visit: impl FnMut(&mut Machine) -> Result<Option<T>, Trap>,
    ) -> Result<Option<T>, Trap> {
        let register = self.register.at(m);
        let mut value = values.from;
        for _ in 0..values.count {
            m.count();
            m.memory[register] = value;
            if let Some(found) = visit(m)? {
                return Ok(Some(found));
            }
            value = value.wrapping_add(values.by);
        }
        Ok(None)
    }

    /// Computes the values, and visits them as [`LoopCode::each`] does.
    #[inline]
    pub(super) fn run<T>(
        &self,
        code: &Code,
        m: &mut Machine,
        visit: impl FnMut(&mut Machine) -> Result<Option<T>, Trap>,
    ) -> Result<Option<T>, Trap> {
        let values = self.values(code, m)?;
        self.each(m, values, visit)
    }
}

impl Compiler<'_> {
    /// A closure for a value.
    pub(super) fn eval(&self, value: &Value) -> Eval {
        self.simple(value).eval()
    }

    /// The code of a value.
    pub(super) fn simple(&self, value: &Value) -> Simple {
        match value {
            Value::Constant(number) => Simple::Constant(*number),
            Value::Register(register) => load(self.register(*register).into()),
            Value::Load(place, _) => load(self.place(place)),
            Value::Peek(place, _) => self.peek(place, |value| value),
            Value::IsUndefined(place) => self.peek(place, |value| i64::from(value == UNDEFINED)),
            Value::Not(operand) => self.simple(operand).map(|a| Ok(1 - a)),
            Value::Complement(operand) => self.simple(operand).map(|a| Ok(!a)),
            Value::Binary(operator, a, b) => self.binary(*operator, a, b, Range::ALL),
            Value::Next(operand, size) => {
                let size = *size;
                self.simple(operand).map(move |k| Ok(if k + 1 == size { 0 } else { k + 1 }))
            }
            Value::Previous(operand, size) => {
                let last = *size - 1;
                self.simple(operand).map(move |k| Ok(if k == 0 { last } else { k - 1 }))
            }
            Value::Inside(operand, range) => self.inside(operand, *range),
            Value::Translate(operand, table) => {
                let table = table.clone();
                self.simple(operand).map(move |k| entry(&table, k).ok_or(Trap::Failure))
            }
            Value::IsTranslated(operand, table) => {
                let table = table.clone();
                self.simple(operand).map(move |k| Ok(i64::from(entry(&table, k).is_some())))
            }
            Value::If(parts) => self.conditional(parts),
            Value::Quantified(quantifier) => self.quantified(quantifier),
            Value::Sum(parts) => self.sum(&parts.0, &parts.1),
            Value::Count(parts) => self.count(&parts.0, parts.1, &parts.2),
            Value::SameCells(pair, cells) => {
                let (a, b, cells) = (self.cells(&pair.0), self.cells(&pair.1), *cells);
                Simple::Other(Box::new(move |code, m| {
                    let a = a.at(code, m)?;
                    let b = b.at(code, m)?;
                    Ok(i64::from(m.memory[a..a + cells] == m.memory[b..b + cells]))
                }))
            }
            Value::Once(register, value) => self.once(self.register(*register), value),
            Value::After(statements, value) => self.value_after(statements, value),
            Value::Call(call) => {
                let call = self.call(call);
                Simple::Other(Box::new(move |code, m| m.call(code, &call)))
            }
        }
    }

    /// Applies a function to what is stored in a place, which may be undefined.
    fn peek(&self, place: &Place, f: impl Fn(i64) -> i64 + Send + Sync + 'static) -> Simple {
        Simple::Other(match self.place(place) {
            Address::Fixed(cell) => Box::new(move |_, m| Ok(f(m.memory[cell]))),
            Address::Indexed(one) => Box::new(move |_, m| Ok(f(m.memory[one.at(m)?]))),
            address => Box::new(move |code, m| {
                let address = address.at(code, m)?;
                Ok(f(m.memory[address]))
            }),
        })
    }

    /// An operation; traps if its result is not in the range.
    fn binary(&self, operator: Operator, a: &Value, b: &Value, range: Range) -> Simple {
        let (a, b) = (self.simple(a), self.simple(b));
        match operator {
            Operator::Arithmetic(operator) => arithmetic(operator, a, b, range),
            Operator::Compare(operator) => comparison(operator, a, b),
            Operator::Equal => a.zip(b, |a, b| Ok(i64::from(a == b))),
            Operator::NotEqual => a.zip(b, |a, b| Ok(i64::from(a != b))),
            Operator::Adjacent(size) => a.zip(b, move |a, b| {
                Ok(i64::from(a != b && ((a + 1) % size == b || (b + 1) % size == a)))
            }),
        }
    }

    /// A value that must be in a range. What holds of values of their types is not checked.
    fn inside(&self, operand: &Value, range: Range) -> Simple {
        if range.contains(bounds(operand, self.frame).range) {
            return self.simple(operand);
        }
        if let Value::Binary(operator @ Operator::Arithmetic(_), a, b) = operand {
            return self.binary(*operator, a, b, range);
        }
        self.simple(operand).map(move |value| inside(value, range))
    }

    fn conditional(&self, [condition, yes, no]: &[Value; 3]) -> Simple {
        let (yes, no) = (self.simple(yes), self.simple(no));
        let condition = match self.simple(condition) {
            Simple::Constant(0) => return no,
            Simple::Constant(_) => return yes,
            condition => condition.eval(),
        };
        Simple::Other(match (yes, no) {
            // Conjunctions, then disjunctions.
            (yes, Simple::Constant(no)) => {
                let yes = yes.eval();
                Box::new(
                    move |code, m| if condition(code, m)? != 0 { yes(code, m) } else { Ok(no) },
                )
            }
            (Simple::Constant(yes), no) => {
                let no = no.eval();
                Box::new(
                    move |code, m| if condition(code, m)? != 0 { Ok(yes) } else { no(code, m) },
                )
            }
            (yes, no) => {
                let (yes, no) = (yes.eval(), no.eval());
                Box::new(
                    move |code, m| {
                        if condition(code, m)? != 0 { yes(code, m) } else { no(code, m) }
                    },
                )
            }
        })
    }

    fn quantified(&self, quantifier: &Quantifier) -> Simple {
        let deciding = i64::from(quantifier.is_exists);
        let over = self.repeated(&quantifier.over);
        let deciders: Vec<(Eval, i64, i64)> = quantifier
            .deciders
            .iter()
            .map(|one| (self.eval(&one.condition), i64::from(one.value), i64::from(one.outcome)))
            .collect();
        let body = self.eval(&quantifier.body);
        let is_unordered = quantifier.is_unordered;
        Simple::Other(Box::new(move |code, m| {
            let values = over.values(code, m)?;
            for (condition, value, outcome) in deciders.iter().filter(|_| values.count > 0) {
                if condition(code, m) == Ok(*value) {
                    return Ok(*outcome);
                }
            }
            let mut has_failed = false;
            let decided = over.each(m, values, |m| match body(code, m) {
                Ok(found) => Ok((found == deciding).then_some(())),
                Err(_) if is_unordered => {
                    has_failed = true;
                    Ok(None)
                }
                Err(trap) => Err(trap),
            })?;
            match decided {
                Some(()) => Ok(deciding),
                None if has_failed => Err(Trap::Failure),
                None => Ok(1 - deciding),
            }
        }))
    }

    fn sum(&self, over: &Loop, body: &Value) -> Simple {
        let (over, body) = (self.repeated(over), self.eval(body));
        Simple::Other(Box::new(move |code, m| {
            let mut sum = 0_i64;
            over.run(code, m, |m| {
                // If only a partial sum does not fit, the interpreter has the result.
                sum = sum.checked_add(body(code, m)?).ok_or(Trap::Failure)?;
                Ok(None::<()>)
            })?;
            Ok(sum)
        }))
    }

    /// The code of a loop without its body.
    pub(super) fn repeated(&self, over: &Loop) -> LoopCode {
        LoopCode {
            register: self.register(over.register),
            over: match &over.over {
                Domain::Fixed(values) => Over::Fixed(*values),
                Domain::Steps(steps) => {
                    Over::Steps([&steps.from, &steps.to, &steps.by].map(|one| self.eval(one)))
                }
            },
        }
    }

    fn once(&self, kept: Cell, value: &Value) -> Simple {
        let value = self.eval(value);
        Simple::Other(Box::new(move |code, m| {
            let cell = kept.at(m);
            let known = m.memory[cell];
            if known != UNDEFINED {
                return Ok(known);
            }
            let value = value(code, m)?;
            m.memory[cell] = value;
            Ok(value)
        }))
    }

    fn value_after(&self, statements: &[Statement], value: &Value) -> Simple {
        let (statements, value) = (self.block(statements), self.eval(value));
        Simple::Other(Box::new(move |code, m| match statements(code, m)? {
            Flow::Next => value(code, m),
            Flow::Return => Err(Trap::Failure),
        }))
    }

    fn call(&self, call: &Call) -> CallCode {
        let arguments = call.arguments.iter().map(|argument| -> Eval {
            match argument {
                Passed::Value(value) => self.eval(value),
                Passed::Address(place) => {
                    let address = self.place(place);
                    Box::new(move |code, m| Ok(address.at(code, m)? as i64))
                }
            }
        });
        CallCode {
            function: call.function,
            arguments: arguments.collect(),
            result: call.result.as_ref().map(|result| self.cells(result)),
        }
    }
}

/// The entry of a table.
fn entry(table: &Table, position: i64) -> Option<i64> {
    table.get(position as usize).copied().flatten()
}

/// An operation on numbers. The comparison with the range is part of it, because most results are
/// stored where only some numbers may be.
fn arithmetic(operator: Arithmetic, a: Simple, b: Simple, range: Range) -> Simple {
    let within = move |result: Option<i64>| inside(result.ok_or(Trap::Failure)?, range);
    match operator {
        Arithmetic::Add => a.zip(b, move |a, b| within(a.checked_add(b))),
        Arithmetic::Subtract => a.zip(b, move |a, b| within(a.checked_sub(b))),
        Arithmetic::Multiply => a.zip(b, move |a, b| within(a.checked_mul(b))),
        Arithmetic::Remainder => a.zip(b, move |a, b| within(a.checked_rem(b))),
        other => a.zip(b, move |a, b| within(calculate(other, a, b).ok())),
    }
}

fn comparison(operator: Comparison, a: Simple, b: Simple) -> Simple {
    match operator {
        Comparison::Less => a.zip(b, |a, b| Ok(i64::from(a < b))),
        Comparison::LessOrEqual => a.zip(b, |a, b| Ok(i64::from(a <= b))),
        other => a.zip(b, move |a, b| Ok(i64::from(compare(other, a, b)))),
    }
}
