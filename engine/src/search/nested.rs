//! Nested depth-first search for a cycle through a marked edge.
//!
//! After [`SE05`], with marks on edges in place of accepting states, and with the weights of
//! [`CDP05`] so that the first search reports every cycle that it closes itself:
//!
//! ```text
//! (B1)  blue(s) by e:  s is cyan, on the blue path; count the marked edges up to it, e included
//! (B2)    for each edge f = s → t:
//! (B3)      if t is cyan:  if f is marked, or more marked edges are before s than t:  report
//! (B4)      else if t is white:  blue(t) by f
//! (B5)      if f is marked and t is not red:  red(t)
//! (B6)    s is blue
//! (R1)  red(t):  t is red
//! (R2)    for each edge t → u:
//! (R3)      if u is cyan:  report
//! (R4)      else if u is not red:  red(u)
//! ```
//!
//! **Correctness.** Invariants:
//!
//! 1. The cyan nodes are those of the blue path, so every one of them leads to the last.
//! 2. A blue or red node has no white successor. So nodes that are reachable from it are blue or
//!    red, up to the first that is cyan.
//! 3. A node that a finished second search left red leads to no cyan node, now or later: all nodes
//!    reachable from it were blue or red when the search ended, and none of them turns cyan again.
//!
//! The report of (R3) is a cycle, by 1: the path from u to s, then f, then the red path from t to
//! u. The report of (B3) is the path from t to s and f. Conversely, let a marked edge f = s → t be
//! on a cycle. When (B5) examines f, s is cyan, and t leads to it. If t is red, this contradicts 3.
//! If it is not, the second search continues until it reaches s or another cyan node: by 2 it
//! reaches no white node, and by 3 no path through red nodes leads to a cyan one. This is the
//! algorithm of [`CVWY92`], if a node is put in the middle of every marked edge, and those are the
//! accepting ones.
//!
//! **Representatives.** [`BOS02`] searches the graph of representatives, and calls this *RNDFS*:
//! plain nested search, with every target replaced by its representative (figure 4). It does not
//! require representatives to be unique (lemma 3: a concrete cycle may need several laps before its
//! representatives repeat, and they do, being finitely many), so the same search serves canonical
//! representatives and states that are only sorted. RNDFS does not provide a concrete
//! counterexample; *MRNDFS* (figure 5) therefore keeps the states on the path unchanged, and stores
//! representatives only. Edges of our quotients are annotated with the permutations that MRNDFS
//! carries along implicitly: every cycle of a product unfolds into a concrete one
//! ([`concretise`](crate::concretise)), and the two are one algorithm. Under fairness none of this
//! helps: the permutations of a cycle determine which processes are executed along it, and a search
//! that considers nodes only misses fair runs.
//!
//! **Colours** are kept by the caller ([`Colours`]): exactly, or in less memory
//! ([`hashed`](super::hashed)). A store must never forget a node, but it may mistake a new node for
//! a known one. Cyan must be exact. Then every report is a cycle, whatever else the store answers,
//! because that needs only invariant 1. A store that errs breaks invariants 2 and 3 instead, and
//! cycles are missed.
//!
//! [`BOS02`]: crate::papers::BOS02
//! [`CDP05`]: crate::papers::CDP05
//! [`CVWY92`]: crate::papers::CVWY92
//! [`SE05`]: crate::papers::SE05

use super::{Graph, Node, report};
use crate::narrow::to_u32;
use run::{Every, Progress, StopReason, Ticker};

/// A graph with marked edges that is computed on the fly.
pub trait MarkedGraph {
    /// A node. It is cloned when it becomes part of a path or of a result.
    type Node: Clone;
    /// The reason to stop: an error of the graph, or a search that has used up its numbers.
    type Stop: From<StopReason>;

    /// The next start node, if there is one.
    fn next_start(&mut self) -> Result<Option<Self::Node>, Self::Stop>;

    /// Appends the targets of the edges that leave a node, and whether each edge is marked.
    fn successors(
        &mut self,
        node: &Self::Node,
        found: &mut Vec<(Self::Node, bool)>,
    ) -> Result<(), Self::Stop>;
}

