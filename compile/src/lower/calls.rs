//! Lowers calls: functions are expanded where they are called. Arguments and aliases give other names to
//! places and values.

use super::place::{Found, Part};
use super::{Binding, Lowered, Lowering, MOST_CALLS, Outcome, Unsupported};
use crate::form::{Call, Cells, FunctionForm, Place, Range, Statement, Value};
use model::checked::{
    self, Argument, Expression, ExpressionKind, Function, FunctionId, LocalId, LocalKind,
    StatementKind,
};
use model::types::TypeId;

impl<'m> Lowering<'m> {
    /// Lowers a call. Returns its simple result, or the place of one that is not simple.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
    ) -> Lowered<(Option<Value>, Option<Cells>)> {
        let callee = &self.model.functions[function.0 as usize];
        let is_expanded = !self.expanding.contains(&function) && self.expanded < MOST_CALLS;
        let bindings = self.passed(callee, arguments)?;
        if let ([one], Some(of)) = (&callee.body[..], callee.result)
            && let StatementKind::Return(Some(value)) = &one.kind
            && is_expanded
            && self.model.types.is_simple(of)
            && callee.locals.iter().all(|local| local.kind != LocalKind::Variable)
        {
            let lower = |lowering: &mut Self| lowering.returned(value, of);
            return Ok((Some(self.inside(function, bindings, Outcome::Nothing, lower)?), None));
        }
        let outcome = match callee.result {
            None => Outcome::Nothing,
            Some(of) if self.model.types.is_simple(of) => {
                Outcome::Simple(self.register(Range::ALL))
            }
            Some(of) => Outcome::Whole(self.allocate_undefined(of)),
        };
        if is_expanded {
            let body = self.body_of(function, bindings, outcome.clone())?;
            self.out.push(Statement::Block(body));
        } else {
            self.called(function, bindings, &outcome)?;
        }
        Ok(match outcome {
            Outcome::Nothing => (None, None),
            Outcome::Whole(cells) => (None, Some(cells)),
            Outcome::Simple(register) => {
                // Numbers are not checked where they are returned.
                let of = callee.result.filter(|&of| !self.model.types.is_range(of));
                let range = of.map_or(Range::ALL, |of| self.range_of(of));
                (Some(Value::Load(Place::Register(register), range)), None)
            }
        })
    }

    /// Evaluates arguments, and binds the parameters of a function to them.
    fn passed(&mut self, callee: &'m Function, arguments: &'m [Argument]) -> Lowered<Vec<Binding>> {
        let mut bindings = vec![Binding::None; callee.locals.len()];
        for (k, argument) in arguments.iter().enumerate() {
            let of = callee.locals[k].of;
            bindings[k] = match argument {
                Argument::Reference(place) => self.reference(place)?,
                Argument::Value(value) if self.model.types.is_simple(of) => {
                    self.argument(value, of)?
                }
                Argument::Value(value) => Binding::Place(self.copied(value)?.into()),
            };
        }
        Ok(bindings)
    }

    /// A reference to a place.
    fn reference(&mut self, place: &'m checked::Place) -> Lowered<Binding> {
        Ok(match self.find(place)? {
            Found::Value(value) => Binding::Value(value),
            Found::Place(Place::Register(register), _) => Binding::Variable(register),
            Found::Place(Place::Cells(cells), within) => {
                Binding::Place(Part { cells: self.fixed(cells), within })
            }
        })
    }

    /// Lowers an argument of a call; an undefined place stays undefined.
    fn argument(&mut self, value: &'m Expression, of: TypeId) -> Lowered<Binding> {
        let found = match &value.kind {
            ExpressionKind::Read(place) => Some(self.find(place)?),
            _ => None,
        };
        let Some(Found::Place(place, _)) = found else {
            let value = self.simple_in(value, of)?;
            return Ok(Binding::Value(self.settled(value)));
        };
        let place = self.fixed_place(place);
        let register = self.register(Range::ALL);
        let load = Value::Load(place.clone(), self.range_of(value.of));
        let converted = self.converted(load.clone(), value.of, of)?;
        self.out.push(if converted == load {
            Statement::register(register, Value::Peek(place))
        } else {
            let (yes, no) =
                (Statement::undefine(register), Statement::register(register, converted));
            Statement::If(Value::is_undefined(place), vec![yes], vec![no])
        });
        Ok(Binding::Variable(register))
    }

    /// Binds an alias to a place or to a value.
    pub(super) fn bind_alias(&mut self, local: LocalId, target: &'m Expression) -> Lowered<()> {
        let binding = self.named(target)?;
        self.bind(local, binding);
        Ok(())
    }

    /// A place or a value, which is evaluated now. What is read may be undefined.
    pub(super) fn named(&mut self, target: &'m Expression) -> Lowered<Binding> {
        Ok(match &target.kind {
            ExpressionKind::Read(place) => self.reference(place)?,
            _ if self.model.types.is_simple(target.of) => {
                let value = self.simple(target)?;
                Binding::Value(self.settled(value))
            }
            _ => Binding::Place(self.copied(target)?.into()),
        })
    }

    /// The body of a function. It must not end without a result.
    fn body_of(
        &mut self,
        function: FunctionId,
        bindings: Vec<Binding>,
        outcome: Outcome,
    ) -> Lowered<Vec<Statement>> {
        let callee = &self.model.functions[function.0 as usize];
        self.inside(function, bindings, outcome, |lowering| {
            lowering.list(|lowering| {
                lowering.declare();
                lowering.statements(&callee.body)?;
                lowering.out.extend(callee.result.map(|_| Statement::Trap));
                Ok(())
            })
        })
    }

    /// Lowers a part of a function's body, with its own locals.
    fn inside<T>(
        &mut self,
        function: FunctionId,
        bindings: Vec<Binding>,
        outcome: Outcome,
        lower: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let callee = &self.model.functions[function.0 as usize];
        self.expanded += 1;
        self.expanding.push(function);
        let locals = std::mem::replace(&mut self.locals, &callee.locals);
        let bindings = std::mem::replace(&mut self.bindings, bindings);
        let exit = std::mem::replace(&mut self.exit, (outcome, callee.result));
        let around = self.around.take();
        let lowered = lower(self);
        (self.locals, self.bindings) = (locals, bindings);
        (self.exit, self.around) = (exit, around);
        self.expanding.pop();
        lowered
    }

    /// Lowers a call that is not expanded.
    fn called(
        &mut self,
        function: FunctionId,
        bindings: Vec<Binding>,
        outcome: &Outcome,
    ) -> Lowered<()> {
        let callee = &self.model.functions[function.0 as usize];
        let mut arguments = Vec::new();
        for (parameter, binding) in callee.locals[..callee.arity].iter().zip(bindings) {
            arguments.push(match (binding, self.is_reference(parameter)) {
                (Binding::Place(Part { cells, within: None }), true)
                    if !self.model.types.contains_multiset(parameter.of) =>
                {
                    Value::Address(Place::Cells(cells))
                }
                (Binding::Variable(register), true) => Value::Address(Place::Register(register)),
                (Binding::Value(value), false) => value,
                (Binding::Variable(register), false) => Value::Peek(Place::Register(register)),
                _ => return Err(Unsupported("an argument that cannot be passed")),
            });
        }
        let register = match outcome {
            Outcome::Simple(register) => *register,
            Outcome::Whole(cells) => {
                arguments.push(Value::Address(Place::Cells(cells.clone())));
                self.register(Range::ALL)
            }
            Outcome::Nothing => self.register(Range::ALL),
        };
        let call = Call { function: function.0 as usize, arguments };
        self.out.push(Statement::register(register, Value::Call(Box::new(call))));
        Ok(())
    }

    /// Lowers a function to be called.
    pub(super) fn function(mut self, k: usize) -> Lowered<FunctionForm> {
        let callee = &self.model.functions[k];
        if callee.result.is_some_and(|of| self.model.types.contains_multiset(of)) {
            return Err(Unsupported("a multiset as the result of a call"));
        }
        let mut bindings = vec![Binding::None; callee.locals.len()];
        let mut parameters = Vec::new();
        for (k, parameter) in callee.locals[..callee.arity].iter().enumerate() {
            let register = self.register(Range::ALL);
            parameters.push(register);
            bindings[k] = if self.is_reference(parameter) {
                Binding::Place(Cells::pointer(register).into())
            } else {
                Binding::Variable(register)
            };
        }
        let result = callee.result.map(|_| self.register(Range::ALL));
        let (outcome, result) = match (callee.result, result) {
            (Some(of), Some(register)) if !self.model.types.is_simple(of) => {
                parameters.push(register);
                (Outcome::Whole(Cells::pointer(register)), None)
            }
            (_, Some(register)) => (Outcome::Simple(register), Some(register)),
            (_, None) => (Outcome::Nothing, None),
        };
        self.is_body = true;
        let body = self.body_of(FunctionId(k as u32), bindings, outcome)?;
        Ok(FunctionForm { frame: self.frame, parameters, result, body })
    }

    /// Whether a parameter is passed by its address.
    fn is_reference(&self, parameter: &checked::Local) -> bool {
        parameter.kind == LocalKind::WritableParameter || !self.model.types.is_simple(parameter.of)
    }
}
