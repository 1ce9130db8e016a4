//! Products of a quotient with an automaton, on the fly.
//!
//! A node is (r, l, q): a representative, the points that stand for the tracked indices there
//! ([`quotient`](crate::quotient), tracked), and a state of the automaton. From (r, l, q) there is an edge
//! for every edge (r, l) → (r′, l′) of the quotient and every edge q → q′ of the automaton that reads its
//! letter: what is true of r with l, and of the step. A state in which no rule is enabled is extended by a
//! stutter for ever, in which no event happens. One whose steps all lead to states that violate an
//! assumption has no edge at all: no run of the system passes it.
//!
//! There are two kinds. Edges of an [`AnnotatedProduct`] carry permutations, and its steps are stored. A
//! [`PlainProduct`] is one of a quotient in which nothing is permuted: its edges carry nothing, and its
//! steps are made anew each time. Searches see both as a [`Graph`]; fairness and whatever makes
//! counterexamples see both as a [`Product`].

mod annotated;
mod bases;
pub(crate) mod narrow;
mod pairs;
mod plain;
mod reader;
mod steps;
mod touched;
pub mod unstored;

pub use annotated::AnnotatedProduct;
pub use pairs::Met;
pub use plain::PlainProduct;
pub use reader::Reader;
pub use steps::{Action, StepNumber};
pub use touched::Touched;

use crate::quotient::{Quotient, Representative, TrackedEdge, Unbuilt};
use crate::search::{Graph, Node};
use crate::symmetry::{Permutation, Point, Structure};
use crate::system::AtomFault;
use crate::system::FaultId;
pub use crate::system::atoms::{Letter, MOST_ATOMS};
use automata::{Marks, State};
use pairs::Pairs;

/// Says what is true.
pub trait Letters {
    /// The atoms about states that are true of a packed state, if these points are tracked.
    fn of_state(&mut self, state: &[u64], tracked: &[Point]) -> Result<Letter, AtomFault>;

    /// The atoms about steps that are true of a step.
    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[Point]) -> Letter;
}

/// (r, l): a representative and the points that are tracked there, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Base(u32);

/// An edge as searches see it, in eight bytes: they keep all that leave the nodes of their path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Its step. In a plain product this is its number among the steps that leave its node.
    pub step: StepNumber,
    /// The number of its marks; in a plain product, plus as many times as there are different marks the number of
    /// the step's action plus one, or 0 for the stutter.
    code: u32,
}

/// What a node is made of, besides its tracked points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The representative.
    pub representative: Representative,
    /// The state of the automaton.
    pub state: State,
}

/// An edge with what it is made of.
#[derive(Clone, Debug)]
pub struct ProductEdge {
    /// Where it leads.
    pub target: Node,
    /// The acceptance sets that it is in.
    pub marks: Marks,
    /// The step; none is the stutter.
    pub step: Option<TrackedEdge>,
}

/// What fairness must know of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Label<'l, A> {
    /// What it carries.
    pub annotation: &'l A,
    /// The rule and the arguments of its event, at the node that it leaves; none is the stutter.
    pub action: Option<(u32, &'l [i64])>,
}

/// What all products have, as far as they have been walked. A node costs a few bytes, or some twenty.
pub struct Walked<'p> {
    quotient: &'p Quotient<'p>,
    reader: &'p Reader,
    tracked: Vec<Point>,
    /// (r, l) and the state of the automaton.
    nodes: Pairs,
    /// Starts that were asked for.
    started: Vec<Node>,
    touched: Touched,
}

impl<'p> Walked<'p> {
    fn new(quotient: &'p Quotient<'p>, reader: &'p Reader, tracked: Vec<Point>) -> Self {
        let nodes = Pairs::below(reader.states());
        Walked { quotient, reader, tracked, nodes, started: Vec::new(), touched: Touched::new() }
    }

    fn intern(&mut self, base: Base, state: State) -> Result<Node, Stop> {
        self.nodes.intern((base.0, state.0)).map(Node).ok_or(Stop::FULL)
    }

    /// (r, l) and the state of the automaton of a node.
    #[inline]
    fn parts(&self, node: Node) -> (Base, State) {
        let (base, state) = self.nodes.get(node.0);
        (Base(base), State(state))
    }
}

/// A product with an automaton.
pub trait Product: Graph<Edge = Taken, Stop = Stop> {
    /// What an edge carries: a permutation, or nothing.
    type Annotation;

