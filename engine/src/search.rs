//! Path-based search for an accepting strongly connected set, on the fly.
//!
//! After [`COU99`] and [`GAB00`]: a depth-first search that keeps one *root* for each strongly
//! connected set on its path, with a summary of the set.
//!
//! ```text
//! (P1)  visit(v) by e:  number v; push a root (v, e, summary of v alone); v is active
//! (P2)    for each edge f = v → w:
//! (P3)      if w has no number:  visit(w) by f
//! (P4)      else if w is active:  while the last root has a number above that of w:
//! (P5)                              it becomes part of the one before, with the edge that led to it
//! (P6)                            f becomes part of the last root
//! (P7)                            if its summary is accepting:  report the set
//! (P8)    if v is the last root:  pop it; all active nodes from v on are dead
//! ```
//!
//! An [`Acceptance`] decides which sets are accepting. If parts of a component can be accepting
//! although the whole is not (strong fairness), it decides once more at (P8).
//!
//! **Invariant**: the active nodes between two neighbouring roots, the second excluded, are
//! strongly connected, and the summary of the first is that of all edges between them that were
//! examined. A set is reported at the first edge that completes it (P7). Whether it is accepting
//! may depend on the summary in any way, as long as the summary of a union is the join of the
//! summaries: fairness is decided in this way.
//!
//! With a single acceptance set, and nothing else to summarise, a [`nested`] search is enough. It
//! also works if visited nodes are stored only as [hashes](hashed).
//!
//! [`COU99`]: crate::papers::COU99
//! [`GAB00`]: crate::papers::GAB00

pub mod hashed;
pub mod nested;

use crate::narrow::to_u32;
use run::{Every, Progress, StopReason, Ticker};
use std::collections::VecDeque;

/// A node: its number in the graph. Node numbers are nearly dense: searches use them as array
/// indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node(pub u32);

/// A graph that is computed on the fly.
pub trait Graph {
    /// The part of an edge that a search needs.
    type Edge: Copy;
    /// The reason to stop: an error of the graph, or a search that has used up its numbers.
    type Stop: std::convert::From<StopReason>;

    /// The next start node, if there is one.
    fn next_start(&mut self) -> Result<Option<Node>, Self::Stop>;

    /// Appends the edges that leave a node.
    fn successors(
        &mut self,
        node: Node,
        found: &mut Vec<(Node, Self::Edge)>,
    ) -> Result<(), Self::Stop>;
}

/// A strongly connected set of active nodes.
pub struct Set<'s, S> {
    /// The summary of the set.
    pub summary: &'s mut S,
    /// The nodes, in the order in which they were visited, with no other active node between them.
    pub nodes: &'s [Node],
}

/// The active nodes, in the order in which they were visited.
#[derive(Clone, Copy, Debug)]
pub struct Active<'s> {
    order: &'s [u32],
}

impl Active<'_> {
    /// The position of a node among the active ones, counted from 0.
    #[inline]
    pub fn place(self, node: Node) -> Option<u32> {
        match self.order.get(node.0 as usize).copied().unwrap_or(NEW) {
            NEW | DEAD => None,
            order => Some(order - 1),
        }
    }

    /// Whether a node is one of the given nodes, which are active and have no other active node
    /// between them.
    #[inline]
    pub fn is_among(self, node: Node, nodes: &[Node]) -> bool {
        let first = self.place(nodes[0]).expect("they are active");
        self.place(node).is_some_and(|place| (first..first + to_u32(nodes.len())).contains(&place))
    }
}

/// Decides which strongly connected sets are accepting, by a summary of each set.
pub trait Acceptance<G: Graph> {
    /// The summary of a strongly connected set of nodes.
    type Summary;

    /// Called when a node is visited, by an edge from another node unless it is a start; it is
    /// active from now on. Returns the summary of the node without edges.
    fn visit(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        node: Node,
        by: Option<(Node, G::Edge)>,
    ) -> Result<Self::Summary, G::Stop>;

