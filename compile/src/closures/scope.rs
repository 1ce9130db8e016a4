//! Scopes of rules and properties: binds the values of their levels.

use super::Compiler;
use super::bag::{BagCode, Span};
use super::machine::{Code, Eval, Exec, Machine, Trap};
use super::place::Address;
use crate::cells::{PRESENT, UNDEFINED};
use crate::form::{self, Register, Scope, Values};

/// The scope and condition of a rule or a property.
pub(crate) struct Block {
    /// The levels of the scope, outermost first.
    levels: Vec<Level>,
    /// By the number of levels that are bound, from none to all.
    stages: Vec<Stage>,
    /// Cells of the frame.
    pub(crate) frame: usize,
}

/// What is evaluated when some levels are bound.
struct Stage {
    /// The cells of kept values, which are reset first.
    kept: Vec<usize>,
    /// Conjuncts of a guard: if one is false, the values are skipped.
    conditions: Vec<Eval>,
    /// Conditions with values. If one has its value, a property is true for all values of the
    /// remaining levels.
    deciders: Vec<(Eval, i64)>,
}

/// One level of a scope.
enum Level {
    /// Binds one value after another to the cell of a parameter.
    Parameter(usize, Values),
    /// Binds one element of a multiset after another, equal ones once.
    Choose {
        bag: BagCode,
        /// The cell that holds the number of the slot.
        slot: usize,
        /// The multisets of the outer levels that choose, with the cells of their slots.
        outer: Vec<(Address, usize)>,
    },
    /// Binds what does not change while inner levels are bound.
    Let(Exec),
}

impl Compiler<'_> {
    /// The code of a scope.
    pub(super) fn scope(&self, scope: &Scope) -> Block {
        let levels: Vec<Level> = scope.levels.iter().map(|level| self.level(level)).collect();
        let stages = (0..=levels.len()).map(|k| Stage {
            kept: at(&scope.kept, k).iter().map(|&one| self.fixed(one)).collect(),
            conditions: at(&scope.conditions, k).iter().map(|one| self.eval(one)).collect(),
            deciders: at(&scope.deciders, k)
                .iter()
                .map(|(condition, value)| (self.eval(condition), i64::from(*value)))
                .collect(),
        });
        Block { stages: stages.collect(), levels, frame: self.size() }
    }

    fn level(&self, level: &form::Level) -> Level {
        match level {
            form::Level::Parameter(register, values) => {
                Level::Parameter(self.fixed(*register), *values)
            }
            form::Level::Choose { bag, slot, outer } => Level::Choose {
                bag: self.bag(bag),
                slot: self.fixed(*slot),
                outer: outer
                    .iter()
                    .map(|(bag, slot)| (self.cells(&bag.at), self.fixed(*slot)))
                    .collect(),
            },
            form::Level::Let(statements) => Level::Let(self.block(statements)),
        }
    }

    /// The cell of a register in a frame with a fixed address.
    fn fixed(&self, register: Register) -> usize {
        self.base.expect("functions have no scope") + register.0 as usize
    }
}

/// The list for this number of bound levels; a scope need not have one for all.
fn at<T>(lists: &[Vec<T>], k: usize) -> &[T] {
    lists.get(k).map_or(&[], Vec::as_slice)
}

/// Binds the levels of a scope, and visits every instance for which the conditions are true.
pub(crate) fn each(
    code: &Code,
    machine: &mut Machine,
    block: &Block,
    visit: &mut dyn FnMut(&Code, &mut Machine) -> Result<(), Trap>,
) -> Result<(), Trap> {
    each_from(0, code, machine, block, visit)
}

fn each_from(
    level: usize,
    code: &Code,
    machine: &mut Machine,
    block: &Block,
    visit: &mut dyn FnMut(&Code, &mut Machine) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let stage = &block.stages[level];
    stage.reset(machine);
    for condition in &stage.conditions {
        if condition(code, machine)? == 0 {
            return Ok(());
        }
    }
    let Some(bound) = block.levels.get(level) else { return visit(code, machine) };
    bound.all(code, machine, |machine| {
        each_from(level + 1, code, machine, block, visit)?;
        Ok(true)
    })?;
    Ok(())
}

