//! From formulas to reduced automata: the whole way, at a chosen effort.
//!
//! ```text
//! formula ─ simplify ─► tableau ─► reduce ─► generalized ─ degeneralize ─► reduce ─► Büchi
//! ```
//!
//! | effort | formula | generalized automaton | Büchi automaton |
//! |---|---|---|---|
//! | low | basic rules | useless states and marks | one order of the sets |
//! | medium | and implication | and simulation, direct and reverse | |
//! | high | | and the smallest weak deterministic automaton, if not larger | and several orders, and simulation again |

use crate::automaton::{Automaton, Builder, Marking, Marks};
use crate::degeneralize::{Orders, degeneralize};
use crate::guard::Guards;
use crate::limits::{Limits, StopReason};
use crate::reduce::{minimal_weak_deterministic, minimise_marks, remove_useless, simulate};
use crate::tableau::tableau;
use ltl::simplify::{Level, Simplifier};
use ltl::{Alphabet, Formula, Formulas};
use tracing::debug_span;
use tracing::field::Empty;

/// How much time to spend on a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    /// Fast.
    Low,
    /// In between.
    Medium,
    /// Small.
    High,
}

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
    effort: Effort,
}

impl<'p> Translator<'p> {
    /// A translator for formulas over `alphabet`.
    pub fn new(alphabet: &'p Alphabet, effort: Effort, limits: Limits<'p>) -> Self {
        let level = if effort == Effort::Low { Level::Basic } else { Level::Implication };
        Translator {
            guards: Guards::over(alphabet, limits),
            simplifier: Simplifier::new(alphabet, level),
            effort,
        }
    }

    /// An automaton that accepts the words that satisfy `f`.
    pub fn translate(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        let f = self.simplifier.simplify(formulas, f);
        let generalized = self.generalized(formulas, f)?;
        let found = self.finish(generalized.clone(), acceptance)?;
        if self.effort < Effort::High {
            return Ok(found);
        }
        let weak = self.minimal_weak(formulas, f, &generalized, found.state_count())?;
        match weak {
            Some(weak) if weak.state_count() <= found.state_count() => Ok(match acceptance {
                Acceptance::Generalized => minimise_marks(&weak),
                Acceptance::Buchi => weak,
            }),
            _ => Ok(found),
        }
    }

    /// The smallest weak deterministic automaton of a simplified formula, if there is one that is
    /// not larger than an automaton of `size` states, and if it is found with little work.
    fn minimal_weak(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        generalized: &Automaton,
        size: usize,
    ) -> Result<Option<Automaton>, StopReason> {
        let negation = formulas.not(f);
        let negation = self.simplifier.simplify(formulas, negation);
        let limits = Limits {
            states: 32 * size + 64,
            edges: 256 * size + 512,
            labels: 1 << 16,
            ..Limits::default()
        };
        let draft = self.guards.attempt(limits, |guards| tableau(guards, formulas, negation))?;
        let Some(draft) = draft else { return Ok(None) };
        self.guards
            .attempt(limits, |guards| {
                let negation = remove_useless(guards, &draft, Marking::Edges);
                let most = MOST_SUBSETS_PER_STATE * size;
                minimal_weak_deterministic(guards, generalized, &negation, most)
            })
            .map(Option::flatten)
    }

    /// A smaller automaton of the same language, of the wanted kind.
    pub fn reduce(
        &mut self,
        automaton: &Automaton,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        if acceptance == Acceptance::Buchi
            && automaton.acceptance_sets() <= 1
            && automaton.is_state_based()
        {
            let buchi = with_one_set(automaton);
            return reduced(&mut self.guards, &buchi, Marking::States, self.effort == Effort::High);
        }
        let generalized = self.reduce_generalized(automaton)?;
        self.finish(generalized, acceptance)
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
        let simulation = self.effort >= Effort::Medium;
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
        let (guards, high) = (&mut self.guards, self.effort == Effort::High);
        let span = debug_span!("automaton.degeneralize", states = Empty, edges = Empty).entered();
        let orders = if high { Orders::Several } else { Orders::Given };
        let buchi = degeneralize(guards, &generalized, orders)?;
        span.record("states", buchi.state_count());
        span.record("edges", buchi.all_edges().len());
        drop(span);
        reduced(guards, &buchi, Marking::States, high)
    }
}

/// Subset constructions with more sets than this per state of the automaton at hand are given up:
/// their result would hardly be smaller.
const MOST_SUBSETS_PER_STATE: usize = 8;

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

/// Without what is useless, and reduced by direct simulation if wanted.
fn reduced(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
    simulation: bool,
) -> Result<Automaton, StopReason> {
    let states = automaton.state_count();
    let span =
        debug_span!("automaton.reduce", before = states, states = Empty, edges = Empty).entered();
    let mut automaton = remove_useless(guards, automaton, marking);
    if simulation {
        automaton = simulate(guards, automaton, marking)?;
    }
    guards.check()?;
    span.record("states", automaton.state_count());
    span.record("edges", automaton.all_edges().len());
    Ok(automaton)
}
