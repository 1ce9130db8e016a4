//! Edges out of packed states, computed without storing them.
//!
//! A [`Walker`](super::Walker) stores the edges that an [`Expander`] computes, and numbers their
//! targets. A search without memory for that, which keeps the states that it needs by itself, uses
//! an [`Expander`] directly.

use super::folding::Normaliser;
use super::tracked::Crossing;
use super::{Folding, Quotient};
use crate::narrow::to_u32;
use crate::symmetry::{Permutation, Point, Stabiliser};
use crate::system::FaultId;
use crate::system::{Steps, Worker};

/// Computes the edges out of representatives. It owns its scratch buffers: one per thread.
pub struct Expander<'q> {
    pub(super) quotient: &'q Quotient<'q>,
    worker: Box<dyn Worker + 'q>,
    /// None if every state is its own representative, and every step its own orbit.
    folding: Option<Folding<'q>>,
    /// The stabiliser that is assumed if nothing is folded.
    trivial: Stabiliser,
    target: Vec<u64>,
    steps: Steps,
    /// The indices of the steps that no assumption cuts.
    left: Vec<u32>,
    /// Whether run-time errors are reported. Otherwise failing steps are omitted.
    tells_failures: bool,
    /// Whether a step of the current state was omitted because an assumption about it fails.
    omits: bool,
}

/// A callback for each edge: the rule, the arguments, the packed target, and the permutation.
pub(super) type Each<'e> = dyn FnMut(u32, &[i64], &[u64], &Permutation) + 'e;

/// An edge (r, l) –π→ (r′, l′), with r′ by value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedEdge {
    /// The rule of the step.
    pub rule: u32,
    /// The arguments of the event at r, as cells.
    pub arguments: Vec<i64>,
    /// The packed target r′.
    pub target: Box<[u64]>,
    /// The tracked points l′ at the target.
    pub tuple: Vec<Point>,
    /// The permutation π, which takes r′ to the concrete target of the step, and l′ to l.
    pub permutation: Permutation,
}

/// The edges that leave a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The edges.
    pub edges: Vec<PackedEdge>,
    /// Whether no rule is enabled. There may be no edges although some rule is enabled: then all
    /// targets violate an assumption.
    pub is_stuck: bool,
}

