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

    /// Reports the edges that leave a representative one by one, in the order of the rules and
    /// their instances. `each` must not use the quotient.
    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt>;

    /// The rule and the arguments of an action of an edge that was reported.
    fn action(&self, action: ActionNumber) -> (u32, &[i64]);
}

/// Walks a quotient that [is plain](Quotient::is_plain). It owns its scratch buffers: one per
/// thread.
pub struct PlainWalker<'q> {
    quotient: &'q Quotient<'q>,
    starts: Starts<'q>,
    successors: Successors<'q>,
    packed: Vec<u64>,
    /// The representative whose steps were computed last, if their targets were numbered.
    made: Option<Representative>,
    actions: Actions,
    /// The indices of the steps that no assumption cuts, and their targets.
    left: Vec<u32>,
    targets: Vec<Representative>,
}

impl<'q> PlainWalker<'q> {
    /// Creates a walker that is before the first start.
    pub fn new(quotient: &'q Quotient<'q>) -> Self {
        PlainWalker {
            starts: quotient.starts(),
            successors: quotient.successors(),
            packed: vec![0; quotient.layout().words()],
            made: None,
            actions: Actions::default(),
            left: Vec::new(),
            targets: Vec::new(),
            quotient,
        }
    }

    /// Computes the steps out of a representative, and looks up the numbers of their targets.
    fn make(&mut self, of: Representative) -> Result<(), Unbuilt> {
        let PlainWalker { quotient, successors, packed, left, targets, .. } = self;
        quotient.space.load(of, packed);
        let words = quotient.layout().words();
        left.clear();
        successors.of(packed, |step| left.push(to_u32(step.number)))?;
        let steps = successors.steps();
        targets.clear();
        // A state may have very many steps, and nothing asks for limits while states are locked.
        for left in left.chunks((MOST_WORDS / words.max(1)).max(1)) {
            let each = left.iter().map(|&k| &steps.targets[k as usize * words..][..words]);
            quotient.space.intern_all(each, targets).ok_or_else(|| quotient.full())?;
            run::poll_for((left.len() * words) as u64 / 64);
        }
        Ok(())
    }
}

impl PlainWalk for PlainWalker<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.starts.next()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.quotient.space.load(of, &mut self.packed);
        &self.packed
    }

    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        if self.made != Some(of) {
            self.made = None;
            self.make(of)?;
            self.made = Some(of);
        }
        let steps = self.successors.steps();
        let portions = self.targets.chunks(PORTION).zip(self.left.chunks(PORTION));
        for (portion, (targets, left)) in portions.enumerate() {
            if portion > 0 {
                run::poll_for(PORTION as u64);
            }
            for (&target, &k) in targets.iter().zip(left) {
                let rule = steps.labels[k as usize].rule;
                let arguments = steps.arguments_of(k as usize);
                each(PlainEdge {
                    number: k,
                    action: self.actions.intern(rule, arguments),
                    rule,
                    arguments,
                    target,
                });
            }
        }
        Ok(Outline { edges: self.left.len(), is_stuck: steps.labels.is_empty() })
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
