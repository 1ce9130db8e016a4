//! Products of a quotient with an automaton, on the fly.
//!
//! A node is (r, l, q): a representative r, the points l that stand for the tracked indices there
//! (see [`Walk`](crate::quotient::Walk)), and a state q of the automaton. From (r, l, q)
//! there is an edge for every edge (r, l) → (r′, l′) of the quotient and every edge q → q′ of the
//! automaton that reads its letter: the atoms that are true of r with l, and of the step. A state
//! in which no rule is enabled stutters forever, and no event occurs in a stutter. A state whose
//! steps all lead to states that violate an assumption has no edge at all: no run of the system
//! contains it.
//!
//! There are two kinds of products. The edges of an [`AnnotatedProduct`] carry permutations, and
//! its steps are stored. A [`PlainProduct`] is the product of a quotient in which nothing is
//! permuted: its edges carry no permutation, and its steps are computed anew each time. Searches
//! see both as a [`Graph`]; fairness and the construction of counterexamples see both as a
//! [`Product`].

mod annotated;
mod bases;
pub(crate) mod narrow;
pub(crate) mod pairs;
mod plain;
mod reader;
pub mod safety;
mod steps;
mod touched;
pub mod unstored;

pub use annotated::AnnotatedProduct;
pub use pairs::Met;
pub use plain::PlainProduct;
pub use reader::Reader;
pub use steps::StepNumber;
pub use touched::Touched;

use crate::narrow::to_usize;
use crate::quotient::{Quotient, Representative, TrackedEdge, Unbuilt};
use crate::search::{Graph, Node};
use crate::symmetry::{Permutation, Point, Structure};
use crate::system::AtomFault;
use crate::system::FaultId;
pub use crate::system::atoms::{Letter, MOST_ATOMS};
use automata::{Marks, State};
use pairs::Pairs;

/// Evaluates the atoms of a formula.
pub trait Letters {
    /// The atoms about states that are true of a packed state, if these points are tracked.
    fn of_state(&mut self, state: &[u64], tracked: &[Point]) -> Result<Letter, AtomFault>;

    /// The atoms about steps that are true of a step.
    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[Point]) -> Letter;
}

/// (r, l): a representative and the points that are tracked there, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Base(u32);

/// An edge as searches see it, in eight bytes: searches keep all edges that leave the nodes of
/// their path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The step of the edge. In a plain product this is its number among the steps that leave its
    /// node.
    pub step: StepNumber,
    /// The number of the edge's marks. In a plain product it is `(action + 1) * different_marks +
    /// marks`, where the stutter has 0 in place of `action + 1`.
    code: u32,
}

/// The representative and the automaton's state of a node. Its tracked points come besides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The representative.
    pub representative: Representative,
    /// The state of the automaton.
    pub state: State,
}

/// An edge with its target, marks and step.
#[derive(Clone, Debug)]
pub struct ProductEdge {
    /// The node that the edge leads to.
    pub target: Node,
    /// The acceptance sets that the edge is in.
    pub marks: Marks,
    /// The step; none for the stutter.
    pub step: Option<TrackedEdge>,
}

/// The part of an edge that fairness depends on.
#[derive(Clone, Copy, Debug)]
pub struct Label<'l, A> {
    /// The permutation that the edge carries, or nothing in a plain product.
    pub annotation: &'l A,
    /// The rule and the arguments of the edge's event, at the node that it leaves; none for the
    /// stutter.
    pub action: Option<(u32, &'l [i64])>,
}

/// The explored part that all products have in common. A node costs a few bytes, or some twenty.
pub struct Walked<'p> {
    quotient: &'p Quotient<'p>,
    reader: &'p Reader,
    tracked: Vec<Point>,
    /// (r, l) and the state of the automaton.
    nodes: Pairs,
    /// The starts that were returned so far.
    started: Vec<Node>,
    touched: Touched,
    /// The most representatives that the search may expand.
    most: u64,
}

