//! "Again and again": the automaton of `G F g` from one of `F g`, for a guarantee g.
//!
//! A guarantee is satisfied by a finite prefix: an automaton of `F g` can be *terminal*, i.e. all
//! its accepting runs end in one state that accepts everything. A word satisfies `G F g` if and only if
//! it is u₁u₂u₃... where each uᵢ leads an automaton of `F g` from its initial to its last state: whenever g
//! was seen, wait for it anew. So the edges into the last state are led to the initial one, and marked.
//! It does not matter that the automaton is not deterministic.
//!
//! The tableau would keep every g that may have begun in mind at once; here it is one at a time. `G F (a <-> X X X
//! b)` has 7 states instead of 27.

use crate::automaton::{Automaton, Builder, Marks, State};
use crate::components::Components;
use crate::guard::Guards;

/// The automaton of `G F g`, if `finally` is a terminal automaton of `F g`.
pub fn again_and_again(guards: &Guards<'_>, finally: &Automaton) -> Option<Automaton> {
    let last = last_state(guards, finally)?;
    if last == finally.initial() {
        return None;
    }
    let name = |state: State| if state > last { State(state.0 - 1) } else { state };
    let mut builder = Builder::new();
    for state in finally.states().filter(|&state| state != last) {
        for edge in finally.edges(state) {
            if edge.target == last {
                builder.edge(edge.guard, Marks::one(0), name(finally.initial()));
            } else {
                builder.edge(edge.guard, Marks::NONE, name(edge.target));
            }
        }
        builder.end_state();
    }
    Some(builder.finish(name(finally.initial()), 1))
}

/// The state that accepts everything, if all accepting runs end in it.
fn last_state(guards: &Guards<'_>, automaton: &Automaton) -> Option<State> {
    let components = Components::of(automaton);
    let accepting = |&q: &State| components.facts_of(q).is_some_and(|facts| facts.accepting);
    let mut accepting = automaton.states().filter(accepting);
    let last = accepting.next()?;
    let loops = |state: State| match automaton.edges(state) {
        [edge] => edge.target == state && edge.guard == guards.possible(),
        _ => false,
    };
    (accepting.next().is_none() && loops(last)).then_some(last)
}
