//! Removes acceptance sets that ask for nothing new.
//!
//! In the end a run stays in one component, so the sets can be chosen component by component. Inside
//! an accepting component, a set that is on every edge is always met; one that contains another set
//! is met whenever that is. What remains in a component is numbered from 0 on, and all its edges are in
//! the sets that it does not need. A component that is not accepting must have a set that it does
//! not meet: its edges are in none.
//!
//! Invariant: a cycle is accepting before if and only if it is afterwards.

use crate::automaton::{Automaton, Builder, Marks};
use crate::components::Components;

/// The automaton with as few acceptance sets as inclusion between sets allows.
pub fn minimise_marks(automaton: &Automaton) -> Automaton {
    let components = Components::of(automaton);
    let needed: Vec<Vec<u32>> =
        needed_sets(automaton, &components).into_iter().map(|sets| sets.iter().collect()).collect();
    let rejecting = (0..components.count())
        .map(|c| components.facts(c))
        .any(|facts| !facts.trivial && !facts.accepting);
    let sets = needed.iter().map(Vec::len).max().unwrap_or(0).max(usize::from(rejecting)) as u32;
    let mut builder = Builder::new();
    for state in automaton.states() {
        let here = components.component(state);
        for edge in automaton.edges(state) {
            let marks = match here {
                Some(c)
                    if components.facts(c).accepting && components.together(state, edge.target) =>
                {
                    let missing = (0..).zip(&needed[c]).filter(|&(_, &old)| !edge.marks.has(old));
                    missing.fold(Marks::first(sets), |marks, (new, _)| marks - Marks::one(new))
                }
                _ => Marks::NONE,
            };
            builder.edge(edge.guard, marks, edge.target);
        }
        builder.end_state();
    }
    builder.finish(automaton.initial(), sets)
}

/// Per component, the sets that no other set makes superfluous.
fn needed_sets(automaton: &Automaton, components: &Components) -> Vec<Marks> {
    let sets = automaton.acceptance_sets();
    // implied[c][j]: the sets that contain set j, by the edges inside c.
    let mut implied = vec![vec![Marks::first(sets); sets as usize]; components.count()];
    for state in automaton.states() {
        let Some(here) = components.component(state) else { continue };
        for edge in automaton.edges(state).iter().filter(|e| components.together(state, e.target)) {
            for set in edge.marks.iter() {
                let implied = &mut implied[here][set as usize];
                *implied = *implied & edge.marks;
            }
        }
    }
    (0..components.count())
        .map(|c| {
            let facts = components.facts(c);
            if !facts.accepting {
                return Marks::NONE;
            }
            let mut needed = Marks::first(sets) - facts.common_marks;
            for i in 0..sets {
                let contains = |j: u32| j != i && needed.has(j) && implied[c][j as usize].has(i);
                if needed.has(i) && (0..sets).any(contains) {
                    needed = needed - Marks::one(i);
                }
            }
            needed
        })
        .collect()
}
