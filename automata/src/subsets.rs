//! The subset construction: sets of states that words lead to.
//!
//! After a word, the automaton may be in any state of a set; the set determines which continuations
//! are accepted. Sets are found on demand and named by numbers.

use crate::automaton::{Automaton, State};
use crate::guard::{Guard, Guards};
use crate::tableau::letters;
use hashbrown::HashMap;

/// The sets of states of an automaton met so far.
pub(crate) struct Subsets<'a> {
    automaton: &'a Automaton,
    sets: Vec<Vec<State>>,
    ids: HashMap<Vec<State>, usize>,
    /// For each set, the steps from it once they were asked for.
    steps: Vec<Option<Vec<(Guard, usize)>>>,
}

impl<'a> Subsets<'a> {
    /// The construction for an automaton, and its first set: the initial state alone.
    pub(crate) fn new(automaton: &'a Automaton) -> (Self, usize) {
        let mut subsets =
            Subsets { automaton, sets: Vec::new(), ids: HashMap::new(), steps: Vec::new() };
        let first = subsets.intern(vec![automaton.initial()]);
        (subsets, first)
    }

    /// How many sets were met.
    pub(crate) fn count(&self) -> usize {
        self.sets.len()
    }

    fn intern(&mut self, set: Vec<State>) -> usize {
        let (sets, steps) = (&mut self.sets, &mut self.steps);
        *self.ids.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            steps.push(None);
            sets.len() - 1
        })
    }

    /// The sets that letters lead to from a set; their letters are disjoint. Letters that lead to
    /// no state are left out.
    ///
    /// Found with one auxiliary variable per target: what remains of the sum of all edges after a letter is
    /// the sum of the targets that it leads to.
    pub(crate) fn steps(&mut self, guards: &mut Guards<'_>, subset: usize) -> &[(Guard, usize)] {
        if self.steps[subset].is_none() {
            let mut successors = Guard::FALSE;
            for &state in &self.sets[subset] {
                for edge in self.automaton.edges(state) {
                    let target = guards.variable(Guards::AUXILIARY + edge.target.0);
                    let step = guards.and(edge.guard, target);
                    successors = guards.or(successors, step);
                }
            }
            let split = letters::split(guards, successors, usize::MAX).expect("there is no limit");
            let mut steps = Vec::with_capacity(split.len());
            for (residual, letters) in split {
                let set = guards.support(residual).into_iter();
                let set = set.map(|variable| State(variable - Guards::AUXILIARY)).collect();
                steps.push((letters, self.intern(set)));
            }
            self.steps[subset] = Some(steps);
        }
        self.steps[subset].as_deref().expect("just computed")
    }
}
