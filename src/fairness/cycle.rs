//! Cycles of fair components that serve everybody.
//!
//! Whom a cycle serves is a question about concrete objects, not about orbits: if it executes some process
//! of an orbit, then its laps, each permuted, execute them all; but only as many as there are laps. So the
//! cycle is walked in concrete coordinates, those of its first node: a position is a node and a *frame*, which
//! takes what is local there to these coordinates. For each object that is owed something, the nearest edge
//! or node that serves it is looked for, breadth first over nodes and the local places of that object; what
//! the way serves besides, counts. Ways may lead through edges that the product has dropped, because they are
//! like others: here they are all there.
//!
//! A cycle is complete when it owes nothing to anybody that is concerned *on it*. Then the run that repeats it,
//! permuted in each lap by some g, is fair: whoever is concerned in lap k is g to the k-th of somebody who is
//! concerned in the first lap, and is served there.

use super::knowledge::Knowledge;
use super::objects::{Object, Set};
use crate::counterexample::concretise::concrete_state;
use crate::product::{Product, ProductEdge, Stop};
use crate::quotient::Walk;
use crate::search::Node;
use crate::symmetry::Permutation;
use crate::system::System;
use automata::Marks;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// A cycle from a node of a component back to it, through edges of all these marks, that serves everybody whom
/// it concerns.
pub fn fair_cycle<W: Walk>(
    product: &mut Product<'_, W>,
    knowledge: &mut Knowledge<'_>,
    component: &[Node],
    home: Node,
    marks: Marks,
) -> Result<Vec<ProductEdge>, Stop> {
    let inside = component.iter().copied().collect();
    let points = product.structure().indices().points();
    let families = knowledge.families().len();
    let mut tour = Tour {
        product,
        knowledge,
        inside,
        at: home,
        frame: Permutation::identity(points),
        cycle: Vec::new(),
        missing: marks,
        owed: vec![Debt::default(); families],
        edges: HashMap::new(),
    };
    tour.arrive(true)?;
    loop {
        if !tour.missing.is_empty() {
            let missing = tour.missing;
            tour.go(None, |_, edge, _| !(edge.marks & missing).is_empty())?;
        } else if let Some((family, object)) = tour.creditor() {
            tour.serve(family, object)?;
        } else if tour.at != home || tour.cycle.is_empty() {
            tour.go(None, |_, edge, _| edge.target == home)?;
        } else {
            return Ok(tour.cycle);
        }
    }
}

/// What a tour owes to the objects of one family, in the coordinates of its first node.
#[derive(Clone, Debug, Default)]
struct Debt {
    /// If p is always true: those that no node and no edge has served; else those for which p was true.
    concerned: Set,
    /// If p may be false: those that were served.
    served: Set,
}

struct Tour<'t, 'p, 'k, W> {
    product: &'t mut Product<'p, W>,
    knowledge: &'t mut Knowledge<'k>,
    inside: HashSet<Node>,
    at: Node,
    frame: Permutation,
    cycle: Vec<ProductEdge>,
    missing: Marks,
    owed: Vec<Debt>,
    /// Edges inside that were made.
    edges: HashMap<Node, Rc<Vec<ProductEdge>>>,
}

