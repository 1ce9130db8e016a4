//! Lowers calls: functions are expanded where they are called. Arguments and aliases give other names to
//! places and values.

use super::place::{Found, Part};
use super::value::Use;
use super::{Binding, Lowered, Lowering, MOST_CALLS, Outcome, Unsupported};
use crate::form::{Cells, Place, Range, Statement, Value};
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
        used: Use,
    ) -> Lowered<(Option<Value>, Option<Cells>)> {
        let callee = &self.model.functions[function.0 as usize];
        if self.expanding.contains(&function) || self.expanded == MOST_CALLS {
            return Err(Unsupported("a recursive call, or too many calls"));
        }
        let bindings = self.passed(callee, arguments)?;
        if let ([one], Some(of)) = (&callee.body[..], callee.result)
            && let StatementKind::Return(Some(value)) = &one.kind
            && self.model.types.is_simple(of)
            && callee.locals.iter().all(|local| local.kind != LocalKind::Variable)
        {
            let lower = |lowering: &mut Self| lowering.returned(value, of, used);
            return Ok((Some(self.inside(function, bindings, Outcome::Nothing, lower)?), None));
        }
        let outcome = match callee.result {
            None => Outcome::Nothing,
            Some(of) if self.model.types.is_simple(of) => {
                Outcome::Simple(self.register(Range::ALL))
            }
            Some(of) => Outcome::Whole(self.allocate_undefined(of)),
        };
        let body = self.inside(function, bindings, outcome.clone(), |lowering| {
            lowering.list(|lowering| {
                lowering.declare();
                lowering.statements(&callee.body)?;
                // It must not end without a result.
                lowering.out.extend(callee.result.map(|_| Statement::Trap));
                Ok(())
            })
        })?;
        self.out.push(Statement::Block(body));
        Ok(match outcome {
            Outcome::Nothing => (None, None),
            Outcome::Whole(cells) => (None, Some(cells)),
            Outcome::Simple(register) => {
                // Numbers are not checked where they are returned.
                let of = callee.result.filter(|&of| !self.model.types.is_range(of));
                let range = of.map_or(Range::ALL, |of| self.range_of(of));
                let result = Place::Register(register);
                let result = match used {
                    Use::Read => Value::Load(result, range),
                    Use::Copied => Value::Peek(result),
                };
                (Some(result), None)
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
                    self.simple_binding(value, of)?
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
            _ if self.model.types.is_simple(target.of) => self.simple_binding(target, target.of)?,
            _ => Binding::Place(self.copied(target)?.into()),
        })
    }

    /// A simple value of this type, which is evaluated now. What is undefined stays undefined.
    fn simple_binding(&mut self, value: &'m Expression, of: TypeId) -> Lowered<Binding> {
        let value = self.copied_in(value, of)?;
        Ok(match self.held(value) {
            Value::Peek(Place::Register(register)) => Binding::Variable(register),
            value => Binding::Value(value),
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
        let lowered = lower(self);
        (self.locals, self.bindings) = (locals, bindings);
        self.exit = exit;
        self.expanding.pop();
        lowered
    }
}
