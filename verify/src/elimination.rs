//! Ranks and reasons: why no fair run stays for ever among the nodes.
//!
//! Each node has a rank, the moment at which it is eliminated, and each moment has a reason. What is
//! left at moment e, `S_e`, are the nodes of rank e and more. Take a fair run that violates the formula,
//! and the nodes above it that it visits infinitely often: they are strongly connected by the edges that
//! recur. Let e be the least of their ranks, so that all of them are in `S_e`. Each reason contradicts
//! that:
//!
//! - `trim`: no edge from `S_e` leads to a node of rank e. But such a node is entered again and again.
//! - `until`: an edge from `S_e` to a node of rank e comes from a node of rank e, and postpones one until.
//!   Backwards along the edges that recur, all of them have rank e, and the until is postponed for ever.
//! - `unserved`: every node u of `S_e` has a set U(u) of objects of a family. If u –g→ v is inside `S_e` and
//!   x in U(v), then g(x) is in U(u), the step does not serve g(x), and the state of v does not serve x.
//!   A node of rank e has an x in U whose premise is true. So the premise is true of one concrete object
//!   again and again, and backwards along the run nothing ever serves it.
//! - `class`, for some classes of steps, each in states of a class: a node of rank e has a state of such a
//!   class, and a step of it, and no edge inside `S_e` from any node with a state of that class is of the
//!   class of steps. Fairness to steps has such a step taken infinitely often, from the same concrete state.
//! - `order`: no node has this rank. The nodes of `S_e` are put in parts with numbers, and no edge inside
//!   `S_e` leads to a smaller one. So the edges that recur stay in one part, and later reasons need not
//!   speak of others. A `class` may speak of the states of one part alone: that of the last order before.

use crate::families::Objects;
use crate::obligations::{Alternative, Obligation};
use crate::product::{Class, Node, Nodes, Product};
use crate::space::Step;
use crate::verdict::{Condition, Refusal};
use judge::Reference;
use run::Crew;
use std::collections::HashSet;
use terms::{Demand, Fairness};

/// The reason of a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing leads there.
    Trim,
    /// This until is postponed forever.
    Until(Obligation),
    /// Objects of a family, given by its position in the list of families, are not served: those of the
    /// nodes that are left.
    Unserved(u32, NodeSets),
    /// These are not taken: in a part, in states of a class, steps of a class.
    Class(HashSet<(u32, u32, Class)>),
    /// The part of each node.
    Order(NodeSets),
}

/// A set of numbers for each node; none for nodes that are eliminated before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeSets {
    /// The nodes that have some, ascending, each with the end of its numbers.
    nodes: Vec<(u32, usize)>,
    numbers: Vec<u32>,
}

impl NodeSets {
    /// Adds the set of a node, which is greater than those before.
    pub fn push(&mut self, node: u32, set: &[u32]) {
        if !set.is_empty() {
            self.numbers.extend(set);
            self.nodes.push((node, self.numbers.len()));
        }
    }

    /// The first number of a node; 0 if it has none.
    fn one(&self, node: u32) -> u32 {
        self.of(node).first().copied().unwrap_or(0)
    }

    /// The set of a node.
    pub fn of(&self, node: u32) -> &[u32] {
        let Ok(place) = self.nodes.binary_search_by_key(&node, |(one, _)| *one) else { return &[] };
        let first = place.checked_sub(1).map_or(0, |before| self.nodes[before].1);
        &self.numbers[first..self.nodes[place].1]
    }
}

/// An edge of the product.
#[derive(Clone, Copy, Debug)]
struct Edge<'e> {
    from: u32,
    step: Step,
    postponed: &'e [Obligation],
    to: u32,
}

/// Nodes with their ranks, and the reasons of all moments.
#[derive(Debug)]
pub struct Elimination<'e, R: Reference> {
    /// Where the nodes are.
    pub product: &'e Product<'e, R>,
    /// The fairness that is demanded of runs.
    pub demand: Demand,
    /// The nodes.
    pub nodes: Nodes,
    /// By node.
    pub ranks: Vec<u32>,
    /// By moment.
    pub reasons: Vec<Reason>,
    /// The families of objects that reasons speak about.
    pub families: Vec<Objects<'e, R>>,
}

/// The reasons that speak about all edges of what is left, with their moments, which ascend.
type Lasting<'e> = [(usize, &'e Reason)];

