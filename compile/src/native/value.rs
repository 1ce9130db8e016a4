//! Emits values.
//!
//! A condition is emitted as branches to one of two blocks, any other value as a value. Overflow is
//! not detected exactly: where the bounds of the operands do not exclude it, the code gives up on
//! large operands.

use super::emit::Emitter;
use crate::cells::UNDEFINED;
use crate::form::bounds::{bounds, exact};
use crate::form::{self, Cells, Loop, Operator, Quantifier, Range, Register};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use model::checked::{Arithmetic, Comparison};

impl Emitter<'_, '_> {
    /// Jumps to `yes` if a condition is true, else to `no`.
    pub(super) fn condition(&mut self, condition: &form::Value, yes: Block, no: Block) {
        match condition {
            form::Value::Constant(value) => {
                self.go(if *value == 0 { no } else { yes });
            }
            form::Value::If(parts) => self.either(parts, yes, no),
            form::Value::Quantified(quantifier) => self.quantified(quantifier, yes, no),
            form::Value::After(statements, value) => {
                self.statements(statements);
                self.condition(value, yes, no);
            }
            _ => {
                let holds = match self.flag(condition) {
                    Some(flag) => flag,
                    None => self.value(condition),
                };
                self.branch(holds, yes, no);
            }
        }
    }

    /// Jumps as [`Emitter::condition`] does for one of two conditions. A constant one needs no code.
    fn either(&mut self, parts: &[form::Value; 3], yes: Block, no: Block) {
        let [condition, then, otherwise] = parts;
        let target = |emitter: &mut Self, part: &form::Value| match part {
            form::Value::Constant(0) => (no, false),
            form::Value::Constant(_) => (yes, false),
            _ => (emitter.block(), true),
        };
        let (on_true, on_false) = (target(self, then), target(self, otherwise));
        self.condition(condition, on_true.0, on_false.0);
        for ((block, is_new), part) in [(on_true, then), (on_false, otherwise)] {
            if is_new {
                self.begin(block);
                self.condition(part, yes, no);
            }
        }
    }

    fn quantified(&mut self, quantifier: &Quantifier, yes: Block, no: Block) {
        let Quantifier { is_exists, over, body } = quantifier;
        let (decided, open) = if *is_exists { (yes, no) } else { (no, yes) };
        self.each(*over, |emitter, next, _| emitter.jump_if(body, *is_exists, decided, next));
        self.go(open);
    }

    /// Jumps to a block if a condition has the value, else to another one.
    pub(super) fn jump_if(
        &mut self,
        condition: &form::Value,
        value: bool,
        to: Block,
        otherwise: Block,
    ) {
        let (yes, no) = if value { (to, otherwise) } else { (otherwise, to) };
        self.condition(condition, yes, no);
    }

    /// Evaluates a condition that is not short-circuited: a flag of 8 bits, 0 or 1. Other values
    /// have none.
    fn flag(&mut self, condition: &form::Value) -> Option<Value> {
        Some(match condition {
            form::Value::SameCells(places, cells) => self.same_cells(places, *cells),
            form::Value::Binary(operator, a, b) if !matches!(operator, Operator::Arithmetic(_)) => {
                let (a, b) = (self.value(a), self.value(b));
                self.comparison(*operator, a, b)
            }
            _ => return None,
        })
    }

    fn comparison(&mut self, operator: Operator, a: Value, b: Value) -> Value {
        let code = match operator {
            Operator::Equal => IntCC::Equal,
            Operator::NotEqual => IntCC::NotEqual,
            Operator::Compare(Comparison::Less) => IntCC::SignedLessThan,
            Operator::Compare(Comparison::LessOrEqual) => IntCC::SignedLessThanOrEqual,
            Operator::Compare(Comparison::GreaterOrEqual) => IntCC::SignedGreaterThanOrEqual,
            Operator::Compare(Comparison::Greater) => IntCC::SignedGreaterThan,
            Operator::Arithmetic(_) => unreachable!("a number is no condition"),
        };
        self.ins().icmp(code, a, b)
    }

