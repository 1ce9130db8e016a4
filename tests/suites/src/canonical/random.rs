//! Random index types, shapes, and states that have symmetries.

use super::plain::Types;
use engine::symmetry::{Permutation, Point};
use engine::system::Shape;
use engine::system::layout::{PRESENT, UNDEFINED};
use model::checked::Group;
use model::types::IndexTypeId;
use run::SplitMix64;

/// The largest group that all elements are looked at of.
const LARGEST: usize = 600;

/// The most cells of a state.
const MOST_CELLS: usize = 60;

/// One to three index types.
pub fn types(random: &mut SplitMix64) -> Types {
    loop {
        let count = 1 + random.below(3);
        let types = (0..count).map(|_| {
            let size = if random.below(6) == 0 { 5 } else { 1 + random.below(4) as u32 };
            let group = match random.below(8) {
                0 => Group::Trivial,
                1 | 2 => Group::Rotations,
                3 | 4 => Group::Dihedral,
                _ => Group::Full,
            };
            (size, group)
        });
        let types = Types(types.collect());
        if types.order() <= LARGEST {
            return types;
        }
    }
}

/// One or two index types, too large for all elements of the group to be looked at.
pub fn large_types(random: &mut SplitMix64) -> Types {
    let types = (0..=random.below(2)).map(|_| {
        let size = 5 + random.below(4) as u32;
        (size, [Group::Rotations, Group::Dihedral, Group::Full, Group::Full][random.below(4)])
    });
    Types(types.collect())
}

/// The shapes of one to three variables.
pub fn shapes(types: &Types, random: &mut SplitMix64) -> Vec<Shape> {
    // Room for a matrix.
    let largest = types.0.iter().map(|&(size, _)| size as usize).max().unwrap_or(0);
    loop {
        let count = 1 + random.below(3);
        let shapes: Vec<_> = (0..count).map(|_| shape(types, 3, random)).collect();
        let cells: usize = shapes.iter().map(width).sum();
        if cells <= MOST_CELLS.max(largest * (largest + 2)) {
            return shapes;
        }
    }
}

fn shape(types: &Types, depth: u32, random: &mut SplitMix64) -> Shape {
    let any = |random: &mut SplitMix64| IndexTypeId(random.below(types.0.len()) as u32);
    let size = |of| i64::from(types.size(of));
    match if depth == 0 { random.below(5) } else { random.below(18) } {
        0 | 1 => {
            let low = random.below(3) as i64 - 1;
            Shape::range(low, low + random.below(3) as i64)
        }
        2 | 3 => {
            let of = any(random);
            let low = if random.below(8) == 0 { 2 } else { 0 };
            Shape::Simple { low, values: size(of) as u64, indices: vec![(of, low)] }
        }
        4 => {
            let low = if random.below(8) == 0 { -3 } else { 0 };
            let (indices, end) = union(types, low, random);
            Shape::Simple { low, values: (end - low) as u64, indices }
        }
        5..=10 => {
            let of = any(random);
            let element = Box::new(shape(types, depth - 1, random));
            Shape::Array { length: size(of) as u64, indices: vec![(of, 0)], element }
        }
        11 => {
            let (indices, end) = union(types, 0, random);
            let element = Box::new(shape(types, depth - 1, random));
            Shape::Array { length: end as u64, indices, element }
        }
        12 => {
            let length = 1 + random.below(3) as u64;
            let element = Box::new(shape(types, depth - 1, random));
            Shape::Array { length, indices: Vec::new(), element }
        }
        13 | 14 => {
            let count = 1 + random.below(3);
            Shape::Record((0..count).map(|_| shape(types, depth - 1, random)).collect())
        }
        _ => {
            let capacity = 1 + random.below(4) as u32;
            Shape::Multiset { capacity, element: Box::new(shape(types, depth - 1, random)) }
        }
    }
}

