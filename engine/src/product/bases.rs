//! Numbers for (r, l): representatives with the points that are tracked there.

use super::pairs::Pairs;
use super::{Base, Stop};
use crate::quotient::Representative;
use crate::symmetry::Point;
use hashbrown::HashMap;

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
    /// Creates an empty table.
    pub(super) fn new(tracks: bool) -> Bases {
        if !tracks {
            return Bases::Untracked;
        }
        let (tuples, numbers) = (Vec::new(), HashMap::new());
        Bases::Tracked(Tracked { pairs: Pairs::new(), tuples, numbers })
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
