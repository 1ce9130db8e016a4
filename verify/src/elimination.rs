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
//! - `class`: nodes of rank e have states of one class, all with a step of one class c, and no edge inside
//!   `S_e` from any node with a state of that class is of class c. Fairness to steps has such a step taken
//!   infinitely often, from the same concrete state.

use crate::crew::Crew;
use crate::families::Objects;
use crate::obligations::Obligation;
use crate::product::{Node, Nodes, Product};
use crate::space::{Space, Step};
use crate::verdict::{Condition, Refusal};
use judge::Reference;
use run::Progress;
use std::collections::HashMap;
use terms::{Demand, Fairness};

/// The reason of a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing leads there.
    Trim,
    /// This until is postponed for ever.
    Until(Obligation),
    /// Objects of a family, given by its position in the list of families, are not served.
    Unserved {
        /// The family.
        family: u32,
        /// By node of what is left, in order: U, ascending.
        objects: Unserved,
    },
    /// The steps of one class are not taken.
    Class {
        /// A listed state of the class of states.
        state: u32,
        /// The position of one of its steps, in the class of steps.
        step: u32,
    },
}

/// A set of objects for each node; none for nodes that are eliminated before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unserved {
    ends: Vec<usize>,
    objects: Vec<u32>,
}

impl Unserved {
    /// Adds the set of the next node.
    pub fn push(&mut self, set: &[u32]) {
        self.objects.extend(set);
        self.ends.push(self.objects.len());
    }

    /// The set of a node.
    pub fn of(&self, node: u32) -> &[u32] {
        let first = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.objects[first..self.ends[node as usize]]
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
#[derive(Clone, Copy, Debug)]
pub struct Elimination<'e, R: Reference> {
    /// Where the nodes are.
    pub product: &'e Product<'e, R>,
    /// The fairness that is demanded of runs.
    pub demand: Demand,
    /// The nodes.
    pub nodes: &'e Nodes,
    /// By node.
    pub ranks: &'e [u32],
    /// By moment.
    pub reasons: &'e [Reason],
    /// The families of objects that reasons speak about.
    pub families: &'e [Objects<'e, R>],
}

/// What the reasons say that speak about all edges of what is left, and classes for them.
struct Lasting<'e> {
    /// Ascending moments.
    reasons: Vec<(usize, &'e Reason)>,
    classes: Option<Classes>,
}

impl<'e> Lasting<'e> {
    /// Those of the moments up to this one.
    fn until(&self, moment: usize) -> impl Iterator<Item = (usize, &'e Reason)> {
        self.reasons.iter().copied().take_while(move |(one, _)| *one <= moment)
    }

    fn classes(&self) -> &Classes {
        self.classes.as_ref().expect("they are made if a reason speaks of classes")
    }
}

/// Classes of states and steps that symmetries respect.
#[derive(Debug)]
pub struct Classes {
    /// By state.
    pub states: Vec<u32>,
    /// By action.
    events: Vec<u32>,
}

/// The class of a step: of its event, if it has one, and of its target.
pub type Class = (Option<u32>, u32);

impl Classes {
    /// The classes of all listed states.
    pub fn of<R: Reference + Sync>(
        space: &Space<'_, R>,
        crew: &Crew<'_>,
    ) -> Result<Classes, Refusal> {
        let reference = space.reference;
        let signature = |state| Ok(reference.signature(space.state(state as u32)));
        let mut numbers = HashMap::new();
        let all = crew.each(space.len(), |_| Progress::default(), signature)?;
        let number = |signature| {
            let next = numbers.len() as u32;
            *numbers.entry(signature).or_insert(next)
        };
        let states = all.into_iter().map(number).collect();
        let kinds = space.actions.iter().map(|(_, event)| reference.kind_of_event(event));
        Ok(Classes { states, events: kinds.collect() })
    }

    /// The class of a step.
    pub fn step(&self, step: Step) -> Class {
        (self.events.get(step.action as usize).copied(), self.states[step.target as usize])
    }
}

