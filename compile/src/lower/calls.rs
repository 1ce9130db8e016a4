//! Lowers calls: functions are expanded where they are called. Arguments and aliases give other names to
//! places and values.

use super::place::Found;
use super::types::{Conversion, range_of};
use super::{Binding, Exit, Lowered, Lowering, MOST_CALLS, ResultAt, Unsupported};
use crate::form::{Call, Cells, FunctionForm, Passed, Place, Range, Statement, Value};
use model::checked::{
    self, Argument, Expression, ExpressionKind, FunctionId, LocalId, LocalKind, StatementKind,
};
use model::types::TypeId;

/// A function without a result is asked for one.
pub(super) const NO_VALUE: Unsupported = Unsupported("a call without a value");

impl<'m> Lowering<'m> {
    /// Lowers a call for its simple result.
    pub(super) fn call_for_value(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
        out: &mut Vec<Statement>,
    ) -> Lowered<Value> {
        let callee = &self.model.functions[function.0 as usize];
        let of = callee.result.ok_or(NO_VALUE)?;
        if !self.is_expanded(function) {
            return self.called(function, arguments, None, out);
        }
        let bindings = self.passed(function, arguments, out)?;
        if let [one] = &callee.body[..]
            && let StatementKind::Return(Some(value)) = &one.kind
            && callee.locals.iter().all(|local| local.kind != LocalKind::Variable)
        {
            let exit = Exit { of: None, at: ResultAt::Nowhere };
            return self.inside(function, bindings, exit, |lowering| {
                if lowering.model.types.is_range(of) {
                    lowering.simple(value)
                } else {
                    lowering.simple_in(value, of)
                }
            });
        }
        let register = self.register(Range::ALL);
        out.push(Statement::Undefine(register));
        let exit = Exit { of: Some(of), at: ResultAt::Register(register) };
        self.expand(function, bindings, exit, out)?;
        Ok(Value::Load(Place::Register(register), self.result_range(of)))
    }

    /// Lowers a call for its result that is not simple.
    pub(super) fn call_for_cells(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
        out: &mut Vec<Statement>,
    ) -> Lowered<Cells> {
        let callee = &self.model.functions[function.0 as usize];
        let of = callee.result.ok_or(NO_VALUE)?;
        let at = self.allocate_undefined(of, out);
        if self.is_expanded(function) {
            let bindings = self.passed(function, arguments, out)?;
            let exit = Exit { of: Some(of), at: ResultAt::Cells(at.clone()) };
            self.expand(function, bindings, exit, out)?;
        } else {
            let call = self.called(function, arguments, Some(at.clone()), out)?;
            out.push(Statement::Evaluate(call));
        }
        Ok(at)
    }

    /// Lowers a call whose result is discarded.
    pub(super) fn call_for_effects(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        match self.model.functions[function.0 as usize].result {
            Some(of) if self.model.types.is_simple(of) => {
                let value = self.call_for_value(function, arguments, out)?;
                out.push(Statement::Evaluate(value));
            }
            Some(_) => {
                self.call_for_cells(function, arguments, out)?;
            }
            None if self.is_expanded(function) => {
                let bindings = self.passed(function, arguments, out)?;
                let exit = Exit { of: None, at: ResultAt::Nowhere };
                self.expand(function, bindings, exit, out)?;
            }
            None => {
                let call = self.called(function, arguments, None, out)?;
                out.push(Statement::Evaluate(call));
            }
        }
        Ok(())
    }

    /// The range of a simple result. Numbers are not checked where they are returned.
    fn result_range(&self, of: TypeId) -> Range {
        if self.model.types.is_range(of) { Range::ALL } else { self.range_of(of) }
    }

    /// Whether the next call of a function is expanded.
    fn is_expanded(&self, function: FunctionId) -> bool {
        !self.expanding.contains(&function) && self.expanded < MOST_CALLS
    }

