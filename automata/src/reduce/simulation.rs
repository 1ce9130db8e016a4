//! Direct and reverse simulation: merges states that simulate each other, drops edges that a better
//! one covers.
//!
//! **Direct.** r simulates q (q ≤ r) if for each edge of q and each letter on it, r has an edge by that
//! letter with all of its marks (or more) to a state that simulates the target. Then r accepts
//! whatever q does.
//!
//! **Reverse.** The same for edges that arrive, and the initial state is simulated by no other. Then
//! whatever leads to q leads to r, with at least as many marks. If acceptance is a matter of
//! states, r must also have the marks of q: two states become one only if both or neither are
//! accepting.
//!
//! The largest such relation is found from above: start with all pairs, and drop a pair when an edge
//! is not covered, until nothing changes. Letters are not enumerated: the label of an edge must imply
//! the sum of the labels of the edges that cover it.
//!
//! ```text
//! (1)  classes := coarsest partition such that states of a class have the same edges to classes
//! (2)  q ≤ r for all q, r
//! (3)  while some q ≤ r has an edge (g, m, t) with  g ⇏ ∨ { g' : (g', m', t') of r, m ⊆ m', t ≤ t' }
//!          drop q ≤ r
//! (4)  merge q and r if q ≤ r ≤ q
//! (5)  take from each edge's label those of the edges that cover it strictly
//! ```
//!
//! Invariant: the language stays. Of the edges of one letter a largest one is always kept, so any
//! run is followed, edge by edge, by one in the result with at least its marks; in the reverse case
//! any finite run is, backwards from its end, hence (the automaton being finite) any infinite one.
//! One direction is computed at a time: the two relations must not be mixed in one step.
//!
//! Cost: (1) makes (3) affordable, n² bits and about n² edges squared operations on labels a round.

use crate::automaton::{Automaton, Builder, Edge, Marking, Marks, State};
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
use crate::reduce::useless::add_edge;
use hashbrown::HashMap;

/// With more classes than this after (1), the order between them is not looked for.
const MOST_ORDERED: usize = 400;

/// The automaton reduced by direct simulation.
pub fn direct_simulation(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
) -> Result<Automaton, StopReason> {
    let edges = automaton.states().map(|q| automaton.edges(q).to_vec()).collect();
    let view = View { edges, terms: vec![Terms::default(); automaton.state_count()] };
    let (lists, class) = reduce(guards, &view)?;
    Ok(assemble(&lists, class[automaton.initial().index()], automaton.acceptance_sets()))
}

/// The automaton reduced by reverse simulation. Some states of the result may be useless.
pub fn reverse_simulation(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
) -> Result<Automaton, StopReason> {
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); automaton.state_count()];
    let mut terms = vec![Terms::default(); automaton.state_count()];
    terms[automaton.initial().index()].initial = true;
    for source in automaton.states() {
        for edge in automaton.edges(source) {
            edges[edge.target.index()].push(Edge { target: source, ..*edge });
        }
        if marking == Marking::States {
            terms[source.index()].marks = automaton.state_marks(source);
        }
    }
    let (arriving, class) = reduce(guards, &View { edges, terms })?;
    let mut lists: Vec<Vec<Edge>> = vec![Vec::new(); arriving.len()];
    for (target, edges) in (0..).zip(arriving) {
        for edge in edges {
            lists[edge.target.index()].push(Edge { target: State(target), ..edge });
        }
    }
    Ok(assemble(&lists, class[automaton.initial().index()], automaton.acceptance_sets()))
}

/// What is compared: for each state the edges that leave (or arrive), `target` being the other end.
struct View {
    edges: Vec<Vec<Edge>>,
    terms: Vec<Terms>,
}

/// What else a state that simulates must have.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Terms {
    initial: bool,
    marks: Marks,
}

impl Terms {
    fn allow(self, above: Terms) -> bool {
        (!self.initial || above.initial) && above.marks.contains(self.marks)
    }
}

/// The edges of the classes, between classes, and the class of each state.
fn reduce(guards: &mut Guards<'_>, view: &View) -> Result<(Vec<Vec<Edge>>, Vec<u32>), StopReason> {
    let classes = bisimulation(guards, view)?; // (1)
    let view = quotient(guards, view, &classes);
    if view.edges.len() > MOST_ORDERED {
        return Ok((view.edges, classes));
    }
    let order = Order::largest(guards, &view)?; // (2), (3)
    let merged = order.classes();
    let order = order.between(&merged);
    let mut lists = quotient(guards, &view, &merged).edges; // (4)
    for edges in &mut lists {
        drop_covered(guards, &order, edges); // (5)
    }
    guards.check()?;
    Ok((lists, classes.iter().map(|&class| merged[class as usize]).collect()))
}

/// (1), by refinement: states of a class have the same class before and the same edges to classes. Classes
/// are numbered by their first state.
fn bisimulation(guards: &mut Guards<'_>, view: &View) -> Result<Vec<u32>, StopReason> {
    let mut class = vec![0; view.edges.len()];
    let mut count = 0;
    let mut edges = Vec::new();
    loop {
        let mut number: HashMap<(Terms, u32, Vec<Edge>), u32> = HashMap::new();
        let mut next = Vec::with_capacity(class.len());
        for (state, list) in view.edges.iter().enumerate() {
            edges.clear();
            for edge in list {
                let target = State(class[edge.target.index()]);
                add_edge(guards, &mut edges, Edge { target, ..*edge });
            }
            edges.sort_unstable();
            let fresh = number.len() as u32;
            let key = (view.terms[state], class[state], edges.clone());
            next.push(*number.entry(key).or_insert(fresh));
        }
        guards.poll()?;
        class = next;
        if number.len() == count {
            return Ok(class);
        }
        count = number.len();
    }
}

