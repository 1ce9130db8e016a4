//! Orbits folded to one element each: those of the steps out of a state, and those of states.

use super::{Orbiter, Place, Quotient};
use crate::symmetry::{Canonicaliser, Permutation, Sorter, Stabiliser};

/// Folds steps and states. It owns its scratch buffers: one per thread.
pub(crate) struct Folding<'q> {
    quotient: &'q Quotient<'q>,
    orbiter: Orbiter<'q>,
    /// Computes the stabilisers of sources; `targets` replaces their successors.
    sources: Canonicaliser<'q>,
    targets: Targets<'q>,
    /// The stabiliser that is assumed if states are only sorted.
    trivial: Stabiliser,
}

impl<'q> Folding<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        Folding {
            orbiter: quotient.steps.orbiter(),
            sources: quotient.structure.canonicaliser(),
            targets: if quotient.is_sorted() {
                Targets::Sorted(Box::new(quotient.structure.sorter()))
            } else {
                Targets::Canonical(Box::new(quotient.structure.canonicaliser()))
            },
            trivial: Stabiliser::trivial(quotient.structure.indices().points()),
            quotient,
        }
    }

    /// The stabiliser of a packed representative. If states are only sorted, the trivial group
    /// stands in for it.
    pub(crate) fn stabiliser(&mut self, of: &[u64]) -> &Stabiliser {
        if self.quotient.is_sorted() { &self.trivial } else { self.sources.stabiliser(of) }
    }

    /// Begins with the steps of a packed representative, and returns its stabiliser.
    pub(crate) fn begin(&mut self, of: &[u64]) -> &Stabiliser {
        self.orbiter.begin();
        self.stabiliser(of)
    }

    /// The place of a step among the equivalent steps of the representative that was begun. Must be
    /// called for all of them.
    pub(crate) fn place(&mut self, of: &[u64], rule: u32, arguments: &[i64]) -> Place {
        let Folding { quotient, orbiter, sources, trivial, .. } = self;
        let stabiliser = if quotient.is_sorted() { trivial } else { sources.last_stabiliser() };
        orbiter.place(of, quotient.layout(), stabiliser, rule, arguments)
    }

    /// Replaces a state by its representative.
    pub(crate) fn normalise(&mut self, packed: &mut [u64]) {
        match &mut self.targets {
            Targets::Canonical(canonicaliser) => canonicaliser.canonicalise(packed),
            Targets::Sorted(sorter) => sorter.sort(packed),
        }
    }

    /// Replaces a state by its representative, and returns the permutation that leads back.
    pub(crate) fn normalise_with(&mut self, packed: &mut [u64]) -> Permutation {
        match &mut self.targets {
            Targets::Canonical(canonicaliser) => canonicaliser.canonicalise_with(packed),
            Targets::Sorted(sorter) => sorter.sort_with(packed),
        }
    }
}

/// What replaces states by representatives.
enum Targets<'q> {
    Canonical(Box<Canonicaliser<'q>>),
    Sorted(Box<Sorter<'q>>),
}
