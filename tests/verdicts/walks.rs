//! Quotients that are walked otherwise: with annotations chosen at random, which must make no difference; and
//! without telling all symmetries that edges were dropped by, which must be noticed.

use compile::CompiledModel;
use engine::fairness::rules::Rules;
use engine::quotient::{
    Outline, Quotient, Representative, Tracked, TrackedEdge, Unbuilt, Walk, Walker,
};
use engine::symmetry::{Permutation, Point, Reached, Stabiliser, StabiliserChain};
use isonomy::check::{Misjudged, Question, Verdict};
use run::SplitMix64;

/// The answer for all tuples, or the first ones, by these rules and by products with these walks.
pub(crate) fn ask<R: Rules<Permutation>, W: Walk>(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    mut walk: impl FnMut() -> W,
    most_tuples: usize,
) -> Result<Verdict, Box<Misjudged>> {
    let instances = question.instances(quotient.structure().indices());
    for instance in instances.take(most_tuples) {
        let verdict = question.answer_by::<_, R>(quotient, walk(), &instance, &|_| None)?.verdict;
        if !matches!(verdict, Verdict::Holds) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Holds)
}

/// Which symmetries of nodes loop groups are told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// All by which edges are dropped.
    All,
    /// Those of them that swap two indices, and what these generate.
    Swaps,
    Nothing,
}

/// The image of a tuple.
pub(crate) fn moved(by: &Permutation, tuple: &[Point]) -> Vec<Point> {
    tuple.iter().map(|&point| by.image(point)).collect()
}

/// A walk in which nothing is chosen that need not be. Of an edge (r, l) –π→ (r′, l′):
///
/// - π may be followed by any element of Stab(r′, l′);
/// - it stands for all that Stab(r, l) makes of it;
/// - edges have no order.
///
/// Of a start it is told what takes l₀ to its tuple: any element of the group that does.
pub(crate) struct Disturbed<'q> {
    inner: Tracked<'q>,
    walker: Walker<'q>,
    quotient: &'q Quotient<'q>,
    /// None changes nothing.
    random: Option<SplitMix64>,
    told: Told,
}

impl<'q> Disturbed<'q> {
    pub(crate) fn new(quotient: &'q Quotient<'q>, seed: Option<u64>, told: Told) -> Self {
        let (inner, walker) = (Tracked::new(quotient), quotient.walker());
        Disturbed { inner, walker, quotient, random: seed.map(SplitMix64::new), told }
    }

    /// Some element of a group.
    fn element(random: &mut SplitMix64, of: &Stabiliser) -> Permutation {
        let generators = of.generators();
        let mut found = Permutation::identity(of.points());
        // Not uniform, but any element may come out.
        for _ in 0..random.below(12) {
            if let Some(generator) = random.pick(&generators) {
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
        let Some(random) = &mut self.random else { return all };
        let before = self.quotient.structure().indices().all().fixing(l0);
        for reached in &mut all {
            let behind = self.walker.stabiliser(start).fixing(&reached.tuple);
            let (first, last) = (Self::element(random, &before), Self::element(random, &behind));
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
        let Some(random) = &mut self.random else { return Ok(edges) };
        let here = self.walker.stabiliser(of).fixing(tuple);
        for edge in &mut edges {
            let there = self.walker.stabiliser(edge.target).fixing(&edge.tuple);
            let (first, last) = (Self::element(random, &here), Self::element(random, &there));
            edge.arguments = self.quotient.renamed(edge.rule, &first, &edge.arguments);
            edge.permutation = first.after(&edge.permutation.after(&last));
            assert_eq!(moved(&edge.permutation, &edge.tuple), tuple, "it takes l′ to l");
        }
        for k in (1..edges.len()).rev() {
            edges.swap(k, random.below(k + 1));
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
        let all = self.inner.symmetries(of, tuple);
        // Without a tuple it is asked what is enabled: that is another matter.
        if tuple.is_empty() {
            return all;
        }
        match self.told {
            Told::All => all,
            Told::Swaps => swaps(&all),
            Told::Nothing => Vec::new(),
        }
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        self.inner.outline(of)
    }
}

/// The swaps in the group that these generate.
fn swaps(generators: &[Permutation]) -> Vec<Permutation> {
    let Some(points) = generators.first().map(Permutation::points) else { return Vec::new() };
    let group = StabiliserChain::new(points, generators.iter().cloned());
    let pairs = (0..points as Point).flat_map(|a| (0..a).map(move |b| (a, b)));
    let swaps = pairs.map(|(a, b)| Permutation::transposition(points, a, b));
    swaps.filter(|swap| group.contains(swap)).collect()
}
