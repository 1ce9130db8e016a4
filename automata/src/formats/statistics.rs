//! The size of an automaton, exactly, as its text shows it.
//!
//! Edges are lines of the text: parallel edges are merged first. Transitions are what the edges
//! stand for: the letters over the atoms that occur in the text. Over fewer atoms than the table
//! has, a letter exists if it can be completed to one that does; so the transitions of an edge are
//! the models of ∃(atoms that do not occur) label, counted on the decision diagram from the leaves
//! up. There are up to 2ⁿ of them, hence the big integers.
//!
//! Cost: linear in the nodes of the labels' diagrams, times n/64 words.

use super::{Printable, coverage};
use crate::automaton::Automaton;
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
use hashbrown::HashMap;
use ltl::Atom;
use num_bigint::BigUint;

/// What can be counted in an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// States, reachable or not.
    pub states: usize,
    /// Edges, parallel ones merged.
    pub edges: usize,
    /// Pairs of an edge and a letter that it reads, over the atoms that occur.
    pub transitions: BigUint,
    /// Acceptance sets.
    pub acceptance_sets: u32,
    /// Whether no two edges of a state share a letter that exists.
    pub deterministic: bool,
    /// Whether in every reachable strongly connected component all edges have the same marks, or no
    /// run that stays there is accepting.
    pub weak: bool,
}

impl Statistics {
    /// The statistics of an automaton.
    pub fn of(guards: &mut Guards, automaton: &Automaton) -> Result<Statistics, StopReason> {
        let printable = Printable::new(guards, automaton)?;
        Statistics::of_printable(guards, &printable)
    }

    /// The same, of an automaton that was made ready already.
    pub fn of_printable(
        guards: &mut Guards,
        printable: &Printable,
    ) -> Result<Statistics, StopReason> {
        let automaton = printable.automaton();
        let labels: Vec<_> = automaton.all_edges().iter().map(|edge| edge.guard).collect();
        let (deterministic, _) = coverage(guards, automaton, &labels)?;
        let mut counter = Counter::new(printable.atoms());
        let mut transitions = BigUint::ZERO;
        for &label in &labels {
            let label = counter.project(guards, label);
            guards.check()?;
            transitions += counter.models(guards, label);
        }
        let components = Components::of(automaton);
        Ok(Statistics {
            states: automaton.state_count(),
            edges: labels.len(),
            transitions,
            acceptance_sets: automaton.acceptance_sets(),
            deterministic,
            weak: (0..components.count()).all(|c| components.facts(c).is_weak()),
        })
    }
}

/// Counts models over some of the variables.
struct Counter {
    /// The variables that count, each with its rank.
    rank: HashMap<u32, usize>,
    projected: HashMap<Guard, Guard>,
    /// The models of a function over the variables from its topmost on.
    counted: HashMap<Guard, BigUint>,
}

impl Counter {
    fn new(atoms: &[Atom]) -> Counter {
        let rank = atoms.iter().enumerate().map(|(rank, atom)| (atom.0, rank)).collect();
        Counter { rank, projected: HashMap::new(), counted: HashMap::new() }
    }

    /// ∃(variables that do not count) f
    fn project(&mut self, guards: &mut Guards, f: Guard) -> Guard {
        let Some((variable, low, high)) = guards.decide(f) else { return f };
        if let Some(&known) = self.projected.get(&f) {
            return known;
        }
        let (low, high) = (self.project(guards, low), self.project(guards, high));
        let counts = self.rank.contains_key(&variable);
        let result = if counts { guards.branch(variable, low, high) } else { guards.or(low, high) };
        self.projected.insert(f, result);
        result
    }

    /// The models of f over all variables that count; f depends on no others.
    fn models(&mut self, guards: &Guards, f: Guard) -> BigUint {
        self.below(guards, f) << self.rank_of(guards, f)
    }

    fn below(&mut self, guards: &Guards, f: Guard) -> BigUint {
        let Some((_, low, high)) = guards.decide(f) else {
            return BigUint::from(u8::from(f == Guard::TRUE));
        };
        if let Some(known) = self.counted.get(&f) {
            return known.clone();
        }
        let mut sum = BigUint::ZERO;
        for part in [low, high] {
            let skipped = self.rank_of(guards, part) - self.rank_of(guards, f) - 1;
            sum += self.below(guards, part) << skipped;
        }
        self.counted.insert(f, sum.clone());
        sum
    }

    fn rank_of(&self, guards: &Guards, f: Guard) -> usize {
        guards.decide(f).map_or(self.rank.len(), |(variable, ..)| self.rank[&variable])
    }
}