impl<R: Reference + Sync> Elimination<'_, R> {
    /// Every node is eliminated for a good reason, and what it leads to are nodes (**Closed**).
    pub fn check(&self, crew: &Crew<'_>) -> Result<(), Refusal> {
        let all = self.reasons.iter().enumerate();
        let is_lasting = |one: &Reason| !matches!(one, Reason::Trim | Reason::Until(_));
        let reasons: Vec<_> = all.filter(|(_, one)| is_lasting(one)).collect();
        let has_classes = reasons.iter().any(|(_, one)| matches!(one, Reason::Class { .. }));
        let classes = if has_classes { Some(Classes::of(self.product.space, crew)?) } else { None };
        let lasting = Lasting { reasons, classes };
        let progress = |states: u64| {
            let done = states.min(self.product.space.len() as u64 - 1) as u32;
            let product_nodes = self.nodes.of_state(done).start as u64;
            Progress {
                states: self.product.space.len() as u64,
                product_nodes,
                ..Progress::default()
            }
        };
        let check = |state| self.check_state(state as u32, &lasting);
        crew.each(self.product.space.len(), progress, check)?;
        Ok(())
    }

    /// What is said of the nodes of a state, and of the edges that begin there.
    fn check_state(&self, state: u32, lasting: &Lasting<'_>) -> Result<(), Refusal> {
        let steps = self.product.space.steps(state);
        let enabled: Vec<Vec<u32>> = self.families.iter().map(|of| of.enabled(&steps)).collect();
        let mut reading = None;
        let mut read = None;
        for number in self.nodes.of_state(state) {
            let (node, from) = (self.nodes.list()[number], number as u32);
            if read != Some(node.tuple) {
                reading = Some(self.product.reading(state, node.tuple));
                read = Some(node.tuple);
            }
            let reading = reading.as_mut().expect("it was just made");
            self.check_node(from, node, &enabled, &steps, lasting)?;
            for one in reading.moves(self.nodes.obligations(node))? {
                for alternative in one.alternatives.iter() {
                    let to = self.nodes.find(one.step.target, one.tuple, &alternative.next);
                    let place = || format!("{node:?}, a step to state {}", one.step.target);
                    self.product.demands.ask(Condition::Closed, to.is_some(), place)?;
                    let Some(to) = to else { continue };
                    let postponed = &alternative.postponed[..];
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
    /// **Global**, **`ClassOfState`**, **`ClassExists`**.
    fn check_node(
        &self,
        number: u32,
        node: Node,
        enabled: &[Vec<u32>],
        steps: &[Step],
        lasting: &Lasting<'_>,
    ) -> Result<(), Refusal> {
        let demands = self.product.demands;
        let rank = self.rank(number);
        let place = || format!("node {number} ({node:?}), moment {rank}");
        demands.ask(Condition::Eliminated, rank < self.reasons.len(), place)?;
        for (moment, reason) in lasting.until(rank) {
            match reason {
                Reason::Unserved { family, objects } => {
                    let (of, enabled) =
                        (&self.families[*family as usize], &enabled[*family as usize]);
                    let mut is_owed = false;
                    for &object in objects.of(number) {
                        let is_served = of.goal(node.state, enabled, object, demands)?;
                        demands.ask(Condition::Goal, !is_served, place)?;
                        is_owed = is_owed
                            || moment == rank
                                && of.premise(node.state, enabled, object, demands)?;
                    }
                    demands.ask(Condition::Premise, moment < rank || is_owed, place)?;
                }
                Reason::Class { state, .. } if moment == rank => {
                    let classes = lasting.classes();
                    let is_global = self.demand.fairness == Fairness::Global;
                    demands.ask(Condition::Global, is_global, place)?;
                    let of = classes.states[node.state as usize];
                    let is_of = of == classes.states[*state as usize];
                    demands.ask(Condition::ClassOfState, is_of, place)?;
                    let class = self.class(reason, classes);
                    let exists = steps.iter().any(|&step| Some(classes.step(step)) == class);
                    demands.ask(Condition::ClassExists, exists, place)?;
                }
                Reason::Trim | Reason::Until(_) | Reason::Class { .. } => {}
            }
        }
        Ok(())
    }

    /// The class of steps that a reason speaks about.
    fn class(&self, reason: &Reason, classes: &Classes) -> Option<Class> {
        let Reason::Class { state, step } = reason else { return None };
        let steps = self.product.space.steps(*state);
        steps.get(*step as usize).map(|&step| classes.step(step))
    }

    /// What the reasons say of an edge: **Trim**, **`UntilSource`**, **`UntilPostponed`**, **Carried**,
    /// **`NotServed`**, **`ClassTaken`**.
    fn check_edge(&self, edge: Edge<'_>, lasting: &Lasting<'_>) -> Result<(), Refusal> {
        let demands = self.product.demands;
        let (from, to) = (self.rank(edge.from), self.rank(edge.to));
        let place = || format!("from node {} to node {}", edge.from, edge.to);
        match self.reasons.get(to) {
            Some(Reason::Trim) => demands.ask(Condition::Trim, from < to, place)?,
            Some(Reason::Until(until)) if from >= to => {
                let is_postponed = edge.postponed.binary_search(until).is_ok();
                demands.ask(Condition::UntilSource, from == to, place)?;
                demands.ask(Condition::UntilPostponed, is_postponed, place)?;
            }
            _ => {}
        }
        for (_, reason) in lasting.until(from.min(to)) {
            match reason {
                Reason::Trim | Reason::Until(_) => {}
                Reason::Unserved { family, objects } => {
                    let of = &self.families[*family as usize];
                    let by = &self.product.space.renamings[edge.step.by as usize];
                    for &object in objects.of(edge.to) {
                        let before = of.image(by, object);
                        let is_carried = before
                            .is_some_and(|one| objects.of(edge.from).binary_search(&one).is_ok());
                        demands.ask(Condition::Carried, is_carried, place)?;
                        let is_served = before.is_some() && of.of_step(edge.step) == before;
                        demands.ask(Condition::NotServed, !is_served, place)?;
                    }
                }
                Reason::Class { state, .. } => {
                    let classes = lasting.classes();
                    let source = self.nodes.list()[edge.from as usize].state;
                    let is_of = classes.states[source as usize] == classes.states[*state as usize];
                    let is_taken =
                        is_of && Some(classes.step(edge.step)) == self.class(reason, classes);
                    demands.ask(Condition::ClassTaken, !is_taken, place)?;
                }
            }
        }
        Ok(())
    }
}
