//! Numbers for (r, l) that several threads give.
//!
//! Which number is given depends on which thread comes first. So nothing else may depend on numbers.

use super::lock;
use crate::narrow::{low_u32, to_u32};
use crate::product::pairs::Pairs;
use crate::quotient::Representative;
use crate::rows::{KnownRows, SharedRows};
use crate::symmetry::{Indices, Point};
use std::hash::BuildHasher as _;
use std::sync::Mutex;

/// The tables among which (r, l) are divided.
const SHARDS: usize = 64;

/// If a representative has at most so many tuples, numbers are calculated: unused ones take little
/// memory.
const MOST_CALCULATED: usize = 8;

/// The (r, l) that were reached so far.
pub(super) enum Bases {
    /// Nothing is tracked: r itself is the number.
    Untracked,
    /// r times the number of tuples, plus the number of l.
    Calculated { tuples: Tuples, width: u32 },
    /// By shard: pairs of r and the number of l. The number of (r, l) is that of the pair in its
    /// shard, times the number of shards, plus the shard.
    Hashed { tuples: Tuples, shards: Box<[Mutex<Pairs>]> },
}

/// The numbers of tuples.
type Tuples = SharedRows<Point>;

/// The numbers of tuples that a thread knows.
pub(super) type KnownTuples = KnownRows<Point>;

impl Bases {
    /// No (r, l) yet, for tuples of points of the types of these.
    pub(super) fn new(tracked: &[Point], indices: &Indices) -> Bases {
        if tracked.is_empty() {
            return Bases::Untracked;
        }
        let sizes = tracked.iter().map(|&point| indices.points_of(indices.value(point).0).len());
        let most = sizes.fold(1, usize::saturating_mul);
        let tuples = Tuples::default();
        if most <= MOST_CALCULATED {
            Bases::Calculated { tuples, width: to_u32(most) }
        } else {
            let shards = (0..SHARDS).map(|_| Mutex::new(Pairs::new())).collect();
            Bases::Hashed { tuples, shards }
        }
    }

    /// The number of (r, l); none if the numbers are used up.
    #[inline]
    pub(super) fn intern(
        &self,
        known: &mut KnownTuples,
        of: Representative,
        tuple: &[Point],
    ) -> Option<u32> {
        match self {
            Bases::Untracked => Some(of.0),
            Bases::Calculated { tuples, width } => {
                of.0.checked_mul(*width)?.checked_add(known.number(tuples, tuple))
            }
            Bases::Hashed { tuples, shards } => {
                let pair = (of.0, known.number(tuples, tuple));
                let hash = foldhash::fast::FixedState::with_seed(0x5e75).hash_one(pair);
                let shard = low_u32(hash >> 32) as usize % SHARDS;
                let number = lock(&shards[shard]).intern(pair)?;
                number.checked_mul(to_u32(SHARDS))?.checked_add(to_u32(shard))
            }
        }
    }

    /// The r and l of a number; l is written to `tuple`.
    #[inline]
    pub(super) fn get(&self, base: u32, tuple: &mut Vec<Point>) -> Representative {
        tuple.clear();
        let (tuples, (of, number)) = match self {
            Bases::Untracked => return Representative(base),
            Bases::Calculated { tuples, width } => (tuples, (base / width, base % width)),
            Bases::Hashed { tuples, shards } => {
                let shard = base as usize % SHARDS;
                (tuples, lock(&shards[shard]).get(base / to_u32(SHARDS)))
            }
        };
        tuple.extend_from_slice(tuples.get(number));
        Representative(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::IndexType;
    use std::collections::HashMap;
    use terms::Group;

    #[test]
    fn numbers_lead_back() {
        for sizes in [vec![], vec![5], vec![7, 4]] {
            let types = sizes.iter().map(|&size| IndexType { size, group: Group::Full });
            let indices = Indices::new(types);
            let tracked: Vec<Point> =
                indices.types().map(|of| indices.points_of(of).start).collect();
            let bases = Bases::new(&tracked, &indices);
            let mut threads = [KnownTuples::default(), KnownTuples::default()];
            let mut random = run::SplitMix64::new(4);
            let mut numbers = HashMap::new();
            for _ in 0..3000 {
                let of = Representative(random.below(200) as u32);
                let tuple: Vec<Point> = indices
                    .types()
                    .map(|of| indices.points_of(of).start + random.below(4) as Point)
                    .collect();
                let known = &mut threads[random.below(2)];
                let number = bases.intern(known, of, &tuple).expect("there are few");
                let first = *numbers.entry((of, tuple.clone())).or_insert(number);
                assert_eq!(first, number);
                let mut found = Vec::new();
                assert_eq!(bases.get(number, &mut found), of);
                assert_eq!(found, tuple);
            }
            let different: std::collections::HashSet<u32> = numbers.values().copied().collect();
            assert_eq!(different.len(), numbers.len());
        }
    }
}