impl<W: Walk> Tour<'_, '_, '_, W> {
    /// The edges that stay inside, dropped ones included.
    fn edges(&mut self, node: Node) -> Result<Rc<Vec<ProductEdge>>, Stop> {
        if let Some(known) = self.edges.get(&node) {
            return Ok(Rc::clone(known));
        }
        let mut edges = self.product.unfolded(node)?;
        edges.retain(|edge| self.inside.contains(&edge.target));
        let edges = Rc::new(edges);
        self.edges.insert(node, Rc::clone(&edges));
        Ok(edges)
    }

    /// The tour has come to a node: what is true there.
    fn arrive(&mut self, is_first: bool) -> Result<(), Stop> {
        let representative = self.product.place(self.at).representative;
        let facts = self.knowledge.facts(self.product, representative)?;
        for (k, fact) in facts.of.iter().enumerate() {
            let concerned = self.knowledge.objects().image_of(&fact.concerned, &self.frame);
            let debt = &mut self.owed[k];
            if self.knowledge.families()[k].is_conditional {
                let served = self.knowledge.objects().image_of(&fact.served, &self.frame);
                debt.concerned.add(&concerned);
                debt.served.add(&served);
            } else if is_first {
                debt.concerned = concerned;
            } else {
                debt.concerned.keep(&concerned);
            }
        }
        Ok(())
    }

    /// The tour takes an edge.
    fn take(&mut self, edge: ProductEdge) -> Result<(), Stop> {
        self.missing = self.missing - edge.marks;
        if let Some(step) = &edge.step {
            for k in 0..self.owed.len() {
                let executed = self.knowledge.executed(k, step.rule, &step.arguments);
                let Some(local) = executed else { continue };
                let object = self.knowledge.objects().image(local, &self.frame);
                let debt = &mut self.owed[k];
                if self.knowledge.families()[k].is_conditional {
                    debt.served.insert(object);
                } else {
                    debt.concerned.remove(object);
                }
            }
            self.frame = self.frame.after(&step.permutation);
        }
        self.at = edge.target;
        self.cycle.push(edge);
        self.arrive(false)
    }

    /// Somebody who is owed something.
    fn creditor(&self) -> Option<(usize, Object)> {
        let families = self.knowledge.families().iter().zip(&self.owed).enumerate();
        families.into_iter().find_map(|(k, (family, debt))| {
            let mut concerned = debt.concerned.iter();
            let is_served = |object| family.is_conditional && debt.served.contains(object);
            Some((k, concerned.find(|&object| !is_served(object))?))
        })
    }

    /// Goes where an object is served.
    fn serve(&mut self, family: usize, object: Object) -> Result<(), Stop> {
        let back = self.frame.inverse();
        let local = self.knowledge.objects().image(object, &back);
        let is_conditional = self.knowledge.families()[family].is_conditional;
        self.go(Some(local), |tour, edge, (before, after)| {
            let (before, after) = (before.expect("it is followed"), after.expect("it is followed"));
            if let Some(step) = &edge.step
                && tour.knowledge.executed(family, step.rule, &step.arguments) == Some(before)
            {
                return true;
            }
            let representative = tour.product.place(edge.target).representative;
            let facts = tour.knowledge.facts(tour.product, representative);
            facts.is_ok_and(|facts| {
                let fact = &facts.of[family];
                if is_conditional {
                    fact.served.contains(after)
                } else {
                    !fact.concerned.contains(after)
                }
            })
        })
    }

    /// Takes a shortest way to an edge that is wanted, and that edge. An object is followed, if one is given: the
    /// edge is wanted for its local places before and after it.
    fn go(
        &mut self,
        followed: Option<Object>,
        is_wanted: impl Fn(&mut Self, &ProductEdge, (Option<Object>, Option<Object>)) -> bool,
    ) -> Result<(), Stop> {
        type Place = (Node, Option<Object>);
        let first: Place = (self.at, followed);
        let mut parents: HashMap<Place, (Place, usize)> = HashMap::new();
        let mut open = vec![first];
        let mut next = 0;
        loop {
            let place = *open.get(next).expect("a fair component serves everybody");
            next += 1;
            let edges = self.edges(place.0)?;
            for (k, edge) in edges.iter().enumerate() {
                let after = place.1.map(|object| match &edge.step {
                    None => object,
                    Some(step) => {
                        let back = step.permutation.inverse();
                        self.knowledge.objects().image(object, &back)
                    }
                });
                if is_wanted(self, edge, (place.1, after)) {
                    let mut way = vec![(place, k)];
                    while way[way.len() - 1].0 != first {
                        let (parent, by) = parents[&way[way.len() - 1].0];
                        way.push((parent, by));
                    }
                    for ((node, _), by) in way.into_iter().rev() {
                        let edge = self.edges(node)?[by].clone();
                        self.take(edge)?;
                    }
                    return Ok(());
                }
                let target = (edge.target, after);
                if target != first && !parents.contains_key(&target) {
                    parents.insert(target, (place, k));
                    open.push(target);
                }
            }
        }
    }
}

