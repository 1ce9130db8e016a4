//! Cycles of globally fair components, in the unreduced system: they take every step of every state
//! that they visit.
//!
//! A position is a node and a *frame*, as in [`cycle`](super::cycle). The steps taken are recorded
//! by concrete state.

use super::inner::InnerEdges;
use super::knowledge::Knowledge;
use crate::breadth::BreadthFirst;
use crate::concretise::concrete_state;
use crate::product::{Product, ProductEdge, Stop};
use crate::search::Node;
use crate::symmetry::Permutation;
use crate::system::System;
use automata::Marks;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// A cycle from a node of a component back to it, in the same concrete state, through edges of all
/// the given marks, that takes every step of every concrete state that it visits; none if it takes
/// more steps than allowed, or the search for it takes too long.
pub fn global_cycle<P: Product>(
    system: &dyn System,
    product: &mut P,
    knowledge: &Knowledge<'_>,
    component: &[Node],
    home: Node,
    marks: Marks,
    most_steps: usize,
) -> Result<Option<Vec<ProductEdge>>, Stop> {
    let points = product.structure().indices().points();
    let frame = Permutation::identity(points);
    let mut tour = GlobalTour {
        system,
        product,
        knowledge,
        inner: InnerEdges::new(component),
        at: home,
        frame,
        cycle: Vec::new(),
        missing: marks,
        owed: HashMap::new(),
        unpaid: 0,
        patience: PATIENCE * most_steps,
    };
    let first = tour.concrete(home, &tour.frame.clone());
    tour.arrive()?;
    loop {
        let is_there = if !tour.missing.is_empty() {
            let missing = tour.missing;
            tour.go(|_, edge, _, _| !(edge.marks & missing).is_empty())?
        } else if tour.unpaid > 0 {
            tour.go(|tour, edge, state, frame| {
                let owed = tour.owed.get(state);
                owed.is_some_and(|owed| owed.contains(&tour.key(edge, frame)))
            })?
        } else if tour.at != home || tour.here() != first || tour.cycle.is_empty() {
            tour.go(|tour, edge, _, frame| {
                edge.target == home && {
                    let frame = behind(edge, frame);
                    tour.concrete(home, &frame) == first
                }
            })?
        } else {
            return Ok(Some(tour.cycle));
        };
        if !is_there || tour.cycle.len() > most_steps {
            return Ok(None);
        }
    }
}

/// The number of positions that the search for a lasso may examine, for each step that the lasso
/// may take.
const PATIENCE: usize = 20;

/// The frame after an edge.
fn behind(edge: &ProductEdge, frame: &Permutation) -> Permutation {
    match &edge.step {
        None => frame.clone(),
        Some(step) => frame.after(&step.permutation),
    }
}

/// A concrete step: its rule and arguments; none for the stutter.
type Key = Option<(u32, Vec<i64>)>;

struct GlobalTour<'t, 'k, P> {
    system: &'t dyn System,
    product: &'t mut P,
    knowledge: &'t Knowledge<'k>,
    inner: InnerEdges,
    at: Node,
    frame: Permutation,
    cycle: Vec<ProductEdge>,
    missing: Marks,
    /// By visited concrete state: the steps that were not taken yet.
    owed: HashMap<Box<[u64]>, HashSet<Key>>,
    /// The total number of these steps.
    unpaid: usize,
    /// The number of positions that may still be examined.
    patience: usize,
}

impl<P: Product> GlobalTour<'_, '_, P> {
    fn edges(&mut self, node: Node) -> Result<Rc<Vec<ProductEdge>>, Stop> {
        self.inner.of(self.product, node)
    }

    fn concrete(&mut self, node: Node, frame: &Permutation) -> Box<[u64]> {
        concrete_state(self.system, self.product, node, frame)
    }

    fn here(&mut self) -> Box<[u64]> {
        let frame = self.frame.clone();
        self.concrete(self.at, &frame)
    }

    fn key(&self, edge: &ProductEdge, frame: &Permutation) -> Key {
        let step = edge.step.as_ref()?;
        Some((step.rule, self.product.renamed(step.rule, frame, &step.arguments)))
    }

    /// Records the steps of the state at which the tour arrived.
    fn arrive(&mut self) -> Result<(), Stop> {
        let here = self.here();
        if self.owed.contains_key(&here) {
            return Ok(());
        }
        let steps = self.product.unfolded_steps(self.at)?;
        let keys =
            steps.iter().filter(|step| !self.knowledge.is_removed(step.target)).map(|step| {
                Some((step.rule, self.product.renamed(step.rule, &self.frame, &step.arguments)))
            });
        let keys: HashSet<Key> = keys.collect();
        self.unpaid += keys.len();
        self.owed.insert(here, keys);
        Ok(())
    }

    fn take(&mut self, edge: ProductEdge) -> Result<(), Stop> {
        self.missing = self.missing - edge.marks;
        let (here, key) = (self.here(), self.key(&edge, &self.frame));
        if self.owed.get_mut(&here).is_some_and(|owed| owed.remove(&key)) {
            self.unpaid -= 1;
        }
        self.frame = behind(&edge, &self.frame);
        self.at = edge.target;
        self.cycle.push(edge);
        self.arrive()
    }

    /// Extends the tour by a shortest path to a wanted edge, and by that edge. `is_wanted` receives
    /// the concrete state and the frame before the edge. Returns whether such an edge was found
    /// near enough.
    fn go(
        &mut self,
        is_wanted: impl Fn(&mut Self, &ProductEdge, &Box<[u64]>, &Permutation) -> bool,
    ) -> Result<bool, Stop> {
        // By a place, which is a node and the concrete state: the edge that led there, and the frame.
        let first = (self.at, self.here());
        let mut search = BreadthFirst::<_, (ProductEdge, Permutation)>::new(&[first]);
        while let Some(at) = search.next() {
            let Some(patience) = self.patience.checked_sub(1) else { return Ok(false) };
            self.patience = patience;
            let (node, state) = search.place(at).clone();
            let frame =
                search.by(at).map_or_else(|| self.frame.clone(), |(_, frame)| frame.clone());
            let edges = self.edges(node)?;
            for edge in edges.iter() {
                if is_wanted(self, edge, &state, &frame) {
                    for (edge, _) in search.edges(at) {
                        self.take(edge.clone())?;
                    }
                    self.take(edge.clone())?;
                    return Ok(true);
                }
                let behind = behind(edge, &frame);
                let target = (edge.target, self.concrete(edge.target, &behind));
                search.meet(&target, at, (edge.clone(), behind));
            }
        }
        Ok(false)
    }
}
