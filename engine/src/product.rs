//! The product of a quotient with an automaton, on the fly.
//!
//! A node is (r, l, q): a representative, the points that stand for the tracked indices there
//! ([`quotient`](crate::quotient), tracked), and a state of the automaton. From (r, l, q) there is an edge
//! for every edge (r, l) → (r′, l′) of the quotient and every edge q → q′ of the automaton that reads its
//! letter: what is true of r with l, and of the step. A state in which no rule is enabled is extended by a
//! stutter for ever, in which no event happens. One whose steps all lead to states that violate an
//! assumption has no edge at all: no run of the system passes it.

pub(crate) mod narrow;
mod pairs;
mod reader;
mod steps;
mod touched;
pub mod unstored;

pub use pairs::Met;
pub use reader::Reader;
pub use steps::{Action, Label, StepNumber};
pub use touched::Touched;

use crate::quotient::{
    ActionNumber, Outline, Quotient, Representative, TrackedEdge, Unbuilt, Walk,
};
use crate::search::{Graph, Node};
use crate::symmetry::{Permutation, Point, Structure};
use crate::system::AtomFault;
use crate::system::FaultId;
pub use crate::system::atoms::{Letter, MOST_ATOMS};
use automata::{Marks, State};
use hashbrown::HashMap;
use narrow::Narrow;
use pairs::Pairs;
use steps::{Found, Interned, NewStep, Steps};

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

/// A product, as far as it has been walked. A node costs some twenty bytes, and (r, l) its
/// steps, which all states of the automaton share.
///
/// Where nothing is permuted ([`Walk::is_plain`]), l never changes: r is the number of (r, l), and steps are
/// not stored but made each time. The number of a step is then only one among those that leave its node, and an edge
/// has the number of its action besides.
pub struct Product<'p, W> {
    quotient: &'p Quotient<'p>,
    walk: W,
    /// Starts that were made and not asked for.
    waiting: Vec<Node>,
    /// Starts that were asked for.
    started: Vec<Node>,
    letters: &'p mut dyn Letters,
    reader: &'p Reader,
    tracked: Vec<Point>,
    /// (r, l) and the state of the automaton.
    nodes: Pairs,
    /// r and the number of l; unless [there is one l](Product::one_tuple): then r itself is the number of (r, l).
    bases: Pairs,
    is_plain: bool,
    /// If there is one l: its number.
    one_tuple: Option<u32>,
    /// If all is plain: by r, the number of its letter plus one; 0 if nobody asked.
    plain_letters: Narrow,
    different_letters: Interned<Letter>,
    /// If all is plain: by action, the letter of steps that do it, if somebody has asked.
    action_letters: Vec<Option<Letter>>,
    tuples: Vec<Vec<Point>>,
    tuple_numbers: HashMap<Vec<Point>, u32>,
    steps: Steps,
    touched: Touched,
}

/// The number of a stutter, where steps are not stored.
const STUTTER: StepNumber = StepNumber::MAX;

/// An edge as searches see it, in eight bytes: they keep all that leave the nodes of their path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Its step.
    pub step: StepNumber,
    /// The number of its marks; where steps are not stored, plus as many times as there are different marks the number
    /// of the step's action plus one, or 0 for the stutter.
    code: u32,
}

/// What a node is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The representative.
    pub representative: Representative,
    /// The number of the tracked points' tuple.
    tuple: u32,
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

impl<'p, W: Walk> Product<'p, W> {
    /// The product with an automaton, for these tracked points.
    pub fn new(
        quotient: &'p Quotient<'p>,
        walk: W,
        reader: &'p Reader,
        letters: &'p mut dyn Letters,
        tracked: Vec<Point>,
    ) -> Self {
        let is_plain = walk.is_plain();
        let mut product = Product {
            quotient,
            walk,
            is_plain,
            one_tuple: None,
            plain_letters: Narrow::default(),
            different_letters: Interned::default(),
            action_letters: Vec::new(),
            waiting: Vec::new(),
            started: Vec::new(),
            letters,
            reader,
            tracked,
            nodes: Pairs::below(reader.states()),
            bases: Pairs::new(),
            tuples: Vec::new(),
            tuple_numbers: HashMap::new(),
            steps: Steps::new(false),
            touched: Touched::new(),
        };
        if is_plain || product.tracked.is_empty() {
            let tracked = product.tracked.clone();
            product.one_tuple = Some(product.intern_tuple(&tracked));
        }
        product
    }

