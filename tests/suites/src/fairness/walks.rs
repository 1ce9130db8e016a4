//! Quotients that are walked otherwise: with annotations chosen at random, which must make no difference; and
//! without telling all symmetries that edges were dropped by, which must be noticed.

use compile::CompiledModel;
use engine::fairness::rules::{Exact, Rules};
use engine::quotient::{Outline, Quotient, Representative, TrackedEdge, Unbuilt, Walk, Walker};
use engine::symmetry::{Permutation, Point, Reached, StabiliserChain};
use isonomy::check::{Misjudged, Question, Verdict};
use run::SplitMix64;

/// Which symmetries of nodes loop groups are told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// All by which edges are dropped.
    All,
    /// Those of them that swap two indices, and what these generate.
    Swaps,
    Nothing,
}

/// The answer for all tuples, by walks with annotations at random if there is a seed.
pub fn ask(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    seed: Option<u64>,
    told: Told,
) -> Result<Verdict, Box<Misjudged>> {
    ask_by::<Exact>(question, quotient, seed, told)
}

/// The same by these rules.
pub fn ask_by<R: Rules<Permutation>>(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    seed: Option<u64>,
    told: Told,
) -> Result<Verdict, Box<Misjudged>> {
    for instance in question.instances(quotient.structure().indices()) {
        let walk = Disturbed::new(quotient, seed, told);
        let verdict = question.answer_by::<_, R>(quotient, walk, &instance, &|_| None)?.verdict;
        if !matches!(verdict, Verdict::Holds) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Holds)
}

/// The permutation of an edge to (r, l) may be followed by any element of Stab(r, l).
pub struct Disturbed<'q> {
    inner: Walker<'q>,
    random: Option<SplitMix64>,
    told: Told,
}

impl<'q> Disturbed<'q> {
    pub fn new(quotient: &'q Quotient<'q>, seed: Option<u64>, told: Told) -> Self {
        Disturbed { inner: quotient.walker(), random: seed.map(SplitMix64::new), told }
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
        self.inner.starts_with(start, l0)
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let mut edges = self.inner.tracked_edges(of, tuple)?;
        let Some(random) = &mut self.random else { return Ok(edges) };
        for edge in &mut edges {
            let generators = self.inner.symmetries(edge.target, &edge.tuple);
            for _ in 0..random.below(4) {
                if let Some(by) = random.pick(&generators) {
                    edge.permutation = edge.permutation.after(by);
                }
            }
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
