//! Potentials of active nodes: the product of the permutations along the tree of the search,
//! computed on first use.

use super::annotation::PotentialTree;
use crate::product::{Product, StepNumber, Taken};
use crate::search::{Active, Node};
use crate::symmetry::Permutation;

/// The tree of a search, restricted to active nodes.
pub struct Potentials {
    points: usize,
    /// The branches, in the order in which the nodes were visited.
    branches: Vec<Branch>,
}

/// The edge by which the search reached an active node.
struct Branch {
    /// The index of the node before; [`NOWHERE`] for a start.
    from: u32,
    step: StepNumber,
    /// The potential ρ, if it was computed.
    potential: Option<Permutation>,
}

const NOWHERE: u32 = u32::MAX;

impl PotentialTree<Permutation> for Potentials {
    fn new(points: usize) -> Potentials {
        Potentials { points, branches: Vec::new() }
    }

    fn visit(
        &mut self,
        active: Active<'_>,
        by: Option<(Node, Taken)>,
        potential: Option<Permutation>,
    ) {
        let (from, step) = by.map_or((NOWHERE, 0), |(from, edge)| {
            (active.place(from).expect("the node before is active"), edge.step)
        });
        self.branches.push(Branch { from, step, potential });
    }

    fn leave(&mut self, nodes: usize) {
        self.branches.truncate(self.branches.len() - nodes);
    }

    fn potential<P: Product<Annotation = Permutation>>(
        &mut self,
        product: &P,
        active: Active<'_>,
        node: Node,
    ) -> &Permutation {
        let Potentials { points, branches } = self;
        let place = active.place(node).expect("asked of active nodes only");
        let mut way = Vec::new();
        let mut at = place;
        while at != NOWHERE && branches[at as usize].potential.is_none() {
            way.push(at);
            at = branches[at as usize].from;
        }
        while let Some(at) = way.pop() {
            let Branch { from, step, .. } = branches[at as usize];
            let potential = if from == NOWHERE {
                Permutation::identity(*points)
            } else {
                let before = branches[from as usize].potential.as_ref();
                let before = before.expect("it is nearer to the start");
                before.after(product.annotation(step))
            };
            branches[at as usize].potential = Some(potential);
        }
        branches[place as usize].potential.as_ref().expect("it was found")
    }
}