    /// The same, but labels of steps are kept.
    #[must_use]
    pub fn with_labels(mut self) -> Self {
        self.steps = Steps::new(true);
        self
    }

    /// Whether nothing is permuted, and steps are not stored.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The acceptance sets that an edge is in.
    #[inline]
    pub fn marks(&self, edge: Taken) -> Marks {
        self.reader.marks_of(edge)
    }

    /// The rule and the arguments of the event of an edge's step, if [all is plain](Product::is_plain); none is
    /// the stutter.
    pub fn plain_action(&self, edge: Taken) -> Option<(u32, &[i64])> {
        let action = (edge.code / self.reader.different_marks()).checked_sub(1)?;
        Some(self.walk.plain_action(action))
    }

    /// The label of a step, if labels are kept.
    pub fn label(&self, step: StepNumber) -> Label<'_> {
        self.steps.label(step)
    }

    /// Who walks the quotient.
    pub fn walk(&mut self) -> &mut W {
        &mut self.walk
    }

    /// What a node is made of.
    pub fn place(&self, node: Node) -> Place {
        let (base, state) = self.nodes.get(node.0);
        let (representative, tuple) = self.parts(Base(base));
        Place { representative, tuple, state: State(state) }
    }

    /// The points that stand for the tracked ones at a node.
    pub fn tuple(&self, node: Node) -> &[Point] {
        &self.tuples[self.place(node).tuple as usize]
    }

    /// The packed state of a node's representative.
    pub fn packed(&mut self, node: Node) -> Vec<u64> {
        let representative = self.place(node).representative;
        self.walk.state(representative).to_vec()
    }

    /// What can be permuted, and how.
    pub fn structure(&self) -> &Structure {
        self.quotient.structure()
    }

    /// The image of a step's arguments.
    pub fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        self.quotient.renamed(rule, by, arguments)
    }

    /// The starts that were asked for so far.
    pub fn starts(&self) -> &[Node] {
        &self.started
    }

    /// What was needed of the quotient so far; from now on, it is counted anew.
    pub fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }

    /// (r, l) of a node.
    pub fn base(&self, node: Node) -> Base {
        Base(self.nodes.get(node.0).0)
    }

    /// The steps out of (r, l), whatever the automaton does: where they lead, and their numbers, which
    /// ascend.
    pub fn steps_of(&mut self, base: Base) -> Result<Vec<(Representative, StepNumber)>, Stop> {
        if self.is_plain {
            let of = Representative(base.0);
            let mut found = Vec::new();
            let outline =
                self.walk.plain_edges(of, &mut |edge| found.push((edge.target, edge.number)))?;
            if outline.is_stuck {
                found.push((of, STUTTER));
            }
            return Ok(found);
        }
        let found = self.steps(base)?;
        let steps = found.numbers().map(|step| (self.steps.get(step).target, step));
        Ok(steps.map(|(target, step)| (self.parts(target).0, step)).collect())
    }

    /// Whether every run that comes to a node is accepted, whatever it does then.
    pub fn is_accepted(&self, node: Node) -> bool {
        self.reader.is_universal(self.place(node).state)
    }

    /// [`Reader::remoteness`] of a node's state of the automaton.
    pub fn remoteness(&self, node: Node) -> u32 {
        self.reader.remoteness(self.place(node).state)
    }

    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// The nodes that were met so far, by their numbers.
    pub fn met(&self) -> Met {
        self.nodes.met()
    }

    /// What takes a node in which runs start to a concrete start: its state to a start state, its tuple to
    /// the tracked points.
    pub fn start_frame(&mut self, node: Node) -> Option<Permutation> {
        let Place { representative, tuple, .. } = self.place(node);
        let tuple = self.tuples[tuple as usize].clone();
        let starts = self.walk.starts_with(representative, &self.tracked);
        let found = starts.into_iter().find(|reached| reached.tuple == tuple);
        found.map(|reached| reached.by.inverse())
    }

    /// The edges that leave a node, with what they are made of.
    pub fn labelled(&mut self, node: Node) -> Result<Vec<ProductEdge>, Stop> {
        let Place { representative, tuple, .. } = self.place(node);
        let points = self.tuples[tuple as usize].clone();
        let edges = self.walk.tracked_edges(representative, &points)?;
        self.read_along(node, edges)
    }

    /// The same, but one for each step of the node's representative, also where they are alike.
    pub fn unfolded(&mut self, node: Node) -> Result<Vec<ProductEdge>, Stop> {
        let Place { representative, tuple, .. } = self.place(node);
        let points = self.tuples[tuple as usize].clone();
        let edges = self.walk.unfolded_edges(representative, &points)?;
        self.read_along(node, edges)
    }

    /// The steps of a node's representative, one by one, whatever the automaton makes of them.
    pub fn unfolded_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop> {
        let Place { representative, tuple, .. } = self.place(node);
        let points = self.tuples[tuple as usize].clone();
        Ok(self.walk.unfolded_edges(representative, &points)?)
    }

    /// What the automaton makes of edges.
    fn read_along(
        &mut self,
        node: Node,
        edges: Vec<TrackedEdge>,
    ) -> Result<Vec<ProductEdge>, Stop> {
        let Place { representative, tuple, state } = self.place(node);
        let points = self.tuples[tuple as usize].clone();
        let letter = if self.is_plain {
            self.plain_letter(representative)?
        } else {
            self.steps(self.base(node))?.letter
        };
        let reader = self.reader;
        let mut found = Vec::new();
        if self.walk.outline(representative)?.is_stuck {
            for (target, marks) in reader.read(state, letter) {
                let target = self.intern(representative, tuple, target)?;
                found.push(ProductEdge { target, marks: reader.marks(marks), step: None });
            }
        }
        for edge in edges {
            let letter = letter | self.letters.of_step(edge.rule, &edge.arguments, &points);
            let target_tuple = self.intern_tuple(&edge.tuple);
            for (target, marks) in reader.read(state, letter) {
                let target = self.intern(edge.target, target_tuple, target)?;
                let marks = reader.marks(marks);
                found.push(ProductEdge { target, marks, step: Some(edge.clone()) });
            }
        }
        Ok(found)
    }

    fn intern(
        &mut self,
        representative: Representative,
        tuple: u32,
        state: State,
    ) -> Result<Node, Stop> {
        let base = self.intern_base(representative, tuple)?;
        self.nodes.intern((base.0, state.0)).map(Node).ok_or(Stop::FULL)
    }

    fn intern_base(&mut self, representative: Representative, tuple: u32) -> Result<Base, Stop> {
        if self.one_tuple.is_some() {
            return Ok(Base(representative.0));
        }
        self.bases.intern((representative.0, tuple)).map(Base).ok_or(Stop::FULL)
    }

    /// r and the number of l.
    #[inline]
    fn parts(&self, base: Base) -> (Representative, u32) {
        if let Some(tuple) = self.one_tuple {
            return (Representative(base.0), tuple);
        }
        let (representative, tuple) = self.bases.get(base.0);
        (Representative(representative), tuple)
    }

    fn intern_tuple(&mut self, tuple: &[Point]) -> u32 {
        if let Some(&known) = self.tuple_numbers.get(tuple) {
            return known;
        }
        let number = self.tuples.len() as u32;
        self.tuples.push(tuple.to_vec());
        self.tuple_numbers.insert(tuple.to_vec(), number);
        number
    }

    /// The steps out of (r, l), made once for all states of the automaton.
    fn steps(&mut self, base: Base) -> Result<Found, Stop> {
        if let Some(known) = self.steps.find(base) {
            return Ok(known);
        }
        let (of, tuple) = self.parts(base);
        let points = self.tuples[tuple as usize].clone();
        let state_letter = self.letters.of_state(self.walk.state(of), &points)?;
        let Outline { edges: count, is_stuck } = self.walk.outline(of)?;
        self.touched.insert(of, count);
        let edges = self.walk.tracked_edges(of, &points)?;
        let mut all = Vec::with_capacity(edges.len());
        if is_stuck {
            let permutation = Permutation::identity(self.structure().indices().points());
            all.push(NewStep { target: base, letter: 0, permutation, action: None });
        }
        for edge in edges {
            let letter = self.letters.of_step(edge.rule, &edge.arguments, &points);
            let tuple = self.intern_tuple(&edge.tuple);
            all.push(NewStep {
                target: self.intern_base(edge.target, tuple)?,
                letter,
                permutation: edge.permutation,
                action: Some((edge.rule, edge.arguments.into_boxed_slice())),
            });
        }
        self.steps.insert(base, state_letter, all)
    }

    /// What is true of a state, found out once.
    fn plain_letter(&mut self, of: Representative) -> Result<Letter, Stop> {
        let at = of.0 as usize;
        if let Some(known) = self.plain_letters.get(at).checked_sub(1) {
            return Ok(*self.different_letters.get(known));
        }
        let letter = self.letters.of_state(self.walk.state(of), &self.tracked)?;
        self.plain_letters.set(at, self.different_letters.intern(letter) + 1);
        Ok(letter)
    }

    /// The edges that leave a node, made anew: the same in the same order as from stored steps.
    fn plain_successors(
        &mut self,
        of: Representative,
        state: State,
        found: &mut Vec<(Node, Taken)>,
    ) -> Result<(), Stop> {
        let letter = self.plain_letter(of)?;
        let Product {
            walk, letters, reader, nodes, tracked, touched, action_letters: known, ..
        } = self;
        let different_marks = reader.different_marks();
        let mut read = |letter: Letter, target: Representative, step, action: Option<u32>| {
            let first = action.map_or(Some(0), |action| first_code(action, different_marks))?;
            for (state, marks) in reader.read(state, letter) {
                let target = Node(nodes.intern((target.0, state.0))?);
                found.push((target, Taken { step, code: first + marks }));
            }
            Some(())
        };
        let mut all = Some(());
        let outline = walk.plain_edges(of, &mut |edge| {
            let at = edge.action as usize;
            if known.len() <= at {
                known.resize(at + 1, None);
            }
            let of_action = *known[at]
                .get_or_insert_with(|| letters.of_step(edge.rule, edge.arguments, tracked));
            let read = read(letter | of_action, edge.target, edge.number, Some(edge.action));
            all = all.and(read);
        })?;
        if outline.is_stuck {
            all = all.and(read(letter, of, STUTTER, None));
        }
        touched.insert(of, outline.edges);
        all.ok_or(Stop::FULL)
    }
}

