//! The stabilisers of representatives, and the results of computations with them, each made once.
//!
//! There are far fewer groups than representatives: those of n processes in a row are the ways to
//! cut the row into intervals of equal ones. And crossing an edge asks for little more than the
//! least tuple of an orbit, or the orbits of a subgroup, of few groups and few tuples. So groups are
//! numbered, and results are found by the number of the group and the points in question.

use super::Representative;
use crate::interned::Interned;
use crate::product::narrow::Narrow;
use crate::rows::Rows;
use crate::symmetry::{Permutation, Point, Reached, Stabiliser};
use std::sync::Arc;

/// The number of a group. It is valid until the next call of [`Groups::tidy`].
pub(super) type GroupNumber = u32;

/// The number of points in all that the groups and results of a walker may have. Systems with more
/// have so many points that the memory is better used otherwise.
const MOST_POINTS: usize = 1 << 19;

/// The groups of a walker.
#[derive(Default)]
pub(super) struct Groups {
    /// By representative: the number of its stabiliser plus one; 0 if it is not known.
    of: Narrow,
    numbered: Interned<Stabiliser>,
    /// By group: whether it is trivial.
    trivial: Vec<bool>,
    /// By group and tuple: the least tuple of the orbit, and an element that leads back.
    least: Memo<Reached>,
    /// By group and tuple: the subgroup that fixes the tuple.
    fixing: Memo<GroupNumber>,
    /// By group, subgroup and tuple: see [`Groups::spread`].
    spread: Memo<Arc<[Element]>>,
    /// The points of all groups and results.
    points: usize,
    /// A buffer for keys.
    key: Vec<u32>,
}

/// An element of a group, and its inverse.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) by: Permutation,
    pub(super) back: Permutation,
}

/// Results by rows of numbers.
struct Memo<T> {
    keys: Rows<u32>,
    values: Vec<T>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo { keys: Rows::default(), values: Vec::new() }
    }
}

impl<T> Memo<T> {
    /// The index of the result for a key; it is computed if it is not known.
    fn find(&mut self, key: &[u32], compute: impl FnOnce() -> T) -> usize {
        let number = self.keys.intern(key) as usize;
        if number == self.values.len() {
            self.values.push(compute());
        }
        number
    }
}

impl Groups {
    /// Forgets everything if it takes too much memory. Numbers of groups are invalid then.
    pub(super) fn tidy(&mut self) {
        if self.points > MOST_POINTS {
            *self = Groups::default();
        }
    }

    /// The stabiliser of a representative, if it is known.
    #[inline]
    pub(super) fn of(&self, of: Representative) -> Option<GroupNumber> {
        self.of.get(of.0 as usize).checked_sub(1)
    }

    /// Records the stabiliser of a representative.
    pub(super) fn insert(&mut self, of: Representative, group: &Stabiliser) -> GroupNumber {
        let number = self.number(group);
        self.of.set(of.0 as usize, number + 1);
        number
    }

    fn number(&mut self, group: &Stabiliser) -> GroupNumber {
        let number = self.numbered.intern(group);
        if self.trivial.len() < self.numbered.len() {
            self.trivial.push(group.is_trivial());
            self.points += 3 * group.points();
        }
        number
    }

    /// The group with a number.
    pub(super) fn get(&self, group: GroupNumber) -> &Stabiliser {
        self.numbered.get(group)
    }

    /// Whether a group consists of the identity alone.
    #[inline]
    pub(super) fn is_trivial(&self, group: GroupNumber) -> bool {
        self.trivial[group as usize]
    }

    /// See [`Stabiliser::least`].
    pub(super) fn least(&mut self, group: GroupNumber, tuple: &[Point]) -> &Reached {
        let Groups { numbered: groups, least, points, key, .. } = self;
        key.clear();
        key.push(group);
        key.extend_from_slice(tuple);
        let at = least.find(key, || {
            let group = groups.get(group);
            *points += group.points() + 2 * tuple.len();
            group.least(tuple)
        });
        &least.values[at]
    }

    /// See [`Stabiliser::fixing`].
    pub(super) fn fixing(&mut self, group: GroupNumber, tuple: &[Point]) -> GroupNumber {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push(group);
        key.extend_from_slice(tuple);
        let mut memo = std::mem::take(&mut self.fixing);
        let at = memo.find(&key, || {
            let inner = self.numbered.get(group).fixing(tuple);
            self.points += 2 * tuple.len();
            self.number(&inner)
        });
        (self.key, self.fixing) = (key, memo);
        self.fixing.values[at]
    }

    /// Elements of a group that take a tuple to one representative of each orbit of a subgroup, in
    /// the order of [`Stabiliser::orbits_within`].
    pub(super) fn spread(
        &mut self,
        outer: GroupNumber,
        inner: GroupNumber,
        tuple: &[Point],
    ) -> Arc<[Element]> {
        let Groups { numbered: groups, spread, points, key, .. } = self;
        key.clear();
        key.extend([outer, inner]);
        key.extend_from_slice(tuple);
        let at = spread.find(key, || {
            let within = groups.get(outer).orbits_within(groups.get(inner), tuple);
            *points += 2 * within.len() * groups.get(outer).points() + tuple.len();
            let element = |Reached { by, .. }: Reached| Element { back: by.inverse(), by };
            within.into_iter().map(element).collect()
        });
        Arc::clone(&spread.values[at])
    }
}
