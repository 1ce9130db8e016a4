//! The system of a checked model.

use super::compile::{self, ArgumentAt, Block, Level, RuleCode};
use super::layout::{Layout, PRESENT, UNDEFINED, decode, flatten};
use super::machine::{Code, Eval, Machine, Trap};
use super::native::{self, Native};
use super::{Label, PropertySummary, RuleSummary, Shape, Steps, System, Worker};
use crate::model::checked::{Model, ParameterDomain, Property, PropertyId, Rule, Scope};
use crate::model::interpret::{
    Failure, Instance, Interpreter, Outcome, Process, PropertyInstance, State,
};
use crate::model::syntax::PropertyKind;
use crate::model::value::{Scalar, Value};
use crate::symmetry::{IndexType, Indices};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What compiled models are made of. What they say does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Closures, and native code once a model has shown that it has many states.
    #[default]
    Adaptive,
    /// Native code from the start, if this machine is known; closures for what it cannot do.
    Native,
    /// Closures.
    Closures,
}

/// So many states are expanded before native code is worth its generation, which takes as long as some
/// thousands of states do.
const MANY: u64 = 8_192;
/// After so many states a worker asks itself whether native code is of use.
const SOME: u32 = 256;

/// A checked model, compiled.
pub struct CompiledModel<'m> {
    model: &'m Model,
    pub(super) interpreter: Interpreter<'m>,
    layout: Layout,
    pub(super) code: Code,
    /// By rule; `None` is left to the interpreter.
    rules: Vec<Option<RuleCode>>,
    /// By rule: whether two steps of its event may be equal. Either another rule has the same event,
    /// or it chooses twice: one element, or two that are equal.
    shares_event: Vec<bool>,
    /// By property; `None` is left to the interpreter, or is a statement.
    properties: Vec<Option<(Block, Eval)>>,
    /// The global assumptions.
    assumptions: Vec<PropertyId>,
    /// Cells of the largest frame.
    frame: usize,
    backend: Backend,
    /// States that were expanded without native code.
    expanded: AtomicU64,
    /// Native code, when it is there; `None` inside if there is none for this machine.
    native: OnceLock<Option<Native>>,
}

impl<'m> CompiledModel<'m> {
    /// Compiles a model.
    pub fn new(model: &'m Model) -> Self {
        CompiledModel::with_backend(model, Backend::default())
    }

    /// Compiles a model in a certain way.
    pub fn with_backend(model: &'m Model, backend: Backend) -> Self {
        let span = tracing::debug_span!(
            "model.compile",
            rules = model.rules.len(),
            interpreted = tracing::field::Empty,
            cells = tracing::field::Empty
        );
        let _entered = span.enter();
        let layout = Layout::of(model);
        let code = compile::functions(model, &layout);
        let supported: Vec<bool> = code.functions.iter().map(Option::is_some).collect();
        let events = |id| model.rules.iter().filter(|rule| rule.event == id).count();
        let chooses_twice = |rule: &Rule| {
            rule.scope.iter().filter(|one| matches!(one, Scope::Choose { .. })).count() > 1
        };
        let shares_event =
            model.rules.iter().map(|rule| events(rule.event) > 1 || chooses_twice(rule)).collect();
        let rules: Vec<_> = model
            .rules
            .iter()
            .map(|rule| compile::rule(model, &layout, &supported, rule).ok())
            .collect();
        let properties: Vec<_> = model
            .properties
            .iter()
            .map(|property| compile::property(model, &layout, &supported, property).ok())
            .collect();
        let frames = rules.iter().flatten().map(|unit| unit.block.frame);
        let frame = frames.chain(properties.iter().flatten().map(|(block, _)| block.frame));
        let frame = frame.max().unwrap_or(0);
        let is_assumption = |k: &u32| {
            let property = &model.properties[*k as usize];
            property.kind == PropertyKind::Assume && !property.is_statement
        };
        let assumptions =
            (0..model.properties.len() as u32).filter(is_assumption).map(PropertyId).collect();
        span.record("interpreted", rules.iter().filter(|rule| rule.is_none()).count());
        span.record("cells", layout.cells());
        let compiled = CompiledModel {
            model,
            interpreter: Interpreter::new(model),
            layout,
            code,
            rules,
            shares_event,
            properties,
            assumptions,
            frame,
            backend,
            expanded: AtomicU64::new(0),
            native: OnceLock::new(),
        };
        if backend == Backend::Native {
            compiled.generate();
        }
        compiled
    }

