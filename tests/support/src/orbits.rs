//! Orbits by brute force: what a quotient must be, by the definitions alone.
//!
//! The unreduced graph is made by the reference interpreter; renamings act on its states as trees of
//! values; orbits are closed under generators, on states, on steps, and on states together with one
//! index. Nothing here is shared with the engines, or with what they know of groups.

mod graph;
mod renaming;

pub use graph::{Graph, Step, assumptions};
pub use renaming::{Renaming, elements, generators, transpositions};

use model::checked::Model;
use model::interpret::Process;
use model::types::IndexTypeId;
use model::value::Scalar;
use std::collections::HashMap;

/// What is known of a model and its quotient, in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Reachable states.
    pub states: usize,
    /// Start states.
    pub starts: usize,
    /// Different (process, event, target), summed over all states.
    pub steps: usize,
    /// States without a step.
    pub deadlocks: usize,
    /// Orbits of states.
    pub representatives: usize,
    /// Orbits of start states.
    pub start_representatives: usize,
    /// Steps out of one state of every orbit.
    pub annotated: usize,
    /// Of these, the steps of one of every class of interchangeable owners.
    pub kept: usize,
    /// Orbits of steps: what is left of the annotated edges if one is kept for all that a symmetry of
    /// the state leads to each other.
    pub orbit_edges: usize,
    /// By index type: orbits of (state, index).
    pub tracked: Vec<usize>,
}

/// The orbits of the states of a graph.
pub struct Orbits {
    /// The generators of the group.
    pub generators: Vec<Renaming>,
    /// By generator: by state, where the generator takes it.
    images: Vec<Vec<usize>>,
    /// By state: the first state of its orbit.
    pub first: Vec<usize>,
}

impl Orbits {
    /// Closes the states under the model's group. A state that is renamed to one that cannot be
    /// reached is reported: then the group is none of automorphisms.
    pub fn of(model: &Model, graph: &Graph) -> Orbits {
        let numbers: HashMap<_, _> = graph.states.iter().zip(0..).collect();
        let generators = generators(model);
        let image = |g: &Renaming, state: usize| {
            let image = g.state(model, &graph.states[state]);
            *numbers.get(&image).unwrap_or_else(|| {
                panic!("{g:?} leads to a state that is not reached:\n{}", image.show(model))
            })
        };
        let all = 0..graph.states.len();
        let images: Vec<Vec<usize>> =
            generators.iter().map(|g| all.clone().map(|state| image(g, state)).collect()).collect();
        let mut classes = Classes::new(graph.states.len());
        for (from, &to) in images.iter().flat_map(|images| images.iter().enumerate()) {
            classes.join(from, to);
        }
        let first = all.map(|state| classes.least(state)).collect();
        Orbits { generators, images, first }
    }

    /// One state of every orbit.
    pub fn representatives(&self) -> impl Iterator<Item = usize> {
        self.first.iter().enumerate().filter(|&(state, first)| state == *first).map(|(k, _)| k)
    }

    /// How many states are in an orbit, by its first state.
    pub fn sizes(&self) -> HashMap<usize, usize> {
        let mut sizes = HashMap::new();
        for &first in &self.first {
            *sizes.entry(first).or_default() += 1;
        }
        sizes
    }

    /// Orbits of steps.
    fn steps(&self, model: &Model, graph: &Graph) -> usize {
        let mut before = vec![0];
        for steps in &graph.steps {
            before.push(before[before.len() - 1] + steps.len());
        }
        let mut classes = Classes::new(before[graph.steps.len()]);
        for (g, images) in self.generators.iter().zip(&self.images) {
            for (source, steps) in graph.steps.iter().enumerate() {
                for (k, step) in steps.iter().enumerate() {
                    let image = Step {
                        process: g.process(step.process),
                        event: g.event(model, &step.event),
                        target: images[step.target],
                    };
                    let there = graph.steps[images[source]].iter().position(|one| *one == image);
                    let there = there.unwrap_or_else(|| panic!("{g:?} leads {step:?} nowhere"));
                    classes.join(before[source] + k, before[images[source]] + there);
                }
            }
        }
        classes.count()
    }

    /// Orbits of states together with one index of this type.
    fn tracked(&self, of: usize, size: usize) -> usize {
        let mut classes = Classes::new(self.first.len() * size);
        for (g, images) in self.generators.iter().zip(&self.images) {
            for (state, image) in images.iter().enumerate() {
                for k in 0..size {
                    classes.join(state * size + k, image * size + g.images[of][k] as usize);
                }
            }
        }
        classes.count()
    }
}

/// All numbers of a model whose graph is this.
pub fn figures(model: &Model, graph: &Graph) -> Figures {
    let orbits = Orbits::of(model, graph);
    // What is true of a state is true of its orbit.
    for (state, &first) in orbits.first.iter().enumerate() {
        assert_eq!(graph.is_start[state], graph.is_start[first], "start states");
        assert_eq!(graph.is_deadlock[state], graph.is_deadlock[first], "deadlocks");
        assert_eq!(graph.steps[state].len(), graph.steps[first].len(), "steps");
    }
    let swaps = transpositions(model);
    let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
    let kept = |state: usize| {
        let classes = Interchangeable::at(model, graph, &swaps, state);
        graph.steps[state].iter().filter(|step| classes.is_least(step.process)).count()
    };
    let sizes = model.types.index_types.iter().map(|of| of.size as usize);
    Figures {
        states: graph.states.len(),
        starts: count(&graph.is_start),
        steps: graph.steps.iter().map(Vec::len).sum(),
        deadlocks: count(&graph.is_deadlock),
        representatives: orbits.representatives().count(),
        start_representatives: orbits.representatives().filter(|&k| graph.is_start[k]).count(),
        annotated: orbits.representatives().map(|k| graph.steps[k].len()).sum(),
        kept: orbits.representatives().map(kept).sum(),
        orbit_edges: orbits.steps(model, graph),
        tracked: sizes.enumerate().map(|(of, size)| orbits.tracked(of, size)).collect(),
    }
}

/// Which indices are interchangeable in a state.
struct Interchangeable {
    /// (j, i) of one type with j < i that the group may swap, and the state allows it.
    pairs: Vec<(IndexTypeId, u32, u32)>,
}

impl Interchangeable {
    fn at(
        model: &Model,
        graph: &Graph,
        swaps: &[(IndexTypeId, u32, u32, Renaming)],
        state: usize,
    ) -> Self {
        let state = &graph.states[state];
        let fixing = swaps.iter().filter(|(.., swap)| swap.state(model, state) == *state);
        Interchangeable { pairs: fixing.map(|&(of, j, i, _)| (of, j, i)).collect() }
    }

    /// Whether a process is the least of its class.
    fn is_least(&self, process: Process) -> bool {
        match process.member {
            Some(Scalar::Index(of, k)) => {
                !self.pairs.iter().any(|&(one, _, i)| (one, i) == (of, k))
            }
            _ => true,
        }
    }
}

/// A partition of 0 to n - 1.
struct Classes {
    /// Leads to the least of a class, step by step, always downwards.
    parents: Vec<usize>,
}

impl Classes {
    fn new(n: usize) -> Self {
        Classes { parents: (0..n).collect() }
    }

    fn least(&mut self, k: usize) -> usize {
        let mut least = k;
        while self.parents[least] != least {
            self.parents[least] = self.parents[self.parents[least]];
            least = self.parents[least];
        }
        least
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.least(i), self.least(j));
        self.parents[i.max(j)] = i.min(j);
    }

    fn count(&self) -> usize {
        self.parents.iter().enumerate().filter(|&(k, parent)| k == *parent).count()
    }
}
