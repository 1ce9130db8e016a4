//! Nodes and edges: which obligations lead to which.

use crate::obligations::{Alternative, Obligation, Obligations, is_subset};
use crate::space::{Space, Step};
use crate::tuples::Tuples;
use crate::verdict::{Condition, Demands, Refusal};
use judge::{Bound, Reference, Vocabulary};
use ltl::Atom;
use std::collections::HashMap;
use std::rc::Rc;

type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// A listed state, the tracked values there, and a set of obligations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    /// The number of the state.
    pub state: u32,
    /// The number of the tuple.
    pub tuple: u32,
    /// The number of the set.
    pub set: u32,
}

/// The nodes of a certificate.
#[derive(Debug, Default)]
pub struct Nodes {
    /// Ascending.
    list: Vec<Node>,
    /// By state: the end of its nodes.
    ends: Vec<usize>,
    sets: Vec<Vec<Obligation>>,
    numbers: HashMap<Vec<Obligation>, u32>,
}

impl Nodes {
    /// Nodes, which ascend, of so many states; each set is ascending. None if they do not, or some set
    /// occurs twice.
    pub fn new(states: usize, sets: Vec<Vec<Obligation>>, list: Vec<Node>) -> Option<Nodes> {
        let numbers: HashMap<_, _> = sets.iter().cloned().zip(0..).collect();
        if numbers.len() < sets.len() || !list.is_sorted_by(|one, next| one < next) {
            return None;
        }
        let end = |state| list.partition_point(|node| node.state <= state);
        let ends = (0..states as u32).map(end).collect();
        Some(Nodes { list, ends, sets, numbers })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All nodes, in their order.
    pub fn list(&self) -> &[Node] {
        &self.list
    }

    /// The sets of obligations.
    pub fn sets(&self) -> &[Vec<Obligation>] {
        &self.sets
    }

    /// The obligations of a node.
    pub fn obligations(&self, node: Node) -> &[Obligation] {
        &self.sets[node.set as usize]
    }

    /// The numbers of the nodes of a state.
    pub fn of_state(&self, state: u32) -> std::ops::Range<usize> {
        let first = (state as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        first..self.ends[state as usize]
    }

    /// The node that stands for these obligations: the one with just them, or else the first one with
    /// some of them. It is a function of its arguments, and all conditions see the same node.
    pub fn find(&self, state: u32, tuple: u32, obligations: &[Obligation]) -> Option<u32> {
        let range = self.of_state(state);
        let all = &self.list[range.clone()];
        if let Some(&set) = self.numbers.get(obligations)
            && let Ok(found) = all.binary_search(&Node { state, tuple, set })
        {
            return Some((range.start + found) as u32);
        }
        let first = all.partition_point(|node| node.tuple < tuple);
        let same = all[first..].iter().take_while(|node| node.tuple == tuple);
        let fits = |node: &Node| is_subset(self.obligations(*node), obligations);
        same.zip(first..).find(|(node, _)| fits(node)).map(|(_, k)| (range.start + k) as u32)
    }
}

/// A formula over listed states.
#[derive(Debug)]
pub struct Product<'p, R: Reference> {
    /// The states.
    pub space: &'p Space<'p, R>,
    /// The formula.
    pub formula: &'p Formula<R>,
    /// The obligations of runs that violate it.
    pub obligations: Obligations<'p>,
    /// The tuples of its tracked variables.
    pub tuples: Tuples<R>,
    /// The atoms that read the event of a step or its process; the others read the state alone.
    reads_events: Vec<bool>,
    /// What is asked for.
    pub demands: Demands,
}

/// A step, and one way to satisfy some obligations at it.
#[derive(Clone, Debug)]
pub struct Move {
    /// The step.
    pub step: Step,
    /// The tuple of tracked values at the listed state that the step leads to.
    pub tuple: u32,
    /// The alternatives.
    pub alternatives: Rc<Vec<Alternative>>,
}

impl<'p, R: Reference> Product<'p, R> {
    /// A formula over some states.
    pub fn new(space: &'p Space<'p, R>, formula: &'p Formula<R>, demands: Demands) -> Self {
        let (formulas, root) = space.reference.syntax(formula);
        let atoms = 0..space.reference.atoms(formula);
        let reads_events = |atom| space.reference.reads_events(formula, Atom(atom));
        Product {
            space,
            formula,
            obligations: Obligations::new(formulas, root),
            tuples: Tuples::tracked(space.reference, formula),
            reads_events: atoms.map(reads_events).collect(),
            demands,
        }
    }