    /// Generates native code.
    fn generate(&self) {
        let span = tracing::debug_span!("model.native", native = tracing::field::Empty);
        let _entered = span.enter();
        let native = native::generate(self.model, &self.layout, &self.rules, self.frame);
        span.record("native", native.as_ref().map_or(0, Native::rules));
        // If there is some already, it is as good.
        let _ = self.native.set(native);
    }

    /// Notes that a state is expanded; whoever sees that there are many generates native code, while
    /// others go on.
    fn note_expanded(&self) {
        if self.expanded.fetch_add(1, Ordering::Relaxed) == MANY {
            self.generate();
        }
    }

    /// How many rules have native code by now.
    pub fn native(&self) -> usize {
        self.native.get().and_then(Option::as_ref).map_or(0, Native::rules)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The parameters around a property: where each is among the arguments of an instance, and its
    /// values, counted from 0.
    fn parameters(&self, property: &Property) -> impl Iterator<Item = (usize, Shape)> {
        let types = &self.model.types;
        let arguments =
            property.scope.iter().filter(|scope| !matches!(scope, Scope::Alias { .. })).enumerate();
        arguments.filter_map(move |(at, scope)| match scope {
            Scope::Parameter { domain: ParameterDomain::Type(of), .. } => {
                let indices = match Shape::of(types, *of) {
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

    /// What instances of a property say together, by the values of its parameters: of the elements
    /// that are chosen from a multiset, each must be right; for a `cover` or `liveness` one is enough.
    fn by_parameters(
        &self,
        id: PropertyId,
        instances: Vec<PropertyInstance>,
    ) -> Vec<Result<bool, Failure>> {
        let property = &self.model.properties[id.0 as usize];
        if !property.scope.iter().any(|scope| matches!(scope, Scope::Choose { .. })) {
            return instances.into_iter().map(|one| one.holds).collect();
        }
        let deciding = matches!(property.kind, PropertyKind::Cover | PropertyKind::Liveness);
        let parameters: Vec<(usize, Shape)> = self.parameters(property).collect();
        let position = |instance: &PropertyInstance| {
            parameters.iter().fold(0, |number, (at, shape)| {
                let Shape::Simple { values, .. } = shape else { unreachable!("values are simple") };
                number * values + self.position(property, *at, &instance.arguments[*at])
            })
        };
        let count = parameters.iter().map(|(_, shape)| match shape {
            Shape::Simple { values, .. } => *values as usize,
            _ => unreachable!("values are simple"),
        });
        let mut answers = vec![Ok(!deciding); count.product()];
        for instance in instances {
            let answer = &mut answers[position(&instance) as usize];
            match (&*answer, &instance.holds) {
                // What decides counts for more than what fails.
                (Ok(known), _) if *known == deciding => {}
                (_, Ok(holds)) if *holds != deciding => {}
                _ => *answer = instance.holds,
            }
        }
        answers
    }

    /// Which value of a parameter this is.
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

    /// How many rules are left to the reference interpreter.
    pub fn interpreted(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_none()).count()
    }
}

impl System for CompiledModel<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, Failure>> + '_> {
        Box::new(self.interpreter.starts().map(|start| {
            let mut cells = Vec::new();
            self.layout.flatten(self.model, &start?.state, &mut cells);
            let mut packed = vec![0; self.layout.words()];
            self.layout.pack(&cells, &mut packed);
            Ok(packed.into_boxed_slice())
        }))
    }

    fn covered_by_starts(&self) -> Vec<PropertyId> {
        let mut covered = Vec::new();
        for start in self.interpreter.starts().flatten() {
            for property in start.covered {
                if !covered.contains(&property) {
                    covered.push(property);
                }
            }
        }
        covered
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
                arguments.push(Shape::of(types, of));
            }
            RuleSummary { event: rule.event, arguments, family: rule.owner.family, member }
        };
        self.model.rules.iter().map(summary).collect()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(ModelWorker {
            system: self,
            machine: Machine::new(self.layout.cells(), self.frame),
            current: vec![0; self.layout.words()],
            is_loaded: false,
            packed: vec![0; self.layout.words()],
            shared: Vec::new(),
            touched: Vec::new(),
            slots: Vec::new(),
            native: None,
            records: Vec::new(),
            expanded: 0,
            given_up: 0,
            is_unusual: false,
        })
    }
}

struct ModelWorker<'s> {
    system: &'s CompiledModel<'s>,
    machine: Machine,
    /// The state that the machine holds, if `is_loaded`.
    current: Vec<u64>,
    is_loaded: bool,
    /// A target being packed.
    packed: Vec<u64>,
    /// Steps of the state being expanded that another instance of the same event may make, too.
    shared: Vec<(Process, usize)>,
    /// Multisets to be settled, and memory to do it.
    touched: Vec<usize>,
    slots: Vec<i64>,
    /// Native code, once it is there, and memory for its records.
    native: Option<&'s Native>,
    records: Vec<i64>,
    /// Of the last states: how many were expanded, and of how many of them native code gave up ...
    expanded: u32,
    given_up: u32,
    /// ... which were once so many that it is not asked any more.
    is_unusual: bool,
}

