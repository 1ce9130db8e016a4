//! Emits expressions.
//!
//! A condition is emitted as branches to one of two blocks, a simple value as a value. Overflow is
//! not detected exactly: where the bounds of the operands do not exclude it, the code gives up on
//! large operands.

use super::emit::{Binding, EmittedValue, Emitter};
use super::statement::Returned;
use super::{Compiled, Unsupported};
use crate::cells::{UNDEFINED, encode, width};
use crate::closures::once;
use crate::closures::types::{Conversion, Values, translation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value, types};
use model::checked::{Arithmetic, Comparison, Domain, Expression, ExpressionKind, Place};
use model::syntax::QuantifierKind;
use model::types::TypeId;

impl Emitter<'_, '_> {
    /// Jumps to `yes` if a condition is true, else to `no`.
    pub(super) fn condition(
        &mut self,
        condition: &Expression,
        yes: Block,
        no: Block,
    ) -> Compiled<()> {
        match &condition.kind {
            ExpressionKind::Not(e) => self.condition(e, no, yes),
            ExpressionKind::And(a, b) => {
                let right = self.block();
                self.condition(a, right, no)?;
                self.begin(right);
                self.condition(b, yes, no)
            }
            ExpressionKind::Or(a, b) => {
                let right = self.block();
                self.condition(a, yes, right)?;
                self.begin(right);
                self.condition(b, yes, no)
            }
            ExpressionKind::Implies(a, b) => {
                let right = self.block();
                self.condition(a, right, yes)?;
                self.begin(right);
                self.condition(b, yes, no)
            }
            ExpressionKind::Quantified { kind, binder, body } => {
                let values = self.values(&binder.domain)?;
                let exists = *kind == QuantifierKind::Exists;
                for one in once::deciders(binder.local, body, self.locals) {
                    let (decided, open) = (self.block(), self.block());
                    let (on_true, on_false) =
                        if one.value { (decided, open) } else { (open, decided) };
                    self.condition(one.condition, on_true, on_false)?;
                    self.begin(decided);
                    self.go(if one.outcome { yes } else { no });
                    self.begin(open);
                }
                self.each(values, |emitter, value, next| {
                    emitter.bind(binder.local, Binding::Value(value));
                    if exists {
                        emitter.condition(body, yes, next)
                    } else {
                        emitter.condition(body, next, no)
                    }
                })?;
                self.go(if exists { no } else { yes });
                Ok(())
            }
            _ => {
                let holds = self.test(condition)?;
                self.branch(holds, yes, no);
                Ok(())
            }
        }
    }

    /// Evaluates a condition that is not short-circuited: not zero if it is true.
    fn test(&mut self, condition: &Expression) -> Compiled<Value> {
        match &condition.kind {
            ExpressionKind::Equal(a, b) => self.equal(a, b),
            ExpressionKind::NotEqual(a, b) => {
                let equal = self.equal(a, b)?;
                Ok(self.builder.ins().bxor_imm(equal, 1))
            }
            ExpressionKind::Compare(operator, a, b) => {
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                let code = match operator {
                    Comparison::Less => IntCC::SignedLessThan,
                    Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
                    Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
                    Comparison::Greater => IntCC::SignedGreaterThan,
                };
                Ok(self.builder.ins().icmp(code, a.value, b.value))
            }
            ExpressionKind::IsUndefined(place) => {
                let (found, perhaps) = self.peek(place)?;
                Ok(if perhaps {
                    self.is(IntCC::Equal, found.value, UNDEFINED)
                } else {
                    self.builder.ins().iconst(types::I8, 0)
                })
            }
            ExpressionKind::IsMember(e, of) => {
                let table = translation(&self.model.types, e.of, *of)?;
                let value = self.simple(e)?;
                let (is_there, _) = self.translate(value.value, &table);
                Ok(is_there)
            }
            ExpressionKind::Adjacent(a, b) => {
                let size = self.model.types.size(a.of) as i64;
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                let behind_a = self.next(a.value, size);
                let behind_b = self.next(b.value, size);
                let one = self.builder.ins().icmp(IntCC::Equal, behind_a, b.value);
                let other = self.builder.ins().icmp(IntCC::Equal, behind_b, a.value);
                let different = self.builder.ins().icmp(IntCC::NotEqual, a.value, b.value);
                let either = self.builder.ins().bor(one, other);
                Ok(self.builder.ins().band(different, either))
            }
            _ => Ok(self.simple(condition)?.value),
        }
    }

