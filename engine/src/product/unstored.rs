//! The product of a quotient with an automaton, without a node table: a node carries its whole
//! state by value, and the caller keeps the nodes that it needs.
//!
//! The nodes and edges are those of a [`Product`]. A path that was found here is repeated in a
//! product that stores its nodes ([`retrace`]), so that counterexamples are constructed by the same
//! code.

use super::{Letter, Letters, Product, Reader, Stop, Taken};
use crate::quotient::{PackedStarts, Quotient, Successors};
use crate::search::Node;
use crate::search::nested::MarkedGraph;
use crate::symmetry::Point;
use automata::State;
use std::rc::Rc;

/// A node, by value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnstoredNode {
    /// The packed representative.
    packed: Rc<[u64]>,
    /// The points that stand for the tracked ones.
    tuple: Rc<[Point]>,
    /// The state of the automaton.
    state: State,
}

/// A product that stores no nodes.
pub struct UnstoredProduct<'p> {
    successors: Successors<'p>,
    starts: PackedStarts<'p>,
    /// Start nodes that were computed but not yet returned.
    waiting: Vec<UnstoredNode>,
    letters: &'p mut dyn Letters,
    reader: &'p Reader,
    tracked: Vec<Point>,
}

impl<'p> UnstoredProduct<'p> {
    /// Creates the product with an automaton for the given tracked points.
    pub fn new(
        quotient: &'p Quotient<'p>,
        reader: &'p Reader,
        letters: &'p mut dyn Letters,
        tracked: Vec<Point>,
    ) -> Self {
        UnstoredProduct {
            successors: quotient.successors(),
            starts: quotient.packed_starts(),
            waiting: Vec::new(),
            letters,
            reader,
            tracked,
        }
    }
}

impl MarkedGraph for UnstoredProduct<'_> {
    type Node = UnstoredNode;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<UnstoredNode>, Stop> {
        while self.waiting.is_empty() {
            let Some(packed) = self.starts.next() else { return Ok(None) };
            let packed: Rc<[u64]> = packed?.into();
            let within = self.successors.starts_with(&packed, &self.tracked);
            let state = self.reader.initial();
            let nodes = within.into_iter().rev().map(|reached| {
                let (packed, tuple) = (Rc::clone(&packed), reached.tuple.into());
                UnstoredNode { packed, tuple, state }
            });
            self.waiting.extend(nodes);
        }
        Ok(self.waiting.pop())
    }

    /// An edge is marked if it is in all acceptance sets of the automaton. There should be exactly
    /// one set.
    fn successors(
        &mut self,
        node: &UnstoredNode,
        found: &mut Vec<(UnstoredNode, bool)>,
    ) -> Result<(), Stop> {
        let UnstoredNode { packed, tuple, state } = node;
        let letter = self.letters.of_state(packed, tuple)?;
        let (edges, is_stuck) = self.successors.tracked_edges(packed, tuple)?;
        let (reader, all) = (self.reader, self.reader.all_marks());
        let mut read = |letter: Letter, packed: Rc<[u64]>, tuple: Rc<[Point]>| {
            for (state, marks) in reader.read(*state, letter) {
                let (packed, tuple) = (Rc::clone(&packed), Rc::clone(&tuple));
                let is_marked = reader.marks(marks).contains(all);
                found.push((UnstoredNode { packed, tuple, state }, is_marked));
            }
        };
        if is_stuck {
            read(letter, Rc::clone(packed), Rc::clone(tuple));
        }
        for edge in run::polled(edges) {
            let letter = letter | self.letters.of_step(edge.rule, &edge.arguments, tuple);
            read(letter, edge.target, edge.tuple);
        }
        Ok(())
    }
}

/// The nodes of a path in a product that stores them, of the same quotient, automaton and tracked
/// points: starts are requested there until the first node is found, and then the edges of the path
/// are taken.
pub fn retrace(product: &mut impl Product, path: &[UnstoredNode]) -> Result<Vec<Node>, Stop> {
    let Some((first, rest)) = path.split_first() else { return Ok(Vec::new()) };
    let mut at = loop {
        let start = product.next_start()?.expect("the path begins in a start");
        if is_same(product, start, first) {
            break start;
        }
    };
    let mut traced = vec![at];
    let mut found: Vec<(Node, Taken)> = Vec::new();
    for node in rest {
        found.clear();
        product.successors(at, &mut found)?;
        let mut targets = found.iter().map(|&(target, _)| target);
        at = targets.find(|&target| is_same(product, target, node)).expect("the edge was taken");
        traced.push(at);
    }
    Ok(traced)
}

fn is_same(product: &mut impl Product, node: Node, other: &UnstoredNode) -> bool {
    product.place(node).state == other.state
        && *product.tuple(node) == *other.tuple
        && *product.packed(node) == *other.packed
}
