//! Edges of a quotient without permutations: every state is its own representative, and every step
//! its own orbit.
//!
//! Such edges are not stored. Computing them again takes about as long as reading them, and they
//! would take more memory than everything else: a search needs them once for each state of the
//! automaton, and a few times more where it computes strongly connected components.
//!
//! The *actions* of steps are few. They are numbered, so that callers compute a fact about an
//! action only once.

use super::successors::Successors;
use super::{ActionNumber, Actions, Outline, Quotient, Representative, Starts, Unbuilt};
use crate::narrow::to_u32;
use crate::space::Targets;

/// An edge without a permutation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainEdge<'e> {
    /// The index of the edge among those that leave its representative. Indices ascend, but some
    /// may be unused.
    pub number: u32,
    /// The action of the step.
    pub action: ActionNumber,
    /// The rule of the step.
    pub rule: u32,
    /// The arguments of the event, as cells.
    pub arguments: &'e [i64],
    /// The representative that the edge leads to.
    pub target: Representative,
}

/// The words of targets that are looked up at once.
const MOST_WORDS: usize = 1 << 16;

/// The edges of one state that are reported between two polls.
const PORTION: usize = 1 << 7;

/// A quotient without permutations, as products walk it. The one implementation is [`PlainWalker`];
/// tests have others that disturb it.
pub trait PlainWalk {
    /// The next start state. Each is returned once.
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>>;

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// Makes the edges of the first of these representatives together: that takes less time where
    /// many threads share the quotient. They are to be asked for next, and in this order. Returns
    /// how many these are, at least one.
    fn prepare(&mut self, all: &[Representative]) -> Result<usize, Unbuilt> {
        Ok(all.len())
    }

    /// Reports the edges that leave a representative one by one, in the order of the rules and
    /// their instances. `each` must not use the quotient.
    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt>;

    /// Reports the edges of all enabled steps of a representative. A walk that omits steps reports them
    /// here nevertheless.
    fn enabled_edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        self.edges(of, each)
    }

    /// The rule and the arguments of an action of an edge that was reported.
    fn action(&self, action: ActionNumber) -> (u32, &[i64]);
}

/// Walks a quotient that [is plain](Quotient::is_plain). It owns its scratch buffers: one per
/// thread.
pub struct PlainWalker<'q> {
    quotient: &'q Quotient<'q>,
    starts: Starts<'q>,
    successors: Successors<'q>,
    /// The representatives whose edges were made last, and the one of them that was asked for last;
    /// [`NOWHERE`] unless all of it is complete.
    made: Vec<Made>,
    at: usize,
    /// Their packed states, and all their edges.
    states: Vec<u64>,
    edges: Vec<Step>,
    targets: Vec<Representative>,
    sent: Targets,
    actions: Actions,
    /// A state that was asked for without its edges.
    other: Vec<u64>,
}

/// The place of no representative.
const NOWHERE: usize = usize::MAX;

/// A representative whose edges are known.
struct Made {
    of: Representative,
    is_stuck: bool,
    /// Where its edges end among those of all.
    end: usize,
}

/// A step that no assumption cuts: its index among the steps of its state, and its action.
struct Step {
    number: u32,
    action: ActionNumber,
}

impl<'q> PlainWalker<'q> {
    /// Creates a walker that is before the first start.
    pub fn new(quotient: &'q Quotient<'q>) -> Self {
        PlainWalker {
            starts: quotient.starts(),
            successors: quotient.successors(),
            made: Vec::new(),
            at: NOWHERE,
            states: Vec::new(),
            edges: Vec::new(),
            targets: Vec::new(),
            sent: quotient.space.targets(),
            actions: Actions::default(),
            other: vec![0; quotient.layout().words()],
            quotient,
        }
    }

    /// Makes the edges of the first of these representatives, and looks up all their targets
    /// together. Returns how many these are. A fault of a later one than the first is left to be
    /// found when that is asked for.
    fn make(&mut self, all: &[Representative]) -> Result<usize, Unbuilt> {
        self.made.clear();
        self.edges.clear();
        self.targets.clear();
        self.sent.clear();
        self.at = NOWHERE;
        let words = self.quotient.layout().words();
        self.quotient.space.load_all(all, words, &mut self.states);
        for (k, &of) in all.iter().enumerate() {
            let PlainWalker { successors, states, edges, actions, .. } = self;
            let first = edges.len();
            let made = successors.of(&states[k * words..][..words], |step| {
                let action = actions.intern(step.rule(), step.arguments());
                edges.push(Step { number: to_u32(step.number), action });
            });
            let is_stuck = match made {
                Ok(is_stuck) => is_stuck,
                Err(fault) if k == 0 => return Err(fault.into()),
                Err(_) => {
                    edges.truncate(first);
                    break;
                }
            };
            self.quotient.fired.note(self.successors.steps());
            self.made.push(Made { of, is_stuck, end: edges.len() });
            self.send(first)?;
            if self.targets.len() * words >= MOST_WORDS {
                break;
            }
        }
        self.look_up()?;
        self.at = 0;
        Ok(self.made.len())
    }

