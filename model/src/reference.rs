//! The model language for the judge: its vocabulary, and the interpreter as a reference.
//!
//! Everything here is defined by the [interpreter](super::interpret) and the checked model. Nothing
//! knows of compiled code. [`ModelReference`] has one optimisation, guards that cannot fail, which can
//! be switched off ([`ModelReference::paranoid`]).

mod choice;
mod renaming;
mod signature;
mod sure;

pub use choice::choice;
pub use renaming::ModelRenaming;

use super::checked::{
    self, Atom, Expression, Formula, LocalId, Model, Operand, ProcessOperand, Requirement,
};
use super::interpret::{self, Event, Failure, FailureKind, Interpreter, Process, State};
use super::types::TypeId;
use super::value::{Scalar, Value};
use choice::{choice_of, choices};
use judge::{
    Attempt, IndexType, PropertyInstance, Reference, Renaming, RequirementVariables, Starts, Steps,
    TrackedGroup, Vocabulary,
};
use run::Span;
use std::sync::OnceLock;
use sure::SureGuards;
use terms::{FamilyId, PropertyId, PropertyKind, RuleFairness};

/// The types of the model language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModelVocabulary;

impl Vocabulary for ModelVocabulary {
    type State = State;
    type Process = Process;
    type Event = Event;
    type Variable = LocalId;
    type Value = Scalar;
    type Formula = Formula;
    type Fault = Failure;
    type FaultPattern = FailurePattern;
}

/// A run of a model.
pub type Run = judge::Run<ModelVocabulary>;
/// A step of a run.
pub type Step = judge::Step<ModelVocabulary>;
/// The values of the tracked variables of a formula.
pub type Binding = Vec<(LocalId, Scalar)>;
/// Why a run is fair.
pub type Argument = judge::Argument<ModelVocabulary>;
/// An obligation that a run keeps.
pub type Kept = judge::Kept<ModelVocabulary>;
/// A party that a run must be fair to.
pub type Party = judge::Party<ModelVocabulary>;
/// Why an obligation is kept.
pub type Reason = judge::Reason<ModelVocabulary>;
/// A component that a globally fair run stays in.
pub type Component = judge::Component<ModelVocabulary>;
/// A place of a component.
pub type Place = judge::Place<ModelVocabulary>;
/// A step of a place.
pub type Onward = judge::Onward<ModelVocabulary>;
/// A claim about the last state of a run.
pub type Claim<'c> = judge::Claim<'c, ModelVocabulary>;
/// An objection of the judge.
pub type Objection = judge::Objection<ModelVocabulary>;

/// Failures of this kind, at this position of the text; of any, if none is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FailurePattern {
    /// The kind.
    pub kind: Option<FailureKind>,
    /// The position of the text.
    pub span: Option<Span>,
}

impl FailurePattern {
    /// Failures of the same kind as this one, at the same position.
    pub fn of(failure: &Failure) -> Self {
        FailurePattern { kind: Some(failure.kind), span: Some(failure.span) }
    }
}

/// A model, executed by the interpreter.
#[derive(Debug)]
pub struct ModelReference<'m> {
    model: &'m Model,
    interpreter: Interpreter<'m>,
    /// Whether guards that cannot fail are left out where their values are not needed.
    skips_sure_guards: bool,
    /// Computed on first use.
    sure_guards: OnceLock<SureGuards>,
}

impl<'m> ModelReference<'m> {
    /// The model, without needless evaluations of guards that cannot fail.
    pub fn new(model: &'m Model) -> Self {
        let (interpreter, sure_guards) = (Interpreter::new(model), OnceLock::new());
        ModelReference { model, interpreter, skips_sure_guards: true, sure_guards }
    }

