//! Extraction of a lasso of the product: a short path to an accepting component, and a cycle in it
//! through all acceptance sets.
//!
//! The search is breadth first, so that the stem is a shortest one; the cycle repeatedly goes to
//! the nearest edge of a set that is still missing, and then back by a shortest path.
//!
//! A depth-first search may find a violation after few nodes where a breadth-first one has to visit
//! very many. So the stem is a shortest one of all if it is found with not much more work than the
//! search took; else it is a shortest one through nodes that the search has met, and expanded.

use crate::breadth::BreadthFirst;
use crate::product::{Met, Product, ProductEdge, Stop, Taken, Touched};
use crate::search::Node;
use automata::Marks;
use hashbrown::HashSet;
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
    /// The same, after a search that has expanded these representatives and no others.
    Searched(&'s [Node], &'s Touched),
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
    while let Some(at) = tree.next() {
        match tree.expand(product, at) {
            Ok(()) => {}
            Err(stop @ Stop::Stopped(_)) => return Err(stop),
            Err(stop) => {
                let (start, path) = tree.path(product, at.0)?;
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
    let cells = product.structure().action().cells();
    let affordable = AFFORDABLE / cells.max(MANY_CELLS);
    let mut met = Some(product.met());
    let mut tree = BreadthFirstTree::new(scope);
    loop {
        let at = tree.next().expect("the component was reached from the starts");
        if inside.contains(&at.1) {
            return tree.path(product, at.0);
        }
        if let (Scope::Searched(_, touched), None) = (scope, &met)
            && !touched.contains(product.place(at.1).representative)
        {
            // The search came to the component by nodes that it had expanded.
            continue;
        }
        // A failure is ignored: another path leads to the component.
        if let Err(stop @ Stop::Stopped(_)) = tree.expand(product, at) {
            return Err(stop);
        }
        if matches!(tree.allowed, Allowed::All)
            && tree.nodes.met() > affordable + 4 * known
            && let Some(met) = met.take()
        {
            // Every node was met on a path from a start through nodes that were met before it.
            tree = BreadthFirstTree::among(Allowed::Met(met), scope);
        }
    }
}

/// The number of cells of nodes that may be met for a shortest stem, however few the search has met.
/// Nodes that are visited would be too few to count: each may have thousands of successors.
const AFFORDABLE: usize = 2_000_000;

/// Nodes with fewer cells cost as much as this many.
const MANY_CELLS: usize = 100;

/// The nodes that a tree may contain.
enum Allowed {
    All,
    /// Those that the search has met.
    Met(Met),
    These(HashSet<Node>),
}

impl Allowed {
    fn contains(&self, node: Node) -> bool {
        match self {
            Allowed::All => true,
            Allowed::Met(met) => met.contains(node.0),
            Allowed::These(nodes) => nodes.contains(&node),
        }
    }
}

/// A breadth-first search of a product.
struct BreadthFirstTree {
    allowed: Allowed,
    nodes: BreadthFirst<Node, ()>,
    found: Vec<(Node, Taken)>,
}

impl BreadthFirstTree {
    fn new(scope: Scope<'_>) -> BreadthFirstTree {
        let allowed = match scope {
            Scope::From(_) | Scope::Searched(..) => Allowed::All,
            Scope::Along(path) => Allowed::These(path.iter().copied().collect()),
        };
        BreadthFirstTree::among(allowed, scope)
    }

    fn among(allowed: Allowed, scope: Scope<'_>) -> BreadthFirstTree {
        let starts = match scope {
            Scope::From(starts) | Scope::Searched(starts, _) => starts,
            Scope::Along(path) => &path[..path.len().min(1)],
        };
        let nodes = BreadthFirst::new(starts.iter().filter(|start| allowed.contains(**start)));
        BreadthFirstTree { allowed, nodes, found: Vec::new() }
    }

    /// The number of the next node to be visited, and the node.
    fn next(&mut self) -> Option<(u32, Node)> {
        if Every::NODE.is_due(self.nodes.visited() as u64) {
            let (nodes, open) = (self.nodes.visited(), self.nodes.open());
            tracing::trace!(target: "progress", nodes, open);
        }
        let number = self.nodes.next()?;
        Some((number, *self.nodes.place(number)))
    }

    fn expand<P: Product>(
        &mut self,
        product: &mut P,
        (number, node): (u32, Node),
    ) -> Result<(), Stop> {
        self.found.clear();
        product.successors(node, &mut self.found)?;
        for &(target, _) in run::polled(&self.found) {
            if self.allowed.contains(target) {
                self.nodes.meet(&target, number, ());
            }
        }
        Ok(())
    }

    /// The path to a node from a start.
    fn path<P: Product>(&self, product: &mut P, to: u32) -> Result<(Node, Vec<ProductEdge>), Stop> {
        let way = self.nodes.way(to).into_iter();
        let nodes: Vec<Node> = way.map(|number| *self.nodes.place(number)).collect();
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
    let mut search: BreadthFirst<Node, ProductEdge> = BreadthFirst::new(&[from]);
    loop {
        let at = search.next().expect("every edge of a component can be reached");
        for edge in run::polled(product.labelled(*search.place(at))?) {
            if !inside.contains(&edge.target) {
                continue;
            }
            if is_wanted(&edge) {
                return Ok(search.edges(at).cloned().chain([edge]).collect());
            }
            search.meet(&edge.target.clone(), at, edge);
        }
    }
}
