//! An automaton that reads letters of bits: the part of it that a product needs, in memory that
//! threads share.

use super::{Letter, Taken};
use crate::narrow::to_u32;
use automata::guard::Guard;
use automata::{Automaton, Components, Guards, Marks, State};
use hashbrown::HashMap;

/// An automaton together with its guards.
#[derive(Clone, Debug)]
pub struct Reader {
    initial: State,
    all: Marks,
    /// The edges of state q are `bounds[q]..bounds[q + 1]`.
    bounds: Vec<u32>,
    edges: Vec<ReadEdge>,
    /// The different sets of marks of the edges, numbered.
    marks: Vec<Marks>,
    /// Decision diagrams. The numbers 0 and 1 are the constants, so their entries are unused.
    branches: Vec<Branch>,
    /// By state: whether every word is accepted from it on. This is a quick check that may miss
    /// some states.
    universal: Vec<bool>,
    /// By state: the number of its strongly connected component. A component comes before those
    /// that lead to it.
    components: Vec<u32>,
    is_terminal: bool,
}

#[derive(Clone, Copy, Debug)]
struct ReadEdge {
    guard: u32,
    target: State,
    marks: MarksNumber,
}

/// The number of a set of marks: there are few, and searches keep many.
pub(crate) type MarksNumber = u32;

#[derive(Clone, Copy, Debug)]
struct Branch {
    atom: u32,
    /// The next branch if the atom is false, and if it is true.
    next: [u32; 2],
}

impl Reader {
    /// Creates the reader of an automaton over atoms that have a bit in a letter.
    pub fn new(automaton: &Automaton, guards: &Guards<'_>) -> Reader {
        let all = automaton.all_marks();
        let mut reader = Reader {
            initial: automaton.initial(),
            all,
            bounds: vec![0],
            edges: Vec::new(),
            marks: Vec::new(),
            branches: vec![Branch { atom: 0, next: [0, 0] }; 2],
            universal: Vec::new(),
            components: Vec::new(),
            is_terminal: false,
        };
        let mut known = HashMap::from([(Guard::FALSE, 0), (Guard::TRUE, 1)]);
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                let guard = reader.copied(guards, edge.guard, &mut known);
                let known = reader.marks.iter().position(|&marks| marks == edge.marks);
                let marks = known.unwrap_or_else(|| {
                    reader.marks.push(edge.marks);
                    reader.marks.len() - 1
                });
                let marks = to_u32(marks);
                reader.edges.push(ReadEdge { guard, target: edge.target, marks });
            }
            reader.bounds.push(to_u32(reader.edges.len()));
            reader.universal.push(automaton.edges(state).iter().any(|edge| {
                edge.target == state && edge.guard == Guard::TRUE && edge.marks.contains(all)
            }));
        }
        let components = Components::of(automaton);
        let number = |state| components.component(state).map_or(u32::MAX, to_u32);
        reader.components = automaton.states().map(number).collect();
        reader.is_terminal = automaton.states().all(|state| {
            let is_accepting = components.facts_of(state).is_some_and(|facts| facts.accepting);
            !is_accepting || reader.universal[state.0 as usize]
        });
        reader
    }

    fn copied(
        &mut self,
        guards: &Guards<'_>,
        guard: Guard,
        known: &mut HashMap<Guard, u32>,
    ) -> u32 {
        if let Some(&number) = known.get(&guard) {
            return number;
        }
        let (atom, low, high) = guards.decide(guard).expect("constants are known");
        // The recursion is at most as deep as there are atoms.
        let next = [self.copied(guards, low, known), self.copied(guards, high, known)];
        let number = to_u32(self.branches.len());
        self.branches.push(Branch { atom, next });
        known.insert(guard, number);
        number
    }

    /// The state in which runs start.
    pub fn initial(&self) -> State {
        self.initial
    }

    /// The marks of all acceptance sets.
    pub fn all_marks(&self) -> Marks {
        self.all
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.universal.len()
    }

    /// Whether every word is accepted from this state on. The check is incomplete: it may be false
    /// for some universal states.
    pub fn is_universal(&self, state: State) -> bool {
        self.universal[state.0 as usize]
    }

    /// The number of the state's component. It never increases along a run: the smaller it is, the
    /// fewer other states can still be reached.
    pub fn remoteness(&self, state: State) -> u32 {
        self.components[state.0 as usize]
    }

    /// Whether a word is accepted only by way of a universal state: then a finite prefix already
    /// decides acceptance.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether the automaton obviously accepts nothing: it has no edges.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The edges of a state, whatever they read.
    pub(crate) fn edges(&self, state: State) -> impl Iterator<Item = (State, Marks)> + '_ {
        let bounds = &self.bounds[state.0 as usize..];
        let edges = &self.edges[bounds[0] as usize..bounds[1] as usize];
        edges.iter().map(|edge| (edge.target, self.marks(edge.marks)))
    }

    /// The number of different sets of marks, at least one. A [`MarksNumber`] is less than this.
    pub(super) fn different_marks(&self) -> u32 {
        to_u32(self.marks.len().max(1))
    }

    /// The acceptance sets that an edge of a product is in.
    #[inline]
    pub fn marks_of(&self, edge: Taken) -> Marks {
        self.marks(edge.code % self.different_marks())
    }

    /// The set of marks with a number.
    #[inline]
    pub(crate) fn marks(&self, number: MarksNumber) -> Marks {
        self.marks[number as usize]
    }

    /// The targets of the edges that read a letter, with the numbers of their marks.
    #[inline]
    pub(crate) fn read(
        &self,
        state: State,
        letter: Letter,
    ) -> impl Iterator<Item = (State, MarksNumber)> {
        let bounds = &self.bounds[state.0 as usize..];
        let edges = &self.edges[bounds[0] as usize..bounds[1] as usize];
        let reads = move |edge: &&ReadEdge| {
            let mut at = edge.guard;
            while at > 1 {
                let Branch { atom, next } = self.branches[at as usize];
                at = next[(letter >> atom & 1) as usize];
            }
            at == 1
        };
        edges.iter().filter(reads).map(|edge| (edge.target, edge.marks))
    }
}
