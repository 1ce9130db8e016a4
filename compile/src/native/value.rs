//! Emits values.
//!
//! A condition is emitted as branches to one of two blocks, any other value as a value. Overflow is
//! not detected exactly: where the bounds of the operands do not exclude it, the code gives up on
//! large operands.

use super::emit::Emitter;
use super::{Compiled, MOST_CELLS, Unsupported};
use crate::cells::UNDEFINED;
use crate::form::bounds::{bounds, exact};
use crate::form::{self, Cells, Loop, Operator, Quantifier, Range, Register};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use model::checked::{Arithmetic, Comparison};

impl Emitter<'_, '_> {
    /// Jumps to `yes` if a condition is true, else to `no`.
    pub(super) fn condition(
        &mut self,
        condition: &form::Value,
        yes: Block,
        no: Block,
    ) -> Compiled<()> {
        match condition {
            form::Value::Constant(value) => {
                self.go(if *value == 0 { no } else { yes });
                Ok(())
            }
            form::Value::Not(operand) => self.condition(operand, no, yes),
            form::Value::If(parts) => self.either(parts, yes, no),
            form::Value::Quantified(quantifier) => self.quantified(quantifier, yes, no),
            form::Value::After(statements, value) => {
                self.statements(statements)?;
                self.condition(value, yes, no)
            }
            _ => {
                let holds = match self.flag(condition)? {
                    Some(flag) => flag,
                    None => self.value(condition)?,
                };
                self.branch(holds, yes, no);
                Ok(())
            }
        }
    }

    /// Jumps as [`Emitter::condition`] does for one of two conditions. A constant one needs no code.
    fn either(&mut self, parts: &[form::Value; 3], yes: Block, no: Block) -> Compiled<()> {
        let [condition, then, otherwise] = parts;
        let target = |emitter: &mut Self, part: &form::Value| match part {
            form::Value::Constant(0) => (no, false),
            form::Value::Constant(_) => (yes, false),
            _ => (emitter.block(), true),
        };
        let (on_true, on_false) = (target(self, then), target(self, otherwise));
        self.condition(condition, on_true.0, on_false.0)?;
        for ((block, is_new), part) in [(on_true, then), (on_false, otherwise)] {
            if is_new {
                self.begin(block);
                self.condition(part, yes, no)?;
            }
        }
        Ok(())
    }

    fn quantified(&mut self, quantifier: &Quantifier, yes: Block, no: Block) -> Compiled<()> {
        let Quantifier { is_exists, over, deciders, body, .. } = quantifier;
        let turns = self.turns(&over.over)?;
        if turns.is_some() {
            for one in deciders {
                let open = self.block();
                self.jump_if(&one.condition, one.value, if one.outcome { yes } else { no }, open)?;
                self.begin(open);
            }
        }
        self.each(turns, |emitter, value, next, _| {
            emitter.set(over.register, value)?;
            if *is_exists {
                emitter.condition(body, yes, next)
            } else {
                emitter.condition(body, next, no)
            }
        })?;
        self.go(if *is_exists { no } else { yes });
        Ok(())
    }

    /// Jumps to a block if a condition has the value, else to another one.
    pub(super) fn jump_if(
        &mut self,
        condition: &form::Value,
        value: bool,
        to: Block,
        otherwise: Block,
    ) -> Compiled<()> {
        let (yes, no) = if value { (to, otherwise) } else { (otherwise, to) };
        self.condition(condition, yes, no)
    }

