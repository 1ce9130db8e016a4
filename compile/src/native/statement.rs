//! Emits statements.

use super::emit::Emitter;
use super::place::Located;
use super::{Compiled, MOST_CELLS, MOST_TURNS, Unsupported};
use crate::form::{self, Statement};
use cranelift_codegen::ir::Block;
use model::checked::PropertyId;

impl Emitter<'_, '_> {
    /// Emits a sequence of statements.
    pub(super) fn statements(&mut self, list: &[Statement]) -> Compiled<()> {
        list.iter().try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &Statement) -> Compiled<()> {
        match statement {
            Statement::Set(register, value) => {
                let value = self.value(value)?;
                self.set(*register, value)
            }
            Statement::Undefine(register) => self.undefine(*register),
            Statement::Store(to, value) => {
                self.store(to, |emitter| Ok(vec![emitter.value(value)?]))
            }
            Statement::Fill(_, constants) if constants.len() > MOST_CELLS => {
                Err(Unsupported("too many cells at once"))
            }
            Statement::Fill(to, constants) => self.store(to, |emitter| {
                Ok(constants.iter().map(|&one| emitter.constant(one)).collect())
            }),
            Statement::Copy { to, from, cells } => self.store(to, |emitter| {
                let from = emitter.locate(from)?;
                emitter.load_all(from, *cells)
            }),
            Statement::If(condition, then, otherwise) => {
                let (yes, no, done) = (self.block(), self.block(), self.block());
                self.condition(condition, yes, no)?;
                self.arm(yes, then, done)?;
                self.arm(no, otherwise, done)?;
                self.begin(done);
                Ok(())
            }
            Statement::For { over, is_unordered, body } => {
                let abandon = self.abandon;
                if *is_unordered {
                    // Another iteration may fail, and a failure takes precedence.
                    self.abandon = None;
                }
                self.each_of(over, |emitter, _| emitter.statements(body))?;
                self.abandon = abandon;
                Ok(())
            }
            Statement::While(condition, body) => self.repeat(condition, body),
            Statement::Block(statements) => {
                let end = self.block();
                let outer = self.exit.replace(end);
                self.arm_here(statements, end)?;
                self.exit = outer;
                self.begin(end);
                Ok(())
            }
            Statement::Return => {
                let exit = self.exit.ok_or(Unsupported("nothing to return from"))?;
                self.go(exit);
                Ok(())
            }
            Statement::Trap => {
                self.go(self.trap);
                Ok(())
            }
            Statement::Abandon => {
                self.go(self.abandon.unwrap_or(self.trap));
                Ok(())
            }
            Statement::Cover(property) => self.cover(*property),
            Statement::Evaluate(value) => self.value(value).map(|_| ()),
            Statement::Locate(cells) => self.locate(cells).map(|_| ()),
            Statement::Add(bag, element) => self.add(bag, element),
            Statement::Remove(element) => self.remove(element),
            Statement::RemoveWhere(bag, slot, condition) => {
                self.remove_where(bag, *slot, condition)
            }
            Statement::Clear(bag) => self.clear(bag),
            Statement::CopyBag { to, from } => self.copy_bag(to, from),
        }
    }

    /// Emits one of several bodies, which begins at a block and continues after all of them.
    fn arm(&mut self, at: Block, body: &[Statement], done: Block) -> Compiled<()> {
        self.begin(at);
        self.arm_here(body, done)
    }

    /// Emits a body that continues at a block.
    fn arm_here(&mut self, body: &[Statement], done: Block) -> Compiled<()> {
        self.statements(body)?;
        self.go(done);
        Ok(())
    }

    /// Repeats statements while a condition is true, up to a limit.
    fn repeat(&mut self, condition: &form::Value, body: &[Statement]) -> Compiled<()> {
        let ended = self.block();
        self.each_below(MOST_TURNS, |emitter, _, _, _| {
            let again = emitter.block();
            emitter.condition(condition, again, ended)?;
            emitter.begin(again);
            emitter.statements(body)
        })?;
        self.go(self.trap);
        self.begin(ended);
        Ok(())
    }

    fn cover(&mut self, property: PropertyId) -> Compiled<()> {
        let known = self.covers.iter().find(|(known, _)| *known == property);
        let at = if let Some(&(_, cell)) = known {
            Located::fixed(cell)
        } else {
            self.covers.push((property, self.extent.memory));
            self.allocate(1)
        };
        let seen = self.constant(1);
        self.put(at, seen)
    }
}
