//! The atoms of a formula, compiled: which are true of a state, which of a step.
//!
//! A letter of a run has two halves. Conditions are evaluated in a packed state, with the tracked
//! variables in the first cells of the frame; wherever compiled code fails, the reference interpreter
//! says what happened. What a step is (its event, who executes it) is decided by its rule, up to a few
//! comparisons of cells that are prepared once per rule.
//!
//! Letters are bits: bit a % 64 of word a / 64 is atom a, as in [`ltl::Letter`].

use super::CompiledModel;
use super::System as _;
use super::compile;
use super::layout::{decode, encode, width};
use super::machine::{Eval, Machine};
use crate::model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand, Rule, Scope};
use crate::model::interpret::{Failure, State};
use crate::model::types::{TypeId, Types};
use crate::model::value::Scalar;
use crate::property::Instance;
use crate::symmetry::Point;

/// The atoms of one formula over one system.
pub struct Atoms<'s> {
    system: &'s CompiledModel<'s>,
    formula: &'s Formula,
    /// The conditions among the atoms, each with its number; code that is `None` is left to the
    /// interpreter.
    conditions: Vec<(u32, Option<Eval>)>,
    /// The tracked variables, in order: slot, type, address.
    tracked: Vec<(LocalId, TypeId, usize)>,
    /// Cells of the frame.
    frame: usize,
    /// By rule: the atoms that its steps satisfy if all tests succeed.
    of_rules: Vec<Vec<(u32, Vec<Test>)>>,
}

/// Whether an argument of an event has the value that an atom wants.
struct Test {
    /// The cell of the argument.
    argument: usize,
    wanted: Wanted,
}

/// What a cell should hold.
enum Wanted {
    /// This.
    Constant(i64),
    /// What the cell of a tracked variable holds.
    Same(usize),
    /// The value of a tracked variable of another type: by its cell, that of the argument; negative
    /// for a value that the argument never has.
    Other(usize, Box<[i64]>),
}

/// An atom cannot be evaluated in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomFailure {
    /// The atom.
    pub atom: ltl::Atom,
    /// Why.
    pub failure: Failure,
}

impl CompiledModel<'_> {
    /// Compiles the atoms of a formula of this model.
    pub fn atoms<'s>(&'s self, formula: &'s Formula) -> Atoms<'s> {
        Atoms::new(self, formula)
    }
}

impl<'s> Atoms<'s> {
    fn new(system: &'s CompiledModel<'s>, formula: &'s Formula) -> Self {
        let model = system.model();
        let supported: Vec<bool> = system.code.functions.iter().map(Option::is_some).collect();
        let conditions = || {
            (0..).zip(&formula.atoms).filter_map(|(k, atom)| match atom {
                Atom::State { condition, .. } => Some((k, condition)),
                Atom::Event { .. } | Atom::By { .. } => None,
            })
        };
        let compiled = compile::conditions(
            model,
            system.layout(),
            &supported,
            &formula.locals,
            conditions().map(|(_, condition)| condition),
        );
        let locals = formula.tracked.iter().flat_map(|group| &group.locals);
        let tracked: Vec<_> = locals
            .map(|&id| {
                let slot = id.0 as usize;
                (id, formula.locals[slot].of, compiled.addresses[slot])
            })
            .collect();
        let asked = Asked { model, formula, tracked: &tracked };
        let of_rules = model.rules.iter().map(|rule| asked.of_rule(rule)).collect();
        Atoms {
            system,
            formula,
            conditions: conditions().map(|(k, _)| k).zip(compiled.code).collect(),
            tracked,
            frame: compiled.frame,
            of_rules,
        }
    }

    /// Words of a letter.
    pub fn words(&self) -> usize {
        self.formula.atoms.len().div_ceil(64)
    }

    /// How many conditions are left to the reference interpreter.
    pub fn interpreted(&self) -> usize {
        self.conditions.iter().filter(|(_, code)| code.is_none()).count()
    }

    /// The tracked variables of an instance as cells.
    pub fn tracking(&self, instance: &Instance) -> Tracking {
        let types = &self.system.model().types;
        let mut points = instance.points.iter();
        let (mut cells, mut moves) = (Vec::new(), Vec::new());
        for (&(_, value), &(_, of, _)) in instance.binding.iter().zip(&self.tracked) {
            let cell = encode(types, of, value);
            if let Scalar::Index(..) = value {
                let point = *points.next().expect("every index is a point");
                moves.push((cells.len(), cell - i64::from(point)));
            }
            cells.push(cell);
        }
        Tracking { cells, moves }
    }

    /// Makes those event atoms true in `letter` that a step satisfies: of this rule, with these cells
    /// of arguments, the tracked variables being these cells. Others stay as they are. A stutter
    /// satisfies none.
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