/// The least code of an edge that does something, where steps are not stored; none if one of these codes would be too
/// large, and be read as another action with other marks.
fn first_code(action: ActionNumber, different_marks: u32) -> Option<u32> {
    action.checked_add(2)?.checked_mul(different_marks)?.checked_sub(different_marks)
}

impl<W: Walk> Graph for Product<'_, W> {
    type Edge = Taken;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<Node>, Stop> {
        while self.waiting.is_empty() {
            let Some(start) = self.walk.next_start() else { return Ok(None) };
            let start = start?;
            if let Some(tuple) = self.one_tuple {
                let node = self.intern(start, tuple, self.reader.initial())?;
                self.waiting.push(node);
                break;
            }
            let reached = self.walk.starts_with(start, &self.tracked);
            for reached in reached.into_iter().rev() {
                let tuple = self.intern_tuple(&reached.tuple);
                let node = self.intern(start, tuple, self.reader.initial())?;
                self.waiting.push(node);
            }
        }
        let start = self.waiting.pop();
        self.started.extend(start);
        Ok(start)
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, Taken)>) -> Result<(), Stop> {
        let (base, state) = self.nodes.get(node.0);
        if self.is_plain {
            return self.plain_successors(Representative(base), State(state), found);
        }
        let steps = self.steps(Base(base))?;
        let reader = self.reader;
        for number in steps.numbers() {
            let step = self.steps.get(number);
            let letter = steps.letter | self.steps.letter(step);
            for (state, marks) in reader.read(State(state), letter) {
                let target = self.nodes.intern((step.target.0, state.0)).ok_or(Stop::FULL)?;
                found.push((Node(target), Taken { step: number, code: marks }));
            }
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart_or_there_are_none() {
        for different_marks in [1, 2, 3, 64] {
            let last = u32::MAX / different_marks - 2;
            for action in [0, 1, last - 1, last] {
                let first = first_code(action, different_marks).expect("it fits");
                for marks in [0, different_marks - 1] {
                    let code = first.checked_add(marks).expect("it fits");
                    assert_eq!(
                        (code / different_marks, code % different_marks),
                        (action + 1, marks)
                    );
                }
            }
            assert_eq!(first_code(last + 1, different_marks), None);
            assert_eq!(first_code(ActionNumber::MAX, different_marks), None);
        }
    }
}