impl Worker for ModelWorker<'_> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, Failure> {
        for &id in &self.system.assumptions {
            let Some((block, condition)) = &self.system.properties[id.0 as usize] else {
                if !self.system.interpreter.holds(&self.decoded(state), id)? {
                    return Ok(false);
                }
                continue;
            };
            self.load(state);
            match self.all(id, block, condition) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) => {
                    if !self.system.interpreter.holds(&self.decoded(state), id)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, Failure>> {
        let state = self.decoded(state);
        match self.system.interpreter.instances_of(&state, property) {
            Ok(all) => self.system.by_parameters(property, all),
            Err(failure) => vec![Err(failure)],
        }
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        if let Some((block, condition)) = &self.system.properties[property.0 as usize] {
            self.load(state);
            // If it fails, the interpreter knows more.
            if let Ok(holds) = self.all(property, block, condition) {
                return !holds;
            }
        }
        self.property(state, property).iter().any(|one| !matches!(one, Ok(true)))
    }

    fn expand(&mut self, state: &[u64], steps: &mut Steps) {
        self.load(state);
        self.find_native();
        let native = self.native;
        let is_complete = match native {
            Some(native) => {
                self.expand_compiled(Some(native), steps) || {
                    self.given_up += 1;
                    self.reload();
                    self.expand_compiled(None, steps)
                }
            }
            None => self.expand_compiled(None, steps),
        };
        if !is_complete {
            self.interpret(steps);
        }
        for property in self.machine.covered.drain(..) {
            if !steps.covered.contains(&property) {
                steps.covered.push(property);
            }
        }
    }
}

