//! A [`Walker`] returns the edges of a representative and computes them on first use.

use super::edges::Edges;
use super::expander::{Expander, PackedStarts};
use super::groups::{GroupNumber, Groups};
use super::{Quotient, Representative, TrackedEdge, Unbuilt};
use crate::symmetry::{Permutation, Point, Stabiliser};
use hashbrown::HashSet;

/// A cursor over a quotient, one per thread. It owns its scratch buffers.
pub struct Walker<'q> {
    pub(super) quotient: &'q Quotient<'q>,
    expander: Expander<'q>,
    packed: Vec<u64>,
    /// The edges of the representative `made`, which was requested last, unless that failed.
    edges: Edges,
    made: Option<Representative>,
    pub(super) groups: Groups,
    /// The edge with tracked points that was reported last.
    pub(super) crossed: TrackedEdge,
    /// Buffers for a tuple and for the permutation of an edge.
    pub(super) points: Vec<Point>,
    pub(super) by: Permutation,
}

impl<'q> Walker<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let identity = Permutation::identity(quotient.structure.indices().points());
        Walker {
            expander: quotient.expander(),
            packed: vec![0; quotient.layout().words()],
            edges: Edges::default(),
            made: None,
            groups: Groups::default(),
            crossed: TrackedEdge {
                rule: 0,
                arguments: Vec::new(),
                target: Representative(0),
                tuple: Vec::new(),
                permutation: identity.clone(),
            },
            points: Vec::new(),
            by: identity,
            quotient,
        }
    }

    /// The packed state of a representative.
    pub fn state(&mut self, of: Representative) -> &[u64] {
        self.quotient.load(of, &mut self.packed);
        &self.packed
    }

    /// The stabiliser of a representative. If states are only sorted, the trivial group stands in
    /// for it.
    pub fn stabiliser(&mut self, of: Representative) -> &Stabiliser {
        self.groups.tidy();
        let group = self.group(of);
        self.groups.get(group)
    }

    /// The elements of a representative's stabiliser that fix a tuple.
    pub(super) fn fixing(&mut self, of: Representative, tuple: &[Point]) -> &Stabiliser {
        self.groups.tidy();
        let mut group = self.group(of);
        if !tuple.is_empty() && !self.groups.is_trivial(group) {
            group = self.groups.fixing(group, tuple);
        }
        self.groups.get(group)
    }

    /// The number of a representative's stabiliser.
    #[inline]
    pub(super) fn group(&mut self, of: Representative) -> GroupNumber {
        if let Some(known) = self.groups.of(of) {
            return known;
        }
        self.quotient.load(of, &mut self.packed);
        self.groups.insert(of, self.expander.stabiliser(&self.packed))
    }

    /// Moves the edges of a representative out of the walker, to be [put back](Walker::put_back).
    pub(super) fn take_edges(&mut self, of: Representative) -> Result<Edges, Unbuilt> {
        self.edges(of)?;
        self.made = None;
        Ok(std::mem::take(&mut self.edges))
    }

    /// Puts back edges that were taken, so that they need not be read again.
    pub(super) fn put_back(&mut self, of: Representative, edges: Edges) {
        (self.edges, self.made) = (edges, Some(of));
    }

    /// The edges out of a representative, one per orbit of its stabiliser on its steps. A run-time
    /// error in one of its steps, or in an assumption about their targets, is returned instead.
    pub fn edges(&mut self, of: Representative) -> Result<&Edges, Unbuilt> {
        if self.made == Some(of) {
            return Ok(&self.edges);
        }
        let points = self.quotient.structure.indices().points();
        let stores = !self.quotient.is_plain();
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

    fn make(&mut self, of: Representative) -> Result<(), Unbuilt> {
        let Walker { quotient, expander, packed, edges, .. } = self;
        let points = quotient.structure.indices().points();
        quotient.load(of, packed);
        edges.clear(points, false);
        let mut is_full = false;
        let is_stuck =
            expander.edges(packed, &mut |rule, arguments, target, permutation| match quotient
                .intern(target)
            {
                Some(target) => edges.push(rule, arguments, target, permutation.moved()),
                None => is_full = true,
            })?;
        if is_full {
            return Err(quotient.full());
        }
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
    type Item = Result<Representative, Unbuilt>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let packed = match self.packed.next()? {
                Ok(packed) => packed,
                Err(failure) => return Some(Err(failure.into())),
            };
            let Some(start) = self.quotient.intern(&packed) else {
                return Some(Err(self.quotient.full()));
            };
            if self.seen.insert(start) {
                return Some(Ok(start));
            }
        }
    }
}
