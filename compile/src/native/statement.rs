//! Emits statements.

use super::emit::Emitter;
use super::place::{Known, Located};
use super::{MOST_CELLS, MOST_TURNS};
use crate::form::{Place, Statement, Values};

impl Emitter<'_, '_> {
    /// Emits a sequence of statements.
    pub(super) fn statements(&mut self, list: &[Statement]) {
        for one in list {
            self.statement(one);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Set(Place::Register(register), value) => {
                let value = self.value(value);
                self.set(*register, value);
            }
            Statement::Set(Place::Cells(to), value) => {
                let known = Known::of(value, self.frame);
                self.store(to, |emitter| vec![(emitter.value(value), known)]);
            }
            Statement::Fill(to, constants) => self.store(to, |emitter| {
                if constants.len() > MOST_CELLS {
                    emitter.refuse("too many cells at once");
                }
                let constants = constants.iter().take(MOST_CELLS);
                constants.map(|&one| (emitter.constant(one), Known::Constant(one))).collect()
            }),
            Statement::Copy { to, from, cells } => self.store(to, |emitter| {
                let from = emitter.address(from);
                let values = emitter.load_all(from, *cells);
                values.into_iter().map(|value| (value, Known::Nothing)).collect()
            }),
            Statement::If(condition, then, otherwise) => {
                let (yes, no, done) = (self.block(), self.block(), self.block());
                self.condition(condition, yes, no);
                for (block, arm) in [(yes, then), (no, otherwise)] {
                    self.begin(block);
                    self.statements(arm);
                    self.go(done);
                }
                self.begin(done);
            }
            Statement::For(over, body) => {
                self.each(*over, |emitter, _, _| emitter.statements(body));
            }
            Statement::While(condition, body) => {
                let ended = self.block();
                let turns = Values { from: 0, by: 1, count: MOST_TURNS };
                self.turns(turns, |emitter, _, _, _| {
                    let again = emitter.block();
                    emitter.condition(condition, again, ended);
                    emitter.begin(again);
                    emitter.statements(body);
                });
                self.go(self.trap);
                self.begin(ended);
            }
            Statement::Block(statements) => {
                let end = self.block();
                let outer = self.exit.replace(end);
                self.statements(statements);
                self.exit = outer;
                self.go(end);
                self.begin(end);
            }
            Statement::Return => match self.exit {
                Some(exit) => self.go(exit),
                None => self.refuse("nothing to return from"),
            },
            Statement::Trap => self.go(self.trap),
            Statement::Abandon => self.go(self.abandon.unwrap_or(self.trap)),
            Statement::Cover(property) => {
                let known = self.covers.iter().find(|(known, _)| known == property);
                let cell = known.map_or(self.extent.memory, |&(_, cell)| cell);
                if known.is_none() {
                    self.covers.push((*property, cell));
                }
                let seen = self.constant(1);
                self.put(Located::fixed(cell), seen, Known::Constant(1));
            }
        }
    }
}
