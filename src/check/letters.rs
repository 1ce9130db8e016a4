//! What is true of states and steps of a model, atom by atom.

use crate::model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand, Scope};
use crate::model::interpret::{Failure, Interpreter, Process};
use crate::model::types::TypeId;
use crate::model::value::{Scalar, Value};
use crate::product::{Letter, Letters};
use crate::property::Instance;
use crate::symmetry::{Indices, Point};
use crate::system::Layout;
use crate::system::layout::decode;

/// The atoms of a formula, evaluated by the reference interpreter.
pub(super) struct ModelLetters<'m> {
    model: &'m Model,
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
    formula: &'m Formula,
    instance: &'m Instance,
    indices: &'m Indices,
    cells: Vec<i64>,
    /// By rule: the type of each argument, and its first cell; a chosen element is no simple value.
    arguments: Vec<Vec<(TypeId, usize)>>,
}

impl<'m> ModelLetters<'m> {
    pub(super) fn new(
        model: &'m Model,
        layout: &'m Layout,
        formula: &'m Formula,
        instance: &'m Instance,
        indices: &'m Indices,
    ) -> Self {
        let arguments = model.rules.iter().map(|rule| {
            let mut cell = 0;
            let around = rule.scope.iter().filter_map(|scope| match scope {
                Scope::Parameter { local, .. } | Scope::Choose { local, .. } => Some(*local),
                Scope::Alias { .. } => None,
            });
            let argument = |local: LocalId| {
                let of = rule.locals[local.0 as usize].of;
                let first = cell;
                cell += model.types.cells(of) as usize;
                (of, first)
            };
            around.map(argument).collect()
        });
        ModelLetters {
            arguments: arguments.collect(),
            cells: vec![0; layout.cells()],
            interpreter: Interpreter::new(model),
            model,
            layout,
            formula,
            instance,
            indices,
        }
    }

    /// Who executes a step.
    fn process(&self, rule: u32, arguments: &[i64]) -> Process {
        let declared = &self.model.rules[rule as usize];
        let parameters = declared.scope.iter().filter_map(|scope| match scope {
            Scope::Parameter { local, .. } | Scope::Choose { local, .. } => Some(*local),
            Scope::Alias { .. } => None,
        });
        let own = parameters.zip(&self.arguments[rule as usize]);
        let own = own.filter(|(local, _)| Some(*local) == declared.owner.parameter);
        let member = own.map(|(_, &(of, cell))| decode(&self.model.types, of, arguments[cell]));
        Process::new(self.model, declared.owner.family, member.last())
    }

    fn value(operand: Operand, binding: &[(LocalId, Scalar)]) -> Scalar {
        match operand {
            Operand::Constant(scalar) => scalar,
            Operand::Local(local) => {
                let bound = binding.iter().find(|(known, _)| *known == local);
                bound.expect("an atom names tracked variables only").1
            }
        }
    }
}

impl Letters for ModelLetters<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[Point]) -> Result<Letter, Failure> {
        self.layout.unpack(state, &mut self.cells);
        let state = self.layout.state(self.model, &self.cells);
        let binding = self.instance.moved(self.indices, tracked);
        let mut letter = 0;
        for (k, atom) in self.formula.atoms.iter().enumerate() {
            if let Atom::State { condition, .. } = atom {
                let locals = &self.formula.locals;
                let value = self.interpreter.evaluate(condition, locals, &binding, &state)?;
                letter |= Letter::from(value == Value::boolean(true)) << k;
            }
        }
        Ok(letter)
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[Point]) -> Letter {
        let binding = self.instance.moved(self.indices, tracked);
        let declared = &self.model.rules[rule as usize];
        let types = &self.model.types;
        let mut letter = 0;
        for (k, atom) in self.formula.atoms.iter().enumerate() {
            let is_true = match atom {
                Atom::State { .. } => false,
                Atom::Event { events, arguments: said, .. } => {
                    let own = &self.arguments[rule as usize];
                    let agrees = |(operand, &(of, cell)): (&Option<Operand>, &(TypeId, usize))| {
                        operand.is_none_or(|operand| {
                            types.is_simple(of)
                                && decode(types, of, arguments[cell])
                                    == Self::value(operand, &binding)
                        })
                    };
                    events.contains(&declared.event) && said.iter().zip(own).all(agrees)
                }
                Atom::By { process: None, .. } => true,
                Atom::By { process: Some(ProcessOperand::Single(family)), .. } => {
                    let process = self.process(rule, arguments);
                    process.family == *family && process.member.is_none()
                }
                Atom::By { process: Some(ProcessOperand::Member(operand)), .. } => {
                    let process = self.process(rule, arguments);
                    process.member == Some(Self::value(*operand, &binding))
                }
            };
            letter |= Letter::from(is_true) << k;
        }
        letter
    }
}