/// The colours of nodes in a nested search. All nodes are white at first.
pub trait Colours<N> {
    /// The position of a node on the blue path, less than [`MOST_POSITIONS`]. Invariant: this is
    /// exact. It is present if and only if the node was painted cyan and not blue since.
    fn position(&self, node: &N) -> Option<u32>;

    /// Paints a node cyan, at this position of the path, if it is white, and returns whether it
    /// was. The node is not cyan.
    fn paint_cyan(&mut self, node: &N, position: u32) -> bool;

    /// Paints a cyan node blue.
    fn paint_blue(&mut self, node: &N);

    /// Paints a node red if it is not red yet, and returns whether it was not. The node is not
    /// cyan.
    fn paint_red(&mut self, node: &N) -> bool;
}

/// A path and a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLasso<N> {
    /// The nodes from a start to the cycle, without the first node of the cycle.
    pub stem: Vec<N>,
    /// The nodes of the cycle, in its order, each once. The last leads to the first, and some edge
    /// between neighbours is marked.
    pub cycle: Vec<N>,
}

/// A search that stopped early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken<N, S> {
    /// The reason to stop.
    pub stop: S,
    /// The nodes from a start to the one whose edges could not be computed; empty if a start could
    /// not be.
    pub path: Vec<N>,
}

/// The result of a search: a lasso if one was found, and counts of the work.
pub type Nested<N, S> = Result<(Option<NodeLasso<N>>, Progress), Broken<N, S>>;

/// Searches for a cycle through a marked edge, and returns its nodes, which are strongly connected.
/// The progress is reported to `watch`, which may stop the search.
pub fn accepting_cycle<G: Graph>(
    graph: &mut G,
    is_marked: &dyn Fn(G::Edge) -> bool,
    watch: &Ticker<'_>,
) -> Result<(Option<Vec<Node>>, Progress), G::Stop> {
    let mut graph = Numbered { graph, is_marked, found: Vec::new() };
    match nested_search(&mut graph, &mut Painted::default(), watch) {
        Ok((found, progress)) => Ok((found.map(|lasso| lasso.cycle), progress)),
        Err(Broken { stop, .. }) => Err(stop),
    }
}

/// Searches for a lasso with a marked edge on its cycle. The progress count the nodes that the
/// first search entered, and the edges that either search examined.
pub fn nested_search<G: MarkedGraph, C: Colours<G::Node>>(
    graph: &mut G,
    colours: &mut C,
    watch: &Ticker<'_>,
) -> Nested<G::Node, G::Stop> {
    search_numbered(graph, colours, MOST_POSITIONS, watch)
}

/// The maximal number of nodes of a blue path. Positions are 32 bits wide, and some values are
/// colours.
pub const MOST_POSITIONS: usize = (u32::MAX - CYAN) as usize;

/// [`nested_search`] with at most `most_positions` positions.
fn search_numbered<G: MarkedGraph, C: Colours<G::Node>>(
    graph: &mut G,
    colours: &mut C,
    most_positions: usize,
    watch: &Ticker<'_>,
) -> Nested<G::Node, G::Stop> {
    let mut search = Search {
        graph,
        colours,
        watch,
        most_positions,
        blue: Vec::new(),
        red: Vec::new(),
        successors: Vec::new(),
        progress: Progress::default(),
        entered: 0,
    };
    loop {
        let start = search.graph.next_start();
        let start = start.map_err(|stop| Broken { stop, path: Vec::new() })?;
        let Some(start) = start else { return Ok((None, search.progress)) };
        if let Some(found) = search.run(&start)? {
            return Ok((Some(found), search.progress));
        }
    }
}

/// A frame, unless its edges could not be computed.
type Expanded<N, S> = Result<Frame<N>, Broken<N, S>>;

/// A lasso, if there is one.
type Found<N, S> = Result<Option<NodeLasso<N>>, Broken<N, S>>;