impl ModelWorker<'_> {
    /// Looks whether there is native code by now, and whether it is of use.
    fn find_native(&mut self) {
        let is_adaptive = self.system.backend == Backend::Adaptive;
        if self.native.is_none() && !self.is_unusual {
            match self.system.native.get() {
                None if is_adaptive => self.system.note_expanded(),
                None | Some(None) => {}
                Some(Some(native)) => {
                    native.make_room(&mut self.machine.memory, &mut self.records);
                    self.native = Some(native);
                }
            }
        }
        self.expanded += 1;
        if self.expanded == SOME {
            if is_adaptive && self.given_up > SOME / 4 {
                self.is_unusual = true;
                self.native = None;
            }
            (self.expanded, self.given_up) = (0, 0);
        }
    }

    /// Appends the steps out of the loaded state; whether nothing was unusual. Otherwise there is
    /// nothing of it.
    fn expand_compiled(&mut self, native: Option<&Native>, steps: &mut Steps) -> bool {
        self.shared.clear();
        self.machine.covered.clear();
        let before = (steps.labels.len(), steps.arguments.len(), steps.fired, steps.covered.len());
        for k in 0..self.system.rules.len() {
            let outcome = match (&self.system.rules[k], native) {
                (Some(unit), Some(native)) if native.has_rule(k) => {
                    self.fire_native(native, unit, k as u32, steps)
                }
                (Some(unit), _) => {
                    self.machine.renew(unit.block.frame);
                    self.fire_all(unit, k as u32, 0, steps)
                }
                (None, _) => self.interpret_rule(k, steps),
            };
            if outcome.is_err() {
                steps.labels.truncate(before.0);
                steps.targets.truncate(before.0 * self.system.layout.words());
                steps.arguments.truncate(before.1);
                steps.fired = before.2;
                steps.covered.truncate(before.3);
                self.shared.clear();
                self.machine.covered.clear();
                return false;
            }
        }
        true
    }

    /// Puts the current state into the machine again, whatever has become of it there.
    fn reload(&mut self) {
        self.system.layout.unpack(&self.current, self.machine.state_mut());
    }

    /// Appends the steps of a rule that has native code.
    fn fire_native(
        &mut self,
        native: &Native,
        unit: &RuleCode,
        rule: u32,
        steps: &mut Steps,
    ) -> Result<(), Trap> {
        for &(_, cell) in native.covers(rule as usize) {
            self.machine.memory[cell] = 0;
        }
        let mut records = std::mem::take(&mut self.records);
        let made = native.steps(rule as usize, &mut self.machine.memory, &mut records);
        let outcome = made.map(|mut rest| {
            while let [stores, behind @ ..] = rest {
                let (arguments, behind) = behind.split_at(unit.arguments.len());
                let (stores, behind) = behind.split_at(2 * *stores as usize);
                self.packed.copy_from_slice(&self.current);
                for store in stores.chunks_exact(2) {
                    self.system.layout.set(&mut self.packed, store[0] as usize / 8, store[1]);
                }
                let first_argument = steps.arguments.len();
                steps.arguments.extend_from_slice(arguments);
                let process = self.owner(unit, rule, arguments);
                self.add(rule, process, first_argument, steps);
                rest = behind;
            }
        });
        self.records = records;
        for &(property, cell) in native.covers(rule as usize) {
            if self.machine.memory[cell] == 1 && !self.machine.covered.contains(&property) {
                self.machine.covered.push(property);
            }
        }
        outcome
    }

    /// Puts a state into the machine, unless it is there.
    fn load(&mut self, state: &[u64]) {
        if self.is_loaded && self.current == state {
            return;
        }
        self.current.copy_from_slice(state);
        self.system.layout.unpack(state, self.machine.state_mut());
        self.is_loaded = true;
    }

    /// The state as the interpreter knows it.
    fn decoded(&mut self, state: &[u64]) -> State {
        self.load(state);
        self.system.layout.state(self.system.model, self.machine.state())
    }

    /// Whether a condition is true for all values around it.
    fn all(&mut self, id: PropertyId, block: &Block, condition: &Eval) -> Result<bool, Trap> {
        if let Some(native) = self.native
            && let Some(holds) = native.holds(id, &mut self.machine.memory, &mut self.records)
        {
            return Ok(holds);
        }
        self.machine.renew(block.frame);
        all(&self.system.code, &mut self.machine, &block.levels, condition)
    }

    /// Binds what stands around a rule from this level on, and fires it wherever it is enabled.
    fn fire_all(
        &mut self,
        unit: &RuleCode,
        rule: u32,
        level: usize,
        steps: &mut Steps,
    ) -> Result<(), Trap> {
        for condition in &unit.block.conditions[level] {
            if condition(&self.system.code, &mut self.machine)? == 0 {
                return Ok(());
            }
        }
        match unit.block.levels.get(level) {
            None => self.fire(unit, rule, steps),
            Some(Level::Alias { address, target }) => {
                let value = target(&self.system.code, &mut self.machine)?;
                self.machine.memory[*address] = value;
                self.fire_all(unit, rule, level + 1, steps)
            }
            Some(Level::Choose { .. }) => {
                let chosen =
                    choices(&self.system.code, &mut self.machine, &unit.block.levels[level])?;
                for (address, slot) in chosen {
                    self.machine.memory[address] = slot;
                    self.fire_all(unit, rule, level + 1, steps)?;
                }
                Ok(())
            }
            Some(Level::Parameter { address, values }) => {
                let mut value = values.from;
                for _ in 0..values.count {
                    self.machine.memory[*address] = value;
                    self.fire_all(unit, rule, level + 1, steps)?;
                    value = value.wrapping_add(values.by);
                }
                Ok(())
            }
        }
    }

    fn fire(&mut self, unit: &RuleCode, rule: u32, steps: &mut Steps) -> Result<(), Trap> {
        let layout = &self.system.layout;
        for range in &unit.variables {
            self.machine.memory[range.clone()].fill(UNDEFINED);
        }
        let outcome = (unit.body)(&self.system.code, &mut self.machine);
        let outcome = if self.machine.is_misled() { Err(Trap::Failure) } else { outcome };
        if outcome.is_ok() {
            self.settle();
        }
        self.packed.copy_from_slice(&self.current);
        for &(cell, _) in self.machine.written() {
            let value = self.machine.memory[cell as usize];
            layout.set(&mut self.packed, cell as usize, value);
        }
        self.machine.undo();
        self.machine.renew(unit.block.frame);
        match outcome {
            Ok(_) => {}
            Err(Trap::Abandoned) => return Ok(()),
            Err(Trap::Failure) => return Err(Trap::Failure),
        }
        let first_argument = steps.arguments.len();
        let memory = &self.machine.memory;
        for argument in &unit.arguments {
            match *argument {
                ArgumentAt::Cell(cell) => steps.arguments.push(memory[cell]),
                ArgumentAt::Chosen(cell, width) => {
                    let element = memory[cell] as usize + 1;
                    steps.arguments.extend_from_slice(&memory[element..element + width]);
                }
            }
        }
        let process = self.owner(unit, rule, &steps.arguments[first_argument..]);
        self.add(rule, process, first_argument, steps);
        Ok(())
    }

    /// Brings the multisets that were written into their order between steps.
    fn settle(&mut self) {
        let multisets = self.system.layout.multisets();
        let (Some(first), Some(last)) = (multisets.first(), multisets.last()) else { return };
        let (first, last) = (first.start, last.start + last.capacity * last.stride);
        for k in 0..self.machine.written().len() {
            let cell = self.machine.written()[k].0 as usize;
            if (first..last).contains(&cell) {
                let at = multisets.partition_point(|one| one.start <= cell) - 1;
                let one = multisets[at];
                if cell < one.start + one.capacity * one.stride && !self.touched.contains(&at) {
                    self.touched.push(at);
                }
            }
        }
        while let Some(at) = self.touched.pop() {
            self.machine.settle(multisets[at], &mut self.slots);
        }
    }

    /// Adds the step to `packed`, whose arguments are there, unless another instance of the same
    /// event has made it already: same process, event and target.
    fn add(&mut self, rule: u32, process: Process, first_argument: usize, steps: &mut Steps) {
        let rules = &self.system.model.rules;
        let words = self.system.layout.words();
        steps.fired += 1;
        if self.system.shares_event[rule as usize] {
            let arguments = &steps.arguments[first_argument..];
            let known = self.shared.iter().any(|&(other, step)| {
                let theirs = steps.labels[step].rule as usize;
                other == process
                    && rules[theirs].event == rules[rule as usize].event
                    && steps.targets[step * words..(step + 1) * words] == self.packed[..]
                    && &steps.arguments[steps.labels[step].first_argument as usize..]
                        [..arguments.len()]
                        == arguments
            });
            if known {
                steps.arguments.truncate(first_argument);
                return;
            }
            self.shared.push((process, steps.labels.len()));
        }
        let stutters = self.packed == self.current;
        let first_argument = first_argument as u32;
        steps.labels.push(Label { rule, first_argument, stutters });
        steps.targets.extend_from_slice(&self.packed);
    }

    /// Who executes a compiled rule with these arguments; asked for only if it matters.
    fn owner(&self, unit: &RuleCode, rule: u32, arguments: &[i64]) -> Process {
        let model = self.system.model;
        let owner = model.rules[rule as usize].owner;
        let none = Process { family: owner.family, member: None };
        if !self.system.shares_event[rule as usize] {
            return none;
        }
        let Some((cell, of)) = unit.owner else { return none };
        let member = decode(&model.types, of, arguments[cell]);
        Process::new(model, owner.family, Some(member))
    }

    /// Leaves one rule of the loaded state to the interpreter.
    fn interpret_rule(&mut self, rule: usize, steps: &mut Steps) -> Result<(), Trap> {
        let state = self.system.layout.state(self.system.model, self.machine.state());
        let instances = self.system.interpreter.instances_of_rule(&state, rule);
        for instance in instances.map_err(|_| Trap::Failure)? {
            let outcome = self.system.interpreter.fire(&state, &instance);
            let outcome = outcome.map_err(|_| Trap::Failure)?;
            self.interpreted(&instance, outcome, steps);
        }
        Ok(())
    }

    /// Leaves the loaded state to the interpreter, with all that fails.
    fn interpret(&mut self, steps: &mut Steps) {
        let state = self.system.layout.state(self.system.model, self.machine.state());
        match self.system.interpreter.instances(&state) {
            Err(failure) => steps.failures.push(failure),
            Ok(instances) => {
                for instance in instances {
                    match self.system.interpreter.fire(&state, &instance) {
                        Err(failure) => steps.failures.push(failure),
                        Ok(outcome) => self.interpreted(&instance, outcome, steps),
                    }
                }
            }
        }
    }

    fn interpreted(&mut self, instance: &Instance, outcome: Outcome, steps: &mut Steps) {
        for property in outcome.covered {
            if !steps.covered.contains(&property) {
                steps.covered.push(property);
            }
        }
        let Some(target) = outcome.target else { return };
        let model = self.system.model;
        let mut cells = Vec::new();
        self.system.layout.flatten(model, &target, &mut cells);
        self.system.layout.pack(&cells, &mut self.packed);
        let first_argument = steps.arguments.len();
        let parameters = &model.events[instance.event.event.0 as usize].parameters;
        for ((_, of), value) in parameters.iter().zip(&instance.event.arguments) {
            flatten(&model.types, *of, value, &mut steps.arguments);
        }
        self.add(instance.rule as u32, instance.process, first_argument, steps);
    }
}

