//! Whether an automaton accepts a lasso word, by the definition of acceptance: the oracle of all
//! constructions on automata.
//!
//! The word stem cycle^ω has finitely many positions (those of the cycle come again). A run is a path
//! through pairs (state, position); it is accepting if it can stay in a strongly connected set of
//! pairs whose edges carry all marks.

use crate::automaton::{Automaton, Builder, State};
use crate::components::Components;
use crate::guard::{Guard, Guards};
use ltl::Atom;
use ltl::word::Lasso;

/// Whether `automaton` accepts `word`.
pub fn accepts(guards: &Guards<'_>, automaton: &Automaton, word: &Lasso) -> bool {
    let letters = word.letters();
    // The pairs that can be reached, in order, and the number of each.
    let mut number = vec![u32::MAX; automaton.state_count() * letters.len()];
    let mut pairs: Vec<(State, usize)> = Vec::new();
    let mut visit = |pairs: &mut Vec<(State, usize)>, state: State, position: usize| {
        let number = &mut number[state.index() * letters.len() + position];
        if *number == u32::MAX {
            *number = pairs.len() as u32;
            pairs.push((state, position));
        }
        State(*number)
    };
    let initial = visit(&mut pairs, automaton.initial(), 0);
    let mut runs = Builder::new();
    let mut next = 0;
    while next < pairs.len() {
        let (state, position) = pairs[next];
        let letter = &letters[position];
        for edge in automaton.edges(state) {
            if guards.evaluate(edge.guard, |variable| letter.has(Atom(variable))) {
                let target = visit(&mut pairs, edge.target, word.successor(position));
                runs.edge(Guard::TRUE, edge.marks, target);
            }
        }
        runs.end_state();
        next += 1;
    }
    let runs = runs.finish(initial, automaton.acceptance_sets());
    Components::of(&runs).is_useful(runs.initial())
}
