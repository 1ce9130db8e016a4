//! Executes the [intermediate form](super::form) as it is: walks over values and statements.
//!
//! This back end needs no preparation, so that small models are done before machine code would be
//! made. It trusts memory: what a cell holds is a value of its type, and is not checked again. When
//! something fails, it returns only [`Trap::Failure`]: the reference interpreter then determines what
//! happened, and its answer is final.

mod scope;
#[cfg(test)]
mod tests;

use super::cells::UNDEFINED;
use super::form::{
    Base, Call, Cells, Domain, FunctionForm, Loop, Operator, Place, Quantifier, Register,
    Statement, Value, Values,
};
use super::machine::{Machine, Trap};
use model::checked::{Arithmetic, Comparison};
use model::{calculate, compare};

type Executed = Result<(), Trap>;
type Evaluated = Result<i64, Trap>;

/// The greatest depth of calls. The reference interpreter allows more and takes over beyond it.
const DEEPEST_CALL: u32 = 200;

impl Machine<'_> {
    /// The cell of a register.
    #[inline]
    fn cell(&self, register: Register) -> usize {
        self.registers + register.0 as usize
    }

    /// The address of cells.
    #[inline]
    fn address(&mut self, cells: &Cells) -> Result<usize, Trap> {
        let mut at = match cells.base {
            Base::State(cell) => cell,
            Base::Frame(cell) => self.cells + cell,
            Base::Pointer(register, offset) => self.memory[self.cell(register)] as usize + offset,
        };
        for index in &cells.indices {
            let value = self.index(&index.value)?.wrapping_sub(index.least);
            at = at.wrapping_add((value as usize).wrapping_mul(index.stride));
        }
        Ok(at)
    }

    /// The address of a place.
    #[inline]
    fn locate(&mut self, place: &Place) -> Result<usize, Trap> {
        match place {
            Place::Register(register) => Ok(self.cell(*register)),
            Place::Cells(cells) => self.address(cells),
        }
    }

    /// What is stored in a place, defined or not.
    #[inline]
    pub(crate) fn peek(&mut self, place: &Place) -> Evaluated {
        let at = self.locate(place)?;
        Ok(self.memory[at])
    }

    /// What is stored in a place; traps if that is undefined.
    #[inline]
    fn load(&mut self, place: &Place) -> Evaluated {
        match self.peek(place)? {
            UNDEFINED => Err(Trap::Failure),
            found => Ok(found),
        }
    }

    /// Stores a value in a place.
    pub(crate) fn set(&mut self, place: &Place, value: i64) -> Executed {
        let at = self.locate(place)?;
        self.store(at, value);
        Ok(())
    }

    /// Evaluates an index. Most are constants or registers, and need no call.
    #[inline]
    fn index(&mut self, value: &Value) -> Evaluated {
        match value {
            Value::Constant(number) => Ok(*number),
            Value::Register(register) => Ok(self.memory[self.cell(*register)]),
            _ => self.value(value),
        }
    }

    /// Evaluates an operand. Most are constants, registers or loads, and need no call.
    #[inline]
    fn operand(&mut self, value: &Value) -> Evaluated {
        match value {
            Value::Load(place, _) => self.load(place),
            Value::Peek(place) => self.peek(place),
            _ => self.index(value),
        }
    }

    /// Whether a condition is true.
    #[inline]
    fn is_true(&mut self, condition: &Value) -> Result<bool, Trap> {
        Ok(self.value(condition)? != 0)
    }

    /// Evaluates a value.
    pub(crate) fn value(&mut self, value: &Value) -> Evaluated {
        match value {
            Value::Constant(number) => Ok(*number),
            Value::Register(register) => Ok(self.memory[self.cell(*register)]),
            Value::Load(place, _) => self.load(place),
            Value::Peek(place) => self.peek(place),
            Value::Binary(operator, a, b) => {
                let a = self.operand(a)?;
                operate(*operator, a, self.operand(b)?)
            }
            Value::Inside(operand, range) => match self.operand(operand)? {
                value if range.low <= value && value <= range.high => Ok(value),
                _ => Err(Trap::Failure),
            },
            Value::If(parts) => {
                let [condition, yes, no] = &**parts;
                if self.is_true(condition)? { self.index(yes) } else { self.index(no) }
            }
            _ => self.compound(value),
        }
    }

    /// Evaluates a value of another kind. They are apart because most values are of the kinds above,
    /// and need less of the stack.
    #[inline(never)]
    fn compound(&mut self, value: &Value) -> Evaluated {
        match value {
            Value::Address(place) => Ok(self.locate(place)? as i64),
            Value::Translate(operand, table) => {
                let position = self.operand(operand)? as usize;
                Ok(table.get(position).copied().unwrap_or(-1))
            }
            Value::Quantified(quantifier) => self.quantified(quantifier),
            Value::Sum(parts) => {
                let (over, one) = &**parts;
                let mut sum = 0_i64;
                self.each(over, |m| {
                    // If only a partial sum does not fit, the interpreter has the result.
                    sum = sum.checked_add(m.index(one)?).ok_or(Trap::Failure)?;
                    Ok(true)
                })?;
                Ok(sum)
            }
            Value::SameCells(both, cells) => {
                let (a, b) = (self.address(&both.0)?, self.address(&both.1)?);
                Ok(i64::from(self.memory[a..a + cells] == self.memory[b..b + cells]))
            }
            Value::Once(register, value) => {
                let kept = self.cell(*register);
                if self.memory[kept] == UNDEFINED {
                    self.memory[kept] = self.value(value)?;
                }
                Ok(self.memory[kept])
            }
            Value::After(statements, value) => {
                self.statements(statements)?;
                self.index(value)
            }
            Value::Call(call) => self.call(call),
            _ => self.value(value),
        }
    }

    /// The values of a loop.
    fn values(&mut self, over: &Domain) -> Result<Values, Trap> {
        let steps = match over {
            Domain::Fixed(values) => return Ok(*values),
            Domain::Steps(steps) => steps,
        };
        let (from, to) = (self.index(&steps.from)?, self.index(&steps.to)?);
        let by = self.index(&steps.by)?;
        if by == 0 || by > 0 && from > to || by < 0 && from < to {
            return Err(Trap::Failure);
        }
        Ok(Values { from, by, count: from.abs_diff(to) / by.unsigned_abs() + 1 })
    }

    /// Binds one value of a loop after another and visits each, while visits return true. Returns
    /// whether all did.
    #[inline]
    fn each(
        &mut self,
        over: &Loop,
        visit: impl FnMut(&mut Self) -> Result<bool, Trap>,
    ) -> Result<bool, Trap> {
        let values = self.values(&over.over)?;
        self.each_of(over.register, values, visit)
    }

    #[inline]
    fn each_of(
        &mut self,
        register: Register,
        values: Values,
        mut visit: impl FnMut(&mut Self) -> Result<bool, Trap>,
    ) -> Result<bool, Trap> {
        let cell = self.cell(register);
        let mut value = values.from;
        for _ in 0..values.count {
            self.count();
            self.memory[cell] = value;
            if !visit(self)? {
                return Ok(false);
            }
            value = value.wrapping_add(values.by);
        }
        Ok(true)
    }

    fn quantified(&mut self, quantifier: &Quantifier) -> Evaluated {
        let Quantifier { is_exists, over, body, is_unordered } = quantifier;
        let mut has_failed = false;
        let is_open = self.each(over, |m| match m.is_true(body) {
            Err(_) if *is_unordered => {
                has_failed = true;
                Ok(true)
            }
            found => Ok(found? != *is_exists),
        })?;
        if is_open && has_failed {
            Err(Trap::Failure)
        } else {
            Ok(i64::from(is_open != *is_exists))
        }
    }

    /// Executes statements up to the first `return` among them.
    pub(crate) fn block(&mut self, list: &[Statement]) -> Executed {
        match self.statements(list) {
            Err(Trap::Returned) => Ok(()),
            outcome => outcome,
        }
    }

    fn statements(&mut self, list: &[Statement]) -> Executed {
        list.iter().try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &Statement) -> Executed {
        match statement {
            Statement::Set(place, value) => {
                let at = self.locate(place)?;
                let value = self.operand(value)?;
                self.store(at, value);
            }
            Statement::Fill(cells, values) => {
                let at = self.address(cells)?;
                for (cell, &value) in (at..).zip(values) {
                    self.store(cell, value);
                }
            }
            Statement::Copy { to, from, cells } => {
                let to = self.address(to)?;
                let from = self.address(from)?;
                self.copy(from, to, *cells);
            }
            Statement::If(condition, yes, no) => {
                let chosen = if self.is_true(condition)? { yes } else { no };
                return self.statements(chosen);
            }
            Statement::For { over, is_unordered, body } => {
                self.each(over, |m| match m.statements(body) {
                    // Another iteration may fail, and a failure takes precedence.
                    Err(Trap::Abandoned) if *is_unordered => Err(Trap::Failure),
                    outcome => outcome.map(|()| true),
                })?;
            }
            Statement::While(condition, body) => {
                while self.is_true(condition)? {
                    self.count();
                    self.statements(body)?;
                }
            }
            Statement::Block(body) => return self.block(body),
            Statement::Return => return Err(Trap::Returned),
            Statement::Trap => return Err(Trap::Failure),
            Statement::Abandon => return Err(Trap::Abandoned),
            Statement::Cover(property) => {
                if !self.covered.contains(property) {
                    self.covered.push(*property);
                }
            }
        }
        Ok(())
    }

    /// Calls a function.
    fn call(&mut self, call: &Call) -> Evaluated {
        let functions = self.functions;
        let called = functions.get(call.function).and_then(Option::as_ref).ok_or(Trap::Failure)?;
        if self.depth == DEEPEST_CALL {
            return Err(Trap::Failure);
        }
        self.count();
        let before = (self.registers, self.cells, self.top);
        self.depth += 1;
        let outcome = self.called(called, &call.arguments);
        self.depth -= 1;
        (self.registers, self.cells, self.top) = before;
        outcome
    }

    /// Evaluates the arguments of a call, and executes the function in a frame of its own.
    fn called(&mut self, called: &FunctionForm, arguments: &[Value]) -> Evaluated {
        // They are held before the frame until all are known: evaluating one may use what follows.
        let held = self.top;
        self.top += arguments.len();
        self.memory.resize(self.memory.len().max(self.top), UNDEFINED);
        for (k, argument) in arguments.iter().enumerate() {
            self.memory[held + k] = self.value(argument)?;
        }
        self.enter(self.top, &called.frame);
        for (k, &parameter) in called.parameters.iter().enumerate() {
            let cell = self.cell(parameter);
            self.memory[cell] = self.memory[held + k];
        }
        self.block(&called.body)?;
        Ok(called.result.map_or(0, |register| self.memory[self.cell(register)]))
    }
}

#[inline]
fn operate(operator: Operator, a: i64, b: i64) -> Evaluated {
    let holds = match operator {
        Operator::Arithmetic(operator) => {
            let result = match operator {
                Arithmetic::Add => a.checked_add(b),
                Arithmetic::Subtract => a.checked_sub(b),
                other => calculate(other, a, b).ok(),
            };
            return result.ok_or(Trap::Failure);
        }
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        Operator::Compare(Comparison::Less) => a < b,
        Operator::Compare(other) => compare(other, a, b),
    };
    Ok(i64::from(holds))
}
