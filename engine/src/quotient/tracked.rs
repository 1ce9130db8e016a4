//! Quotients with tracked indices ([`GS99`](crate::papers::GS99) section 3.1, made to fit the whole
//! group).
//!
//! A formula that speaks of the indices l₀ cannot be checked on representatives alone: on the way, the
//! indices that stand for l₀ change their places. A node is (r, l): a representative and the points that
//! stand for l₀ there, up to Stab(r), so that l is the least of its orbit. Crossing an edge r –π→ r′ turns
//! l into π⁻¹(l), which some s in Stab(r′) takes back to its least l′ = s⁻¹π⁻¹(l): **the permutation of the
//! edge from (r, l) to (r′, l′) is πs**, so that πs(r′, l′) is the concrete (t, l).
//!
//! An edge of the quotient stands for its orbit under Stab(r). Out of (r, l), whose symmetries are
//! only Stab(r, l), each orbit of that smaller group in it is an edge: μ of the stored step, with the
//! permutation μπ.

use super::{Edge, Expander, Quotient, Representative, Starts, Unbuilt, Walker};
use crate::symmetry::{Permutation, Point, Reached, Stabiliser};

/// An edge (r, l) –π→ (r′, l′).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedEdge {
    /// The rule.
    pub rule: u32,
    /// The arguments of its event at r, as cells.
    pub arguments: Vec<i64>,
    /// r′.
    pub target: Representative,
    /// l′.
    pub tuple: Vec<Point>,
    /// π: it takes r′ to the concrete target of the step, and l′ to l.
    pub permutation: Permutation,
}

/// A quotient with tracked indices, as products walk it. There is one, [`Tracked`]; others are its
/// disturbed relatives in tests.
pub trait Walk {
    /// The next representative of a start state, each once.
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

    /// Generators of what leaves a representative and a tuple as they are.
    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation>;

    /// How many edges of the quotient leave a representative, and whether it is stuck.
    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt>;
}

/// What there is of a representative's edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outline {
    /// One per orbit of its stabiliser on its steps.
    pub edges: usize,
    /// Whether no rule is enabled, [`Edges::is_stuck`](super::Edges::is_stuck).
    pub is_stuck: bool,
}

/// A quotient with tracked indices.
pub struct Tracked<'q> {
    walker: Walker<'q>,
    starts: Starts<'q>,
}

impl<'q> Tracked<'q> {
    /// Before the first start.
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

/// What becomes of the tracked points on an edge.
pub(super) struct Crossing {
    /// l′.
    pub(super) tuple: Vec<Point>,
    /// πs.
    pub(super) permutation: Permutation,
}

impl Crossing {
    /// Crosses an edge with the permutation π, to a state with this stabiliser; none is trivial.
    pub(super) fn new(by: Permutation, tuple: &[Point], target: Option<&Stabiliser>) -> Crossing {
        let back = by.inverse();
        let moved: Vec<Point> = tuple.iter().map(|&point| back.image(point)).collect();
        let Some(target) = target else { return Crossing { permutation: by, tuple: moved } };
        let least = target.least(&moved);
        Crossing { permutation: by.after(&least.by), tuple: least.tuple }
    }

    /// The edge that was crossed, with these arguments.
    fn edge(self, edge: Edge<'_>, arguments: Vec<i64>) -> TrackedEdge {
        let Crossing { tuple, permutation } = self;
        TrackedEdge { rule: edge.rule, arguments, target: edge.target, tuple, permutation }
    }
}

impl Expander<'_> {
    /// The tuples with which runs from a packed start representative begin, as
    /// [`Walker::starts_with`] tells them.
    pub fn starts_with(&mut self, start: &[u64], l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }
}

impl Walker<'_> {
    /// The tuples with which runs from a start representative begin, for the tracked indices `l0`: all
    /// that the group takes `l0` to, one per orbit of the stabiliser. (For every start state g(r) it is
    /// g⁻¹(l0), and start states are closed under the group.) What is told with a tuple takes `l0` there.
    pub fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }

    /// The same tuples alone.
    pub fn start_tuples(&mut self, start: Representative, l0: &[Point]) -> Vec<Vec<Point>> {
        let within = self.starts_with(start, l0);
        within.into_iter().map(|reached| reached.tuple).collect()
    }

    /// The edges out of a node, whose tuple is least under the stabiliser of its representative: one per
    /// orbit of what leaves both as they are. Arguments that are more than indices and numbers are not
    /// looked at so closely: each of those steps is an edge.
    pub fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        if tuple.is_empty() {
            // Nothing to look after: the edges as they are.
            let edges = self.edges(of)?.iter().map(|edge| TrackedEdge {
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
        for edge in edges.iter() {
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
        for edge in self.tracked_edges(of, tuple)? {
            // Of arguments that are more than points, all are there if anything is tracked.
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
    /// Elements of the outer group that take a step to one of each orbit of the inner group.
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
