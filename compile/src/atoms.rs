//! The compiled atoms of a formula: which are true in a state, which of a step.
//!
//! A letter of a run has two halves. Conditions are evaluated in a packed state, with the tracked
//! variables in the first cells of the frame; wherever compiled code fails, the reference
//! interpreter decides the outcome. Atoms about the step (its event, its process) are decided by
//! its rule, up to a few comparisons of cells that are prepared once per rule.
//!
//! Letters are bits: bit a % 64 of word a / 64 is atom a, as in [`ltl::Letter`].

use super::CompiledModel;
use super::cells::{decode, encode, shape_of, state_of, width};
use super::form::{Frame, Value, check};
use super::lower::Units;
use super::machine::Machine;
use engine::system::atoms::{Letter, TrackedGroup};
use engine::system::{AtomFault, AtomWorker, Atoms, System as _, TrackedVariables};
use model::checked::{
    self, Atom, Expression, Formula, Local, LocalId, Model, Operand, ProcessOperand, Requirement,
    Rule, Scope,
};
use model::interpret::{Failure, State};
use model::types::{TypeId, Types};
use model::value::Scalar;

/// The atoms of one formula over one system.
pub struct CompiledAtoms<'s> {
    system: &'s CompiledModel<'s>,
    locals: &'s [Local],
    /// How many atoms there are.
    count: usize,
    /// The conditions among the atoms, each with its number; a form that is `None` is left to
    /// the interpreter.
    conditions: Vec<Condition<'s>>,
    /// The tracked variables, in order: slot, type, register.
    tracked: Vec<(LocalId, TypeId, usize)>,
    frame: Frame,
    /// By rule: the atoms that its steps satisfy if all tests succeed.
    of_rules: Vec<Vec<(u32, Vec<Test>)>>,
}

/// An atom about states.
struct Condition<'s> {
    atom: u32,
    expression: &'s Expression,
    form: Option<Value>,
}

/// Whether an argument of an event has the value that an atom wants.
struct Test {
    /// The cell of the argument.
    argument: usize,
    wanted: Wanted,
}

/// The value that an atom requires of a cell.
enum Wanted {
    /// A constant.
    Constant(i64),
    /// The value of this tracked variable, encoded the same way.
    Same(usize),
    /// The value of this tracked variable, of another type. The table maps the variable's cell to
    /// the argument's; negative for a value that the argument never has.
    Other(usize, Box<[i64]>),
}

impl CompiledModel<'_> {
    /// Compiles the atoms of a formula of this model.
    pub fn atoms<'s>(&'s self, formula: &'s Formula) -> CompiledAtoms<'s> {
        let conditions = (0..).zip(&formula.atoms).filter_map(|(k, atom)| match atom {
            Atom::State { condition, .. } => Some((k, condition)),
            Atom::Event { .. } | Atom::By { .. } => None,
        });
        let parts = Parts {
            locals: &formula.locals,
            tracked: &formula.tracked,
            conditions: conditions.collect(),
            atoms: &formula.atoms,
            count: formula.atoms.len(),
        };
        CompiledAtoms::new(self, parts)
    }
}

/// The tracked variables of a formula or requirement, as the engine sees them.
pub fn tracked_variables(types: &Types, tracked: &[checked::TrackedGroup]) -> TrackedVariables {
    let groups = tracked.iter().map(|group| TrackedGroup {
        values: shape_of(types, group.of),
        variables: group.locals.len(),
        distinct: group.distinct,
        stands_for_all: group.stands_for_all,
    });
    TrackedVariables { groups: groups.collect() }
}

/// The parts of a formula or requirement that are compiled.
struct Parts<'s> {
    locals: &'s [Local],
    tracked: &'s [checked::TrackedGroup],
    conditions: Vec<(u32, &'s Expression)>,
    atoms: &'s [Atom],
    count: usize,
}

impl<'s> CompiledAtoms<'s> {
    /// The conditions of a requirement: the premise, if there is one, and the conclusion.
    pub(super) fn of_requirement(
        system: &'s CompiledModel<'s>,
        requirement: &'s Requirement,
    ) -> Self {
        let conditions = requirement.premise.iter().chain([&requirement.conclusion]);
        let conditions: Vec<_> = (0..).zip(conditions).collect();
        let parts = Parts {
            locals: &requirement.locals,
            tracked: &requirement.tracked,
            count: conditions.len(),
            conditions,
            atoms: &[],
        };
        CompiledAtoms::new(system, parts)
    }

