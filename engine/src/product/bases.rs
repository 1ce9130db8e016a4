//! Numbers for (r, l): representatives with the points that are tracked there.

use super::pairs::Pairs;
use super::{Base, Stop};
use crate::quotient::Representative;
use crate::symmetry::{Indices, Point};
use hashbrown::HashMap;

/// If a representative has at most so many nodes, whatever is tracked there, numbers of (r, l) are
/// calculated: unused ones take little memory.
const MOST_UNUSED: usize = 16;

/// The (r, l) that were reached so far.
pub(super) enum Bases {
    /// Nothing is tracked: l is empty, and r itself is the number of (r, l).
    Untracked,
    Tracked(Tracked),
}

pub(super) struct Tracked {
    /// r and the number of l.
    pairs: Pairs,
    tuples: Vec<Vec<Point>>,
    numbers: HashMap<Vec<Point>, u32>,
}

impl Bases {
    /// Creates an empty table for tuples of points of these index types, in a product with an
    /// automaton of so many states.
    pub(super) fn new(tracked: &[Point], indices: &Indices, states: usize) -> Bases {
        if tracked.is_empty() {
            return Bases::Untracked;
        }
        // A point stays in its type.
        let sizes = tracked.iter().map(|&point| indices.points_of(indices.value(point).0).len());
        let most = sizes.fold(1, usize::saturating_mul);
        let pairs = if most.saturating_mul(states) <= MOST_UNUSED {
            Pairs::below(most)
        } else {
            Pairs::new()
        };
        let (tuples, numbers) = (Vec::new(), HashMap::new());
        Bases::Tracked(Tracked { pairs, tuples, numbers })
    }

    /// The number of (r, l); an error if the numbers are used up.
    #[inline]
    pub(super) fn intern(&mut self, of: Representative, tuple: &[Point]) -> Result<Base, Stop> {
        match self {
            Bases::Untracked => Ok(Base(of.0)),
            Bases::Tracked(tracked) => tracked.intern(of, tuple).ok_or(Stop::FULL),
        }
    }

    /// The r and l of a number.
    #[inline]
    pub(super) fn get(&self, base: Base) -> (Representative, &[Point]) {
        match self {
            Bases::Untracked => (Representative(base.0), &[]),
            Bases::Tracked(Tracked { pairs, tuples, .. }) => {
                let (representative, tuple) = pairs.get(base.0);
                (Representative(representative), &tuples[tuple as usize])
            }
        }
    }
}

impl Tracked {
    fn intern(&mut self, of: Representative, tuple: &[Point]) -> Option<Base> {
        let number = if let Some(&known) = self.numbers.get(tuple) {
            known
        } else {
            let number = u32::try_from(self.tuples.len()).ok()?;
            self.tuples.push(tuple.to_vec());
            self.numbers.insert(tuple.to_vec(), number);
            number
        };
        self.pairs.intern((of.0, number)).map(Base)
    }
}
