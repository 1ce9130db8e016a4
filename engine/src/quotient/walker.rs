//! A [`Walker`] returns the edges of a representative and computes them on first use.

use super::groups::{GroupNumber, Groups};
use super::successors::{PackedStarts, Reported, Successors};
use super::{Edges, Quotient, Representative, TrackedEdge, Unbuilt};
use crate::bits::Bits;
use crate::space::KnownPermutations;
use crate::symmetry::{Permutation, Point, Stabiliser};

/// A cursor over a quotient, one per thread, which is before the first start. It owns its scratch
/// buffers.
pub struct Walker<'q> {
    pub(super) quotient: &'q Quotient<'q>,
    successors: Successors<'q>,
    /// The start states that were not returned yet.
    starts: Starts<'q>,
    /// The state of the representative `loaded`, which was read last.
    packed: Vec<u64>,
    loaded: Option<Representative>,
    /// The edges of the representative `made`, which was requested last, unless that failed.
    edges: Edges,
    made: Option<Representative>,
    permutations: KnownPermutations,
    pub(super) groups: Groups,
    /// The edge with tracked points that was reported last.
    pub(super) crossed: TrackedEdge,
    /// Buffers for a tuple and for the permutation of an edge.
    pub(super) points: Vec<Point>,
    pub(super) by: Permutation,
    /// Whether run-time errors are reported. Otherwise what fails is omitted.
    tells_failures: bool,
    /// Whether nothing failed in the steps that were computed last.
    is_sound: bool,
}

impl<'q> Walker<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let identity = Permutation::identity(quotient.structure.indices().points());
        Walker {
            successors: quotient.successors(),
            starts: quotient.starts(),
            packed: vec![0; quotient.layout().words()],
            loaded: None,
            edges: Edges::default(),
            made: None,
            permutations: KnownPermutations::default(),
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
            is_sound: true,
            quotient,
        }
    }

    /// The next representative of a start state. Each is returned once.
    pub(crate) fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        loop {
            match self.starts.next()? {
                Err(Unbuilt::Failed(_)) if !self.tells_failures => {}
                start => return Some(start),
            }
        }
    }

    /// The packed state of a representative.
    pub fn state(&mut self, of: Representative) -> &[u64] {
        if self.loaded != Some(of) {
            self.quotient.space.load(of, &mut self.packed);
            self.loaded = Some(of);
        }
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
        self.state(of);
        self.groups.insert(of, self.successors.stabiliser(&self.packed))
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
            if stores && self.is_sound {
                let stored =
                    self.quotient.space.store_edges(of, &self.edges, &mut self.permutations);
                stored.ok_or_else(|| self.quotient.full())?;
            }
        }
        self.made = Some(of);
        Ok(&self.edges)
    }

    fn make(&mut self, of: Representative) -> Result<(), Unbuilt> {
        self.state(of);
        let Walker { quotient, successors, packed, edges, tells_failures, is_sound, .. } = self;
        let steps = successors.expand(packed);
        quotient.fired.note(steps);
        *is_sound = steps.faults.is_empty();
        match steps.faults.first() {
            Some(&fault) if *tells_failures => return Err(fault.into()),
            _ => {}
        }
        edges.clear(steps.labels.is_empty());
        successors.begin(packed);
        successors.each(packed, Reported::First, |step| {
            let mut step = match step {
                Err(fault) if *tells_failures => return Err(fault.into()),
                Err(_) => {
                    *is_sound = false;
                    return Ok(());
                }
                Ok(step) => step,
            };
            let (target, permutation) = step.target_with();
            let target = quotient.space.intern(target).ok_or_else(|| quotient.full())?;
            let moves = permutation.iter().flat_map(Permutation::moved);
            edges.push(step.rule(), step.arguments(), target, moves);
            Ok(())
        })
    }

    /// The same, but start states and steps that fail are omitted, for callers that have reported
    /// them already. No other step is lost, because all steps equivalent to a failing one fail, too.
    pub(crate) fn without_failures(self) -> Self {
        Walker { tells_failures: false, ..self }
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
    Now { packed: Box<PackedStarts<'q>>, seen: Bits, found: Vec<Representative>, fails: bool },
}

impl<'q> Starts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let made = if let Some(known) = quotient.space.starts() {
            Made::Known(known.iter())
        } else {
            let packed = Box::new(quotient.packed_starts());
            Made::Now { packed, seen: Bits::default(), found: Vec::new(), fails: false }
        };
        Starts { quotient, made }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<Representative, Unbuilt>;

    fn next(&mut self) -> Option<Self::Item> {
        let Starts { quotient, made } = self;
        let (packed, seen, found, fails) = match made {
            Made::Known(known) => return known.next().map(|&start| Ok(start)),
            Made::Now { packed, seen, found, fails } => (packed, seen, found, fails),
        };
        loop {
            let packed = match packed.next() {
                Some(Ok(packed)) => packed,
                Some(Err(failure)) => {
                    *fails = true;
                    return Some(Err(failure.into()));
                }
                None => {
                    // Otherwise the next one who asks is to be told of the failures.
                    if !*fails {
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
