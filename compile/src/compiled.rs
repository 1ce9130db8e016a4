//! [`CompiledModel`], the system of a checked model.

mod collector;
mod starts;
mod worker;

use super::atoms::{CompiledAtoms, tracked_variables};
use super::cells::{Layout, Shape, encode, layout_of, shape_of, width};
use super::faults::Faults;
use super::form::{Frame, PropertyForm, Range, RuleForm, StartForm, check};
use super::lower::{self, Lowered, Units};
use super::machine::Machine;
use super::native::{self, Native};
use engine::symmetry::{IndexType, Indices};
use engine::system::{
    Atoms, EventSummary, FamilySummary, FaultId, FaultSummary, OwnerSummary, PropertySummary,
    RequirementSummary, RuleSummary, System, Worker,
};
use hashbrown::HashMap;
use model::checked::{
    Expression, ExpressionKind, FamilyId, Model, ParameterDomain, Property, PropertyId, Rule,
    Scope, Start,
};
use model::interpret::{Failure, Interpreter, Process, PropertyInstance};
use model::reference::ModelReference;
use model::syntax::PropertyKind;
use model::types::TypeId;
use model::value::{Scalar, Value};
use run::Span;
use starts::CompiledStarts;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How models are compiled. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Forms are executed, and native code is made once that has been much work.
    #[default]
    Adaptive,
    /// Native code from the start, if the processor is supported; unsupported rules are executed.
    Native,
    /// Forms are executed, without native code.
    Executed,
}

/// Native code is generated when executing forms has taken so many iterations per value and statement
/// of the forms: then it has taken about as long as generating will, so that a model that stops growing
/// just then has taken about twice its time at worst. Measured: 150 to 700 instructions of the processor
/// per iteration, and some 50,000 per value or statement.
const PER_NODE: u64 = 80;
/// The least number of iterations.
const LEAST: u64 = 1 << 13;
/// The number of states after which a worker decides again whether to use native code.
const SOME: u32 = 256;

/// A checked model, compiled.
pub struct CompiledModel<'m> {
    model: &'m Model,
    pub(super) interpreter: Interpreter<'m>,
    layout: Layout,
    reference: ModelReference<'m>,
    faults: Faults,
    /// The form of each rule; `None` is left to the interpreter.
    rules: Vec<Option<RuleForm>>,
    /// The form of each start; `None` is left to the interpreter.
    starts: Vec<Option<StartForm>>,
    /// For each rule, the parameter that names the executing process, if there is one: its cell among
    /// the arguments, and its type.
    owners: Vec<Option<(usize, TypeId)>>,
    /// For each rule, whether two steps of its event may be equal: another rule has the same event,
    /// or the rule chooses twice, so that it may choose one element twice or two equal ones.
    shares_event: Vec<bool>,
    /// The form of each property, see [`observed`]; `None` for statements and for properties left to
    /// the interpreter.
    properties: Vec<Option<PropertyForm>>,
    /// The global assumptions.
    assumptions: Vec<PropertyId>,
    /// A frame with the most registers and cells of all.
    frame: Frame,
    backend: Backend,
    /// The number of iterations after which native code is generated.
    much: u64,
    /// Iterations without native code.
    work: AtomicU64,
    /// Native code, once it is generated; `None` inside if there is none for this processor.
    native: OnceLock<Option<Native>>,
}

impl<'m> CompiledModel<'m> {
    /// Compiles a model.
    pub fn new(model: &'m Model) -> Self {
        CompiledModel::with_backend(model, Backend::default())
    }