    /// Evaluates a condition that is not short-circuited: a flag of 8 bits, 0 or 1. Other values
    /// have none.
    fn flag(&mut self, condition: &form::Value) -> Compiled<Option<Value>> {
        Ok(Some(match condition {
            form::Value::IsUndefined(place) => {
                let found = self.peek(place)?;
                self.is(IntCC::Equal, found, UNDEFINED)
            }
            form::Value::IsTranslated(operand, table) => {
                let operand = self.value(operand)?;
                self.translate(operand, table).0
            }
            form::Value::SameCells(places, cells) => self.same_cells(places, *cells)?,
            form::Value::Binary(operator, a, b) if !matches!(operator, Operator::Arithmetic(_)) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.comparison(*operator, a, b)?
            }
            _ => return Ok(None),
        }))
    }

    fn comparison(&mut self, operator: Operator, a: Value, b: Value) -> Compiled<Value> {
        let code = match operator {
            Operator::Equal => IntCC::Equal,
            Operator::NotEqual => IntCC::NotEqual,
            Operator::Compare(Comparison::Less) => IntCC::SignedLessThan,
            Operator::Compare(Comparison::LessOrEqual) => IntCC::SignedLessThanOrEqual,
            Operator::Compare(Comparison::GreaterOrEqual) => IntCC::SignedGreaterThanOrEqual,
            Operator::Compare(Comparison::Greater) => IntCC::SignedGreaterThan,
            Operator::Adjacent(size) => return Ok(self.adjacent(a, b, size)),
            Operator::Arithmetic(_) => return Err(Unsupported("a number is no condition")),
        };
        Ok(self.builder.ins().icmp(code, a, b))
    }

    fn adjacent(&mut self, a: Value, b: Value, size: i64) -> Value {
        let (behind_a, behind_b) = (self.next(a, size), self.next(b, size));
        let one = self.builder.ins().icmp(IntCC::Equal, behind_a, b);
        let other = self.builder.ins().icmp(IntCC::Equal, behind_b, a);
        let different = self.builder.ins().icmp(IntCC::NotEqual, a, b);
        let either = self.builder.ins().bor(one, other);
        self.builder.ins().band(different, either)
    }

    fn same_cells(&mut self, places: &(Cells, Cells), cells: usize) -> Compiled<Value> {
        if cells > MOST_CELLS {
            return Err(Unsupported("too many cells at once"));
        }
        let (one, other) = (self.locate(&places.0)?, self.locate(&places.1)?);
        let (one, other) = (self.load_all(one, cells)?, self.load_all(other, cells)?);
        let difference = self.difference(&one, &other);
        Ok(self.is(IntCC::Equal, difference, 0))
    }

    /// Not zero if some of the values are different from their counterparts.
    pub(super) fn difference(&mut self, one: &[Value], other: &[Value]) -> Value {
        let mut difference = self.constant(0);
        for (&one, &other) in one.iter().zip(other) {
            let part = self.builder.ins().bxor(one, other);
            difference = self.builder.ins().bor(difference, part);
        }
        difference
    }

    /// Emits a value.
    pub(super) fn value(&mut self, value: &form::Value) -> Compiled<Value> {
        if let Some(flag) = self.flag(value)? {
            return Ok(self.boolean(flag));
        }
        match value {
            form::Value::Constant(number) => Ok(self.constant(*number)),
            form::Value::Register(register) => self.register(*register),
            form::Value::Peek(place, _) => self.peek(place),
            form::Value::Load(place, _) => {
                let found = self.peek(place)?;
                self.trap_undefined(found);
                Ok(found)
            }
            form::Value::Complement(operand) => {
                let operand = self.value(operand)?;
                Ok(self.builder.ins().bnot(operand))
            }
            form::Value::Binary(Operator::Arithmetic(operator), a, b) => {
                self.arithmetic(*operator, a, b)
            }
            form::Value::Next(operand, size) => {
                let operand = self.value(operand)?;
                Ok(self.next(operand, *size))
            }
            form::Value::Previous(operand, size) => {
                let operand = self.value(operand)?;
                let is_first = self.is(IntCC::Equal, operand, 0);
                let last = self.constant(size - 1);
                let before = self.builder.ins().iadd_imm(operand, -1);
                Ok(self.builder.ins().select(is_first, last, before))
            }
            form::Value::Inside(operand, range) => self.inside(operand, *range),
            form::Value::Translate(operand, table) => {
                let operand = self.value(operand)?;
                let (is_there, translated) = self.translate(operand, table);
                self.unless_go(is_there, self.trap);
                Ok(translated)
            }
            form::Value::If(parts) => self.choice(&parts[0], &parts[1], &parts[2]),
            form::Value::Sum(parts) => {
                let may_overflow = bounds(value, self.frame).range == Range::ALL;
                self.sum(&parts.0, &parts.1, may_overflow)
            }
            form::Value::Count(parts) => self.count(&parts.0, parts.1, &parts.2),
            form::Value::Once(register, value) => self.once(*register, value),
            form::Value::After(statements, value) => {
                self.statements(statements)?;
                self.value(value)
            }
            form::Value::Call(_) => Err(Unsupported("a function is not expanded")),
            form::Value::Not(_) | form::Value::Quantified(_) => {
                self.choice(value, &form::Value::Constant(1), &form::Value::Constant(0))
            }
            form::Value::IsUndefined(_)
            | form::Value::IsTranslated(..)
            | form::Value::SameCells(..)
            | form::Value::Binary(..) => unreachable!("they are flags"),
        }
    }

    /// One of two values.
    fn choice(
        &mut self,
        condition: &form::Value,
        then: &form::Value,
        otherwise: &form::Value,
    ) -> Compiled<Value> {
        let (yes, no) = (self.block(), self.block());
        let (done, result) = self.block_with();
        self.condition(condition, yes, no)?;
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.begin(block);
            let value = self.value(value)?;
            self.go_with(done, value);
        }
        self.begin(done);
        Ok(result)
    }

    /// A value in a range. Undefined is in none that has a bound, so that the content of a place
    /// needs one comparison only.
    fn inside(&mut self, operand: &form::Value, range: Range) -> Compiled<Value> {
        let value = match operand {
            form::Value::Load(place, _) if range.low > UNDEFINED => self.peek(place)?,
            _ => self.value(operand)?,
        };
        if !range.contains(bounds(operand, self.frame).certain()) {
            self.trap_outside(value, range);
        }
        Ok(value)
    }

    /// A value that is kept in a register after it was evaluated.
    fn once(&mut self, register: Register, value: &form::Value) -> Compiled<Value> {
        let evaluate = self.block();
        let (done, result) = self.block_with();
        let kept = self.register(register)?;
        let is_open = self.is(IntCC::Equal, kept, UNDEFINED);
        self.builder.ins().brif(is_open, evaluate, &[], done, &[BlockArg::Value(kept)]);
        self.begin(evaluate);
        let value = self.value(value)?;
        self.set(register, value)?;
        self.go_with(done, value);
        self.begin(done);
        Ok(result)
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
        a: &form::Value,
        b: &form::Value,
    ) -> Compiled<Value> {
        let of = (bounds(a, self.frame), bounds(b, self.frame));
        let (a, b) = (self.value(a)?, self.value(b)?);
        let may_overflow = exact(operator, of.0, of.1).is_none();
        Ok(match operator {
            Arithmetic::Add => {
                self.trap_if_large(may_overflow, [a, b], 61);
                self.builder.ins().iadd(a, b)
            }
            Arithmetic::Subtract => {
                self.trap_if_large(may_overflow, [a, b], 61);
                self.builder.ins().isub(a, b)
            }
            Arithmetic::Multiply => {
                self.trap_if_large(may_overflow, [a, b], 30);
                self.builder.ins().imul(a, b)
            }
            Arithmetic::Divide => {
                self.trap_if_refused(b, of.1.certain());
                self.builder.ins().sdiv(a, b)
            }
            Arithmetic::Remainder => {
                self.trap_if_refused(b, of.1.certain());
                self.builder.ins().srem(a, b)
            }
            Arithmetic::BitwiseAnd => self.builder.ins().band(a, b),
            Arithmetic::BitwiseOr => self.builder.ins().bor(a, b),
            Arithmetic::BitwiseXor => self.builder.ins().bxor(a, b),
            Arithmetic::ShiftLeft => {
                self.trap_outside(b, SHIFTS);
                let shifted = self.builder.ins().ishl(a, b);
                let back = self.builder.ins().sshr(shifted, b);
                let lost = self.builder.ins().icmp(IntCC::NotEqual, back, a);
                self.trap_if(lost);
                shifted
            }
            Arithmetic::ShiftRight => {
                self.trap_outside(b, SHIFTS);
                self.builder.ins().sshr(a, b)
            }
        })
    }

    /// If an operation may overflow, gives up on operands beyond a power of two.
    fn trap_if_large(&mut self, may_overflow: bool, operands: [Value; 2], bits: u32) {
        if may_overflow {
            for operand in operands {
                self.trap_outside(operand, Range { low: -1 << bits, high: 1 << bits });
            }
        }
    }

    /// Gives up on divisors that the processor may refuse: there is no quotient by 0, and perhaps
    /// none by -1.
    fn trap_if_refused(&mut self, divisor: Value, range: Range) {
        if range.low <= 0 && range.high >= -1 {
            let above = self.builder.ins().iadd_imm(divisor, 1);
            let refused = self.builder.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, above, 1);
            self.trap_if(refused);
        }
    }

    fn sum(&mut self, over: &Loop, one: &form::Value, may_overflow: bool) -> Compiled<Value> {
        let total = self.counter();
        self.each_of(over, |emitter, _| {
            let one = emitter.value(one)?;
            let before = emitter.builder.use_var(total);
            emitter.trap_if_large(may_overflow, [before, one], 61);
            let sum = emitter.builder.ins().iadd(before, one);
            emitter.builder.def_var(total, sum);
            Ok(())
        })?;
        Ok(self.builder.use_var(total))
    }
}

/// The amounts of shifts that generated code supports.
const SHIFTS: Range = Range { low: 0, high: 62 };
