//! A [`Walker`] returns the edges of a representative and computes them on first use.

use super::expander::{Expander, PackedStarts};
use super::groups::{GroupNumber, Groups};
use super::{Edges, Quotient, Representative, TrackedEdge, Unbuilt};
use crate::bits::Bits;
use crate::symmetry::{Permutation, Point, Stabiliser};

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
    /// Whether run-time errors are reported. Otherwise what fails is omitted.
    tells_failures: bool,
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
            tells_failures: true,
            quotient,
        }
    }

    /// The packed state of a representative.
    pub fn state(&mut self, of: Representative) -> &[u64] {
        self.quotient.space.load(of, &mut self.packed);
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
        self.quotient.space.load(of, &mut self.packed);
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
        let stores = !self.quotient.is_plain();
        self.made = None;
        if !(stores && self.quotient.space.load_edges(of, &mut self.edges)) {
            self.make(of)?;
            // The edges of a state with failing steps are not complete.
            if stores && self.expander.is_sound() {
                self.quotient
                    .space
                    .store_edges(of, &self.edges)
                    .ok_or_else(|| self.quotient.full())?;
            }
        }
        self.made = Some(of);
        Ok(&self.edges)
    }

    fn make(&mut self, of: Representative) -> Result<(), Unbuilt> {
        let Walker { quotient, expander, packed, edges, .. } = self;
        quotient.space.load(of, packed);
        edges.clear(false);
        let mut is_full = false;
        let is_stuck =
            expander.edges(packed, &mut |rule, arguments, target, permutation| match quotient
                .space
                .intern(target)
            {
                Some(target) => edges.push(rule, arguments, target, permutation.moved()),
                None => is_full = true,
            })?;
        if is_full {
            return Err(quotient.full());
        }
        if is_stuck {
            edges.clear(true);
        }
        Ok(())
    }

    /// The same, but start states and steps that fail are omitted, for callers that have reported
    /// them already.
    pub(crate) fn without_failures(self) -> Self {
        Walker { expander: self.expander.without_failures(), tells_failures: false, ..self }
    }

    /// The representatives of start states, each once.
    pub(super) fn starts(&self) -> Starts<'q> {
        let starts = Starts::new(self.quotient);
        if self.tells_failures { starts } else { starts.without_failures() }
    }
}

/// The representatives of start states, each once.
pub struct Starts<'q> {
    quotient: &'q Quotient<'q>,
    made: Made<'q>,
}

/// Where start states come from.
enum Made<'q> {
    /// All are known: the next one.
    Known(std::slice::Iter<'q, Representative>),
    /// From the system, with those that were returned already.
    Now { packed: Box<PackedStarts<'q>>, seen: Bits, found: Vec<Representative> },
}

impl<'q> Starts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let made = if let Some(known) = quotient.space.starts() {
            Made::Known(known.iter())
        } else {
            let packed = Box::new(quotient.packed_starts());
            Made::Now { packed, seen: Bits::default(), found: Vec::new() }
        };
        Starts { quotient, made }
    }

    fn without_failures(self) -> Self {
        let made = match self.made {
            Made::Now { packed, seen, found } => {
                Made::Now { packed: Box::new(packed.without_failures()), seen, found }
            }
            known @ Made::Known(_) => known,
        };
        Starts { made, ..self }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<Representative, Unbuilt>;

    fn next(&mut self) -> Option<Self::Item> {
        let Starts { quotient, made } = self;
        let (packed, seen, found) = match made {
            Made::Known(known) => return known.next().map(|&start| Ok(start)),
            Made::Now { packed, seen, found } => (packed, seen, found),
        };
        loop {
            let packed = match packed.next() {
                Some(Ok(packed)) => packed,
                Some(Err(failure)) => return Some(Err(failure.into())),
                None => {
                    if packed.tells_failures() {
                        quotient.space.set_starts(std::mem::take(found));
                    }
                    return None;
                }
            };
            let Some(start) = quotient.space.intern(&packed) else {
                return Some(Err(quotient.full()));
            };
            if seen.insert(start.number()) {
                found.push(start);
                return Some(Ok(start));
            }
        }
    }
}
