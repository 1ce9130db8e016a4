//! Collects the steps of the state that is expanded, whatever made them.

use super::CompiledModel;
use crate::cells::{decode, flatten, flatten_state};
use crate::form::RuleForm;
use crate::machine::{Machine, Trap};
use crate::settle::{self, settle};
use engine::system::{Label, Steps};
use model::interpret::{Instance, Outcome, Process};

/// The state that is expanded, and memory for its steps.
pub(super) struct Collector<'s> {
    system: &'s CompiledModel<'s>,
    /// The state, packed.
    pub(super) current: Vec<u64>,
    /// The packed target of the current step.
    packed: Vec<u64>,
    /// Steps that another instance of the same event may also make.
    shared: Vec<(Process, usize)>,
    /// Scratch memory to put multisets in order.
    slots: Vec<u64>,
}

impl<'s> Collector<'s> {
    pub(super) fn new(system: &'s CompiledModel<'s>) -> Self {
        Collector {
            system,
            current: vec![0; system.layout.words()],
            packed: vec![0; system.layout.words()],
            shared: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Forgets the steps of the last state.
    pub(super) fn clear(&mut self) {
        self.shared.clear();
    }

    /// Executes the body of a rule where its guard is true, and undoes it.
    pub(super) fn fire(
        &mut self,
        machine: &mut Machine,
        unit: &RuleForm,
        rule: u32,
        steps: &mut Steps,
    ) -> Result<(), Trap> {
        let layout = &self.system.layout;
        let outcome = machine.block(&unit.body);
        if outcome.is_ok() {
            Steps::count(self.current.len());
            self.packed.copy_from_slice(&self.current);
            for &(cell, _) in machine.written() {
                let value = machine.memory[cell as usize];
                settle::set(layout, &mut self.packed, cell as usize, value);
            }
        }
        machine.undo();
        match outcome {
            Ok(()) => {}
            Err(Trap::Abandoned) => return Ok(()),
            Err(trap) => return Err(trap),
        }
        let first_argument = steps.arguments.len();
        for argument in &unit.arguments {
            steps.arguments.push(machine.peek(argument)?);
        }
        self.add(rule, first_argument, steps);
        Ok(())
    }

    /// Appends the steps that native code has recorded.
    pub(super) fn take_records(&mut self, rule: u32, made: &[i64], steps: &mut Steps) {
        let words = self.current.len();
        let arguments =
            self.system.rules[rule as usize].as_ref().map_or(0, |one| one.arguments.len());
        let is_shared = self.system.shares_event[rule as usize];
        let layout = &self.system.layout;
        for record in made.chunks_exact((arguments + words).max(1)) {
            Steps::count(words);
            let (record, target) = record.split_at(arguments);
            let target: &[u64] = bytemuck::cast_slice(target);
            let first_argument = steps.arguments.len();
            append(&mut steps.arguments, record);
            if is_shared {
                // Each step is compared with those that are already known.
                self.packed.copy_from_slice(target);
                self.add(rule, first_argument, steps);
                continue;
            }
            let mut stutters = is_equal(target, &self.current);
            let first = steps.targets.len();
            append(&mut steps.targets, target);
            if !layout.multisets().is_empty() {
                let target = &mut steps.targets[first..];
                settle(layout, &self.current, target, &mut self.slots);
                stutters = is_equal(target, &self.current);
            }
            let first_argument = first_argument as u32;
            steps.labels.push(Label { rule, first_argument, stutters });
        }
    }

    /// Adds a step of the interpreter.
    pub(super) fn interpreted(&mut self, instance: &Instance, outcome: Outcome, steps: &mut Steps) {
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
        self.add(instance.rule as u32, first_argument, steps);
    }

    /// Adds the step to `packed`, whose arguments are already appended, unless another instance of
    /// the same event has made it: same process, event and target.
    fn add(&mut self, rule: u32, first_argument: usize, steps: &mut Steps) {
        let rules = &self.system.model.rules;
        let words = self.system.layout.words();
        settle(&self.system.layout, &self.current, &mut self.packed, &mut self.slots);
        if self.system.shares_event[rule as usize] {
            let arguments = &steps.arguments[first_argument..];
            let process = self.owner(rule, arguments);
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
                steps.repeated.push(rule);
                return;
            }
            self.shared.push((process, steps.labels.len()));
        }
        let stutters = self.packed == self.current;
        let first_argument = first_argument as u32;
        steps.labels.push(Label { rule, first_argument, stutters });
        steps.targets.extend_from_slice(&self.packed);
    }

    /// The process that executes a rule with these arguments.
    fn owner(&self, rule: u32, arguments: &[i64]) -> Process {
        let model = self.system.model;
        let family = model.rules[rule as usize].owner.family;
        let member = self.system.owners[rule as usize]
            .map(|(cell, of)| decode(&model.types, of, arguments[cell]));
        match member {
            Some(_) => Process::new(model, family, member),
            None => Process { family, member: None },
        }
    }
}

/// Appends words. Most often these are one or two: a call would take longer.
#[inline]
fn append<T: Copy>(to: &mut Vec<T>, words: &[T]) {
    for &word in words {
        to.push(word);
    }
}

/// Whether two packed states are equal. Most have one or two words: a call would take longer.
#[inline]
pub(super) fn is_equal(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}
