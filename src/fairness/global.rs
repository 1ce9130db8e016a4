//! Global fairness: every step that is possible again and again is taken again and again.
//!
//! A component of the quotient that takes all steps of all its representatives is not enough: two of its
//! nodes may be one concrete state, or be different ones, and a step that the one takes the other owes (the
//! published reduction for global fairness overlooks this). The concrete states above a node u are
//! { h ρ(u)(r) : h in H }, for the loop group H. So two nodes u, w over the same (r, l), which differ in the state of
//! the automaton, are one concrete state with one tuple iff ρ(u) ρ(w)⁻¹ is in H. (Here l must be canonical under
//! Stab(r), and H must have the conjugates of all of Stab(r, l).)
//!
//! **Rule.** A component that meets all acceptance sets carries a globally fair run iff for every node u,
//! each step out of (r, l) is taken inside by some node w that is one concrete state with u. One edge
//! stands for its orbit under Stab(r, l), and the stutter of a state without steps is a step. A component that
//! fails has no part that does not.

use super::component::Fair;
use crate::product::{Product, Stop, Taken};
use crate::quotient::Walk;
use crate::search::{Graph as _, Node};
use crate::symmetry::StabiliserChain;
use hashbrown::{HashMap, HashSet};

impl Fair<'_, '_> {
    /// Whether a complete component with this loop group carries a globally fair run.
    pub(super) fn takes_all_steps<W: Walk>(
        &mut self,
        product: &mut Product<'_, W>,
        group: &StabiliserChain,
        nodes: &[Node],
    ) -> Result<bool, Stop> {
        let inside: HashSet<Node> = nodes.iter().copied().collect();
        let mut taken: HashMap<Node, HashSet<u32>> = HashMap::new();
        let mut over: HashMap<_, Vec<Node>> = HashMap::new();
        let mut found: Vec<(Node, Taken)> = Vec::new();
        for &node in nodes {
            found.clear();
            product.successors(node, &mut found)?;
            let steps = found.iter().filter(|(target, _)| inside.contains(target));
            taken.insert(node, steps.map(|(_, edge)| edge.step).collect());
            over.entry(product.base(node)).or_default().push(node);
        }
        for nodes in over.values() {
            let steps = self.steps(product, nodes[0])?;
            // Cheap, and necessary.
            if !steps.iter().all(|step| nodes.iter().any(|node| taken[node].contains(step))) {
                return Ok(false);
            }
            for &node in nodes {
                let here = self.potential(node);
                let same: Vec<Node> = nodes
                    .iter()
                    .copied()
                    .filter(|&other| {
                        other == node
                            || group.contains(&here.after(&self.potential(other).inverse()))
                    })
                    .collect();
                if !steps.iter().all(|step| same.iter().any(|node| taken[node].contains(step))) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The steps out of a node's representative and tuple, to states of the system.
    fn steps<W: Walk>(&self, product: &mut Product<'_, W>, node: Node) -> Result<Vec<u32>, Stop> {
        let steps = product.steps_of(node)?;
        let stays = steps.into_iter().filter(|(target, _)| !self.is_removed(*target));
        Ok(stays.map(|(_, step)| step).collect())
    }
}
