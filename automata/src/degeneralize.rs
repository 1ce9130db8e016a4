//! From a generalized Büchi automaton to a state-based one with a single acceptance set.
//!
//! The classical construction copies each state for levels 0..k, for k acceptance sets in some order: level
//! l means that the sets before the l-th were met since the last visit to level k. States of level k
//! are accepting, and go on as level 0. Every trick below keeps the language:
//!
//! * **Level skipping** ([`GO01`]): one edge advances over all next sets that it is in; and on arrival in a
//!   state, over those that all its edges inside the component are in. (An edge may then count for
//!   two rounds, but for no more: infinitely many rounds still need infinitely many such edges.)
//! * **Levels belong to a component.** A run stays in one component in the end, so levels are needed
//!   in accepting components only, the order of the sets may differ between them, and a run may
//!   enter at any level.
//! * **One terminal part.** The copies of a component form a graph of their own. A part of it that
//!   cannot be left (by edges inside the component) has a copy of every state, because levels do not restrict
//!   what can be read. The smallest such part, over the orders that are tried, is used, and runs enter there.
//!
//! Result: one acceptance set; the edges that leave a state all have its mark or none has.

use crate::automaton::{Automaton, Builder, Edge, Marks, State};
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
#[allow(unused_imports, reason = "named in the documentation")]
use crate::papers::GO01;
use hashbrown::HashMap;

/// How many orders of the acceptance sets are tried per component, at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orders {
    /// The given order only.
    Given,
    /// All of them while there are few sets and few states; else the given one.
    Several,
}

/// With more sets than this, not all orders are tried.
const MOST_ORDERED: u32 = 4;
/// With more copies than this, not all orders are tried.
const MOST_COPIES: usize = 512;

/// A state-based Büchi automaton of the same language.
pub fn degeneralize(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    orders: Orders,
) -> Result<Automaton, StopReason> {
    let components = Components::of(automaton);
    let mut ladders = Vec::with_capacity(components.count());
    for component in 0..components.count() {
        let accepting = components.facts(component).accepting;
        ladders.push(accepting.then(|| Ladder::best(automaton, &components, component, orders)));
        guards.poll()?;
    }
    let ladder = |state: State| components.component(state).and_then(|c| ladders[c].as_ref());
    let entry = |state: State| (state, ladder(state).map_or(0, |ladder| ladder.entry[&state]));

    let mut name: HashMap<Copy, State> = HashMap::new();
    let mut copies = vec![entry(automaton.initial())];
    name.insert(copies[0], State(0));
    let mut builder = Builder::new();
    let mut next = 0;
    while next < copies.len() {
        let (state, level) = copies[next];
        let here = ladder(state);
        let accepting = here.is_some_and(|ladder| level == ladder.top());
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        for edge in automaton.edges(state) {
            let copy = match here {
                Some(ladder) if components.together(state, edge.target) => {
                    (edge.target, ladder.after(level, edge))
                }
                _ => entry(edge.target),
            };
            let target = *name.entry(copy).or_insert_with(|| {
                copies.push(copy);
                State(copies.len() as u32 - 1)
            });
            builder.edge(edge.guard, marks, target);
        }
        builder.end_state();
        guards.check_size(copies.len(), builder.edge_count())?;
        tracing::trace!(target: "progress", states = copies.len(), edges = builder.edge_count());
        next += 1;
    }
    Ok(builder.finish(State(0), 1))
}

/// A state and its level; 0 outside accepting components.
type Copy = (State, u32);

/// The levels of one accepting component.
struct Ladder {
    /// The acceptance sets, in the order in which they are to be met.
    order: Vec<u32>,
    /// For each state, the marks that all its edges inside the component carry.
    common: HashMap<State, Marks>,
    /// For each state, the level at which it is entered: one in the terminal part.
    entry: HashMap<State, u32>,
    /// How many copies the terminal part has.
    size: u32,
}

impl Ladder {
    /// The ladder with the smallest terminal part among those tried.
    fn best(
        automaton: &Automaton,
        components: &Components,
        component: usize,
        orders: Orders,
    ) -> Ladder {
        let members = automaton.states().filter(|&q| components.component(q) == Some(component));
        let common: HashMap<State, Marks> = members
            .map(|q| {
                let inside = automaton.edges(q).iter().filter(|e| components.together(q, e.target));
                (q, inside.fold(automaton.all_marks(), |marks, edge| marks & edge.marks))
            })
            .collect();
        let first = *common.keys().min().expect("components are not empty");
        let sets = automaton.acceptance_sets();
        let few = sets <= MOST_ORDERED && common.len() * (sets as usize + 1) <= MOST_COPIES;
        let mut order: Vec<u32> = (0..sets).collect();
        let mut ladder =
            Ladder { order: order.clone(), common, entry: HashMap::new(), size: u32::MAX };
        loop {
            for level in 0..=sets {
                ladder.try_from(automaton, components, (first, level), &order);
            }
            if orders == Orders::Given || !few || !next_permutation(&mut order) {
                return ladder;
            }
        }
    }

    fn top(&self) -> u32 {
        self.order.len() as u32
    }

    /// The level after an edge inside the component.
    fn after(&self, level: u32, edge: &Edge) -> u32 {
        level_after(&self.order, level, edge.marks, self.common[&edge.target])
    }

    /// Looks at a terminal part that can be reached from `start`; keeps it if it is the smallest so far.
    fn try_from(
        &mut self,
        automaton: &Automaton,
        components: &Components,
        start: Copy,
        order: &[u32],
    ) {
        let mut name: HashMap<Copy, State> = HashMap::new();
        let mut copies = vec![start];
        name.insert(start, State(0));
        let mut graph = Builder::new();
        let mut next = 0;
        while next < copies.len() {
            let (state, level) = copies[next];
            for edge in automaton.edges(state) {
                if components.together(state, edge.target) {
                    let common = self.common[&edge.target];
                    let copy = (edge.target, level_after(order, level, edge.marks, common));
                    let target = *name.entry(copy).or_insert_with(|| {
                        copies.push(copy);
                        State(copies.len() as u32 - 1)
                    });
                    graph.edge(Guard::TRUE, Marks::NONE, target);
                }
            }
            graph.end_state();
            next += 1;
        }
        let graph = Components::of(&graph.finish(State(0), 0));
        // Edges lead to components of the same or a smaller number: the first cannot be left.
        let size = graph.facts(0).size;
        if size < self.size {
            self.size = size;
            self.order = order.to_vec();
            self.entry.clear();
            for (&(state, level), &copy) in &name {
                if graph.component(copy) == Some(0) {
                    let entry = self.entry.entry(state).or_insert(level);
                    *entry = level.max(*entry);
                }
            }
        }
    }
}

/// The level after an edge with these marks into a state whose edges all have the `common` ones.
fn level_after(order: &[u32], level: u32, marks: Marks, common: Marks) -> u32 {
    let met = |level: &usize, marks: Marks| *level < order.len() && marks.has(order[*level]);
    let mut level = if level as usize == order.len() { 0 } else { level as usize };
    while met(&level, marks) {
        level += 1;
    }
    while met(&level, common) {
        level += 1;
    }
    level as u32
}

/// The next permutation in lexicographic order; false after the last.
fn next_permutation(order: &mut [u32]) -> bool {
    let Some(pivot) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = order.iter().rposition(|&set| set > order[pivot]).expect("the next one is larger");
    order.swap(pivot, larger);
    order[pivot + 1..].reverse();
    true
}
