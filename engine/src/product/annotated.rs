//! Products whose edges carry permutations.

use super::bases::Bases;
use super::steps::{Found, Steps};
use super::{
    Base, Label, Letters, Place, Product, ProductEdge, Reader, StepNumber, Stop, Taken, Touched,
    Walked, read_steps,
};
use crate::quotient::{Outline, Quotient, Representative, TrackedEdge, Walk};
use crate::search::{Graph, Node};
use crate::symmetry::{Permutation, Point};
use automata::State;

/// A product with an automaton, as far as it has been explored. Each (r, l) costs the memory of its
/// steps, which all states of the automaton share.
pub struct AnnotatedProduct<'p, W> {
    walked: Walked<'p>,
    walk: W,
    letters: &'p mut dyn Letters,
    /// Start nodes that were computed but not yet returned.
    waiting: Vec<Node>,
    bases: Bases,
    steps: Steps,
}

impl<'p, W: Walk> AnnotatedProduct<'p, W> {
    /// Creates the product with an automaton for the given tracked points.
    pub fn new(
        quotient: &'p Quotient<'p>,
        walk: W,
        reader: &'p Reader,
        letters: &'p mut dyn Letters,
        tracked: Vec<Point>,
    ) -> Self {
        AnnotatedProduct {
            bases: Bases::new(&tracked, quotient.structure().indices(), reader.states()),
            walked: Walked::new(quotient, reader, tracked),
            walk,
            letters,
            waiting: Vec::new(),
            steps: Steps::new(false),
        }
    }

    /// The same product, but it keeps the labels of steps.
    #[must_use]
    pub fn with_labels(mut self) -> Self {
        self.steps = Steps::new(true);
        self
    }

    /// The steps out of (r, l), computed once for all states of the automaton.
    fn steps(&mut self, base: Base) -> Result<Found, Stop> {
        if let Some(known) = self.steps.find(base) {
            return Ok(known);
        }
        let (of, points) = self.bases.get(base);
        self.walked.admit(of)?;
        let points = points.to_vec();
        let state_letter = self.letters.of_state(self.walk.state(of), &points)?;
        let Outline { edges: count, is_stuck } = self.walk.outline(of)?;
        self.walked.touched.insert(of, count);
        let identity = Permutation::identity(self.structure().indices().points());
        let AnnotatedProduct { walk, letters, bases, steps, .. } = self;
        let new = steps.begin();
        if is_stuck {
            steps.push(base, 0, &identity, None);
        }
        let mut failed = None;
        let walked = walk.each_tracked_edge(of, &points, &mut |edge| {
            let letter = letters.of_step(edge.rule, &edge.arguments, &points);
            match bases.intern(edge.target, &edge.tuple) {
                Ok(target) => {
                    let action = Some((edge.rule, &edge.arguments[..]));
                    steps.push(target, letter, &edge.permutation, action);
                }
                Err(stop) => failed = Some(stop),
            }
        });
        if let Some(stop) = walked.map_err(Stop::from).err().or(failed) {
            steps.abandon(new);
            return Err(stop);
        }
        steps.finish(base, state_letter, new)
    }
}

impl<W: Walk> Graph for AnnotatedProduct<'_, W> {
    type Edge = Taken;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<Node>, Stop> {
        let initial = self.walked.reader.initial();
        while self.waiting.is_empty() {
            let Some(start) = self.walk.next_start() else { return Ok(None) };
            let start = start?;
            if self.walked.tracked.is_empty() {
                let base = self.bases.intern(start, &[])?;
                self.waiting.push(self.walked.intern(base, initial)?);
                break;
            }
            let reached = self.walk.starts_with(start, &self.walked.tracked);
            for reached in reached.into_iter().rev() {
                let base = self.bases.intern(start, &reached.tuple)?;
                self.waiting.push(self.walked.intern(base, initial)?);
            }
        }
        let start = self.waiting.pop();
        self.walked.started.extend(start);
        Ok(start)
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, Taken)>) -> Result<(), Stop> {
        let (base, state) = self.walked.parts(node);
        let steps = self.steps(base)?;
        let reader = self.walked.reader;
        for number in run::polled(steps.numbers()) {
            let step = self.steps.get(number);
            let letter = steps.letter | self.steps.letter(step);
            for (state, marks) in reader.read(state, letter) {
                let target = self.walked.intern(step.target, state)?;
                found.push((target, Taken { step: number, code: marks }));
            }
        }
        Ok(())
    }
}