    /// Emits a simple value, encoded as the expression's own type encodes it.
    pub(super) fn simple(&mut self, expression: &Expression) -> Compiled<EmittedValue> {
        match &expression.kind {
            ExpressionKind::Constant(value) => {
                let code = encode(&self.model.types, expression.of, *value);
                Ok(self.known(code))
            }
            ExpressionKind::Read(place) => self.read(place),
            ExpressionKind::Not(_)
            | ExpressionKind::And(..)
            | ExpressionKind::Or(..)
            | ExpressionKind::Implies(..)
            | ExpressionKind::Quantified { .. } => {
                let (yes, no, done) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(done, types::I64);
                self.condition(expression, yes, no)?;
                for (block, value) in [(yes, 1), (no, 0)] {
                    self.begin(block);
                    let value = self.constant(value);
                    self.go_with(done, value);
                }
                self.begin(done);
                Ok(EmittedValue { value: result, low: 0, high: 1, is_proved: true })
            }
            ExpressionKind::Equal(..)
            | ExpressionKind::NotEqual(..)
            | ExpressionKind::Compare(..)
            | ExpressionKind::IsUndefined(_)
            | ExpressionKind::IsMember(..)
            | ExpressionKind::Adjacent(..) => {
                let holds = self.test(expression)?;
                Ok(self.boolean(holds))
            }
            ExpressionKind::Negate(e) => {
                let zero = self.known(0);
                let operand = self.simple(e)?;
                self.arithmetic(Arithmetic::Subtract, zero, operand)
            }
            ExpressionKind::BitwiseNot(e) => {
                let operand = self.simple(e)?;
                let value = self.builder.ins().bnot(operand.value);
                Ok(anything(value))
            }
            ExpressionKind::Arithmetic(operator, a, b) => {
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                self.arithmetic(*operator, a, b)
            }
            ExpressionKind::Conditional(condition, a, b) => {
                let (yes, no, done) = (self.block(), self.block(), self.block());
                let value = self.builder.append_block_param(done, types::I64);
                self.condition(condition, yes, no)?;
                self.begin(yes);
                let left = self.simple_in(a, expression.of)?;
                self.go_with(done, left.value);
                self.begin(no);
                let right = self.simple_in(b, expression.of)?;
                self.go_with(done, right.value);
                self.begin(done);
                Ok(EmittedValue {
                    value,
                    low: left.low.min(right.low),
                    high: left.high.max(right.high),
                    is_proved: left.is_proved && right.is_proved,
                })
            }
            ExpressionKind::Call { function, arguments } => {
                match self.call(*function, arguments)? {
                    Returned::Simple(simple) => Ok(simple),
                    Returned::Nothing | Returned::Place(_) => Err(Unsupported),
                }
            }
            ExpressionKind::Next(e) => {
                let size = self.model.types.size(e.of) as i64;
                let operand = self.simple(e)?;
                let value = self.next(operand.value, size);
                Ok(self.typed(value, e.of))
            }
            ExpressionKind::Previous(e) => {
                let size = self.model.types.size(e.of) as i64;
                let operand = self.simple(e)?;
                let is_first = self.is(IntCC::Equal, operand.value, 0);
                let last = self.constant(size - 1);
                let before = self.builder.ins().iadd_imm(operand.value, -1);
                let value = self.builder.ins().select(is_first, last, before);
                Ok(self.typed(value, e.of))
            }
            ExpressionKind::MultisetCount { local, multiset, condition } => {
                self.count(*local, multiset, condition)
            }
        }
    }

    /// A constant.
    fn known(&mut self, value: i64) -> EmittedValue {
        EmittedValue { value: self.constant(value), low: value, high: value, is_proved: true }
    }

    /// Loads the value of a simple place, which must be defined.
    fn read(&mut self, place: &Place) -> Compiled<EmittedValue> {
        let (found, perhaps) = self.peek(place)?;
        if perhaps {
            self.trap_undefined(found.value);
        }
        Ok(found)
    }

