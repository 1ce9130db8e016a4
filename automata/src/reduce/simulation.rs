//! Direct and reverse simulation: merges states that simulate each other, drops edges that a better
//! one covers.
//!
//! **Direct.** r simulates q (q ≤ r) if for each edge of q and each letter on it, r has an edge by that
//! letter with all of its marks (or more) to a state that simulates the target. Then r accepts
//! whatever q does.
//!
//! **Reverse.** The same for edges that arrive, and the initial state is simulated by no other. Then
//! whatever leads to q leads to r, with at least as many marks. If acceptance is a matter of
//! states, r must also have the marks of q: two states become one only if both or neither are accepting.
//!
//! The largest such relation is found by refinement of classes ([`DL14`]): the *signature* of a
//! state is the Boolean function
//!
//! ```text
//! sig(q) = ∨ over edges (g, m, t) of q:  g  ∧  ∧ { missing(i) : i ∉ m }  ∧  ∧ { above(d) : class(t) ≤ d }
//! ```
//!
//! Fewer missing marks and a larger class at the other end mean fewer conjuncts, hence a weaker
//! function: so sig(q) implies sig(r) if and only if r simulates q as far as the classes tell. States
//! of equal signature are one class; repeat until neither classes nor their order change.
//!
//! The result is read back from the signatures, letter by letter: an edge that another one of the
//! same letter covers (at least its marks, with a class above at the other end) is no prime implicant, so
//! it is not there.
//!
//! Invariant: the language stays. Of the edges of one letter a largest one is always kept, so any
//! run is followed, edge by edge, by one in the result with at least its marks; in the reverse case any
//! finite run is, backwards from its end, hence (the automaton being finite) any infinite one.
//! One direction is computed at a time: the two relations must not be mixed in one step.

use crate::automaton::{Automaton, Builder, Edge, Marking, Marks, State};
use crate::guard::{Cube, Guard, Guards};
use crate::limits::StopReason;
#[allow(unused_imports, reason = "named in the documentation")]
use crate::papers::DL14;
use crate::reduce::useless::add_edge;
use crate::tableau::letters;
use hashbrown::HashMap;

/// Automata with more states are returned as they are.
const MOST_STATES: usize = 2048;
/// With more classes than this only equality is looked at, not the order, whose cost grows with the
/// square: what remains is bisimulation, still exact.
const MOST_ORDERED: usize = 384;
/// More different functions of the letter than this in a signature are not enumerated.
const MOST_LETTERS: usize = 1 << 10;

/// The automaton reduced by direct simulation.
pub fn direct_simulation(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
) -> Result<Automaton, StopReason> {
    if automaton.state_count() > MOST_STATES {
        return Ok(automaton.clone());
    }
    let edges = automaton.states().map(|q| automaton.edges(q).to_vec()).collect();
    let view = View { edges, terms: Vec::new(), sets: automaton.acceptance_sets() };
    let classes = refine(guards, &view)?;
    let mut lists = Vec::with_capacity(classes.signatures.len());
    for class in 0..classes.signatures.len() {
        lists.push(class_edges(guards, &view, &classes, class)?);
    }
    Ok(assemble(guards, &lists, classes.of[automaton.initial().index()], view.sets))
}

/// The automaton reduced by reverse simulation. Some states of the result may be useless.
pub fn reverse_simulation(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
) -> Result<Automaton, StopReason> {
    if automaton.state_count() > MOST_STATES {
        return Ok(automaton.clone());
    }
    let mut arriving: Vec<Vec<Edge>> = vec![Vec::new(); automaton.state_count()];
    for source in automaton.states() {
        for edge in automaton.edges(source) {
            arriving[edge.target.index()].push(Edge { target: source, ..*edge });
        }
    }
    let mut terms = vec![Terms::default(); automaton.state_count()];
    terms[automaton.initial().index()].initial = true;
    if marking == Marking::States {
        for state in automaton.states() {
            terms[state.index()].missing = automaton.all_marks() - automaton.state_marks(state);
        }
    }
    let view = View { edges: arriving, terms, sets: automaton.acceptance_sets() };
    let classes = refine(guards, &view)?;
    let mut lists: Vec<Vec<Edge>> = vec![Vec::new(); classes.signatures.len()];
    for class in 0..classes.signatures.len() {
        for edge in class_edges(guards, &view, &classes, class)? {
            let turned = Edge { target: State(class as u32), ..edge };
            lists[edge.target.index()].push(turned);
        }
    }
    Ok(assemble(guards, &lists, classes.of[automaton.initial().index()], view.sets))
}

/// What is compared: for each state the edges that leave (or arrive), `target` being the other end.
struct View {
    edges: Vec<Vec<Edge>>,
    /// What else must agree; none if empty.
    terms: Vec<Terms>,
    sets: u32,
}

#[derive(Clone, Copy, Default)]
struct Terms {
    initial: bool,
    missing: Marks,
}

/// A partition of the states with an order between its classes.
struct Classes {
    of: Vec<u32>,
    /// For each class, its first state.
    first: Vec<u32>,
    /// For each class, the classes that simulate it, itself included, ascending.
    above: Vec<Vec<u32>>,
    /// For each class, the signature of its states.
    signatures: Vec<Guard>,
    /// The class of each list `above`.
    by_above: HashMap<Vec<u32>, u32>,
}

// Auxiliary variables: marks that an edge misses, marks that the state misses, being initial, classes.
const MISSING: u32 = Guards::AUXILIARY;
const STATE_MISSING: u32 = MISSING + Marks::MOST as u32;
const INITIAL: u32 = STATE_MISSING + Marks::MOST as u32;
const ABOVE: u32 = INITIAL + 1;