    fn new(system: &'s CompiledModel<'s>, parts: Parts<'s>) -> Self {
        let Parts { locals, tracked, conditions, atoms, count } = parts;
        let model = system.model();
        let expressions = conditions.iter().map(|(_, condition)| *condition);
        let layout = system.layout();
        let form = Units { model, layout }.conditions(locals, expressions);
        debug_assert_eq!(check::conditions(&form, layout.cells(), locals.len()), Ok(()));
        let tracked = tracked.iter().flat_map(|group| &group.locals);
        let tracked: Vec<_> = tracked
            .map(|&id| {
                let slot = id.0 as usize;
                // The first registers are the locals.
                (id, locals[slot].of, slot)
            })
            .collect();
        let tests = EventTests { model, atoms, tracked: &tracked };
        let of_rules = model.rules.iter().map(|rule| tests.of_rule(rule)).collect();
        let conditions = conditions.into_iter().zip(form.conditions);
        let conditions =
            conditions.map(|((atom, expression), form)| Condition { atom, expression, form });
        CompiledAtoms {
            system,
            locals,
            count,
            conditions: conditions.collect(),
            tracked,
            frame: form.frame,
            of_rules,
        }
    }

    /// Words of a letter.
    pub fn words(&self) -> usize {
        self.count.div_ceil(64)
    }

    /// How many conditions are left to the reference interpreter.
    pub fn interpreted(&self) -> usize {
        self.conditions.iter().filter(|one| one.form.is_none()).count()
    }

    /// Sets in `letter` the event atoms that a step satisfies, and leaves all others unchanged. The
    /// step is one of `rule`; `arguments` and `tracked` are the cells of its arguments and of the
    /// tracked variables. A stutter satisfies no event atom.
    pub fn add_step(&self, rule: u32, arguments: &[i64], tracked: &[i64], letter: &mut [u64]) {
        for (atom, tests) in &self.of_rules[rule as usize] {
            let holds = tests.iter().all(|test| {
                let wanted = match &test.wanted {
                    Wanted::Constant(cell) => *cell,
                    Wanted::Same(k) => tracked[*k],
                    Wanted::Other(k, cells) => cells[tracked[*k] as usize],
                };
                arguments[test.argument] == wanted
            });
            if holds {
                letter[*atom as usize / 64] |= 1 << (atom % 64);
            }
        }
    }

    /// A worker, which owns its scratch memory: one per thread.
    pub fn worker(&self) -> CompiledAtomWorker<'_> {
        let layout = self.system.layout();
        CompiledAtomWorker {
            atoms: self,
            machine: Machine::new(layout.cells(), &self.frame),
            current: vec![0; layout.words()],
            is_loaded: false,
        }
    }
}

impl Atoms for CompiledAtoms<'_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        debug_assert!(self.words() <= 1, "a letter has room for all atoms");
        Box::new(CompiledAtoms::worker(self))
    }
}

/// Evaluates the atoms of one formula.
pub struct CompiledAtomWorker<'a> {
    atoms: &'a CompiledAtoms<'a>,
    machine: Machine,
    /// The state that the machine holds, if `is_loaded`.
    current: Vec<u64>,
    is_loaded: bool,
}

impl CompiledAtomWorker<'_> {
    /// Sets the atoms of the conditions that are true in a state, for these cells of the tracked
    /// variables, and clears all others. Every condition is evaluated; the first one that fails is
    /// returned as the error.
    pub fn state_letter(
        &mut self,
        state: &[u64],
        tracked: &[i64],
        letter: &mut [u64],
    ) -> Result<(), AtomFault> {
        let CompiledAtoms { system, conditions, tracked: variables, .. } = self.atoms;
        if !self.is_loaded || self.current != state {
            self.current.copy_from_slice(state);
            system.unpack(state, &mut self.machine);
            self.is_loaded = true;
        }
        // No local that a condition binds shares a slot with a tracked variable, so storing them
        // once is enough.
        for (&(_, _, register), &cell) in variables.iter().zip(tracked) {
            self.machine.registers[register] = cell;
        }
        letter.fill(0);
        for condition in conditions {
            let atom = condition.atom;
            let outcome = condition.form.as_ref().map(|form| self.machine.value(form));
            let holds = match outcome {
                Some(Ok(value)) => value != 0,
                Some(Err(_)) | None => {
                    self.interpret(condition.expression, tracked).map_err(|failure| AtomFault {
                        atom: ltl::Atom(atom),
                        fault: system.fault_of(failure),
                    })?
                }
            };
            letter[atom as usize / 64] |= u64::from(holds) << (atom % 64);
        }
        // A condition may call functions with `cover` statements; these are not reported here.
        self.machine.covered.clear();
        Ok(())
    }

    /// Leaves a condition in the loaded state to the interpreter.
    fn interpret(&self, condition: &Expression, tracked: &[i64]) -> Result<bool, Failure> {
        let CompiledAtoms { system, locals, tracked: variables, .. } = self.atoms;
        let model = system.model();
        let binding: Vec<_> = variables
            .iter()
            .zip(tracked)
            .map(|(&(id, of, _), &cell)| (id, decode(&model.types, of, cell)))
            .collect();
        let state: State = state_of(model, self.machine.state());
        system.interpreter.is_true(condition, locals, &binding, &state)
    }
}