    /// The model, with every guard evaluated in every state.
    pub fn paranoid(model: &'m Model) -> Self {
        tracing::debug!("the judge evaluates every guard");
        ModelReference { skips_sure_guards: false, ..ModelReference::new(model) }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The attempts of some rules: of those instances that are wanted.
    fn attempts(
        &self,
        state: &State,
        rules: impl Iterator<Item = usize>,
        is_wanted: impl Fn(&Process, &Event) -> bool,
    ) -> Steps<ModelVocabulary> {
        let mut steps = Steps { guard_faults: Vec::new(), attempts: Vec::new() };
        for rule in rules {
            let instances = match self.interpreter.instances_of_rule(state, rule) {
                Ok(instances) => instances,
                Err(failure) => {
                    steps.guard_faults.push(failure);
                    continue;
                }
            };
            for instance in instances {
                if !is_wanted(&instance.process, &instance.event) {
                    continue;
                }
                let target = match self.interpreter.fire(state, &instance) {
                    Ok(outcome) => outcome.target.map(Ok),
                    Err(failure) => Some(Err(failure)),
                };
                let action = (instance.process, instance.event);
                steps.attempts.extend(target.map(|target| Attempt { action, target }));
            }
        }
        steps
    }

    /// All values of a simple type.
    fn values(&self, of: TypeId) -> Vec<Scalar> {
        let types = &self.model.types;
        let nth = |n| {
            run::poll();
            Scalar::nth(types, of, n)
        };
        (0..types.size(of)).map(nth).collect()
    }

    /// Whether a condition of a requirement is true in a state, for these values of its variables.
    fn is_required(
        &self,
        requirement: &Requirement,
        condition: &Expression,
        values: &[Scalar],
        state: &State,
    ) -> Result<bool, Failure> {
        let slots = requirement.tracked.iter().flat_map(|group| group.locals.iter().copied());
        let binding: Vec<_> = slots.zip(values.iter().copied()).collect();
        self.interpreter.is_true(condition, &requirement.locals, &binding, state)
    }

    /// Whether an operand of an atom is this value.
    fn is_value(binding: &[(LocalId, Scalar)], operand: Operand, value: Scalar) -> bool {
        match operand {
            Operand::Constant(constant) => constant == value,
            Operand::Local(local) => {
                let bound = binding.iter().find(|(bound, _)| *bound == local);
                bound.expect("every tracked variable is bound").1 == value
            }
        }
    }
}

impl<'m> From<&'m Model> for ModelReference<'m> {
    fn from(model: &'m Model) -> Self {
        ModelReference::new(model)
    }
}

