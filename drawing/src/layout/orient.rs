//! Which edges are turned round, so that no cycle is left.
//!
//! Who reads a drawing starts at the start: an edge on a cycle is turned if it leads closer to the start
//! (in steps) than it came from. What cycles are left lie at one distance; the edges that close them in a
//! depth-first search are turned as well. An edge on no cycle is never turned. ([`GKNV93`] has the
//! depth-first search alone, which draws steps and their undoing as one long thread.)
//!
//! [`GKNV93`]: crate::papers::GKNV93

use crate::graph::Graph;
use std::collections::VecDeque;

/// For each edge whether it is drawn from its target to its source. Loops are not.
pub(super) fn turned(graph: &Graph) -> Vec<bool> {
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for (k, edge) in graph.edges.iter().enumerate() {
        if edge.source != edge.target {
            out[edge.source].push(k);
        }
    }
    let distance = distances(graph, &out);
    let component = components(graph, &out);
    let mut turned: Vec<bool> = graph
        .edges
        .iter()
        .map(|edge| {
            component[edge.source] == component[edge.target]
                && distance[edge.target] < distance[edge.source]
        })
        .collect();
    // What is left, depth first.
    let mut colour = vec![Colour::White; graph.nodes.len()];
    for root in 0..graph.nodes.len() {
        if colour[root] != Colour::White {
            continue;
        }
        colour[root] = Colour::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                colour[*node] = Colour::Done;
                path.pop();
                continue;
            };
            *next += 1;
            if turned[edge] {
                continue;
            }
            let target = graph.edges[edge].target;
            match colour[target] {
                Colour::White => {
                    colour[target] = Colour::Open;
                    path.push((target, 0));
                }
                Colour::Open => turned[edge] = true,
                Colour::Done => {}
            }
        }
    }
    turned
}

#[derive(Clone, Copy, PartialEq)]
enum Colour {
    White,
    /// On the path.
    Open,
    Done,
}

/// Steps from the closest start; what no start reaches has a start of its own.
fn distances(graph: &Graph, out: &[Vec<usize>]) -> Vec<usize> {
    let mut distance = vec![usize::MAX; out.len()];
    let mut queue = VecDeque::new();
    let starts = (0..out.len()).filter(|&node| graph.nodes[node].is_start);
    for node in starts {
        distance[node] = 0;
        queue.push_back(node);
    }
    let mut reach = |queue: &mut VecDeque<usize>| {
        while let Some(node) = queue.pop_front() {
            for &edge in &out[node] {
                let target = graph.edges[edge].target;
                if distance[target] == usize::MAX {
                    distance[target] = distance[node] + 1;
                    queue.push_back(target);
                }
            }
        }
        distance.iter().position(|&steps| steps == usize::MAX).inspect(|&node| distance[node] = 0)
    };
    while let Some(node) = reach(&mut queue) {
        queue.push_back(node);
    }
    distance
}

/// The strongly connected component of each node (Kosaraju and Sharir: backwards, in the order in
/// which a forward search leaves).
fn components(graph: &Graph, out: &[Vec<usize>]) -> Vec<usize> {
    let mut back = vec![Vec::new(); out.len()];
    for edge in &graph.edges {
        back[edge.target].push(edge.source);
    }
    let mut left = Vec::with_capacity(out.len());
    let mut seen = vec![false; out.len()];
    for root in 0..out.len() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                left.push(*node);
                path.pop();
                continue;
            };
            *next += 1;
            let target = graph.edges[edge].target;
            if !std::mem::replace(&mut seen[target], true) {
                path.push((target, 0));
            }
        }
    }
    let mut component = vec![usize::MAX; out.len()];
    for &root in left.iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(&back[node]);
            }
        }
    }
    component
}