    /// Compiles a model with a given backend.
    pub fn with_backend(model: &'m Model, backend: Backend) -> Self {
        let span = tracing::debug_span!(
            "model.compile",
            rules = model.rules.len(),
            interpreted = tracing::field::Empty,
            cells = tracing::field::Empty,
            nodes = tracing::field::Empty
        );
        let _entered = span.enter();
        let layout = layout_of(model);
        let units = Units { model, layout: &layout };
        let size = Cell::new(0);
        let lowered = CheckedUnits { units, size: &size };
        let (rules, properties) = (lowered.rules(), lowered.properties());
        let much = (size.get() * PER_NODE).max(LEAST);
        let starts = lowered.starts();
        let mut rules_of = vec![0; model.events.len()];
        for rule in &model.rules {
            rules_of[rule.event.0 as usize] += 1;
        }
        let chooses_twice = |rule: &Rule| {
            rule.scope.iter().filter(|one| matches!(one, Scope::Choose { .. })).count() > 1
        };
        let is_shared = |rule: &Rule| rules_of[rule.event.0 as usize] > 1 || chooses_twice(rule);
        let shares_event = model.rules.iter().map(is_shared).collect();
        let frames = rules.iter().flatten().map(|unit| &unit.frame);
        let frames = frames.chain(properties.iter().flatten().map(|unit| &unit.frame));
        let frames = frames.chain(starts.iter().flatten().map(|unit| &unit.frame));
        let frame = frames.fold(Frame::default(), |most, one| Frame {
            registers: vec![Range::ALL; most.registers.len().max(one.registers.len())],
            cells: most.cells.max(one.cells),
        });
        let is_assumption = |k: &u32| {
            let property = &model.properties[*k as usize];
            property.kind == PropertyKind::Assume && !property.is_statement
        };
        let assumptions =
            (0..model.properties.len() as u32).filter(is_assumption).map(PropertyId).collect();
        span.record("interpreted", rules.iter().filter(|rule| rule.is_none()).count());
        span.record("cells", layout.cells());
        span.record("nodes", size.get());
        let compiled = CompiledModel {
            model,
            interpreter: Interpreter::new(model),
            layout,
            reference: ModelReference::new(model),
            faults: Faults::default(),
            rules,
            starts,
            owners: model.rules.iter().map(|rule| owner(model, rule)).collect(),
            shares_event,
            properties,
            assumptions,
            frame,
            backend,
            much,
            work: AtomicU64::new(0),
            native: OnceLock::new(),
        };
        if backend == Backend::Native {
            compiled.generate();
        }
        compiled
    }

    /// The same model, judged without shortcuts ([`ModelReference::paranoid`]).
    #[must_use]
    pub fn paranoid(mut self) -> Self {
        self.reference = ModelReference::paranoid(self.model);
        self
    }

    /// Generates native code.
    fn generate(&self) {
        let span = tracing::debug_span!("model.native", native = tracing::field::Empty);
        let _entered = span.enter();
        let native =
            native::generate(&self.layout, &self.rules, &self.properties, self.frame.cells);
        span.record("native", native.as_ref().map_or(0, Native::rules));
        // If another thread was faster, its code is equivalent.
        let _ = self.native.set(native);
    }

    /// Counts iterations of executed forms. The worker that reaches the threshold generates native code,
    /// while others continue.
    fn note_work(&self, iterations: u64) {
        let before = self.work.fetch_add(iterations, Ordering::Relaxed);
        if before < self.much && before + iterations >= self.much {
            self.generate();
        }
    }

    /// Loads a state into a machine, by native code once there is some.
    pub(super) fn unpack(&self, state: &[u64], machine: &mut Machine) {
        let native = self.native.get().and_then(Option::as_ref);
        if !native.is_some_and(|native| native.unpack(state, &mut machine.memory)) {
            self.layout.unpack(state, machine.state_mut());
        }
    }

    /// The number of rules that have native code at this time.
    pub fn native(&self) -> usize {
        self.native.get().and_then(Option::as_ref).map_or(0, Native::rules)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The model as the judge executes it.
    pub fn reference(&self) -> &ModelReference<'m> {
        &self.reference
    }

    /// The run-time error of a fault that the system or one of its workers has returned.
    pub fn failure(&self, fault: FaultId) -> Failure {
        self.faults.get(fault)
    }

    /// The fault of a run-time error.
    pub(super) fn fault_of(&self, failure: Failure) -> FaultId {
        self.faults.intern(self.model, failure)
    }

    /// The parameters around a property: the position of each among the arguments of an instance,
    /// and its values, counted from 0.
    fn parameters(&self, property: &Property) -> impl Iterator<Item = (usize, Shape)> {
        let types = &self.model.types;
        let arguments =
            property.scope.iter().filter(|scope| !matches!(scope, Scope::Alias { .. })).enumerate();
        arguments.filter_map(move |(at, scope)| match scope {
            Scope::Parameter { domain: ParameterDomain::Type(of), .. } => {
                let indices = match shape_of(types, *of) {
                    Shape::Simple { low: 0, indices, .. } => indices,
                    _ => Vec::new(),
                };
                Some((at, Shape::Simple { low: 0, values: types.size(*of), indices }))
            }
            Scope::Parameter { domain: ParameterDomain::Steps { from, to, by }, .. } => {
                let is_empty = if *by > 0 { from > to } else { from < to };
                let count = if is_empty { 0 } else { to.abs_diff(*from) / by.unsigned_abs() + 1 };
                Some((at, Shape::Simple { low: 0, values: count, indices: Vec::new() }))
            }
            Scope::Choose { .. } | Scope::Alias { .. } => None,
        })
    }

