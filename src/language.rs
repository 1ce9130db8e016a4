//! The model language as a front end.

pub mod formula;
mod vacuity;

use crate::frontend::{FrontEnd, Reducible, Variant};
use compile::CompiledModel;
use compile::ample::Exact;
use compile::atoms::tracked_variables;
use compile::cells::{action_of, decode, flatten_state, state_of};
use engine::system::{Atoms, FaultId, System as _, TrackedVariables};
use ltl::Alphabet;
use model::checked::{Atom, Formula};
use model::interpret::{Event, Failure, Process, State};
use model::letters::alphabet;
use model::reference::{Binding, ModelReference};
use terms::{Demand, Fairness, Over};

impl<'m> FrontEnd for CompiledModel<'m> {
    type Reference = ModelReference<'m>;

    fn reference(&self) -> &ModelReference<'m> {
        CompiledModel::reference(self)
    }

    fn formula_name<'f>(&self, formula: &'f Formula) -> &'f str {
        formula.name.as_deref().unwrap_or(&formula.text)
    }

    fn fairness(&self, formula: &Formula) -> Option<(Fairness, Option<Over>)> {
        formula.under
    }

    fn tracked(&self, formula: &Formula) -> TrackedVariables {
        tracked_variables(&self.model().types, &formula.tracked)
    }

    fn atoms<'a>(&'a self, formula: &'a Formula) -> Box<dyn Atoms + 'a> {
        Box::new(CompiledModel::atoms(self, formula))
    }

    fn alphabet(&self, formula: &Formula) -> Alphabet {
        alphabet(formula)
    }

    fn reducible<'a>(&'a self, formula: &'a Formula, demand: Demand) -> Option<Reducible<'a>> {
        let choices = self.ample_choices::<Exact>(formula, demand)?;
        Some(Reducible { choices: Box::new(choices), of_steps: atoms_of_steps(formula) })
    }

    fn binding(&self, formula: &Formula, cells: &[i64]) -> Binding {
        let types = &self.model().types;
        let locals = formula.tracked.iter();
        let locals = locals.flat_map(|group| group.locals.iter().map(|&local| (local, group.of)));
        let values = locals.zip(cells);
        values.map(|((local, of), &cell)| (local, decode(types, of, cell))).collect()
    }

    fn unsatisfiable(&self, formula: &Formula) -> Formula {
        Formula { root: ltl::Formula::FALSE, ..formula.clone() }
    }

    fn variants(&self, formula: &Formula) -> Vec<Variant<Formula>> {
        vacuity::variants(formula)
    }

    fn state(&self, packed: &[u64]) -> State {
        let mut cells = vec![0; self.layout().cells()];
        self.layout().unpack(packed, &mut cells);
        state_of(self.model(), &cells)
    }

    fn packed(&self, state: &State) -> Box<[u64]> {
        let mut cells = Vec::new();
        flatten_state(self.model(), state, &mut cells);
        let mut packed = vec![0; self.layout().words()];
        self.layout().pack(&cells, &mut packed);
        packed.into_boxed_slice()
    }

    fn action(&self, rule: u32, arguments: &[i64]) -> (Process, Event) {
        action_of(self.model(), rule as usize, arguments)
    }

    fn explain(&self, fault: FaultId) -> Failure {
        self.failure(fault)
    }
}

/// The atoms of a formula that are about steps.
pub fn atoms_of_steps(formula: &Formula) -> Vec<ltl::Atom> {
    let atoms = (0..).map(ltl::Atom).zip(&formula.atoms);
    atoms.filter(|(_, atom)| !matches!(atom, Atom::State { .. })).map(|(k, _)| k).collect()
}