    /// Emits a simple value that must be in the type `of`, and encodes it as that type does.
    pub(super) fn simple_in(
        &mut self,
        expression: &Expression,
        of: TypeId,
    ) -> Compiled<EmittedValue> {
        let made = self.simple(expression)?;
        if expression.of == of {
            return Ok(made);
        }
        let conversion = Conversion::new(&self.model.types, expression.of, of)?;
        self.convert(made, &conversion, of)
    }

    fn convert(
        &mut self,
        made: EmittedValue,
        conversion: &Conversion,
        of: TypeId,
    ) -> Compiled<EmittedValue> {
        match conversion {
            Conversion::Same => Ok(made),
            Conversion::Inside(low, high) => {
                let (low, high) = (*low, *high);
                if made.is_proved && low <= made.low && made.high <= high {
                    return Ok(made);
                }
                if low.checked_neg().is_none() || high.checked_sub(low).is_none() {
                    return Err(Unsupported);
                }
                self.trap_outside(made.value, low, high);
                Ok(EmittedValue { value: made.value, low, high, is_proved: true })
            }
            Conversion::Table(table) => {
                let (is_there, value) = self.translate(made.value, table);
                let is_missing = self.builder.ins().bxor_imm(is_there, 1);
                self.trap_if(is_missing);
                Ok(self.typed(value, of))
            }
        }
    }

    /// Emits an argument; an undefined value stays undefined.
    pub(super) fn argument(&mut self, value: &Expression, of: TypeId) -> Compiled<Binding> {
        let ExpressionKind::Read(place) = &value.kind else {
            return Ok(Binding::Value(self.simple_in(value, of)?));
        };
        let (found, perhaps) = self.peek(place)?;
        let conversion = if value.of == of {
            Conversion::Same
        } else {
            Conversion::new(&self.model.types, value.of, of)?
        };
        if !perhaps {
            return Ok(Binding::Value(self.convert(found, &conversion, of)?));
        }
        if matches!(conversion, Conversion::Same) {
            return Ok(Binding::Perhaps(found));
        }
        let (is_defined, done) = (self.block(), self.block());
        let result = self.builder.append_block_param(done, types::I64);
        let undefined = self.is(IntCC::Equal, found.value, UNDEFINED);
        let passed = [cranelift_codegen::ir::BlockArg::Value(found.value)];
        self.builder.ins().brif(undefined, done, &passed, is_defined, &[]);
        self.begin(is_defined);
        let converted = self.convert(found, &conversion, of)?;
        self.go_with(done, converted.value);
        self.begin(done);
        Ok(Binding::Perhaps(self.typed(result, of)))
    }

    fn equal(&mut self, a: &Expression, b: &Expression) -> Compiled<Value> {
        let types = &self.model.types;
        if !types.is_simple(a.of) {
            let cells = width(types, a.of);
            let (a, b) = (self.complex(a)?, self.complex(b)?);
            let (a, b) = (self.load_all(a, cells)?, self.load_all(b, cells)?);
            let mut difference = self.constant(0);
            for (a, b) in a.into_iter().zip(b) {
                let one = self.builder.ins().bxor(a, b);
                difference = self.builder.ins().bor(difference, one);
            }
            return Ok(self.is(IntCC::Equal, difference, 0));
        }
        let same = a.of == b.of || types.is_range(a.of) && types.is_range(b.of);
        let table = if same { None } else { Some(translation(types, a.of, b.of)?) };
        let (left, right) = (self.simple(a)?, self.simple(b)?);
        let Some(table) = table else {
            return Ok(self.builder.ins().icmp(IntCC::Equal, left.value, right.value));
        };
        let (is_there, translated) = self.translate(left.value, &table);
        let equal = self.builder.ins().icmp(IntCC::Equal, translated, right.value);
        Ok(self.builder.ins().band(is_there, equal))
    }