    fn same_cells(&mut self, places: &(Cells, Cells), cells: usize) -> Value {
        let (one, other) = (self.address(&places.0), self.address(&places.1));
        let (one, other) = (self.load_all(one, cells), self.load_all(other, cells));
        let mut difference = self.constant(0);
        for (one, other) in one.into_iter().zip(other) {
            let part = self.ins().bxor(one, other);
            difference = self.ins().bor(difference, part);
        }
        self.is(IntCC::Equal, difference, 0)
    }

    /// Emits a value.
    pub(super) fn value(&mut self, value: &form::Value) -> Value {
        if let Some(flag) = self.flag(value) {
            return self.boolean(flag);
        }
        match value {
            form::Value::Constant(number) => self.constant(*number),
            form::Value::Register(register) => self.register(*register),
            form::Value::Peek(place) => self.peek(place),
            form::Value::Load(place, range) => {
                let found = self.peek(place);
                // It is less than all numbers, and a comparison with 0 is the cheapest.
                let undefined = match range.low {
                    0.. => self.ins().icmp_imm(IntCC::SignedLessThan, found, 0),
                    _ => self.is(IntCC::Equal, found, UNDEFINED),
                };
                self.trap_if(undefined);
                found
            }
            form::Value::Binary(Operator::Arithmetic(operator), a, b) => {
                self.arithmetic(*operator, a, b)
            }
            form::Value::Inside(operand, range) => self.inside(operand, *range),
            form::Value::Translate(operand, table) => {
                let operand = self.value(operand);
                self.translate(operand, table)
            }
            form::Value::If(parts) => self.choice(&parts[0], &parts[1], &parts[2]),
            form::Value::Sum(parts) => {
                let may_overflow = bounds(value, self.frame).range == Range::ALL;
                self.sum(parts.0, &parts.1, may_overflow)
            }
            form::Value::Once(register, value) => self.once(*register, value),
            form::Value::After(statements, value) => {
                self.statements(statements);
                self.value(value)
            }
            form::Value::Quantified(_) => {
                self.choice(value, &form::Value::Constant(1), &form::Value::Constant(0))
            }
            form::Value::SameCells(..) | form::Value::Binary(..) => unreachable!("they are flags"),
        }
    }

