//! A lasso of the product: a short way to an accepting component, and a cycle in it through all
//! acceptance sets.
//!
//! Breadth first, so that the stem is a shortest one; the cycle takes the nearest edge of a set that is
//! still missing, again and again, and then the nearest way back.

use crate::product::{Product, ProductEdge, Stop};
use crate::search::{Graph as _, Node};
use automata::Marks;
use hashbrown::{HashMap, HashSet};

/// A path and a cycle of a product.
#[derive(Clone, Debug)]
pub struct AbstractLasso {
    /// Where it starts.
    pub start: Node,
    /// The edges to the cycle.
    pub stem: Vec<ProductEdge>,
    /// The edges of the cycle; not empty.
    pub cycle: Vec<ProductEdge>,
}

/// A lasso through all of these marks in a component, from one of these starts.
pub fn lasso(
    product: &mut Product<'_>,
    starts: &[Node],
    component: &[Node],
    marks: Marks,
) -> Result<AbstractLasso, Stop> {
    let inside: HashSet<Node> = component.iter().copied().collect();
    let (start, stem) = stem(product, starts, &inside)?;
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

/// A shortest path to one of these nodes.
fn stem(
    product: &mut Product<'_>,
    starts: &[Node],
    inside: &HashSet<Node>,
) -> Result<(Node, Vec<ProductEdge>), Stop> {
    let mut parents: HashMap<Node, Option<Node>> = HashMap::new();
    let mut open: Vec<Node> = Vec::new();
    for &start in starts {
        if parents.insert(start, None).is_none() {
            open.push(start);
        }
    }
    let mut next = 0;
    let mut found = Vec::new();
    let mut end = open.iter().copied().find(|node| inside.contains(node));
    while end.is_none() {
        let node = open[next];
        next += 1;
        found.clear();
        product.successors(node, &mut found)?;
        for &(target, _) in &found {
            if !parents.contains_key(&target) {
                parents.insert(target, Some(node));
                open.push(target);
                if inside.contains(&target) {
                    end = Some(target);
                    break;
                }
            }
        }
    }
    let mut nodes = vec![end.expect("the component was reached")];
    while let Some(parent) = parents[&nodes[nodes.len() - 1]] {
        nodes.push(parent);
    }
    nodes.reverse();
    let mut stem = Vec::new();
    for pair in nodes.windows(2) {
        let edges = product.labelled(pair[0])?;
        let edge = edges.into_iter().find(|edge| edge.target == pair[1]);
        stem.push(edge.expect("the edge was walked before"));
    }
    Ok((nodes[0], stem))
}

/// A shortest path inside of a component to an edge that is wanted; that edge is its last.
fn way(
    product: &mut Product<'_>,
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
        for edge in product.labelled(node)? {
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
                open.push(edge.target);
                parents.insert(edge.target, (node, edge));
            }
        }
    }
}
