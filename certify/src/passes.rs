//! Elimination: monotone passes over the nodes that are left, each over a frozen set.
//!
//! Every pass removes nodes that no fair run visits infinitely often, all for one reason, which is the
//! reason of that moment ([`verify::elimination`]). They are repeated until nothing changes.

use crate::Uncertified;
use crate::closure::{Edge, Sets};
use crate::draft::Reason;
use judge::Reference;
use std::collections::{HashSet, VecDeque};
use terms::{Demand, Fairness};
use verify::elimination::NodeSets;
use verify::families::Objects;
use verify::obligations::Obligation;
use verify::product::{Class, Node, Product};

/// Nodes and edges.
#[derive(Debug, Default)]
pub struct Graph {
    /// The nodes, ascending.
    pub nodes: Vec<Node>,
    /// By node: the end of its edges.
    pub ends: Vec<usize>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The sets of untils that edges postpone.
    pub postponed: Sets,
}

impl Graph {
    /// The edges of a node.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let first = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[first..self.ends[node as usize]]
    }
}

/// What the passes remove.
#[derive(Debug)]
pub(crate) struct Eliminated {
    /// By node; 0 if it is left.
    pub(crate) ranks: Vec<u32>,
    /// By moment.
    pub(crate) reasons: Vec<Reason>,
    /// Whether no node is left.
    pub(crate) is_all: bool,
}

/// Removes nodes until nothing changes.
pub(crate) fn eliminate<R: Reference + Sync>(
    product: &Product<'_, R>,
    graph: &Graph,
    families: &[Objects<'_, R>],
    demand: Demand,
) -> Result<Eliminated, Uncertified> {
    let is_global = demand.fairness == Fairness::Global;
    let is_left = vec![true; graph.nodes.len()];
    let ranks = vec![0; graph.nodes.len()];
    let (parts, reasons) = (vec![0; graph.nodes.len()], Vec::new());
    let mut passes = Passes { product, graph, families, is_left, parts, ranks, reasons };
    let untils = 0..product.obligations.count() as Obligation;
    let untils: Vec<_> = untils.filter(|&one| product.obligations.is_until(one)).collect();
    loop {
        let before = passes.reasons.len();
        passes.trim();
        for &until in &untils {
            passes.until(until);
        }
        for family in 0..families.len() {
            passes.unserved(family)?;
        }
        if is_global {
            passes.class();
        }
        if passes.reasons.len() == before && is_global {
            passes.order();
        }
        if passes.reasons.len() == before {
            break;
        }
    }
    let is_all = !passes.is_left.contains(&true);
    Ok(Eliminated { ranks: passes.ranks, reasons: passes.reasons, is_all })
}

struct Passes<'p, 's, R: Reference> {
    product: &'p Product<'s, R>,
    graph: &'p Graph,
    families: &'p [Objects<'p, R>],
    is_left: Vec<bool>,
    /// By node: its part. Invariant: edges that are left lead to no smaller one.
    parts: Vec<u32>,
    ranks: Vec<u32>,
    reasons: Vec<Reason>,
}

impl<R: Reference> Passes<'_, '_, R> {
    fn left(&self) -> impl Iterator<Item = u32> {
        let is_left = self.is_left.iter().zip(0..);
        run::polled(is_left.filter(|(is_left, _)| **is_left).map(|(_, node)| node))
    }

    /// The edges of a node to what is left of its part.
    fn edges(&self, node: u32) -> impl Iterator<Item = Edge> {
        let (edges, part) = (self.graph.edges(node).iter().copied(), self.parts[node as usize]);
        let is_same = move |to: usize| self.is_left[to] && self.parts[to] == part;
        edges.filter(move |edge| is_same(edge.to as usize))
    }

    /// Removes nodes for a reason.
    fn remove(&mut self, nodes: &[u32], reason: Reason) {
        if nodes.is_empty() {
            return;
        }
        for &node in nodes {
            self.ranks[node as usize] = self.reasons.len() as u32;
            self.is_left[node as usize] = false;
        }
        self.reasons.push(reason);
    }

