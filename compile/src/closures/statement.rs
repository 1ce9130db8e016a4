//! Statements.

use super::Compiler;
use super::machine::{Eval, Exec, Flow, Trap};
use super::operand::Simple;
use super::place::{Address, Cell};
use crate::cells::UNDEFINED;
use crate::form::{Cells, Loop, Statement, Value};

impl Compiler<'_> {
    /// A sequence of statements.
    pub(super) fn block(&self, list: &[Statement]) -> Exec {
        let mut all: Vec<Exec> = list.iter().map(|one| self.statement(one)).collect();
        match all.len() {
            0 => Box::new(|_, _| Ok(Flow::Next)),
            1 => all.remove(0),
            _ => Box::new(move |code, m| {
                for one in &all {
                    if one(code, m)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
                Ok(Flow::Next)
            }),
        }
    }

    fn statement(&self, statement: &Statement) -> Exec {
        match statement {
            Statement::Set(register, value) => set(self.register(*register), self.simple(value)),
            Statement::Undefine(register) => {
                set(self.register(*register), Simple::Constant(UNDEFINED))
            }
            Statement::Store(cells, value) => self.store(cells, value),
            Statement::Fill(cells, values) => self.fill(cells, values.clone()),
            Statement::Copy { to, from, cells } => self.copy(to, from, *cells),
            Statement::If(condition, yes, no) => self.branches(condition, yes, no),
            Statement::For { over, is_unordered, body } => self.repeat(over, *is_unordered, body),
            Statement::While(condition, body) => {
                let (condition, body) = (self.eval(condition), self.block(body));
                Box::new(move |code, m| {
                    while condition(code, m)? != 0 {
                        m.count();
                        if body(code, m)? == Flow::Return {
                            return Ok(Flow::Return);
                        }
                    }
                    Ok(Flow::Next)
                })
            }
            Statement::Block(body) => {
                let body = self.block(body);
                Box::new(move |code, m| {
                    body(code, m)?;
                    Ok(Flow::Next)
                })
            }
            Statement::Return => Box::new(|_, _| Ok(Flow::Return)),
            Statement::Trap => Box::new(|_, _| Err(Trap::Failure)),
            Statement::Abandon => Box::new(|_, _| Err(Trap::Abandoned)),
            Statement::Cover(property) => {
                let property = *property;
                Box::new(move |_, m| {
                    if !m.covered.contains(&property) {
                        m.covered.push(property);
                    }
                    Ok(Flow::Next)
                })
            }
            Statement::Evaluate(value) => self.simple(value).exec(|_, _| Ok(Flow::Next)),
            Statement::Locate(cells) => {
                let address = self.cells(cells);
                Box::new(move |code, m| {
                    address.at(code, m)?;
                    Ok(Flow::Next)
                })
            }
            Statement::Add(bag, added) => self.add(bag, added),
            Statement::Remove(element) => self.remove(element),
            Statement::RemoveWhere(bag, slot, condition) => {
                self.remove_where(bag, *slot, condition)
            }
            Statement::Clear(bag) => self.clear(bag),
            Statement::CopyBag { to, from } => self.copy_bag(to, from),
        }
    }

    fn store(&self, cells: &Cells, value: &Value) -> Exec {
        let value = self.simple(value);
        match self.cells(cells) {
            Address::Fixed(cell) => value.exec(move |m, value| {
                m.store(cell, value);
                Ok(Flow::Next)
            }),
            // Neither the address nor a plain value changes the other: the order does not matter.
            Address::Indexed(one) if value.is_plain() => value.exec(move |m, value| {
                let address = one.at(m)?;
                m.store(address, value);
                Ok(Flow::Next)
            }),
            address => {
                // Computing the value may have removed the element that is stored to.
                let presence = self.presence(cells).filter(|_| !value.is_plain());
                let value = value.eval();
                Box::new(move |code, m| {
                    let address = address.at(code, m)?;
                    let value = value(code, m)?;
                    if let Some(presence) = &presence {
                        presence.slot(code, m)?;
                    }
                    m.store(address, value);
                    Ok(Flow::Next)
                })
            }
        }
    }

    fn fill(&self, cells: &Cells, values: Vec<i64>) -> Exec {
        let address = self.cells(cells);
        Box::new(move |code, m| {
            let address = address.at(code, m)?;
            for (k, &value) in values.iter().enumerate() {
                m.store(address + k, value);
            }
            Ok(Flow::Next)
        })
    }

    fn copy(&self, to: &Cells, from: &Cells, cells: usize) -> Exec {
        let presence = self.presence(to);
        let (to, from) = (self.cells(to), self.cells(from));
        let presence = presence.filter(|_| !from.is_plain());
        Box::new(move |code, m| {
            let to = to.at(code, m)?;
            let from = from.at(code, m)?;
            if let Some(presence) = &presence {
                presence.slot(code, m)?;
            }
            m.copy(from, to, cells);
            Ok(Flow::Next)
        })
    }

    /// A conditional. One that is all of the alternative of another belongs to the same chain.
    fn branches(&self, condition: &Value, yes: &[Statement], no: &[Statement]) -> Exec {
        let mut made: Vec<(Eval, Exec)> = vec![(self.eval(condition), self.block(yes))];
        let mut otherwise = no;
        while let [Statement::If(condition, yes, no)] = otherwise {
            made.push((self.eval(condition), self.block(yes)));
            otherwise = no;
        }
        let otherwise = self.block(otherwise);
        Box::new(move |code, m| {
            for (condition, body) in &made {
                if condition(code, m)? != 0 {
                    return body(code, m);
                }
            }
            otherwise(code, m)
        })
    }

    fn repeat(&self, over: &Loop, is_unordered: bool, body: &[Statement]) -> Exec {
        let (over, body) = (self.repeated(over), self.block(body));
        Box::new(move |code, m| {
            let returned = over.run(code, m, |m| match body(code, m) {
                Ok(flow) => Ok((flow == Flow::Return).then_some(flow)),
                // Another iteration may fail, and a failure takes precedence.
                Err(Trap::Abandoned) if is_unordered => Err(Trap::Failure),
                Err(trap) => Err(trap),
            })?;
            Ok(returned.unwrap_or(Flow::Next))
        })
    }
}

/// Sets a register.
fn set(register: Cell, value: Simple) -> Exec {
    match register {
        Cell::Fixed(cell) => value.exec(move |m, value| {
            m.memory[cell] = value;
            Ok(Flow::Next)
        }),
        register @ Cell::Frame(_) => value.exec(move |m, value| {
            let cell = register.at(m);
            m.memory[cell] = value;
            Ok(Flow::Next)
        }),
    }
}
