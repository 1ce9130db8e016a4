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
    let positions = letters.len();
    let pair = |state: State, position: usize| State((state.index() * positions + position) as u32);
    let mut runs = Builder::new();
    for state in automaton.states() {
        for (position, letter) in letters.iter().enumerate() {
            let next = word.successor(position);
            for edge in automaton.edges(state) {
                if guards.evaluate(edge.guard, |variable| letter.has(Atom(variable))) {
                    runs.edge(Guard::TRUE, edge.marks, pair(edge.target, next));
                }
            }
            runs.end_state();
        }
    }
    let runs = runs.finish(pair(automaton.initial(), 0), automaton.acceptance_sets());
    Components::of(&runs).is_useful(runs.initial())
}