impl<'p> Walked<'p> {
    fn new(quotient: &'p Quotient<'p>, reader: &'p Reader, tracked: Vec<Point>) -> Self {
        let nodes = Pairs::below(reader.states());
        let (started, touched) = (Vec::new(), Touched::new());
        Walked { quotient, reader, tracked, nodes, started, touched, most: u64::MAX }
    }

    /// Says that a representative is going to be expanded, which may be one too many.
    #[inline]
    fn admit(&self, of: Representative) -> Result<(), Stop> {
        if self.touched.representatives() < self.most || self.touched.contains(of) {
            return Ok(());
        }
        Err(Stop::Stopped(run::StopReason::States(to_usize(self.most))))
    }

    /// The representatives that were expanded. From now on, there is no limit for them: what follows
    /// constructs a run.
    fn take_touched(&mut self) -> Touched {
        self.most = u64::MAX;
        std::mem::take(&mut self.touched)
    }

    fn intern(&mut self, base: Base, state: State) -> Result<Node, Stop> {
        self.nodes.intern((base.0, state.0)).map(Node).ok_or(Stop::FULL)
    }

    /// Splits a node into (r, l) and the state of the automaton.
    #[inline]
    fn parts(&self, node: Node) -> (Base, State) {
        let (base, state) = self.nodes.get(node.0);
        (Base(base), State(state))
    }
}

/// A product with an automaton.
pub trait Product: Graph<Edge = Taken, Stop = Stop> {
    /// The annotation of an edge: a permutation, or nothing.
    type Annotation;

    /// The part of the product that was explored so far.
    fn walked(&self) -> &Walked<'_>;

    /// Lets the search stop if it needs to expand more representatives than this, until
    /// [`Product::take_touched`] is called.
    fn limit(&mut self, most: u64);

    /// Returns the representatives that were expanded since the last call, and starts a new count.
    fn take_touched(&mut self) -> Touched;

    /// The node of a representative, the points that are tracked there, if edges move them, and a
    /// state of the automaton: a node that another search over the same quotient has reached.
    fn meet(&mut self, of: Representative, tuple: &[Point], state: State) -> Result<Node, Stop>;

    /// The representative and the automaton's state of a node.
    fn place(&self, node: Node) -> Place;

    /// The points that stand for the tracked ones at a node.
    fn tuple(&self, node: Node) -> &[Point];

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// A permutation that takes a start node to a concrete start: its state to a start state, its
    /// tuple to the tracked points.
    fn start_frame(&mut self, node: Node) -> Option<Permutation>;

    /// The label of an edge, if the product keeps labels.
    fn label(&self, edge: Taken) -> Label<'_, Self::Annotation>;

    /// The annotation of a step, if the product keeps labels.
    fn annotation(&self, step: StepNumber) -> &Self::Annotation;

    /// Generators of the group that fixes a node.
    fn symmetries(&mut self, node: Node) -> Vec<Permutation>;

    /// Reports the rule, the arguments and the target of the steps out of a representative, one per
    /// orbit under the group that the returned permutations generate.
    fn enabled(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(u32, &[i64], Representative),
    ) -> Result<Vec<Permutation>, Stop>;

    /// The steps out of (r, l), independent of the automaton: their targets and their numbers, in
    /// ascending order of the numbers.
    fn steps_of(&mut self, base: Base) -> Result<Vec<(Representative, StepNumber)>, Stop>;

    /// The steps out of a node, independent of the automaton, one per orbit under its symmetries.
    fn tracked_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop>;

    /// All steps of a node's representative, independent of the automaton: equivalent steps are all
    /// listed.
    fn unfolded_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop>;

    /// The edges of the product for the given steps out of a node, and for the stutter if the node
    /// is stuck.
    fn read_along(&mut self, node: Node, steps: Vec<TrackedEdge>)
    -> Result<Vec<ProductEdge>, Stop>;

    /// The edges that leave a node, one per orbit of steps under its symmetries.
    fn labelled(&mut self, node: Node) -> Result<Vec<ProductEdge>, Stop> {
        let steps = self.tracked_steps(node)?;
        self.read_along(node, steps)
    }

    /// The edges that leave a node, one for each step of its representative: equivalent steps are
    /// all listed.
    fn unfolded(&mut self, node: Node) -> Result<Vec<ProductEdge>, Stop> {
        let steps = self.unfolded_steps(node)?;
        self.read_along(node, steps)
    }

