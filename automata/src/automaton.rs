//! Automata on infinite words: generalized Büchi, with acceptance marks on edges.
//!
//! A run is accepting if, for every acceptance set, it takes infinitely often an edge that carries
//! the set's mark; with no sets, every infinite run is. A *state-based* Büchi automaton is one in
//! which all edges that leave a state carry the same marks: being in the state counts.
//!
//! There is one initial state. A letter for which a state has no edge ends the run: automata need
//! not be complete. Labels are over the possible letters of their [`Guards`](crate::Guards); each implies
//! [`Guards::possible`](crate::Guards::possible).
//!
//! Cost: 16 bytes an edge, 4 a state; the edges of a state are one run of memory.

use crate::guard::Guard;
use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// A state: an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub u32);

impl State {
    /// The state as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of acceptance marks, at most [`Marks::MOST`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// How many acceptance sets an automaton can have.
    pub const MOST: usize = 64;
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// The first `count` marks.
    pub const fn first(count: u32) -> Marks {
        Marks(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }
    /// One mark.
    pub const fn one(set: u32) -> Marks {
        Marks(1 << set)
    }
    /// Whether the mark of a set is among these.
    pub const fn has(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }
    /// Whether all of `other` are among these.
    pub const fn contains(self, other: Marks) -> bool {
        other.0 & !self.0 == 0
    }
    /// How many there are.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The sets, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |&set| self.has(set))
    }
}

impl BitOr for Marks {
    type Output = Marks;
    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}
impl BitAnd for Marks {
    type Output = Marks;
    fn bitand(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }
}
impl Sub for Marks {
    type Output = Marks;
    fn sub(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }
}
impl fmt::Debug for Marks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

/// What marks are a matter of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marking {
    /// Each edge has its own.
    Edges,
    /// The edges that leave a state all have the same.
    States,
}

/// An edge, seen from its source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Where it leads.
    pub target: State,
    /// The letters that it reads; never `false`.
    pub guard: Guard,
    /// The acceptance sets that it is in.
    pub marks: Marks,
}

/// A generalized Büchi automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    initial: State,
    acceptance_sets: u32,
    edges: Vec<Edge>,
    /// The edges of state q are `bounds[q]..bounds[q + 1]`; so there is one bound more than states.
    bounds: Vec<u32>,
}

impl Automaton {
    /// The state in which runs start.
    pub const fn initial(&self) -> State {
        self.initial
    }
    /// How many acceptance sets there are.
    pub const fn acceptance_sets(&self) -> u32 {
        self.acceptance_sets
    }
    /// The marks of all acceptance sets.
    pub const fn all_marks(&self) -> Marks {
        Marks::first(self.acceptance_sets)
    }
    /// How many states there are; at least one.
    pub fn state_count(&self) -> usize {
        self.bounds.len() - 1
    }
    /// The states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State> + ExactSizeIterator + use<> {
        (0..self.state_count() as u32).map(State)
    }
    /// The edges that leave a state.
    pub fn edges(&self, state: State) -> &[Edge] {
        &self.edges[self.edge_range(state)]
    }
    /// The positions of a state's edges in [`Self::all_edges`].
    pub fn edge_range(&self, state: State) -> std::ops::Range<usize> {
        self.bounds[state.index()] as usize..self.bounds[state.index() + 1] as usize
    }
    /// All edges, state by state.
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }
    /// Whether acceptance is a matter of states: all edges that leave a state have the same marks.
    pub fn is_state_based(&self) -> bool {
        self.states().all(|q| self.edges(q).windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }
    /// The marks that all edges leaving the state have; all marks if there is none.
    pub fn state_marks(&self, state: State) -> Marks {
        self.edges(state).iter().fold(self.all_marks(), |marks, edge| marks & edge.marks)
    }
}

/// Makes an automaton state by state.
#[derive(Clone, Debug)]
pub struct Builder {
    edges: Vec<Edge>,
    bounds: Vec<u32>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// No states yet.
    pub fn new() -> Self {
        Builder { edges: Vec::new(), bounds: vec![0] }
    }
    /// Adds an edge to the state that is being made. One with the label `false` is left out.
    pub fn edge(&mut self, guard: Guard, marks: Marks, target: State) {
        if guard != Guard::FALSE {
            self.edges.push(Edge { target, guard, marks });
        }
    }
    /// Ends the state that is being made, and returns it.
    pub fn end_state(&mut self) -> State {
        self.bounds.push(self.edges.len() as u32);
        State(self.bounds.len() as u32 - 2)
    }
    /// How many states were ended.
    pub fn state_count(&self) -> usize {
        self.bounds.len() - 1
    }
    /// How many edges were added.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }
    /// The automaton. There must be a state; every target must exist.
    pub fn finish(self, initial: State, acceptance_sets: u32) -> Automaton {
        let Builder { edges, bounds } = self;
        debug_assert!(initial.index() < bounds.len() - 1, "the initial state exists");
        debug_assert!(edges.iter().all(|e| e.target.index() < bounds.len() - 1), "targets exist");
        debug_assert!(acceptance_sets as usize <= Marks::MOST, "sets fit in `Marks`");
        Automaton { initial, acceptance_sets, edges, bounds }
    }
}