/// Whether a condition is true for all values of a scope. As in the interpreter, an instance that
/// decides takes precedence over one that fails: so a failure is no answer before all instances are
/// known.
pub(crate) fn all(
    code: &Code,
    machine: &mut Machine,
    block: &Block,
    condition: &Eval,
) -> Result<bool, Trap> {
    all_from(0, code, machine, block, condition)
}

fn all_from(
    level: usize,
    code: &Code,
    machine: &mut Machine,
    block: &Block,
    condition: &Eval,
) -> Result<bool, Trap> {
    let stage = &block.stages[level];
    stage.reset(machine);
    for (decider, value) in &stage.deciders {
        if decider(code, machine) == Ok(*value) {
            return Ok(true);
        }
    }
    match block.levels.get(level) {
        None => Ok(condition(code, machine)? != 0),
        Some(bound) => {
            bound.all(code, machine, |machine| all_from(level + 1, code, machine, block, condition))
        }
    }
}

impl Stage {
    /// Forgets the values that were kept for other values of the levels.
    #[inline]
    fn reset(&self, machine: &mut Machine) {
        for &cell in &self.kept {
            machine.memory[cell] = UNDEFINED;
        }
    }
}

impl Level {
    /// Binds one value after another while visits return true, and returns whether all did.
    #[inline]
    fn all(
        &self,
        code: &Code,
        machine: &mut Machine,
        mut visit: impl FnMut(&mut Machine) -> Result<bool, Trap>,
    ) -> Result<bool, Trap> {
        match self {
            Level::Let(bind) => {
                bind(code, machine)?;
                visit(machine)
            }
            Level::Parameter(cell, values) => {
                let mut value = values.from;
                for _ in 0..values.count {
                    machine.count();
                    machine.memory[*cell] = value;
                    if !visit(machine)? {
                        return Ok(false);
                    }
                    value = value.wrapping_add(values.by);
                }
                Ok(true)
            }
            Level::Choose { bag, slot, outer } => {
                let span = bag.locate(code, machine)?;
                let mut from = span.start;
                while let Some(chosen) = choice(code, machine, span, outer, from)? {
                    machine.count();
                    machine.memory[*slot] = span.number(chosen);
                    if !visit(machine)? {
                        return Ok(false);
                    }
                    from = chosen + span.stride;
                }
                Ok(true)
            }
        }
    }
}

impl Span {
    /// The number of a slot.
    fn number(self, slot: usize) -> i64 {
        ((slot - self.start) / self.stride) as i64
    }
}

/// The first slot from `from` on that a [`Level::Choose`] visits. In an ordered multiset equal
/// elements are neighbours; an element that an outer level has chosen is different from equal ones
/// that were not chosen.
fn choice(
    code: &Code,
    machine: &mut Machine,
    span: Span,
    outer: &[(Address, usize)],
    from: usize,
) -> Result<Option<usize>, Trap> {
    for slot in (from..span.end).step_by(span.stride) {
        let memory = &machine.memory;
        if memory[slot] != PRESENT {
            return Ok(None);
        }
        let before = slot.wrapping_sub(span.stride);
        let is_equal =
            slot > span.start && memory[before..slot] == memory[slot..slot + span.stride];
        if !is_equal
            || is_chosen(code, machine, span, outer, before)?
            || is_chosen(code, machine, span, outer, slot)?
        {
            return Ok(Some(slot));
        }
    }
    Ok(None)
}

/// Whether an outer level has chosen a slot.
fn is_chosen(
    code: &Code,
    machine: &mut Machine,
    span: Span,
    outer: &[(Address, usize)],
    slot: usize,
) -> Result<bool, Trap> {
    for (bag, held) in outer {
        if machine.memory[*held] == span.number(slot) && bag.at(code, machine)? == span.start {
            return Ok(true);
        }
    }
    Ok(false)
}
