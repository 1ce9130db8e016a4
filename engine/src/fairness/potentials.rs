//! Potentials of active nodes: the product of the permutations along the tree of the search,
//! computed on first use.
//!
//! There may be millions of active nodes, and far fewer permutations. So an active node costs twelve
//! bytes, and each permutation is stored once. Those of dead nodes alone are forgotten, together with
//! all others, when they may outnumber those of active nodes.

use super::annotation::PotentialTree;
use crate::interned::Interned;
use crate::product::{Product, StepNumber, Taken};
use crate::search::{Active, Node};
use crate::symmetry::Permutation;

/// The tree of a search, restricted to active nodes.
pub struct Potentials {
    points: usize,
    /// The branches, in the order in which the nodes were visited.
    branches: Vec<Branch>,
    /// The different potentials that were computed.
    computed: Interned<Permutation>,
}

/// The edge by which the search reached an active node.
struct Branch {
    /// The index of the node before; [`NOWHERE`] for a start.
    from: u32,
    step: StepNumber,
    /// The number of the potential ρ; [`UNKNOWN`] if it was not computed.
    potential: u32,
}

const NOWHERE: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX;
/// So many potentials are kept, however few nodes are active. Few, so that small systems test this.
const FEW: usize = 16;

impl Potentials {
    /// Forgets all potentials if most may be those of dead nodes only: then it happens once in as
    /// many computations as there are branches, at most. (Potentials that a search is given by
    /// [`Rules`](super::rules::Rules) cannot be computed again; only tests have such, and few.)
    fn tidy(&mut self) {
        if self.computed.len() > FEW + 2 * self.branches.len() {
            self.computed = Interned::default();
            self.branches.iter_mut().for_each(|branch| branch.potential = UNKNOWN);
        }
    }
}

impl PotentialTree<Permutation> for Potentials {
    fn new(points: usize) -> Potentials {
        Potentials { points, branches: Vec::new(), computed: Interned::default() }
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
        let potential = potential.map_or(UNKNOWN, |known| self.computed.intern(&known));
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
        self.tidy();
        let Potentials { points, branches, computed } = self;
        let place = active.place(node).expect("asked of active nodes only") as usize;
        let mut way = Vec::new();
        let mut at = place;
        while branches[at].potential == UNKNOWN {
            way.push(at);
            if branches[at].from == NOWHERE {
                break;
            }
            at = branches[at].from as usize;
        }
        while let Some(at) = way.pop() {
            let Branch { from, step, .. } = branches[at];
            let potential = if from == NOWHERE {
                Permutation::identity(*points)
            } else {
                let before = computed.get(branches[from as usize].potential);
                before.after(product.annotation(step))
            };
            branches[at].potential = computed.intern(&potential);
        }
        computed.get(branches[place].potential)
    }
}
