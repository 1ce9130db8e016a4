//! Whether an automaton accepts anything at all, and if so, a short word that it accepts.
//!
//! The language is not empty if and only if an accepting component can be reached. The word found
//! goes the shortest way to the nearest accepting component, and from there infinitely often to the
//! nearest edge with a mark that is still missing, and back.

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::components::Components;
use crate::guard::Guards;
use ltl::Atom;
use ltl::word::{Lasso, Letter};
use std::collections::VecDeque;

/// Whether the automaton accepts no word.
pub fn is_empty(automaton: &Automaton) -> bool {
    !Components::of(automaton).is_useful(automaton.initial())
}

/// A word that the automaton accepts, if there is one.
pub fn accepted_word(guards: &Guards<'_>, automaton: &Automaton) -> Option<Lasso> {
    let (stem, cycle) = accepting_lasso(automaton)?;
    let letters = |edges: Vec<Edge>| edges.iter().map(|edge| letter(guards, edge)).collect();
    Lasso::new(letters(stem), letters(cycle))
}

/// The edges of an accepting run, if there is one: those that it takes once, from the initial state on, and then
/// those that it takes infinitely often, at least one.
pub(crate) fn accepting_lasso(automaton: &Automaton) -> Option<(Vec<Edge>, Vec<Edge>)> {
    let components = Components::of(automaton);
    if !components.is_useful(automaton.initial()) {
        return None;
    }
    let accepting = |q: State| components.facts_of(q).is_some_and(|facts| facts.accepting);
    let (stem, entry) = if accepting(automaton.initial()) {
        (Vec::new(), automaton.initial())
    } else {
        path(automaton, automaton.initial(), |_, edge| accepting(edge.target), |_| true)
            .expect("an accepting component can be reached")
    };
    let inside = |q: State| components.together(entry, q);
    let (mut cycle, mut at, mut seen) = (Vec::new(), entry, Marks::NONE);
    while !seen.contains(automaton.all_marks()) {
        let missing = automaton.all_marks() - seen;
        let useful = |_, edge: &Edge| !(edge.marks & missing).is_empty() && inside(edge.target);
        let (part, end) = path(automaton, at, useful, inside)
            .expect("all marks are on edges inside an accepting component");
        seen = part.iter().fold(seen, |marks, edge| marks | edge.marks);
        cycle.extend(part);
        at = end;
    }
    if at != entry || cycle.is_empty() {
        let (part, _) = path(automaton, at, |_, edge| edge.target == entry, inside)
            .expect("components are strongly connected");
        cycle.extend(part);
    }
    Some((stem, cycle))
}

/// A letter that the edge reads. Atoms that its label leaves open are false.
fn letter(guards: &Guards<'_>, edge: &Edge) -> Letter {
    let mut letter = Letter::default();
    for (variable, sign) in guards.witness(edge.guard).expect("no edge has the label `false`") {
        letter.set(Atom(variable), sign);
    }
    letter
}

/// The shortest path of at least one edge from a state, through states that may be used, whose last edge is wanted.
fn path(
    automaton: &Automaton,
    from: State,
    wanted: impl Fn(State, &Edge) -> bool,
    usable: impl Fn(State) -> bool,
) -> Option<(Vec<Edge>, State)> {
    // The edge by which a state was first reached, and from where.
    let mut reached: Vec<Option<(State, Edge)>> = vec![None; automaton.state_count()];
    let mut open = VecDeque::from([from]);
    while let Some(state) = open.pop_front() {
        for edge in automaton.edges(state) {
            if wanted(state, edge) {
                let (mut edges, mut at) = (vec![*edge], state);
                while at != from {
                    let (before, edge) = reached[at.index()].expect("on the way");
                    edges.push(edge);
                    at = before;
                }
                edges.reverse();
                return Some((edges, edge.target));
            }
            if usable(edge.target) && edge.target != from && reached[edge.target.index()].is_none()
            {
                reached[edge.target.index()] = Some((state, *edge));
                open.push_back(edge.target);
            }
        }
    }
    None
}
