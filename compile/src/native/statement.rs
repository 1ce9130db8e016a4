//! Emits statements, and calls, which are expanded inline.

use super::emit::{Binding, EmittedValue, Emitter, Exit};
use super::place::Located;
use super::{Compiled, MOST_CALLS, MOST_TURNS, Unsupported};
use crate::cells::{flatten, width};
use crate::closures::types::Values;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value, types};
use model::checked::{
    Argument, Expression, ExpressionKind, FunctionId, LocalId, LocalKind, Place, PropertyId, Root,
    Statement, StatementKind,
};
use model::syntax::PropertyKind;
use model::types::TypeId;
use model::value::Value as Constant;
use model::walk;

/// The result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Returned {
    Nothing,
    Simple(EmittedValue),
    /// The place of the result, valid until the same call is executed again.
    Place(Located),
}

impl<'m> Emitter<'_, 'm> {
    /// Emits a sequence of statements.
    pub(super) fn statements(&mut self, list: &'m [Statement]) -> Compiled<()> {
        list.iter().try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &'m Statement) -> Compiled<()> {
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(target, value),
            StatementKind::Clear(place) => {
                let least = Constant::least(&self.model.types, place.of);
                self.set(place, &least)
            }
            StatementKind::Undefine(place) => {
                let undefined = Constant::undefined(&self.model.types, place.of);
                self.set(place, &undefined)
            }
            StatementKind::If { branches, otherwise } => {
                let done = self.block();
                for (condition, body) in branches {
                    let (yes, no) = (self.block(), self.block());
                    self.condition(condition, yes, no)?;
                    self.arm(yes, body, done)?;
                    self.begin(no);
                }
                self.rest(otherwise, done)
            }
            StatementKind::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise)
            }
            StatementKind::For { binder, unordered, body } => {
                let values = self.values(&binder.domain)?;
                let abandon = self.abandon;
                if *unordered {
                    // Another iteration may fail, and a failure takes precedence.
                    self.abandon = None;
                }
                self.each(values, |emitter, value, _| {
                    emitter.bind(binder.local, Binding::Value(value));
                    emitter.statements(body)
                })?;
                self.abandon = abandon;
                Ok(())
            }
            StatementKind::Alias { local, target, body } => {
                self.bind_alias(*local, target)?;
                self.statements(body)
            }
            StatementKind::Return(value) => self.return_value(value.as_ref()),
            StatementKind::Error(_) => {
                self.go(self.trap);
                Ok(())
            }
            StatementKind::PutText(_) => Ok(()),
            StatementKind::Put(value) => self.put(value),
            StatementKind::Call { function, arguments } => {
                self.call(*function, arguments)?;
                Ok(())
            }
            StatementKind::Property { property, condition } => self.property(*property, condition),
            StatementKind::Accumulate { target, or, value, .. } => {
                let (found, perhaps) = self.peek(target)?;
                if perhaps {
                    self.trap_undefined(found.value);
                }
                let (open, done) = (self.block(), self.block());
                let is_decided = self.is(IntCC::Equal, found.value, i64::from(*or));
                self.branch(is_decided, done, open);
                self.begin(open);
                let value = self.simple(value)?;
                self.write(target, value.value)?;
                self.go(done);
                self.begin(done);
                Ok(())
            }
            StatementKind::MultisetAdd { element, multiset } => self.add(element, multiset),
            StatementKind::MultisetRemove { local, multiset } => self.remove(*local, multiset),
            StatementKind::MultisetRemoveWhere { local, multiset, condition } => {
                self.remove_where(*local, multiset, condition)
            }
            StatementKind::While { condition, body } => {
                let turns = Values { from: 0, by: 1, count: MOST_TURNS };
                let ended = self.block();
                self.each(turns, |emitter, _, _| {
                    let again = emitter.block();
                    emitter.condition(condition, again, ended)?;
                    emitter.begin(again);
                    emitter.statements(body)
                })?;
                self.go(self.trap);
                self.begin(ended);
                Ok(())
            }
        }
    }

    fn assign(&mut self, target: &'m Place, value: &'m Expression) -> Compiled<()> {
        if self.model.types.contains_multiset(target.of) {
            return Err(Unsupported);
        }
        if !self.model.types.is_simple(target.of) {
            let cells = width(&self.model.types, target.of);
            let to = self.locate(target)?;
            let from = self.complex(value)?;
            return self.copy(from, to, cells);
        }
        if let Some(variable) = self.register(target) {
            let value = self.simple_in(value, target.of)?;
            self.builder.def_var(variable, value.value);
            return Ok(());
        }
        let to = self.locate(target)?;
        let value = self.simple_in(value, target.of)?;
        self.store(to, value.value)
    }

    /// The variable that a place stands for, if it is one.
    fn register(&self, place: &Place) -> Option<cranelift_frontend::Variable> {
        match (place.root, &place.selectors[..]) {
            (Root::Local(id), []) => match self.binding(id) {
                Binding::Register(variable, _) => Some(variable),
                _ => None,
            },
            _ => None,
        }
    }

    /// Stores a simple value.
    fn write(&mut self, place: &Place, value: Value) -> Compiled<()> {
        if let Some(variable) = self.register(place) {
            self.builder.def_var(variable, value);
            return Ok(());
        }
        let to = self.locate(place)?;
        self.store(to, value)
    }

    /// Stores a constant.
    fn set(&mut self, place: &Place, value: &Constant) -> Compiled<()> {
        if self.model.types.contains_multiset(place.of) {
            return Err(Unsupported);
        }
        let mut cells = Vec::new();
        flatten(&self.model.types, place.of, value, &mut cells);
        if let Some(variable) = self.register(place) {
            let value = self.constant(cells[0]);
            self.builder.def_var(variable, value);
            return Ok(());
        }
        let at = self.locate(place)?;
        self.fill(at, &cells)
    }

    fn switch(
        &mut self,
        subject: &'m Expression,
        cases: &'m [(Vec<Expression>, Vec<Statement>)],
        otherwise: &'m [Statement],
    ) -> Compiled<()> {
        if !self.model.types.is_simple(subject.of) {
            return Err(Unsupported);
        }
        let value = self.simple(subject)?;
        let done = self.block();
        for (values, body) in cases {
            let (yes, no) = (self.block(), self.block());
            for one in values {
                if one.of != subject.of && !self.model.types.is_range(one.of) {
                    return Err(Unsupported);
                }
                let other = self.block();
                let wanted = self.simple(one)?;
                let equal = self.builder.ins().icmp(IntCC::Equal, wanted.value, value.value);
                self.branch(equal, yes, other);
                self.begin(other);
            }
            self.go(no);
            self.arm(yes, body, done)?;
            self.begin(no);
        }
        self.rest(otherwise, done)
    }

    /// Emits one of several bodies, which begins at a block and continues after all of them.
    fn arm(&mut self, at: Block, body: &'m [Statement], done: Block) -> Compiled<()> {
        self.begin(at);
        self.statements(body)?;
        self.go(done);
        Ok(())
    }

    /// Emits the last of several bodies in the current block.
    fn rest(&mut self, body: &'m [Statement], done: Block) -> Compiled<()> {
        self.statements(body)?;
        self.go(done);
        self.begin(done);
        Ok(())
    }

    fn property(&mut self, id: PropertyId, condition: &'m Expression) -> Compiled<()> {
        let (yes, next) = (self.block(), self.block());
        match self.model.properties[id.0 as usize].kind {
            PropertyKind::Invariant | PropertyKind::Assert => {
                self.condition(condition, next, self.trap)?;
            }
            PropertyKind::Assume => {
                let abandon = self.abandon.unwrap_or(self.trap);
                self.condition(condition, next, abandon)?;
            }
            PropertyKind::Cover | PropertyKind::Liveness => {
                let known = self.covers.iter().find(|(known, _)| *known == id);
                let at = if let Some(&(_, cell)) = known {
                    Located::fixed(cell)
                } else {
                    self.covers.push((id, self.extent.memory));
                    self.allocate(1)
                };
                self.condition(condition, yes, next)?;
                self.begin(yes);
                let seen = self.constant(1);
                self.store(at, seen)?;
                self.go(next);
            }
        }
        self.begin(next);
        Ok(())
    }

    /// Binds a local to a place or to a value.
    pub(super) fn bind_alias(&mut self, local: LocalId, target: &'m Expression) -> Compiled<()> {
        let binding = match &target.kind {
            ExpressionKind::Read(place) => match (place.root, &place.selectors[..]) {
                (Root::Local(id), []) => match self.binding(id) {
                    Binding::None | Binding::Register(..) | Binding::Chosen(_) => {
                        return Err(Unsupported);
                    }
                    known => known,
                },
                _ => Binding::Place(self.locate(place)?),
            },
            _ if self.model.types.is_simple(target.of) => Binding::Value(self.simple(target)?),
            _ => Binding::Place(self.complex(target)?),
        };
        self.bind(local, binding);
        Ok(())
    }

    fn return_value(&mut self, value: Option<&'m Expression>) -> Compiled<()> {
        let exit = self.exit.ok_or(Unsupported)?;
        let Some(value) = value else {
            // A function with a result must return a value.
            if exit.result.is_some() {
                return Err(Unsupported);
            }
            self.go(exit.block);
            return Ok(());
        };
        let of: TypeId = exit.result.ok_or(Unsupported)?;
        if let Some(to) = exit.place {
            let cells = width(&self.model.types, of);
            let from = self.complex(value)?;
            self.copy(from, to, cells)?;
            self.go(exit.block);
            return Ok(());
        }
        // A number is not checked against the range of the result, only where it is stored.
        let value = if self.model.types.is_range(of) {
            self.simple(value)?
        } else {
            self.simple_in(value, of)?
        };
        self.go_with(exit.block, value.value);
        Ok(())
    }

    /// Prints nothing, but the value's evaluation may fail.
    fn put(&mut self, value: &'m Expression) -> Compiled<()> {
        match &value.kind {
            ExpressionKind::Read(place) if self.register(place).is_some() => {}
            ExpressionKind::Read(place) if self.model.types.is_simple(place.of) => {
                self.peek(place)?;
            }
            _ if self.model.types.is_simple(value.of) => {
                self.simple(value)?;
            }
            _ => {
                self.complex(value)?;
            }
        }
        Ok(())
    }

    /// Emits a call: the body of the function, with its own locals.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Argument],
    ) -> Compiled<Returned> {
        self.expanded += 1;
        if self.calls.contains(&function) || self.expanded > MOST_CALLS {
            return Err(Unsupported);
        }
        let model = self.model;
        let callee = &model.functions[function.0 as usize];
        let mut bindings = vec![Binding::None; callee.locals.len()];
        for (k, (parameter, argument)) in
            callee.locals[..callee.arity].iter().zip(arguments).enumerate()
        {
            let by_reference = parameter.kind == LocalKind::WritableParameter
                || !model.types.is_simple(parameter.of);
            bindings[k] = match argument {
                Argument::Reference(place) if model.types.contains_multiset(place.of) => {
                    return Err(Unsupported);
                }
                Argument::Reference(place) => Binding::Place(self.locate(place)?),
                Argument::Value(value) if by_reference => Binding::Place(self.complex(value)?),
                Argument::Value(value) => self.argument(value, parameter.of)?,
            };
        }
        let block = self.block();
        let result = callee.result.filter(|&of| model.types.is_simple(of));
        let value = result.map(|_| self.builder.append_block_param(block, types::I64));
        let place = match callee.result {
            Some(of) if result.is_none() => Some(self.allocate(width(&model.types, of))),
            _ => None,
        };
        let exit = Exit { block, result: callee.result, place };
        let outer = (self.locals, self.exit);
        let outer_bindings = std::mem::replace(&mut self.bindings, bindings);
        (self.locals, self.exit) = (&callee.locals, Some(exit));
        self.calls.push(function);
        let referred = referred_to(&callee.body);
        self.declare(|id| referred.contains(&id))?;
        self.statements(&callee.body)?;
        self.go(if callee.result.is_some() { self.trap } else { block });
        self.begin(block);
        self.calls.pop();
        (self.locals, self.exit) = outer;
        self.bindings = outer_bindings;
        Ok(match (value, place, callee.result) {
            (Some(value), _, Some(of)) if model.types.is_range(of) => {
                Returned::Simple(EmittedValue {
                    value,
                    low: i64::MIN,
                    high: i64::MAX,
                    is_proved: true,
                })
            }
            (Some(value), _, Some(of)) => Returned::Simple(self.typed(value, of)),
            (None, Some(at), _) => Returned::Place(at),
            _ => Returned::Nothing,
        })
    }
}

/// The locals whose place is referred to by an alias or a parameter.
pub(super) fn referred_to(list: &[Statement]) -> Vec<LocalId> {
    fn look(statement: &Statement, found: &mut Vec<LocalId>) {
        let mut note = |place: &Place| {
            if let Root::Local(id) = place.root {
                found.push(id);
            }
        };
        match &statement.kind {
            StatementKind::Alias {
                target: Expression { kind: ExpressionKind::Read(place), .. },
                ..
            } => note(place),
            StatementKind::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Reference(place) = argument {
                        note(place);
                    }
                }
            }
            _ => {}
        }
        walk::own_expressions(statement, &mut |e| {
            if let ExpressionKind::Call { .. } = e.kind {
                walk::places(e, &mut note);
            }
        });
        walk::substatements(statement, &mut |inner| look(inner, found));
    }
    let mut found = Vec::new();
    for one in list {
        look(one, &mut found);
    }
    found
}
