//! Parts of a product, as graphs.

use crate::product::{Product, Stop, Taken};
use crate::quotient::Walk;
use crate::search::{Graph, Node};
use hashbrown::HashMap;

/// A part of a product. Its nodes have numbers of their own, so that who searches it pays for no others.
pub struct Part<'p, 'q, W> {
    pub(super) product: &'p mut Product<'q, W>,
    /// None means all.
    some: Option<Chosen>,
}

/// Some nodes of a product.
struct Chosen {
    /// By number: which nodes of the product.
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
    /// Those that were starts.
    started: u32,
}

impl<'p, 'q, W: Walk> Part<'p, 'q, W> {
    /// All of a product, with its numbers.
    pub fn all(product: &'p mut Product<'q, W>) -> Self {
        Part { product, some: None }
    }

    /// Some nodes, in all of which runs start.
    pub(super) fn of(product: &'p mut Product<'q, W>, nodes: Vec<Node>) -> Self {
        let numbers = nodes.iter().copied().zip(0..).collect();
        Part { product, some: Some(Chosen { nodes, numbers, started: 0 }) }
    }

    /// The node of the product.
    pub(super) fn whole(&self, node: Node) -> Node {
        match &self.some {
            None => node,
            Some(some) => some.nodes[node.0 as usize],
        }
    }

    /// The nodes of the product.
    pub(super) fn all_whole(&self, nodes: &[Node]) -> Vec<Node> {
        nodes.iter().map(|&node| self.whole(node)).collect()
    }
}

impl<W: Walk> Graph for Part<'_, '_, W> {
    type Edge = Taken;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<Node>, Stop> {
        match &mut self.some {
            None => self.product.next_start(),
            Some(some) => {
                let next = some.started;
                some.started += 1;
                Ok(((next as usize) < some.nodes.len()).then_some(Node(next)))
            }
        }
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, Taken)>) -> Result<(), Stop> {
        let Some(some) = &self.some else { return self.product.successors(node, found) };
        let first = found.len();
        self.product.successors(some.nodes[node.0 as usize], found)?;
        let mut kept = first;
        for k in first..found.len() {
            let (target, edge) = found[k];
            if let Some(&target) = some.numbers.get(&target) {
                found[kept] = (Node(target), edge);
                kept += 1;
            }
        }
        found.truncate(kept);
        Ok(())
    }
}
