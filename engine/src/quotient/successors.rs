//! The successors of packed states, for all that walks them: expand, cut by assumptions, one step
//! per orbit, normalise.
//!
//! Explorations send successors to a store, a [`Walker`](super::Walker) numbers them and stores the
//! edges, a [`PlainWalker`](super::PlainWalker) numbers them alone, and a search without memory for
//! that keeps the states that it needs by itself.

#![allow(clippy::inline_always, reason = "a step costs less than a call")]

use super::folding::Folding;
use super::{Place, Quotient};
use crate::symmetry::{Permutation, Point, Reached, Stabiliser};
use crate::system::{FaultId, Steps, Worker};
use std::rc::Rc;

/// Computes the successors of packed states. It owns its scratch memory: one per thread.
pub(crate) struct Successors<'q> {
    quotient: &'q Quotient<'q>,
    worker: Box<dyn Worker + 'q>,
    /// None if nothing is permuted: then every state is its own representative, and every step its
    /// own orbit.
    folding: Option<Folding<'q>>,
    /// The stabiliser that is assumed if nothing is folded.
    trivial: Stabiliser,
    /// The steps out of the state that was expanded last.
    steps: Steps,
    target: Vec<u64>,
}

/// Which of the steps that are equivalent under the stabiliser of their source are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reported {
    /// All of them, as if none was equivalent to another.
    Single,
    /// All of them, each with its place among them.
    All,
    /// The one that represents its orbit.
    First,
}

/// A step that no assumption cuts.
pub(crate) struct Successor<'s, 'q> {
    steps: &'s Steps,
    /// Its index among the steps of its source.
    pub(crate) number: usize,
    /// Its place among the steps that are equivalent to it.
    pub(crate) place: Place,
    words: usize,
    folding: Option<&'s mut Folding<'q>>,
    target: &'s mut [u64],
}

impl Successor<'_, '_> {
    /// The rule of the step.
    #[inline]
    pub(crate) fn rule(&self) -> u32 {
        self.steps.labels[self.number].rule
    }

    /// The arguments of the event, as cells.
    #[inline]
    pub(crate) fn arguments(&self) -> &[i64] {
        self.steps.arguments_of(self.number)
    }

    /// Whether the target is the source.
    #[inline]
    pub(crate) fn stutters(&self) -> bool {
        self.steps.labels[self.number].stutters
    }

    /// The representative of the target.
    #[inline]
    pub(crate) fn target(&mut self) -> &[u64] {
        let Successor { steps, number, words, folding, target, .. } = self;
        let concrete = &steps.targets[*number * *words..][..*words];
        let Some(folding) = folding else { return concrete };
        target.copy_from_slice(concrete);
        folding.normalise(target);
        target
    }

    /// The representative of the target, and the permutation that takes it to the target; none if
    /// nothing is permuted.
    pub(crate) fn target_with(&mut self) -> (&[u64], Option<Permutation>) {
        let Successor { steps, number, words, folding, target, .. } = self;
        let concrete = &steps.targets[*number * *words..][..*words];
        let Some(folding) = folding else { return (concrete, None) };
        target.copy_from_slice(concrete);
        let back = folding.normalise_with(target);
        (target, Some(back))
    }
}