    /// Adds an edge between two nodes of the set.
    fn edge(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        summary: &mut Self::Summary,
        from: Node,
        edge: G::Edge,
        to: Node,
    ) -> Result<(), G::Stop>;

    /// Merges another set into this one. The edge is the one by which the other's first node was
    /// visited.
    fn join(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        set: Set<'_, Self::Summary>,
        by: (Node, G::Edge),
        other: Set<'_, Self::Summary>,
    ) -> Result<(), G::Stop>;

    /// Whether the search looks for a run that visits all of the set infinitely often. Called only
    /// if the set has an edge, and only after a change.
    fn is_accepting(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        set: Set<'_, Self::Summary>,
    ) -> Result<bool, G::Stop>;

    /// Called when a component is complete and not accepting. Its nodes, in the order in which they
    /// were visited, are active for the last time. Returns an accepting part of it, if there is
    /// one.
    fn complete(
        &mut self,
        _graph: &mut G,
        _active: Active<'_>,
        _summary: Self::Summary,
        _nodes: &[Node],
    ) -> Result<Option<Vec<Node>>, G::Stop> {
        Ok(None)
    }
}

/// Reports the progress of a running search: its nodes, edges and components so far, and the nodes on
/// the path of a depth-first search at the last report.
#[cold]
fn report(now: &Progress, watch: &Ticker<'_>) -> Result<(), StopReason> {
    let Progress { product_nodes: nodes, product_edges: edges, depth, .. } = *now;
    // Breadth-first searches have no depth.
    let depth = (depth > 0).then_some(depth);
    tracing::trace!(target: "progress", nodes, edges, depth);
    watch.report(*now)
}

/// Searches for an accepting strongly connected set, and returns its nodes. The progress is
/// reported to `watch`, which may stop the search.
pub fn accepting_component<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, Progress), G::Stop> {
    bounded(graph, acceptance, Bounds::NONE, watch)
}

/// The bounds of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The maximal number of nodes on a path. Later nodes are not expanded.
    pub depth: usize,
    /// The maximal number of nodes in total.
    pub nodes: u64,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Bounds = Bounds { depth: usize::MAX, nodes: u64::MAX };
}

/// [`accepting_component`] with bounds. The search may give up early: a set that is found is
/// accepting, but if none is found there may still be one.
pub fn bounded<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    bounds: Bounds,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, Progress), G::Stop> {
    numbered(graph, acceptance, bounds, MOST_NUMBERS, watch)
}

/// [`bounded`] with at most `most_numbers` numbers.
fn numbered<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    bounds: Bounds,
    most_numbers: usize,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, Progress), G::Stop> {
    let mut search = Search {
        acceptance,
        bounds,
        most_numbers,
        order: Vec::new(),
        path: Vec::new(),
        successors: Vec::new(),
        roots: Vec::new(),
        active: Vec::new(),
        progress: Progress::default(),
    };
    while let Some(start) = graph.next_start()? {
        if let Some(found) = search.run(graph, start, watch)? {
            return Ok((Some(found), search.progress));
        }
        if search.progress.product_nodes >= bounds.nodes {
            break;
        }
    }
    Ok((None, search.progress))
}

