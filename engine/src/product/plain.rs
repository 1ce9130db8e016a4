//! Products in which nothing is permuted.
//!
//! The tracked points never change: r is the number of (r, l), and (r, l) costs a byte. Steps are
//! not stored; they are computed each time by a [`PlainWalk`](crate::quotient::PlainWalk). The
//! number of a step only identifies it among the steps that leave its node, so an edge also has the
//! number of its action.

use super::narrow::Narrow;
use super::{
    Base, Label, Letter, Letters, Place, Product, ProductEdge, Reader, StepNumber, Stop, Taken,
    Touched, Walked, read_steps,
};
use crate::interned::Interned;
use crate::quotient::{ActionNumber, Outline, PlainWalk, Quotient, Representative, TrackedEdge};
use crate::search::{Graph, Node};
use crate::symmetry::{Permutation, Point};
use automata::State;

/// A product of a quotient that [is plain](Quotient::is_plain), as far as it has been explored.
pub struct PlainProduct<'p, W> {
    walked: Walked<'p>,
    walk: W,
    letters: &'p mut dyn Letters,
    /// By r: the number of its letter plus one; 0 if it is not known yet.
    state_letters: Narrow,
    different_letters: Interned<Letter>,
    /// By action: the letter of the steps that execute it, if it is known.
    action_letters: Vec<Option<Letter>>,
}

/// The number of the stutter.
const STUTTER: StepNumber = StepNumber::MAX;

impl<'p, W: PlainWalk> PlainProduct<'p, W> {
    /// Creates the product with an automaton for the given tracked points.
    pub fn new(
        quotient: &'p Quotient<'p>,
        walk: W,
        reader: &'p Reader,
        letters: &'p mut dyn Letters,
        tracked: Vec<Point>,
    ) -> Self {
        PlainProduct {
            walked: Walked::new(quotient, reader, tracked),
            walk,
            letters,
            state_letters: Narrow::default(),
            different_letters: Interned::default(),
            action_letters: Vec::new(),
        }
    }

    /// The letter of a representative's state, evaluated once.
    fn state_letter(&mut self, of: Representative) -> Result<Letter, Stop> {
        let at = of.0 as usize;
        if let Some(known) = self.state_letters.get(at).checked_sub(1) {
            return Ok(*self.different_letters.get(known));
        }
        let letter = self.letters.of_state(self.walk.state(of), &self.walked.tracked)?;
        self.state_letters.set(at, self.different_letters.intern(&letter) + 1);
        Ok(letter)
    }

    /// The steps out of a representative.
    fn steps(&mut self, of: Representative) -> Result<Vec<TrackedEdge>, Stop> {
        let tuple = &self.walked.tracked;
        let permutation =
            Permutation::identity(self.walked.quotient.structure().indices().points());
        let mut steps = Vec::new();
        self.walk.edges(of, &mut |edge| {
            steps.push(TrackedEdge {
                rule: edge.rule,
                arguments: edge.arguments.to_vec(),
                target: edge.target,
                tuple: tuple.clone(),
                permutation: permutation.clone(),
            });
        })?;
        Ok(steps)
    }
}

/// The least code of an edge with the given action; none if one of the action's codes would
/// overflow, and so be read as another action with other marks.
fn first_code(action: ActionNumber, different_marks: u32) -> Option<u32> {
    action.checked_add(2)?.checked_mul(different_marks)?.checked_sub(different_marks)
}

impl<W: PlainWalk> Graph for PlainProduct<'_, W> {
    type Edge = Taken;
    type Stop = Stop;

    fn next_start(&mut self) -> Result<Option<Node>, Stop> {
        let Some(start) = self.walk.next_start() else { return Ok(None) };
        let node = self.walked.intern(Base(start?.0), self.walked.reader.initial())?;
        self.walked.started.push(node);
        Ok(Some(node))
    }

    /// Returns the same edges in the same order as an annotated product.
    fn successors(&mut self, node: Node, found: &mut Vec<(Node, Taken)>) -> Result<(), Stop> {
        let Place { representative: of, state } = self.place(node);
        self.walked.admit(of)?;
        let letter = self.state_letter(of)?;
        let PlainProduct { walked, walk, letters, action_letters: known, .. } = self;
        let Walked { reader, nodes, tracked, touched, .. } = walked;
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
        let outline = walk.edges(of, &mut |edge| {
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

impl<W: PlainWalk> Product for PlainProduct<'_, W> {
    type Annotation = ();

    fn walked(&self) -> &Walked<'_> {
        &self.walked
    }

    fn limit(&mut self, most: u64) {
        self.walked.most = most;
    }

    fn take_touched(&mut self) -> Touched {
        self.walked.take_touched()
    }

    fn meet(&mut self, of: Representative, _: &[Point], state: State) -> Result<Node, Stop> {
        self.walked.intern(Base(of.0), state)
    }

    fn place(&self, node: Node) -> Place {
        let (base, state) = self.walked.parts(node);
        Place { representative: Representative(base.0), state }
    }

    fn tuple(&self, _: Node) -> &[Point] {
        &self.walked.tracked
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.walk.state(of)
    }

    fn start_frame(&mut self, _: Node) -> Option<Permutation> {
        Some(Permutation::identity(self.structure().indices().points()))
    }

    fn label(&self, edge: Taken) -> Label<'_, ()> {
        let action = (edge.code / self.walked.reader.different_marks()).checked_sub(1);
        Label { annotation: &(), action: action.map(|action| self.walk.action(action)) }
    }

    fn annotation(&self, _: StepNumber) -> &() {
        &()
    }

    fn symmetries(&mut self, _: Node) -> Vec<Permutation> {
        Vec::new()
    }

    fn enabled(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(u32, &[i64], Representative),
    ) -> Result<Vec<Permutation>, Stop> {
        self.walk.enabled_edges(of, &mut |edge| each(edge.rule, edge.arguments, edge.target))?;
        Ok(Vec::new())
    }

    fn steps_of(&mut self, base: Base) -> Result<Vec<(Representative, StepNumber)>, Stop> {
        let of = Representative(base.0);
        let mut found = Vec::new();
        let outline = self.walk.edges(of, &mut |edge| found.push((edge.target, edge.number)))?;
        if outline.is_stuck {
            found.push((of, STUTTER));
        }
        Ok(found)
    }

    fn tracked_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop> {
        self.steps(self.place(node).representative)
    }

    fn unfolded_steps(&mut self, node: Node) -> Result<Vec<TrackedEdge>, Stop> {
        self.tracked_steps(node)
    }

    fn read_along(
        &mut self,
        node: Node,
        steps: Vec<TrackedEdge>,
    ) -> Result<Vec<ProductEdge>, Stop> {
        let Place { representative, state } = self.place(node);
        let letter = self.state_letter(representative)?;
        let Outline { is_stuck, .. } = self.walk.edges(representative, &mut |_| ())?;
        let Walked { reader, tracked, nodes, .. } = &mut self.walked;
        let here = (&tracked[..], letter, is_stuck);
        read_steps(reader, self.letters, here, state, steps, |step, state| {
            let target = step.map_or(representative, |step| step.target);
            nodes.intern((target.0, state.0)).map(Node).ok_or(Stop::FULL)
        })
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
