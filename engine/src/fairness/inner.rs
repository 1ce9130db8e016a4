//! The edges inside of a component, including those that a product omits because they are
//! equivalent to others.

use crate::product::{Product, ProductEdge, Stop};
use crate::search::Node;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// The edges inside of a component, computed once per node.
pub(super) struct InnerEdges {
    inside: HashSet<Node>,
    made: HashMap<Node, Rc<Vec<ProductEdge>>>,
}

impl InnerEdges {
    /// Creates the table with no edges computed yet.
    pub(super) fn new(component: &[Node]) -> InnerEdges {
        InnerEdges { inside: component.iter().copied().collect(), made: HashMap::new() }
    }

    /// The edges inside of the component that leave a node.
    pub(super) fn of<P: Product>(
        &mut self,
        product: &mut P,
        node: Node,
    ) -> Result<Rc<Vec<ProductEdge>>, Stop> {
        if let Some(known) = self.made.get(&node) {
            return Ok(Rc::clone(known));
        }
        let mut edges = product.unfolded(node)?;
        edges.retain(|edge| self.inside.contains(&edge.target));
        let edges = Rc::new(edges);
        self.made.insert(node, Rc::clone(&edges));
        Ok(edges)
    }
}
