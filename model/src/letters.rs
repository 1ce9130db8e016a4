//! The letters that a formula may read along a run of a model: see [`ltl::steps`].

use crate::checked::{Atom, Formula, Operand, ProcessOperand};
use crate::value::Scalar;
use ltl::Alphabet;
use ltl::steps::{self, EventAtom, OwnerAtom, OwnerOperand, StepAtoms};

/// The class of all processes that are members of families: which family it is does not matter.
const MEMBERS: u32 = u32::MAX;

/// The letters that a formula may read along a run of its model.
pub fn alphabet(formula: &Formula) -> Alphabet {
    let operand = |operand: Operand| -> steps::Operand<Scalar> {
        match operand {
            Operand::Local(local) => steps::Operand::Variable(local.0 as usize),
            Operand::Constant(value) => steps::Operand::Constant(value),
        }
    };
    let (mut events, mut owners) = (Vec::new(), Vec::new());
    for (number, atom) in (0..).map(ltl::Atom).zip(&formula.atoms) {
        match atom {
            Atom::State { .. } => {}
            Atom::Event { events: of, arguments, .. } => {
                let arguments = arguments.iter().map(|one| one.map(operand)).collect();
                let kinds = of.iter().map(|event| event.0).collect();
                events.push(EventAtom { atom: number, kinds, arguments });
            }
            Atom::By { process, .. } => {
                let owner = match *process {
                    None => OwnerOperand::Any,
                    Some(ProcessOperand::Single(family)) => OwnerOperand::Class(family.0),
                    Some(ProcessOperand::Member(value)) => {
                        OwnerOperand::Member(MEMBERS, operand(value))
                    }
                };
                owners.push(OwnerAtom { atom: number, owner });
            }
        }
    }
    let distinct = formula.tracked.iter().filter(|group| group.distinct);
    let distinct =
        distinct.map(|group| group.locals.iter().map(|local| local.0 as usize).collect());
    StepAtoms { events, owners, distinct: distinct.collect() }.alphabet()
}
