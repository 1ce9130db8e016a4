//! [`ModelWorker`] expands the states of a compiled model: by native code where it exists, by
//! executing forms, and by the interpreter where that fails.

use super::collector::{Collector, is_equal};
use super::{Backend, CompiledModel, SOME, asks_where};
use crate::cells::state_of;
use crate::machine::{Machine, Trap};
use crate::native::Native;
use engine::system::{FaultId, Steps, Worker};
use model::checked::PropertyId;
use model::interpret::State;

/// Expands states; one per thread.
pub(super) struct ModelWorker<'s> {
    system: &'s CompiledModel<'s>,
    machine: Machine,
    /// Has the state that the machine holds, if `is_loaded`.
    collector: Collector<'s>,
    is_loaded: bool,
    /// Native code, once it exists, and memory for its records.
    native: Option<&'s Native>,
    records: Vec<i64>,
    /// What a state counts for that native code expands.
    work: u64,
    /// The work of the machine that the system knows of.
    noted: u64,
    /// Among the last states: how many were expanded, and for how many of them native code gave up.
    expanded: u32,
    given_up: u32,
    /// Whether native code gave up so often that it is no longer used.
    is_unusual: bool,
}

impl Worker for ModelWorker<'_> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        for &id in &self.system.assumptions {
            let holds = match self.all(state, id) {
                Some(holds) => holds,
                None => self.interpreted_property(state, id)?,
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, FaultId>> {
        match self.is_true_somewhere(state, property) {
            Some(false) => return vec![Ok(false); self.system.choices(property)],
            Some(true) if self.system.choices(property) == 1 => return vec![Ok(true)],
            _ => {}
        }
        let state = self.decoded(state);
        match self.system.interpreter.instances_of(&state, property) {
            Ok(all) => self.system.by_parameters(property, all),
            Err(failure) => vec![Err(self.system.fault_of(failure))],
        }
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        let kind = self.system.model.properties[property.0 as usize].kind;
        // If it fails, the interpreter determines the outcome.
        if !asks_where(kind)
            && let Some(holds) = self.all(state, property)
        {
            return !holds;
        }
        self.property(state, property).iter().any(|one| !matches!(one, Ok(true)))
    }

    fn is_false_everywhere(&mut self, state: &[u64], property: PropertyId) -> bool {
        match self.is_true_somewhere(state, property) {
            Some(answer) => !answer,
            None => self.property(state, property).iter().all(|one| *one == Ok(false)),
        }
    }

    fn expand(&mut self, state: &[u64], steps: &mut Steps) {
        self.load(state);
        // If a poll does not return, memory is left as a body has changed it.
        self.is_loaded = false;
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
        self.is_loaded = true;
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
            machine: Machine::new(system.layout.cells(), &system.frame),
            collector: Collector::new(system),
            is_loaded: false,
            native: None,
            records: Vec::new(),
            work: 0,
            noted: 0,
            expanded: 0,
            given_up: 0,
            is_unusual: false,
        }
    }

    /// Whether the condition of a `cover` or `liveness` is true for some values, if compiled code knows
    /// that. If it is false for all of them, it fails for none.
    fn is_true_somewhere(&mut self, state: &[u64], property: PropertyId) -> Option<bool> {
        let kind = self.system.model.properties[property.0 as usize].kind;
        if !asks_where(kind) {
            return None;
        }
        self.all(state, property).map(|is_false| !is_false)
    }

    /// Starts to use native code once it exists, and stops if it gives up too often.
    fn find_native(&mut self) {
        let is_adaptive = self.system.backend == Backend::Adaptive;
        if self.native.is_none() && !self.is_unusual {
            match self.system.native.get() {
                None if is_adaptive => {
                    // A rule without parameters takes about as long as an iteration, too.
                    let (rules, work) = (self.system.rules.len() as u64, self.machine.work());
                    self.system.note_work(work - self.noted + rules);
                    self.noted = work;
                }
                None | Some(None) => {}
                Some(Some(native)) => {
                    native.make_room(&mut self.machine.memory, &mut self.records);
                    self.work = native.work().map(Machine::weight).sum();
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
        self.collector.clear();
        self.machine.covered.clear();
        let Steps { labels, arguments, repeated, covered, .. } = &*steps;
        let before = (labels.len(), arguments.len(), repeated.len(), covered.len());
        if native.is_some() {
            self.machine.count_calls(self.work);
        }
        for (k, rule) in self.system.rules.iter().enumerate() {
            let outcome = match rule {
                None => self.interpret_rule(k, steps),
                Some(rule) => {
                    let native = native.and_then(|native| self.fire_native(native, k, steps));
                    native.unwrap_or_else(|| {
                        let collector = &mut self.collector;
                        let fire = &mut |machine: &mut Machine| {
                            collector.fire(machine, rule, k as u32, steps)
                        };
                        self.machine.instances(rule, fire)
                    })
                }
            };
            if outcome.is_err() {
                steps.labels.truncate(before.0);
                steps.targets.truncate(before.0 * self.system.layout.words());
                steps.arguments.truncate(before.1);
                steps.repeated.truncate(before.2);
                steps.covered.truncate(before.3);
                self.collector.clear();
                self.machine.covered.clear();
                return false;
            }
        }
        true
    }

    /// Loads the current state again, after native code may have left the machine's memory changed.
    fn reload(&mut self) {
        self.system.layout.unpack(&self.collector.current, self.machine.state_mut());
    }

    /// Appends the steps of a rule, if it has native code.
    #[inline]
    fn fire_native(
        &mut self,
        native: &Native,
        rule: usize,
        steps: &mut Steps,
    ) -> Option<Result<(), Trap>> {
        let (current, memory) = (&self.collector.current, &mut self.machine.memory);
        let made = match native.steps(rule, current, memory, &mut self.records)? {
            Ok(made) => made,
            Err(trap) => return Some(Err(trap)),
        };
        // Most rules are not enabled.
        if !made.is_empty() {
            self.collector.take_records(rule as u32, made, steps);
        }
        for property in native.covered(rule, &self.machine.memory) {
            if !self.machine.covered.contains(&property) {
                self.machine.covered.push(property);
            }
        }
        Some(Ok(()))
    }

    /// Loads a state into the machine, unless it is loaded already.
    fn load(&mut self, state: &[u64]) {
        if self.is_loaded && is_equal(&self.collector.current, state) {
            return;
        }
        if !self.is_loaded {
            self.machine.forget();
        }
        self.collector.current.copy_from_slice(state);
        self.is_loaded = true;
        self.system.unpack(state, &mut self.machine);
    }

    /// The state in the form of the interpreter.
    fn decoded(&mut self, state: &[u64]) -> State {
        self.load(state);
        state_of(self.system.model, self.machine.state())
    }

    /// Whether the condition of a property is true for all values of the scope around it, if compiled
    /// code knows that.
    fn all(&mut self, state: &[u64], id: PropertyId) -> Option<bool> {
        let property = self.system.properties[id.0 as usize].as_ref()?;
        self.load(state);
        if let Some(native) = self.native
            && let Some(holds) = native.holds(
                id,
                &self.collector.current,
                &mut self.machine.memory,
                &mut self.records,
            )
        {
            return Some(holds);
        }
        self.machine.holds(property).ok()
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
            self.collector.interpreted(&instance, outcome, steps);
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
                        Ok(outcome) => self.collector.interpreted(&instance, outcome, steps),
                    }
                }
            }
        }
    }
}