    /// Removes what nothing leads to, round by round.
    fn trim(&mut self) {
        let mut entries = vec![0_u32; self.is_left.len()];
        for node in self.left() {
            self.edges(node).for_each(|edge| entries[edge.to as usize] += 1);
        }
        let mut round: Vec<u32> = self.left().filter(|&node| entries[node as usize] == 0).collect();
        while !round.is_empty() {
            self.remove(&round, Reason::Trim);
            let mut next = Vec::new();
            for node in run::polled(round) {
                for edge in self.edges(node) {
                    entries[edge.to as usize] -= 1;
                    if entries[edge.to as usize] == 0 {
                        next.push(edge.to);
                    }
                }
            }
            round = next;
        }
    }

    /// Keeps what can be reached, in what is left, from an edge that does not postpone an until.
    fn until(&mut self, until: Obligation) {
        let mut is_reached = vec![false; self.is_left.len()];
        let mut open = Vec::new();
        for node in self.left() {
            for edge in self.edges(node) {
                let postpones = self.graph.postponed.get(edge.postponed).contains(&until);
                if !postpones && !std::mem::replace(&mut is_reached[edge.to as usize], true) {
                    open.push(edge.to);
                }
            }
        }
        while let Some(node) = open.pop() {
            run::poll();
            for edge in self.edges(node) {
                if !std::mem::replace(&mut is_reached[edge.to as usize], true) {
                    open.push(edge.to);
                }
            }
        }
        let lost: Vec<u32> = self.left().filter(|&node| !is_reached[node as usize]).collect();
        self.remove(&lost, Reason::Until(until));
    }

    /// Removes nodes where the premise is true of an object that nothing serves on the way there.
    fn unserved(&mut self, family: usize) -> Result<(), Uncertified> {
        let of = &self.families[family];
        let objects = of.count();
        // By node: a bit for each object that is served.
        let words = objects.div_ceil(64);
        let mut served = vec![0_u64; self.is_left.len() * words];
        let place = |node: u32| node as usize * words..(node as usize + 1) * words;
        // Nodes of one state come one after the other.
        let mut last: Option<(u32, Vec<u64>, Vec<u32>)> = None;
        let space = self.product.space;
        for node in self.left() {
            let state = self.graph.nodes[node as usize].state;
            if last.as_ref().is_none_or(|(known, ..)| *known != state) {
                let enabled = of.enabled(&space.steps(state));
                let mut goals = vec![0_u64; words];
                for object in run::polled(0..objects as u32) {
                    let is_served = of.goal(state, &enabled, object)?;
                    goals[object as usize / 64] |= u64::from(is_served) << (object % 64);
                }
                last = Some((state, goals, enabled));
            }
            let (_, goals, _) = last.as_ref().expect("it was just made");
            served[place(node)].copy_from_slice(goals);
        }
        let mut open: VecDeque<u32> = self.left().collect();
        let mut is_open = self.is_left.clone();
        let mut here = vec![0_u64; words];
        while let Some(node) = open.pop_front() {
            run::poll_for(objects as u64);
            is_open[node as usize] = false;
            here.copy_from_slice(&served[place(node)]);
            for edge in self.edges(node) {
                let by_step = of.of_step(edge.step);
                let there = &mut served[place(edge.to)];
                let mut grows = false;
                for object in 0..objects as u32 {
                    let (word, bit) = (object as usize / 64, 1 << (object % 64));
                    if there[word] & bit > 0 {
                        continue;
                    }
                    // What is not even listed is served.
                    let is_served = of.image(edge.step.by, object).is_none_or(|before| {
                        by_step == Some(before)
                            || here[before as usize / 64] >> (before % 64) & 1 > 0
                    });
                    if is_served {
                        there[word] |= bit;
                        grows = true;
                    }
                }
                if grows && !std::mem::replace(&mut is_open[edge.to as usize], true) {
                    open.push_back(edge.to);
                }
            }
        }
        let mut lost = Vec::new();
        let mut sets = NodeSets::default();
        let mut last: Option<(u32, Vec<u32>)> = None;
        let mut unserved: Vec<u32> = Vec::new();
        for node in self.left() {
            let state = self.graph.nodes[node as usize].state;
            let served = &served[place(node)];
            let is_unserved =
                |object: &u32| served[*object as usize / 64] >> (object % 64) & 1 == 0;
            unserved.clear();
            unserved.extend((0..objects as u32).filter(is_unserved));
            sets.push(node, &unserved);
            if last.as_ref().is_none_or(|(known, _)| *known != state) {
                last = Some((state, of.enabled(&space.steps(state))));
            }
            let (_, enabled) = last.as_ref().expect("it was just made");
            for &object in &unserved {
                if of.premise(state, enabled, object)? {
                    lost.push(node);
                    break;
                }
            }
        }
        self.remove(&lost, Reason::Unserved { family: family as u32, objects: sets });
        Ok(())
    }

