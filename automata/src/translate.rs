//! From formulas to reduced automata: the whole way, at a chosen effort.
//!
//! ```text
//! formula ─ simplify ─► tableau ─► reduce ─► generalized ─ degeneralize ─► reduce ─► Büchi
//! ```
//!
//! At high effort there are several candidates, of which the smallest is taken: other forms of the
//! formula, recurrences built from guarantees, and the smallest weak deterministic automaton.
//! What is done at which effort is one table, [`Techniques::of`]; each technique can be switched
//! off by itself, to measure what it gives.

mod candidates;
mod techniques;
mod variants;

pub use techniques::{Effort, Techniques};

use crate::automaton::{Automaton, Builder, Marking, Marks};
use crate::degeneralize::{Orders, degeneralize};
use crate::guard::Guards;
use crate::limits::{Limits, StopReason};
use crate::reduce::{Simulation, minimise_marks, remove_useless, simulate};
use crate::tableau::tableau;
use ltl::simplify::{Level, Simplifier};
use ltl::{Alphabet, Formula, Formulas};
use tracing::debug_span;
use tracing::field::Empty;

/// The kind of automaton wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Transition-based generalized Büchi.
    Generalized,
    /// State-based Büchi.
    Buchi,
}

/// Translates formulas over one alphabet; their automata share labels, so they can be combined.
#[derive(Debug)]
pub struct Translator<'p> {
    /// The labels of all automata made.
    pub guards: Guards<'p>,
    simplifier: Simplifier<'p>,
    techniques: Techniques,
}

impl<'p> Translator<'p> {
    /// A translator for formulas over `alphabet`.
    pub fn new(alphabet: &'p Alphabet, effort: Effort, limits: Limits<'p>) -> Self {
        Self::with(alphabet, Techniques::of(effort), limits)
    }

    /// A translator that uses these techniques only.
    pub fn with(alphabet: &'p Alphabet, techniques: Techniques, limits: Limits<'p>) -> Self {
        let level = if techniques.implication { Level::Implication } else { Level::Basic };
        Translator {
            guards: Guards::over(alphabet, limits),
            simplifier: Simplifier::new(alphabet, level),
            techniques,
        }
    }

    /// An automaton that accepts the words that satisfy `f`.
    pub fn translate(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        if formulas.atoms(f).len() > Guards::MOST_VARIABLES as usize {
            return Err(StopReason::Variables(Guards::MOST_VARIABLES));
        }
        let f = self.simplifier.simplify(formulas, f);
        // First what cannot explode: the tableau is then one of the candidates.
        let again = self.with_recurrences(formulas, f)?;
        let generalized = match &again {
            Some(again) => self.reduce_generalized(again)?,
            None => self.generalized(formulas, f)?,
        };
        let best = self.finish(generalized.clone(), acceptance)?;
        let mut others = Vec::new();
        if again.is_some() {
            others.extend(self.attempt_tableau(formulas, f, &generalized)?);
        }
        self.best_candidate(formulas, f, generalized, best, others, acceptance)
    }

    /// A smaller automaton of the same language, of the wanted kind.
    pub fn reduce(
        &mut self,
        automaton: &Automaton,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        let is_buchi = automaton.acceptance_sets() <= 1 && automaton.is_state_based();
        if acceptance == Acceptance::Buchi && is_buchi {
            let buchi = with_one_set(automaton);
            let simulation = self.techniques.buchi_simulation();
            return reduced(&mut self.guards, &buchi, Marking::States, simulation);
        }
        let generalized = self.reduce_generalized(automaton)?;
        self.finish(generalized, acceptance)
    }

    /// The same automaton for readers that are given possible letters only: its guards are as simple
    /// as that allows.
    pub fn relaxed(&mut self, automaton: &Automaton) -> Result<Automaton, StopReason> {
        let mut builder = Builder::new();
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                builder.edge(self.guards.relaxed(edge.guard), edge.marks, edge.target);
            }
            builder.end_state();
        }
        self.guards.check()?;
        Ok(builder.finish(automaton.initial(), automaton.acceptance_sets()))
    }

    /// The reduced generalized automaton of a simplified formula.
    fn generalized(&mut self, formulas: &Formulas, f: Formula) -> Result<Automaton, StopReason> {
        let span = debug_span!("automaton.translate", states = Empty, edges = Empty).entered();
        let draft = tableau(&mut self.guards, formulas, f)?;
        span.record("states", draft.state_count());
        span.record("edges", draft.all_edges().len());
        drop(span);
        self.reduce_generalized(&draft)
    }

    fn reduce_generalized(&mut self, automaton: &Automaton) -> Result<Automaton, StopReason> {
        let simulation = self.techniques.generalized_simulation();
        let reduced = reduced(&mut self.guards, automaton, Marking::Edges, simulation)?;
        Ok(minimise_marks(&reduced))
    }

    /// A reduced generalized automaton as one of the wanted kind.
    fn finish(
        &mut self,
        generalized: Automaton,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        if acceptance == Acceptance::Generalized {
            return Ok(generalized);
        }
        let guards = &mut self.guards;
        let span = debug_span!("automaton.degeneralize", states = Empty, edges = Empty).entered();
        let orders = if self.techniques.orders { Orders::Several } else { Orders::Given };
        let buchi = degeneralize(guards, &generalized, orders)?;
        span.record("states", buchi.state_count());
        span.record("edges", buchi.all_edges().len());
        drop(span);
        reduced(guards, &buchi, Marking::States, self.techniques.buchi_simulation())
    }
}

/// New nodes of label diagrams that simulation may make for one automaton.
const MOST_NODES_FOR_SIMULATION: usize = 1 << 19;

/// An automaton with at most one acceptance set as one with exactly one.
fn with_one_set(automaton: &Automaton) -> Automaton {
    if automaton.acceptance_sets() == 1 {
        return automaton.clone();
    }
    let mut builder = Builder::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            builder.edge(edge.guard, Marks::one(0), edge.target);
        }
        builder.end_state();
    }
    builder.finish(automaton.initial(), 1)
}

/// Without what is useless, and reduced by simulation as wanted.
fn reduced(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
    simulation: Simulation,
) -> Result<Automaton, StopReason> {
    let before = automaton.state_count();
    let span = debug_span!("automaton.reduce", before, states = Empty, edges = Empty).entered();
    let mut automaton = remove_useless(guards, automaton, marking);
    // What is optional gives up, and what was there stays.
    let limits = Limits { labels: MOST_NODES_FOR_SIMULATION, ..Limits::default() };
    let simulated =
        guards.attempt(limits, |guards| simulate(guards, &automaton, marking, simulation))?;
    if let Some(simulated) = simulated {
        automaton = simulated;
    }
    guards.check()?;
    span.record("states", automaton.state_count());
    span.record("edges", automaton.all_edges().len());
    Ok(automaton)
}
