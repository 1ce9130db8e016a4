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
use super::{Edge, Quotient, Representative, Unbuilt, Walker};
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

/// A quotient with tracked indices, as products walk it. The one implementation is [`Walker`];
/// tests have others that disturb it.
pub trait Walk {
    /// The next representative of a start state. Each is returned once.
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>>;

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// The tuples with which runs from a start representative begin, for the tracked indices `l0`:
    /// all images of `l0` under the group, one per orbit of the stabiliser. (For every start state
    /// g(r) it is g⁻¹(l0), and start states are closed under the group.) The permutation of a
    /// returned tuple takes `l0` to it.
    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached>;

    /// The edges out of a node, whose tuple is least under the stabiliser of its representative:
    /// one per orbit of the group that fixes both. Steps whose arguments are more than indices and
    /// numbers are not grouped into orbits: each of them is an edge.
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

    /// The edges that stand for all enabled steps of a representative, whatever is tracked: one per
    /// orbit of its stabiliser. A walk that omits steps reports them here nevertheless.
    fn enabled_edges(&mut self, of: Representative) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.tracked_edges(of, &[])
    }

    /// The edges out of a node, one for each step of its representative.
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

impl Walk for Walker<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        Walker::next_start(self)
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        Walker::state(self, of)
    }

    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        let all = self.quotient.structure.indices().all();
        all.orbits_within(self.stabiliser(start), l0)
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        let mut found = Vec::new();
        self.each_tracked_edge(of, tuple, &mut |edge| found.push(edge.clone()))?;
        Ok(found)
    }

    /// Without allocating for each.
    fn each_tracked_edge(
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

    fn unfolded_edges(
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

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.fixing(of, tuple).few_generators()
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        let edges = self.edges(of)?;
        Ok(Outline { edges: edges.len(), is_stuck: edges.is_stuck() })
    }
}

impl Walker<'_> {
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
