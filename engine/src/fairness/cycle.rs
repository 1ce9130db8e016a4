//! Cycles of fair components that satisfy all obligations.
//!
//! Whether a cycle serves an object is a question about concrete objects, not about orbits: if it
//! executes some process of an orbit, then its laps, each permuted, execute all of them, but only
//! as many as there are laps. So the cycle is walked in concrete coordinates, those of its first
//! node: a position is a node and a *frame*, which takes local coordinates at the node to these
//! coordinates. For each object with an open obligation, a breadth-first search over nodes and the
//! local images of that object finds the nearest edge or node that serves it. Objects that are
//! served on the path there count as served. Paths may use edges that the product omits because
//! they are equivalent to others: here they are all present.
//!
//! A cycle is complete when it satisfies the obligations to all objects that are concerned *on it*.
//! Then the run that repeats it, permuted in each lap by some g, is fair: an object that is
//! concerned in lap k is the image under g to the k-th of an object that is concerned in the first
//! lap, and is served there.

use super::inner::InnerEdges;
use super::knowledge::Knowledge;
use super::objects::{Object, Set};
use crate::breadth::BreadthFirst;
use crate::product::{Product, ProductEdge, Stop};
use crate::search::Node;
use crate::symmetry::Permutation;
use automata::Marks;
use std::rc::Rc;

/// A cycle from a node of a component back to it, through edges of all the given marks, that serves
/// every object that it concerns.
pub fn fair_cycle<P: Product>(
    product: &mut P,
    knowledge: &mut Knowledge<'_>,
    component: &[Node],
    home: Node,
    marks: Marks,
) -> Result<Vec<ProductEdge>, Stop> {
    let points = product.structure().indices().points();
    let families = knowledge.families().len();
    let mut tour = Tour {
        product,
        knowledge,
        inner: InnerEdges::new(component),
        at: home,
        frame: Permutation::identity(points),
        cycle: Vec::new(),
        missing: marks,
        owed: vec![Debt::default(); families],
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

/// The obligations of a tour to the objects of one family, in the coordinates of its first node.
#[derive(Clone, Debug, Default)]
struct Debt {
    /// If p is always true: the objects that no node and no edge has served; else those for which p
    /// was true.
    concerned: Set,
    /// If p may be false: the objects that were served.
    served: Set,
}

struct Tour<'t, 'k, P> {
    product: &'t mut P,
    knowledge: &'t mut Knowledge<'k>,
    inner: InnerEdges,
    at: Node,
    frame: Permutation,
    cycle: Vec<ProductEdge>,
    missing: Marks,
    owed: Vec<Debt>,
}

impl<P: Product> Tour<'_, '_, P> {
    fn edges(&mut self, node: Node) -> Result<Rc<Vec<ProductEdge>>, Stop> {
        self.inner.of(self.product, node)
    }

    /// Records the facts of the node at which the tour arrived.
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

    /// Extends the tour by an edge.
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

    /// An object with an unsatisfied obligation, and its family.
    fn creditor(&self) -> Option<(usize, Object)> {
        let families = self.knowledge.families().iter().zip(&self.owed).enumerate();
        families.into_iter().find_map(|(k, (family, debt))| {
            let mut concerned = debt.concerned.iter();
            let is_served = |object| family.is_conditional && debt.served.contains(object);
            Some((k, concerned.find(|&object| !is_served(object))?))
        })
    }

    /// Extends the tour to the nearest node or edge that serves an object.
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

    /// Extends the tour by a shortest path to a wanted edge, and by that edge. An object is
    /// followed, if one is given: `is_wanted` receives its local images before and after the edge.
    fn go(
        &mut self,
        followed: Option<Object>,
        is_wanted: impl Fn(&mut Self, &ProductEdge, (Option<Object>, Option<Object>)) -> bool,
    ) -> Result<(), Stop> {
        // By a place, which is a node and the local image of the object: the edge that led there.
        type Way = (Rc<Vec<ProductEdge>>, usize);
        let mut search = BreadthFirst::<_, Way>::new(&[(self.at, followed)]);
        loop {
            let at = search.next().expect("a fair component serves everybody");
            let (node, before) = *search.place(at);
            let edges = self.edges(node)?;
            for (k, edge) in edges.iter().enumerate() {
                let after = before.map(|object| match &edge.step {
                    None => object,
                    Some(step) => {
                        let back = step.permutation.inverse();
                        self.knowledge.objects().image(object, &back)
                    }
                });
                if is_wanted(self, edge, (before, after)) {
                    for (edges, k) in search.edges(at) {
                        self.take(edges[*k].clone())?;
                    }
                    return self.take(edge.clone());
                }
                search.meet(&(edge.target, after), at, (Rc::clone(&edges), k));
            }
        }
    }
}
