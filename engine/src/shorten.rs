//! Shorter lassos.
//!
//! A search reports the first lasso that it meets, and unfolding one of the quotient may repeat its
//! cycle many times. So a lasso that was found is only a bound: the number of steps to be beaten. The
//! unreduced product is explored again, but only a region around the known lasso (`region.rs`). There,
//! fair and accepting cycles are searched for from one *home* after the other, nearest to the starts
//! first.
//!
//! ```text
//! for each width:
//!   for each node h of a component, by the distance d(h) of its state from the starts:
//!     search breadth first from h, over nodes with the obligations that are still open there and
//!       those that were served, up to depth best - d(h) - 1; if there are more than `width` of them
//!       at one depth, keep those with the fewest open obligations, and of these those nearest to h
//!     for each closed cycle without open obligations:
//!       offer it after a shortest path of states to h, and after a shortest path of the product
//! ```
//!
//! **Invariant**: a lasso is replaced by one with fewer steps only. If a region is the whole product,
//! and no width was exceeded, the cycle is as short as any that can follow its stem.
//!
//! A shortest path of states may lead the automaton elsewhere than a path of the product to the same
//! state. So the caller evaluates the formula on each lasso that is offered. Cycles are fair by
//! construction; `component.rs` defines obligations. States that are removed because an assumption
//! cuts all their runs are not known here. They count as targets of steps, so that there may be too
//! many obligations, never too few.
//!
//! Work is counted in edges, and the budget is a number of them: the same lasso is found on every
//! machine, by any number of threads.

mod bits;
mod component;
mod region;

use crate::concretise::{ConcreteLasso, ConcreteStep};
use crate::fairness::knowledge::Knowledge;
use crate::narrow::{to_u32, to_usize};
use crate::product::{Product, Stop, Taken};
use crate::quotient::Representative;
use crate::search::Node;
use automata::Marks;
use bits::Bits;
use component::{Component, components};
use hashbrown::HashSet;
use region::{Region, Ways, action, state_of};

/// The work that may still be done.
struct Budget {
    left: u64,
}

impl Budget {
    fn spend(&mut self, edges: usize) {
        run::poll();
        self.left = self.left.saturating_sub(edges as u64);
    }

    fn is_used_up(&self) -> bool {
        self.left == 0
    }
}

/// The numbers of nodes at one depth that the searches from a home may keep, in turn.
const WIDTHS: [usize; 4] = [8, 64, 1024, usize::MAX];

/// A lasso with fewer steps than this one, if the budget of so many edges suffices to find one: its
/// cycle is in all acceptance sets, fair, and not longer than `longest_cycle`, and `is_violation` is
/// true of it.
///
/// The product must be one of the unreduced system, and contain the node where the known lasso starts.
pub fn shorter<P: Product>(
    product: &mut P,
    knowledge: &mut Knowledge<'_>,
    (known, all): ((&ConcreteLasso, Node), Marks),
    (edges, longest_cycle): (u64, usize),
    is_violation: &mut dyn FnMut(&ConcreteLasso) -> bool,
) -> Result<Option<ConcreteLasso>, Stop> {
    let best = known.0.steps();
    // The rest is for the search in the region.
    let mut budget = Budget { left: edges / 2 };
    let Some(region) = Region::around(product, known, (&mut *knowledge, &mut budget))? else {
        return Ok(None);
    };
    budget.left += edges - edges / 2;
    let mut parts = Vec::new();
    for nodes in components(&region, region.bound()) {
        parts.extend(Component::new(product, knowledge, &region, nodes, (all, &mut budget))?);
    }
    let states = Ways::of(&region, |node| state_of(product, node), &mut budget);
    let nodes = Ways::of(&region, |node| node, &mut budget);
    let mut search =
        Search { product, states, nodes, best, found: None, budget, longest_cycle, is_violation };
    search.improve(&parts);
    Ok(search.found)
}