    /// Combines the instances of a property by the values of its parameters: a property must hold
    /// for every element that is chosen from a multiset; for a `cover` or `liveness` one is enough.
    fn by_parameters(
        &self,
        id: PropertyId,
        instances: Vec<PropertyInstance>,
    ) -> Vec<Result<bool, FaultId>> {
        let property = &self.model.properties[id.0 as usize];
        if !property.scope.iter().any(|scope| matches!(scope, Scope::Choose { .. })) {
            let answers = instances.into_iter().map(|one| one.holds);
            return answers.map(|one| one.map_err(|failure| self.fault_of(failure))).collect();
        }
        let deciding = asks_where(property.kind);
        let parameters: Vec<(usize, Shape)> = self.parameters(property).collect();
        let position = |instance: &PropertyInstance| {
            parameters.iter().fold(0, |number, (at, shape)| {
                let Shape::Simple { values, .. } = shape else { unreachable!("values are simple") };
                number * values + self.position(property, *at, &instance.arguments[*at])
            })
        };
        let mut answers = vec![Ok(!deciding); self.choices(id)];
        for instance in instances {
            let answer = &mut answers[position(&instance) as usize];
            match (&*answer, &instance.holds) {
                // A deciding instance takes precedence over one that fails.
                (Ok(known), _) if *known == deciding => {}
                (_, Ok(holds)) if *holds != deciding => {}
                _ => *answer = instance.holds,
            }
        }
        answers.into_iter().map(|one| one.map_err(|failure| self.fault_of(failure))).collect()
    }

    /// The number of choices of values for the parameters of a property.
    fn choices(&self, property: PropertyId) -> usize {
        let parameters = self.parameters(&self.model.properties[property.0 as usize]);
        let values = parameters.map(|(_, shape)| match shape {
            Shape::Simple { values, .. } => values as usize,
            _ => unreachable!("values are simple"),
        });
        values.product()
    }

    /// The position of a value among the values of a parameter.
    fn position(&self, property: &Property, argument: usize, value: &Value) -> u64 {
        let scopes = property.scope.iter().filter(|scope| !matches!(scope, Scope::Alias { .. }));
        match (scopes.into_iter().nth(argument), value) {
            (
                Some(Scope::Parameter { domain: ParameterDomain::Type(of), .. }),
                Value::Scalar(scalar),
            ) => scalar.position(&self.model.types, *of).expect("a value is in its type"),
            (
                Some(Scope::Parameter { domain: ParameterDomain::Steps { from, by, .. }, .. }),
                Value::Scalar(Scalar::Number(number)),
            ) => number.abs_diff(*from) / by.unsigned_abs(),
            _ => unreachable!("parameters around properties are simple"),
        }
    }

    /// The number of rules that are left to the reference interpreter.
    pub fn interpreted(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_none()).count()
    }
}

impl System for CompiledModel<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        Box::new(CompiledStarts::new(self))
    }

    fn covered_by_starts(&self) -> Vec<PropertyId> {
        let mut starts = CompiledStarts::new(self);
        starts.by_ref().for_each(drop);
        starts.covered
    }

    fn properties(&self) -> Vec<PropertySummary> {
        let summary = |one: &Property| PropertySummary {
            kind: one.kind,
            is_statement: one.is_statement,
            parameters: self.parameters(one).map(|(_, shape)| shape).collect(),
        };
        self.model.properties.iter().map(summary).collect()
    }

    fn indices(&self) -> Indices {
        let sizes = self.model.types.index_types.iter().map(|of| of.size);
        let groups = self.model.symmetries.iter().map(|symmetry| symmetry.group);
        Indices::new(sizes.zip(groups).map(|(size, group)| IndexType { size, group }))
    }

    fn rules(&self) -> Vec<RuleSummary> {
        let types = &self.model.types;
        let summary = |rule: &Rule| {
            let mut arguments = Vec::new();
            let mut member = None;
            let mut cells = 0;
            for scope in &rule.scope {
                let (Scope::Parameter { local, .. } | Scope::Choose { local, .. }) = scope else {
                    continue;
                };
                if rule.owner.parameter == Some(*local) {
                    member = Some(cells);
                }
                let of = rule.locals[local.0 as usize].of;
                cells += types.cells(of) as usize;
                arguments.push(shape_of(types, of));
            }
            let owner = match member {
                None => OwnerSummary::Single(rule.owner.family),
                Some(cell) => OwnerSummary::Argument { cell, members: members(self.model, rule) },
            };
            RuleSummary { event: rule.event, arguments, owner }
        };
        self.model.rules.iter().map(summary).collect()
    }

    fn families(&self) -> Vec<FamilySummary> {
        let types = &self.model.types;
        let families = self.model.processes.iter();
        families
            .map(|one| FamilySummary { members: one.of.map(|of| shape_of(types, of)) })
            .collect()
    }

    fn events(&self) -> Vec<EventSummary> {
        self.model.events.iter().map(|one| EventSummary { fairness: one.fairness }).collect()
    }

    fn requirements(&self) -> Vec<RequirementSummary> {
        let requirements = self.model.requirements.iter().map(|one| RequirementSummary {
            tracked: tracked_variables(&self.model.types, &one.tracked),
            has_premise: one.premise.is_some(),
        });
        requirements.collect()
    }

    fn requirement_atoms(&self) -> Vec<Box<dyn Atoms + '_>> {
        let atoms =
            self.model.requirements.iter().map(|one| CompiledAtoms::of_requirement(self, one));
        atoms.map(|atoms| Box::new(atoms) as Box<dyn Atoms>).collect()
    }

    fn fault(&self, fault: FaultId) -> FaultSummary {
        self.faults.summary(fault)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(worker::ModelWorker::new(self))
    }
}

