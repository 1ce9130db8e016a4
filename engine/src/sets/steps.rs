//! The automaton, as passes read it: its edges by the number of a letter, and what can be said of
//! its components.

use crate::narrow::to_u32;
use crate::product::{Letter, Reader};
use automata::{Marks, State};

/// The edges that read each letter met so far.
#[derive(Debug, Default)]
pub(super) struct Steps {
    by_letter: Vec<OfLetter>,
}

/// Where the edges of each state begin, and one more bound; the targets with their marks.
type OfLetter = (Box<[u32]>, Box<[(u32, Marks)]>);

impl Steps {
    /// The edges of a state that read the letter with a number.
    #[inline]
    pub(super) fn of(&self, letter: u32, state: u32) -> &[(u32, Marks)] {
        let (bounds, targets) = &self.by_letter[letter as usize];
        let state = state as usize;
        &targets[bounds[state] as usize..bounds[state + 1] as usize]
    }

    /// The number of letters.
    pub(super) fn letters(&self) -> usize {
        self.by_letter.len()
    }

    /// The marks that edges have, each once.
    pub(super) fn marks(&self) -> Vec<Marks> {
        let mut found = Vec::new();
        for (_, targets) in &self.by_letter {
            for &(_, marks) in targets {
                if !found.contains(&marks) {
                    found.push(marks);
                }
            }
        }
        found
    }

    /// Adds the next letter, with those edges that are wanted.
    pub(super) fn add(
        &mut self,
        reader: &Reader,
        letter: Letter,
        is_wanted: impl Fn(u32, u32) -> bool,
    ) {
        let (mut bounds, mut targets) = (vec![0], Vec::new());
        for state in 0..to_u32(reader.states()) {
            for (target, marks) in reader.read(State(state), letter) {
                if is_wanted(state, target.0) {
                    targets.push((target.0, reader.marks(marks)));
                }
            }
            bounds.push(to_u32(targets.len()));
        }
        self.by_letter.push((bounds.into(), targets.into()));
    }
}

/// What passes must know of the components of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// By state: its component, if that has a cycle through all acceptance sets.
    accepting: Vec<Option<u32>>,
    /// Whether all cycles of these components are accepting.
    pub(super) all_cycles_accept: bool,
    /// All acceptance sets.
    pub(super) sets: Marks,
}

impl Shape {
    /// Guards are not looked at, so that some cycles may be none: then there are more accepting
    /// components, or more cycles, than there need be. Unless only accepting components count, all
    /// do.
    pub(super) fn new(reader: &Reader, counts_accepting_only: bool) -> Shape {
        let states = to_u32(reader.states());
        let component = |state: u32| reader.remoteness(State(state));
        let inner = |state: u32| {
            let edges = reader.edges(State(state));
            edges.filter(move |(target, _)| component(target.0) == component(state))
        };
        let mut met = vec![None; states as usize + 1];
        for state in 0..states {
            let Some(met) = met.get_mut(component(state) as usize) else { continue };
            for (_, marks) in inner(state) {
                *met = Some(met.unwrap_or(Marks::NONE) | marks);
            }
        }
        let all = reader.all_marks();
        let accepting: Vec<Option<u32>> = (0..states)
            .map(|state| {
                let met = met.get(component(state) as usize).copied().flatten();
                met.filter(|met| met.contains(all)).map(|_| component(state))
            })
            .collect();
        let without = |set: u32| {
            let edges = |state: u32| {
                let unmarked = inner(state).filter(move |(_, marks)| !marks.has(set));
                let is_inside = accepting[state as usize].is_some();
                unmarked.filter(move |_| is_inside).map(|(target, _)| target.0)
            };
            has_cycle(states, edges)
        };
        let all_cycles_accept = !all.iter().any(without);
        let accepting = if counts_accepting_only {
            accepting
        } else {
            (0..states).map(|state| Some(component(state))).collect()
        };
        Shape { all_cycles_accept, accepting, sets: all }
    }

    /// The states in whose components runs can be accepted, as this number of words.
    pub(super) fn accepting_words(&self, words: usize) -> Vec<u64> {
        let mut found = vec![0; words];
        for (state, _) in self.accepting.iter().enumerate().filter(|(_, one)| one.is_some()) {
            found[state / 64] |= 1 << (state % 64);
        }
        found
    }

    /// Whether an edge between two states can be on an accepting cycle.
    pub(super) fn is_inside(&self, from: u32, to: u32) -> bool {
        let [from, to] = [from, to].map(|state| self.accepting[state as usize]);
        from.is_some() && from == to
    }
}

/// Whether a graph on so many nodes has a cycle: nodes without a predecessor are removed until there
/// are none.
fn has_cycle<I: Iterator<Item = u32>>(nodes: u32, edges: impl Fn(u32) -> I) -> bool {
    let mut before = vec![0_usize; nodes as usize];
    (0..nodes).flat_map(&edges).for_each(|target| before[target as usize] += 1);
    let mut open: Vec<u32> = (0..nodes).filter(|&node| before[node as usize] == 0).collect();
    let mut removed = 0;
    while let Some(node) = open.pop() {
        removed += 1;
        for target in edges(node) {
            before[target as usize] -= 1;
            if before[target as usize] == 0 {
                open.push(target);
            }
        }
    }
    removed < nodes
}