    /// The packed state of a node's representative.
    fn packed(&mut self, node: Node) -> Vec<u64> {
        let representative = self.place(node).representative;
        self.state(representative).to_vec()
    }

    /// The acceptance sets that an edge is in.
    #[inline]
    fn marks(&self, edge: Taken) -> Marks {
        self.walked().reader.marks_of(edge)
    }

    /// The index points of the system, and the permutations of them.
    fn structure(&self) -> &Structure {
        self.walked().quotient.structure()
    }

    /// The image of a step's arguments under a permutation.
    fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        self.walked().quotient.renamed(rule, by, arguments)
    }

    /// The starts that were returned so far.
    fn starts(&self) -> &[Node] {
        &self.walked().started
    }

    /// The part (r, l) of a node.
    fn base(&self, node: Node) -> Base {
        self.walked().parts(node).0
    }

    /// Whether every run that reaches a node is accepted, however it continues.
    fn is_accepted(&self, node: Node) -> bool {
        let walked = self.walked();
        walked.reader.is_universal(walked.parts(node).1)
    }

    /// [`Reader::remoteness`] of a node's state of the automaton.
    fn remoteness(&self, node: Node) -> u32 {
        let walked = self.walked();
        walked.reader.remoteness(walked.parts(node).1)
    }

    /// The number of nodes that were reached so far.
    fn len(&self) -> usize {
        self.walked().nodes.len()
    }

    /// Whether no node was reached yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that were reached so far.
    fn met(&self) -> Met {
        self.walked().nodes.met()
    }
}

/// The edges of the product for the given steps out of a node and a state of the automaton. The
/// caller passes the points that are tracked there, the letter of the node's state, and whether the
/// node is stuck; `intern` returns the target node of a step, or of the stutter.
fn read_steps(
    reader: &Reader,
    letters: &mut dyn Letters,
    (tracked, letter, is_stuck): (&[Point], Letter, bool),
    state: State,
    steps: Vec<TrackedEdge>,
    mut intern: impl FnMut(Option<&TrackedEdge>, State) -> Result<Node, Stop>,
) -> Result<Vec<ProductEdge>, Stop> {
    let mut found = Vec::new();
    if is_stuck {
        for (target, marks) in reader.read(state, letter) {
            let target = intern(None, target)?;
            found.push(ProductEdge { target, marks: reader.marks(marks), step: None });
        }
    }
    for step in run::polled(steps) {
        let letter = letter | letters.of_step(step.rule, &step.arguments, tracked);
        for (target, marks) in reader.read(state, letter) {
            let target = intern(Some(&step), target)?;
            let marks = reader.marks(marks);
            found.push(ProductEdge { target, marks, step: Some(step.clone()) });
        }
    }
    Ok(found)
}

/// The reason why the exploration of a product ended early.
#[derive(Debug)]
pub enum Stop {
    /// A rule of the system fails, or a start state does.
    Failed(FaultId),
    /// An atom of the formula fails.
    Atom(AtomFault),
    /// A limit was reached, or the caller stopped the search.
    Stopped(run::StopReason),
}

impl Stop {
    /// The numbers for nodes or for actions are used up.
    pub(crate) const FULL: Stop = Stop::Stopped(run::StopReason::States(u32::MAX as usize));
}

impl From<Unbuilt> for Stop {
    fn from(unbuilt: Unbuilt) -> Stop {
        match unbuilt {
            Unbuilt::Failed(fault) => Stop::Failed(fault),
            Unbuilt::Stopped(reason) => Stop::Stopped(reason),
        }
    }
}

impl From<run::StopReason> for Stop {
    fn from(reason: run::StopReason) -> Stop {
        Stop::Stopped(reason)
    }
}

impl From<FaultId> for Stop {
    fn from(fault: FaultId) -> Stop {
        Stop::Failed(fault)
    }
}

impl From<AtomFault> for Stop {
    fn from(fault: AtomFault) -> Stop {
        Stop::Atom(fault)
    }
}