    /// One of two values.
    fn choice(
        &mut self,
        condition: &form::Value,
        then: &form::Value,
        otherwise: &form::Value,
    ) -> Value {
        let (yes, no) = (self.block(), self.block());
        let (done, result) = self.block_with();
        self.condition(condition, yes, no);
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.begin(block);
            let value = self.value(value);
            self.go_with(done, value);
        }
        self.begin(done);
        result
    }

    /// A value in a range. Undefined is in none that has a bound, so that the content of a place
    /// needs one comparison only.
    fn inside(&mut self, operand: &form::Value, range: Range) -> Value {
        let value = match operand {
            form::Value::Load(place, _) if range.low > UNDEFINED => self.peek(place),
            _ => self.value(operand),
        };
        if !range.contains(bounds(operand, self.frame).certain()) {
            self.trap_outside(value, range);
        }
        value
    }

    /// A value that is kept in a register after it was evaluated.
    fn once(&mut self, register: Register, value: &form::Value) -> Value {
        let evaluate = self.block();
        let (done, result) = self.block_with();
        let kept = self.register(register);
        let is_open = self.is(IntCC::Equal, kept, UNDEFINED);
        self.ins().brif(is_open, evaluate, &[], done, &[BlockArg::Value(kept)]);
        self.begin(evaluate);
        let value = self.value(value);
        self.set(register, value);
        self.go_with(done, value);
        self.begin(done);
        result
    }

    /// The entry of a table, or -1. Unions have few members, so that neighbours mostly stay neighbours.
    fn translate(&mut self, code: Value, table: &[i64]) -> Value {
        let mut result = self.constant(-1);
        let mut k = 0;
        while k < table.len() {
            let first = table[k];
            if first < 0 {
                k += 1;
                continue;
            }
            let run = table[k..].iter().zip(first..).take_while(|(to, next)| *to == next).count();
            let distance = self.ins().iadd_imm(code, -(k as i64));
            let inside = self.ins().icmp_imm(IntCC::UnsignedLessThan, distance, run as i64);
            let shifted = self.ins().iadd_imm(code, first - k as i64);
            result = self.ins().select(inside, shifted, result);
            k += run;
        }
        result
    }

    fn arithmetic(&mut self, operator: Arithmetic, a: &form::Value, b: &form::Value) -> Value {
        let of = (bounds(a, self.frame), bounds(b, self.frame));
        let (a, b) = (self.value(a), self.value(b));
        if exact(operator, of.0, of.1).is_none() {
            match operator {
                Arithmetic::Add | Arithmetic::Subtract => self.trap_if_large([a, b], 61),
                Arithmetic::Multiply => self.trap_if_large([a, b], 30),
                Arithmetic::Divide | Arithmetic::Remainder => {
                    self.trap_if_refused(b, of.1.certain());
                }
                Arithmetic::ShiftLeft | Arithmetic::ShiftRight => self.trap_outside(b, SHIFTS),
                Arithmetic::BitwiseAnd | Arithmetic::BitwiseOr | Arithmetic::BitwiseXor => {}
            }
        }
        match operator {
            Arithmetic::Add => self.ins().iadd(a, b),
            Arithmetic::Subtract => self.ins().isub(a, b),
            Arithmetic::Multiply => self.ins().imul(a, b),
            Arithmetic::Divide => self.ins().sdiv(a, b),
            Arithmetic::Remainder => self.ins().srem(a, b),
            Arithmetic::BitwiseAnd => self.ins().band(a, b),
            Arithmetic::BitwiseOr => self.ins().bor(a, b),
            Arithmetic::BitwiseXor => self.ins().bxor(a, b),
            Arithmetic::ShiftLeft => {
                let shifted = self.ins().ishl(a, b);
                let back = self.ins().sshr(shifted, b);
                let lost = self.ins().icmp(IntCC::NotEqual, back, a);
                self.trap_if(lost);
                shifted
            }
            Arithmetic::ShiftRight => self.ins().sshr(a, b),
        }
    }

    /// Gives up on operands beyond a power of two: an operation on them may overflow.
    fn trap_if_large(&mut self, operands: [Value; 2], bits: u32) {
        for operand in operands {
            self.trap_outside(operand, Range { low: -1 << bits, high: 1 << bits });
        }
    }

    /// Gives up on divisors that the processor may refuse: there is no quotient by 0, and perhaps
    /// none by -1.
    fn trap_if_refused(&mut self, divisor: Value, range: Range) {
        if range.low <= 0 && range.high >= -1 {
            let above = self.ins().iadd_imm(divisor, 1);
            let refused = self.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, above, 1);
            self.trap_if(refused);
        }
    }

    fn sum(&mut self, over: Loop, one: &form::Value, may_overflow: bool) -> Value {
        let total = self.builder.declare_var(types::I64);
        let zero = self.constant(0);
        self.builder.def_var(total, zero);
        self.each(over, |emitter, _, _| {
            let one = emitter.value(one);
            let before = emitter.builder.use_var(total);
            if may_overflow {
                emitter.trap_if_large([before, one], 61);
            }
            let sum = emitter.ins().iadd(before, one);
            emitter.builder.def_var(total, sum);
        });
        self.builder.use_var(total)
    }
}

/// The amounts of shifts that generated code supports.
const SHIFTS: Range = Range { low: 0, high: 62 };