    /// Removes nodes that have a step of a class that no edge takes: none of those from nodes of the same
    /// part with states of the same class.
    fn class(&mut self) {
        let product = self.product;
        let space = product.space;
        let state_of = |node: u32| self.graph.nodes[node as usize].state;
        let of = |node: u32, step| {
            let part = self.parts[node as usize];
            (part, product.class(state_of(node)), product.class_of(step))
        };
        let mut taken: HashSet<(u32, u32, Class)> = HashSet::new();
        for node in self.left() {
            taken.extend(self.edges(node).map(|edge| of(node, edge.step)));
        }
        let (mut lost, mut known, mut untaken) = (Vec::new(), HashSet::new(), Vec::new());
        for node in self.left() {
            let state = state_of(node);
            let steps = space.steps(state).into_iter().map(|step| of(node, step)).zip(0..);
            let not_taken = steps.filter(|(class, _)| !taken.contains(class));
            let found: Vec<_> = not_taken.collect();
            if !found.is_empty() {
                lost.push(node);
            }
            for (class, step) in found {
                if known.insert(class) {
                    untaken.push((class.0, state, step));
                }
            }
        }
        self.remove(&lost, Reason::Class(untaken));
    }

    /// Divides the parts into strongly connected ones, in an order in which edges ascend.
    fn order(&mut self) {
        let before: HashSet<u32> = self.left().map(|node| self.parts[node as usize]).collect();
        let components = self.components();
        if components.len() <= before.len() {
            return;
        }
        // Each component comes after those to which its edges lead.
        for (component, part) in components.iter().rev().zip(0..) {
            for &node in component {
                self.parts[node as usize] = part;
            }
        }
        let mut sets = NodeSets::default();
        for node in self.left() {
            let part = self.parts[node as usize];
            sets.push(node, &[part][..usize::from(part > 0)]);
        }
        self.reasons.push(Reason::Order(sets));
    }

    /// The strongly connected components of what is left, each after those to which its edges lead: by a
    /// depth-first search that knows how far back each open node leads (Tarjan's algorithm).
    fn components(&self) -> Vec<Vec<u32>> {
        const COMPLETE: u32 = u32::MAX;
        let mut components = Vec::new();
        // By node: 0 before it is seen, then the least number of an open node that it leads to.
        let mut least = vec![0; self.is_left.len()];
        let (mut open, mut path, mut seen) = (Vec::new(), Vec::new(), 0);
        for root in self.left() {
            let mut next = (least[root as usize] == 0).then_some(root);
            loop {
                run::poll();
                if let Some(node) = next.take() {
                    seen += 1;
                    least[node as usize] = seen;
                    open.push(node);
                    path.push((
                        node,
                        seen,
                        self.edges(node).map(|edge| edge.to).collect::<Vec<_>>(),
                    ));
                }
                let Some((node, number, targets)) = path.last_mut() else { break };
                let (node, number) = (*node, *number);
                if let Some(to) = targets.pop() {
                    match least[to as usize] {
                        0 => next = Some(to),
                        back => least[node as usize] = back.min(least[node as usize]),
                    }
                    continue;
                }
                path.pop();
                if least[node as usize] == number {
                    let first = open.iter().rposition(|&one| one == node);
                    let component = open.split_off(first.expect("it is open until now"));
                    for &one in &component {
                        least[one as usize] = COMPLETE;
                    }
                    components.push(component);
                }
                if let Some((before, ..)) = path.last() {
                    let back = least[node as usize];
                    least[*before as usize] = back.min(least[*before as usize]);
                }
            }
        }
        components
    }
}
