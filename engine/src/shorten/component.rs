//! Strongly connected components of a region, with the obligations of runs that stay in them.

use super::Budget;
use super::bits::{Bits, MOST};
use super::region::{Region, state_of};
use crate::fairness::knowledge::Knowledge;
use crate::fairness::objects::Object;
use crate::narrow::to_u32;
use crate::product::{Product, Stop, Taken};
use crate::quotient::Representative;
use crate::search::Node;
use automata::Marks;
use hashbrown::HashMap;

/// A component in which there may be a fair, accepting cycle.
///
/// An obligation is a number: an acceptance set, an object of a family of fairness, or, under global
/// fairness, a step of a state. A cycle that visits a node that is *concerned* with an obligation must
/// contain a node or an edge that *serves* it. Some obligations concern all cycles.
pub(super) struct Component {
    pub(super) nodes: Vec<Node>,
    /// By node: its edges inside of the component.
    pub(super) edges: Vec<Vec<Edge>>,
    /// By node: the nodes from which edges lead to it.
    pub(super) back: Vec<Vec<u32>>,
    pub(super) facts: Vec<NodeFacts>,
    /// The obligations that concern all cycles.
    pub(super) of_all: Bits,
    /// The most obligations that one step serves, with the node that it leads to.
    pub(super) most_served: u32,
}

/// An edge inside of a component.
pub(super) struct Edge {
    pub(super) target: u32,
    pub(super) taken: Taken,
    pub(super) serves: Bits,
}

/// The obligations of a node.
#[derive(Clone, Copy, Default)]
pub(super) struct NodeFacts {
    pub(super) concerned: Bits,
    pub(super) served: Bits,
    /// Whether no edge or node of the component serves an obligation that it is concerned with.
    pub(super) is_forbidden: bool,
}

/// Gives numbers to obligations.
struct Numbers<K> {
    known: HashMap<K, usize>,
}

impl<K: Eq + std::hash::Hash> Numbers<K> {
    /// The number of an obligation, which counts from `first`; none if there are too many.
    fn of(&mut self, key: K, first: usize) -> Option<usize> {
        let next = first + self.known.len();
        let number = *self.known.entry(key).or_insert(next);
        (number < MOST).then_some(number)
    }
}

impl Component {
    /// The component of these nodes. None if no fair, accepting cycle is in it, or if it has too many
    /// obligations.
    pub(super) fn new<P: Product>(
        product: &mut P,
        knowledge: &mut Knowledge<'_>,
        region: &Region,
        nodes: Vec<Node>,
        (all, budget): (Marks, &mut Budget),
    ) -> Result<Option<Component>, Stop> {
        let local: HashMap<Node, u32> =
            nodes.iter().enumerate().map(|(k, &node)| (node, to_u32(k))).collect();
        let first = all.0.count_ones() as usize;
        let mut numbers = Numbers { known: HashMap::new() };
        let mut of_all = marks(all);
        let mut facts = vec![NodeFacts::default(); nodes.len()];
        let families = knowledge.families();
        // By family without a condition: the numbers of its objects.
        let mut unconditional: Vec<Vec<(Object, usize)>> = vec![Vec::new(); families.len()];
        let mut known = Vec::with_capacity(nodes.len());
        if !families.is_empty() {
            for (k, &node) in nodes.iter().enumerate() {
                let representative = state_of(product, node);
                budget.spend(1);
                let of_node = knowledge.facts(product, representative)?;
                for (family, fact) in of_node.of.iter().enumerate() {
                    for object in fact.concerned.iter() {
                        let Some(number) = numbers.of((family, object), first) else {
                            return Ok(None);
                        };
                        if families[family].is_conditional {
                            facts[k].concerned.insert(number);
                        } else if !unconditional[family].iter().any(|&(_, one)| one == number) {
                            unconditional[family].push((object, number));
                            of_all.insert(number);
                        }
                    }
                    for object in fact.served.iter() {
                        let Some(number) = numbers.of((family, object), first) else {
                            return Ok(None);
                        };
                        facts[k].served.insert(number);
                    }
                }
                known.push(of_node);
            }
            for (facts, of_node) in facts.iter_mut().zip(&known) {
                for (fact, objects) in of_node.of.iter().zip(&unconditional) {
                    for &(object, number) in objects {
                        if !fact.concerned.contains(object) {
                            facts.served.insert(number);
                        }
                    }
                }
            }
        }
        let first = first + numbers.known.len();
        let mut steps: Numbers<(Representative, u32)> = Numbers { known: HashMap::new() };
        if knowledge.is_global() {
            for (k, &node) in nodes.iter().enumerate() {
                let representative = state_of(product, node);
                budget.spend(1 + region.edges(node).len());
                for (_, step) in product.steps_of(product.base(node))? {
                    let Some(number) = steps.of((representative, step), first) else {
                        return Ok(None);
                    };
                    facts[k].concerned.insert(number);
                }
            }
        }
        let mut edges = Vec::with_capacity(nodes.len());
        let mut back = vec![Vec::new(); nodes.len()];
        for (k, &node) in nodes.iter().enumerate() {
            let mut inner = Vec::new();
            for &(target, taken) in region.edges(node) {
                let Some(&target) = local.get(&target) else { continue };
                let mut serves = marks(product.marks(taken));
                if let Some((rule, arguments)) = product.label(taken).action {
                    for family in 0..families.len() {
                        let Some(object) = knowledge.executed(family, rule, arguments) else {
                            continue;
                        };
                        if let Some(&number) = numbers.known.get(&(family, object)) {
                            serves.insert(number);
                        }
                    }
                }
                if knowledge.is_global() {
                    let key = (state_of(product, node), taken.step);
                    if let Some(&number) = steps.known.get(&key) {
                        serves.insert(number);
                    }
                }
                inner.push(Edge { target, taken, serves });
                back[target as usize].push(to_u32(k));
            }
            budget.spend(inner.len());
            edges.push(inner);
        }
        let mut component = Component { nodes, edges, back, facts, of_all, most_served: 1 };
        Ok(component.may_be_fair().then_some(component))
    }

