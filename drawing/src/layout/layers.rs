//! Layers, by the network simplex method of [`GKNV93`], section 2: the sum of the lengths of all edges
//! is least.
//!
//! ```text
//! (1)  start with some layers and a spanning tree of tight edges, as short as they may be
//! (2)  while a tree edge e has a negative cut value:
//! (3)    let f be the shortest edge that crosses the cut against e
//! (4)    shift a side of the cut until f is tight; f takes the place of e
//! ```
//!
//! The cut value of a tree edge is the number of edges that lead from the side of its tail to that of
//! its head, less those that lead back: what the sum shrinks by if the sides are moved together. One
//! round costs a walk over the tree and a look at all edges; after so many rounds as a second or two
//! allows, what there is by then is good, if not best.
//!
//! [`GKNV93`]: crate::papers::GKNV93

use super::Ask;

/// How many layers an edge spans at least: there is one in between for labels.
pub(super) const SPAN: i64 = 2;
/// Looks at an edge or node of the tree, all in all.
const PATIENCE: usize = 100_000_000;

/// The layers of the nodes of an acyclic graph, from 0. An edge leads from one to a later one, at least
/// [`SPAN`] after; all layers of nodes are even.
pub(super) fn layers<E>(
    nodes: usize,
    arcs: &[(usize, usize)],
    ask: Ask<'_, E>,
) -> Result<Vec<usize>, E> {
    let mut simplex = Simplex::new(nodes, arcs);
    let mut layer = vec![0; nodes];
    for part in simplex.parts() {
        simplex.optimise(&part, ask)?;
        let first = part.iter().map(|&node| simplex.layer[node]).min().unwrap_or(0);
        for node in part {
            layer[node] = usize::try_from(simplex.layer[node] - first).expect("the first is first");
        }
    }
    Ok(layer)
}

struct Arc {
    tail: usize,
    head: usize,
    /// How many edges it stands for.
    weight: i64,
}

struct Simplex {
    arcs: Vec<Arc>,
    /// The arcs at each node.
    at: Vec<Vec<usize>>,
    layer: Vec<i64>,
    in_tree: Vec<bool>,
    /// The tree arc towards the root of the tree.
    up: Vec<Option<usize>>,
    /// Numbers of the subtrees: those below a node have numbers from `low` to its own, `last`.
    low: Vec<usize>,
    last: Vec<usize>,
    /// The nodes of the part, a node after all below it.
    below_first: Vec<usize>,
    /// Of tree arcs.
    cut: Vec<i64>,
    patience: usize,
}

impl Simplex {
    fn new(nodes: usize, edges: &[(usize, usize)]) -> Simplex {
        let mut sorted = edges.to_vec();
        sorted.sort_unstable();
        let arcs: Vec<Arc> = sorted
            .chunk_by(|a, b| a == b)
            .map(|alike| {
                let (tail, head) = alike[0];
                Arc { tail, head, weight: i64::try_from(alike.len()).expect("few edges") }
            })
            .collect();
        let mut at = vec![Vec::new(); nodes];
        for (k, arc) in arcs.iter().enumerate() {
            at[arc.tail].push(k);
            at[arc.head].push(k);
        }
        let layer = longest_paths(nodes, &arcs);
        let (in_tree, cut) = (vec![false; arcs.len()], vec![0; arcs.len()]);
        let (up, low, last) = (vec![None; nodes], vec![0; nodes], vec![0; nodes]);
        let below_first = Vec::new();
        Simplex { arcs, at, layer, in_tree, up, low, last, below_first, cut, patience: PATIENCE }
    }