/// Lowers the units of a model and checks their forms.
#[derive(Clone, Copy)]
struct CheckedUnits<'u> {
    units: Units<'u>,
    /// Values and statements so far.
    size: &'u Cell<u64>,
}

impl CheckedUnits<'_> {
    fn rules(self) -> Vec<Option<RuleForm>> {
        let lower =
            |rule: &Rule| self.checked("rule", rule.span, self.units.rule(rule), check::rule);
        self.units.model.rules.iter().map(lower).collect()
    }

    fn properties(self) -> Vec<Option<PropertyForm>> {
        let lower = |property: &Property| {
            let form = self.units.property(&observed(property));
            self.checked("property", property.span, form, check::property)
        };
        self.units.model.properties.iter().map(lower).collect()
    }

    fn starts(self) -> Vec<Option<StartForm>> {
        let lower = |start: &Start| {
            self.checked("start state", start.span, self.units.start(start), check::start)
        };
        self.units.model.starts.iter().map(lower).collect()
    }

    /// A form that touches only its own memory. A form that does not is a bug: in tests it is one that
    /// cannot be overlooked; else the unit is left to the interpreter.
    fn checked<T>(
        self,
        what: &'static str,
        span: Span,
        form: Lowered<T>,
        check: fn(&T, usize) -> check::Size,
    ) -> Option<T> {
        let form = lower::supported(what, span, form)?;
        match check(&form, self.units.layout.cells()) {
            Ok(size) => {
                self.size.set(self.size.get() + size as u64);
                Some(form)
            }
            Err(fault) => {
                debug_assert!(false, "{what} at {}: {fault}", span.start);
                tracing::warn!(what, at = span.start, fault, "left to the interpreter");
                None
            }
        }
    }
}

/// The parameter of a rule that names the executing process: its cell among the arguments, and its type.
fn owner(model: &Model, rule: &Rule) -> Option<(usize, TypeId)> {
    let mut cells = 0;
    for one in &rule.scope {
        let (Scope::Parameter { local, .. } | Scope::Choose { local, .. }) = one else { continue };
        let of = rule.locals[local.0 as usize].of;
        if rule.owner.parameter == Some(*local) {
            return Some((cells, of));
        }
        cells += width(&model.types, of);
    }
    None
}

/// A property as it is compiled: a condition that is true for all values of its scope. A `cover` or
/// `liveness` asks where its condition is true, and in most states that is nowhere; so the negation
/// is compiled, and if that is true for all values, nothing else needs to be evaluated.
fn observed(property: &Property) -> Property {
    let mut observed = property.clone();
    if !property.is_statement && asks_where(property.kind) {
        observed.condition = observed.condition.map(|condition| {
            let (of, span) = (condition.of, condition.span);
            Expression { kind: ExpressionKind::Not(Box::new(condition)), of, span }
        });
    }
    observed
}

/// Whether a property is about the values for which its condition is true, not about all values.
fn asks_where(kind: PropertyKind) -> bool {
    matches!(kind, PropertyKind::Cover | PropertyKind::Liveness)
}

/// The processes that execute a rule, by the cell of the argument that names them.
fn members(model: &Model, rule: &Rule) -> HashMap<i64, (FamilyId, i64)> {
    let Some(parameter) = rule.owner.parameter else { return HashMap::new() };
    let parameter = rule.locals[parameter.0 as usize].of;
    let values = (0..model.types.size(parameter)).map(|k| Scalar::nth(&model.types, parameter, k));
    let counted = values.map(|value| {
        let cell = encode(&model.types, parameter, value);
        let process = Process::new(model, rule.owner.family, Some(value));
        let family = model.processes[process.family.0 as usize].of.expect("it has members");
        (cell, (process.family, encode(&model.types, family, value)))
    });
    counted.collect()
}
