//! Other ways to the same language; the smallest result is taken.
//!
//! Each candidate is built within limits that follow from the best one so far: what would grow far
//! beyond it is given up, so that the whole stays within a small multiple of the first translation.

use super::variants::{Form, variant};
use super::{Acceptance, Translator, reduced};
use crate::automaton::{Automaton, Builder, Marking, Marks, State};
use crate::emptiness::is_empty;
use crate::limits::{Limits, StopReason};
use crate::product::Product;
use crate::recurrence::{Terminal, again_and_again};
use crate::reduce::{Simulation, merge_states, minimal_weak_deterministic, minimise_marks};
use crate::tableau::tableau;
use ltl::{Formula, Formulas, Node};
use tracing::debug_span;
use tracing::field::Empty;

/// Subset constructions with more sets than this per state of the automaton at hand are given up:
/// their result would hardly be smaller.
const MOST_SUBSETS_PER_STATE: usize = 8;

impl Translator<'_> {
    /// The smallest automaton of a simplified formula, given the first candidate: as it was before
    /// and after it was brought to the wanted kind of acceptance.
    pub(super) fn best_candidate(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        mut generalized: Automaton,
        mut best: Automaton,
        mut others: Vec<Automaton>,
        acceptance: Acceptance,
    ) -> Result<Automaton, StopReason> {
        if best.state_count() == 1 {
            return Ok(best);
        }
        if self.techniques.variants {
            let mut tried = vec![f];
            for form in [Form::Joined, Form::Split] {
                let written = variant(formulas, f, form);
                let simplified = self.simplifier.simplify(formulas, written);
                for g in [written, simplified] {
                    if tried.contains(&g) {
                        continue;
                    }
                    tried.push(g);
                    others.extend(self.attempt_tableau(formulas, g, &generalized)?);
                }
            }
        }
        let mut seen: Vec<Automaton> = Vec::new();
        for other in others {
            // Different forms often have the same tableau, or the same after a reduction.
            if seen.contains(&other) {
                continue;
            }
            seen.push(other.clone());
            let other = self.reduce_generalized(&other)?;
            if other == generalized || other.state_count() > generalized.state_count() {
                continue;
            }
            let finished = self.finish(other.clone(), acceptance)?;
            if size(&finished) < size(&best) {
                best = finished;
            }
            if size(&other) < size(&generalized) {
                generalized = other;
            }
        }
        if !self.techniques.obligations && !self.techniques.merging {
            return Ok(best);
        }
        let Some(negation) = self.negation(formulas, f, &generalized)? else { return Ok(best) };
        if is_empty(&negation) {
            return Ok(everything(self, acceptance));
        }
        let before = best.state_count();
        let span = debug_span!("automaton.reduce", before, states = Empty, edges = Empty).entered();
        if self.techniques.merging {
            let marking = match acceptance {
                Acceptance::Generalized => Marking::Edges,
                Acceptance::Buchi => Marking::States,
            };
            best = merge_states(&mut self.guards, best, &negation, marking)?;
            if acceptance == Acceptance::Generalized {
                best = minimise_marks(&best);
            }
        }
        // Of two automata of the same size, the deterministic one.
        if self.techniques.obligations
            && let Some(weak) = self.minimal_weak(&generalized, &negation, best.state_count())?
            && weak.state_count() <= best.state_count()
        {
            best = match acceptance {
                Acceptance::Generalized => minimise_marks(&weak),
                Acceptance::Buchi => weak,
            };
        }
        span.record("states", best.state_count());
        span.record("edges", best.all_edges().len());
        Ok(best)
    }

    /// The tableau of a formula, if it does not grow far beyond an automaton that is there already.
    pub(super) fn attempt_tableau(
        &mut self,
        formulas: &Formulas,
        f: Formula,
        found: &Automaton,
    ) -> Result<Option<Automaton>, StopReason> {
        let span = debug_span!("automaton.translate", states = Empty, edges = Empty).entered();
        let draft =
            self.guards.attempt(limits_for(found), |guards| tableau(guards, formulas, f))?;
        if let Some(draft) = &draft {
            span.record("states", draft.state_count());
            span.record("edges", draft.all_edges().len());
        }
        Ok(draft)
    }

    /// The product of an automaton for the conjuncts `G F g`, g a guarantee with temporal operators, and
    /// one for the rest; `None` if there is no such conjunct, or if it is not wanted.
    pub(super) fn with_recurrences(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
    ) -> Result<Option<Automaton>, StopReason> {
        if !self.techniques.recurrences {
            return Ok(None);
        }
        let (mut recurrent, mut rest) = (Vec::new(), Vec::new());
        for conjunct in conjuncts(formulas, f) {
            match recurrent_guarantee(formulas, conjunct) {
                Some(finally) => recurrent.push((finally, conjunct)),
                None => rest.push(conjunct),
            }
        }
        if recurrent.is_empty() {
            return Ok(None);
        }
        let mut terminal = Vec::new();
        for (finally, conjunct) in recurrent {
            let automaton = self.generalized(formulas, finally)?;
            match Terminal::new(&self.guards, automaton) {
                Some(part) => terminal.push(part),
                None => rest.push(conjunct),
            }
        }
        if terminal.is_empty() {
            return Ok(None);
        }
        let again = again_and_again(&terminal);
        if rest.is_empty() {
            return Ok(Some(again));
        }
        let again = self.reduce_generalized(&again)?;
        let rest = formulas.and(rest);
        let rest = self.simplifier.simplify(formulas, rest);
        let rest = self.generalized(formulas, rest)?;
        Ok(Some(Product::of(&mut self.guards, &again, &rest)?.automaton))
    }

    /// An automaton of the negation of a simplified formula, if it is found with little work.
    fn negation(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        found: &Automaton,
    ) -> Result<Option<Automaton>, StopReason> {
        let negation = formulas.not(f);
        let negation = self.simplifier.simplify(formulas, negation);
        let draft = self.attempt_tableau(formulas, negation, found)?;
        draft
            .map(|draft| reduced(&mut self.guards, &draft, Marking::Edges, Simulation::Direct))
            .transpose()
    }

    /// The smallest weak deterministic automaton of the language of `generalized`, if there is one that
    /// is not much larger than an automaton of `size` states, and if it is found with little work.
    fn minimal_weak(
        &mut self,
        generalized: &Automaton,
        negation: &Automaton,
        size: usize,
    ) -> Result<Option<Automaton>, StopReason> {
        let most = MOST_SUBSETS_PER_STATE * size;
        let limits = limits_for(generalized);
        self.guards
            .attempt(limits, |guards| {
                minimal_weak_deterministic(guards, generalized, negation, most)
            })
            .map(Option::flatten)
    }
}

