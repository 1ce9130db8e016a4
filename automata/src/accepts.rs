//! Whether an automaton accepts a lasso word, by the definition of acceptance: the oracle of all
//! constructions on automata.
//!
//! The word stem cycle^ω has finitely many positions (those of the cycle come again). A run is a path
//! through pairs (state, position); it is accepting if it can stay in a strongly connected set of
//! pairs whose edges carry all marks.

use crate::automaton::{Automaton, Builder, Edge, State};
use crate::components::Components;
use crate::emptiness::accepting_lasso;
use crate::guard::{Guard, Guards};
use ltl::Atom;
use ltl::word::Lasso;
use run::poll::poll;

/// Whether `automaton` accepts `word`.
pub fn accepts(guards: &Guards<'_>, automaton: &Automaton, word: &Lasso) -> bool {
    let (runs, _) = runs_on(guards, automaton, word, || ());
    Components::of(&runs).is_useful(runs.initial())
}

/// An infinite run of an automaton: the states in which it reads one letter after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateLasso {
    /// Those that come once.
    pub stem: Vec<State>,
    /// Those that come infinitely often; not empty. It is as long as some rounds of the word's cycle together.
    pub cycle: Vec<State>,
}

/// A run by which `automaton` accepts `word`, if it does. It polls: words may be long.
pub fn accepting_run(
    guards: &Guards<'_>,
    automaton: &Automaton,
    word: &Lasso,
) -> Option<StateLasso> {
    let (runs, pairs) = runs_on(guards, automaton, word, poll);
    let (stem, cycle) = accepting_lasso(&runs)?;
    let entry = stem.last().map_or(runs.initial(), |edge| edge.target);
    let states = |first: State, edges: &[Edge]| {
        let before = edges.iter().scan(first, |at, edge| Some(std::mem::replace(at, edge.target)));
        before.map(|at| pairs[at.index()].0).collect()
    };
    Some(StateLasso { stem: states(runs.initial(), &stem), cycle: states(entry, &cycle) })
}

/// The runs of an automaton on a word, as an automaton: its states are pairs of a state and a position that can be
/// reached, in the order of the list.
fn runs_on(
    guards: &Guards<'_>,
    automaton: &Automaton,
    word: &Lasso,
    mut count: impl FnMut(),
) -> (Automaton, Vec<(State, usize)>) {
    let letters = word.letters();
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
        count();
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
    (runs.finish(initial, automaton.acceptance_sets()), pairs)
}
