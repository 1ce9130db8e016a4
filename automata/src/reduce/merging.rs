//! Merges states as long as nothing is accepted that should not be.
//!
//! Giving two states one name, with the edges of both (and, where marks are a matter of states, the
//! marks of both), can only make an automaton accept more: every run remains, with at least its
//! marks. So a merge is right if and only if the result accepts no word of the complement, and an automaton
//! of the complement decides that: their product is empty. No relation between the two states is
//! needed; this finds what simulation cannot see.
//!
//! Most merges are wrong, for few different reasons. The word that shows one to be wrong is kept, and
//! tried on the next ones before a product is built.
//!
//! Invariant: the language stays (given that `complement` is what it says).
//! Cost: a product per pair of states that no known word refutes, within a budget of product edges.

use crate::accepts::accepts;
use crate::automaton::{Automaton, Builder, Marking, Marks, State};
use crate::emptiness::accepted_word;
use crate::guard::Guards;
use crate::limits::{Limits, StopReason};
use crate::product::Product;
use crate::reduce::{Simulation, remove_useless, simulate};
use ltl::word::Lasso;

/// Product edges that may be built for one automaton.
const BUDGET: usize = 1 << 14;
/// Automata with more states are returned as they are.
const MOST_STATES: usize = 64;

/// A smaller automaton of the same language, where `complement` accepts all other words.
pub fn merge_states(
    guards: &mut Guards<'_>,
    automaton: Automaton,
    complement: &Automaton,
    marking: Marking,
) -> Result<Automaton, StopReason> {
    let sets = automaton.acceptance_sets() + complement.acceptance_sets();
    if automaton.state_count() > MOST_STATES || sets as usize > Marks::MOST {
        return Ok(automaton);
    }
    let mut search = Search { complement, refuting: Vec::new(), budget: BUDGET };
    let mut smallest = automaton;
    'again: loop {
        for q in smallest.states() {
            for r in smallest.states().filter(|&r| r > q) {
                let merged = merge(&smallest, q, r, marking);
                if search.is_right(guards, &merged)? {
                    let merged = remove_useless(guards, &merged, marking);
                    smallest = simulate(guards, &merged, marking, Simulation::Both)?;
                    continue 'again;
                }
                if search.budget == 0 {
                    return Ok(smallest);
                }
            }
        }
        return Ok(smallest);
    }
}

struct Search<'c> {
    complement: &'c Automaton,
    /// Words of the complement that wrong merges accepted, the most useful first.
    refuting: Vec<Lasso>,
    budget: usize,
}

impl Search<'_> {
    /// Whether the automaton accepts no word of the complement; false if the budget does not allow to tell.
    fn is_right(
        &mut self,
        guards: &mut Guards<'_>,
        automaton: &Automaton,
    ) -> Result<bool, StopReason> {
        if let Some(at) = self.refuting.iter().position(|word| accepts(guards, automaton, word)) {
            self.refuting[..=at].rotate_right(1);
            return Ok(false);
        }
        let limits = Limits { edges: self.budget, ..Limits::default() };
        let product = guards
            .attempt(limits, |guards| Product::of(guards, automaton, self.complement))?
            .map(|product| product.automaton);
        let Some(product) = product else {
            self.budget = 0;
            return Ok(false);
        };
        self.budget = self.budget.saturating_sub(product.all_edges().len());
        match accepted_word(guards, &product) {
            Some(word) => {
                self.refuting.insert(0, word);
                Ok(false)
            }
            None => Ok(true),
        }
    }
}

/// The automaton with r renamed to q.
fn merge(automaton: &Automaton, q: State, r: State, marking: Marking) -> Automaton {
    let name = |state: State| match state {
        state if state == r => q,
        state if state > r => State(state.0 - 1),
        state => state,
    };
    let mut builder = Builder::new();
    for state in automaton.states().filter(|&state| state != r) {
        let members = if state == q { &[q, r][..] } else { &[state] };
        // Marks of states: those of all members, on all edges. A state without edges has none.
        let common = match marking {
            Marking::Edges => Marks::NONE,
            Marking::States => members
                .iter()
                .flat_map(|&member| automaton.edges(member))
                .fold(Marks::NONE, |marks, edge| marks | edge.marks),
        };
        for &member in members {
            for edge in automaton.edges(member) {
                builder.edge(edge.guard, edge.marks | common, name(edge.target));
            }
        }
        builder.end_state();
    }
    builder.finish(name(automaton.initial()), automaton.acceptance_sets())
}