impl Reference for ModelReference<'_> {
    type Vocabulary = ModelVocabulary;

    fn starts(&self) -> Starts<'_, ModelVocabulary> {
        Box::new(self.interpreter.starts().map(|start| start.map(|start| start.state)))
    }

    fn steps(&self, state: &State) -> Steps<ModelVocabulary> {
        self.attempts(state, 0..self.model.rules.len(), |_, _| true)
    }

    fn steps_of(&self, state: &State, action: &(Process, Event)) -> Steps<ModelVocabulary> {
        let (process, event) = action;
        let is_sure = self
            .skips_sure_guards
            .then(|| self.sure_guards.get_or_init(|| SureGuards::new(self.model)).of(state));
        let is_sure = |rule: usize| is_sure.as_ref().is_some_and(|is_sure| is_sure[rule]);
        let is_needed =
            |rule: &usize| self.model.rules[*rule].event == event.event || !is_sure(*rule);
        let rules = (0..self.model.rules.len()).filter(is_needed);
        self.attempts(state, rules, |owner, of| owner == process && of == event)
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        let all = (0..).map(PropertyId).zip(&self.model.properties);
        all.filter(|(_, one)| !one.is_statement).map(|(id, one)| (id, one.kind)).collect()
    }

    fn holds(&self, state: &State, property: PropertyId) -> Result<bool, Failure> {
        self.interpreter.holds(state, property)
    }

    fn choices(&self, property: PropertyId) -> u64 {
        choices(self.model, &self.model.properties[property.0 as usize])
    }

    fn instances(
        &self,
        state: &State,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance<ModelVocabulary>>, Failure> {
        let instances = self.interpreter.instances_of(state, property)?.into_iter();
        let property = &self.model.properties[property.0 as usize];
        let instance = |one: interpret::PropertyInstance| PropertyInstance {
            choice: choice_of(self.model, property, &one.arguments),
            holds: one.holds,
        };
        Ok(instances.map(instance).collect())
    }

    fn pattern(&self, fault: &Failure) -> FailurePattern {
        FailurePattern::of(fault)
    }

    fn matches(&self, fault: &Failure, pattern: FailurePattern) -> bool {
        let FailurePattern { kind, span } = pattern;
        kind.is_none_or(|kind| kind == fault.kind) && span.is_none_or(|span| span == fault.span)
    }

    fn syntax<'f>(&self, formula: &'f Formula) -> (&'f ltl::Formulas, ltl::Formula) {
        (&formula.formulas, formula.root)
    }

    fn atoms(&self, formula: &Formula) -> u32 {
        formula.atoms.len() as u32
    }

    fn atom(
        &self,
        formula: &Formula,
        atom: ltl::Atom,
        binding: &[(LocalId, Scalar)],
        state: &State,
        action: Option<&(Process, Event)>,
    ) -> Result<bool, Failure> {
        let is_value = |operand, value| Self::is_value(binding, operand, value);
        match &formula.atoms[atom.0 as usize] {
            Atom::State { condition, .. } => {
                let value = self.interpreter.evaluate(condition, &formula.locals, binding, state);
                Ok(value? == Value::boolean(true))
            }
            Atom::Event { events, arguments, .. } => Ok(action.is_some_and(|(_, event)| {
                let mut both = arguments.iter().zip(&event.arguments);
                events.contains(&event.event)
                    && both.all(|(said, argument)| match (said, argument) {
                        (None, _) => true,
                        (Some(operand), Value::Scalar(scalar)) => is_value(*operand, *scalar),
                        (Some(_), _) => false,
                    })
            })),
            Atom::By { process, .. } => Ok(action.is_some_and(|(actor, _)| match *process {
                None => true,
                Some(ProcessOperand::Single(family)) => actor.family == family,
                Some(ProcessOperand::Member(operand)) => {
                    actor.member.is_some_and(|member| is_value(operand, member))
                }
            })),
        }
    }

    fn reads_events(&self, formula: &Formula, atom: ltl::Atom) -> bool {
        !matches!(formula.atoms[atom.index()], Atom::State { .. })
    }

    fn atom_text(&self, formula: &Formula, atom: ltl::Atom) -> String {
        let (Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. }) =
            &formula.atoms[atom.0 as usize];
        text.clone()
    }

    fn tracked(&self, formula: &Formula) -> Vec<TrackedGroup<ModelVocabulary>> {
        let groups = formula.tracked.iter();
        let group = |group: &checked::TrackedGroup| TrackedGroup {
            variables: group.locals.clone(),
            is_distinct: group.distinct,
        };
        groups.map(group).collect()
    }

    fn has_value(&self, formula: &Formula, (local, value): (LocalId, Scalar)) -> bool {
        let group = formula.tracked.iter().find(|group| group.locals.contains(&local));
        group.is_some_and(|group| is_value_of(self.model, value, group.of))
    }

    fn values(&self, formula: &Formula, local: LocalId) -> Vec<Scalar> {
        let group = formula.tracked.iter().find(|group| group.locals.contains(&local));
        group.map_or_else(Vec::new, |group| ModelReference::values(self, group.of))
    }

    fn variable_name(&self, formula: &Formula, local: LocalId) -> String {
        let is_tracked = formula.tracked.iter().any(|group| group.locals.contains(&local));
        if is_tracked {
            formula.locals[local.0 as usize].name.clone()
        } else {
            format!("local {}", local.0)
        }
    }

    fn processes(&self) -> Vec<Process> {
        let mut all = Vec::new();
        for (family, of) in (0..).map(FamilyId).zip(&self.model.processes) {
            let members = match of.of {
                None => vec![None],
                Some(of) => self.values(of).into_iter().map(Some).collect(),
            };
            // A process of two families is one process.
            let members = members.into_iter().map(|one| Process::new(self.model, family, one));
            all.extend(members.filter(|process| process.family == family));
        }
        all
    }

    fn fairness_of(&self, event: &Event) -> Option<RuleFairness> {
        self.model.events[event.event.0 as usize].fairness
    }

    fn has_fair_events(&self) -> bool {
        self.model.events.iter().any(|event| event.fairness.is_some())
    }

    fn requirements(&self) -> Vec<judge::Requirement<ModelVocabulary>> {
        let variables = |group: &checked::TrackedGroup| RequirementVariables {
            count: group.locals.len(),
            values: self.values(group.of),
            is_distinct: group.distinct,
        };
        let requirement = |one: &Requirement| judge::Requirement {
            variables: one.tracked.iter().map(variables).collect(),
            has_premise: one.premise.is_some(),
        };
        self.model.requirements.iter().map(requirement).collect()
    }

    fn premise(
        &self,
        requirement: usize,
        values: &[Scalar],
        state: &State,
    ) -> Result<bool, Failure> {
        let requirement = &self.model.requirements[requirement];
        match &requirement.premise {
            Some(premise) => self.is_required(requirement, premise, values, state),
            None => Ok(true),
        }
    }

    fn goal(&self, requirement: usize, values: &[Scalar], state: &State) -> Result<bool, Failure> {
        let requirement = &self.model.requirements[requirement];
        self.is_required(requirement, &requirement.conclusion, values, state)
    }

    fn index_types(&self) -> Vec<IndexType> {
        let symmetries = self.model.symmetries.iter();
        let of = |symmetry: &checked::Symmetry| {
            let of = self.model.types.index_type(symmetry.of);
            IndexType { name: of.name.clone(), size: of.size, group: symmetry.group }
        };
        symmetries.map(of).collect()
    }

    fn renamed_state(&self, by: &Renaming, state: &State) -> State {
        if by.is_identity() { state.clone() } else { by.state(self.model, state) }
    }

    fn renamed_process(&self, by: &Renaming, process: &Process) -> Process {
        by.process(process)
    }

    fn renamed_event(&self, by: &Renaming, event: &Event) -> Event {
        by.event(self.model, event)
    }

    fn renamed_value(&self, by: &Renaming, value: Scalar) -> Scalar {
        by.scalar(value)
    }

    fn renamed_choice(&self, by: &Renaming, property: PropertyId, choice: usize) -> Option<usize> {
        choice::renamed(self.model, &self.model.properties[property.0 as usize], by, choice)
    }

    fn signature(&self, state: &State) -> Vec<i64> {
        signature::of_state(self.model, state)
    }

    fn kind_of_event(&self, event: &Event) -> u32 {
        event.event.0
    }

    fn show_process(&self, process: &Process) -> String {
        process.show(self.model)
    }

    fn show_event(&self, event: &Event) -> String {
        event.show(self.model)
    }

    fn show_tuple(&self, requirement: usize, values: &[Scalar]) -> String {
        let requirement = &self.model.requirements[requirement];
        let name = match &requirement.name {
            Some(name) => format!("\"{name}\""),
            None if requirement.premise.is_some() => "compassion".to_owned(),
            None => "justice".to_owned(),
        };
        if values.is_empty() {
            return name;
        }
        let values: Vec<_> = values.iter().map(|value| value.show(&self.model.types)).collect();
        format!("{name}({})", values.join(", "))
    }
}

/// Whether the type has this value. A member or an index of a type may be claimed that does not have
/// that many.
fn is_value_of(model: &Model, value: Scalar, of: TypeId) -> bool {
    value.is_in(&model.types, of)
        && match value {
            Scalar::Number(_) => true,
            Scalar::Member(id, k) => (k as usize) < model.types.members(id).len(),
            Scalar::Index(id, k) => k < model.types.index_type(id).size,
        }
}
