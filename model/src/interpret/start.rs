//! Enumerates start states.
//!
//! Their parameters may be arrays and records with far too many values to list: the next value is
//! computed from the last one, like a number by counting.

use super::super::checked::{LocalId, Model, ParameterDomain, PropertyId, Scope, Start};
use super::super::types::{Type, TypeId, Types};
use super::super::value::{Scalar, Value};
use super::failure::{EvalStop, Failure};
use super::machine::{Machine, Slot};
use super::scope::Instances;
use super::step::{State, applied};
use std::borrow::Cow;
use std::collections::VecDeque;

/// A start state with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartState {
    /// Its position in [`Model::starts`].
    pub start: usize,
    /// The values of its parameters, outermost first.
    pub arguments: Vec<Value>,
    /// The state.
    pub state: State,
    /// The output of `put`.
    pub printed: Vec<String>,
    /// The `cover` statements whose condition was true.
    pub covered: Vec<PropertyId>,
}

impl StartState {
    /// The text for users: `start_0`, `"any home"(client_1)`.
    pub fn show(&self, model: &Model) -> String {
        let start = &model.starts[self.start];
        let types = start.scope.iter().filter_map(|part| match part {
            Scope::Parameter { local, .. } | Scope::Choose { local, .. } => {
                Some(start.locals[local.0 as usize].of)
            }
            Scope::Alias { .. } => None,
        });
        applied(&start.name, &self.arguments, types, &model.types)
    }
}

/// An iterator over the start states of a model.
pub(super) struct Starts<'a> {
    model: &'a Model,
    /// The position of the current start, and of the one after the last.
    start: usize,
    end: usize,
    /// The last values of its parameters; `None` before the first.
    parameters: Option<Vec<Value>>,
    /// Results of these values that are not returned yet: with `choose`, there may be more than one
    /// state.
    ready: VecDeque<Result<StartState, Failure>>,
}

impl<'a> Starts<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Starts::from_to(model, 0, model.starts.len())
    }

    fn from_to(model: &'a Model, start: usize, end: usize) -> Self {
        Starts { model, start, end, parameters: None, ready: VecDeque::new() }
    }

    /// Those of one start.
    pub(super) fn of(model: &'a Model, start: usize) -> Self {
        Starts::from_to(model, start, start + 1)
    }

    /// Those of one start for these values of its parameters.
    pub(super) fn at(model: &'a Model, start: usize, parameters: &[Value]) -> Self {
        let mut starts = Starts::from_to(model, start, start);
        starts.run(&model.starts[start], parameters);
        starts
    }

    /// Executes the start for these values of its parameters.
    fn run(&mut self, start: &'a Start, parameters: &[Value]) {
        let types = &self.model.types;
        let undefined = self.model.variables.iter().map(|v| Value::undefined(types, v.of));
        let undefined: Vec<_> = undefined.collect();
        let mut machine = Machine::new(self.model, Cow::Owned(undefined.clone()));
        machine.enter(&start.locals);
        for ((local, _), value) in domains(start).zip(parameters) {
            machine.bind(local, Slot::Value(value.clone()));
        }
        let (index, ready) = (self.start, &mut self.ready);
        let mut visit = |machine: &mut Machine<'a>, bound: Result<(), EvalStop>| {
            let slots = machine.slots().to_vec();
            let result = bound.and_then(|()| {
                let arguments = machine.arguments(&start.scope)?;
                // Aliases around a start state only look at it.
                machine.printed.clear();
                machine.declare();
                machine.block(&start.body)?;
                Ok(arguments)
            });
            let next = Cow::Owned(undefined.clone());
            let mut state = std::mem::replace(&mut machine.globals, next).into_owned();
            state.iter_mut().for_each(Value::settle);
            let printed = std::mem::take(&mut machine.printed);
            let covered = std::mem::take(&mut machine.covered);
            machine.enter_with(&start.locals, slots);
            match result {
                Ok(arguments) => {
                    let state = State(state);
                    let start = index;
                    ready.push_back(Ok(StartState { start, arguments, state, printed, covered }));
                }
                Err(EvalStop::Failed(failure)) => ready.push_back(Err(*failure)),
                Err(EvalStop::Abandoned) => {}
            }
            Ok(())
        };
        let done = Instances::visit_bound(&mut machine, &start.scope, &mut visit);
        if let Err(EvalStop::Failed(failure)) = done {
            self.ready.push_back(Err(*failure));
        }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<StartState, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            let start = self.model.starts[..self.end].get(self.start)?;
            let types = &self.model.types;
            let next = match self.parameters.take() {
                None => domains(start).map(|(_, domain)| first(types, domain)).collect(),
                Some(mut values) => advance_all(types, start, &mut values).then_some(values),
            };
            match next {
                Some(values) => {
                    self.run(start, &values);
                    self.parameters = Some(values);
                }
                None => self.start += 1,
            }
        }
    }
}

