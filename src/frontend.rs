//! Front ends: what a check needs of a system.
//!
//! The engine sees packed states ([`System`]), the judge sees plain ones ([`Reference`]). A front end
//! is both, and translates: packed states and steps to those of the reference, faults by number to
//! faults, formulas to letters. The model language is one front end ([`CompiledModel`]); any other
//! type that implements [`FrontEnd`] is checked in the same way.
//!
//! [`CompiledModel`]: compile::CompiledModel

use engine::system::{Atoms, Choices, FaultId, System, TrackedVariables};
use judge::{Action, Bound, Reference, Vocabulary};
use ltl::Alphabet;
use terms::{Demand, Fairness, Over};

/// A system for the engine with a reference for the judge.
pub trait FrontEnd: System + Sized {
    /// Executes the system for the judge. It must share no code with the engine's view of the system
    /// that could be wrong in both.
    type Reference: Reference + Sync;

    /// The reference.
    fn reference(&self) -> &Self::Reference;

    /// The formula's name in reports and traces: as it is declared, or as it is written.
    fn formula_name<'f>(&self, formula: &'f FormulaOf<Self>) -> &'f str;

    /// The fairness that a formula demands itself, if it does. By default formulas do not.
    fn fairness(&self, formula: &FormulaOf<Self>) -> Option<(Fairness, Option<Over>)> {
        let _ = formula;
        None
    }

    /// The tracked variables of a formula.
    fn tracked(&self, formula: &FormulaOf<Self>) -> TrackedVariables;

    /// The atoms of a formula, for packed states.
    fn atoms<'a>(&'a self, formula: &'a FormulaOf<Self>) -> Box<dyn Atoms + 'a>;

    /// The letters that a formula may read along a run: those that are not among them need no place in
    /// its automaton. By default all are.
    fn alphabet(&self, formula: &FormulaOf<Self>) -> Alphabet {
        let _ = formula;
        Alphabet::default()
    }

    /// Which processes may move alone, for a formula and a demand on runs; none if no process may in any
    /// state, or if the rules are not analysed. The caller must have seen to it that steps of which no
    /// atom is true cannot change the truth of the formula.
    fn reducible<'a>(
        &'a self,
        formula: &'a FormulaOf<Self>,
        demand: Demand,
    ) -> Option<Reducible<'a>> {
        let _ = (formula, demand);
        None
    }

    /// The values of the tracked variables of a formula that have these cells.
    fn binding(&self, formula: &FormulaOf<Self>, cells: &[i64]) -> BindingOf<Self>;

    /// A formula that no run satisfies, with the tracked variables and the fairness of this one.
    fn unsatisfiable(&self, formula: &FormulaOf<Self>) -> FormulaOf<Self>;

    /// Stronger variants of a formula, to find out whether it holds vacuously. By default there are
    /// none.
    fn variants(&self, formula: &FormulaOf<Self>) -> Vec<Variant<FormulaOf<Self>>> {
        let _ = formula;
        Vec::new()
    }

    /// The plain state of a packed one.
    fn state(&self, packed: &[u64]) -> StateOf<Self>;

    /// A plain state, packed.
    fn packed(&self, state: &StateOf<Self>) -> Box<[u64]>;

    /// The action of a step of a rule with these cells of arguments.
    fn action(&self, rule: u32, arguments: &[i64]) -> Action<VocabularyOf<Self>>;

    /// The run-time error of a fault that the system or one of its workers has returned.
    fn explain(&self, fault: FaultId) -> FaultOf<Self>;
}

/// What partial-order reduction needs of a formula of a system.
pub struct Reducible<'a> {
    /// Which processes may move alone.
    pub choices: Box<dyn Choices + 'a>,
    /// The atoms of the formula that are about steps.
    pub of_steps: Vec<ltl::Atom>,
}

/// A formula without the right side of one of its implications.
#[derive(Clone, Debug)]
pub struct Variant<F> {
    /// The left side of the implication, as text.
    pub antecedent: String,
    /// The variant. It implies the original formula.
    pub formula: F,
    /// The position of the variant for the nearest implication around this one: if that is vacuous,
    /// so is this.
    pub around: Option<usize>,
}

/// The vocabulary of a front end.
pub type VocabularyOf<F> = <<F as FrontEnd>::Reference as Reference>::Vocabulary;
/// The formulas of a front end.
pub type FormulaOf<F> = <VocabularyOf<F> as Vocabulary>::Formula;
/// The plain states of a front end.
pub type StateOf<F> = <VocabularyOf<F> as Vocabulary>::State;
/// The run-time errors of a front end.
pub type FaultOf<F> = <VocabularyOf<F> as Vocabulary>::Fault;
/// The values of the tracked variables of a formula.
pub type BindingOf<F> = Vec<Bound<VocabularyOf<F>>>;