impl<'q> Successors<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let indices = quotient.structure.indices();
        Successors {
            worker: quotient.system.worker(),
            folding: (!indices.is_trivial()).then(|| Folding::new(quotient)),
            trivial: Stabiliser::trivial(indices.points()),
            steps: Steps::default(),
            target: vec![0; quotient.layout().words()],
            quotient,
        }
    }

    /// What is true of states.
    pub(crate) fn worker(&mut self) -> &mut (dyn Worker + 'q) {
        &mut *self.worker
    }

    /// The stabiliser of a packed representative. If states are only sorted, the trivial group
    /// stands in for it.
    pub(crate) fn stabiliser(&mut self, of: &[u64]) -> &Stabiliser {
        match &mut self.folding {
            Some(folding) => folding.stabiliser(of),
            None => &self.trivial,
        }
    }

    /// Begins with the steps out of a packed representative, and returns its stabiliser.
    pub(crate) fn begin(&mut self, of: &[u64]) -> &Stabiliser {
        match &mut self.folding {
            Some(folding) => folding.begin(of),
            None => &self.trivial,
        }
    }

    /// Replaces a state by its representative.
    pub(crate) fn normalise(&mut self, packed: &mut [u64]) {
        if let Some(folding) = &mut self.folding {
            folding.normalise(packed);
        }
    }

    /// Replaces a state by its representative, and returns the permutation that leads back.
    pub(crate) fn normalise_with(&mut self, packed: &mut [u64]) -> Permutation {
        match &mut self.folding {
            Some(folding) => folding.normalise_with(packed),
            None => Permutation::identity(self.trivial.points()),
        }
    }

    /// Whether no assumption cuts a state.
    #[inline]
    pub(crate) fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        if self.quotient.has_assumptions { self.worker.is_assumed(state) } else { Ok(true) }
    }

    /// Computes all steps out of a packed state.
    pub(crate) fn expand(&mut self, of: &[u64]) -> &Steps {
        self.steps.clear();
        self.worker.expand(of, &mut self.steps);
        // A step takes memory for its target.
        run::poll_for(1 + self.steps.labels.len() as u64 / 16);
        &self.steps
    }

    /// The steps out of the state that was expanded last, those that assumptions cut included.
    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The `cover` statements that were true in the last expansion, to be taken out.
    pub(crate) fn covered(&mut self) -> &mut Vec<terms::PropertyId> {
        &mut self.steps.covered
    }

    /// For each step out of the state that was expanded last, whether it stutters, and its target; none
    /// if states are folded, steps may be cut, or states have no words.
    pub(crate) fn plain(&self) -> Option<impl ExactSizeIterator<Item = (bool, &[u64])>> {
        let Steps { labels, targets, .. } = &self.steps;
        let words = self.target.len();
        let is_plain = self.folding.is_none() && !self.quotient.has_assumptions && words > 0;
        is_plain.then(|| labels.iter().map(|one| one.stutters).zip(targets.chunks_exact(words)))
    }

    /// Reports the steps out of the packed representative that was [begun](Successors::begin) and
    /// expanded last, and faults of assumptions about their targets. An error of `each` is returned
    /// at once.
    #[inline(always)]
    pub(crate) fn each<E>(
        &mut self,
        of: &[u64],
        reported: Reported,
        mut each: impl FnMut(Result<Successor<'_, 'q>, FaultId>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Successors { quotient, worker, folding, steps, target, .. } = self;
        let words = target.len();
        for number in 0..steps.labels.len() {
            let mut place = Place { is_first: true, is_kept: true };
            if let (Some(folding), true) = (&mut *folding, reported != Reported::Single) {
                run::poll();
                place = folding.place(of, steps.labels[number].rule, steps.arguments_of(number));
                if !place.is_first && reported == Reported::First {
                    continue;
                }
            }
            let mut fault = None;
            if quotient.has_assumptions {
                match worker.is_assumed(&steps.targets[number * words..][..words]) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(fails) => fault = Some(fails),
                }
            }
            // Called in one place, so that it is inlined.
            each(match fault {
                None => {
                    Ok(Successor { steps, number, place, words, folding: folding.as_mut(), target })
                }
                Some(fault) => Err(fault),
            })?;
        }
        Ok(())
    }

    /// Expands a packed representative and reports one step of each orbit of its stabiliser. A
    /// run-time error in one of its steps, or in an assumption about their targets, is returned
    /// instead. Returns whether no rule is enabled.
    pub(crate) fn of(
        &mut self,
        of: &[u64],
        mut each: impl FnMut(Successor<'_, 'q>),
    ) -> Result<bool, FaultId> {
        if let Some(&fault) = self.expand(of).faults.first() {
            return Err(fault);
        }
        self.begin(of);
        self.each(of, Reported::First, |step| step.map(&mut each))?;
        Ok(self.steps.labels.is_empty())
    }
}

