//! The reference interpreter: it defines the meaning of a model by walking its tree.
//!
//! It is written to be read and believed, not to be fast: it judges counterexamples, and all
//! compiled code is compared with it. It keeps nothing from one call to the next.
//!
//! A state has one value per variable. Every rule stands for its *instances*, one for each choice
//! of values of the scope around it. An instance whose guard is true is enabled; firing it executes
//! its body to the end. The interpreter does not apply global assumptions: the caller evaluates
//! them ([`Interpreter::holds`]) like any property, and drops the states that violate one.
//!
//! # Limits
//! Calls may be nested 1,000 deep; more is an error. How long an evaluation may take is not part of
//! the meaning of a model, only of the limits of the run: iterations of loops, calls and instances
//! [poll](mod@run::poll), so that a model with `while true` does not block the checker.

mod expression;
mod failure;
mod machine;
mod scope;
mod start;
mod statement;
mod step;
#[cfg(test)]
mod tests;

pub use failure::{Failure, FailureKind};
pub use start::StartState;
pub use step::{Change, Edit, Event, Process, State, Step};

use super::checked::{Expression, Local, LocalId, Model, PropertyId, Rule, Shown};
use super::syntax::PropertyKind;
use super::value::{Scalar, Value};
use failure::{EvalStop, Gathered};
use hashbrown::HashSet;
use machine::{Machine, Slot};
use scope::Instances;
use start::Starts;
use std::borrow::Cow;

/// Interprets a model.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'m> {
    model: &'m Model,
}

/// An enabled instance of a rule.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The rule, by its position in [`Model::rules`].
    pub rule: usize,
    /// The process that executes it.
    pub process: Process,
    /// Its event, with the arguments.
    pub event: Event,
    /// The frame of the rule, with the scope around it bound.
    slots: Vec<Slot>,
}

/// The result of firing an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The successor; `None` if an `assume` statement was false, because then there is no such
    /// step.
    pub target: Option<State>,
    /// The output of `put`.
    pub printed: Vec<String>,
    /// The `cover` statements that were true, also before a false `assume`.
    pub covered: Vec<PropertyId>,
}