impl<R: Reference + Sync> Elimination<'_, R> {
    /// Every node is eliminated for a good reason, and what it leads to are nodes (**Closed**).
    pub fn check(&self, crew: &Crew<'_>) -> Result<(), Refusal> {
        let space = self.product.space;
        let is_lasting = |one: &Reason| !matches!(one, Reason::Trim | Reason::Until(_));
        let all = self.reasons.iter().enumerate();
        let lasting: Vec<_> = all.filter(|(_, one)| is_lasting(one)).collect();
        let check = |state| self.check_state(state as u32, &lasting);
        crew.each(0..space.states.len(), check).map(drop)
    }

    /// What is said of the nodes of a state, and of the edges that begin there.
    fn check_state(&self, state: u32, lasting: &Lasting<'_>) -> Result<(), Refusal> {
        let steps = self.product.space.steps(state);
        let enabled: Vec<Vec<u32>> = self.families.iter().map(|of| of.enabled(&steps)).collect();
        let mut reading = None;
        for number in self.nodes.of_state(state) {
            let (node, from) = (self.nodes.list[number], number as u32);
            if reading.as_ref().is_none_or(|(tuple, _)| *tuple != node.tuple) {
                reading = Some((node.tuple, self.product.reading(state, node.tuple)));
            }
            let (_, reading) = reading.as_mut().expect("it was just made");
            run::poll_for(lasting.len() as u64);
            self.check_node(from, node, &enabled, &steps, lasting)?;
            for one in reading.moves(self.nodes.obligations(node))? {
                for Alternative { next, postponed } in one.alternatives.iter() {
                    let to = self.nodes.find(one.step.target, one.tuple, next);
                    let place = || format!("{node:?}, a step to state {}", one.step.target);
                    self.product.space.demands.ask(Condition::Closed, to.is_some(), place)?;
                    let Some(to) = to else { continue };
                    self.check_edge(Edge { from, step: one.step, postponed, to }, lasting)?;
                }
            }
        }
        Ok(())
    }

    fn rank(&self, node: u32) -> usize {
        self.ranks[node as usize] as usize
    }

    /// What the reasons say of a node, apart from its edges: **Eliminated**, **Goal**, **Premise**,
    /// **Global**, **`ClassExists`**.
    fn check_node(
        &self,
        number: u32,
        node: Node,
        enabled: &[Vec<u32>],
        steps: &[Step],
        lasting: &Lasting<'_>,
    ) -> Result<(), Refusal> {
        let demands = self.product.space.demands;
        let rank = self.rank(number);
        let place = || format!("node {number} ({node:?}), moment {rank}");
        let reason = self.reasons.get(rank);
        let is_eliminated = reason.is_some_and(|reason| !matches!(reason, Reason::Order(_)));
        demands.ask(Condition::Eliminated, is_eliminated, place)?;
        let mut part = 0;
        for &(moment, reason) in lasting.iter().take_while(|(moment, _)| *moment <= rank) {
            match reason {
                Reason::Unserved(family, objects) => {
                    let of = &self.families[*family as usize];
                    let enabled = &enabled[*family as usize];
                    let mut is_owed = false;
                    for &object in objects.of(number) {
                        let is_served = of.goal(node.state, enabled, object)?;
                        demands.ask(Condition::Goal, !is_served, place)?;
                        is_owed =
                            is_owed || moment == rank && of.premise(node.state, enabled, object)?;
                    }
                    demands.ask(Condition::Premise, moment < rank || is_owed, place)?;
                }
                Reason::Class(untaken) if moment == rank => {
                    let is_global = self.demand.fairness == Fairness::Global;
                    demands.ask(Condition::Global, is_global, place)?;
                    let class =
                        |&step| (part, self.product.class(node.state), self.product.class_of(step));
                    let exists = steps.iter().any(|step| untaken.contains(&class(step)));
                    demands.ask(Condition::ClassExists, exists, place)?;
                }
                Reason::Order(parts) => part = parts.one(number),
                Reason::Trim | Reason::Until(_) | Reason::Class(_) => {}
            }
        }
        Ok(())
    }

    /// What the reasons say of an edge: **Ascends**, **Carried**, **`NotServed`**, **`ClassTaken`**, **Trim**,
    /// **`UntilSource`**, **`UntilPostponed`**.
    fn check_edge(&self, edge: Edge<'_>, lasting: &Lasting<'_>) -> Result<(), Refusal> {
        let demands = self.product.space.demands;
        let (from, to) = (self.rank(edge.from), self.rank(edge.to));
        let place = || format!("from node {} to node {}", edge.from, edge.to);
        let (both, mut part) = (from.min(to), 0);
        for (_, reason) in lasting.iter().take_while(|(moment, _)| *moment <= both) {
            match reason {
                Reason::Unserved(family, objects) => {
                    let (before, after) = (objects.of(edge.from), objects.of(edge.to));
                    let of = &self.families[*family as usize];
                    for &object in after {
                        let image = of.image(edge.step.by, object);
                        let is_carried =
                            image.is_some_and(|image| before.binary_search(&image).is_ok());
                        demands.ask(Condition::Carried, is_carried, place)?;
                        let is_served = image.is_some() && of.of_step(edge.step) == image;
                        demands.ask(Condition::NotServed, !is_served, place)?;
                    }
                }
                Reason::Class(untaken) => {
                    let source = self.nodes.list[edge.from as usize].state;
                    let class =
                        (part, self.product.class(source), self.product.class_of(edge.step));
                    demands.ask(Condition::ClassTaken, !untaken.contains(&class), place)?;
                }
                Reason::Order(parts) => {
                    part = parts.one(edge.from);
                    let after = parts.one(edge.to);
                    demands.ask(Condition::Ascends, part <= after, place)?;
                    if part < after {
                        return Ok(());
                    }
                }
                Reason::Trim | Reason::Until(_) => {}
            }
        }
        match self.reasons.get(to) {
            Some(Reason::Trim) => demands.ask(Condition::Trim, from < to, place)?,
            Some(Reason::Until(until)) if from >= to => {
                let is_postponed = edge.postponed.binary_search(until).is_ok();
                demands.ask(Condition::UntilSource, from == to, place)?;
                demands.ask(Condition::UntilPostponed, is_postponed, place)?;
            }
            _ => {}
        }
        Ok(())
    }
}
