//! Quotients that are walked otherwise: one whose annotations are chosen at random, which must make no
//! difference, and such with a mistake, which must be noticed.

use compile::CompiledModel;
use engine::fairness::rules::Exact;
use engine::quotient::{Outline, Quotient, Representative, TrackedEdge, Unbuilt, Walk, Walker};
use engine::symmetry::{Permutation, Point, Reached, Stabiliser};
use isonomy::check::{Misjudged, Question, Verdict};
use run::SplitMix64;
use std::collections::HashSet;

/// The answer for all tuples, by products with these walks.
pub fn ask<'q, W: Walk>(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &'q Quotient<'q>,
    mut walk: impl FnMut() -> W,
    most_tuples: usize,
) -> Result<Verdict, Box<Misjudged>> {
    let instances = question.instances(quotient.structure().indices());
    for instance in instances.take(most_tuples) {
        let verdict =
            question.answer_by::<_, Exact>(quotient, walk(), &instance, &|_| None)?.verdict;
        if !matches!(verdict, Verdict::Holds) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Holds)
}

/// All elements of a group.
fn elements(group: &Stabiliser) -> Vec<Permutation> {
    let generators = group.generators();
    let mut found = vec![Permutation::identity(group.points())];
    let mut seen: HashSet<Vec<Point>> = HashSet::from([found[0].images().to_vec()]);
    let mut next = 0;
    while next < found.len() {
        for generator in &generators {
            let product = generator.after(&found[next]);
            if seen.insert(product.images().to_vec()) {
                found.push(product);
            }
        }
        next += 1;
    }
    found
}

fn moved(by: &Permutation, tuple: &[Point]) -> Vec<Point> {
    tuple.iter().map(|&point| by.image(point)).collect()
}

/// A walk in which nothing is chosen that need not be. Of an edge (r, l) –π→ (r′, l′):
///
/// - π may be followed by any element of Stab(r′, l′);
/// - it stands for all that Stab(r, l) makes of it;
/// - edges have no order.
///
/// Of a start it is told what takes l₀ to its tuple: any element of the group that does.
pub struct Disturbed<'q> {
    inner: Walker<'q>,
    walker: Walker<'q>,
    quotient: &'q Quotient<'q>,
    random: SplitMix64,
}

impl<'q> Disturbed<'q> {
    pub fn new(quotient: &'q Quotient<'q>, seed: u64) -> Self {
        let (inner, walker) = (quotient.walker(), quotient.walker());
        Disturbed { inner, walker, quotient, random: SplitMix64::new(seed) }
    }

    /// Some element of a group.
    fn element(&mut self, of: &Stabiliser) -> Permutation {
        let generators = of.generators();
        let mut found = Permutation::identity(of.points());
        // Not uniform, but any element may come out.
        for _ in 0..self.random.below(12) {
            if let Some(generator) = self.random.pick(&generators) {
                found = generator.after(&found);
            }
        }
        found
    }
}

impl Walk for Disturbed<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.inner.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.inner.state(of)
    }

    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        let mut all = self.inner.starts_with(start, l0);
        let before = self.quotient.structure().indices().all().fixing(l0);
        for reached in &mut all {
            let behind = self.walker.stabiliser(start).fixing(&reached.tuple);
            let (first, last) = (self.element(&before), self.element(&behind));
            reached.by = last.after(&reached.by.after(&first));
            assert_eq!(moved(&reached.by, l0), reached.tuple, "a disturbance within the rules");
        }
        all
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let mut edges = self.inner.tracked_edges(of, tuple)?;
        let here = self.walker.stabiliser(of).fixing(tuple);
        for edge in &mut edges {
            let there = self.walker.stabiliser(edge.target).fixing(&edge.tuple);
            let (first, last) = (self.element(&here), self.element(&there));
            edge.arguments = self.quotient.renamed(edge.rule, &first, &edge.arguments);
            edge.permutation = first.after(&edge.permutation.after(&last));
            assert_eq!(moved(&edge.permutation, &edge.tuple), tuple, "it takes l′ to l");
        }
        for k in (1..edges.len()).rev() {
            edges.swap(k, self.random.below(k + 1));
        }
        Ok(edges)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.inner.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.inner.symmetries(of, tuple)
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        self.inner.outline(of)
    }
}

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mistake {
    /// Nothing: so that it can be seen that nothing else goes wrong.
    None,
    /// Start states and tracked tuples are reduced independently: at each start representative, only
    /// the tracked tuple itself.
    IndependentStarts,
    /// Of several start representatives only the first.
    OneStart,
    /// The start state of a run is the representative.
    StartFrame,
    /// The permutation of an edge is one of its step alone: π, and not πs.
    StalePermutation,
    /// Edges are dropped by Stab(r) in place of Stab(r, l).
    DroppedByAll,
    /// Edges are dropped by transpositions that fix (r, l), but that need not be in the group.
    DroppedByStrangers,
    /// The tracked tuple becomes π(l) in place of π⁻¹(l).
    Inverse,
    /// The tracked tuple stays what it is.
    TupleStays,
    /// Of the steps that one edge of the quotient stands for, all have the arguments of the first.
    ArgumentsStay,
    /// A state without steps ends its runs.
    NoStutter,
    /// A state all of whose steps are cut by assumptions stutters.
    StutterWhereCut,
    /// Every state may stutter.
    StutterEverywhere,
}