    /// Evaluates arguments, and binds the parameters of a function to them.
    fn passed(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
        out: &mut Vec<Statement>,
    ) -> Lowered<Vec<Binding>> {
        let callee = &self.model.functions[function.0 as usize];
        let mut bindings = vec![Binding::None; callee.locals.len()];
        for (k, argument) in arguments.iter().enumerate() {
            let parameter = &callee.locals[k];
            bindings[k] = match argument {
                Argument::Reference(place) => self.reference(place, out)?,
                Argument::Value(value) if self.model.types.is_simple(parameter.of) => {
                    self.argument(value, parameter.of, out)?
                }
                Argument::Value(value) => Binding::Place(self.copied(value, out)?),
            };
        }
        Ok(bindings)
    }

    /// A reference to a place.
    pub(super) fn reference(
        &mut self,
        place: &'m checked::Place,
        out: &mut Vec<Statement>,
    ) -> Lowered<Binding> {
        Ok(match self.find(place)? {
            Found::Value(value) => Binding::Value(value),
            Found::Place(Place::Register(register)) => Binding::Variable(register),
            Found::Place(Place::Cells(cells)) => Binding::Place(self.fixed(cells, out)),
        })
    }

    /// Lowers an argument of a call; an undefined place stays undefined.
    pub(super) fn argument(
        &mut self,
        value: &'m Expression,
        of: TypeId,
        before: &mut Vec<Statement>,
    ) -> Lowered<Binding> {
        let found = match &value.kind {
            ExpressionKind::Read(place) => Some(self.find(place)?),
            _ => None,
        };
        let Some(Found::Place(place)) = found else {
            let value = self.simple_in(value, of)?;
            return Ok(Binding::Value(self.settled(value, before)));
        };
        let place = match place {
            Place::Register(register) => Place::Register(register),
            Place::Cells(cells) => Place::Cells(self.fixed(cells, before)),
        };
        let register = self.register(Range::ALL);
        let range = range_of(&self.model.types, value.of);
        let load = Value::Load(place.clone(), range);
        before.push(match Conversion::new(&self.model.types, value.of, of)? {
            Conversion::Same => Statement::Set(register, Value::Peek(place, range)),
            _ => Statement::If(
                Value::IsUndefined(place),
                vec![Statement::Undefine(register)],
                vec![Statement::Set(register, self.converted(load, value.of, of)?)],
            ),
        });
        Ok(Binding::Variable(register))
    }

    /// Binds an alias to a place or to a value.
    pub(super) fn bind_alias(
        &mut self,
        local: LocalId,
        target: &'m Expression,
        before: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let binding = match &target.kind {
            ExpressionKind::Read(place) => self.reference(place, before)?,
            _ if self.model.types.is_simple(target.of) => {
                let value = self.simple(target)?;
                Binding::Value(self.settled(value, before))
            }
            _ => Binding::Place(self.copied(target, before)?),
        };
        self.bind(local, binding);
        Ok(())
    }

    /// Expands the body of a function.
    fn expand(
        &mut self,
        function: FunctionId,
        bindings: Vec<Binding>,
        exit: Exit,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let callee = &self.model.functions[function.0 as usize];
        let body = self.inside(function, bindings, exit, |lowering| {
            let mut body = Vec::new();
            lowering.declare(&mut body);
            lowering.statements(&callee.body, &mut body)?;
            if callee.result.is_some() {
                // It must not end without a result.
                body.push(Statement::Trap);
            }
            Ok(body)
        })?;
        out.push(Statement::Block(body));
        Ok(())
    }

    /// Lowers a part of a function's body, with its own locals.
    fn inside<T>(
        &mut self,
        function: FunctionId,
        bindings: Vec<Binding>,
        exit: Exit,
        lower: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        self.expanded += 1;
        self.expanding.push(function);
        let locals =
            std::mem::replace(&mut self.locals, &self.model.functions[function.0 as usize].locals);
        let bindings = std::mem::replace(&mut self.bindings, bindings);
        let exit = std::mem::replace(&mut self.exit, exit);
        let around = self.around.take();
        let found = lower(self);
        (self.locals, self.bindings) = (locals, bindings);
        (self.exit, self.around) = (exit, around);
        self.expanding.pop();
        found
    }