    /// Sends the targets of the edges from this number on, those of the steps that were computed last.
    fn send(&mut self, first: usize) -> Result<(), Unbuilt> {
        let words = self.quotient.layout().words();
        // A state may have very many steps, and nothing asks for limits while states are locked.
        let portion = (MOST_WORDS / words.max(1)).max(1);
        for from in (first..self.edges.len()).step_by(portion) {
            if from > first {
                self.look_up()?;
            }
            let PlainWalker { successors, edges, targets, sent, .. } = self;
            let steps = successors.steps();
            for step in &edges[from..edges.len().min(from + portion)] {
                let target = &steps.targets[step.number as usize * words..][..words];
                sent.send(target, to_u32(targets.len()));
                targets.push(Representative(0));
            }
        }
        Ok(())
    }

    /// Looks up the targets that were sent.
    fn look_up(&mut self) -> Result<(), Unbuilt> {
        let PlainWalker { quotient, targets, sent, .. } = self;
        let count = sent.count();
        quotient.space.look_up(sent, targets).ok_or_else(|| quotient.full())?;
        sent.clear();
        run::poll_for((count * quotient.layout().words()) as u64 / 64);
        Ok(())
    }

    /// The place of a representative among those whose edges were made, if it is the one that was
    /// asked for last, or the next.
    #[inline]
    fn place(&self, of: Representative) -> Option<usize> {
        let near = self.made.get(self.at..)?.iter().take(2);
        near.zip(self.at..).find_map(|(made, at)| (made.of == of).then_some(at))
    }
}

