//! The steps of the system, as the interpreter makes them.

use super::Objection;
use super::sure::SureGuards;
use crate::counterexample::Step;
use model::checked::{EventId, Model, PropertyId};
use model::interpret::{Event, Failure, Instance, Interpreter, Process, State};
use model::syntax::PropertyKind;

/// The model as it is written: every state, every step.
pub(super) struct Unreduced<'m> {
    pub(super) interpreter: Interpreter<'m>,
    /// The events of the rules.
    events: Vec<EventId>,
    guards: SureGuards,
    /// The global ones.
    assumptions: Vec<PropertyId>,
}

impl<'m> Unreduced<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let properties = (0..).map(PropertyId).zip(&model.properties);
        let assumptions =
            properties.filter(|(_, one)| one.kind == PropertyKind::Assume && !one.is_statement);
        let assumptions = assumptions.map(|(id, _)| id).collect();
        let events = model.rules.iter().map(|rule| rule.event).collect();
        let guards = SureGuards::new(model);
        Unreduced { interpreter: Interpreter::new(model), events, guards, assumptions }
    }

    pub(super) fn start(&self, first: &State) -> Result<(), Objection> {
        // A start state whose making fails is no state.
        let mut starts = self.interpreter.starts().filter_map(Result::ok);
        if !starts.any(|start| start.state == *first) {
            return Err(Objection::NotAStart);
        }
        if self.is_assumed(first, None)? { Ok(()) } else { Err(Objection::StartCut) }
    }

    /// Whether this leads there.
    pub(super) fn follow(
        &self,
        position: usize,
        step: &Step,
        target: &State,
    ) -> Result<(), Objection> {
        match &step.action {
            Some(action) => self.step(position, &step.state, action, target),
            None => self.stutter(position, &step.state, target),
        }
    }

    fn step(
        &self,
        position: usize,
        state: &State,
        (process, event): &(Process, Event),
        target: &State,
    ) -> Result<(), Objection> {
        let fails = |failure| fails(Some(position), failure);
        let mut failed = None;
        for instance in self.instances_of(state, event.event).map_err(fails)? {
            if instance.process != *process || instance.event != *event {
                continue;
            }
            // Several rules may be one event, and lead to different states.
            match self.interpreter.fire(state, &instance) {
                Ok(outcome) if outcome.target.as_ref() == Some(target) => {
                    return if self.is_assumed(target, Some(position))? {
                        Ok(())
                    } else {
                        Err(Objection::StepCut { position })
                    };
                }
                Ok(_) => {}
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.map_or(Objection::NotAStep { position }, fails))
    }

    /// The enabled instances of an event, and perhaps of others; what fails is told of all.
    fn instances_of(&self, state: &State, event: EventId) -> Result<Vec<Instance>, Failure> {
        let is_sure = self.guards.of(state);
        let mut found = Vec::new();
        for (rule, &of) in self.events.iter().enumerate() {
            if of == event || !is_sure[rule] {
                found.append(&mut self.interpreter.instances_of_rule(state, rule)?);
            }
        }
        Ok(found)
    }

    fn stutter(&self, position: usize, state: &State, target: &State) -> Result<(), Objection> {
        if state != target {
            return Err(Objection::StutterMoves { position });
        }
        let fails = |failure| fails(Some(position), failure);
        let mut is_cut = false;
        for instance in self.interpreter.instances(state).map_err(fails)? {
            let outcome = self.interpreter.fire(state, &instance).map_err(fails)?;
            let Some(target) = outcome.target else { continue };
            if self.is_assumed(&target, Some(position))? {
                return Err(Objection::NotStuck { position });
            }
            is_cut = true;
        }
        if is_cut { Err(Objection::Removed { position }) } else { Ok(()) }
    }

    /// What fails in a state: guards and bodies of rules, assumptions about where these lead, and
    /// properties that are to hold, for some values of what stands around them.
    pub(super) fn failures(&self, model: &Model, state: &State) -> Vec<Failure> {
        let mut found = Vec::new();
        for k in 0..model.rules.len() {
            match self.interpreter.instances_of_rule(state, k) {
                Err(failure) => found.push(failure),
                Ok(instances) => {
                    for instance in instances {
                        match self.interpreter.fire(state, &instance) {
                            Err(failure) => found.push(failure),
                            Ok(outcome) => {
                                let target = outcome.target.iter();
                                found.extend(target.flat_map(|target| self.assuming(target)));
                            }
                        }
                    }
                }
            }
        }
        for (id, property) in (0..).map(PropertyId).zip(&model.properties) {
            let is_asked = match property.kind {
                PropertyKind::Invariant | PropertyKind::Assert | PropertyKind::Liveness => true,
                PropertyKind::Assume | PropertyKind::Cover => false,
            };
            if is_asked && !property.is_statement {
                match self.interpreter.instances_of(state, id) {
                    Err(failure) => found.push(failure),
                    Ok(all) => found.extend(all.into_iter().filter_map(|one| one.holds.err())),
                }
            }
        }
        found
    }

    /// How assumptions about a state fail.
    fn assuming(&self, state: &State) -> Vec<Failure> {
        let answers = self.assumptions.iter().map(|&one| self.interpreter.holds(state, one));
        answers.filter_map(Result::err).collect()
    }

    /// Where the steps out of a state lead, cut ones included.
    pub(super) fn targets(&self, position: usize, state: &State) -> Result<Vec<State>, Objection> {
        let fails = |failure| fails(Some(position), failure);
        let mut found = Vec::new();
        for instance in self.interpreter.instances(state).map_err(fails)? {
            found.extend(self.interpreter.fire(state, &instance).map_err(fails)?.target);
        }
        Ok(found)
    }

    /// Whether there are any assumptions.
    pub(super) fn has_assumptions(&self) -> bool {
        !self.assumptions.is_empty()
    }

    /// The steps out of a state that are not cut; what fails is no step.
    pub(super) fn steps(&self, state: &State) -> Vec<(Process, Event, State)> {
        let instances = self.interpreter.instances(state).unwrap_or_default();
        let fired = instances.into_iter().filter_map(|one| {
            let target = self.interpreter.fire(state, &one).ok()?.target?;
            Some((one.process, one.event, target))
        });
        fired.filter(|(.., target)| self.is_assumed(target, None) == Ok(true)).collect()
    }

    /// Where the steps out of a state lead; what fails is no step.
    pub(super) fn successors(&self, state: &State) -> Vec<State> {
        self.steps(state).into_iter().map(|(.., target)| target).collect()
    }

    /// Whether a state satisfies all global assumptions. It is the first one, or behind this step.
    fn is_assumed(&self, state: &State, position: Option<usize>) -> Result<bool, Objection> {
        for &assumption in &self.assumptions {
            let holds = self.interpreter.holds(state, assumption);
            if !holds.map_err(|failure| fails(position, failure))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn fails(position: Option<usize>, failure: Failure) -> Objection {
    Objection::Fails { position, failure: Box::new(failure) }
}
