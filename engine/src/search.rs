//! Path-based search for an accepting strongly connected set, on the fly.
//!
//! After [`COU99`] and [`GAB00`]: a depth-first search that keeps, of the strongly connected sets it knows
//! on its path, one *root* each, with a summary of what is inside.
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
//! What is accepting is decided by an [`Acceptance`]. Where parts of a component can be accepting although the
//! whole is not (strong fairness), it is asked once more at (P8).
//!
//! **Invariant**: the active nodes between two neighbouring roots, the second excluded, are strongly
//! connected, and the summary of the first is that of all edges between them that were looked at. A set
//! is reported at the first edge that completes it (P7); whether it is accepting may depend on the
//! summary in any way, as long as the summary of a union is the join of the summaries: this is where
//! fairness comes in.
//!
//! With a single acceptance set, and nothing else to summarise, a [`nested`] search will do. It also does if
//! the nodes that were visited are only known by their [hashes](hashed).
//!
//! [`COU99`]: crate::papers::COU99
//! [`GAB00`]: crate::papers::GAB00

pub mod hashed;
pub mod nested;

use run::{Every, Progress, StopReason, Ticker};
use std::collections::VecDeque;

/// A node: its number in the graph. Not many are left out, for who searches keeps something for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node(pub u32);

/// A graph that is made as it is walked.
pub trait Graph {
    /// What a search must know of an edge.
    type Edge: Copy;
    /// Why walking must end: what the graph says, or that a search has used up its numbers.
    type Stop: std::convert::From<StopReason>;

    /// The next node in which runs start, if there is one.
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
    /// What is known of it.
    pub summary: &'s mut S,
    /// In the order in which they were visited, with no other node between them.
    pub nodes: &'s [Node],
}

/// The nodes that are active, in the order in which they were visited.
#[derive(Clone, Copy, Debug)]
pub struct Active<'s> {
    order: &'s [u32],
}

impl Active<'_> {
    /// Where a node is among them, counted from 0.
    #[inline]
    pub fn place(self, node: Node) -> Option<u32> {
        match self.order.get(node.0 as usize).copied().unwrap_or(NEW) {
            NEW | DEAD => None,
            order => Some(order - 1),
        }
    }

    /// Whether a node is one of these, which are active and have no other node between them.
    #[inline]
    pub fn is_among(self, node: Node, nodes: &[Node]) -> bool {
        let first = self.place(nodes[0]).expect("they are active");
        self.place(node).is_some_and(|place| (first..first + nodes.len() as u32).contains(&place))
    }
}

/// Which strongly connected sets are accepting, decided by a summary of what is inside.
pub trait Acceptance<G: Graph> {
    /// What is known of a strongly connected set of nodes.
    type Summary;

    /// A node is visited, by way of an edge from another one unless it is a start; it is active from now
    /// on. The summary is that of the node without edges.
    fn visit(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        node: Node,
        by: Option<(Node, G::Edge)>,
    ) -> Result<Self::Summary, G::Stop>;

    /// An edge between two nodes of the set.
    fn edge(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        summary: &mut Self::Summary,
        from: Node,
        edge: G::Edge,
        to: Node,
    ) -> Result<(), G::Stop>;

    /// Another set becomes part of this one: the edge by which its first node was visited leads there.
    fn join(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        set: Set<'_, Self::Summary>,
        by: (Node, G::Edge),
        other: Set<'_, Self::Summary>,
    ) -> Result<(), G::Stop>;

    /// Whether a run that visits all of the set for ever is wanted. Asked only if the set has an edge,
    /// and not before something has changed.
    fn is_accepting(
        &mut self,
        graph: &mut G,
        active: Active<'_>,
        set: Set<'_, Self::Summary>,
    ) -> Result<bool, G::Stop>;

    /// A component is complete and not accepting; its nodes, in the order in which they were visited, are
    /// active for the last time. Perhaps a part of it is accepting.
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

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStatistics {
    /// Nodes visited.
    pub nodes: u64,
    /// Edges looked at.
    pub edges: u64,
    /// Components that were completed, none of them accepting.
    pub components: u64,
    /// Nodes on the path of a search in depth, when it was told of last.
    pub depth: u64,
}

impl SearchStatistics {
    /// Reports the progress of the search that is under way.
    #[cold]
    fn report(&self, watch: &Ticker<'_>) -> Result<(), StopReason> {
        let SearchStatistics { nodes, edges, components: _, depth } = *self;
        // A breadth-first search has none.
        let depth = (depth > 0).then_some(depth);
        tracing::trace!(target: "progress", nodes, edges, depth);
        watch.report(self.progress())
    }

    /// The same numbers among all of a run.
    pub fn progress(&self) -> Progress {
        let SearchStatistics { nodes, edges, components, depth } = *self;
        let (product_nodes, product_edges) = (nodes, edges);
        Progress { product_nodes, product_edges, components, depth, ..Progress::default() }
    }
}

/// Looks for a strongly connected set that is accepting: its nodes. The progress is reported
/// to `watch`, which may stop the search.
pub fn accepting_component<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, SearchStatistics), G::Stop> {
    bounded(graph, acceptance, Bounds::NONE, watch)
}

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most nodes of a path; those behind are not looked at.
    pub depth: usize,
    /// The most nodes in all.
    pub nodes: u64,
}