fn refine(guards: &mut Guards<'_>, view: &View) -> Result<Classes, StopReason> {
    let mut classes = Classes {
        of: vec![0; view.edges.len()],
        first: vec![0],
        above: vec![vec![0]],
        signatures: vec![Guard::TRUE],
        by_above: HashMap::new(),
    };
    let mut pairs = 1;
    loop {
        let next = step(guards, view, &classes);
        guards.poll()?;
        let next_pairs = next.above.iter().map(Vec::len).sum();
        let stable = next.above.len() == classes.above.len() && next_pairs == pairs;
        (classes, pairs) = (next, next_pairs);
        if stable {
            classes.by_above = classes.above.iter().cloned().zip(0..).collect();
            return Ok(classes);
        }
    }
}

/// One round of refinement. Classes are numbered by their first state, so a stable partition keeps
/// its numbers.
fn step(guards: &mut Guards<'_>, view: &View, old: &Classes) -> Classes {
    let mut ends: Vec<Guard> = Vec::with_capacity(old.above.len());
    for above in &old.above {
        let cube: Cube = above.iter().map(|class| (ABOVE + class, true)).collect();
        ends.push(guards.cube(&cube));
    }
    let mut number: HashMap<Guard, u32> = HashMap::new();
    let (mut of, mut first, mut signatures) = (Vec::new(), Vec::new(), Vec::new());
    for state in 0..view.edges.len() {
        let signature = signature(guards, view, state, |end| ends[old.of[end.index()] as usize]);
        let class = *number.entry(signature).or_insert_with(|| {
            signatures.push(signature);
            first.push(state as u32);
            signatures.len() as u32 - 1
        });
        of.push(class);
    }
    // The relation only shrinks: classes of which the old ones were not related are not either.
    let old_class = |class: usize| old.of[first[class] as usize];
    let mut above = Vec::with_capacity(signatures.len());
    if signatures.len() > MOST_ORDERED {
        above = (0..signatures.len() as u32).map(|class| vec![class]).collect();
        return Classes { of, first, above, signatures, by_above: HashMap::new() };
    }
    for (c, &small) in signatures.iter().enumerate() {
        let old_above = &old.above[old_class(c) as usize];
        let mut list = Vec::new();
        for (d, &large) in signatures.iter().enumerate() {
            let possible = c == d || old_above.binary_search(&old_class(d)).is_ok();
            if possible && guards.implies(small, large) {
                list.push(d as u32);
            }
        }
        above.push(list);
    }
    Classes { of, first, above, signatures, by_above: HashMap::new() }
}

fn signature(
    guards: &mut Guards<'_>,
    view: &View,
    state: usize,
    end: impl Fn(State) -> Guard,
) -> Guard {
    let missing_cube = |guards: &mut Guards<'_>, base: u32, missing: Marks| {
        let cube: Cube = missing.iter().map(|set| (base + set, true)).collect();
        guards.cube(&cube)
    };
    let mut signature = Guard::FALSE;
    for edge in &view.edges[state] {
        let mut part = missing_cube(guards, MISSING, Marks::first(view.sets) - edge.marks);
        part = guards.and(part, end(edge.target));
        part = guards.and(edge.guard, part);
        signature = guards.or(signature, part);
    }
    if let Some(terms) = view.terms.get(state) {
        if terms.initial {
            let initial = guards.variable(INITIAL);
            signature = guards.or(signature, initial);
        }
        let own = missing_cube(guards, STATE_MISSING, terms.missing);
        signature = guards.and(signature, own);
    }
    signature
}

/// The edges of a class, `target` being the class at the other end; covered ones are left out.
fn class_edges(
    guards: &mut Guards<'_>,
    view: &View,
    classes: &Classes,
    class: usize,
) -> Result<Vec<Edge>, StopReason> {
    let mut edges = Vec::new();
    let Some(letters) = letters::split(guards, classes.signatures[class], MOST_LETTERS) else {
        // Too many letters to look at each: the edges of any member will do, covered ones included.
        for edge in &view.edges[classes.first[class] as usize] {
            edges.push(Edge { target: State(classes.of[edge.target.index()]), ..*edge });
        }
        return Ok(edges);
    };
    for (residual, guard) in letters {
        // A monotone function is the sum of its prime implicants, each of them some edge's.
        for cube in guards.cubes_between(residual, residual) {
            let (mut marks, mut above) = (Marks::first(view.sets), Vec::new());
            for (variable, _) in cube {
                if variable < STATE_MISSING {
                    marks = marks - Marks::one(variable - MISSING);
                } else if variable >= ABOVE {
                    above.push(variable - ABOVE);
                }
            }
            // Without a class at the other end it is the term of the initial state, no edge.
            if let Some(&end) = classes.by_above.get(&above) {
                edges.push(Edge { target: State(end), guard, marks });
            }
        }
        guards.check()?;
    }
    Ok(edges)
}

/// The automaton of the classes that can be reached from the initial one.
fn assemble(guards: &mut Guards<'_>, lists: &[Vec<Edge>], initial: u32, sets: u32) -> Automaton {
    let mut name: Vec<Option<State>> = vec![None; lists.len()];
    name[initial as usize] = Some(State(0));
    let mut order = vec![initial];
    let mut builder = Builder::new();
    let mut next = 0;
    while next < order.len() {
        let mut edges: Vec<Edge> = Vec::new();
        for edge in &lists[order[next] as usize] {
            let target = *name[edge.target.index()].get_or_insert_with(|| {
                order.push(edge.target.0);
                State(order.len() as u32 - 1)
            });
            add_edge(guards, &mut edges, Edge { target, ..*edge });
        }
        for edge in edges {
            builder.edge(edge.guard, edge.marks, edge.target);
        }
        builder.end_state();
        next += 1;
    }
    builder.finish(State(0), sets)
}
