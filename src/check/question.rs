//! A formula that is prepared for the search.

use super::letters::TupleLetters;
use super::reduced::{are_about_enabled, choices};
use super::search::Search;
use super::{Engine, Method, Options, Reason, Reduced, Unsound};
use crate::frontend::{BindingOf, FormulaOf, FrontEnd};
use automata::translate::{Acceptance, Translator};
use engine::fairness::requirements::Requirements;
use engine::instances::{Instance, Instances, instances};
use engine::product::safety::Safety;
use engine::product::{MOST_ATOMS, Reader};
use engine::symmetry::{Indices, Reduction};
use engine::system::{Shape, TrackedVariables};
use judge::Reference as _;
use run::Limits;
use terms::{Demand, Fairness, Over, PropertyKind};

/// A formula of a system: the automaton of its negation, and its atoms.
pub struct Question<'q, F: FrontEnd> {
    pub(super) system: &'q F,
    pub(super) formula: &'q FormulaOf<F>,
    pub(super) options: &'q Options,
    pub(super) tracked: TrackedVariables,
    pub(super) demand: Demand,
    pub(super) by_partial_order: Reduced,
    pub(super) search: Search<'q>,
}

impl<'q, F: FrontEnd> Question<'q, F> {
    /// Prepares a formula.
    pub fn new(
        system: &'q F,
        formula: &'q FormulaOf<F>,
        options: &'q Options,
        limits: Limits<'_>,
    ) -> Result<Question<'q, F>, Reason> {
        let atoms = system.reference().atoms(formula) as usize;
        if atoms > MOST_ATOMS {
            return Err(Reason::Atoms(atoms));
        }
        let demand = demanded(system, formula, options);
        soundness(demand, options).map_err(Reason::Unsound)?;
        let requirements = Requirements::new(system, demand);
        let alphabet = system.alphabet(formula);
        let syntax = system.reference().syntax(formula);
        let mut formulas = syntax.0.clone();
        let negation = formulas.not(syntax.1);
        let acceptance = match options.engine {
            Engine::Auto | Engine::Components | Engine::Sets => Acceptance::Generalized,
            Engine::Nested | Engine::Bitstate { .. } | Engine::Compaction => Acceptance::Buchi,
        };
        let mut translator = Translator::new(&alphabet, options.effort, limits);
        let automaton =
            translator.translate(&mut formulas, negation, acceptance).map_err(Reason::Stopped)?;
        let automaton = translator.relaxed(&automaton).map_err(Reason::Stopped)?;
        let reader = Reader::new(&automaton, &translator.guards);
        let reduced = choices(system, formula, demand, &requirements, options, &mut translator)
            .map_err(Reason::Stopped)?;
        let name = system.formula_name(formula);
        let (choices, by_partial_order) = match reduced {
            Ok(choices) => (Some(choices), Reduced::Yes),
            Err(reason) => {
                tracing::debug!(formula = name, %reason, "no partial-order reduction");
                (None, Reduced::No(reason))
            }
        };
        // Every bad prefix is continued by a run, unless an assumption cuts it.
        let is_cut = has_assumptions(system);
        let method = match options.engine {
            Engine::Auto if reader.is_terminal() && !is_cut && requirements.is_empty() => {
                Method::Prefix
            }
            Engine::Auto | Engine::Components => Method::Components,
            Engine::Sets => Method::Sets,
            Engine::Nested => Method::Nested,
            Engine::Bitstate { bytes } => Method::Bitstate { bytes },
            Engine::Compaction => Method::Compaction,
        };
        let atoms = system.atoms(formula);
        let tracked = system.tracked(formula);
        let search =
            Search { system, name, options, syntax, reader, atoms, choices, method, requirements };
        Ok(Question { system, formula, options, tracked, demand, by_partial_order, search })
    }

    /// The method by which its products are searched.
    pub fn method(&self) -> Method {
        self.search.method
    }

    /// Whether its searches are reduced by partial order.
    pub fn by_partial_order(&self) -> Reduced {
        self.by_partial_order
    }

    /// Whether elimination by sets is sound: it needs all edges to know what is enabled.
    pub(super) fn may_be_eliminated(&self) -> bool {
        self.by_partial_order != Reduced::Yes || !are_about_enabled(&self.search.requirements)
    }

    /// The question for one tuple of tracked values, to be searched together with others.
    pub(super) fn safety<'i>(&'i self, instance: &'i Instance) -> Option<Safety<'i>> {
        let letters = Box::new(TupleLetters::new(&*self.search.atoms, instance));
        Safety::new(&self.search.reader, letters, instance.points.clone())
    }

    /// The number of states of the automaton.
    pub fn automaton_states(&self) -> usize {
        self.search.reader.states()
    }

    /// Whether the formula is true of all runs of all models because the automaton of its negation
    /// is empty.
    pub fn is_tautology(&self) -> bool {
        self.search.reader.is_empty()
    }

    /// The tuples of tracked values to be checked, one per orbit of the group of these index types.
    pub fn instances<'i>(&'i self, indices: &'i Indices) -> Instances<'i> {
        instances(&self.tracked, indices)
    }

    /// The values of the tracked variables of an instance.
    pub(super) fn binding(&self, instance: &Instance) -> BindingOf<F> {
        self.system.binding(self.formula, &instance.cells)
    }

    /// Whether fairness to processes is demanded, and there is only one process.
    pub(super) fn has_single_process(&self) -> bool {
        let Demand { fairness, over, .. } = self.demand;
        let sizes = self.system.families().into_iter().map(|family| match family.members {
            Some(Shape::Simple { values, .. }) => values,
            _ => 1,
        });
        matches!(fairness, Fairness::Weak | Fairness::Strong)
            && over == Over::Processes
            && sizes.sum::<u64>() <= 1
    }
}

/// Whether a system has global assumptions.
pub(super) fn has_assumptions<F: FrontEnd>(system: &F) -> bool {
    let properties = system.reference().properties();
    properties.iter().any(|(_, kind)| *kind == PropertyKind::Assume)
}

/// The demand on the runs that count for a formula.
pub fn demanded<F: FrontEnd>(system: &F, formula: &FormulaOf<F>, options: &Options) -> Demand {
    if options.ignores_fairness {
        return Demand::NONE;
    }
    let Demand { mut fairness, mut over, declared } = options.demand;
    if let Some((own, own_over)) = system.fairness(formula) {
        fairness = own;
        over = own_over.unwrap_or(Over::Processes);
    }
    let of_events = system.events().iter().any(|event| event.fairness.is_some());
    let declared = declared && (of_events || !system.requirements().is_empty());
    Demand { fairness, over, declared }
}

/// Checks whether the search that the options request is sound with a demand on runs.
fn soundness(demand: Demand, options: &Options) -> Result<(), Unsound> {
    if demand.fairness == Fairness::None && !demand.declared {
        return Ok(());
    }
    match options.engine {
        Engine::Nested | Engine::Bitstate { .. } | Engine::Compaction => {
            return Err(Unsound::Nested);
        }
        Engine::Auto | Engine::Components | Engine::Sets => {}
    }
    if demand.fairness == Fairness::Global && options.reduction == Reduction::Sorted {
        return Err(Unsound::Representatives);
    }
    Ok(())
}