struct Search<'s, G: MarkedGraph, C> {
    graph: &'s mut G,
    colours: &'s mut C,
    watch: &'s Ticker<'s>,
    /// A limit for the blue path, at most [`MOST_POSITIONS`].
    most_positions: usize,
    /// The blue path. Invariant: its nodes are the cyan ones, each at its position.
    blue: Vec<Frame<G::Node>>,
    /// The red path; empty during the first search.
    red: Vec<Frame<G::Node>>,
    /// The edges of the nodes on both paths that were not examined yet: those of the last node at
    /// the end, and of these the next one at the end. Examined edges take no memory.
    successors: Vec<(G::Node, bool)>,
    progress: Progress,
    /// The number of nodes that either search entered.
    entered: u64,
}

/// A node of a path.
struct Frame<N> {
    node: N,
    /// The index of the node's first edge in `successors`.
    start: usize,
    /// Whether the edge that led to the node is marked.
    by_marked: bool,
    /// The number of marked edges before the node on its path.
    marked: u32,
}

impl<G: MarkedGraph, C: Colours<G::Node>> Search<'_, G, C> {
    fn run(&mut self, start: &G::Node) -> Found<G::Node, G::Stop> {
        if self.colours.paint_cyan(start, 0) {
            self.enter_blue(start.clone(), false)?;
        }
        while let Some(frame) = self.blue.last() {
            if self.successors.len() == frame.start {
                if let Some(found) = self.leave_blue()? {
                    return Ok(Some(found));
                }
                continue;
            }
            let marked = frame.marked;
            let (target, is_marked) = self.successors.pop().expect("there is one more");
            self.count_edge()?;
            if let Some(position) = self.colours.position(&target) {
                let before = self.blue[position as usize].marked;
                if is_marked || marked > before {
                    return Ok(Some(self.lasso(position))); // (B3)
                }
            } else if self.colours.paint_cyan(&target, self.next_position()?) {
                self.enter_blue(target, is_marked)?; // (B4)
            } else if is_marked && let Some(found) = self.search_red(target)? {
                return Ok(Some(found)); // (B5)
            }
        }
        Ok(None)
    }

    /// The position of the next node of the blue path.
    fn next_position(&self) -> Result<u32, Broken<G::Node, G::Stop>> {
        if self.blue.len() >= self.most_positions {
            let stop = StopReason::States(self.most_positions).into();
            let path = self.blue.iter().map(|frame| frame.node.clone()).collect();
            return Err(Broken { stop, path });
        }
        Ok(to_u32(self.blue.len()))
    }

    /// (B1), (B2)
    fn enter_blue(
        &mut self,
        node: G::Node,
        by_marked: bool,
    ) -> Result<(), Broken<G::Node, G::Stop>> {
        self.progress.product_nodes += 1;
        let before = self.blue.last().map_or(0, |frame| frame.marked);
        let frame = self.expand(node, by_marked)?;
        self.blue.push(Frame { marked: before + u32::from(by_marked), ..frame });
        Ok(())
    }

    /// Counts an edge: a single node may have very many.
    fn count_edge(&mut self) -> Result<(), Broken<G::Node, G::Stop>> {
        self.progress.product_edges += 1;
        if !Every::EDGE.is_due(self.progress.product_edges) {
            return Ok(());
        }
        let path = || self.blue.iter().chain(&self.red).map(|frame| frame.node.clone()).collect();
        let reported = report(&self.progress, self.watch);
        reported.map_err(|stop| Broken { stop: stop.into(), path: path() })
    }

    /// (B6), and (B5) for the edge that led here.
    fn leave_blue(&mut self) -> Found<G::Node, G::Stop> {
        let Frame { node, by_marked, .. } = self.blue.pop().expect("there was a frame");
        self.colours.paint_blue(&node);
        if by_marked { self.search_red(node) } else { Ok(None) }
    }

    /// (R1) to (R4), from a node that is not cyan.
    fn search_red(&mut self, from: G::Node) -> Found<G::Node, G::Stop> {
        if !self.colours.paint_red(&from) {
            return Ok(None);
        }
        let frame = self.expand(from, true)?;
        self.red.push(frame);
        while let Some(frame) = self.red.last() {
            if self.successors.len() == frame.start {
                self.red.pop();
                continue;
            }
            let (target, _) = self.successors.pop().expect("there is one more");
            self.count_edge()?;
            if let Some(position) = self.colours.position(&target) {
                return Ok(Some(self.lasso(position))); // (R3)
            }
            if self.colours.paint_red(&target) {
                let frame = self.expand(target, false)?; // (R4)
                self.red.push(frame);
            }
        }
        Ok(None)
    }

    /// Computes the edges of a node, and returns its frame.
    fn expand(&mut self, node: G::Node, by_marked: bool) -> Expanded<G::Node, G::Stop> {
        let start = self.successors.len();
        if let Err(stop) = self.make_edges(&node) {
            let path = self.blue.iter().chain(&self.red).map(|frame| frame.node.clone());
            return Err(Broken { stop, path: path.chain([node]).collect() });
        }
        self.successors[start..].reverse();
        Ok(Frame { node, start, by_marked, marked: 0 })
    }

    fn make_edges(&mut self, node: &G::Node) -> Result<(), G::Stop> {
        if Every::NODE.is_due(self.entered) {
            self.progress.depth = (self.blue.len() + self.red.len()) as u64;
            report(&self.progress, self.watch)?;
        }
        self.entered += 1;
        self.graph.successors(node, &mut self.successors)
    }

    /// Both paths as a lasso, whose cycle is closed by an edge from the last node to the one at
    /// `position`.
    fn lasso(&self, position: u32) -> NodeLasso<G::Node> {
        let (stem, cycle) = self.blue.split_at(position as usize);
        let cycle = cycle.iter().chain(&self.red);
        NodeLasso {
            stem: stem.iter().map(|frame| frame.node.clone()).collect(),
            cycle: cycle.map(|frame| frame.node.clone()).collect(),
        }
    }
}

