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

use super::groups::{Element, GroupNumber};
use super::{Edge, Expander, Quotient, Representative, Starts, Unbuilt, Walker};
use crate::symmetry::{Permutation, Point, Reached, Stabiliser};
use std::sync::Arc;

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

    /// Reports the edges of [`Walk::tracked_edges`] one by one.
    fn each_tracked_edge(
        &mut self,
        of: Representative,
        tuple: &[Point],
        each: &mut dyn FnMut(&TrackedEdge),
    ) -> Result<(), Unbuilt> {
        self.tracked_edges(of, tuple)?.iter().for_each(each);
        Ok(())
    }

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

    fn each_tracked_edge(
        &mut self,
        of: Representative,
        tuple: &[Point],
        each: &mut dyn FnMut(&TrackedEdge),
    ) -> Result<(), Unbuilt> {
        self.walker.each_tracked_edge(of, tuple, each)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.walker.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.walker.fixing(of, tuple).few_generators()
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
    /// Crosses an edge with the permutation π to a state with the given stabiliser.
    pub(super) fn new(by: &Permutation, tuple: &[Point], target: &Stabiliser) -> Crossing {
        let back = by.inverse();
        let moved: Vec<Point> = tuple.iter().map(|&point| back.image(point)).collect();
        let least = target.least(&moved);
        Crossing { permutation: by.after(&least.by), tuple: least.tuple }
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
        let mut found = Vec::new();
        self.each_tracked_edge(of, tuple, &mut |edge| found.push(edge.clone()))?;
        Ok(found)
    }

    /// Reports the edges of [`Walker::tracked_edges`] one by one, without allocating for each.
    pub fn each_tracked_edge(
        &mut self,
        of: Representative,
        tuple: &[Point],
        each: &mut dyn FnMut(&TrackedEdge),
    ) -> Result<(), Unbuilt> {
        let edges = self.take_edges(of)?;
        self.groups.tidy();
        let here = if tuple.is_empty() { 0 } else { self.group(of) };
        // Without tracked points, the edges of the quotient are those of the node; and if nothing
        // fixes the representative, every step is its own orbit.
        let inner = (!tuple.is_empty() && !self.groups.is_trivial(here))
            .then(|| self.groups.fixing(here, tuple));
        for edge in run::polled(edges.iter()) {
            let there = if tuple.is_empty() { here } else { self.group(edge.target) };
            self.crossed.rule = edge.rule;
            self.crossed.target = edge.target;
            let Some(inner) = inner else {
                self.crossed.arguments.clear();
                self.crossed.arguments.extend_from_slice(edge.arguments);
                self.cross(edge, None, tuple, there);
                each(&self.crossed);
                continue;
            };
            for element in &*self.spread(here, inner, edge) {
                let Element { by, .. } = element;
                let renamed = &mut self.crossed.arguments;
                self.quotient.steps.rename(edge.rule, by, edge.arguments, renamed);
                self.cross(edge, Some(element), tuple, there);
                each(&self.crossed);
            }
        }
        self.put_back(of, edges);
        Ok(())
    }

    /// Elements of a representative's stabiliser that take a step of it to one step of each orbit
    /// of a subgroup.
    fn spread(&mut self, outer: GroupNumber, inner: GroupNumber, edge: Edge<'_>) -> Arc<[Element]> {
        let Walker { quotient, groups, points, .. } = self;
        if let Some(of_step) = quotient.steps.points(edge.rule, edge.arguments) {
            points.clear();
            points.extend(of_step);
            return groups.spread(outer, inner, points);
        }
        let (outer, inner) = (groups.get(outer), groups.get(inner));
        let found = quotient.spread(outer, inner, edge.rule, edge.arguments);
        found.into_iter().map(|by| Element { back: by.inverse(), by }).collect()
    }

    /// Computes the tuple and the permutation of an edge, which an element μ of the source's
    /// stabiliser is applied to first: with π of the edge they are l′ = s⁻¹π⁻¹μ⁻¹(l) and μπs.
    fn cross(
        &mut self,
        edge: Edge<'_>,
        element: Option<&Element>,
        tuple: &[Point],
        target: GroupNumber,
    ) {
        let Walker { groups, points, by: through, crossed, .. } = self;
        let TrackedEdge { tuple: crossed_tuple, permutation, .. } = crossed;
        points.clear();
        points.extend(tuple.iter().map(|&point| {
            let point = element.map_or(point, |element| element.back.image(point));
            let before = edge.moves.iter().find(|(_, image)| *image == point);
            before.map_or(point, |(before, _)| *before)
        }));
        crossed_tuple.clear();
        if tuple.is_empty() || groups.is_trivial(target) {
            crossed_tuple.extend_from_slice(points);
            match element {
                None => permutation.set_moved(edge.moves),
                Some(element) => {
                    through.set_moved(edge.moves);
                    let images = through.images().iter();
                    permutation.set(images.map(|&point| element.by.image(point)));
                }
            }
            return;
        }
        let least = groups.least(target, points);
        crossed_tuple.extend_from_slice(&least.tuple);
        through.set_moved(edge.moves);
        let images = least.by.images().iter().map(|&point| through.image(point));
        match element {
            None => permutation.set(images),
            Some(element) => permutation.set(images.map(|point| element.by.image(point))),
        }
    }

    /// The edges out of a node, one for each step of its representative.
    pub fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let inner = self.fixing(of, tuple).clone();
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
            let points: Vec<Point> = points.collect();
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
