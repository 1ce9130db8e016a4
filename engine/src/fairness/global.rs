//! Global fairness: every step that is enabled infinitely often is taken infinitely often.
//!
//! A component of the quotient that takes all steps of all its representatives is not enough: two
//! of its nodes may be one concrete state or different ones, and if they are different, a step that
//! one of them takes is still an obligation of the other (the published reduction for global
//! fairness overlooks this). The concrete states above a node u are { h ρ(u)(r) : h in H }, for the
//! loop group H. So two nodes u, w over the same (r, l), which differ in the state of the
//! automaton, are one concrete state with one tuple iff ρ(u) ρ(w)⁻¹ is in H. (Here l must be
//! canonical under Stab(r), and H must contain the conjugates of all of Stab(r, l).)
//!
//! **Rule.** A component that meets all acceptance sets carries a globally fair run iff for every
//! node u, each step out of (r, l) is taken inside by some node w that is one concrete state with
//! u. One edge represents its orbit under Stab(r, l), and the stutter of a state without steps is a
//! step. If a component fails, all of its parts fail, too.
//!
//! Cheap tests come first: the published condition is necessary, and if every node takes all its
//! steps itself, H is not needed.

use super::annotation::{Annotation, LoopGroup as _, PotentialTree as _};
use super::component::Fair;
use super::part::Part;
use super::rules::Rules;
use crate::product::{Base, Product, StepNumber, Stop, Taken};
use crate::search::{Active, Graph as _, Node};

impl<A: Annotation, R: Rules<A>> Fair<'_, '_, A, R> {
    /// Whether a complete component that meets all acceptance sets carries a globally fair run.
    pub(super) fn is_globally_fair<P: Product<Annotation = A>>(
        &mut self,
        part: &mut Part<'_, P>,
        active: Active<'_>,
        nodes: &[Node],
    ) -> Result<bool, Stop> {
        let mut by_base: Vec<(Base, Node)> =
            nodes.iter().map(|&node| (part.product.base(part.whole(node)), node)).collect();
        by_base.sort_unstable();
        // The nodes over one (r, l), if not all of them take all steps themselves.
        let mut uneven: Vec<Vec<(Node, Vec<StepNumber>)>> = Vec::new();
        for over in by_base.chunk_by(|a, b| a.0 == b.0) {
            let steps = self.steps(part, over[0].0)?;
            let mut taken = Vec::with_capacity(over.len());
            for &(_, node) in over {
                taken.push((node, Self::taken(part, active, node, nodes)?));
            }
            if !covers(taken.iter().map(|(_, taken)| &taken[..]), &steps) {
                return Ok(false);
            }
            if !taken.iter().all(|(_, taken)| covers([&taken[..]], &steps)) {
                uneven.push(taken);
            }
        }
        if uneven.is_empty() && self.knowledge.families().is_empty() {
            return Ok(true);
        }
        let mut known = self.nothing();
        self.absorb(part, active, &mut known, nodes, true)?;
        if !self.owes_nothing(&mut known) {
            return Ok(false);
        }
        for over in uneven {
            let steps = self.steps(part, part.product.base(part.whole(over[0].0)))?;
            for (node, _) in &over {
                let here = self.tree.potential(part.product, active, *node).clone();
                let mut same = Vec::new();
                for (other, taken) in &over {
                    let there = self.tree.potential(part.product, active, *other).inverse();
                    let is_in_group = known.group.contains(&here.after(&there));
                    if self.rules.is_same_state(is_in_group) {
                        same.push(&taken[..]);
                    }
                }
                if !covers(same, &steps) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The steps out of (r, l) to states of the system.
    fn steps<P: Product>(
        &self,
        part: &mut Part<'_, P>,
        base: Base,
    ) -> Result<Vec<StepNumber>, Stop> {
        let steps = part.product.steps_of(base)?;
        let stays = steps.into_iter().filter(|(target, _)| !self.knowledge.is_removed(*target));
        Ok(stays.map(|(_, step)| step).collect())
    }

    /// The steps that a node takes inside of a component, in ascending order, as the product
    /// numbers them.
    fn taken<P: Product>(
        part: &mut Part<'_, P>,
        active: Active<'_>,
        node: Node,
        nodes: &[Node],
    ) -> Result<Vec<StepNumber>, Stop> {
        let mut found: Vec<(Node, Taken)> = Vec::new();
        part.successors(node, &mut found)?;
        found.retain(|&(target, _)| active.is_among(target, nodes));
        Ok(found.into_iter().map(|(_, edge)| edge.step).collect())
    }
}

/// Whether each of these steps is in one of the lists, which are in ascending order.
fn covers<'t>(taken: impl IntoIterator<Item = &'t [StepNumber]>, steps: &[StepNumber]) -> bool {
    let mut missing = steps.to_vec();
    for taken in taken {
        missing.retain(|step| taken.binary_search(step).is_err());
    }
    missing.is_empty()
}
