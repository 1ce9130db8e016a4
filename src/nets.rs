//! Petri nets as a front end.

pub mod answers;
pub mod certificates;

use crate::frontend::FrontEnd;
use engine::system::{Atoms, FaultId, TrackedVariables};
use nets::{Fault, Firing, Formula, Game, Marking, PackedNet};

impl<'n> FrontEnd for PackedNet<'n> {
    type Reference = Game<'n>;

    fn reference(&self) -> &Game<'n> {
        self.game()
    }

    fn formula_name<'f>(&self, formula: &'f Formula) -> &'f str {
        &formula.text
    }

    fn tracked(&self, _: &Formula) -> TrackedVariables {
        TrackedVariables::default()
    }

    fn atoms<'a>(&'a self, formula: &'a Formula) -> Box<dyn Atoms + 'a> {
        self.formula_atoms(formula)
    }

    fn binding(&self, _: &Formula, _: &[i64]) -> Vec<(u32, u32)> {
        Vec::new()
    }

    fn unsatisfiable(&self, formula: &Formula) -> Formula {
        formula.unsatisfiable()
    }

    fn state(&self, packed: &[u64]) -> Marking {
        self.marking(packed)
    }

    fn packed(&self, marking: &Marking) -> Box<[u64]> {
        PackedNet::packed(self, marking)
    }

    fn action(&self, rule: u32, arguments: &[i64]) -> ((), Firing) {
        ((), self.firing(rule, arguments))
    }

    fn explain(&self, fault: FaultId) -> Fault {
        PackedNet::explain(self, fault)
    }
}