    /// Whether a code has a translation, and which (arbitrary if there is none). Unions have few
    /// members, so that neighbours mostly stay neighbours.
    fn translate(&mut self, code: Value, table: &[Option<i64>]) -> (Value, Value) {
        let mut is_there = self.builder.ins().iconst(types::I8, 0);
        let mut result = code;
        let mut k = 0;
        while k < table.len() {
            let Some(first) = table[k] else {
                k += 1;
                continue;
            };
            let run = table[k..].iter().enumerate();
            let run = run.take_while(|&(i, to)| *to == Some(first + i as i64)).count();
            let distance = self.builder.ins().iadd_imm(code, -(k as i64));
            let inside = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, distance, run as i64);
            let shifted = self.builder.ins().iadd_imm(code, first - k as i64);
            result = self.builder.ins().select(inside, shifted, result);
            is_there = self.builder.ins().bor(is_there, inside);
            k += run;
        }
        (is_there, result)
    }

    /// The next value in a ring.
    fn next(&mut self, value: Value, size: i64) -> Value {
        let behind = self.builder.ins().iadd_imm(value, 1);
        let is_last = self.is(IntCC::Equal, behind, size);
        let first = self.constant(0);
        self.builder.ins().select(is_last, first, behind)
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        a: EmittedValue,
        b: EmittedValue,
    ) -> Compiled<EmittedValue> {
        let wide = |x: i64| i128::from(x);
        let (low, high) = match operator {
            Arithmetic::Add => (wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
            Arithmetic::Subtract => (wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)),
            Arithmetic::Multiply => {
                let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let products = corners.map(|(x, y)| wide(x) * wide(y));
                (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
            }
            _ => (wide(i64::MIN), wide(i64::MAX)),
        };
        let bounds = (i64::try_from(low), i64::try_from(high));
        let most = match operator {
            Arithmetic::Add | Arithmetic::Subtract => 1 << 61,
            Arithmetic::Multiply => 1 << 30,
            _ => 0,
        };
        let is_proved = a.is_proved && b.is_proved;
        let (low, high, is_proved) = if let (Ok(low), Ok(high)) = bounds {
            (low, high, is_proved)
        } else {
            for operand in [a, b] {
                self.trap_outside(operand.value, -most, most);
            }
            (i64::MIN, i64::MAX, true)
        };
        let value = match operator {
            Arithmetic::Add => self.builder.ins().iadd(a.value, b.value),
            Arithmetic::Subtract => self.builder.ins().isub(a.value, b.value),
            Arithmetic::Multiply => self.builder.ins().imul(a.value, b.value),
            Arithmetic::Divide | Arithmetic::Remainder => {
                // Division by 0 has no quotient, and division by -1 may have none.
                let is_harmless = b.is_proved && b.low == b.high && !(-1..=0).contains(&b.low);
                if !is_harmless {
                    let above = self.builder.ins().iadd_imm(b.value, 1);
                    let refused =
                        self.builder.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, above, 1);
                    self.trap_if(refused);
                }
                if operator == Arithmetic::Divide {
                    self.builder.ins().sdiv(a.value, b.value)
                } else {
                    self.builder.ins().srem(a.value, b.value)
                }
            }
            Arithmetic::BitwiseAnd => self.builder.ins().band(a.value, b.value),
            Arithmetic::BitwiseOr => self.builder.ins().bor(a.value, b.value),
            Arithmetic::BitwiseXor => self.builder.ins().bxor(a.value, b.value),
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight => return Err(Unsupported),
        };
        Ok(EmittedValue { value, low, high, is_proved })
    }

    /// The values of a bound variable, which must be constant.
    pub(super) fn values(&self, domain: &Domain) -> Compiled<Values> {
        let constant = |e: &Expression| match e.kind {
            ExpressionKind::Constant(value) => Ok(encode(&self.model.types, e.of, value)),
            _ => Err(Unsupported),
        };
        match domain {
            Domain::Type(of) => Values::of_type(&self.model.types, *of),
            Domain::Steps { from, to, by } => {
                let (from, to) = (constant(from)?, constant(to)?);
                let by = by.as_ref().map_or(Ok(1), |by| constant(by))?;
                if by == 0 || by > 0 && from > to || by < 0 && from < to {
                    return Err(Unsupported);
                }
                Ok(Values { from, by, count: from.abs_diff(to) / by.unsigned_abs() + 1 })
            }
        }
    }
}

/// A value without known bounds.
fn anything(value: Value) -> EmittedValue {
    EmittedValue { value, low: i64::MIN, high: i64::MAX, is_proved: true }
}