    /// Lowers a call that is not expanded.
    fn called(
        &mut self,
        function: FunctionId,
        arguments: &'m [Argument],
        result: Option<Cells>,
        out: &mut Vec<Statement>,
    ) -> Lowered<Value> {
        if !self.callable[function.0 as usize] {
            return Err(Unsupported("a recursive function that cannot be called"));
        }
        let callee = &self.model.functions[function.0 as usize];
        let mut passed = Vec::new();
        for (k, binding) in self.passed(function, arguments, out)?.into_iter().enumerate() {
            let Some(parameter) = callee.locals.get(k).filter(|_| k < callee.arity) else { break };
            let is_reference = is_reference(parameter, self.model.types.is_simple(parameter.of));
            passed.push(match binding {
                Binding::Place(cells) if is_reference => {
                    let has_bags = self.model.types.contains_multiset(parameter.of);
                    if cells.within.is_some() || has_bags {
                        return Err(Unsupported("a reference to a multiset in a call"));
                    }
                    Passed::Address(Place::Cells(cells))
                }
                Binding::Variable(register) if is_reference => {
                    Passed::Address(Place::Register(register))
                }
                Binding::Value(value) if !is_reference => Passed::Value(value),
                Binding::Variable(register) if !is_reference => {
                    Passed::Value(Value::Peek(Place::Register(register), Range::ALL))
                }
                _ => return Err(Unsupported("an argument that cannot be passed")),
            });
        }
        let call = Value::Call(Box::new(Call {
            function: function.0 as usize,
            arguments: passed,
            result,
        }));
        match callee.result {
            Some(of) if self.model.types.is_simple(of) => {
                let register = self.register(Range::ALL);
                out.push(Statement::Set(register, call));
                Ok(Value::Load(Place::Register(register), self.result_range(of)))
            }
            _ => Ok(call),
        }
    }

    /// Lowers a function to be called.
    pub(super) fn function(mut self, k: usize) -> Lowered<FunctionForm> {
        let callee = &self.model.functions[k];
        let id = FunctionId(k as u32);
        let types = &self.model.types;
        let is_simple = callee.result.is_none_or(|of| types.is_simple(of));
        if callee.result.is_some_and(|of| types.contains_multiset(of)) {
            return Err(Unsupported("a multiset as the result of a call"));
        }
        let mut bindings = vec![Binding::None; callee.locals.len()];
        let mut parameters = Vec::new();
        for (k, parameter) in callee.locals[..callee.arity].iter().enumerate() {
            let register = self.register(Range::ALL);
            parameters.push(register);
            let is_reference = is_reference(parameter, types.is_simple(parameter.of));
            bindings[k] = if is_reference {
                Binding::Place(Cells::pointer(register))
            } else {
                Binding::Variable(register)
            };
        }
        let result_at = (!is_simple).then(|| self.register(Range::ALL));
        let result = (is_simple && callee.result.is_some()).then(|| self.register(Range::ALL));
        let at = match (result, result_at) {
            (Some(register), _) => ResultAt::Register(register),
            (None, Some(register)) => ResultAt::Cells(Cells::pointer(register)),
            (None, None) => ResultAt::Nowhere,
        };
        let exit = Exit { of: callee.result, at };
        self.is_body = true;
        let body = self.inside(id, bindings, exit, |lowering| {
            let mut body = Vec::new();
            lowering.declare(&mut body);
            lowering.statements(&callee.body, &mut body)?;
            Ok(body)
        })?;
        let must_return = callee.result.is_some();
        Ok(FunctionForm { frame: self.frame, parameters, result_at, result, must_return, body })
    }
}

/// Whether a parameter is passed by its address.
fn is_reference(parameter: &checked::Local, is_simple: bool) -> bool {
    parameter.kind == LocalKind::WritableParameter || !is_simple
}
