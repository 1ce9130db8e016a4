//! Strongly connected components of an automaton and what they say about acceptance.
//!
//! Found by Tarjan's algorithm ([`TAR72`](crate::papers::TAR72)), without recursion. Components are numbered in the order in
//! which they are completed, which is a reverse topological order: **an edge leads to a component
//! of the same or a smaller number.**
//!
//! A component is *trivial* if it has no edge inside. It is *accepting* if the edges inside carry
//! all marks: then the run that takes all of them forever is accepting. (With marks on edges and
//! only "infinitely often" conditions, this is exact.)

use crate::automaton::{Automaton, Marks, State};

/// The components of the states that can be reached from the initial one.
#[derive(Clone, Debug)]
pub struct Components {
    /// For each state its component, or `NONE` if it cannot be reached.
    component: Vec<u32>,
    facts: Vec<Facts>,
}

/// What is known of one component.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Whether there is no edge inside.
    pub trivial: bool,
    /// The marks that some edge inside carries.
    pub some_marks: Marks,
    /// The marks that all edges inside carry; all marks for a trivial component.
    pub common_marks: Marks,
    /// Whether an accepting run can stay inside.
    pub accepting: bool,
    /// Whether an accepting component can be reached from it (itself included).
    pub useful: bool,
    /// How many states it has.
    pub size: u32,
}

impl Facts {
    /// Whether all runs that stay inside are accepting, or none is, as far as a look at the marks
    /// tells: all edges inside carry all marks, or some mark is on none.
    pub const fn is_weak(&self) -> bool {
        self.trivial || !self.accepting || self.common_marks.0 == self.some_marks.0
    }
}

const NONE: u32 = u32::MAX;

impl Components {
    /// The components of `automaton`.
    pub fn of(automaton: &Automaton) -> Components {
        let (mut components, order) = search(automaton);
        components.describe(automaton, &order);
        components
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.facts.len()
    }

    /// The component of a state; `None` if the state cannot be reached.
    pub fn component(&self, state: State) -> Option<usize> {
        let component = self.component[state.index()];
        (component != NONE).then_some(component as usize)
    }

    /// What is known of a component.
    pub fn facts(&self, component: usize) -> &Facts {
        &self.facts[component]
    }

    /// What is known of a state's component, if the state can be reached.
    pub fn facts_of(&self, state: State) -> Option<&Facts> {
        self.component(state).map(|component| &self.facts[component])
    }

    /// Whether both states can be reached and lie in one component.
    pub fn together(&self, q: State, r: State) -> bool {
        self.component[q.index()] == self.component[r.index()] && self.component[q.index()] != NONE
    }

    /// Whether an accepting run can start in the state.
    pub fn is_useful(&self, state: State) -> bool {
        self.facts_of(state).is_some_and(|facts| facts.useful)
    }

    /// Fills in the facts, components of smaller number first.
    fn describe(&mut self, automaton: &Automaton, order: &[State]) {
        let all = automaton.all_marks();
        for state in automaton.states() {
            let Some(here) = self.component(state) else { continue };
            for edge in automaton.edges(state) {
                if self.together(state, edge.target) {
                    let facts = &mut self.facts[here];
                    facts.trivial = false;
                    facts.some_marks = facts.some_marks | edge.marks;
                    facts.common_marks = facts.common_marks & edge.marks;
                }
            }
            self.facts[here].size += 1;
        }
        for facts in &mut self.facts {
            facts.accepting = !facts.trivial && facts.some_marks.contains(all);
            facts.useful = facts.accepting;
        }
        // Successors have smaller numbers: one pass over the components in order is enough.
        for &state in order {
            let useful = automaton.edges(state).iter().any(|edge| self.is_useful(edge.target));
            self.facts[self.component[state.index()] as usize].useful |= useful;
        }
    }
}

/// The components, and the states in the order of their components.
fn search(automaton: &Automaton) -> (Components, Vec<State>) {
    let count = automaton.state_count();
    let mut components = Components { component: vec![NONE; count], facts: Vec::new() };
    let blank = Facts {
        trivial: true,
        some_marks: Marks::NONE,
        common_marks: automaton.all_marks(),
        accepting: false,
        useful: false,
        size: 0,
    };
    // Visit numbers from 1; 0 means not visited. `low` is the smallest known to be reachable.
    let mut number = vec![0u32; count];
    let mut low = vec![0u32; count];
    let mut visited = 0;
    // Visited states without a component yet, in order of visit.
    let mut open: Vec<State> = Vec::new();
    let mut order: Vec<State> = Vec::with_capacity(count);
    // The path of the search: a state and its next edge.
    let mut path: Vec<(State, usize)> = Vec::new();
    let mut enter = Some(automaton.initial());
    loop {
        if let Some(state) = enter.take() {
            visited += 1;
            number[state.index()] = visited;
            low[state.index()] = visited;
            open.push(state);
            path.push((state, automaton.edge_range(state).start));
        }
        let Some((state, next)) = path.last_mut() else { return (components, order) };
        let state = *state;
        if *next < automaton.edge_range(state).end {
            let target = automaton.all_edges()[*next].target;
            *next += 1;
            if number[target.index()] == 0 {
                enter = Some(target);
            } else if components.component[target.index()] == NONE {
                low[state.index()] = low[state.index()].min(number[target.index()]);
            }
            continue;
        }
        path.pop();
        if let Some(&(parent, _)) = path.last() {
            low[parent.index()] = low[parent.index()].min(low[state.index()]);
        }
        if low[state.index()] == number[state.index()] {
            let id = components.facts.len() as u32;
            components.facts.push(blank);
            while let Some(member) = open.pop() {
                components.component[member.index()] = id;
                order.push(member);
                if member == state {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Builder;
    use crate::guard::Guard;

    /// All graphs of three states, with a mark on the edges out of state 0, against reachability.
    #[test]
    fn components_are_mutual_reachability() {
        for graph in 0..512u32 {
            let edge = |q: u32, r: u32| graph >> (3 * q + r) & 1 == 1;
            let mut builder = Builder::new();
            for q in 0..3 {
                for r in (0..3).filter(|&r| edge(q, r)) {
                    let marks = if q == 0 { Marks::one(0) } else { Marks::NONE };
                    builder.edge(Guard::TRUE, marks, State(r));
                }
                builder.end_state();
            }
            let automaton = builder.finish(State(0), 1);
            let components = Components::of(&automaton);
            let mut reach = [[false; 3]; 3];
            for (q, row) in (0..).zip(&mut reach) {
                *row = std::array::from_fn(|r| edge(q, r as u32));
            }
            for via in 0..3 {
                let onward = reach[via];
                for row in &mut reach {
                    if row[via] {
                        *row = std::array::from_fn(|r| row[r] || onward[r]);
                    }
                }
            }
            for q in 0..3 {
                let known = components.component(State(q as u32)).is_some();
                assert_eq!(known, q == 0 || reach[0][q], "{graph}");
                if !known {
                    continue;
                }
                for (r, back) in reach.iter().enumerate() {
                    let together = q == r || reach[q][r] && back[q];
                    assert_eq!(components.together(State(q as u32), State(r as u32)), together);
                }
                let facts = components.facts_of(State(q as u32)).expect("reachable");
                assert_eq!(facts.trivial, !reach[q][q]);
                // Marks are on the edges of 0: accepting is to share a cycle with it.
                assert_eq!(facts.accepting, reach[0][0] && (q == 0 || reach[0][q] && reach[q][0]));
                assert_eq!(facts.useful, reach[0][0] && (q == 0 || reach[q][0]));
            }
        }
    }
}
