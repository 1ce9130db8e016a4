//! Walking a quotient: who asks for edges makes them, if nobody has before.

use super::edges::Edges;
use super::expander::{Expander, PackedStarts};
use super::{Policy, Quotient, Representative};
use crate::model::interpret::Failure;
use crate::symmetry::Stabiliser;
use hashbrown::HashSet;

/// Somebody who walks a quotient, with memory of its own: one per thread.
pub struct Walker<'q> {
    pub(super) quotient: &'q Quotient<'q>,
    expander: Expander<'q>,
    packed: Vec<u64>,
    /// Those of the representative that was asked for last, if that did not fail.
    edges: Edges,
    made: Option<Representative>,
}

impl<'q> Walker<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        Walker {
            expander: quotient.expander(),
            packed: vec![0; quotient.layout().words()],
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
        self.quotient.load(of, &mut self.packed);
        self.expander.stabiliser(&self.packed)
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
        let Walker { quotient, expander, packed, edges, .. } = self;
        let points = quotient.structure.indices().points();
        quotient.load(of, packed);
        edges.clear(points, false);
        let is_stuck = expander.edges(packed, &mut |rule, arguments, target, permutation| {
            let target = quotient.intern(target);
            edges.push(rule, arguments, target, permutation.moved());
        })?;
        if is_stuck {
            edges.clear(points, true);
        }
        Ok(())
    }
}

/// The representatives of start states, each once.
pub struct Starts<'q> {
    quotient: &'q Quotient<'q>,
    packed: PackedStarts<'q>,
    seen: HashSet<Representative>,
}

impl<'q> Starts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        Starts { quotient, packed: quotient.packed_starts(), seen: HashSet::new() }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<Representative, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let packed = match self.packed.next()? {
                Ok(packed) => packed,
                Err(failure) => return Some(Err(failure)),
            };
            let start = self.quotient.intern(&packed);
            if self.seen.insert(start) {
                return Some(Ok(start));
            }
        }
    }
}