/// A search for better lassos.
struct Search<'s, P> {
    product: &'s mut P,
    /// Ways between states.
    states: Ways<Representative>,
    /// Ways in the product.
    nodes: Ways<Node>,
    /// The number of steps to be beaten.
    best: usize,
    found: Option<ConcreteLasso>,
    budget: Budget,
    longest_cycle: usize,
    is_violation: &'s mut dyn FnMut(&ConcreteLasso) -> bool,
}

/// A node that was reached from a home.
struct Reached {
    node: u32,
    /// Obligations that concern the path so far and are not served by it.
    open: Bits,
    /// Obligations that were served.
    served: Bits,
    /// What it was reached from, and the number of the edge.
    by: Option<(u32, u32)>,
}

/// The result of a search from a home.
struct Cycles {
    found: Vec<Vec<(Node, Taken)>>,
    /// Whether nothing was left out.
    is_complete: bool,
}

/// What is reached in a search from a home counts as so many edges, for the sake of memory.
const OF_REACHED: usize = 4;

/// The most closed cycles of one length that are offered.
const MOST_OFFERS: usize = 16;

impl<P: Product> Search<'_, P> {
    fn improve(&mut self, parts: &[Component]) {
        let mut homes: Vec<(usize, usize, u32)> = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            for (at, &node) in part.nodes.iter().enumerate() {
                if let Some(distance) = self.distance(node)
                    && !part.facts[at].is_forbidden
                {
                    homes.push((distance, k, to_u32(at)));
                }
            }
        }
        homes.sort_by_key(|&(distance, ..)| distance);
        for width in WIDTHS {
            let mut is_complete = true;
            for &(distance, part, home) in &homes {
                if self.budget.is_used_up() {
                    return;
                }
                let Some(most) = self.best.checked_sub(distance + 1).filter(|most| *most > 0)
                else {
                    break;
                };
                let part = &parts[part];
                let most = most.min(self.longest_cycle);
                let cycles = self.cycles(part, home, (most, width, distance));
                is_complete &= cycles.is_complete;
                for cycle in cycles.found {
                    self.offer_after(part.nodes[home as usize], &cycle);
                }
            }
            if is_complete {
                return;
            }
        }
    }

    /// The distance of a node's state from the starts.
    fn distance(&self, node: Node) -> Option<usize> {
        self.states.distance(state_of(self.product, node))
    }

    /// By node of a component: its distance to a home, through nodes that are not nearer to the
    /// starts. (A lasso through one of these has a better home.)
    fn back(&mut self, part: &Component, home: u32, (most, nearest): (usize, usize)) -> Vec<u32> {
        self.budget.spend(part.nodes.len() / 16);
        let mut back = vec![u32::MAX; part.nodes.len()];
        back[home as usize] = 0;
        let mut open = vec![home];
        let mut next = 0;
        while let Some(&at) = open.get(next) {
            next += 1;
            let distance = back[at as usize] + 1;
            if distance as usize > most {
                break;
            }
            self.budget.spend(part.back[at as usize].len() / 2);
            for &before in &part.back[at as usize] {
                let node = before as usize;
                if back[node] == u32::MAX
                    && !part.facts[node].is_forbidden
                    && self.distance(part.nodes[node]).is_some_and(|one| one >= nearest)
                {
                    back[node] = distance;
                    open.push(before);
                }
            }
        }
        back
    }

    /// Shortest cycles from a home of at most `most` steps; all of one length.
    fn cycles(
        &mut self,
        part: &Component,
        home: u32,
        (most, width, nearest): (usize, usize, usize),
    ) -> Cycles {
        let back = self.back(part, home, (most, nearest));
        let facts = part.facts[home as usize];
        let open = part.of_all.or(facts.concerned).minus(facts.served);
        let mut all = vec![Reached { node: home, open, served: facts.served, by: None }];
        let mut known: HashSet<(u32, Bits, Bits)> = HashSet::from([(home, open, facts.served)]);
        let mut layer: Vec<u32> = vec![0];
        let mut cycles = Cycles { found: Vec::new(), is_complete: true };
        for depth in 1..=most {
            let mut next: Vec<u32> = Vec::new();
            for &at in &layer {
                let Reached { node, open, served, .. } = all[at as usize];
                let edges = &part.edges[node as usize];
                self.budget.spend(edges.len());
                if self.budget.is_used_up() {
                    cycles.is_complete = false;
                    return cycles;
                }
                for (edge, one) in (0..).zip(edges) {
                    let far = back[one.target as usize];
                    if far == u32::MAX || depth + far as usize > most {
                        continue;
                    }
                    let facts = &part.facts[one.target as usize];
                    let served = served.or(one.serves).or(facts.served);
                    let open = open.or(facts.concerned).minus(served);
                    // One step serves so many obligations at most.
                    if depth + to_usize(u64::from(open.len().div_ceil(part.most_served))) > most {
                        continue;
                    }
                    if one.target == home && open.is_empty() {
                        if cycles.found.len() < MOST_OFFERS {
                            cycles.found.push(path(part, &all, (at, edge)));
                        }
                    } else if known.insert((one.target, open, served)) {
                        self.budget.spend(OF_REACHED);
                        next.push(to_u32(all.len()));
                        all.push(Reached { node: one.target, open, served, by: Some((at, edge)) });
                    }
                }
            }
            if !cycles.found.is_empty() || next.is_empty() {
                return cycles;
            }
            if next.len() > width {
                cycles.is_complete = false;
                next.sort_by_key(|&at| {
                    let one = &all[at as usize];
                    (one.open.len(), back[one.node as usize])
                });
                next.truncate(width);
            }
            layer = next;
        }
        cycles
    }

    /// Offers a cycle after the shortest paths to its home.
    fn offer_after(&mut self, home: Node, cycle: &[(Node, Taken)]) {
        let cycle: Vec<ConcreteStep> = cycle.iter().map(|edge| self.step(edge)).collect();
        let over_states = self.states.way(state_of(self.product, home));
        if self.offer(&over_states, &cycle) {
            return;
        }
        if self.nodes.distance(home).is_some() {
            let over_nodes = self.nodes.way(home);
            self.offer(&over_nodes, &cycle);
        }
    }

    /// Offers a lasso. Returns whether it is a better one.
    fn offer(&mut self, stem: &[(Node, Taken)], cycle: &[ConcreteStep]) -> bool {
        let stem: Vec<ConcreteStep> = stem.iter().map(|edge| self.step(edge)).collect();
        // The automaton may need several rounds where the system needs one.
        let rounds = (1..=cycle.len()).filter(|length| cycle.len().is_multiple_of(*length));
        for length in rounds {
            if !cycle.iter().zip(&cycle[length..]).all(|(one, other)| one == other) {
                continue;
            }
            let mut lasso = ConcreteLasso { stem: stem.clone(), cycle: cycle[..length].to_vec() };
            lasso.roll();
            let steps = lasso.steps();
            if steps >= self.best {
                return false;
            }
            self.budget.spend(2 * steps);
            if (self.is_violation)(&lasso) {
                (self.best, self.found) = (steps, Some(lasso));
                return true;
            }
        }
        false
    }

    /// The step of an edge, in concrete states.
    fn step(&mut self, &(node, edge): &(Node, Taken)) -> ConcreteStep {
        let state = self.product.packed(node).into();
        ConcreteStep { state, action: action(&self.product.label(edge)) }
    }
}

/// The edges by which something was reached, and one more, each with the node that it leaves.
fn path(part: &Component, all: &[Reached], last: (u32, u32)) -> Vec<(Node, Taken)> {
    let mut edges = Vec::new();
    let mut by = Some(last);
    while let Some((at, edge)) = by {
        let from = &all[at as usize];
        let node = from.node as usize;
        edges.push((part.nodes[node], part.edges[node][edge as usize].taken));
        by = from.by;
    }
    edges.reverse();
    edges
}
