//! The part of the unreduced product around a known lasso.
//!
//! It contains the nodes of the lasso, some starts, and the nodes that are nearest to them, as many as
//! the budget allows. Small products are in it as a whole.

use super::Budget;
use crate::concretise::{ConcreteLasso, ConcreteStep};
use crate::fairness::knowledge::Knowledge;
use crate::product::{Label, Product, Stop, Taken};
use crate::quotient::Representative;
use crate::search::Node;
use hashbrown::{HashMap, HashSet};

/// The other starts that are looked at, besides that of the known lasso.
const MOST_STARTS: usize = 64;

/// The steps of a node take about as long as so many edges, besides its own.
const OF_NODE: usize = 8;

/// Nodes have the numbers of the product, which are nearly without gaps.
pub(super) struct Region {
    pub(super) starts: Vec<Node>,
    /// The nodes whose edges are known, in the order in which they were expanded.
    pub(super) expanded: Vec<Node>,
    /// By node: its edges; none if it was not expanded.
    edges: Vec<Vec<(Node, Taken)>>,
    is_expanded: Vec<bool>,
}

impl Region {
    /// The region around a lasso from a start. None if the budget does not suffice for the lasso.
    pub(super) fn around<P: Product>(
        product: &mut P,
        (found, start): (&ConcreteLasso, Node),
        (knowledge, budget): (&mut Knowledge<'_>, &mut Budget),
    ) -> Result<Option<Region>, Stop> {
        let mut region = Region {
            starts: vec![start],
            expanded: Vec::new(),
            edges: Vec::new(),
            is_expanded: Vec::new(),
        };
        if (found.steps() * OF_NODE) as u64 > budget.left {
            return Ok(None);
        }
        if !region.follow(product, found, (&mut *knowledge, &mut *budget))? {
            return Ok(None);
        }
        while region.starts.len() <= MOST_STARTS && !budget.is_used_up() {
            let Some(start) = product.next_start()? else { break };
            region.starts.push(start);
            region.expand(product, start, (&mut *knowledge, &mut *budget))?;
        }
        // Breadth first, from all nodes that are known already.
        let mut next = 0;
        while next < region.expanded.len() && !budget.is_used_up() {
            for k in 0..region.edges(region.expanded[next]).len() {
                let target = region.edges(region.expanded[next])[k].0;
                region.expand(product, target, (&mut *knowledge, &mut *budget))?;
                if budget.is_used_up() {
                    break;
                }
            }
            next += 1;
        }
        Ok(Some(region))
    }

    /// The edges of a node, if they are known.
    pub(super) fn edges(&self, node: Node) -> &[(Node, Taken)] {
        self.edges.get(node.0 as usize).map_or(&[], |edges| edges)
    }

    /// A bound on the numbers of nodes.
    pub(super) fn bound(&self) -> usize {
        let targets = self.edges.iter().flatten().map(|(target, _)| target.0 as usize + 1);
        targets.max().unwrap_or(0).max(self.edges.len())
    }

    /// Expands a node, unless that is done or its steps fail.
    fn expand<P: Product>(
        &mut self,
        product: &mut P,
        node: Node,
        (knowledge, budget): (&mut Knowledge<'_>, &mut Budget),
    ) -> Result<(), Stop> {
        let at = node.0 as usize;
        if self.edges.len() <= at {
            self.edges.resize(at + 1, Vec::new());
            self.is_expanded.resize(at + 1, false);
        }
        if std::mem::replace(&mut self.is_expanded[at], true) {
            return Ok(());
        }
        let mut found = Vec::new();
        let mut expanded = product.successors(node, &mut found);
        if expanded.is_ok() && !knowledge.families().is_empty() {
            // Facts are remembered; they cost little while the steps of the state are at hand.
            let representative = state_of(product, node);
            expanded = knowledge.facts(product, representative).map(|_| ());
        }
        match expanded {
            Ok(()) => {}
            Err(stop @ Stop::Stopped(_)) => return Err(stop),
            // No run continues here.
            Err(_) => found.clear(),
        }
        budget.spend(OF_NODE + found.len());
        self.edges[at] = found;
        self.expanded.push(node);
        Ok(())
    }

    /// Expands the nodes of the known lasso, with all states that the automaton may be in.
    fn follow<P: Product>(
        &mut self,
        product: &mut P,
        found: &ConcreteLasso,
        (knowledge, budget): (&mut Knowledge<'_>, &mut Budget),
    ) -> Result<bool, Stop> {
        let steps: Vec<&ConcreteStep> = found.stem.iter().chain(&found.cycle).collect();
        let mut at = self.starts.clone();
        let first = found.stem.len();
        let mut known: HashSet<Node> = HashSet::new();
        let mut k = 0;
        loop {
            if k == first {
                at.retain(|&node| known.insert(node));
                if at.is_empty() {
                    return Ok(true);
                }
            }
            let next = if k + 1 < steps.len() { k + 1 } else { first };
            let mut targets: Vec<Node> = Vec::new();
            for node in at {
                self.expand(product, node, (&mut *knowledge, &mut *budget))?;
                if budget.is_used_up() {
                    return Ok(false);
                }
                for &(target, edge) in &self.edges[node.0 as usize] {
                    if !targets.contains(&target)
                        && action(&product.label(edge)) == steps[k].action
                        && *product.packed(target) == *steps[next].state
                    {
                        targets.push(target);
                    }
                }
            }
            (at, k) = (targets, next);
        }
    }
}

/// The action of an edge, as a concrete step has it.
pub(super) fn action<A>(label: &Label<'_, A>) -> Option<(u32, Vec<i64>)> {
    label.action.map(|(rule, arguments)| (rule, arguments.to_vec()))
}

/// The edge by which a place was reached, after the place and the node that it leaves.
type By<K> = Option<(K, Node, Taken)>;

/// By place: its distance, and how it was reached.
type Reached<K> = HashMap<K, (usize, By<K>)>;

/// Shortest ways from the starts.
pub(super) struct Ways<K> {
    reached: Reached<K>,
}

impl<K: Copy + Eq + std::hash::Hash> Ways<K> {
    /// Breadth first over places, each of which stands for some nodes.
    pub(super) fn of(region: &Region, place: impl Fn(Node) -> K, budget: &mut Budget) -> Ways<K> {
        let mut members: HashMap<K, Vec<Node>> = HashMap::new();
        for &node in &region.expanded {
            members.entry(place(node)).or_default().push(node);
        }
        let mut reached: Reached<K> = HashMap::new();
        let mut open: Vec<K> = Vec::new();
        for &start in &region.starts {
            let start = place(start);
            reached.entry(start).or_insert_with(|| {
                open.push(start);
                (0, None)
            });
        }
        let mut next = 0;
        while let Some(&at) = open.get(next) {
            next += 1;
            let distance = reached[&at].0 + 1;
            for &node in members.get(&at).map_or(&[][..], |members| members) {
                budget.spend(region.edges(node).len() / 4);
                for &(target, edge) in region.edges(node) {
                    let to = place(target);
                    reached.entry(to).or_insert_with(|| {
                        open.push(to);
                        (distance, Some((at, node, edge)))
                    });
                }
            }
        }
        Ways { reached }
    }

    /// The distance of a place from the starts.
    pub(super) fn distance(&self, to: K) -> Option<usize> {
        self.reached.get(&to).map(|(distance, _)| *distance)
    }

    /// The edges on the way to a place, each with the node that it leaves.
    pub(super) fn way(&self, to: K) -> Vec<(Node, Taken)> {
        let mut way = Vec::new();
        let mut at = to;
        while let Some((before, node, edge)) = self.reached[&at].1 {
            way.push((node, edge));
            at = before;
        }
        way.reverse();
        way
    }
}

/// The state of a node.
pub(super) fn state_of<P: Product>(product: &P, node: Node) -> Representative {
    product.place(node).representative
}
