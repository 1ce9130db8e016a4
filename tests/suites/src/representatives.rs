//! Representatives of all reachable states: one per orbit, in the orbit, with a permutation that leads
//! back; and what leaves them as they are.

use crate::Counts;
use compile::cells::{flatten_state, layout_of, state_of};
use engine::symmetry::{Canonicaliser, IndexType, Indices, Permutation, Stabiliser, Structure};
use engine::system::Layout;
use isonomy::explore::Deadlock;
use model::checked::{Group, Model};
use model::interpret::State;
use model::types::IndexTypeId;
use model::value::Scalar;
use std::collections::{HashMap, HashSet};
use support::orbits::{Figures, Graph, Orbits, Renaming, figures, transpositions};
use support::random;

/// Checks all states of the random model of a seed, if it has a symmetry.
pub fn random_model(seed: u64, counts: &Counts) {
    let found = random::symmetric_model(seed).and_then(|(context, model)| {
        let graph = Graph::of(&model, Deadlock::Stuck, true, LARGEST)?;
        Some(check(&context, &model, &graph))
    });
    match found {
        Some(found) => counts.add(1, found.states, found.states, 0),
        None => counts.add(1, 0, 0, 1),
    }
}

/// The most states of a random model that is looked at.
pub const LARGEST: usize = 300;

/// Checks all that is said of the representatives of a graph's states.
pub fn check(context: &str, model: &Model, graph: &Graph) -> Figures {
    let layout = layout_of(model);
    let indices = indices(model);
    let structure = Structure::new(&layout, &indices);
    let mut subject = Subject { model, layout, canonicaliser: structure.canonicaliser() };
    let orbits = Orbits::of(model, graph);
    let (order, sizes) = (indices.all().order(), orbits.sizes());
    let swaps = transpositions(model);
    let mut forms = HashMap::new();
    let mut tracked = vec![0; model.types.index_types.len()];
    let mut kept = 0;
    for (number, state) in graph.states.iter().enumerate() {
        let (representative, permutation) = subject.representative(state);
        let back = renaming(&indices, &permutation).state(model, &representative);
        assert!(back == *state, "{permutation} does not lead back: {context}");
        let there = graph.numbers.get(&representative);
        let there = *there.unwrap_or_else(|| panic!("a representative is not reached: {context}"));
        let first = orbits.first[number];
        let known = *forms.entry(first).or_insert(there);
        assert_eq!(known, there, "two representatives of one orbit: {context}");
        assert_eq!(orbits.first[there], first, "a representative of another orbit: {context}");
        if there != number {
            continue;
        }
        let stabiliser = subject.stabiliser(state);
        assert_eq!(stabiliser.order() * sizes[&first], order, "orbit and stabiliser: {context}");
        for generator in stabiliser.generators() {
            let image = renaming(&indices, &generator).state(model, state);
            assert!(image == *state, "{generator} does not fix a state: {context}");
        }
        for (of, tracked) in indices.types().zip(&mut tracked) {
            let (points, orbits) = (indices.points_of(of), stabiliser.orbits());
            *tracked += points.map(|point| orbits[point as usize]).collect::<HashSet<_>>().len();
        }
        for (of, j, i, swap) in &swaps {
            let [i, j] = [i, j].map(|k| indices.points_of(*of).start + k);
            let fixes = swap.state(model, state) == *state;
            if indices.group(*of) == Group::Full {
                let alike = stabiliser.leader(i) == stabiliser.leader(j);
                assert_eq!(alike, fixes, "{of:?} {j} {i}: {context}");
            }
            let swap = Permutation::transposition(indices.points(), i, j);
            assert_eq!(stabiliser.contains(&swap), fixes, "{of:?} {swap}: {context}");
        }
        kept += graph.steps[number]
            .iter()
            .filter(|step| match step.process.member {
                Some(Scalar::Index(of, k)) => {
                    let point = indices.points_of(of).start + k;
                    stabiliser.leader(point) == point
                }
                _ => true,
            })
            .count();
    }
    let found = figures(model, graph);
    assert_eq!(forms.len(), found.representatives, "{context}");
    assert_eq!(tracked, found.tracked, "{context}");
    // Opposite points of a ring of four may be interchangeable, but are no class.
    let is_square = |of| indices.group(of) == Group::Dihedral && indices.points_of(of).len() == 4;
    if !indices.types().any(is_square) {
        assert_eq!(kept, found.kept, "{context}");
    }
    found
}

struct Subject<'s> {
    model: &'s Model,
    layout: Layout,
    canonicaliser: Canonicaliser<'s>,
}

impl Subject<'_> {
    fn packed(&self, state: &State) -> Vec<u64> {
        let mut cells = Vec::new();
        flatten_state(self.model, state, &mut cells);
        let mut packed = vec![0; self.layout.words()];
        self.layout.pack(&cells, &mut packed);
        packed
    }

    fn representative(&mut self, state: &State) -> (State, Permutation) {
        let mut packed = self.packed(state);
        let permutation = self.canonicaliser.canonicalise_with(&mut packed);
        let mut plainly = self.packed(state);
        self.canonicaliser.canonicalise(&mut plainly);
        assert_eq!(packed, plainly, "with and without the permutation");
        let mut cells = vec![0; self.layout.cells()];
        self.layout.unpack(&packed, &mut cells);
        (state_of(self.model, &cells), permutation)
    }

    fn stabiliser(&mut self, state: &State) -> Stabiliser {
        let packed = self.packed(state);
        self.canonicaliser.stabiliser(&packed).clone()
    }
}

/// The index types of a model, with their groups.
pub fn indices(model: &Model) -> Indices {
    let both = model.types.index_types.iter().zip(&model.symmetries);
    Indices::new(both.map(|(of, symmetry)| IndexType { size: of.size, group: symmetry.group }))
}

/// A permutation of points as brute force knows it.
pub fn renaming(indices: &Indices, permutation: &Permutation) -> Renaming {
    let images = |of: IndexTypeId| {
        let points = indices.points_of(of);
        let first = points.start;
        points.map(|point| permutation.image(point) - first).collect()
    };
    Renaming { images: indices.types().map(images).collect() }
}