/// An edge (r, l) –π→ (r′, l′) with r′ by value, and without the permutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PackedEdge {
    /// The rule of the step.
    pub(crate) rule: u32,
    /// The arguments of the event at r, as cells.
    pub(crate) arguments: Vec<i64>,
    /// The packed target r′.
    pub(crate) target: Rc<[u64]>,
    /// The tracked points l′ at the target.
    pub(crate) tuple: Rc<[Point]>,
}

impl Successors<'_> {
    /// The tuples with which runs from a packed start representative begin: the same as
    /// [`Walk::starts_with`](super::Walk::starts_with).
    pub(crate) fn starts_with(&mut self, start: &[u64], l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }

    /// The edges out of a node with tracked points, and whether no rule is enabled: the same as
    /// [`Walk::tracked_edges`](super::Walk::tracked_edges).
    pub(crate) fn tracked_edges(
        &mut self,
        of: &[u64],
        tuple: &[Point],
    ) -> Result<(Vec<PackedEdge>, bool), FaultId> {
        let (mut found, mut annotations) = (Vec::new(), Vec::new());
        // Without tracked points, Stab(r, l) is Stab(r).
        let is_whole = tuple.is_empty() || self.folding.is_none();
        let is_stuck = self.of(of, |mut step| {
            // A state may have very many steps: limits hold meanwhile.
            run::poll();
            let (rule, arguments) = (step.rule(), step.arguments().to_vec());
            let (target, annotation) = step.target_with();
            found.push(PackedEdge { rule, arguments, target: target.into(), tuple: tuple.into() });
            if !is_whole {
                annotations.push(annotation);
            }
        })?;
        if is_whole {
            return Ok((found, is_stuck));
        }
        let quotient = self.quotient;
        let outer = self.stabiliser(of).clone();
        let inner = outer.fixing(tuple);
        let mut edges = Vec::with_capacity(found.len());
        for (edge, annotation) in run::polled(found.into_iter().zip(annotations)) {
            let annotation = annotation.expect("states are folded");
            let there = self.stabiliser(&edge.target);
            for by in quotient.spread(&outer, &inner, edge.rule, &edge.arguments) {
                let back = by.after(&annotation).inverse();
                let moved: Vec<Point> = tuple.iter().map(|&point| back.image(point)).collect();
                edges.push(PackedEdge {
                    arguments: quotient.renamed(edge.rule, &by, &edge.arguments),
                    tuple: there.least(&moved).tuple.into(),
                    ..edge.clone()
                });
            }
        }
        Ok((edges, is_stuck))
    }
}

/// The packed representatives of start states, possibly with repetitions.
pub(crate) struct PackedStarts<'q> {
    states: Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + 'q>,
    pub(crate) successors: Successors<'q>,
}

impl<'q> PackedStarts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        PackedStarts { states: quotient.system.starts(), successors: Successors::new(quotient) }
    }
}

impl PackedStarts<'_> {
    /// The next start state; none in its place if an assumption removes it.
    pub(crate) fn candidate(&mut self) -> Option<Result<Option<Box<[u64]>>, FaultId>> {
        run::poll();
        let start = self.states.next()?;
        Some(start.and_then(|mut packed| {
            let is_assumed = self.successors.is_assumed(&packed)?;
            Ok(is_assumed.then(|| {
                self.successors.normalise(&mut packed);
                packed
            }))
        }))
    }
}

impl Iterator for PackedStarts<'_> {
    type Item = Result<Box<[u64]>, FaultId>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(kept) = self.candidate()?.transpose() {
                return Some(kept);
            }
        }
    }
}