/// What a candidate may use: a good deal more than an automaton that is there already.
fn limits_for(found: &Automaton) -> Limits<'static> {
    let size = found.state_count() + found.all_edges().len();
    Limits { states: 16 * size + 64, edges: 64 * size + 512, labels: 1 << 16, ..Limits::default() }
}

fn size(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.all_edges().len())
}

/// The automaton that accepts every word.
fn everything(translator: &Translator<'_>, acceptance: Acceptance) -> Automaton {
    let mut builder = Builder::new();
    let sets = u32::from(acceptance == Acceptance::Buchi);
    builder.edge(translator.guards.possible(), Marks::first(sets), State(0));
    builder.end_state();
    builder.finish(State(0), sets)
}

/// The conjuncts of a formula, `G` being distributed over `&`.
fn conjuncts(formulas: &mut Formulas, f: Formula) -> Vec<Formula> {
    let (operands, under_globally) = match formulas.node(f) {
        Node::And(operands) => (operands.to_vec(), false),
        Node::Globally(g) => match formulas.node(g) {
            Node::And(operands) => (operands.to_vec(), true),
            _ => return vec![f],
        },
        _ => return vec![f],
    };
    let mut all = Vec::new();
    for operand in operands {
        let operand = if under_globally { formulas.globally(operand) } else { operand };
        all.extend(conjuncts(formulas, operand));
    }
    all
}

/// For `G F g` with a guarantee g that is no Boolean formula, `F g`.
fn recurrent_guarantee(formulas: &Formulas, f: Formula) -> Option<Formula> {
    let Node::Globally(finally) = formulas.node(f) else { return None };
    let Node::Finally(g) = formulas.node(finally) else { return None };
    let traits = formulas.traits(g);
    (traits.is_guarantee() && !traits.is_boolean()).then_some(finally)
}
