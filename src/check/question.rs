//! A formula, made ready to be asked about.

use super::{Engine, Method, Options, Reason};
use crate::model::checked::Formula;
use crate::model::syntax::Fairness;
use crate::product::{MOST_ATOMS, Reader};
use crate::property::{Instances, instances};
use crate::symmetry::Indices;
use crate::system::{Atoms, CompiledModel};
use automata::limits::Limits;
use automata::translate::{Acceptance, Translator};
use ltl::Alphabet;

/// A formula of a model: the automaton of its negation, and its atoms.
pub struct Question<'q> {
    pub(super) system: &'q CompiledModel<'q>,
    pub(super) formula: &'q Formula,
    pub(super) options: &'q Options,
    pub(super) reader: Reader,
    pub(super) atoms: Atoms<'q>,
    pub(super) method: Method,
}

impl<'q> Question<'q> {
    /// Makes a formula ready.
    pub fn new(
        system: &'q CompiledModel<'q>,
        formula: &'q Formula,
        options: &'q Options,
        limits: Limits<'_>,
    ) -> Result<Question<'q>, Reason> {
        if formula.atoms.len() > MOST_ATOMS {
            return Err(Reason::Atoms(formula.atoms.len()));
        }
        let alphabet = Alphabet::default();
        let mut formulas = formula.formulas.clone();
        let negation = formulas.not(formula.root);
        let acceptance = match options.engine {
            Engine::Auto | Engine::Components => Acceptance::Generalized,
            Engine::Nested | Engine::Bitstate { .. } | Engine::Compaction => Acceptance::Buchi,
        };
        let mut translator = Translator::new(&alphabet, options.effort, limits);
        let automaton =
            translator.translate(&mut formulas, negation, acceptance).map_err(Reason::Stopped)?;
        let reader = Reader::new(&automaton, &translator.guards);
        // Behind a bad prefix there is always a run, unless an assumption cuts it.
        let is_cut = system.model().assumptions().next().is_some();
        let method = match options.engine {
            Engine::Auto if reader.is_terminal() && !is_cut => Method::Prefix,
            Engine::Auto | Engine::Components => Method::Components,
            Engine::Nested => Method::Nested,
            Engine::Bitstate { bytes } => Method::Bitstate { bytes },
            Engine::Compaction => Method::Compaction,
        };
        Ok(Question { system, formula, options, reader, atoms: system.atoms(formula), method })
    }

    /// What it is called in reports: its name, or what it says.
    pub(super) fn name(&self) -> &str {
        self.formula.name.as_deref().unwrap_or(&self.formula.text)
    }

    /// How its products are searched.
    pub fn method(&self) -> Method {
        self.method
    }

    /// States of the automaton.
    pub fn automaton_states(&self) -> usize {
        self.reader.states()
    }

    /// Whether the formula is true of all runs of all models, at a glance.
    pub fn is_tautology(&self) -> bool {
        self.reader.is_empty()
    }

    /// The tuples to ask about, if these can be permuted.
    pub fn instances<'i>(&self, indices: &'i Indices) -> Instances<'i>
    where
        'q: 'i,
    {
        instances(&self.formula.tracked, &self.system.model().types, indices)
    }

    /// Whether only some of the runs count: the formula or the model demands fairness, and nobody said
    /// that this should be ignored.
    pub fn demands_fairness(&self) -> bool {
        let model = self.system.model();
        let of_its_own = self.formula.under.is_some_and(|(fairness, _)| fairness != Fairness::None);
        let of_rules = model.events.iter().any(|event| event.fairness.is_some());
        let declared = of_rules || !model.requirements.is_empty();
        let Options { ignores_fairness, ignores_declared_fairness, .. } = self.options;
        !ignores_fairness && (of_its_own || declared && !ignores_declared_fairness)
    }
}