/// The view of the classes, each with the edges of its first state.
fn quotient(guards: &mut Guards<'_>, view: &View, class: &[u32]) -> View {
    let (mut edges, mut terms) = (Vec::new(), Vec::new());
    for (state, list) in view.edges.iter().enumerate() {
        if class[state] as usize == edges.len() {
            let mut joined = Vec::with_capacity(list.len());
            for edge in list {
                let target = State(class[edge.target.index()]);
                add_edge(guards, &mut joined, Edge { target, ..*edge });
            }
            edges.push(joined);
            terms.push(view.terms[state]);
        }
    }
    View { edges, terms }
}

/// A relation between states: bit r of row q tells q ≤ r.
struct Order {
    rows: Vec<Vec<u64>>,
}

impl Order {
    fn has(&self, q: State, r: State) -> bool {
        self.rows[q.index()][r.index() / 64] >> (r.index() % 64) & 1 == 1
    }

    /// The largest simulation.
    fn largest(guards: &mut Guards<'_>, view: &View) -> Result<Order, StopReason> {
        let count = view.edges.len();
        let states = || (0..count as u32).map(State);
        let letters: Vec<Guard> = view.edges.iter().map(|list| sum(guards, list.iter())).collect();
        let mut order = Order { rows: vec![vec![0; count.div_ceil(64)]; count] };
        for q in states() {
            for r in states() {
                let possible = view.terms[q.index()].allow(view.terms[r.index()])
                    && guards.implies(letters[q.index()], letters[r.index()]);
                order.rows[q.index()][r.index() / 64] |= u64::from(possible) << (r.index() % 64);
            }
        }
        // Whether the row of a state lost something in this round, in the last one.
        let (mut changed, mut before) = (vec![true; count], vec![true; count]);
        while changed.iter().any(|&changed| changed) {
            std::mem::swap(&mut changed, &mut before);
            changed.fill(false);
            for q in states() {
                // What q asks for depends on the rows of its targets only.
                let asks = |e: &Edge| before[e.target.index()] || changed[e.target.index()];
                if !view.edges[q.index()].iter().any(asks) {
                    continue;
                }
                for r in states().filter(|&r| r != q) {
                    if order.has(q, r) && !order.covers(guards, view, q, r) {
                        order.rows[q.index()][r.index() / 64] &= !(1 << (r.index() % 64));
                        changed[q.index()] = true;
                    }
                }
            }
            guards.poll()?;
        }
        Ok(order)
    }

    /// Whether the edges of r cover those of q.
    fn covers(&self, guards: &mut Guards<'_>, view: &View, q: State, r: State) -> bool {
        view.edges[q.index()].iter().all(|edge| {
            let mut rest = edge.guard;
            for other in &view.edges[r.index()] {
                if other.marks.contains(edge.marks) && self.has(edge.target, other.target) {
                    rest = guards.without(rest, other.guard);
                    if rest == Guard::FALSE {
                        return true;
                    }
                }
            }
            false
        })
    }

    /// The classes of states that simulate each other, numbered by their first state.
    fn classes(&self) -> Vec<u32> {
        let mut class: Vec<u32> = Vec::with_capacity(self.rows.len());
        let mut first: Vec<State> = Vec::new();
        for q in (0..self.rows.len() as u32).map(State) {
            let same = first.iter().position(|&r| self.has(q, r) && self.has(r, q));
            class.push(same.unwrap_or(first.len()) as u32);
            if same.is_none() {
                first.push(q);
            }
        }
        class
    }

    /// The same relation between classes.
    fn between(&self, class: &[u32]) -> Order {
        let count = class.iter().max().map_or(0, |&last| last as usize + 1);
        let mut rows = vec![vec![0; count.div_ceil(64)]; count];
        for (q, &c) in (0..).map(State).zip(class) {
            for (r, &d) in (0..).map(State).zip(class) {
                rows[c as usize][d as usize / 64] |= u64::from(self.has(q, r)) << (d % 64);
            }
        }
        Order { rows }
    }
}

/// (5) Takes from the label of each edge of a state those of the edges that are better in marks or
/// target and worse in neither.
fn drop_covered(guards: &mut Guards<'_>, order: &Order, edges: &mut Vec<Edge>) {
    let covers = |better: &Edge, edge: &Edge| {
        (better.marks, better.target) != (edge.marks, edge.target)
            && better.marks.contains(edge.marks)
            && order.has(edge.target, better.target)
    };
    let all = edges.clone();
    for (edge, original) in edges.iter_mut().zip(&all) {
        for better in all.iter().filter(|better| covers(better, original)) {
            edge.guard = guards.without(edge.guard, better.guard);
        }
    }
    edges.retain(|edge| edge.guard != Guard::FALSE);
}

fn sum<'e>(guards: &mut Guards<'_>, edges: impl Iterator<Item = &'e Edge>) -> Guard {
    edges.fold(Guard::FALSE, |sum, edge| guards.or(sum, edge.guard))
}

/// The automaton of the classes that can be reached from the initial one.
fn assemble(lists: &[Vec<Edge>], initial: u32, sets: u32) -> Automaton {
    let mut name: Vec<Option<State>> = vec![None; lists.len()];
    name[initial as usize] = Some(State(0));
    let mut order = vec![initial];
    let mut builder = Builder::new();
    let mut next = 0;
    while next < order.len() {
        for edge in &lists[order[next] as usize] {
            let target = *name[edge.target.index()].get_or_insert_with(|| {
                order.push(edge.target.0);
                State(order.len() as u32 - 1)
            });
            builder.edge(edge.guard, edge.marks, target);
        }
        builder.end_state();
        next += 1;
    }
    builder.finish(State(0), sets)
}