/// Searches breadth first for the nearest node that satisfies a condition.
pub fn nearest<G: Graph>(
    graph: &mut G,
    is_wanted: &dyn Fn(&G, Node) -> bool,
    watch: &Ticker<'_>,
) -> Result<(Option<Node>, Progress), G::Stop> {
    let mut progress = Progress::default();
    let mut met: Vec<bool> = Vec::new();
    let mut open: VecDeque<Node> = VecDeque::new();
    let mut found = Vec::new();
    let mut meet = |node: Node, open: &mut VecDeque<Node>| {
        let at = node.0 as usize;
        if met.len() <= at {
            met.resize(at + 1, false);
        }
        if !std::mem::replace(&mut met[at], true) {
            open.push_back(node);
        }
    };
    let mut starts: u64 = 0;
    while let Some(start) = graph.next_start()? {
        starts += 1;
        if Every::NODE.is_due(starts) {
            report(&progress, watch)?;
        }
        meet(start, &mut open);
    }
    while let Some(node) = open.pop_front() {
        if Every::NODE.is_due(progress.product_nodes) {
            report(&progress, watch)?;
        }
        progress.product_nodes += 1;
        if is_wanted(graph, node) {
            return Ok((Some(node), progress));
        }
        found.clear();
        graph.successors(node, &mut found)?;
        progress.product_edges += found.len() as u64;
        for &(target, _) in run::polled(&found) {
            meet(target, &mut open);
        }
    }
    Ok((None, progress))
}

/// A graph with a single start node.
pub struct From<'g, G> {
    graph: &'g mut G,
    start: Option<Node>,
}

impl<'g, G: Graph> From<'g, G> {
    /// The graph from `start` on.
    pub fn new(graph: &'g mut G, start: Node) -> Self {
        From { graph, start: Some(start) }
    }
}

impl<G: Graph> Graph for From<'_, G> {
    type Edge = G::Edge;
    type Stop = G::Stop;

    fn next_start(&mut self) -> Result<Option<Node>, G::Stop> {
        Ok(self.start.take())
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, G::Edge)>) -> Result<(), G::Stop> {
        self.graph.successors(node, found)
    }
}

/// The number of a node that was not visited yet.
const NEW: u32 = 0;
/// The number of a node of a component that was completed.
const DEAD: u32 = u32::MAX;
/// The maximal number of active nodes, and of edges that leave the nodes of a path: the numbers of
/// both are 32 bits wide, and two numbers of nodes are taken by [`NEW`] and [`DEAD`].
const MOST_NUMBERS: usize = u32::MAX as usize - 1;

struct Search<'s, G: Graph, A: Acceptance<G>> {
    acceptance: &'s mut A,
    bounds: Bounds,
    /// A limit for both, at most [`MOST_NUMBERS`].
    most_numbers: usize,
    /// By node: its number, from 1 on.
    order: Vec<u32>,
    path: Vec<Frame>,
    /// The edges of the nodes on the path, those of the last at the end.
    successors: Vec<(Node, G::Edge)>,
    roots: Vec<Root<A::Summary>>,
    /// Invariant: these are the nodes with a number that are not dead, in the order of their
    /// numbers.
    active: Vec<Node>,
    progress: Progress,
}

/// A node of the path.
struct Frame {
    node: Node,
    /// The index of the node's first edge in `successors`, and of the next edge to examine.
    /// Invariant: the edge before the latter is the one that led to the next frame, if there is
    /// one.
    start: u32,
    next: u32,
}

/// The first node of a strongly connected set. It is on the path, so the edge that led to it need
/// not be stored.
struct Root<S> {
    /// The index of the root's frame on the path.
    frame: u32,
    /// The index of the set's first active node: one less than the root's number.
    first: u32,
    summary: S,
}