impl<W: Walk> Product for AnnotatedProduct<'_, W> {
    type Annotation = Permutation;

    fn walked(&self) -> &Walked<'_> {
        &self.walked
    }

    fn limit(&mut self, most: u64) {
        self.walked.most = most;
    }

    fn take_touched(&mut self) -> Touched {
        self.walked.take_touched()
    }

    fn meet(&mut self, of: Representative, tuple: &[Point], state: State) -> Result<Node, Stop> {
        let base = self.bases.intern(of, tuple)?;
        self.walked.intern(base, state)
    }

    fn place(&self, node: Node) -> Place {
        let (base, state) = self.walked.parts(node);
        Place { representative: self.bases.get(base).0, state }
    }

    fn tuple(&self, node: Node) -> &[Point] {
        self.bases.get(self.base(node)).1
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.walk.state(of)
    }

    fn start_frame(&mut self, node: Node) -> Option<Permutation> {
        let (representative, tuple) = self.bases.get(self.base(node));
        let starts = self.walk.starts_with(representative, &self.walked.tracked);
        let found = starts.into_iter().find(|reached| reached.tuple == tuple);
        found.map(|reached| reached.by.inverse())
    }

    fn label(&self, edge: Taken) -> Label<'_, Permutation> {
        self.steps.label(edge.step)
    }

    fn annotation(&self, step: StepNumber) -> &Permutation {
        self.steps.permutation(step)
    }

    fn symmetries(&mut self, node: Node) -> Vec<Permutation> {
        let (representative, tuple) = self.bases.get(self.base(node));
        self.walk.symmetries(representative, tuple)
    }

    fn enabled(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(u32, &[i64], Representative),
    ) -> Result<Vec<Permutation>, Stop> {
        let generators = self.walk.symmetries(of, &[]);
        for edge in self.walk.enabled_edges(of)? {
            each(edge.rule, &edge.arguments, edge.target);
        }
        Ok(generators)
    }

    fn steps_of(&mut self, base: Base) -> Result<Vec<(Representative, StepNumber)>, Stop> {
        let found = self.steps(base)?;
        let steps = found.numbers().map(|step| (self.steps.get(step).target, step));
        Ok(steps.map(|(target, step)| (self.bases.get(target).0, step)).collect())
    }

    fn tracked_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop> {
        let (representative, tuple) = self.bases.get(self.base(node));
        Ok(self.walk.tracked_edges(representative, tuple)?)
    }

    fn unfolded_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop> {
        let (representative, tuple) = self.bases.get(self.base(node));
        Ok(self.walk.unfolded_edges(representative, tuple)?)
    }

    fn read_along(
        &mut self,
        node: Node,
        steps: Vec<TrackedEdge>,
    ) -> Result<Vec<ProductEdge>, Stop> {
        let (base, state) = self.walked.parts(node);
        let letter = self.steps(base)?.letter;
        let (representative, points) = self.bases.get(base);
        let points = points.to_vec();
        let is_stuck = self.walk.outline(representative)?.is_stuck;
        let AnnotatedProduct { walked, letters, bases, .. } = self;
        let here = (&points[..], letter, is_stuck);
        read_steps(walked.reader, *letters, here, state, steps, |step, state| {
            let target = match step {
                None => base,
                Some(step) => bases.intern(step.target, &step.tuple)?,
            };
            walked.intern(target, state)
        })
    }
}