    /// Finds the nodes that no fair cycle visits. Returns whether there may be a fair cycle.
    fn may_be_fair(&mut self) -> bool {
        let of_nodes = self.facts.iter().fold(Bits::default(), |all, one| all.or(one.served));
        let edges = self.edges.iter().flatten();
        let served = edges.fold(of_nodes, |all, edge| all.or(edge.serves));
        for facts in &mut self.facts {
            facts.is_forbidden = !facts.concerned.minus(served).is_empty();
        }
        for edge in self.edges.iter().flatten() {
            let of_target = self.facts[edge.target as usize].served;
            self.most_served = self.most_served.max(edge.serves.or(of_target).len());
        }
        self.of_all.minus(served).is_empty() && self.facts.iter().any(|facts| !facts.is_forbidden)
    }
}

/// Acceptance sets have the first numbers.
fn marks(of: Marks) -> Bits {
    let mut bits = Bits::default();
    for set in (0..64).filter(|set| of.0 >> set & 1 == 1) {
        bits.insert(set);
    }
    bits
}

/// The strongly connected components of a region that have an edge, each with its nodes in the order
/// in which they were expanded. (Tarjan's algorithm, with a stack of its own.)
pub(super) fn components(region: &Region, bound: usize) -> Vec<Vec<Node>> {
    const NEW: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![NEW; bound];
    let mut found = Vec::new();
    let (mut path, mut calls): (Vec<Node>, Vec<(Node, usize, u32)>) = (Vec::new(), Vec::new());
    for &root in &region.expanded {
        if low[root.0 as usize] != NEW {
            continue;
        }
        calls.push((root, 0, 0));
        low[root.0 as usize] = 0;
        path.push(root);
        while let Some((node, next, number)) = calls.pop() {
            if let Some(&(target, _)) = region.edges(node).get(next) {
                let at = target.0 as usize;
                calls.push((node, next + 1, number));
                if low[at] == NEW {
                    low[at] = to_u32(path.len());
                    calls.push((target, 0, low[at]));
                    path.push(target);
                } else if low[at] != DONE {
                    low[node.0 as usize] = low[node.0 as usize].min(low[at]);
                }
                continue;
            }
            let lowest = low[node.0 as usize];
            if let Some((before, ..)) = calls.last() {
                let before = before.0 as usize;
                low[before] = low[before].min(lowest);
            }
            if lowest == number {
                let nodes = path.split_off(number as usize);
                for node in &nodes {
                    low[node.0 as usize] = DONE;
                }
                let is_cycle = |node: Node| region.edges(node).iter().any(|&(to, _)| to == node);
                if nodes.len() > 1 || is_cycle(nodes[0]) {
                    found.push(nodes);
                }
            }
        }
    }
    found
}