impl<G: Graph, A: Acceptance<G>> Search<'_, G, A> {
    fn run(
        &mut self,
        graph: &mut G,
        start: Node,
        watch: &Ticker<'_>,
    ) -> Result<Option<Vec<Node>>, G::Stop> {
        if self.number(start) == NEW {
            self.visit(graph, start, None, watch)?;
        }
        while let Some(frame) = self.path.last_mut() {
            let from = frame.node;
            let Some(&(target, edge)) = self.successors.get(frame.next as usize) else {
                if let Some(found) = self.leave(graph)? {
                    return Ok(Some(found));
                }
                continue;
            };
            frame.next += 1;
            self.progress.product_edges += 1;
            if Every::EDGE.is_due(self.progress.product_edges) {
                report(&self.progress, watch)?;
            }
            match self.number(target) {
                NEW if self.progress.product_nodes >= self.bounds.nodes => return Ok(None),
                NEW => self.visit(graph, target, Some((from, edge)), watch)?, // (P3)
                DEAD => {}
                order => {
                    if let Some(found) = self.close(graph, order, from, edge, target)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    fn number(&mut self, node: Node) -> u32 {
        let at = node.0 as usize;
        if self.order.len() <= at {
            self.order.resize(at + 1, NEW);
        }
        self.order[at]
    }

    /// (P1), (P2)
    fn visit(
        &mut self,
        graph: &mut G,
        node: Node,
        by: Option<(Node, G::Edge)>,
        watch: &Ticker<'_>,
    ) -> Result<(), G::Stop> {
        if Every::NODE.is_due(self.progress.product_nodes) {
            self.progress.depth = self.path.len() as u64;
            report(&self.progress, watch)?;
        }
        if self.active.len() >= self.most_numbers {
            return Err(StopReason::States(self.most_numbers).into());
        }
        self.progress.product_nodes += 1;
        // Dead nodes give their numbers back, so the number of an active node is its position plus
        // one.
        let order = to_u32(self.active.len()) + 1;
        self.number(node);
        self.order[node.0 as usize] = order;
        self.active.push(node);
        let summary = self.acceptance.visit(graph, Active { order: &self.order }, node, by)?;
        self.roots.push(Root { frame: to_u32(self.path.len()), first: order - 1, summary });
        let start = to_u32(self.successors.len());
        self.path.push(Frame { node, start, next: start });
        if self.path.len() > self.bounds.depth {
            return Ok(());
        }
        graph.successors(node, &mut self.successors)?;
        if self.successors.len() > self.most_numbers {
            return Err(StopReason::Edges(self.most_numbers).into());
        }
        Ok(())
    }

    /// (P4) to (P7)
    fn close(
        &mut self,
        graph: &mut G,
        order: u32,
        from: Node,
        edge: G::Edge,
        to: Node,
    ) -> Result<Option<Vec<Node>>, G::Stop> {
        let active = Active { order: &self.order };
        let mut last = self.roots.pop().expect("what is active has a root");
        while last.first >= order {
            let Root { frame, mut summary, first } = last;
            last = self.roots.pop().expect("the first root has the least number");
            let before = &self.path[frame as usize - 1];
            let by = (before.node, self.successors[before.next as usize - 1].1);
            let nodes = &self.active[last.first as usize..first as usize];
            let set = Set { summary: &mut last.summary, nodes };
            let other = Set { summary: &mut summary, nodes: &self.active[first as usize..] };
            self.acceptance.join(graph, active, set, by, other)?;
        }
        self.acceptance.edge(graph, active, &mut last.summary, from, edge, to)?;
        let nodes = &self.active[last.first as usize..];
        let set = Set { summary: &mut last.summary, nodes };
        let is_accepting = self.acceptance.is_accepting(graph, active, set)?;
        let found = is_accepting.then(|| nodes.to_vec());
        self.roots.push(last);
        Ok(found)
    }

    /// (P8)
    fn leave(&mut self, graph: &mut G) -> Result<Option<Vec<Node>>, G::Stop> {
        let frame = self.path.pop().expect("there was a frame");
        self.successors.truncate(frame.start as usize);
        let root = self.roots.last().expect("a node of the path is active");
        if root.frame as usize != self.path.len() {
            return Ok(None);
        }
        let Root { summary, first, .. } = self.roots.pop().expect("there is one");
        let first = first as usize;
        let active = Active { order: &self.order };
        let found = self.acceptance.complete(graph, active, summary, &self.active[first..])?;
        for node in self.active.drain(first..) {
            self.order[node.0 as usize] = DEAD;
        }
        self.progress.components += 1;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