/// A cycle from a node of a component back to it, in the same concrete state, through edges of all these marks, that
/// takes every step of every concrete state that it visits; none if it takes more steps than allowed, or is too
/// hard to find.
pub fn global_cycle<W: Walk>(
    system: &dyn System,
    product: &mut Product<'_, W>,
    knowledge: &Knowledge<'_>,
    component: &[Node],
    home: Node,
    marks: Marks,
    most_steps: usize,
) -> Result<Option<Vec<ProductEdge>>, Stop> {
    let inside = component.iter().copied().collect();
    let points = product.structure().indices().points();
    let frame = Permutation::identity(points);
    let mut tour = GlobalTour {
        system,
        product,
        knowledge,
        inside,
        at: home,
        frame,
        cycle: Vec::new(),
        missing: marks,
        owed: HashMap::new(),
        edges: HashMap::new(),
        patience: PATIENCE * most_steps,
    };
    let first = tour.concrete(home, &tour.frame.clone());
    tour.arrive()?;
    loop {
        let is_there = if !tour.missing.is_empty() {
            let missing = tour.missing;
            tour.go(|_, edge, _, _| !(edge.marks & missing).is_empty())?
        } else if tour.owed.values().any(|owed| !owed.is_empty()) {
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

/// So many positions may be looked at on the search for a lasso, for each step that it may take.
const PATIENCE: usize = 20;

/// The frame behind an edge.
fn behind(edge: &ProductEdge, frame: &Permutation) -> Permutation {
    match &edge.step {
        None => frame.clone(),
        Some(step) => frame.after(&step.permutation),
    }
}

/// A concrete step: its rule and arguments; none is the stutter.
type Key = Option<(u32, Vec<i64>)>;

struct GlobalTour<'t, 'p, 'k, W> {
    system: &'t dyn System,
    product: &'t mut Product<'p, W>,
    knowledge: &'t Knowledge<'k>,
    inside: HashSet<Node>,
    at: Node,
    frame: Permutation,
    cycle: Vec<ProductEdge>,
    missing: Marks,
    /// By concrete state that was visited: the steps that were not taken.
    owed: HashMap<Box<[u64]>, HashSet<Key>>,
    /// Edges inside that were made.
    edges: HashMap<Node, Rc<Vec<ProductEdge>>>,
    /// So many positions may still be looked at.
    patience: usize,
}

impl<W: Walk> GlobalTour<'_, '_, '_, W> {
    /// The edges that stay inside, dropped ones included.
    fn edges(&mut self, node: Node) -> Result<Rc<Vec<ProductEdge>>, Stop> {
        if let Some(known) = self.edges.get(&node) {
            return Ok(Rc::clone(known));
        }
        let mut edges = self.product.unfolded(node)?;
        edges.retain(|edge| self.inside.contains(&edge.target));
        let edges = Rc::new(edges);
        self.edges.insert(node, Rc::clone(&edges));
        Ok(edges)
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

    /// The tour has come to a state: what there is to do.
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
        let keys = keys.collect();
        self.owed.insert(here, keys);
        Ok(())
    }

    fn take(&mut self, edge: ProductEdge) -> Result<(), Stop> {
        self.missing = self.missing - edge.marks;
        let (here, key) = (self.here(), self.key(&edge, &self.frame));
        if let Some(owed) = self.owed.get_mut(&here) {
            owed.remove(&key);
        }
        self.frame = behind(&edge, &self.frame);
        self.at = edge.target;
        self.cycle.push(edge);
        self.arrive()
    }

    /// Takes a shortest way to an edge that is wanted, told with the concrete state and the frame before it, and
    /// that edge; whether there is one that is not too far away.
    fn go(
        &mut self,
        is_wanted: impl Fn(&mut Self, &ProductEdge, &Box<[u64]>, &Permutation) -> bool,
    ) -> Result<bool, Stop> {
        let first = (self.at, self.here());
        let mut known: HashSet<(Node, Box<[u64]>)> = HashSet::from([first.clone()]);
        let mut open = vec![(first.0, first.1, self.frame.clone(), None::<(usize, ProductEdge)>)];
        let mut next = 0;
        while let Some((node, state, frame, _)) = open.get(next).cloned() {
            let Some(patience) = self.patience.checked_sub(1) else { return Ok(false) };
            self.patience = patience;
            let edges = self.edges(node)?;
            for edge in edges.iter() {
                if is_wanted(self, edge, &state, &frame) {
                    let mut way = vec![edge.clone()];
                    let mut at = next;
                    while let Some((parent, by)) = &open[at].3 {
                        way.push(by.clone());
                        at = *parent;
                    }
                    for edge in way.into_iter().rev() {
                        self.take(edge)?;
                    }
                    return Ok(true);
                }
                let behind = behind(edge, &frame);
                let target = (edge.target, self.concrete(edge.target, &behind));
                if known.insert(target.clone()) {
                    open.push((target.0, target.1, behind, Some((next, edge.clone()))));
                }
            }
            next += 1;
        }
        Ok(false)
    }
}