/// The value of a property in a state for one choice of values of the scope around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyInstance {
    /// The values of the parameters and chosen elements around it, outermost first.
    pub arguments: Vec<Value>,
    /// Whether the condition is true.
    pub holds: Result<bool, Failure>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter of this model.
    pub fn new(model: &'m Model) -> Self {
        Interpreter { model }
    }

    /// The start states, computed one by one, in the order of the text and of the values of their
    /// parameters. Start states that an `assume` statement abandons are omitted. A failure is one
    /// item, and the iteration continues after it. Equal start states are not merged.
    pub fn starts(&self) -> impl Iterator<Item = Result<StartState, Failure>> + use<'m> {
        Starts::new(self.model)
    }

    /// Like [`Interpreter::starts`], of one of [`Model::starts`].
    pub fn starts_of(
        &self,
        start: usize,
    ) -> impl Iterator<Item = Result<StartState, Failure>> + use<'m> {
        Starts::of(self.model, start)
    }

    /// Like [`Interpreter::starts_of`], for these values of its parameters, outermost first. There is
    /// none if an assumption is false, and there may be several if elements are chosen.
    pub fn starts_at(
        &self,
        start: usize,
        parameters: &[Value],
    ) -> impl Iterator<Item = Result<StartState, Failure>> + use<'m> {
        Starts::at(self.model, start, parameters)
    }

    /// The enabled instances, in the order of the text and of the values of their parameters.
    pub fn instances(&self, state: &State) -> Result<Vec<Instance>, Failure> {
        let mut found = Vec::new();
        for k in 0..self.model.rules.len() {
            found.append(&mut self.instances_of_rule(state, k)?);
        }
        Ok(found)
    }

    /// The enabled instances of one rule, given by its position in [`Model::rules`].
    pub fn instances_of_rule(&self, state: &State, k: usize) -> Result<Vec<Instance>, Failure> {
        let mut machine = self.machine(state);
        let mut found = Vec::new();
        let rule = &self.model.rules[k];
        machine.enter(&rule.locals);
        Instances::visit(&mut machine, &rule.scope, &mut |machine, bound| {
            bound?;
            let enabled = rule.guard.as_ref().map_or(Ok(true), |guard| machine.truth(guard));
            if matches!(enabled, Ok(false)) {
                return Ok(());
            }
            let event = Event { event: rule.event, arguments: machine.arguments(&rule.scope)? };
            let process = self.owner(rule, machine);
            enabled.map_err(|stop| during(stop, process, &event))?;
            let slots = machine.slots().to_vec();
            found.push(Instance { rule: k, process, event, slots });
            Ok(())
        })
        .map_err(failed)?;
        Ok(found)
    }

    /// Executes the body of an instance that is enabled in this state.
    pub fn fire(&self, state: &State, instance: &Instance) -> Result<Outcome, Failure> {
        let rule = &self.model.rules[instance.rule];
        let mut machine = self.machine(state);
        machine.enter_with(&rule.locals, instance.slots.clone());
        machine.declare();
        let target = match machine.block(&rule.body) {
            Ok(_) => {
                let mut target = machine.globals.into_owned();
                target.iter_mut().for_each(Value::settle);
                Some(State(target))
            }
            Err(EvalStop::Abandoned) => None,
            Err(stop) => return Err(failed(during(stop, instance.process, &instance.event))),
        };
        Ok(Outcome { target, printed: machine.printed, covered: machine.covered })
    }

    /// All steps: the results of firing the enabled instances. Abandoned instances are omitted, and
    /// among those with the same process, event and target all but the first. Steps to states that
    /// violate an assumption are included.
    pub fn steps(&self, state: &State) -> Result<Vec<Step>, Failure> {
        let mut seen = HashSet::new();
        let mut steps = Vec::new();
        for instance in self.instances(state)? {
            let Some(target) = self.fire(state, &instance)?.target else { continue };
            let Instance { rule, process, event, .. } = instance;
            if seen.insert((process, event.clone(), target.clone())) {
                steps.push(Step { rule, process, event, target });
            }
        }
        Ok(steps)
    }

    /// Whether a top-level property is true in a state: for all values of the scope around it; a
    /// `cover` or `liveness` for some values (see [`Interpreter::instances_of`] for each one).
    ///
    /// As with quantifiers over index types, an instance that decides takes precedence over one
    /// that fails.
    pub fn holds(&self, state: &State, property: PropertyId) -> Result<bool, Failure> {
        let kind = self.model.properties[property.0 as usize].kind;
        let deciding = matches!(kind, PropertyKind::Cover | PropertyKind::Liveness);
        let mut gathered = Gathered::default();
        let mut decided = false;
        self.each_instance_of(state, property, &mut |machine, bound, condition| {
            match bound.and_then(|()| machine.truth(condition)) {
                Ok(holds) => decided |= holds == deciding,
                Err(stop) => gathered.add(stop),
            }
            Ok(())
        })?;
        if !decided {
            gathered.finish().map_err(failed)?;
        }
        Ok(decided == deciding)
    }

    /// The value of a top-level property in a state for each choice of values of the scope around
    /// it: a `cover` or `liveness` inside a ruleset is one property per value. If an alias around
    /// it fails, there are no such values, and the whole fails.
    pub fn instances_of(
        &self,
        state: &State,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance>, Failure> {
        let mut instances = Vec::new();
        let scope = &self.model.properties[property.0 as usize].scope;
        self.each_instance_of(state, property, &mut |machine, bound, condition| {
            bound?;
            let arguments = machine.arguments(scope)?;
            let holds = machine.truth(condition).map_err(failed);
            instances.push(PropertyInstance { arguments, holds });
            Ok(())
        })?;
        Ok(instances)
    }

    /// The value of an expression without effects, such as an atom of a formula, in a frame of
    /// these locals with these bindings.
    pub fn evaluate(
        &self,
        expression: &Expression,
        locals: &[Local],
        bindings: &[(LocalId, Scalar)],
        state: &State,
    ) -> Result<Value, Failure> {
        let mut machine = self.machine(state);
        machine.enter(locals);
        for &(local, scalar) in bindings {
            machine.bind_scalar(local, scalar);
        }
        machine.evaluate(expression).map_err(failed)
    }

    /// The value of an expression to be shown.
    pub fn shown(&self, shown: &Shown, state: &State) -> Result<Value, Failure> {
        self.evaluate(&shown.value, &shown.locals, &[], state)
    }

    /// Whether a condition without effects is true, in a frame of these locals with these bindings.
    pub fn is_true(
        &self,
        condition: &Expression,
        locals: &[Local],
        bindings: &[(LocalId, Scalar)],
        state: &State,
    ) -> Result<bool, Failure> {
        let mut machine = self.machine(state);
        machine.enter(locals);
        for &(local, scalar) in bindings {
            machine.bind_scalar(local, scalar);
        }
        machine.truth(condition).map_err(failed)
    }

    fn machine<'a>(self, state: &'a State) -> Machine<'a>
    where
        'm: 'a,
    {
        Machine::new(self.model, Cow::Borrowed(&state.0))
    }

    /// The process that executes the instance of a rule that is bound in the frame.
    fn owner(self, rule: &Rule, machine: &Machine) -> Process {
        let member = rule.owner.parameter.map(|local| match machine.bound(local) {
            Value::Scalar(scalar) => *scalar,
            value => unreachable!("the parameter of a process is simple, not {value:?}"),
        });
        Process::new(self.model, rule.owner.family, member)
    }

    /// Visits the instances of a property with its condition, or the failures of aliases around it.
    fn each_instance_of(
        self,
        state: &State,
        property: PropertyId,
        visit: &mut VisitInstance<'_>,
    ) -> Result<(), Failure> {
        let property = &self.model.properties[property.0 as usize];
        let condition = property.condition.as_ref();
        let condition = condition.expect("a top-level property has a condition");
        let mut machine = self.machine(state);
        machine.enter(&property.locals);
        Instances::visit(&mut machine, &property.scope, &mut |machine, bound| {
            visit(machine, bound, condition)
        })
        .map_err(failed)
    }
}

/// Called for an instance of a property: with everything bound, or with the failure of a binding.
type VisitInstance<'v> =
    dyn FnMut(&mut Machine<'_>, Result<(), EvalStop>, &Expression) -> Result<(), EvalStop> + 'v;

/// The failure of an evaluation that cannot abandon the step.
fn failed(stop: EvalStop) -> Failure {
    match stop {
        EvalStop::Failed(failure) => *failure,
        EvalStop::Abandoned => unreachable!("guards, aliases and properties have no effects"),
    }
}

/// Adds the rule instance to a failure.
fn during(stop: EvalStop, process: Process, event: &Event) -> EvalStop {
    match stop {
        EvalStop::Failed(failure) => {
            let during = Some(Box::new((process, event.clone())));
            EvalStop::Failed(Box::new(Failure { during, ..*failure }))
        }
        EvalStop::Abandoned => EvalStop::Abandoned,
    }
}