/// A graph whose nodes are numbers.
struct Numbered<'g, G: Graph> {
    graph: &'g mut G,
    is_marked: &'g dyn Fn(G::Edge) -> bool,
    found: Vec<(Node, G::Edge)>,
}

impl<G: Graph> MarkedGraph for Numbered<'_, G> {
    type Node = Node;
    type Stop = G::Stop;

    fn next_start(&mut self) -> Result<Option<Node>, G::Stop> {
        self.graph.next_start()
    }

    fn successors(&mut self, node: &Node, found: &mut Vec<(Node, bool)>) -> Result<(), G::Stop> {
        self.found.clear();
        self.graph.successors(*node, &mut self.found)?;
        let is_marked = self.is_marked;
        found.extend(self.found.iter().map(|&(target, edge)| (target, is_marked(edge))));
        Ok(())
    }
}

/// Exact colours of numbered nodes.
#[derive(Debug, Default)]
struct Painted {
    /// By node: one of the constants below, or more if the node is cyan.
    colours: Vec<u32>,
}

const WHITE: u32 = 0;
const BLUE: u32 = 1;
const RED: u32 = 2;
/// Cyan at the start of the path; the other positions follow.
const CYAN: u32 = 3;

impl Painted {
    fn of(&mut self, node: Node) -> &mut u32 {
        let at = node.0 as usize;
        if self.colours.len() <= at {
            self.colours.resize(at + 1, WHITE);
        }
        &mut self.colours[at]
    }
}

impl Colours<Node> for Painted {
    fn position(&self, node: &Node) -> Option<u32> {
        self.colours.get(node.0 as usize).and_then(|colour| colour.checked_sub(CYAN))
    }

    fn paint_cyan(&mut self, node: &Node, position: u32) -> bool {
        let colour = self.of(*node);
        let is_white = *colour == WHITE;
        if is_white {
            *colour = CYAN + position;
        }
        is_white
    }

    fn paint_blue(&mut self, node: &Node) {
        *self.of(*node) = BLUE;
    }

    fn paint_red(&mut self, node: &Node) -> bool {
        let colour = self.of(*node);
        debug_assert!(*colour == BLUE || *colour == RED, "invariant 2");
        let is_blue = *colour == BLUE;
        *colour = RED;
        is_blue
    }
}

#[cfg(test)]
mod tests;