    /// The connected parts of the graph.
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.at.len()];
        let mut parts = Vec::new();
        for root in 0..self.at.len() {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut part = vec![root];
            let mut next = 0;
            while let Some(&node) = part.get(next) {
                next += 1;
                for &arc in &self.at[node] {
                    let other = self.other(arc, node);
                    if !std::mem::replace(&mut seen[other], true) {
                        part.push(other);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }

    fn other(&self, arc: usize, node: usize) -> usize {
        let Arc { tail, head, .. } = self.arcs[arc];
        if tail == node { head } else { tail }
    }

    fn slack(&self, arc: usize) -> i64 {
        let Arc { tail, head, .. } = self.arcs[arc];
        self.layer[head] - self.layer[tail] - SPAN
    }

    fn optimise<E>(&mut self, part: &[usize], ask: Ask<'_, E>) -> Result<(), E> {
        self.span(part, ask)?; // (1)
        let mut arcs: Vec<usize> = part.iter().flat_map(|&node| self.at[node].clone()).collect();
        arcs.sort_unstable();
        arcs.dedup();
        self.number(part[0]);
        self.find_cuts();
        let mut first = 0;
        while self.patience > 0 {
            // (2) The search goes on where it stopped, so that all get their turn.
            let turn = arcs[first..].iter().chain(&arcs[..first]);
            let Some((steps, &leaves)) =
                turn.enumerate().find(|&(_, &arc)| self.in_tree[arc] && self.cut[arc] < 0)
            else {
                break;
            };
            first = (first + steps) % arcs.len();
            ask()?;
            self.exchange(leaves, &arcs);
            self.patience = self.patience.saturating_sub(arcs.len() + part.len());
        }
        Ok(())
    }

    /// A spanning tree of tight arcs. It grows by the arcs that are tight; when there are none, all of
    /// it is shifted towards the closest node outside.
    fn span<E>(&mut self, part: &[usize], ask: Ask<'_, E>) -> Result<(), E> {
        let mut inside = vec![false; self.at.len()];
        let mut tree = vec![part[0]];
        inside[part[0]] = true;
        let mut next = 0;
        while tree.len() < part.len() {
            ask()?;
            while let Some(&node) = tree.get(next) {
                next += 1;
                for k in 0..self.at[node].len() {
                    let arc = self.at[node][k];
                    let other = self.other(arc, node);
                    if !inside[other] && self.slack(arc) == 0 {
                        inside[other] = true;
                        self.in_tree[arc] = true;
                        tree.push(other);
                    }
                }
            }
            let crossing = tree.iter().flat_map(|&node| &self.at[node]).copied();
            let crossing =
                crossing.filter(|&arc| inside[self.arcs[arc].tail] != inside[self.arcs[arc].head]);
            let Some(closest) = crossing.min_by_key(|&arc| (self.slack(arc), arc)) else { break };
            let slack = self.slack(closest);
            let shift = if inside[self.arcs[closest].tail] { slack } else { -slack };
            for &node in &tree {
                self.layer[node] += shift;
            }
            // A node that had been left behind may have a tight arc now.
            next = 0;
        }
        Ok(())
    }

    /// Numbers the tree from its leaves.
    fn number(&mut self, root: usize) {
        self.below_first.clear();
        self.up[root] = None;
        self.low[root] = 0;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(&arc) = self.at[node].get(*next) else {
                self.last[node] = self.below_first.len();
                self.below_first.push(node);
                path.pop();
                continue;
            };
            *next += 1;
            if self.in_tree[arc] && self.up[node] != Some(arc) {
                let below = self.other(arc, node);
                self.up[below] = Some(arc);
                self.low[below] = self.below_first.len();
                path.push((below, 0));
            }
        }
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        (self.low[top]..=self.last[top]).contains(&self.last[node])
    }

    /// The lower end of a tree arc.
    fn lower(&self, arc: usize) -> usize {
        let Arc { tail, head, .. } = self.arcs[arc];
        if self.last[tail] < self.last[head] { tail } else { head }
    }

    /// All cut values, leaves first: what crosses the cut above a node crosses one of those below it, or
    /// begins or ends in the node.
    fn find_cuts(&mut self) {
        for k in 0..self.below_first.len() {
            let node = self.below_first[k];
            let Some(up) = self.up[node] else { continue };
            // Out of the subtree less into it, over all arcs but `up`.
            let mut out = 0;
            for &arc in &self.at[node] {
                let Arc { tail, weight, .. } = self.arcs[arc];
                let sign = if tail == node { 1 } else { -1 };
                if self.in_tree[arc] && arc != up {
                    // What leaves the subtree below; the tree arc itself is inside of this one.
                    let cut = if sign > 0 { -self.cut[arc] } else { self.cut[arc] };
                    out += cut + sign * weight;
                } else {
                    out += sign * weight;
                }
            }
            self.cut[up] = if self.arcs[up].tail == node { out } else { -out };
        }
    }

    /// (3) and (4).
    fn exchange(&mut self, leaves: usize, arcs: &[usize]) {
        let lower = self.lower(leaves);
        let tail_is_below = self.arcs[leaves].tail == lower;
        let crossing = arcs.iter().copied().filter(|&arc| {
            let Arc { tail, head, .. } = self.arcs[arc];
            let (tail, head) = (self.is_below(tail, lower), self.is_below(head, lower));
            if tail_is_below { !tail && head } else { tail && !head }
        });
        let enters = crossing
            .min_by_key(|&arc| (self.slack(arc), arc))
            .expect("a negative cut value means that something crosses");
        let slack = self.slack(enters);
        let shift = if tail_is_below { -slack } else { slack };
        for k in self.low[lower]..=self.last[lower] {
            self.layer[self.below_first[k]] += shift;
        }
        self.in_tree[leaves] = false;
        self.in_tree[enters] = true;
        let root = *self.below_first.last().expect("there is a root");
        self.number(root);
        self.find_cuts();
    }
}

/// For each node the most layers that some path to it spans.
fn longest_paths(nodes: usize, arcs: &[Arc]) -> Vec<i64> {
    let (mut out, mut missing) = (vec![Vec::new(); nodes], vec![0; nodes]);
    for arc in arcs {
        out[arc.tail].push(arc.head);
        missing[arc.head] += 1;
    }
    let mut layer = vec![0; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|&node| missing[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &head in &out[node] {
            layer[head] = layer[head].max(layer[node] + SPAN);
            missing[head] -= 1;
            if missing[head] == 0 {
                ready.push(head);
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sensible layers, one after the other.
    fn least(nodes: usize, arcs: &[(usize, usize)]) -> usize {
        let mut best = usize::MAX;
        for code in 0..nodes.pow(u32::try_from(nodes).expect("few")) {
            let layer: Vec<usize> =
                (0..nodes).map(|node| code / nodes.pow(node as u32) % nodes).collect();
            if arcs.iter().all(|&(a, b)| layer[a] < layer[b]) {
                best = best.min(arcs.iter().map(|&(a, b)| layer[b] - layer[a]).sum());
            }
        }
        best * 2
    }

    /// All acyclic graphs with up to four nodes, and every 13th of those with five.
    #[test]
    fn the_sum_of_lengths_is_least() {
        for nodes in 1..=5_usize {
            let pairs: Vec<(usize, usize)> =
                (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect();
            let step = if nodes == 5 { 13 } else { 1 };
            for set in (0..1_u32 << pairs.len()).step_by(step) {
                // Some twice: they weigh more.
                let mut arcs: Vec<(usize, usize)> =
                    (0..pairs.len()).filter(|k| set >> k & 1 == 1).map(|k| pairs[k]).collect();
                arcs.extend(arcs.clone().iter().step_by(3));
                let layer = layers(nodes, &arcs, &mut || Ok::<(), ()>(())).expect("nobody stops");
                assert!(arcs.iter().all(|&(a, b)| layer[a] + 2 <= layer[b]), "{arcs:?}");
                assert!(layer.iter().all(|layer| layer % 2 == 0), "{arcs:?}");
                let sum: usize = arcs.iter().map(|&(a, b)| layer[b] - layer[a]).sum();
                assert_eq!(sum, least(nodes, &arcs), "{arcs:?}");
            }
        }
    }
}
