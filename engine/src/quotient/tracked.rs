//! Quotients with tracked indices ([`GS99`](crate::papers::GS99) section 3.1, adapted to the whole
//! group).
//!
//! A formula that mentions the indices l₀ cannot be checked on representatives alone: the indices
//! that stand for l₀ change along a path. A node is (r, l): a representative and the points that
//! stand for l₀ there, up to Stab(r), so that l is the least of its orbit. Crossing an edge r –π→
//! r′ turns l into π⁻¹(l), which some s in Stab(r′) takes back to its least l′ = s⁻¹π⁻¹(l): **the
//! permutation of the edge from (r, l) to (r′, l′) is πs**, so that πs(r′, l′) is the concrete (t,
//! l).
//!
//! An edge of the quotient represents its orbit under Stab(r). Out of (r, l), whose symmetries are
//! only Stab(r, l), each orbit of that smaller group in it is an edge: μ of the stored step, with
//! the permutation μπ.

use super::{Edge, Expander, Quotient, Representative, Starts, Unbuilt, Walker};
use crate::symmetry::{Permutation, Point, Reached, Stabiliser};

/// An edge (r, l) –π→ (r′, l′).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedEdge {
    /// The rule of the step.
    pub rule: u32,
    /// The arguments of the event at r, as cells.
    pub arguments: Vec<i64>,
    /// The target r′.
    pub target: Representative,
    /// The tracked points l′ at the target.
    pub tuple: Vec<Point>,
    /// The permutation π, which takes r′ to the concrete target of the step, and l′ to l.
    pub permutation: Permutation,
}

/// A quotient with tracked indices, as products walk it. The one implementation is [`Tracked`];
/// tests have others that disturb it.
pub trait Walk {
    /// The next representative of a start state. Each is returned once.
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>>;

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// See [`Walker::starts_with`].
    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached>;

    /// See [`Walker::tracked_edges`].
    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt>;

    /// See [`Walker::unfolded_edges`].
    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt>;

    /// Generators of the group that fixes a representative and a tuple.
    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation>;

    /// The number of edges of the quotient that leave a representative, and whether it is stuck.
    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt>;
}

/// A summary of a representative's edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The number of edges: one per orbit of the representative's stabiliser on its steps.
    pub edges: usize,
    /// Whether no rule is enabled; see [`Edges::is_stuck`](super::Edges::is_stuck).
    pub is_stuck: bool,
}

/// A quotient with tracked indices.
pub struct Tracked<'q> {
    walker: Walker<'q>,
    starts: Starts<'q>,
}

impl<'q> Tracked<'q> {
    /// Creates a walker that is before the first start.
    pub fn new(quotient: &'q Quotient<'q>) -> Tracked<'q> {
        Tracked { walker: quotient.walker(), starts: quotient.starts() }
    }
}

impl Walk for Tracked<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.starts.next()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.walker.state(of)
    }

    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        self.walker.starts_with(start, l0)
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.walker.tracked_edges(of, tuple)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.walker.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        if self.walker.is_rigid(of) {
            return Vec::new();
        }
        let stabiliser = self.walker.stabiliser(of);
        if tuple.is_empty() {
            return stabiliser.few_generators();
        }
        stabiliser.fixing(tuple).few_generators()
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        let edges = self.walker.edges(of)?;
        Ok(Outline { edges: edges.len(), is_stuck: edges.is_stuck() })
    }
}

/// The effect of an edge on the tracked points.
pub(super) struct Crossing {
    /// The tracked points l′ at the target.
    pub(super) tuple: Vec<Point>,
    /// The permutation πs.
    pub(super) permutation: Permutation,
}

impl Crossing {
    /// Crosses an edge with the permutation π to a state with the given stabiliser; `None` is the
    /// trivial group.
    pub(super) fn new(by: Permutation, tuple: &[Point], target: Option<&Stabiliser>) -> Crossing {
        let back = by.inverse();
        let moved: Vec<Point> = tuple.iter().map(|&point| back.image(point)).collect();
        let Some(target) = target else { return Crossing { permutation: by, tuple: moved } };
        let least = target.least(&moved);
        Crossing { permutation: by.after(&least.by), tuple: least.tuple }
    }

    /// The edge that was crossed, with the given arguments.
    fn edge(self, edge: Edge<'_>, arguments: Vec<i64>) -> TrackedEdge {
        let Crossing { tuple, permutation } = self;
        TrackedEdge { rule: edge.rule, arguments, target: edge.target, tuple, permutation }
    }
}

