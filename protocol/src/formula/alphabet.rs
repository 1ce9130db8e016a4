//! The letters that a formula may read along a run of a protocol: see [`ltl::steps`].
//!
//! Atoms that are closures, of states or of events, are independent of all others.

use super::{Formula, Meaning, Pattern, Process};
use crate::system::Declarations;
use ltl::Alphabet;
use ltl::steps::{EventAtom, Operand, OwnerAtom, OwnerOperand, StepAtoms};

impl Formula {
    /// The letters that the formula may read along a run.
    pub(crate) fn alphabet(&self, declared: &Declarations) -> Alphabet {
        let (mut events, mut owners) = (Vec::new(), Vec::new());
        for (atom, one) in (0..).map(ltl::Atom).zip(&self.atoms) {
            match &one.meaning {
                Meaning::Atom { .. } => {}
                Meaning::Event { kind, arguments } => {
                    let arguments = by_place(arguments);
                    events.push(EventAtom { atom, kinds: vec![*kind], arguments });
                }
                Meaning::By(process) => {
                    owners.push(OwnerAtom { atom, owner: self.owner(declared, process) });
                }
            }
        }
        let distinct = self.groups.iter().filter(|group| group.is_distinct);
        let distinct = distinct.map(|group| group.variables.clone()).collect();
        StepAtoms { events, owners, distinct }.alphabet()
    }

    /// Named processes are classes of one owner each; the class of an index type comes after them.
    fn owner(&self, declared: &Declarations, process: &Process) -> OwnerOperand<i64> {
        let class_of_type = |of: terms::IndexTypeId| declared.processes.len() as u32 + of.0;
        match process {
            Process::Any => OwnerOperand::Any,
            Process::Variable(variable) => {
                let class = class_of_type(self.variables[*variable].of);
                OwnerOperand::Member(class, Operand::Variable(*variable))
            }
            Process::Named(name) => {
                let named = declared.processes.iter().position(|one| one == name);
                OwnerOperand::Class(named.expect("a formula names declared processes") as u32)
            }
            Process::Type(of) => OwnerOperand::Class(class_of_type(*of)),
        }
    }
}

/// The patterns by their cells.
fn by_place(arguments: &[(usize, Pattern)]) -> Vec<Option<Operand<i64>>> {
    let places = arguments.iter().map(|(cell, _)| cell + 1).max().unwrap_or(0);
    let mut operands = vec![None; places];
    for &(cell, pattern) in arguments {
        operands[cell] = Some(match pattern {
            Pattern::Variable(variable) => Operand::Variable(variable),
            Pattern::Cell(value) => Operand::Constant(value),
        });
    }
    operands
}
