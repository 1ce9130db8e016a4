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
use super::form::{Cells, Loop, Operator, Place, Quantifier, Register, Statement, Value};
use super::machine::{Machine, Trap};
use model::checked::{Arithmetic, Comparison};
use model::{calculate, compare};

type Executed = Result<(), Trap>;
type Evaluated = Result<i64, Trap>;

impl Machine {
    /// The value of a register, defined or not.
    #[inline]
    fn register(&self, register: Register) -> i64 {
        self.registers[register.0 as usize]
    }

    #[inline]
    pub(crate) fn set_register(&mut self, register: Register, value: i64) {
        self.registers[register.0 as usize] = value;
    }

    /// The address of cells.
    #[inline]
    fn address(&mut self, cells: &Cells) -> Result<usize, Trap> {
        let mut at = cells.base;
        for index in &cells.indices {
            let value = self.index(&index.value)?.wrapping_sub(index.least);
            at = at.wrapping_add((value as usize).wrapping_mul(index.stride));
        }
        Ok(at)
    }

    /// What is stored in a place, defined or not.
    #[inline]
    pub(crate) fn peek(&mut self, place: &Place) -> Evaluated {
        match place {
            Place::Register(register) => Ok(self.register(*register)),
            Place::Cells(cells) => {
                let at = self.address(cells)?;
                Ok(self.memory[at])
            }
        }
    }

    /// What is stored in a place; traps if that is undefined.
    #[inline]
    fn load(&mut self, place: &Place) -> Evaluated {
        match self.peek(place)? {
            UNDEFINED => Err(Trap::Failure),
            found => Ok(found),
        }
    }

    /// Evaluates an index. Most are constants or registers, and need no call.
    #[inline]
    fn index(&mut self, value: &Value) -> Evaluated {
        match value {
            Value::Constant(number) => Ok(*number),
            Value::Register(register) => Ok(self.register(*register)),
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
            Value::Register(register) => Ok(self.register(*register)),
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
            Value::Translate(operand, table) => {
                let position = self.operand(operand)? as usize;
                Ok(table.get(position).copied().unwrap_or(-1))
            }
            Value::Quantified(quantifier) => self.quantified(quantifier),
            Value::Sum(parts) => {
                let (over, one) = &**parts;
                let mut sum = 0_i64;
                self.each(*over, |m| {
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
                if self.register(*register) == UNDEFINED {
                    let value = self.value(value)?;
                    self.set_register(*register, value);
                }
                Ok(self.register(*register))
            }
            Value::After(statements, value) => {
                self.statements(statements)?;
                self.index(value)
            }
            _ => self.value(value),
        }
    }

    /// Binds one value of a loop after another and visits each, while visits return true. Returns
    /// whether all did.
    #[inline]
    fn each(
        &mut self,
        Loop { register, values }: Loop,
        mut visit: impl FnMut(&mut Self) -> Result<bool, Trap>,
    ) -> Result<bool, Trap> {
        let mut value = values.from;
        for _ in 0..values.count {
            self.count();
            self.set_register(register, value);
            if !visit(self)? {
                return Ok(false);
            }
            value = value.wrapping_add(values.by);
        }
        Ok(true)
    }

    fn quantified(&mut self, Quantifier { is_exists, over, body }: &Quantifier) -> Evaluated {
        let is_open = self.each(*over, |m| Ok(m.is_true(body)? != *is_exists))?;
        Ok(i64::from(is_open != *is_exists))
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
            Statement::Set(Place::Register(register), value) => {
                let value = self.operand(value)?;
                self.set_register(*register, value);
            }
            Statement::Set(Place::Cells(to), value) => {
                let at = self.address(to)?;
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
            Statement::For(over, body) => {
                self.each(*over, |m| m.statements(body).map(|()| true))?;
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