    /// What is true at a listed state, for a tuple of tracked values.
    pub fn reading(&self, state: u32, tuple: u32) -> Reading<'_, 'p, R> {
        let steps = self.space.steps(state).into_iter();
        let taken = steps.map(|step| (step, self.tuple_behind(step.by, tuple)));
        let known = vec![None; self.reads_events.len()];
        let binding = self.tuples.binding(tuple);
        Reading { product: self, state, binding, steps: taken.collect(), known }
    }

    /// The tuple that a renaming takes to this one.
    pub fn tuple_behind(&self, by: u32, tuple: u32) -> u32 {
        if by == 0 {
            return tuple;
        }
        let undo = self.space.renamings[by as usize].inverse();
        let found = self.tuples.image(self.space.reference, &undo, tuple);
        found.expect("a symmetry takes tuples to tuples")
    }
}

/// The letters of the steps of a listed state.
pub struct Reading<'r, 'p, R: Reference> {
    product: &'r Product<'p, R>,
    state: u32,
    binding: Vec<Bound<R::Vocabulary>>,
    steps: Vec<(Step, u32)>,
    /// By atom that reads the state alone: its value, once it is known.
    known: Vec<Option<bool>>,
}

impl<R: Reference> Reading<'_, '_, R> {
    /// The alternatives of some obligations, for each step.
    pub fn moves(&mut self, set: &[Obligation]) -> Result<Vec<Move>, Refusal> {
        let mut moves = Vec::new();
        // Steps of which the same is true have the same alternatives.
        let mut read: HashMap<Vec<bool>, Rc<Vec<Alternative>>> = HashMap::new();
        for k in 0..self.steps.len() {
            let (step, tuple) = self.steps[k];
            let events = self.events(step)?;
            let alternatives = if let Some(known) = read.get(&events) {
                Rc::clone(known)
            } else {
                let found = self.alternatives(set, &events, step)?;
                Rc::clone(read.entry(events).or_insert(Rc::new(found)))
            };
            moves.push(Move { step, tuple, alternatives });
        }
        Ok(moves)
    }

    /// Which of the atoms that read events are true of a step.
    fn events(&self, step: Step) -> Result<Vec<bool>, Refusal> {
        let reads_events = (0..).zip(&self.product.reads_events);
        let events = reads_events.filter(|(_, reads)| **reads);
        events.map(|(atom, _)| self.atom(Atom(atom), step)).collect()
    }

    fn alternatives(
        &mut self,
        set: &[Obligation],
        events: &[bool],
        step: Step,
    ) -> Result<Vec<Alternative>, Refusal> {
        let product = self.product;
        let reads_events = &product.reads_events;
        let mut letter = |atom: Atom| {
            if reads_events[atom.index()] {
                let before = reads_events[..atom.index()].iter().filter(|reads| **reads).count();
                return Ok(events[before]);
            }
            if let Some(known) = self.known[atom.index()] {
                return Ok(known);
            }
            let value = self.atom(atom, step)?;
            self.known[atom.index()] = Some(value);
            Ok(value)
        };
        product.obligations.alternatives(set, &mut letter)
    }

    /// Whether an atom is true at a step (**`NoFailure`**).
    fn atom(&self, atom: Atom, step: Step) -> Result<bool, Refusal> {
        let Product { space, formula, demands, .. } = self.product;
        let state = space.state(self.state);
        let action = space.action(step);
        let value = space.reference.atom(formula, atom, &self.binding, state, action);
        let place = || {
            let text = space.reference.atom_text(formula, atom);
            format!("`{text}` in state {}", self.state)
        };
        demands.ask(Condition::NoFailure, value.is_ok(), place)?;
        Ok(value.unwrap_or(false))
    }
}
