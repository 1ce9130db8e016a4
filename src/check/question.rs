//! A formula, made ready to be asked about.

use super::{Engine, Method, Options, Reason, Unsound};
use crate::counterexample::Binding;
use automata::translate::{Acceptance, Translator};
use compile::CompiledModel;
use compile::atoms::tracked_variables;
use compile::cells::decode;
use engine::fairness::requirements::Requirements;
use engine::instances::{Instance, Instances, instances};
use engine::product::{MOST_ATOMS, Reader};
use engine::symmetry::{Indices, Reduction};
use engine::system::{Atoms, TrackedVariables};
use ltl::Alphabet;
use model::checked::{Demand, Formula, Model};
use model::syntax::{Fairness, Over};
use run::Limits;

/// A formula of a model: the automaton of its negation, and its atoms.
pub struct Question<'q> {
    pub(super) system: &'q CompiledModel<'q>,
    pub(super) formula: &'q Formula,
    pub(super) options: &'q Options,
    pub(super) reader: Reader,
    pub(super) atoms: Box<dyn Atoms + 'q>,
    pub(super) tracked: TrackedVariables,
    pub(super) method: Method,
    pub(super) demand: Demand,
    pub(super) requirements: Requirements,
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
        let demand = demanded(system.model(), formula, options);
        soundness(system.model(), formula, options).map_err(Reason::Unsound)?;
        let requirements = Requirements::new(system, demand);
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
            Engine::Auto if reader.is_terminal() && !is_cut && requirements.is_empty() => {
                Method::Prefix
            }
            Engine::Auto | Engine::Components => Method::Components,
            Engine::Nested => Method::Nested,
            Engine::Bitstate { bytes } => Method::Bitstate { bytes },
            Engine::Compaction => Method::Compaction,
        };
        let atoms = Box::new(system.atoms(formula));
        let tracked = tracked_variables(&system.model().types, &formula.tracked);
        Ok(Question {
            system,
            formula,
            options,
            reader,
            atoms,
            tracked,
            method,
            demand,
            requirements,
        })
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
    pub fn instances<'i>(&'i self, indices: &'i Indices) -> Instances<'i> {
        instances(&self.tracked, indices)
    }

    /// The values of the tracked variables whose cells are these.
    pub(super) fn binding(&self, instance: &Instance) -> Binding {
        let model = self.system.model();
        let locals = self
            .formula
            .tracked
            .iter()
            .flat_map(|group| group.locals.iter().map(|&local| (local, group.of)));
        let values = locals.zip(&instance.cells);
        values.map(|((local, of), &cell)| (local, decode(&model.types, of, cell))).collect()
    }

    /// Whether fairness to processes is demanded, and there is only one.
    pub(super) fn has_single_process(&self) -> bool {
        let Demand { fairness, over, .. } = self.demand;
        let model = self.system.model();
        let sizes =
            model.processes.iter().map(|family| family.of.map_or(1, |of| model.types.size(of)));
        matches!(fairness, Fairness::Weak | Fairness::Strong)
            && over == Over::Processes
            && sizes.sum::<u64>() <= 1
    }

    /// What is demanded of the runs that count.
    pub fn demand(&self) -> Demand {
        self.demand
    }
}

/// What is demanded of the runs that count for a formula.
pub fn demanded(model: &Model, formula: &Formula, options: &Options) -> Demand {
    if options.ignores_fairness {
        return Demand::NONE;
    }
    let Demand { mut fairness, mut over, declared } = options.demand;
    if let Some((own, own_over)) = formula.under {
        fairness = own;
        over = own_over.unwrap_or(Over::Processes);
    }
    let of_rules = model.events.iter().any(|event| event.fairness.is_some());
    let declared = declared && (of_rules || !model.requirements.is_empty());
    Demand { fairness, over, declared }
}

/// Whether the search that is asked for can be trusted with what a formula demands of runs.
pub fn soundness(model: &Model, formula: &Formula, options: &Options) -> Result<(), Unsound> {
    let demand = demanded(model, formula, options);
    if demand.fairness == Fairness::None && !demand.declared {
        return Ok(());
    }
    match options.engine {
        Engine::Nested | Engine::Bitstate { .. } | Engine::Compaction => {
            return Err(Unsound::Nested);
        }
        Engine::Auto | Engine::Components => {}
    }
    if demand.fairness == Fairness::Global && options.reduction == Reduction::Sorted {
        return Err(Unsound::Representatives);
    }
    Ok(())
}
