//! Quotients that are walked otherwise: with annotations chosen at random, which must make no difference; and
//! without telling which symmetries edges were dropped by, which must be noticed.

use isonomy::check::{Misjudged, Question, Verdict};
use isonomy::ltl::generate::SplitMix64;
use isonomy::model::interpret::Failure;
use isonomy::quotient::{Outline, Quotient, Representative, Tracked, TrackedEdge, Walk};
use isonomy::symmetry::{Permutation, Point, Reached};

/// The answer for all tuples, by walks with annotations at random.
pub(crate) fn ask(
    question: &Question<'_>,
    quotient: &Quotient<'_>,
    seed: u64,
    tells_symmetries: bool,
) -> Result<Verdict, Box<Misjudged>> {
    for instance in question.instances(quotient.structure().indices()) {
        let random = SplitMix64::new(seed);
        let walk = Disturbed { inner: Tracked::new(quotient), random, tells_symmetries };
        let verdict = question.answer(quotient, walk, &instance, &mut |_| None)?.verdict;
        if !matches!(verdict, Verdict::Holds) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Holds)
}

/// The permutation of an edge to (r, l) may be followed by any element of Stab(r, l).
struct Disturbed<'q> {
    inner: Tracked<'q>,
    random: SplitMix64,
    /// Whether loop groups are told of the symmetries of nodes.
    tells_symmetries: bool,
}

impl Walk for Disturbed<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Failure>> {
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
    ) -> Result<Vec<TrackedEdge>, Failure> {
        let mut edges = self.inner.tracked_edges(of, tuple)?;
        for edge in &mut edges {
            let generators = self.inner.symmetries(edge.target, &edge.tuple);
            for _ in 0..self.random.below(4) {
                if let Some(by) = self.random.pick(&generators) {
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
    ) -> Result<Vec<TrackedEdge>, Failure> {
        self.inner.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        // Without a tuple it is asked what is enabled: that is another matter.
        if self.tells_symmetries || tuple.is_empty() {
            return self.inner.symmetries(of, tuple);
        }
        Vec::new()
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Failure> {
        self.inner.outline(of)
    }
}
