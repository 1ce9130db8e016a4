//! What the atoms of a formula say of a step.

use super::Objection;
use crate::counterexample::Step;
use ltl::Letter;
use model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand};
use model::interpret::{Interpreter, Process};
use model::types::TypeId;
use model::value::{Scalar, Value};

/// What the atoms of a formula mean for some values of its tracked variables.
pub(super) struct Reading<'m> {
    interpreter: Interpreter<'m>,
    formula: &'m Formula,
    /// Fits the formula.
    binding: &'m [(LocalId, Scalar)],
}

impl<'m> Reading<'m> {
    /// Unless the values do not fit the formula.
    pub(super) fn new(
        model: &'m Model,
        formula: &'m Formula,
        binding: &'m [(LocalId, Scalar)],
    ) -> Result<Self, Objection> {
        check_binding(model, formula, binding)?;
        Ok(Reading { interpreter: Interpreter::new(model), formula, binding })
    }

    /// Which atoms are true at this step.
    pub(super) fn letter(&self, position: usize, step: &Step) -> Result<Letter, Objection> {
        let mut letter = Letter::new();
        for (number, atom) in (0..).map(ltl::Atom).zip(&self.formula.atoms) {
            let is_true = match atom {
                Atom::State { condition, text, .. } => {
                    let locals = &self.formula.locals;
                    let value =
                        self.interpreter.evaluate(condition, locals, self.binding, &step.state);
                    value.map(|value| value == Value::boolean(true)).map_err(|failure| {
                        let (atom, failure) = (text.clone(), Box::new(failure));
                        Objection::AtomFails { position, atom, failure }
                    })?
                }
                Atom::Event { events, arguments, .. } => {
                    let event = step.action.as_ref().map(|(_, event)| event);
                    event.is_some_and(|event| {
                        events.contains(&event.event) && self.agree(arguments, &event.arguments)
                    })
                }
                Atom::By { process, .. } => {
                    let actor = step.action.as_ref().map(|(process, _)| process);
                    actor.is_some_and(|actor| process.is_none_or(|one| self.is_process(one, actor)))
                }
            };
            letter.set(number, is_true);
        }
        Ok(letter)
    }

    /// Whether each argument that the atom says is the one of the event.
    fn agree(&self, said: &[Option<Operand>], arguments: &[Value]) -> bool {
        said.iter().zip(arguments).all(|(said, argument)| {
            said.is_none_or(|operand| Value::Scalar(self.value(operand)) == *argument)
        })
    }

    fn is_process(&self, operand: ProcessOperand, actor: &Process) -> bool {
        match operand {
            ProcessOperand::Single(family) => actor.family == family,
            ProcessOperand::Member(operand) => actor.member == Some(self.value(operand)),
        }
    }

    fn value(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Constant(value) => value,
            Operand::Local(local) => {
                let bound = self.binding.iter().find(|(bound, _)| *bound == local);
                bound.expect("every tracked variable is bound").1
            }
        }
    }
}

/// Whether each tracked variable has one value, of its type, and nothing else has; and whether what
/// must be distinct is.
fn check_binding(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
) -> Result<(), Objection> {
    let name = |local: LocalId| formula.locals[local.0 as usize].name.clone();
    let tracked = |local| formula.tracked.iter().any(|group| group.locals.contains(&local));
    if let Some(&(local, _)) = binding.iter().find(|(local, _)| !tracked(*local)) {
        return Err(Objection::NotTracked { local });
    }
    for group in &formula.tracked {
        let mut values: Vec<(LocalId, Scalar)> = Vec::new();
        for &local in &group.locals {
            let mut of_this = binding.iter().filter(|(bound, _)| *bound == local);
            let Some(&(_, value)) = of_this.next() else {
                return Err(Objection::Unbound { name: name(local) });
            };
            if of_this.next().is_some() {
                return Err(Objection::BoundTwice { name: name(local) });
            }
            if !is_value_of(model, value, group.of) {
                return Err(Objection::OfOtherType { name: name(local) });
            }
            let equal = values.iter().find(|(_, other)| group.distinct && *other == value);
            if let Some(&(first, _)) = equal {
                let (first, second) = (name(first), name(local));
                return Err(Objection::NotDistinct { first, second });
            }
            values.push((local, value));
        }
    }
    Ok(())
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
