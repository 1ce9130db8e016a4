//! Extraction of a lasso of the product: a short path to an accepting component, and a cycle in it
//! through all acceptance sets.
//!
//! The search is breadth first, so that the stem is a shortest one; the cycle repeatedly goes to
//! the nearest edge of a set that is still missing, and then back by a shortest path.
//!
//! A depth-first search may find a violation after few nodes where a breadth-first one has to visit
//! very many. So the stem is a shortest one of all if it is found with not much more work than the
//! search took; else it is a shortest one through nodes that the search has met.

use crate::product::{Met, Product, ProductEdge, Stop, Taken};
use crate::search::Node;
use automata::Marks;
use hashbrown::{HashMap, HashSet};
use run::Every;

/// A path and a cycle of a product.
#[derive(Clone, Debug)]
pub struct AbstractLasso {
    /// The first node.
    pub start: Node,
    /// The edges of the path to the cycle.
    pub stem: Vec<ProductEdge>,
    /// The edges of the cycle; not empty.
    pub cycle: Vec<ProductEdge>,
}

/// The nodes that a path may visit.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'s> {
    /// All nodes, from one of these starts.
    From(&'s [Node]),
    /// These nodes only, of which the first is a start and each leads to the next: for callers that
    /// have no memory for others.
    Along(&'s [Node]),
}

/// A lasso through all of these marks in a component. Nodes on other paths whose edges fail are
/// skipped.
pub fn lasso<P: Product>(
    product: &mut P,
    scope: Scope<'_>,
    component: &[Node],
    marks: Marks,
) -> Result<AbstractLasso, Stop> {
    let inside: HashSet<Node> = component.iter().copied().collect();
    let (start, stem) = stem(product, scope, &inside)?;
    let home = stem.last().map_or(start, |edge| edge.target);
    let mut cycle: Vec<ProductEdge> = Vec::new();
    let mut missing = marks;
    let mut at = home;
    while !missing.is_empty() {
        let way = way(product, &inside, at, |edge| !(edge.marks & missing).is_empty())?;
        missing = way.iter().fold(missing, |missing, edge| missing - edge.marks);
        at = way.last().expect("a way to an edge has an edge").target;
        cycle.extend(way);
    }
    if at != home || cycle.is_empty() {
        cycle.extend(way(product, &inside, at, |edge| edge.target == home)?);
    }
    Ok(AbstractLasso { start, stem, cycle })
}

/// A shortest path to the nearest node whose edges cannot be computed, with the reason; none if
/// there is no such node.
pub fn failure<P: Product>(
    product: &mut P,
    scope: Scope<'_>,
) -> Result<Option<(Node, Vec<ProductEdge>, Stop)>, Stop> {
    let mut tree = BreadthFirstTree::new(scope);
    while let Some(node) = tree.next() {
        match tree.expand(product, node) {
            Ok(()) => {}
            Err(stop @ Stop::Stopped(_)) => return Err(stop),
            Err(stop) => {
                let (start, path) = tree.path(product, node)?;
                return Ok(Some((start, path, stop)));
            }
        }
    }
    Ok(None)
}

/// A shortest path to one of these nodes, which the product has met.
pub fn stem<P: Product>(
    product: &mut P,
    scope: Scope<'_>,
    inside: &HashSet<Node>,
) -> Result<(Node, Vec<ProductEdge>), Stop> {
    let known = product.len();
    let mut met = Some(product.met());
    let mut tree = BreadthFirstTree::new(scope);
    loop {
        let Some(node) = tree.next() else {
            unreachable!("the component was reached from the starts")
        };
        if inside.contains(&node) {
            return tree.path(product, node);
        }
        // A failure is ignored: another path leads to the component.
        if let Err(stop @ Stop::Stopped(_)) = tree.expand(product, node) {
            return Err(stop);
        }
        if matches!(tree.allowed, Allowed::All)
            && tree.next > AFFORDABLE + 4 * known
            && let Some(met) = met.take()
        {
            // Every node was met on a path from a start through nodes that were met before it.
            tree = BreadthFirstTree::among(Allowed::Met(met), scope);
        }
    }
}

/// The number of nodes that may be visited for a shortest stem, however few the search has met.
const AFFORDABLE: usize = 10_000;

/// The nodes that a tree may contain.
enum Allowed {
    All,
    /// Those that the search has met.
    Met(Met),
    These(HashSet<Node>),
}

/// The nodes visited so far, breadth first, each with its parent.
struct BreadthFirstTree {
    allowed: Allowed,
    parents: HashMap<Node, Option<Node>>,
    open: Vec<Node>,
    next: usize,
    found: Vec<(Node, Taken)>,
}

impl BreadthFirstTree {
    fn new(scope: Scope<'_>) -> BreadthFirstTree {
        let allowed = match scope {
            Scope::From(_) => Allowed::All,
            Scope::Along(path) => Allowed::These(path.iter().copied().collect()),
        };
        BreadthFirstTree::among(allowed, scope)
    }

    fn among(allowed: Allowed, scope: Scope<'_>) -> BreadthFirstTree {
        let starts = match scope {
            Scope::From(starts) => starts,
            Scope::Along(path) => &path[..path.len().min(1)],
        };
        let (parents, open, found) = (HashMap::new(), Vec::new(), Vec::new());
        let mut tree = BreadthFirstTree { allowed, parents, open, next: 0, found };
        for &start in starts {
            tree.meet(start, None);
        }
        tree
    }

    fn meet(&mut self, node: Node, from: Option<Node>) {
        let is_allowed = match &self.allowed {
            Allowed::All => true,
            Allowed::Met(met) => met.contains(node.0),
            Allowed::These(nodes) => nodes.contains(&node),
        };
        run::memory::ask_to_grow::<(Node, Option<Node>)>(
            self.parents.len(),
            self.parents.capacity(),
        );
        if is_allowed && self.parents.try_insert(node, from).is_ok() {
            self.open.push(node);
        }
    }

    /// The next node to be visited.
    fn next(&mut self) -> Option<Node> {
        let node = self.open.get(self.next).copied();
        if Every::NODE.is_due(self.next as u64) {
            tracing::trace!(target: "progress", nodes = self.next, open = self.open.len());
        }
        self.next += 1;
        node
    }

    fn expand<P: Product>(&mut self, product: &mut P, node: Node) -> Result<(), Stop> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let outcome = product.successors(node, &mut found);
        if outcome.is_ok() {
            for &(target, _) in run::polled(&found) {
                self.meet(target, Some(node));
            }
        }
        self.found = found;
        outcome
    }

    /// The path to a node from a start.
    fn path<P: Product>(
        &self,
        product: &mut P,
        to: Node,
    ) -> Result<(Node, Vec<ProductEdge>), Stop> {
        let mut nodes = vec![to];
        while let Some(parent) = self.parents[&nodes[nodes.len() - 1]] {
            run::poll();
            nodes.push(parent);
        }
        nodes.reverse();
        let mut path = Vec::new();
        for pair in nodes.windows(2) {
            let edges = product.labelled(pair[0])?;
            let edge = edges.into_iter().find(|edge| edge.target == pair[1]);
            path.push(edge.expect("the edge was walked before"));
        }
        Ok((nodes[0], path))
    }
}

/// A shortest path inside of a component to an edge that is wanted; that edge is its last.
fn way<P: Product>(
    product: &mut P,
    inside: &HashSet<Node>,
    from: Node,
    is_wanted: impl Fn(&ProductEdge) -> bool,
) -> Result<Vec<ProductEdge>, Stop> {
    let mut parents: HashMap<Node, (Node, ProductEdge)> = HashMap::new();
    let mut open = vec![from];
    let mut next = 0;
    loop {
        let node = open[next];
        next += 1;
        for edge in run::polled(product.labelled(node)?) {
            if !inside.contains(&edge.target) {
                continue;
            }
            if is_wanted(&edge) {
                let mut way = vec![edge];
                let mut at = node;
                while at != from {
                    let (parent, edge) = &parents[&at];
                    way.push(edge.clone());
                    at = *parent;
                }
                way.reverse();
                return Ok(way);
            }
            if edge.target != from && !parents.contains_key(&edge.target) {
                let (length, capacity) = (parents.len(), parents.capacity());
                run::memory::ask_to_grow::<(Node, (Node, ProductEdge))>(length, capacity);
                open.push(edge.target);
                parents.insert(edge.target, (node, edge));
            }
        }
    }
}