impl PlainWalk for PlainWalker<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.starts.next()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        if let Some(at) = self.place(of) {
            let words = self.other.len();
            return &self.states[at * words..][..words];
        }
        self.quotient.space.load(of, &mut self.other);
        &self.other
    }

    fn prepare(&mut self, all: &[Representative]) -> Result<usize, Unbuilt> {
        self.make(all)
    }

    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        self.at = if let Some(at) = self.place(of) {
            at
        } else {
            self.make(&[of])?;
            0
        };
        let Made { is_stuck, end, .. } = self.made[self.at];
        let first = self.at.checked_sub(1).map_or(0, |before| self.made[before].end);
        let steps = self.edges[first..end].chunks(PORTION);
        for (portion, (targets, steps)) in
            self.targets[first..end].chunks(PORTION).zip(steps).enumerate()
        {
            if portion > 0 {
                run::poll_for(PORTION as u64);
            }
            for (&target, &Step { number, action }) in targets.iter().zip(steps) {
                let (rule, arguments) = self.actions.get(action);
                each(PlainEdge { number, action, rule, arguments, target });
            }
        }
        Ok(Outline { edges: end - first, is_stuck })
    }

    fn action(&self, action: ActionNumber) -> (u32, &[i64]) {
        self.actions.get(action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Space;
    use crate::symmetry::Reduction;
    use crate::system::example::Example;
    use crate::system::{Layout, Shape};
    use run::{StopReason, Ticker};

    /// The only step of 2 leads to a state that violates an assumption, and 3 is stuck. A step out
    /// of 4 fails, and so does an assumption about the target of 7.
    fn system() -> Example {
        Example {
            layout: Layout::new(vec![Shape::range(0, 7)]),
            indices: Vec::new(),
            rules: vec![vec![Shape::range(0, 1)], vec![], vec![], vec![], vec![], vec![]],
            start: vec![0],
            next: |cells| {
                let x = cells[0];
                let go = |i| (0, vec![i], Some(vec![x + 1 + i]));
                let to = |rule, target| (rule, vec![], Some(vec![target]));
                match x {
                    0 => vec![go(0), go(1)],
                    1 => vec![go(0), go(1), to(1, 4), to(4, 7)],
                    2 => vec![to(2, 5)],
                    4 => vec![(3, vec![], None)],
                    7 => vec![to(5, 6)],
                    _ => vec![],
                }
            },
            assumed: Some(|cells| (cells[0] != 6).then_some(cells[0] != 5)),
        }
    }

    /// Compares the edges that a walker reports with those that are computed from scratch.
    fn compare(quotient: &Quotient<'_>, walker: &mut PlainWalker<'_>, of: Representative) {
        let mut packed = vec![0; quotient.layout().words()];
        quotient.space.load(of, &mut packed);
        let mut told = Vec::new();
        let outline = walker.edges(of, &mut |edge| {
            told.push((edge.number, edge.action, edge.rule, edge.arguments.to_vec(), edge.target));
        });
        let expected = quotient.successors().tracked_edges(&packed, &[]);
        let (outline, expected) = match (outline, expected) {
            (Ok(outline), Ok(expected)) => (outline, expected),
            (outline, expected) => {
                return assert_eq!(outline.err(), expected.err().map(Unbuilt::from));
            }
        };
        let (wanted, is_stuck) = expected;
        assert_eq!(outline, Outline { edges: wanted.len(), is_stuck });
        assert_eq!(told.len(), wanted.len());
        assert!(told.is_sorted_by(|one, other| one.0 < other.0), "{told:?}");
        for ((_, action, rule, arguments, target), wanted) in told.iter().zip(&wanted) {
            assert_eq!((*rule, arguments), (wanted.rule, &wanted.arguments));
            assert_eq!(walker.action(*action), (*rule, &arguments[..]));
            assert_eq!(walker.state(*target), &*wanted.target);
        }
    }

    /// The edges belong to the requested representative, whatever was requested before, and whether
    /// or not that failed.
    #[test]
    fn edges_are_those_of_who_is_asked_for() {
        let system = system();
        let quotient = Quotient::new(&system, Reduction::Off);
        assert!(quotient.is_plain());
        let mut walker = PlainWalker::new(&quotient);
        let start = quotient.starts().next().expect("there is one").expect("it does not fail");
        let mut all = vec![start];
        let (mut next, mut failed) = (0, 0);
        while let Some(&of) = all.get(next) {
            next += 1;
            let told = walker.edges(of, &mut |edge| {
                if !all.contains(&edge.target) {
                    all.push(edge.target);
                }
            });
            failed += usize::from(told.is_err());
        }
        assert_eq!((all.len(), failed), (6, 2));
        for &one in &all {
            for &other in &all {
                compare(&quotient, &mut walker, one);
                compare(&quotient, &mut walker, one);
                walker.state(other);
                compare(&quotient, &mut walker, one);
                compare(&quotient, &mut walker, other);
            }
        }
    }

    /// Edges that are made together are those that are made one by one, and a failure is reported when it
    /// is asked for, not before.
    #[test]
    fn prepared_edges_are_the_same() {
        let system = system();
        let quotient = Quotient::new(&system, Reduction::Off);
        let start = quotient.starts().next().expect("there is one").expect("it does not fail");
        let mut all = vec![start];
        for next in 0..6 {
            let _ = quotient.walker().without_failures().edges(all[next]).map(|edges| {
                let targets = edges.iter().map(|edge| edge.target);
                let new: Vec<_> = targets.filter(|target| !all.contains(target)).collect();
                all.extend(new);
            });
        }
        assert_eq!(all.len(), 6);
        for first in 0..all.len() {
            let mut walker = PlainWalker::new(&quotient);
            let (mut next, mut failed) = (first, 0);
            while next < all.len() {
                if let Ok(made) = walker.prepare(&all[next..]) {
                    assert!(made > 0);
                    for &of in &all[next..next + made] {
                        let state = walker.state(of).to_vec();
                        compare(&quotient, &mut walker, of);
                        assert_eq!(walker.state(of), state);
                    }
                    next += made;
                } else {
                    assert!(walker.edges(all[next], &mut |_| ()).is_err());
                    failed += 1;
                    next += 1;
                }
            }
            assert!(first > 0 || failed == 2);
        }
    }

    /// A quotient whose numbers are used up reports this, both for edges and for starts.
    #[test]
    fn numbers_that_are_used_up_are_a_limit() {
        let system = Example {
            layout: Layout::new(vec![Shape::range(0, 999)]),
            indices: Vec::new(),
            rules: vec![vec![Shape::range(0, 999)]],
            start: vec![3],
            next: |_| (0..1000).map(|x| (0, vec![x], Some(vec![x]))).collect(),
            assumed: None,
        };
        for most in 0..10 {
            let mut quotient = Quotient::new(&system, Reduction::Off);
            let bytes = quotient.layout().bytes();
            quotient.space = Space::undivided_below(bytes, most);
            let is_full = |found: Unbuilt| {
                found == Unbuilt::Stopped(StopReason::States(quotient.representatives()))
            };
            let first = quotient.starts().next().expect("there is one");
            if most == 0 {
                assert!(first.is_err_and(is_full));
                continue;
            }
            let first = first.expect("there is room");
            let mut walker = PlainWalker::new(&quotient);
            assert!(walker.edges(first, &mut |_| ()).is_err_and(is_full));
            assert!(quotient.walker().edges(first).is_err_and(is_full));
            assert!(quotient.build(&Ticker::new(&|_| None)).is_err_and(is_full));
            assert_eq!(quotient.representatives(), most);
        }
    }
}
