//! Parts of a product, as graphs.
//!
//! # What is near
//! Many violations are near the start, and a depth-first search may run past them: in a system of n
//! interchangeable processes, one that always does the same first may have to come back from a path of n steps
//! before it does anything else, although what it looks for takes three processes. So a short search comes
//! first, which turns back early, and where the automaton has a choice goes on in it, rather than stay
//! ([`Part::near`], [`NEAR`]). What it finds does not depend on n, once n is large enough; and what it costs is
//! nothing beside the search that follows if it finds nothing.

use crate::product::{Product, Stop, Taken};
use crate::search::{Bounds, Graph, Node};
use hashbrown::HashMap;

/// How far a short search goes. The way to a loop that lends something and gets it back, say, fits in, and
/// the loop.
pub const NEAR: Bounds = Bounds { depth: 8, nodes: 64 };

/// A part of a product.
pub struct Part<'p, P> {
    pub(super) product: &'p mut P,
    extent: Extent,
}

enum Extent {
    /// All, with the numbers of the product: the nodes in which runs start that were asked for before, the next
    /// at the end, and then the others.
    All { again: Vec<Node> },
    /// The same, but from one node on, and of the edges of one step first those that go on in the automaton.
    Near { start: Option<Node> },
    /// Some, with numbers of their own, so that who searches them pays for no others.
    Some {
        /// By number: which nodes of the product.
        nodes: Vec<Node>,
        numbers: HashMap<Node, u32>,
        /// Those that were starts.
        started: u32,
    },
}

impl<'p, P: Product> Part<'p, P> {
    /// All of a product.
    pub fn all(product: &'p mut P) -> Self {
        let again = product.starts().iter().rev().copied().collect();
        Part { product, extent: Extent::All { again } }
    }

    /// What is near to a node.
    pub fn near(product: &'p mut P, start: Node) -> Self {
        Part { product, extent: Extent::Near { start: Some(start) } }
    }

    /// Some nodes, in all of which runs start.
    pub(super) fn of(product: &'p mut P, nodes: Vec<Node>) -> Self {
        let numbers = nodes.iter().copied().zip(0..).collect();
        Part { product, extent: Extent::Some { nodes, numbers, started: 0 } }
    }

    /// The node of the product.
    pub(super) fn whole(&self, node: Node) -> Node {
        match &self.extent {
            Extent::All { .. } | Extent::Near { .. } => node,
            Extent::Some { nodes, .. } => nodes[node.0 as usize],
        }
    }

    /// The nodes of the product.
    pub(super) fn all_whole(&self, nodes: &[Node]) -> Vec<Node> {
        nodes.iter().map(|&node| self.whole(node)).collect()
    }
}

impl<P: Product> Graph for Part<'_, P> {
    type Edge = Taken;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<Node>, Stop> {
        match &mut self.extent {
            Extent::All { again } => match again.pop() {
                Some(start) => Ok(Some(start)),
                None => self.product.next_start(),
            },
            Extent::Near { start } => Ok(start.take()),
            Extent::Some { nodes, started, .. } => {
                let next = *started;
                *started += 1;
                Ok(((next as usize) < nodes.len()).then_some(Node(next)))
            }
        }
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, Taken)>) -> Result<(), Stop> {
        let first = found.len();
        match &self.extent {
            Extent::All { .. } => self.product.successors(node, found),
            Extent::Near { .. } => {
                self.product.successors(node, found)?;
                let product = &*self.product;
                for of_step in found[first..].chunk_by_mut(|(_, a), (_, b)| a.step == b.step) {
                    of_step.sort_by_key(|(target, _)| product.remoteness(*target));
                }
                Ok(())
            }
            Extent::Some { nodes, numbers, .. } => {
                self.product.successors(nodes[node.0 as usize], found)?;
                let mut kept = first;
                for k in first..found.len() {
                    let (target, edge) = found[k];
                    if let Some(&target) = numbers.get(&target) {
                        found[kept] = (Node(target), edge);
                        kept += 1;
                    }
                }
                found.truncate(kept);
                Ok(())
            }
        }
    }
}
