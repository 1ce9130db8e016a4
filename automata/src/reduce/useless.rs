//! Removes what no accepting run uses.
//!
//! A run is accepting through the one component in which it stays in the end. So states from which
//! no accepting component can be reached go, and marks outside accepting components mean nothing:
//! they are taken away, which makes more edges and states look equal. Edges that differ in their
//! label only become one.
//!
//! What remains is numbered in breadth-first order from the initial state, which always stays.
//! Keeps the language; and, where marks are a matter of states, that all edges of a state have the
//! same. Linear.

use crate::automaton::{Automaton, Builder, Edge, Marking, Marks, State};
use crate::components::Components;
use crate::guard::Guards;

/// The automaton without useless states, edges and marks.
pub fn remove_useless(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
) -> Automaton {
    let components = Components::of(automaton);
    let mut new_name = vec![u32::MAX; automaton.state_count()];
    let mut order = vec![automaton.initial()];
    new_name[automaton.initial().index()] = 0;
    let mut builder = Builder::new();
    let mut kept: Vec<Edge> = Vec::new();
    let mut next = 0;
    while next < order.len() {
        let state = order[next];
        kept.clear();
        for edge in automaton.edges(state).iter().filter(|edge| components.is_useful(edge.target)) {
            let name = &mut new_name[edge.target.index()];
            if *name == u32::MAX {
                *name = order.len() as u32;
                order.push(edge.target);
            }
            let inside = (marking == Marking::States || components.together(state, edge.target))
                && components.facts_of(state).is_some_and(|facts| facts.accepting);
            let marks = if inside { edge.marks } else { Marks::NONE };
            add_edge(guards, &mut kept, Edge { target: State(*name), marks, guard: edge.guard });
        }
        for edge in &kept {
            builder.edge(edge.guard, edge.marks, edge.target);
        }
        builder.end_state();
        next += 1;
    }
    // With no acceptance sets, every cycle accepts; here every cycle that remains did before.
    builder.finish(State(0), automaton.acceptance_sets())
}

/// Adds an edge of one state, joining it with one of the same target and marks.
pub(crate) fn add_edge(guards: &mut Guards<'_>, edges: &mut Vec<Edge>, edge: Edge) {
    match edges.iter_mut().find(|e| (e.target, e.marks) == (edge.target, edge.marks)) {
        Some(same) => same.guard = guards.or(same.guard, edge.guard),
        None => edges.push(edge),
    }
}
