//! Parts of a product, as graphs.
//!
//! # Near searches
//! Many violations are near the start, and a depth-first search may run past them. In a system of n
//! interchangeable processes, a search that always takes the same step first may have to backtrack
//! from a path of n steps before it tries anything else, although the violation involves only three
//! processes. So a short search comes first, which backtracks early and, where the automaton has a
//! choice, advances in it rather than stay ([`Part::near`], [`NEAR`]). Its result does not depend
//! on n, once n is large enough, and its cost is negligible compared to the search that follows if
//! it finds nothing.

use crate::product::{Product, Stop, Taken};
use crate::search::{Bounds, Graph, Node};
use hashbrown::HashMap;

/// The bounds of a short search. For example, the path to a loop that lends something and gets it
/// back fits in, together with the loop.
pub const NEAR: Bounds = Bounds { depth: 8, nodes: 64 };

/// A part of a product.
pub struct Part<'p, P> {
    pub(super) product: &'p mut P,
    extent: Extent,
}

enum Extent {
    /// All nodes, with the numbers of the product. Start nodes that the product has returned before
    /// come first, the next one at the end of `again`, and then the others.
    All { again: Vec<Node> },
    /// All nodes that are reachable from one node. Of the edges of one step, those that advance in
    /// the automaton come first.
    Near { start: Option<Node> },
    /// Some nodes, with numbers of their own, so that the arrays of a search have entries for these
    /// only.
    Some {
        /// By number: the node of the product.
        nodes: Vec<Node>,
        numbers: HashMap<Node, u32>,
        /// The number of nodes that were returned as starts.
        started: u32,
    },
}

impl<'p, P: Product> Part<'p, P> {
    /// The whole product.
    pub fn all(product: &'p mut P) -> Self {
        let again = product.starts().iter().rev().copied().collect();
        Part { product, extent: Extent::All { again } }
    }

    /// The product from one node on, for a short search.
    pub fn near(product: &'p mut P, start: Node) -> Self {
        Part { product, extent: Extent::Near { start: Some(start) } }
    }

    /// The part of the product with these nodes, each of which is a start.
    pub fn of(product: &'p mut P, nodes: Vec<Node>) -> Self {
        let numbers = nodes.iter().copied().zip(0..).collect();
        Part { product, extent: Extent::Some { nodes, numbers, started: 0 } }
    }

    /// The node of the product for a node of the part.
    pub(super) fn whole(&self, node: Node) -> Node {
        match &self.extent {
            Extent::All { .. } | Extent::Near { .. } => node,
            Extent::Some { nodes, .. } => nodes[node.0 as usize],
        }
    }

    /// The nodes of the product for nodes of the part.
    pub fn all_whole(&self, nodes: &[Node]) -> Vec<Node> {
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
