//! Obligations: the smallest weak deterministic automaton, if there is one.
//!
//! A language is an obligation (a Boolean combination of safety properties) if and only if some
//! deterministic automaton recognises it in which all cycles of a component are accepting or none is. Then its
//! subset construction D is already such an automaton, with the right components accepting
//! ([`DEK07`]): words that lead to one set have the same continuations, and on these a component
//! cannot change its mind.
//!
//! ```text
//! (1)  D := subset construction, made complete
//! (2)  yes(C): D beside the automaton has an accepting cycle above component C
//!      no(C):  D beside the automaton of the complement has
//!      both for some C: not an obligation
//! (3)  colour(C) := the least number, not below those of the components that C leads to, that is
//!      even if yes(C), odd if no(C), any if C is trivial
//! (4)  merge states of D with equal colours and, for each letter, merged successors
//! ```
//!
//! (2) makes the result exact by itself: every word stays in some C in the end, and belongs to the language if
//! yes(C), to the complement if no(C). (3) and (4) are [`LOE01`]: the colour depends on the
//! language from a state on only, so the smallest automaton is the one of (4).
//!
//! Cost: the subset construction is given up at `most` sets.

use crate::automaton::{Automaton, Builder, Marking, Marks, State};
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
#[allow(unused_imports, reason = "named in the documentation")]
use crate::papers::{DEK07, LOE01};
use crate::product::Product;
use crate::reduce::useless::remove_useless;
use crate::subsets::Subsets;
use hashbrown::HashMap;

/// The smallest weak deterministic automaton of the language of `yes`, whose complement is `no`;
/// `None` if there is none, or if it would need more than `most` sets of states on the way.
///
/// The result has one acceptance set, is state-based, and has no useless states.
pub fn minimal_weak_deterministic(
    guards: &mut Guards<'_>,
    yes: &Automaton,
    no: &Automaton,
    most: usize,
) -> Result<Option<Automaton>, StopReason> {
    let Some(subsets) = subset_automaton(guards, yes, most)? else { return Ok(None) }; // (1)
    let components = Components::of(&subsets);
    let accepts = components_above(guards, &subsets, &components, yes)?;
    let rejects = components_above(guards, &subsets, &components, no)?;
    if accepts.iter().zip(&rejects).any(|(yes, no)| *yes && *no) {
        return Ok(None); // (2)
    }
    let colours = colours(&subsets, &components, &accepts);
    let minimal = merge(guards, &subsets, &colours)?;
    Ok(Some(remove_useless(guards, &minimal, Marking::States)))
}

/// The subset construction as a complete deterministic automaton without acceptance sets: letters
/// that lead nowhere lead to a last state that is never left.
fn subset_automaton(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    most: usize,
) -> Result<Option<Automaton>, StopReason> {
    let (mut subsets, first) = Subsets::new(automaton);
    let mut lists: Vec<Vec<(Guard, usize)>> = Vec::new();
    while lists.len() < subsets.count() {
        if subsets.count() > most {
            return Ok(None);
        }
        let steps = subsets.steps(guards, lists.len()).to_vec();
        guards.check()?;
        lists.push(steps);
    }
    let sink = State(lists.len() as u32);
    let mut builder = Builder::new();
    let mut complete = true;
    for steps in lists {
        let mut rest = guards.possible();
        for (letters, successor) in steps {
            builder.edge(letters, Marks::NONE, State(successor as u32));
            rest = guards.without(rest, letters);
        }
        complete &= rest == Guard::FALSE;
        builder.edge(rest, Marks::NONE, sink);
        builder.end_state();
    }
    if !complete {
        builder.edge(guards.possible(), Marks::NONE, sink);
        builder.end_state();
    }
    Ok(Some(builder.finish(State(first as u32), 0)))
}

/// For each component of `subsets`, whether the product with `automaton` has an accepting
/// component above it.
fn components_above(
    guards: &mut Guards<'_>,
    subsets: &Automaton,
    components: &Components,
    automaton: &Automaton,
) -> Result<Vec<bool>, StopReason> {
    let Product { automaton: product, pairs } = Product::of(guards, subsets, automaton)?;
    let above = Components::of(&product);
    let mut found = vec![false; components.count()];
    for state in product.states() {
        if above.facts_of(state).is_some_and(|facts| facts.accepting) {
            let below = components.component(pairs[state.index()].0);
            found[below.expect("below a reachable pair")] = true;
        }
    }
    Ok(found)
}

/// (3), for each state. Components are numbered so that successors come first.
fn colours(subsets: &Automaton, components: &Components, accepts: &[bool]) -> Vec<u32> {
    let mut order: Vec<State> = subsets.states().collect();
    order.sort_by_key(|&q| components.component(q));
    let mut colour = vec![0; components.count()];
    for members in order.chunk_by(|&q, &r| components.together(q, r)) {
        let Some(here) = components.component(members[0]) else { continue };
        let edges = members.iter().flat_map(|&q| subsets.edges(q));
        let below = edges.filter_map(|edge| components.component(edge.target));
        let least = below.filter(|&c| c != here).map(|c| colour[c]).max().unwrap_or(0);
        let parity = u32::from(!accepts[here]);
        let fits = components.facts(here).trivial || least % 2 == parity;
        colour[here] = if fits { least } else { least + 1 };
    }
    subsets.states().map(|q| components.component(q).map_or(0, |c| colour[c])).collect()
}

/// (4), by refinement: the signature of a state says which letters lead to which class.
fn merge(
    guards: &mut Guards<'_>,
    subsets: &Automaton,
    colours: &[u32],
) -> Result<Automaton, StopReason> {
    let mut class: Vec<u32> = colours.to_vec();
    let mut count = 0;
    loop {
        let mut number: HashMap<(u32, Guard), u32> = HashMap::new();
        let mut next = Vec::with_capacity(class.len());
        for state in subsets.states() {
            let mut signature = Guard::FALSE;
            for edge in subsets.edges(state) {
                let end = guards.variable(Guards::AUXILIARY + class[edge.target.index()]);
                let step = guards.and(edge.guard, end);
                signature = guards.or(signature, step);
            }
            let fresh = number.len() as u32;
            next.push(*number.entry((class[state.index()], signature)).or_insert(fresh));
        }
        guards.poll()?;
        class = next;
        if number.len() == count {
            break;
        }
        count = number.len();
    }
    let mut first = vec![None; count];
    for state in subsets.states() {
        first[class[state.index()] as usize].get_or_insert(state);
    }
    let mut builder = Builder::new();
    for member in first {
        let member = member.expect("classes are not empty");
        let marks =
            if colours[member.index()].is_multiple_of(2) { Marks::one(0) } else { Marks::NONE };
        for edge in subsets.edges(member) {
            builder.edge(edge.guard, marks, State(class[edge.target.index()]));
        }
        builder.end_state();
    }
    Ok(builder.finish(State(class[subsets.initial().index()]), 1))
}