    /// Somebody to ask about states, with memory of its own: one per thread.
    pub fn worker(&self) -> AtomWorker<'_> {
        let layout = self.system.layout();
        AtomWorker {
            atoms: self,
            machine: Machine::new(layout.cells(), self.frame),
            current: vec![0; layout.words()],
            is_loaded: false,
        }
    }
}

/// How the points of an instance become cells of its tracked variables.
#[derive(Clone, Debug)]
pub struct Tracking {
    cells: Vec<i64>,
    /// For each point: the number of its cell, and what is added to the point there. A symmetry maps
    /// every type to itself, so this stays.
    moves: Vec<(usize, i64)>,
}

impl Tracking {
    /// The cells when the points are these.
    pub fn cells(&mut self, points: &[Point]) -> &[i64] {
        debug_assert_eq!(points.len(), self.moves.len());
        for (&(cell, plus), &point) in self.moves.iter().zip(points) {
            self.cells[cell] = i64::from(point) + plus;
        }
        &self.cells
    }
}

/// Answers questions about states.
pub struct AtomWorker<'a> {
    atoms: &'a Atoms<'a>,
    machine: Machine,
    /// The state that the machine holds, if `is_loaded`.
    current: Vec<u64>,
    is_loaded: bool,
}

impl AtomWorker<'_> {
    /// Which conditions are true of a state, the tracked variables being these cells; all other atoms
    /// are made false. Every condition is evaluated: what fails is an error, of several the first.
    pub fn state_letter(
        &mut self,
        state: &[u64],
        tracked: &[i64],
        letter: &mut [u64],
    ) -> Result<(), AtomFailure> {
        let Atoms { system, conditions, tracked: variables, frame, .. } = self.atoms;
        if !self.is_loaded || self.current != state {
            self.current.copy_from_slice(state);
            system.layout().unpack(state, self.machine.state_mut());
            self.is_loaded = true;
        }
        // Nothing that a condition binds has the slot of a tracked variable: once is enough.
        for (&(_, _, address), &cell) in variables.iter().zip(tracked) {
            self.machine.memory[address] = cell;
        }
        letter.fill(0);
        for (atom, code) in conditions {
            let outcome = code.as_ref().map(|code| {
                self.machine.renew(*frame);
                code(&system.code, &mut self.machine)
            });
            let holds = match outcome {
                Some(Ok(value)) => value != 0,
                Some(Err(_)) | None => self
                    .interpret(*atom, tracked)
                    .map_err(|failure| AtomFailure { atom: ltl::Atom(*atom), failure })?,
            };
            letter[*atom as usize / 64] |= u64::from(holds) << (atom % 64);
        }
        // Functions without effects may still have been seen by `cover` statements; nobody asked.
        self.machine.covered.clear();
        Ok(())
    }

    /// Leaves a condition in the loaded state to the interpreter.
    fn interpret(&self, atom: u32, tracked: &[i64]) -> Result<bool, Failure> {
        let Atoms { system, formula, tracked: variables, .. } = self.atoms;
        let model = system.model();
        let Atom::State { condition, .. } = &formula.atoms[atom as usize] else {
            unreachable!("asked of conditions only")
        };
        let binding: Vec<_> = variables
            .iter()
            .zip(tracked)
            .map(|(&(id, of, _), &cell)| (id, decode(&model.types, of, cell)))
            .collect();
        let state: State = system.layout().state(model, self.machine.state());
        system.interpreter.is_true(condition, &formula.locals, &binding, &state)
    }
}

/// What the event atoms of a formula ask of steps.
struct Asked<'a> {
    model: &'a Model,
    formula: &'a Formula,
    tracked: &'a [(LocalId, TypeId, usize)],
}

impl Asked<'_> {
    /// The event atoms that steps of a rule may satisfy, and when they do.
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
        let atoms = (0..).zip(&self.formula.atoms);
        atoms.filter_map(|(k, atom)| Some((k, tests(atom)?))).collect()
    }

    /// Whether an argument of this type, in this cell, is what an atom says; none if it never is.
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
                    // Numbers are themselves in every range.
                    (true, true) => Wanted::Same(variable),
                    (false, false) if from == of => Wanted::Same(variable),
                    (false, false) => Wanted::Other(variable, translation(types, from, of)),
                    // Some process is a number, but not that of this rule.
                    (true, false) | (false, true) => return None,
                }
            }
        };
        Some(Test { argument, wanted })
    }
}

/// By cell of one type: the cell of the same value in another, or -1. Neither is a range.
fn translation(types: &Types, from: TypeId, to: TypeId) -> Box<[i64]> {
    let values = (0..types.size(from)).map(|k| Scalar::nth(types, from, k));
    values.map(|value| value.position(types, to).map_or(-1, |cell| cell as i64)).collect()
}