/// The parameters of a start with their values, outermost first.
fn domains(start: &Start) -> impl DoubleEndedIterator<Item = (LocalId, &ParameterDomain)> {
    start.scope.iter().filter_map(|part| match part {
        Scope::Parameter { local, domain } => Some((*local, domain)),
        Scope::Choose { .. } | Scope::Alias { .. } => None,
    })
}

/// The first value of a parameter, if it has any.
fn first(types: &Types, domain: &ParameterDomain) -> Option<Value> {
    match *domain {
        ParameterDomain::Type(of) => has_values(types, of).then(|| Value::least(types, of)),
        ParameterDomain::Steps { from, to, by } => {
            let any = if by > 0 { from <= to } else { from >= to };
            any.then_some(Value::Scalar(Scalar::Number(from)))
        }
    }
}

fn has_values(types: &Types, of: TypeId) -> bool {
    match types.get(of) {
        Type::Array { index, element } => types.size(*index) == 0 || has_values(types, *element),
        Type::Record(fields) => fields.iter().all(|&(_, of)| has_values(types, of)),
        Type::Queue { .. } | Type::Set(_) | Type::Multiset { .. } => true,
        _ => types.size(of) > 0,
    }
}

/// Advances the values of all parameters, innermost first. Returns false after the last ones, and
/// starts again with the first.
fn advance_all(types: &Types, start: &Start, values: &mut [Value]) -> bool {
    domains(start).rev().zip(values.iter_mut().rev()).any(|((_, domain), value)| match *domain {
        ParameterDomain::Type(of) => advance(types, of, value),
        ParameterDomain::Steps { from, to, by } => {
            let Value::Scalar(Scalar::Number(n)) = value else {
                unreachable!("the values between bounds are numbers")
            };
            let next =
                n.checked_add(by).filter(|next| if by > 0 { *next <= to } else { *next >= to });
            *n = next.unwrap_or(from);
            next.is_some()
        }
    })
}

/// Advances a value of a type that has values. Returns false after the last one, and starts again
/// with the first.
fn advance(types: &Types, of: TypeId, value: &mut Value) -> bool {
    match (types.get(of), value) {
        (Type::Array { element, .. }, Value::Parts(parts)) => {
            parts.iter_mut().rev().any(|part| advance(types, *element, part))
        }
        (Type::Record(fields), Value::Parts(parts)) => {
            fields.iter().zip(parts).rev().any(|(&(_, of), part)| advance(types, of, part))
        }
        (&Type::Multiset { capacity, element }, Value::Multiset(elements)) => {
            advance_multiset(types, capacity as usize, element, elements)
        }
        (_, Value::Scalar(scalar)) => {
            let k = scalar.position(types, of).expect("the value is of its type") + 1;
            let more = k < types.size(of);
            *scalar = Scalar::nth(types, of, if more { k } else { 0 });
            more
        }
        (of, value) => unreachable!("{value:?} is not a defined value of {of:?}"),
    }
}

/// Advances to the next ascending sequence of elements, shorter ones first.
fn advance_multiset(
    types: &Types,
    capacity: usize,
    of: TypeId,
    elements: &mut Vec<Option<Value>>,
) -> bool {
    for k in (0..elements.len()).rev() {
        let element = elements[k].as_mut().expect("nothing is removed between steps");
        if advance(types, of, element) {
            let element = elements[k].clone();
            elements[k..].fill(element);
            return true;
        }
    }
    // All elements were the last of their type, and are the first again.
    if elements.len() < capacity && has_values(types, of) {
        elements.push(Some(Value::least(types, of)));
        return true;
    }
    elements.clear();
    false
}