impl AtomWorker for CompiledAtomWorker<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        let mut letter = [0];
        let words = self.atoms.words();
        self.state_letter(state, tracked, &mut letter[..words])?;
        Ok(letter[0])
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[i64]) -> Letter {
        let mut letter = [0];
        let words = self.atoms.words();
        self.atoms.add_step(rule, arguments, tracked, &mut letter[..words]);
        letter[0]
    }
}

/// The event atoms of a formula, from which the tests of each rule are made.
struct EventTests<'a> {
    model: &'a Model,
    atoms: &'a [Atom],
    tracked: &'a [(LocalId, TypeId, usize)],
}

impl EventTests<'_> {
    /// The event atoms that steps of a rule may satisfy, each with the tests that decide it.
    fn of_rule(&self, rule: &Rule) -> Vec<(u32, Vec<Test>)> {
        let types = &self.model.types;
        // The parameters: slot, type, first cell.
        let mut parameters = Vec::new();
        let mut cells = 0;
        for scope in &rule.scope {
            if let Scope::Parameter { local, .. } | Scope::Choose { local, .. } = scope {
                let of = rule.locals[local.0 as usize].of;
                parameters.push((*local, of, cells));
                cells += width(types, of);
            }
        }
        let tests = |atom: &Atom| match atom {
            Atom::State { .. } => None,
            Atom::Event { events, arguments, .. } => {
                if !events.contains(&rule.event) {
                    return None;
                }
                let said = parameters.iter().zip(arguments);
                let said =
                    said.filter_map(|(&(_, of, cell), operand)| Some((of, cell, (*operand)?)));
                said.map(|(of, cell, operand)| self.test(of, cell, operand)).collect()
            }
            Atom::By { process: None, .. } => Some(Vec::new()),
            Atom::By { process: Some(ProcessOperand::Single(family)), .. } => {
                (rule.owner.family == *family && rule.owner.parameter.is_none()).then(Vec::new)
            }
            Atom::By { process: Some(ProcessOperand::Member(operand)), .. } => {
                let owner = rule.owner.parameter?;
                let &(_, of, cell) = parameters
                    .iter()
                    .find(|(local, ..)| *local == owner)
                    .expect("an owner is a parameter of the rule");
                Some(vec![self.test(of, cell, *operand)?])
            }
        };
        let atoms = (0..).zip(self.atoms);
        atoms.filter_map(|(k, atom)| Some((k, tests(atom)?))).collect()
    }

    /// The test that an argument of this type, in this cell, has the value that an atom requires;
    /// `None` if it never has.
    fn test(&self, of: TypeId, argument: usize, operand: Operand) -> Option<Test> {
        let types = &self.model.types;
        let wanted = match operand {
            Operand::Constant(value) => {
                value.is_in(types, of).then(|| Wanted::Constant(encode(types, of, value)))?
            }
            Operand::Local(id) => {
                let known = self.tracked.iter().position(|(local, ..)| *local == id);
                let variable = known.expect("arguments of events are tracked variables");
                let from = self.tracked[variable].1;
                match (types.is_range(from), types.is_range(of)) {
                    // A number has the same cell in every range.
                    (true, true) => Wanted::Same(variable),
                    (false, false) if from == of => Wanted::Same(variable),
                    (false, false) => Wanted::Other(variable, translation(types, from, of)),
                    // A number is never equal to a member of another type.
                    (true, false) | (false, true) => return None,
                }
            }
        };
        Some(Test { argument, wanted })
    }
}

/// Maps each cell of one type to the cell of the same value in another, or to -1. Neither is a
/// range.
fn translation(types: &Types, from: TypeId, to: TypeId) -> Box<[i64]> {
    let values = (0..types.size(from)).map(|k| Scalar::nth(types, from, k));
    values.map(|value| value.position(types, to).map_or(-1, |cell| cell as i64)).collect()
}