impl Expander<'_> {
    /// The tuples with which runs from a packed start representative begin: the same as
    /// [`Walker::starts_with`].
    pub fn starts_with(&mut self, start: &[u64], l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }
}

impl Walker<'_> {
    /// The tuples with which runs from a start representative begin, for the tracked indices `l0`:
    /// all images of `l0` under the group, one per orbit of the stabiliser. (For every start state
    /// g(r) it is g⁻¹(l0), and start states are closed under the group.) The permutation of a
    /// returned tuple takes `l0` to it.
    pub fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }

    /// The tuples of [`Walker::starts_with`] without their permutations.
    pub fn start_tuples(&mut self, start: Representative, l0: &[Point]) -> Vec<Vec<Point>> {
        let within = self.starts_with(start, l0);
        within.into_iter().map(|reached| reached.tuple).collect()
    }

    /// The edges out of a node, whose tuple is least under the stabiliser of its representative:
    /// one per orbit of the group that fixes both. Steps whose arguments are more than indices and
    /// numbers are not grouped into orbits: each of them is an edge.
    pub fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        if tuple.is_empty() {
            // Without tracked points, the edges of the quotient are those of the node.
            let edges = run::polled(self.edges(of)?.iter()).map(|edge| TrackedEdge {
                rule: edge.rule,
                arguments: edge.arguments.to_vec(),
                target: edge.target,
                tuple: Vec::new(),
                permutation: edge.permutation(),
            });
            return Ok(edges.collect());
        }
        let quotient = self.quotient;
        let symmetries = (!self.is_rigid(of)).then(|| {
            let stabiliser = self.stabiliser(of).clone();
            let inner = stabiliser.fixing(tuple);
            (stabiliser, inner)
        });
        let edges = self.take_edges(of)?;
        let mut found = Vec::with_capacity(edges.len());
        for edge in run::polled(edges.iter()) {
            let permutation = edge.permutation();
            let target = if self.is_rigid(edge.target) { None } else { Some(edge.target) };
            let target = target.map(|target| self.stabiliser(target));
            let Some((stabiliser, inner)) = &symmetries else {
                // The step is its own orbit.
                let crossing = Crossing::new(permutation, tuple, target);
                found.push(crossing.edge(edge, edge.arguments.to_vec()));
                continue;
            };
            for by in quotient.spread(stabiliser, inner, edge.rule, edge.arguments) {
                let crossing = Crossing::new(by.after(&permutation), tuple, target);
                let arguments = quotient.renamed(edge.rule, &by, edge.arguments);
                found.push(crossing.edge(edge, arguments));
            }
        }
        self.put_back(of, edges);
        Ok(found)
    }

    /// The edges out of a node, one for each step of its representative.
    pub fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let inner = self.stabiliser(of).fixing(tuple);
        let nothing = Stabiliser::trivial(inner.points());
        let mut found = Vec::new();
        for edge in run::polled(self.tracked_edges(of, tuple)?) {
            // If anything is tracked, steps with other arguments than points are all listed
            // already.
            let is_plain = self.quotient.steps.points(edge.rule, &edge.arguments).is_some();
            if !is_plain && !tuple.is_empty() {
                found.push(edge);
                continue;
            }
            for by in self.quotient.spread(&inner, &nothing, edge.rule, &edge.arguments) {
                found.push(TrackedEdge {
                    arguments: self.quotient.steps.renamed(edge.rule, &by, &edge.arguments),
                    permutation: by.after(&edge.permutation),
                    ..edge.clone()
                });
            }
        }
        Ok(found)
    }
}

impl Quotient<'_> {
    /// Elements of the outer group that take a step to one representative of each orbit of the
    /// inner group.
    pub(super) fn spread(
        &self,
        outer: &Stabiliser,
        inner: &Stabiliser,
        rule: u32,
        arguments: &[i64],
    ) -> Vec<Permutation> {
        let steps = &self.steps;
        if let Some(points) = steps.points(rule, arguments) {
            let within = outer.orbits_within(inner, &points);
            return within.into_iter().map(|Reached { by, .. }| by).collect();
        }
        let generators = outer.generators();
        let mut known = vec![arguments.to_vec()];
        let mut found = vec![Permutation::identity(outer.points())];
        let mut next = 0;
        while next < found.len() {
            for generator in &generators {
                let image = steps.renamed(rule, generator, &known[next]);
                if !known.contains(&image) {
                    known.push(image);
                    found.push(generator.after(&found[next]));
                }
            }
            next += 1;
        }
        found
    }
}
