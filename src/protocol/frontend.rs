//! Protocols as a front end.

use super::vacuity;
use crate::frontend::{FrontEnd, Variant};
use engine::system::{Atoms, FaultId, TrackedVariables};
use ltl::Alphabet;
use protocol::{Fault, Formula, IndexValue, Occurrence, Owner, Plain, Prepared, Value};

impl FrontEnd for Prepared {
    type Reference = Plain;

    fn reference(&self) -> &Plain {
        self.plain()
    }

    fn formula_name<'f>(&self, formula: &'f Formula) -> &'f str {
        formula.text()
    }

    fn tracked(&self, formula: &Formula) -> TrackedVariables {
        Prepared::tracked(self, formula)
    }

    fn atoms<'a>(&'a self, formula: &'a Formula) -> Box<dyn Atoms + 'a> {
        Box::new(self.formula_atoms(formula))
    }

    fn binding(&self, formula: &Formula, cells: &[i64]) -> Vec<(usize, IndexValue)> {
        self.bound(formula, cells)
    }

    fn alphabet(&self, formula: &Formula) -> Alphabet {
        Prepared::alphabet(self, formula)
    }

    fn unsatisfiable(&self, formula: &Formula) -> Formula {
        formula.unsatisfiable()
    }

    fn variants(&self, formula: &Formula) -> Vec<Variant<Formula>> {
        vacuity::variants(formula)
    }

    fn state(&self, packed: &[u64]) -> Value {
        Prepared::state(self, packed)
    }

    fn packed(&self, state: &Value) -> Box<[u64]> {
        Prepared::packed(self, state)
    }

    fn action(&self, rule: u32, arguments: &[i64]) -> (Owner, Occurrence<Value>) {
        let (owner, event) = self.step(rule, arguments);
        (owner, self.plain().occurrence(event))
    }

    fn explain(&self, fault: FaultId) -> Fault {
        Prepared::explain(self, fault)
    }
}
