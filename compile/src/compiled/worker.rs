//! [`ModelWorker`] expands the states of a compiled model: by native code where it exists, by
//! closures, and by the interpreter where those fail.

use super::{Backend, CompiledModel, SOME};
use crate::cells::{PRESENT, UNDEFINED, decode, flatten, flatten_state, state_of};
use crate::closures::{ArgumentAt, Block, Level, RuleCode};
use crate::machine::{Code, Eval, Machine, Trap};
use crate::native::Native;
use engine::system::{FaultId, Label, Steps, Worker};
use model::checked::PropertyId;
use model::interpret::{Instance, Outcome, Process, State};

/// Expands states; one per thread.
pub(super) struct ModelWorker<'s> {
    system: &'s CompiledModel<'s>,
    machine: Machine,
    /// The state that the machine holds, if `is_loaded`.
    current: Vec<u64>,
    is_loaded: bool,
    /// The packed target of the current step.
    packed: Vec<u64>,
    /// Steps of the state being expanded that another instance of the same event may also make.
    shared: Vec<(Process, usize)>,
    /// Multisets to be put in order, and scratch memory for it.
    touched: Vec<usize>,
    slots: Vec<i64>,
    /// Native code, once it exists, and memory for its records.
    native: Option<&'s Native>,
    records: Vec<i64>,
    /// Among the last states: how many were expanded, and for how many of them native code gave up.
    expanded: u32,
    given_up: u32,
    /// Whether native code gave up so often that it is no longer used.
    is_unusual: bool,
}

