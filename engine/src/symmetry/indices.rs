//! The index types of a system, their values as points, and the group that permutes them.
//!
//! The group is the product over the types: all permutations of one, rotations of another, each by
//! itself.

use super::{Permutation, Point, Stabiliser};
use crate::narrow::to_u32;
use std::ops::Range;
use terms::Group;
use terms::IndexTypeId;

/// An index type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexType {
    /// The number of values.
    pub size: u32,
    /// The group that permutes the values. Invariant, once it is in [`Indices`]: the simplest name
    /// of the group; rotations have at least 3 points, a dihedral group at least 4, a full one at
    /// least 2.
    pub group: Group,
}

/// All index types of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Indices {
    /// By [`IndexTypeId`], with the first point of each.
    types: Vec<(IndexType, Point)>,
    points: usize,
}

impl Indices {
    /// Index types in this order.
    pub fn new(types: impl IntoIterator<Item = IndexType>) -> Indices {
        let mut points = 0;
        let types = types.into_iter().map(|IndexType { size, group }| {
            let first = points;
            points += size;
            let group = match (group, size) {
                (_, 0 | 1) => Group::Trivial,
                (Group::Rotations, 2) | (Group::Dihedral, 2 | 3) => Group::Full,
                (group, _) => group,
            };
            (IndexType { size, group }, first)
        });
        let types = types.collect();
        Indices { types, points: points as usize }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The points of a type.
    pub fn points_of(&self, of: IndexTypeId) -> Range<Point> {
        let (IndexType { size, .. }, first) = self.types[of.0 as usize];
        first..first + size
    }

    /// The group of a type.
    pub fn group(&self, of: IndexTypeId) -> Group {
        self.types[of.0 as usize].0.group
    }

    /// All types.
    pub fn types(&self) -> impl Iterator<Item = IndexTypeId> + use<> {
        (0..to_u32(self.types.len())).map(IndexTypeId)
    }

    /// The type of a point, and the number of the value that it is.
    pub fn value(&self, point: Point) -> (IndexTypeId, u32) {
        let at = self.types.partition_point(|&(_, first)| first <= point) - 1;
        (IndexTypeId(to_u32(at)), point - self.types[at].1)
    }

    /// Whether the group consists of the identity alone.
    pub fn is_trivial(&self) -> bool {
        self.types.iter().all(|(of, _)| of.group == Group::Trivial)
    }

    /// The same types with trivial groups.
    #[must_use]
    pub fn frozen(&self) -> Indices {
        let group = Group::Trivial;
        Indices::new(self.types.iter().map(|(of, _)| IndexType { size: of.size, group }))
    }

    /// Generators of the whole group.
    pub fn generators(&self) -> Vec<Permutation> {
        self.all().generators()
    }

    /// The whole group, as the stabiliser of a state without cells.
    pub fn all(&self) -> Stabiliser {
        Stabiliser::of_all(self)
    }
}