    /// What was walked so far.
    fn walked(&self) -> &Walked<'_>;

    /// What was needed of the quotient so far; from now on, it is counted anew.
    fn take_touched(&mut self) -> Touched;

    /// What a node is made of.
    fn place(&self, node: Node) -> Place;

    /// The points that stand for the tracked ones at a node.
    fn tuple(&self, node: Node) -> &[Point];

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// What takes a node in which runs start to a concrete start: its state to a start state, its tuple to
    /// the tracked points.
    fn start_frame(&mut self, node: Node) -> Option<Permutation>;

    /// The label of an edge, if the product keeps labels.
    fn label(&self, edge: Taken) -> Label<'_, Self::Annotation>;

    /// What a step of some edge carries, if the product keeps labels.
    fn annotation(&self, step: StepNumber) -> &Self::Annotation;

    /// Generators of what leaves a node as it is.
    fn symmetries(&mut self, node: Node) -> Vec<Permutation>;

    /// Reports the rule, the arguments and the target of the steps out of a representative, one per orbit under the
    /// group that the returned permutations generate.
    fn enabled(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(u32, &[i64], Representative),
    ) -> Result<Vec<Permutation>, Stop>;

    /// The steps out of (r, l), whatever the automaton does: where they lead, and their numbers, which
    /// ascend.
    fn steps_of(&mut self, base: Base) -> Result<Vec<(Representative, StepNumber)>, Stop>;

    /// The steps out of a node, whatever the automaton does, one per orbit under its symmetries.
    fn tracked_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop>;

    /// The steps of a node's representative, one by one, whatever the automaton does.
    fn unfolded_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop>;

    /// What the automaton makes of steps out of a node, and of the stutter, if it is stuck.
    fn read_along(&mut self, node: Node, steps: Vec<TrackedEdge>)
    -> Result<Vec<ProductEdge>, Stop>;

    /// The edges that leave a node, with what they are made of.
    fn labelled(&mut self, node: Node) -> Result<Vec<ProductEdge>, Stop> {
        let steps = self.tracked_steps(node)?;
        self.read_along(node, steps)
    }

    /// The same, but one for each step of the node's representative, also where they are equivalent.
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

    /// What can be permuted, and how.
    fn structure(&self) -> &Structure {
        self.walked().quotient.structure()
    }

    /// The image of a step's arguments.
    fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        self.walked().quotient.renamed(rule, by, arguments)
    }

    /// The starts that were asked for so far.
    fn starts(&self) -> &[Node] {
        &self.walked().started
    }

    /// (r, l) of a node.
    fn base(&self, node: Node) -> Base {
        self.walked().parts(node).0
    }

    /// Whether every run that comes to a node is accepted, whatever it does then.
    fn is_accepted(&self, node: Node) -> bool {
        let walked = self.walked();
        walked.reader.is_universal(walked.parts(node).1)
    }

    /// [`Reader::remoteness`] of a node's state of the automaton.
    fn remoteness(&self, node: Node) -> u32 {
        let walked = self.walked();
        walked.reader.remoteness(walked.parts(node).1)
    }

    /// How many nodes were met.
    fn len(&self) -> usize {
        self.walked().nodes.len()
    }

    /// Whether none was met.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that were met so far, by their numbers.
    fn met(&self) -> Met {
        self.walked().nodes.met()
    }
}

/// What an automaton in some state makes of steps out of a node. The points that are tracked there, the letter
/// of its state, and whether it is stuck are given; `intern` finds the node that a step, or the stutter, leads to.
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
    for step in steps {
        let letter = letter | letters.of_step(step.rule, &step.arguments, tracked);
        for (target, marks) in reader.read(state, letter) {
            let target = intern(Some(&step), target)?;
            let marks = reader.marks(marks);
            found.push(ProductEdge { target, marks, step: Some(step.clone()) });
        }
    }
    Ok(found)
}

/// Why a product is not walked to its end.
#[derive(Debug)]
pub enum Stop {
    /// A rule of the system fails, or a start state.
    Failed(FaultId),
    /// An atom of the formula does.
    Atom(AtomFault),
    /// Somebody said so.
    Stopped(run::StopReason),
}

impl Stop {
    /// There are no more numbers for nodes, or for actions.
    const FULL: Stop = Stop::Stopped(run::StopReason::States(u32::MAX as usize));
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