impl<'q> Expander<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        let folding = (!quotient.steps.are_single()).then(|| Folding::new(quotient));
        Expander {
            worker: quotient.system.worker(),
            folding,
            trivial: Stabiliser::trivial(quotient.structure.indices().points()),
            target: vec![0; quotient.layout().words()],
            steps: Steps::default(),
            left: Vec::new(),
            tells_failures: true,
            omits: false,
            quotient,
        }
    }

    /// The same, but start states and steps that fail are omitted, for callers that have reported
    /// them already. No other step is lost, because all steps equivalent to a failing one fail, too.
    pub(super) fn without_failures(self) -> Self {
        Expander { tells_failures: false, ..self }
    }

    /// Whether the last expansion was of a state none of whose steps fails.
    pub(super) fn is_sound(&self) -> bool {
        self.steps.faults.is_empty() && !self.omits
    }

    /// The stabiliser of a packed representative. If states are only sorted, the trivial group
    /// stands in for it.
    pub fn stabiliser(&mut self, of: &[u64]) -> &Stabiliser {
        match &mut self.folding {
            Some(folding) => folding.stabiliser(of),
            None => &self.trivial,
        }
    }

    /// Reports the edges out of a packed representative, one per orbit of its stabiliser on its
    /// steps. Returns whether no rule is enabled.
    pub(super) fn edges(&mut self, of: &[u64], each: &mut Each<'_>) -> Result<bool, FaultId> {
        let quotient = self.quotient;
        let words = quotient.layout().words();
        self.expand(of)?;
        let Some(folding) = &mut self.folding else {
            let identity = Permutation::identity(quotient.structure.indices().points());
            let (steps, left) = self.select()?;
            for k in run::polled(left).map(|&k| k as usize) {
                let target = &steps.targets[k * words..(k + 1) * words];
                each(steps.labels[k].rule, steps.arguments_of(k), target, &identity);
            }
            return Ok(steps.labels.is_empty());
        };
        folding.begin(of);
        for (k, label) in run::polled(&self.steps.labels).enumerate() {
            let arguments = self.steps.arguments_of(k);
            if !folding.place(of, label.rule, arguments).is_first {
                continue;
            }
            self.target.copy_from_slice(&self.steps.targets[k * words..(k + 1) * words]);
            if quotient.has_assumptions {
                match self.worker.is_assumed(&self.target) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(failure) if self.tells_failures => return Err(failure),
                    Err(_) => {
                        self.omits = true;
                        continue;
                    }
                }
            }
            let permutation = folding.normalise_with(&mut self.target);
            each(label.rule, arguments, &self.target, &permutation);
        }
        Ok(self.steps.labels.is_empty())
    }

    /// The steps out of a packed state, and the indices of those that no assumption cuts. Every
    /// state must be its own representative, and every step its own orbit.
    pub(super) fn plain_steps(&mut self, of: &[u64]) -> Result<(&Steps, &[u32]), FaultId> {
        self.expand(of)?;
        self.select()
    }

    /// The current steps, and the indices of those that no assumption cuts.
    fn select(&mut self) -> Result<(&Steps, &[u32]), FaultId> {
        let Expander { quotient, worker, steps, left, tells_failures, omits, .. } = self;
        let words = quotient.layout().words();
        left.clear();
        if !quotient.has_assumptions {
            left.extend(0..to_u32(steps.labels.len()));
            return Ok((steps, left));
        }
        for k in run::polled(0..steps.labels.len()) {
            match worker.is_assumed(&steps.targets[k * words..(k + 1) * words]) {
                Ok(true) => left.push(to_u32(k)),
                Ok(false) => {}
                Err(failure) if *tells_failures => return Err(failure),
                Err(_) => *omits = true,
            }
        }
        Ok((steps, left))
    }

    /// The result of the last call of [`Expander::plain_steps`].
    pub(super) fn made(&self) -> (&Steps, &[u32]) {
        (&self.steps, &self.left)
    }

    /// Computes the steps out of a packed state.
    fn expand(&mut self, of: &[u64]) -> Result<(), FaultId> {
        self.steps.clear();
        self.omits = false;
        self.worker.expand(of, &mut self.steps);
        run::poll_for(1 + self.steps.labels.len() as u64 / 16);
        match self.steps.faults.first() {
            Some(failure) if self.tells_failures => Err(*failure),
            _ => Ok(()),
        }
    }

    /// The edges out of a node with tracked points: the same as
    /// [`Walker::tracked_edges`](super::Walker::tracked_edges).
    pub fn tracked_edges(&mut self, of: &[u64], tuple: &[Point]) -> Result<Expansion, FaultId> {
        let mut found = Vec::new();
        let is_stuck = self.edges(of, &mut |rule, arguments, target, permutation| {
            let (arguments, target) = (arguments.to_vec(), target.into());
            let permutation = permutation.clone();
            found.push(PackedEdge { rule, arguments, target, tuple: Vec::new(), permutation });
        })?;
        if tuple.is_empty() {
            // Without tracked points, Stab(r, l) is Stab(r).
            return Ok(Expansion { edges: found, is_stuck });
        }
        let quotient = self.quotient;
        let stabiliser = self.stabiliser(of).clone();
        let inner = stabiliser.fixing(tuple);
        let mut edges = Vec::with_capacity(found.len());
        for edge in run::polled(found) {
            let PackedEdge { rule, arguments, target, permutation, .. } = edge;
            let spread = quotient.spread(&stabiliser, &inner, rule, &arguments);
            let there = self.stabiliser(&target);
            for by in spread {
                let crossing = Crossing::new(&by.after(&permutation), tuple, there);
                let arguments = quotient.renamed(rule, &by, &arguments);
                let Crossing { tuple, permutation } = crossing;
                edges.push(PackedEdge {
                    rule,
                    arguments,
                    target: target.clone(),
                    tuple,
                    permutation,
                });
            }
        }
        Ok(Expansion { edges, is_stuck })
    }
}

/// The packed representatives of start states, possibly with repetitions.
pub struct PackedStarts<'q> {
    quotient: &'q Quotient<'q>,
    states: Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + 'q>,
    worker: Box<dyn Worker + 'q>,
    normaliser: Normaliser<'q>,
    tells_failures: bool,
}

impl<'q> PackedStarts<'q> {
    pub(super) fn new(quotient: &'q Quotient<'q>) -> Self {
        PackedStarts {
            states: quotient.system.starts(),
            worker: quotient.system.worker(),
            normaliser: Normaliser::new(quotient),
            tells_failures: true,
            quotient,
        }
    }

    /// Whether start states that fail are reported.
    pub(super) fn tells_failures(&self) -> bool {
        self.tells_failures
    }

    /// The same without the start states that fail.
    pub(super) fn without_failures(self) -> Self {
        PackedStarts { tells_failures: false, ..self }
    }
}

impl Iterator for PackedStarts<'_> {
    type Item = Result<Box<[u64]>, FaultId>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.states.next()?.and_then(|packed| {
                let is_state = !self.quotient.has_assumptions || self.worker.is_assumed(&packed)?;
                Ok(is_state.then_some(packed))
            });
            match start {
                Ok(Some(mut packed)) => {
                    self.normaliser.normalise_with(&mut packed);
                    return Some(Ok(packed));
                }
                Err(failure) if self.tells_failures => return Some(Err(failure)),
                _ => {}
            }
        }
    }
}
