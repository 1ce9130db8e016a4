//! Walks that follow the steps of one process where these are enough: partial-order reduction.
//!
//! At (r, l) a process j is chosen, and the steps of all others are omitted. Steps that are equivalent
//! under Stab(r, l) have been dropped by the walk inside before: an edge e stands for the orbit of its
//! step, and that orbit contains a step of j exactly if the owner of e is in the orbit of j. So the
//! edges that are kept are those whose owner is in the orbit of j under Stab(r, l), one for each orbit
//! that meets the steps of j. By g in Stab(r, l), e and g(e) lead to the same node, and Stab(r, l) is
//! part of the loop group in any case.
//!
//! Which steps are enabled is reported as by the walk inside.

use super::{
    ActionNumber, Outline, PlainEdge, PlainWalk, Quotient, Representative, TrackedEdge, Unbuilt,
    Walk,
};
use crate::symmetry::{Indices, Permutation, Point, Reached};
use crate::system::atoms::point_of;
use crate::system::{OwnerSummary, ProcessId, Shape};

/// Chooses processes whose steps are enough.
pub trait Choice {
    /// A process whose steps out of this state are enough if these points are tracked there.
    fn choose(&mut self, state: &[u64], tracked: &[Point]) -> Option<ProcessId>;
}

/// A walk that omits the steps of all but a chosen process.
pub struct Ample<'a, W> {
    inner: W,
    choice: Box<dyn Choice + 'a>,
    processes: Processes,
    /// The points that are tracked everywhere, if nothing is permuted.
    tracked: Vec<Point>,
    /// The processes whose edges are kept at a node.
    kept: Vec<ProcessId>,
}

/// Who executes steps, and how processes are permuted.
struct Processes {
    owners: Vec<OwnerSummary>,
    /// By family: the values of its members.
    members: Vec<Option<Shape>>,
    indices: Indices,
}

impl<'a, W> Ample<'a, W> {
    /// Omits steps of a walk over a quotient. The tracked points matter if the walk is plain.
    pub fn new(
        quotient: &Quotient<'_>,
        inner: W,
        choice: Box<dyn Choice + 'a>,
        tracked: Vec<Point>,
    ) -> Self {
        let system = quotient.system();
        let processes = Processes {
            owners: system.rules().into_iter().map(|rule| rule.owner).collect(),
            members: system.families().into_iter().map(|family| family.members).collect(),
            indices: quotient.structure().indices().clone(),
        };
        Ample { inner, choice, processes, tracked, kept: Vec::new() }
    }

    /// Whether the edges with this owner are kept at the node for which `kept` was computed last.
    fn keeps(processes: &Processes, kept: &[ProcessId], rule: u32, arguments: &[i64]) -> bool {
        let owner = processes.owners[rule as usize].process(arguments);
        kept.is_empty() || owner.is_some_and(|owner| kept.contains(&owner))
    }
}

impl Processes {
    /// Appends the orbit of a process under the group of these generators.
    fn orbit(&self, of: ProcessId, generators: &[Permutation], orbit: &mut Vec<ProcessId>) {
        let first = orbit.len();
        orbit.push(of);
        let members = self.members[of.family.0 as usize].as_ref();
        let point = |cell| members.and_then(|shape| point_of(&self.indices, shape, cell));
        let mut next = first;
        while let Some(&ProcessId { family, member: Some(cell) }) = orbit.get(next) {
            let Some(point) = point(cell) else { return };
            for generator in generators {
                // A symmetry maps every index type to itself: cells and points differ by a constant.
                let moved = cell + i64::from(generator.image(point)) - i64::from(point);
                let image = ProcessId { family, member: Some(moved) };
                if !orbit[first..].contains(&image) {
                    orbit.push(image);
                }
            }
            next += 1;
        }
    }
}

impl<W: Walk> Ample<'_, W> {
    /// Computes the processes whose edges are kept at a node; none if all edges are.
    fn keep(&mut self, of: Representative, tuple: &[Point]) {
        self.kept.clear();
        let Some(process) = self.choice.choose(self.inner.state(of), tuple) else { return };
        let generators = self.inner.symmetries(of, tuple);
        self.processes.orbit(process, &generators, &mut self.kept);
    }
}

impl<W: Walk> Walk for Ample<'_, W> {
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
        self.keep(of, tuple);
        let Ample { inner, processes, kept, .. } = self;
        let mut edges = inner.tracked_edges(of, tuple)?;
        edges.retain(|edge| Self::keeps(processes, kept, edge.rule, &edge.arguments));
        Ok(edges)
    }

    fn each_tracked_edge(
        &mut self,
        of: Representative,
        tuple: &[Point],
        each: &mut dyn FnMut(&TrackedEdge),
    ) -> Result<(), Unbuilt> {
        self.keep(of, tuple);
        let Ample { inner, processes, kept, .. } = self;
        inner.each_tracked_edge(of, tuple, &mut |edge| {
            if Self::keeps(processes, kept, edge.rule, &edge.arguments) {
                each(edge);
            }
        })
    }

    fn enabled_edges(&mut self, of: Representative) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.inner.enabled_edges(of)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Unbuilt> {
        self.keep(of, tuple);
        let Ample { inner, processes, kept, .. } = self;
        let mut edges = inner.unfolded_edges(of, tuple)?;
        edges.retain(|edge| Self::keeps(processes, kept, edge.rule, &edge.arguments));
        Ok(edges)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.inner.symmetries(of, tuple)
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Unbuilt> {
        self.inner.outline(of)
    }
}

impl<W: PlainWalk> PlainWalk for Ample<'_, W> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.inner.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.inner.state(of)
    }

    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        let Ample { inner, choice, processes, tracked, kept } = self;
        kept.clear();
        kept.extend(choice.choose(inner.state(of), tracked));
        inner.edges(of, &mut |edge| {
            if Self::keeps(processes, kept, edge.rule, edge.arguments) {
                each(edge);
            }
        })
    }

    fn enabled_edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        self.inner.enabled_edges(of, each)
    }

    fn action(&self, action: ActionNumber) -> (u32, &[i64]) {
        self.inner.action(action)
    }
}