/// Numbers and values of different index types, from `low` on: where each type begins, and the end.
fn union(types: &Types, low: i64, random: &mut SplitMix64) -> (Vec<(IndexTypeId, i64)>, i64) {
    let mut indices: Vec<(IndexTypeId, i64)> = Vec::new();
    let mut end = low;
    for _ in 0..2 + random.below(2) {
        let of = IndexTypeId(random.below(types.0.len()) as u32);
        if random.below(3) == 0 || indices.iter().any(|&(known, _)| known == of) {
            end += 1 + random.below(2) as i64;
        } else {
            indices.push((of, end));
            end += i64::from(types.size(of));
        }
    }
    (indices, end)
}

/// How many cells a value takes.
fn width(shape: &Shape) -> usize {
    match shape {
        Shape::Simple { .. } => 1,
        Shape::Array { length, element, .. } => *length as usize * width(element),
        Shape::Record(parts) => parts.iter().map(width).sum(),
        Shape::Multiset { capacity, element } => *capacity as usize * (1 + width(element)),
    }
}

/// Makes states that a permutation leaves as they are; any state, if it is the identity.
pub struct States<'c> {
    pub types: &'c Types,
    pub random: &'c mut SplitMix64,
    /// Simple values are chosen among so many.
    pub palette: usize,
    /// One in so many simple values is undefined.
    pub undefined: usize,
}

impl States<'_> {
    pub fn fixed_by(&mut self, by: &Permutation, shapes: &[Shape]) -> Vec<i64> {
        shapes.iter().flat_map(|shape| self.value(by, shape)).collect()
    }

    fn value(&mut self, by: &Permutation, shape: &Shape) -> Vec<i64> {
        match shape {
            Shape::Simple { low, values, indices } => {
                let all = *low..*low + *values as i64;
                let fixed = |value: &i64| self.types.renamed(by, indices, *value) == *value;
                let mut candidates: Vec<i64> = all.filter(fixed).collect();
                candidates.truncate(self.palette);
                if self.random.below(self.undefined) == 0 {
                    candidates.clear();
                }
                vec![self.random.pick(&candidates).copied().unwrap_or(UNDEFINED)]
            }
            Shape::Array { length, indices, element } => {
                let mut parts = vec![Vec::new(); *length as usize];
                for first in 0..*length as i64 {
                    if !parts[first as usize].is_empty() {
                        continue;
                    }
                    let mut cycle = vec![first];
                    while let Some(&last) = cycle.last()
                        && self.types.renamed(by, indices, last) != first
                    {
                        cycle.push(self.types.renamed(by, indices, last));
                    }
                    // Round the cycle it must come back as it was.
                    let mut part = self.value(&power(by, cycle.len()), element);
                    for position in cycle {
                        parts[position as usize].clone_from(&part);
                        part = self.types.image(by, element, &mut &part[..]);
                    }
                }
                parts.concat()
            }
            Shape::Record(parts) => parts.iter().flat_map(|part| self.value(by, part)).collect(),
            Shape::Multiset { capacity, element } => {
                let mut elements: Vec<Vec<i64>> = Vec::new();
                for _ in 0..=self.random.below(*capacity as usize) {
                    let period = 1 + self.random.below(3);
                    let first = self.value(&power(by, period), element);
                    let mut orbit = vec![first.clone()];
                    loop {
                        let last = orbit.last().expect("it is not empty");
                        let next = self.types.image(by, element, &mut &last[..]);
                        if next == first {
                            break;
                        }
                        orbit.push(next);
                    }
                    if elements.len() + orbit.len() <= *capacity as usize {
                        elements.extend(orbit);
                    }
                }
                if self.random.below(4) == 0 {
                    elements.clear();
                }
                elements.sort();
                let slots = elements.into_iter().flat_map(|one| [vec![PRESENT], one].concat());
                let mut cells: Vec<i64> = slots.collect();
                cells.resize(width(shape), UNDEFINED);
                cells
            }
        }
    }
}

fn power(by: &Permutation, exponent: usize) -> Permutation {
    let identity = Permutation::identity(by.points());
    (0..exponent).fold(identity, |product, _| by.after(&product))
}

/// Up to three points.
pub fn tuple(points: usize, random: &mut SplitMix64) -> Vec<Point> {
    (0..random.below(4)).map(|_| random.below(points) as Point).collect()
}