/// A walk with a mistake.
pub struct Mistaken<'q> {
    inner: Walker<'q>,
    walker: Walker<'q>,
    quotient: &'q Quotient<'q>,
    mistake: Mistake,
    has_started: bool,
}

impl<'q> Mistaken<'q> {
    pub fn new(quotient: &'q Quotient<'q>, mistake: Mistake) -> Self {
        let (inner, walker) = (quotient.walker(), quotient.walker());
        Mistaken { inner, walker, quotient, mistake, has_started: false }
    }

    /// Of edges that one of these elements takes to each other, only the first.
    fn drop_by(&self, edges: &mut Vec<TrackedEdge>, by: &[Permutation]) {
        let mut kept: HashSet<(u32, Vec<i64>)> = HashSet::new();
        edges.retain(|edge| {
            let images =
                by.iter().map(|one| self.quotient.renamed(edge.rule, one, &edge.arguments));
            let is_known = images.into_iter().any(|image| kept.contains(&(edge.rule, image)));
            kept.insert((edge.rule, edge.arguments.clone()));
            !is_known
        });
    }

    /// All transpositions of two points of one type that fix a state and a tuple.
    fn swaps(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        let structure = self.quotient.structure();
        let layout = self.quotient.system().layout();
        let mut cells = vec![0; layout.cells()];
        layout.unpack(self.walker.state(of), &mut cells);
        let mut found = Vec::new();
        let indices = structure.indices();
        for points in indices.types().map(|of| indices.points_of(of)) {
            for (a, b) in points.clone().flat_map(|a| (points.start..a).map(move |b| (a, b))) {
                let swap = Permutation::transposition(indices.points(), a, b);
                let fixes = structure.action().fixes(&swap, &cells, &mut Vec::new());
                if fixes && moved(&swap, tuple) == tuple {
                    found.push(swap);
                }
            }
        }
        found
    }
}

impl Walk for Mistaken<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        if self.mistake == Mistake::OneStart && std::mem::replace(&mut self.has_started, true) {
            return None;
        }
        self.inner.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.inner.state(of)
    }

    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        let mut all = self.inner.starts_with(start, l0);
        match self.mistake {
            Mistake::IndependentStarts => {
                let Reached { tuple, by } = self.walker.stabiliser(start).least(l0);
                vec![Reached { tuple, by: by.inverse() }]
            }
            Mistake::StartFrame => {
                for reached in &mut all {
                    reached.by = Permutation::identity(reached.by.points());
                }
                all
            }
            _ => all,
        }
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let mut edges = self.inner.tracked_edges(of, tuple)?;
        match self.mistake {
            Mistake::StalePermutation => {
                for edge in &mut edges {
                    // One that is the same whatever is tracked.
                    let all = elements(self.walker.stabiliser(edge.target));
                    let any = all.iter().map(|one| edge.permutation.after(one));
                    let least = any.min_by(|a, b| a.images().cmp(b.images()));
                    edge.permutation = least.expect("a group has an element");
                }
            }
            Mistake::DroppedByAll => {
                let all = elements(self.walker.stabiliser(of));
                self.drop_by(&mut edges, &all);
            }
            Mistake::DroppedByStrangers => {
                let swaps = self.swaps(of, tuple);
                self.drop_by(&mut edges, &swaps);
            }
            Mistake::Inverse => {
                for edge in &mut edges {
                    let wrong = moved(&edge.permutation, tuple);
                    edge.tuple = self.walker.stabiliser(edge.target).least(&wrong).tuple;
                }
            }
            Mistake::TupleStays => {
                for edge in &mut edges {
                    edge.tuple = self.walker.stabiliser(edge.target).least(tuple).tuple;
                }
            }
            Mistake::ArgumentsStay => {
                let all = elements(self.walker.stabiliser(of));
                for k in 0..edges.len() {
                    let (before, rest) = edges.split_at_mut(k);
                    let edge = &mut rest[0];
                    let first = before.iter().find(|one| {
                        let is_it = |by| {
                            self.quotient.renamed(one.rule, by, &one.arguments) == edge.arguments
                        };
                        one.rule == edge.rule && all.iter().any(is_it)
                    });
                    if let Some(first) = first {
                        edge.arguments.clone_from(&first.arguments);
                    }
                }
            }
            _ => {}
        }
        Ok(edges)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.inner.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.inner.symmetries(of, tuple)
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        let outline = self.inner.outline(of)?;
        let is_stuck = match self.mistake {
            Mistake::NoStutter => false,
            Mistake::StutterWhereCut => outline.edges == 0,
            Mistake::StutterEverywhere => true,
            _ => outline.is_stuck,
        };
        Ok(Outline { is_stuck, ..outline })
    }
}
