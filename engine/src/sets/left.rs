//! What the passes have left: a component into which no other part of it leads, and a path to it.
//!
//! There is a violation, so one thread will do. Nothing depends on the numbers of nodes: the path is
//! a shortest one in the whole product, where edges are followed in the order of the rules, and of
//! the components it is the one that it leads to first.

use super::eliminate::Place;
use super::reach::Reached;
use super::rows::Rows;
use crate::narrow::to_u32;
use crate::product::Stop;
use crate::search::{Acceptance, Active, Graph, Node, Set, accepting_component};
use run::{Progress, StopReason, Ticker};

/// All nodes that were reached, breadth first from the starts.
pub(super) struct Order {
    places: Vec<Place>,
    /// By place in this order: the place of the node before it on a path from a start; of a start,
    /// its own.
    parents: Vec<u32>,
}

impl Order {
    pub(super) fn new(found: &Reached, initial: u32, watch: &Ticker<'_>) -> Result<Order, Stop> {
        let met = found.nodes.cleared();
        let (mut places, mut parents): (Vec<Place>, Vec<u32>) = (Vec::new(), Vec::new());
        run::memory::ask_for(to_bytes(found.nodes.count()))?;
        for &base in &found.starts {
            if met.insert(base as usize, initial) {
                parents.push(to_u32(places.len()));
                places.push((base, initial));
            }
        }
        let mut next = 0;
        while let Some(&(base, state)) = places.get(next) {
            if run::Every::NODE.is_due(next as u64) {
                watch.ask()?;
            }
            for (target, kind) in found.records.get(base).edges {
                for &(to, _) in found.steps.of(found.kinds[kind as usize].letter, state) {
                    if met.insert(target as usize, to) {
                        parents.push(to_u32(next));
                        places.push((target, to));
                    }
                }
            }
            next += 1;
        }
        Ok(Order { places, parents })
    }

    /// The nodes of a set, in this order.
    pub(super) fn of<'o>(&'o self, set: &'o Rows) -> impl Iterator<Item = Place> + 'o {
        self.places.iter().copied().filter(|&(base, state)| set.contains(base as usize, state))
    }

    /// A shortest path from a start to a node of a set, which is reachable.
    pub(super) fn path(&self, set: &Rows) -> Vec<Place> {
        let is_inside = |&(base, state): &Place| set.contains(base as usize, state);
        let mut at = self.places.iter().position(is_inside).expect("it was reached");
        let mut path = vec![self.places[at]];
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
            path.push(self.places[at]);
        }
        path.reverse();
        path
    }
}

/// The bytes of the lists of an order.
fn to_bytes(nodes: u64) -> usize {
    usize::try_from(nodes * 12).unwrap_or(usize::MAX)
}

/// The nodes of a component into which no edge leads from other nodes that are left: of all of
/// them, the first in this order. They are in this order, too.
pub(super) fn source_component(
    found: &Reached,
    left: &Rows,
    order: &Order,
    watch: &Ticker<'_>,
) -> Result<Vec<Place>, Stop> {
    let places: Vec<Place> = order.of(left).collect();
    let mut numbers = vec![0_u32; left.len()];
    let mut rows = 0;
    for base in left.filled(0..left.len()) {
        numbers[base] = rows;
        rows += left.count_of(base);
    }
    let number = |(base, state): Place| numbers[base as usize] + left.before(base as usize, state);
    let mut by_number = vec![(0, 0); places.len()];
    for &place in &places {
        by_number[number(place) as usize] = place;
    }
    let mut graph = Left { found, inside: left, number: &number, places: &by_number, next: 0 };
    let mut components = Components { of: vec![0; places.len()], count: 0 };
    let ask = |_: &Progress| watch.ask().err();
    accepting_component(&mut graph, &mut components, &Ticker::new(&ask))?;
    let mut is_source = vec![true; components.count as usize];
    let mut edges = Vec::new();
    for from in 0..to_u32(places.len()) {
        run::poll();
        edges.clear();
        graph.successors(Node(from), &mut edges)?;
        let own = components.of[from as usize];
        for &(to, ()) in &edges {
            let other = components.of[to.0 as usize];
            is_source[other as usize] &= other == own;
        }
    }
    let of = |place: Place| components.of[number(place) as usize];
    let first = places.iter().copied().find(|&place| is_source[of(place) as usize]);
    let chosen = of(first.expect("a finite graph has a source"));
    Ok(places.into_iter().filter(|&place| of(place) == chosen).collect())
}

/// The nodes that are left as a graph, all of them starts.
struct Left<'l, N> {
    found: &'l Reached,
    inside: &'l Rows,
    number: &'l N,
    places: &'l [Place],
    next: usize,
}

impl<N: Fn(Place) -> u32> Graph for Left<'_, N> {
    type Edge = ();
    type Stop = StopReason;

    fn next_start(&mut self) -> Result<Option<Node>, StopReason> {
        self.next += 1;
        Ok((self.next <= self.places.len()).then(|| Node(to_u32(self.next - 1))))
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, ())>) -> Result<(), StopReason> {
        let (base, state) = self.places[node.0 as usize];
        for (target, kind) in self.found.records.get(base).edges {
            let letter = self.found.kinds[kind as usize].letter;
            for &(to, _) in self.found.inner.of(letter, state) {
                if self.inside.contains(target as usize, to) {
                    found.push((Node((self.number)((target, to))), ()));
                }
            }
        }
        Ok(())
    }
}

/// Numbers components, none of which is reported.
struct Components {
    /// By node.
    of: Vec<u32>,
    count: u32,
}

impl<G: Graph<Edge = ()>> Acceptance<G> for Components {
    type Summary = ();

    fn visit(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        _: Node,
        _: Option<(Node, ())>,
    ) -> Result<(), G::Stop> {
        Ok(())
    }

    fn edge(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        (): &mut (),
        _: Node,
        (): (),
        _: Node,
    ) -> Result<(), G::Stop> {
        Ok(())
    }

    fn join(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        _: Set<'_, ()>,
        _: (Node, ()),
        _: Set<'_, ()>,
    ) -> Result<(), G::Stop> {
        Ok(())
    }

    fn is_accepting(&mut self, _: &mut G, _: Active<'_>, _: Set<'_, ()>) -> Result<bool, G::Stop> {
        Ok(false)
    }

    fn complete(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        (): (),
        nodes: &[Node],
    ) -> Result<Option<Vec<Node>>, G::Stop> {
        for node in nodes {
            self.of[node.0 as usize] = self.count;
        }
        self.count += 1;
        Ok(None)
    }
}
