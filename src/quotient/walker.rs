//! Walking a quotient: who asks for edges makes them, if nobody has before.

use super::edges::Edges;
use super::steps::Orbiter;
use super::{Policy, Quotient, Representative};
use crate::model::interpret::Failure;
use crate::symmetry::{Canonicaliser, Permutation, Sorter, Stabiliser};
use crate::system::{Steps, Worker};
use hashbrown::HashSet;

/// Somebody who walks a quotient, with memory of its own: one per thread.
pub struct Walker<'q> {
    pub(super) quotient: &'q Quotient<'q>,
    worker: Box<dyn Worker + 'q>,
    orbiter: Orbiter<'q>,
    /// For states, and for their targets.
    canonicaliser: Canonicaliser<'q>,
    targets: Normaliser<'q>,
    /// Of states that are only sorted, nothing is known.
    trivial: Stabiliser,
    packed: Vec<u64>,
    target: Vec<u64>,
    bytes: Vec<u8>,
    steps: Steps,
    /// Those of the representative that was asked for last, if that did not fail.
    edges: Edges,
    made: Option<Representative>,
}

impl<'q> Walker<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let words = quotient.layout().words();
        Walker {
            worker: quotient.system.worker(),
            orbiter: quotient.steps.orbiter(),
            canonicaliser: quotient.structure.canonicaliser(),
            targets: Normaliser::new(quotient),
            trivial: Stabiliser::trivial(quotient.structure.indices().points()),
            packed: vec![0; words],
            target: vec![0; words],
            bytes: Vec::new(),
            steps: Steps::default(),
            edges: Edges::default(),
            made: None,
            quotient,
        }
    }

    /// The packed state of a representative.
    pub fn state(&mut self, of: Representative) -> &[u64] {
        self.quotient.load(of, &mut self.packed);
        &self.packed
    }

    /// What leaves a representative as it is; if states are only sorted, no more is known than the
    /// identity.
    pub fn stabiliser(&mut self, of: Representative) -> &Stabiliser {
        if self.quotient.is_sorted {
            return &self.trivial;
        }
        self.quotient.load(of, &mut self.packed);
        self.canonicaliser.stabiliser(&self.packed)
    }

    /// The edges out of a representative, one per orbit of its stabiliser on its steps. A run-time error
    /// in one of its steps, or in an assumption about their targets, is told instead.
    pub fn edges(&mut self, of: Representative) -> Result<&Edges, Failure> {
        if self.made == Some(of) {
            return Ok(&self.edges);
        }
        let points = self.quotient.structure.indices().points();
        let stores = self.quotient.policy != Policy::Recompute;
        self.made = None;
        if !(stores && self.quotient.read().edges.read(of, points, &mut self.edges)) {
            self.make(of)?;
            if stores {
                self.quotient.write().edges.insert(of, &self.edges);
            }
        }
        self.made = Some(of);
        Ok(&self.edges)
    }

    fn make(&mut self, of: Representative) -> Result<(), Failure> {
        let quotient = self.quotient;
        let layout = quotient.layout();
        let words = layout.words();
        quotient.load(of, &mut self.packed);
        self.steps.clear();
        self.worker.expand(&self.packed, &mut self.steps);
        if quotient.tells_failures
            && let Some(failure) = self.steps.failures.first()
        {
            return Err(failure.clone());
        }
        let points = quotient.structure.indices().points();
        self.edges.clear(points, self.steps.labels.is_empty());
        let stabiliser = if quotient.is_sorted {
            &self.trivial
        } else {
            self.canonicaliser.stabiliser(&self.packed)
        };
        self.orbiter.begin();
        for (k, label) in self.steps.labels.iter().enumerate() {
            let arguments = self.steps.arguments_of(k);
            let place = self.orbiter.place(&self.packed, layout, stabiliser, label.rule, arguments);
            if !place.is_first {
                continue;
            }
            self.target.copy_from_slice(&self.steps.targets[k * words..(k + 1) * words]);
            if quotient.has_assumptions {
                match self.worker.is_assumed(&self.target) {
                    Ok(true) => {}
                    Err(failure) if quotient.tells_failures => return Err(failure),
                    _ => continue,
                }
            }
            let permutation = self.targets.normalise(&mut self.target);
            let target = quotient.intern(&self.target, &mut self.bytes);
            self.edges.push(label.rule, arguments, target, permutation.moved());
        }
        Ok(())
    }
}

/// Replaces states by representatives.
enum Normaliser<'q> {
    Canonical(Box<Canonicaliser<'q>>),
    Sorted(Box<Sorter<'q>>),
}

impl<'q> Normaliser<'q> {
    fn new(quotient: &'q Quotient<'q>) -> Self {
        if quotient.is_sorted {
            Normaliser::Sorted(Box::new(quotient.structure.sorter()))
        } else {
            Normaliser::Canonical(Box::new(quotient.structure.canonicaliser()))
        }
    }

    /// Replaces a state, and tells what leads back.
    fn normalise(&mut self, packed: &mut [u64]) -> Permutation {
        match self {
            Normaliser::Canonical(canonicaliser) => canonicaliser.canonicalise_with(packed),
            Normaliser::Sorted(sorter) => sorter.sort_with(packed),
        }
    }
}

/// The representatives of start states, each once.
pub struct Starts<'q> {
    quotient: &'q Quotient<'q>,
    states: Box<dyn Iterator<Item = Result<Box<[u64]>, Failure>> + 'q>,
    worker: Box<dyn Worker + 'q>,
    normaliser: Normaliser<'q>,
    bytes: Vec<u8>,
    seen: HashSet<Representative>,
}

impl<'q> Starts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        Starts {
            states: quotient.system.starts(),
            worker: quotient.system.worker(),
            normaliser: Normaliser::new(quotient),
            bytes: Vec::new(),
            seen: HashSet::new(),
            quotient,
        }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<Representative, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.states.next()?.and_then(|packed| {
                let is_state = !self.quotient.has_assumptions || self.worker.is_assumed(&packed)?;
                Ok(is_state.then_some(packed))
            });
            let mut packed = match start {
                Ok(Some(packed)) => packed,
                Err(failure) if self.quotient.tells_failures => return Some(Err(failure)),
                _ => continue,
            };
            self.normaliser.normalise(&mut packed);
            let start = self.quotient.intern(&packed, &mut self.bytes);
            if self.seen.insert(start) {
                return Some(Ok(start));
            }
        }
    }
}