impl Bounds {
    /// To the end.
    pub const NONE: Bounds = Bounds { depth: usize::MAX, nodes: u64::MAX };
}

/// The same, but it may give up before all is looked at: what is found is there, what is not found may be.
pub fn bounded<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    bounds: Bounds,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, SearchStatistics), G::Stop> {
    numbered(graph, acceptance, bounds, MOST_NUMBERS, watch)
}

/// The same with so many numbers.
fn numbered<G: Graph, A: Acceptance<G>>(
    graph: &mut G,
    acceptance: &mut A,
    bounds: Bounds,
    most_numbers: usize,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, SearchStatistics), G::Stop> {
    let mut search = Search {
        acceptance,
        bounds,
        most_numbers,
        order: Vec::new(),
        path: Vec::new(),
        successors: Vec::new(),
        roots: Vec::new(),
        active: Vec::new(),
        statistics: SearchStatistics::default(),
    };
    while let Some(start) = graph.next_start()? {
        if let Some(found) = search.run(graph, start, watch)? {
            return Ok((Some(found), search.statistics));
        }
        if search.statistics.nodes >= bounds.nodes {
            break;
        }
    }
    Ok((None, search.statistics))
}

/// Looks, breadth first, for the nearest node of which something is true.
pub fn nearest<G: Graph>(
    graph: &mut G,
    is_wanted: &dyn Fn(&G, Node) -> bool,
    watch: &Ticker<'_>,
) -> Result<(Option<Node>, SearchStatistics), G::Stop> {
    let mut statistics = SearchStatistics::default();
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
            statistics.report(watch)?;
        }
        meet(start, &mut open);
    }
    while let Some(node) = open.pop_front() {
        if Every::NODE.is_due(statistics.nodes) {
            statistics.report(watch)?;
        }
        statistics.nodes += 1;
        if is_wanted(graph, node) {
            return Ok((Some(node), statistics));
        }
        found.clear();
        graph.successors(node, &mut found)?;
        statistics.edges += found.len() as u64;
        for &(target, _) in &found {
            meet(target, &mut open);
        }
    }
    Ok((None, statistics))
}

/// A graph whose runs start in one node.
pub struct From<'g, G> {
    graph: &'g mut G,
    start: Option<Node>,
}

impl<'g, G: Graph> From<'g, G> {
    /// What can be reached from a node.
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

/// The number of a node that was not visited.
const NEW: u32 = 0;
/// The number of a node of a component that was completed.
const DEAD: u32 = u32::MAX;
/// The most active nodes, and the most edges that leave the nodes of a path: numbers of both are 32 bits wide,
/// and two of those of nodes are [`NEW`] and [`DEAD`].
const MOST_NUMBERS: usize = u32::MAX as usize - 1;

struct Search<'s, G: Graph, A: Acceptance<G>> {
    acceptance: &'s mut A,
    bounds: Bounds,
    /// At most [`MOST_NUMBERS`].
    most_numbers: usize,
    /// By node: its number, from 1 on.
    order: Vec<u32>,
    path: Vec<Frame>,
    /// The edges of the nodes on the path, those of the last at the end.
    successors: Vec<(Node, G::Edge)>,
    roots: Vec<Root<A::Summary>>,
    /// Invariant: the nodes with a number that are not dead, in the order of their numbers.
    active: Vec<Node>,
    statistics: SearchStatistics,
}

/// A node of the path.
struct Frame {
    node: Node,
    /// Where its edges start in `successors`, and the next to be looked at. Invariant: the edge before that
    /// is the one that led to the next frame, if there is one.
    start: u32,
    next: u32,
}

/// The first node of a strongly connected set. It is on the path, so that the edge that led to it need not be kept.
struct Root<S> {
    /// Where it is on the path.
    frame: u32,
    /// Where its nodes start among the active ones: one less than its number.
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
            self.statistics.edges += 1;
            match self.number(target) {
                NEW if self.statistics.nodes >= self.bounds.nodes => return Ok(None),
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
        if Every::NODE.is_due(self.statistics.nodes) {
            self.statistics.depth = self.path.len() as u64;
            self.statistics.report(watch)?;
        }
        if self.active.len() >= self.most_numbers {
            return Err(StopReason::States(self.most_numbers).into());
        }
        self.statistics.nodes += 1;
        // Dead nodes keep no number, so that active ones number themselves.
        let order = self.active.len() as u32 + 1;
        self.number(node);
        self.order[node.0 as usize] = order;
        self.active.push(node);
        let summary = self.acceptance.visit(graph, Active { order: &self.order }, node, by)?;
        self.roots.push(Root { frame: self.path.len() as u32, first: order - 1, summary });
        let start = self.successors.len() as u32;
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
        self.statistics.components += 1;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
