//! Nodes and edges: which obligations lead to which.

use crate::numbered::{Images, Numbered};
use crate::obligations::{Alternative, Obligation, Obligations, is_subset};
use crate::space::{Space, Step};
use crate::tuples::Tuples;
use crate::verdict::Refusal;
use judge::{Bound, Reference, Vocabulary};
use ltl::Atom;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, RwLock};

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
    /// The nodes, ascending.
    pub list: Vec<Node>,
    /// By state: the end of its nodes.
    ends: Vec<usize>,
    /// The sets of obligations, each ascending.
    pub sets: Numbered<Vec<Obligation>>,
}

impl Nodes {
    /// Adds a node of the state that comes next; not if it does not ascend.
    pub fn add(&mut self, node: Node) -> bool {
        let ascends = self.list.last().is_none_or(|last| *last < node);
        self.list.push(node);
        ascends
    }

    /// The next state has no more nodes.
    pub fn end_state(&mut self) {
        self.ends.push(self.list.len());
    }

    /// The obligations of a node.
    pub fn obligations(&self, node: Node) -> &[Obligation] {
        &self.sets.all()[node.set as usize]
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
        if let Some(set) = self.sets.number(obligations)
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
    pub obligations: Obligations,
    /// The tuples of its tracked variables.
    pub tuples: Tuples<R>,
    /// The atoms that read the event of a step or its process; the others read the state alone.
    reads_events: Vec<bool>,
    behind: Images,
    known: RwLock<HashMap<Vec<Obligation>, Arc<Vec<Known>>>>,
    /// The classes of states, and of the events of actions.
    classes: OnceLock<(Vec<u32>, Vec<u32>)>,
}

/// What is known of a set of obligations: the atoms that were read, in this order, with their values, and
/// the alternatives. What is read next depends on these values alone.
#[derive(Clone, Debug)]
struct Known {
    read: Vec<(Atom, bool)>,
    alternatives: Arc<Vec<Alternative>>,
}

/// Not more is remembered of one set.
const MOST_KNOWN: usize = 1 << 6;

/// A step, and the ways to satisfy some obligations at it.
#[derive(Clone, Debug)]
pub struct Move {
    /// The step.
    pub step: Step,
    /// The tuple of tracked values at the listed state that the step leads to.
    pub tuple: u32,
    /// The alternatives.
    pub alternatives: Arc<Vec<Alternative>>,
}

impl<'p, R: Reference> Product<'p, R> {
    /// A formula over some states.
    pub fn new(space: &'p Space<'p, R>, formula: &'p Formula<R>) -> Self {
        let (formulas, root) = space.reference.syntax(formula);
        let atoms = 0..space.reference.atoms(formula);
        let reads_events = |atom| space.reference.reads_events(formula, Atom(atom));
        Product {
            space,
            formula,
            obligations: Obligations::new(formulas, root),
            tuples: Tuples::new(space.reference, formula),
            reads_events: atoms.map(reads_events).collect(),
            behind: Images::new(space.renamings.len()),
            known: RwLock::default(),
            classes: OnceLock::new(),
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

    /// The class of a state: classes are computed when they are first needed, and symmetries respect them.
    /// Where none is used, each state is a class of its own, and each action, too.
    pub fn class(&self, state: u32) -> u32 {
        self.classes().0[state as usize]
    }

    /// The class of a step.
    pub fn class_of(&self, step: Step) -> Class {
        let (states, events) = self.classes();
        (events.get(step.action as usize).copied(), states[step.target as usize])
    }

    fn classes(&self) -> &(Vec<u32>, Vec<u32>) {
        let Space { reference, states, .. } = self.space;
        self.classes.get_or_init(|| {
            let (mut numbers, is_plain) = (Numbered::default(), self.space.is_plain());
            let class = |one| if is_plain { Ok(one) } else { Err(reference.signature(one)) };
            let states = run::polled(states).map(|one| numbers.add(class(one)));
            let kind = |event| reference.kind_of_event(event);
            let kinds = (0..).zip(self.space.actions());
            let kinds = kinds.map(|(k, (_, event))| if is_plain { k } else { kind(event) });
            (states.collect(), kinds.collect())
        })
    }

    /// The tuple that a renaming takes to this one.
    pub fn tuple_behind(&self, by: u32, tuple: u32) -> u32 {
        let found = self.behind.of(by, tuple, self.tuples.count(), |tuple| {
            let undo = self.space.renamings[by as usize].inverse();
            self.tuples.image(self.space.reference, &undo, tuple)
        });
        found.expect("a symmetry takes tuples to tuples")
    }
}

/// The class of a step: of its event, if it has one, and of its target.
pub type Class = (Option<u32>, u32);

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
        let product = self.product;
        let known = product.known.read().expect(UNHARMED).get(set).cloned();
        let mut known = known.unwrap_or_default();
        let mut moves = Vec::with_capacity(self.steps.len());
        for k in 0..self.steps.len() {
            let (step, tuple) = self.steps[k];
            let mut fitting = None;
            for one in known.iter() {
                if self.fits(one, step)? {
                    fitting = Some(Arc::clone(&one.alternatives));
                    break;
                }
            }
            let alternatives = if let Some(fitting) = fitting {
                fitting
            } else {
                let mut read = Vec::new();
                let mut letter = |atom| {
                    let value = self.atom(atom, step)?;
                    if !read.contains(&(atom, value)) {
                        read.push((atom, value));
                    }
                    Ok::<_, Refusal>(value)
                };
                let found = Arc::new(product.obligations.alternatives(set, &mut letter)?);
                let one = Known { read, alternatives: Arc::clone(&found) };
                if known.len() < MOST_KNOWN {
                    let mut all = product.known.write().expect(UNHARMED);
                    let entry = all.entry(set.to_vec()).or_default();
                    Arc::make_mut(entry).push(one);
                    known = Arc::clone(entry);
                }
                found
            };
            moves.push(Move { step, tuple, alternatives });
        }
        Ok(moves)
    }

    /// Whether the same would be read at a step.
    fn fits(&mut self, one: &Known, step: Step) -> Result<bool, Refusal> {
        for &(atom, value) in &one.read {
            if self.atom(atom, step)? != value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an atom is true at a step (**`NoFailure`**).
    fn atom(&mut self, atom: Atom, step: Step) -> Result<bool, Refusal> {
        let Product { space, formula, reads_events, .. } = self.product;
        if let Some(known) = self.known[atom.index()] {
            return Ok(known);
        }
        let action = space.actions().get(step.action as usize);
        let state = &space.states[self.state as usize];
        let value = space.reference.atom(formula, atom, &self.binding, state, action);
        let place = || {
            let text = space.reference.atom_text(formula, atom);
            format!("`{text}` in state {}", self.state)
        };
        let value = space.demands.sound(value, place)?.unwrap_or(false);
        if !reads_events[atom.index()] {
            self.known[atom.index()] = Some(value);
        }
        Ok(value)
    }
}

/// The lock is held for a look or a push only.
const UNHARMED: &str = "no panic occurs while it is held";