/// The slots that a [`Level::Choose`] goes through, each with the cell that holds it. In a settled
/// multiset equal elements are neighbours; one that an outer level has chosen is different from
/// those equal to it that were not.
fn choices(code: &Code, machine: &mut Machine, level: &Level) -> Result<Vec<(usize, i64)>, Trap> {
    let Level::Choose { address, multiset, capacity, stride, outer } = level else {
        unreachable!("asked of levels that choose only")
    };
    let start = multiset(code, machine)?;
    let memory = &machine.memory;
    let is_chosen = |slot: usize| outer.iter().any(|&cell| memory[cell] as usize == slot);
    let mut found = Vec::new();
    for slot in (0..*capacity).map(|k| start + k * stride) {
        if memory[slot] != PRESENT {
            break;
        }
        let before = slot.wrapping_sub(*stride);
        let is_equal = slot > start && memory[before..slot] == memory[slot..slot + stride];
        if !is_equal || is_chosen(before) || is_chosen(slot) {
            found.push((*address, slot as i64));
        }
    }
    Ok(found)
}

/// Whether a condition is true for all values of these levels. As the interpreter says, one that
/// decides counts for more than one that fails: so a failure is no answer before all are known.
fn all(
    code: &Code,
    machine: &mut Machine,
    levels: &[Level],
    condition: &Eval,
) -> Result<bool, Trap> {
    match levels.split_first() {
        None => Ok(condition(code, machine)? != 0),
        Some((Level::Alias { address, target }, rest)) => {
            let value = target(code, machine)?;
            machine.memory[*address] = value;
            all(code, machine, rest, condition)
        }
        Some((choose @ Level::Choose { .. }, rest)) => {
            for (address, slot) in choices(code, machine, choose)? {
                machine.memory[address] = slot;
                if !all(code, machine, rest, condition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Some((Level::Parameter { address, values }, rest)) => {
            let mut value = values.from;
            for _ in 0..values.count {
                machine.memory[*address] = value;
                if !all(code, machine, rest, condition)? {
                    return Ok(false);
                }
                value = value.wrapping_add(values.by);
            }
            Ok(true)
        }
    }
}