impl Worker for ModelWorker<'_> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        for &id in &self.system.assumptions {
            let Some((block, condition)) = &self.system.properties[id.0 as usize] else {
                if !self.interpreted_property(state, id)? {
                    return Ok(false);
                }
                continue;
            };
            self.load(state);
            match self.all(id, block, condition) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) => {
                    if !self.interpreted_property(state, id)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, FaultId>> {
        let state = self.decoded(state);
        match self.system.interpreter.instances_of(&state, property) {
            Ok(all) => self.system.by_parameters(property, all),
            Err(failure) => vec![Err(self.system.fault_of(failure))],
        }
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        if let Some((block, condition)) = &self.system.properties[property.0 as usize] {
            self.load(state);
            // If it fails, the interpreter determines the outcome.
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

impl<'s> ModelWorker<'s> {
    /// A worker for states of this system.
    pub(super) fn new(system: &'s CompiledModel<'s>) -> Self {
        ModelWorker {
            system,
            machine: Machine::new(system.layout.cells(), system.frame),
            current: vec![0; system.layout.words()],
            is_loaded: false,
            packed: vec![0; system.layout.words()],
            shared: Vec::new(),
            touched: Vec::new(),
            slots: Vec::new(),
            native: None,
            records: Vec::new(),
            expanded: 0,
            given_up: 0,
            is_unusual: false,
        }
    }

    /// Starts to use native code once it exists, and stops if it gives up too often.
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

    /// Appends the steps from the loaded state. Returns false, and appends nothing, if something
    /// unusual occurs.
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

    /// Loads the current state again, after native code may have left the machine's memory changed.
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
        let covers = native.covers(rule as usize);
        for &(_, cell) in covers {
            self.machine.memory[cell] = 0;
        }
        let mut records = std::mem::take(&mut self.records);
        let made =
            native.steps(rule as usize, &self.current, &mut self.machine.memory, &mut records);
        let outcome = made.map(|made| self.take_records(unit, rule, made, steps));
        self.records = records;
        outcome?;
        for &(property, cell) in covers {
            if self.machine.memory[cell] == 1 && !self.machine.covered.contains(&property) {
                self.machine.covered.push(property);
            }
        }
        Ok(())
    }

    /// Appends the steps that native code has recorded.
    fn take_records(&mut self, unit: &RuleCode, rule: u32, made: &[i64], steps: &mut Steps) {
        let arguments = unit.argument_cells;
        let stride = arguments + self.current.len();
        if self.system.shares_event[rule as usize] {
            // Each step is compared with those that are already known.
            for record in made.chunks_exact(stride.max(1)) {
                let (record, target) = record.split_at(arguments);
                self.packed.copy_from_slice(bytemuck::cast_slice(target));
                let first_argument = steps.arguments.len();
                steps.arguments.extend_from_slice(record);
                let process = self.owner(unit, rule, record);
                self.add(rule, process, first_argument, steps);
            }
        } else {
            for record in made.chunks_exact(stride.max(1)) {
                let (record, target) = record.split_at(arguments);
                let target: &[u64] = bytemuck::cast_slice(target);
                let stutters = is_equal(target, &self.current);
                steps.fired += 1;
                let first_argument = steps.arguments.len() as u32;
                steps.labels.push(Label { rule, first_argument, stutters });
                steps.arguments.extend_from_slice(record);
                steps.targets.extend_from_slice(target);
            }
        }
    }

    /// Loads a state into the machine, unless it is loaded already.
    fn load(&mut self, state: &[u64]) {
        if self.is_loaded && is_equal(&self.current, state) {
            return;
        }
        self.current.copy_from_slice(state);
        self.is_loaded = true;
        if let Some(native) = self.native
            && native.unpack(state, &mut self.machine.memory)
        {
            return;
        }
        self.system.layout.unpack(state, self.machine.state_mut());
    }

    /// The state in the form of the interpreter.
    fn decoded(&mut self, state: &[u64]) -> State {
        self.load(state);
        state_of(self.system.model, self.machine.state())
    }

    /// Whether a condition is true for all values of the scope around it.
    fn all(&mut self, id: PropertyId, block: &Block, condition: &Eval) -> Result<bool, Trap> {
        if let Some(native) = self.native
            && let Some(holds) =
                native.holds(id, &self.current, &mut self.machine.memory, &mut self.records)
        {
            return Ok(holds);
        }
        self.machine.renew(block.frame);
        all(&self.system.code, &mut self.machine, block, 0, condition)
    }

    /// Binds the scope of a rule from this level on, and executes the rule wherever it is enabled.
    fn fire_all(
        &mut self,
        unit: &RuleCode,
        rule: u32,
        level: usize,
        steps: &mut Steps,
    ) -> Result<(), Trap> {
        for &cell in &unit.block.kept[level] {
            self.machine.memory[cell] = UNDEFINED;
        }
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
            Some(choose @ Level::Choose { address, multiset, stride, .. }) => {
                let start = multiset(&self.system.code, &mut self.machine)?;
                let mut from = start;
                let fuel = self.machine.fuel();
                while let Some(slot) = choice(&self.machine.memory, choose, start, from) {
                    // As in the interpreter, instances do not share fuel.
                    self.machine.refuel(fuel);
                    self.machine.memory[*address] = slot as i64;
                    self.fire_all(unit, rule, level + 1, steps)?;
                    from = slot + stride;
                }
                Ok(())
            }
            Some(Level::Parameter { address, values }) => {
                let fuel = self.machine.fuel();
                let mut value = values.from;
                for _ in 0..values.count {
                    self.machine.refuel(fuel);
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
        self.machine.begin_body();
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

    /// Restores the order between steps in the multisets that were written.
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

    /// Adds the step to `packed`, whose arguments are already appended, unless another instance of
    /// the same event has made it: same process, event and target.
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

    /// The process that executes a compiled rule with these arguments, computed only for rules that
    /// share an event.
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

    /// Evaluates a property of a state with the interpreter.
    fn interpreted_property(&mut self, state: &[u64], id: PropertyId) -> Result<bool, FaultId> {
        let holds = self.system.interpreter.holds(&self.decoded(state), id);
        holds.map_err(|failure| self.system.fault_of(failure))
    }

    /// Executes one rule in the loaded state with the interpreter.
    fn interpret_rule(&mut self, rule: usize, steps: &mut Steps) -> Result<(), Trap> {
        let state = state_of(self.system.model, self.machine.state());
        let instances = self.system.interpreter.instances_of_rule(&state, rule);
        for instance in instances.map_err(|_| Trap::Failure)? {
            let outcome = self.system.interpreter.fire(&state, &instance);
            let outcome = outcome.map_err(|_| Trap::Failure)?;
            self.interpreted(&instance, outcome, steps);
        }
        Ok(())
    }

    /// Expands the loaded state with the interpreter, which reports all failures.
    fn interpret(&mut self, steps: &mut Steps) {
        let state = state_of(self.system.model, self.machine.state());
        match self.system.interpreter.instances(&state) {
            Err(failure) => steps.faults.push(self.system.fault_of(failure)),
            Ok(instances) => {
                for instance in instances {
                    match self.system.interpreter.fire(&state, &instance) {
                        Err(failure) => steps.faults.push(self.system.fault_of(failure)),
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
        flatten_state(model, &target, &mut cells);
        self.system.layout.pack(&cells, &mut self.packed);
        let first_argument = steps.arguments.len();
        let parameters = &model.events[instance.event.event.0 as usize].parameters;
        for ((_, of), value) in parameters.iter().zip(&instance.event.arguments) {
            flatten(&model.types, *of, value, &mut steps.arguments);
        }
        self.add(instance.rule as u32, instance.process, first_argument, steps);
    }
}

/// Whether two packed states are equal. Most have one or two words: a call would take longer.
#[inline]
fn is_equal(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// The first slot from `from` on that a [`Level::Choose`] visits. In an ordered multiset equal
/// elements are neighbours; an element that an outer level has chosen is different from equal ones
/// that were not chosen.
fn choice(memory: &[i64], level: &Level, start: usize, from: usize) -> Option<usize> {
    let Level::Choose { capacity, stride, outer, .. } = level else {
        unreachable!("asked of levels that choose only")
    };
    let is_chosen = |slot: usize| outer.iter().any(|&cell| memory[cell] as usize == slot);
    let mut slot = from;
    while slot < start + capacity * stride && memory[slot] == PRESENT {
        let before = slot.wrapping_sub(*stride);
        let is_equal = slot > start && memory[before..slot] == memory[slot..slot + stride];
        if !is_equal || is_chosen(before) || is_chosen(slot) {
            return Some(slot);
        }
        slot += stride;
    }
    None
}

/// Whether a condition is true for all values of the levels from this one on. As in the
/// interpreter, an instance that decides takes precedence over one that fails: so a failure is no
/// answer before all instances are known.
fn all(
    code: &Code,
    machine: &mut Machine,
    block: &Block,
    level: usize,
    condition: &Eval,
) -> Result<bool, Trap> {
    for (decider, value) in &block.deciders[level] {
        if decider(code, machine) == Ok(*value) {
            return Ok(true);
        }
    }
    match block.levels.get(level) {
        None => Ok(condition(code, machine)? != 0),
        Some(Level::Alias { address, target }) => {
            let value = target(code, machine)?;
            machine.memory[*address] = value;
            all(code, machine, block, level + 1, condition)
        }
        Some(choose @ Level::Choose { address, multiset, stride, .. }) => {
            let start = multiset(code, machine)?;
            let mut from = start;
            while let Some(slot) = choice(&machine.memory, choose, start, from) {
                machine.memory[*address] = slot as i64;
                if !all(code, machine, block, level + 1, condition)? {
                    return Ok(false);
                }
                from = slot + stride;
            }
            Ok(true)
        }
        Some(Level::Parameter { address, values }) => {
            let mut value = values.from;
            for _ in 0..values.count {
                machine.memory[*address] = value;
                if !all(code, machine, block, level + 1, condition)? {
                    return Ok(false);
                }
                value = value.wrapping_add(values.by);
            }
            Ok(true)
        }
    }
}
