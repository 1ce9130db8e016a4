//! Loop groups of permutations.

use super::annotation::LoopGroup;
use super::objects::{Kind, Object, Objects, Set};
use crate::symmetry::{OrbitPartition, Permutation, Point, StabiliserChain};

/// A loop group, in as much detail as is needed.
pub enum PermutationGroup {
    /// Only its orbits on points.
    Orbits(OrbitPartition),
    /// The whole group.
    Whole(Box<StabiliserChain>),
}

impl LoopGroup<Permutation> for PermutationGroup {
    fn trivial(points: usize, are_points_enough: bool) -> PermutationGroup {
        if are_points_enough {
            PermutationGroup::Orbits(OrbitPartition::new(points))
        } else {
            PermutationGroup::Whole(Box::new(StabiliserChain::trivial(points)))
        }
    }

    fn extend(&mut self, generator: &Permutation) -> bool {
        match self {
            _ if generator.is_identity() => false,
            PermutationGroup::Orbits(partition) => partition.join(generator),
            PermutationGroup::Whole(chain) => chain.extend(generator.clone()),
        }
    }

    fn join(&mut self, other: &PermutationGroup) {
        match (self, other) {
            (PermutationGroup::Orbits(partition), PermutationGroup::Orbits(other)) => {
                partition.merge(other);
            }
            (PermutationGroup::Whole(chain), PermutationGroup::Whole(other)) => {
                for generator in other.generators() {
                    chain.extend(generator.clone());
                }
            }
            _ => unreachable!("all groups of a search are known alike"),
        }
    }

    fn contains(&self, permutation: &Permutation) -> bool {
        match self {
            PermutationGroup::Whole(chain) => chain.contains(permutation),
            PermutationGroup::Orbits(_) => unreachable!("it is known whole where this is asked"),
        }
    }

    fn close(&self, objects: &mut Objects, set: &mut Set) {
        match self {
            PermutationGroup::Orbits(partition) if set.iter().all(|one| objects.is_simple(one)) => {
                objects.close_points(set, &neighbours(partition));
            }
            PermutationGroup::Orbits(partition) => objects.close(set, &swaps(partition)),
            PermutationGroup::Whole(chain) => objects.close(set, chain.generators()),
        }
    }

    fn shrink(&self, objects: &mut Objects, set: &mut Set) {
        match self {
            PermutationGroup::Orbits(partition) if set.iter().all(|one| objects.is_simple(one)) => {
                shrink_points(partition, objects, set);
            }
            PermutationGroup::Orbits(partition) => objects.shrink(set, &swaps(partition)),
            PermutationGroup::Whole(chain) => objects.shrink(set, chain.generators()),
        }
    }
}

/// [`LoopGroup::shrink`] for objects that are points, or are not moved: an orbit is kept iff all of
/// its points are in the set.
fn shrink_points(partition: &OrbitPartition, objects: &Objects, set: &mut Set) {
    let mut missing = partition.class_sizes();
    let points: Vec<(Object, Kind, Point)> = set
        .iter()
        .filter_map(|object| {
            let class = partition.find(objects.point(object)?);
            Some((object, objects.get(object).0, class))
        })
        .collect();
    for kind in kinds(&points) {
        let of_kind = || points.iter().filter(|one| one.1 == kind);
        for (_, _, class) in of_kind() {
            missing[*class as usize] -= 1;
        }
        for (object, _, class) in of_kind() {
            if missing[*class as usize] > 0 {
                set.remove(*object);
            }
        }
        for (_, _, class) in of_kind() {
            missing[*class as usize] += 1;
        }
    }
}

/// The different kinds among these objects.
fn kinds(objects: &[(Object, Kind, Point)]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for (_, kind, _) in objects {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}

/// By point: its predecessor and its successor in its class, if there are any. These are its images
/// under the [`swaps`].
fn neighbours(partition: &OrbitPartition) -> Vec<[Option<Point>; 2]> {
    let mut neighbours = vec![[None; 2]; partition.points()];
    for class in partition.classes() {
        for two in class.windows(2) {
            neighbours[two[0] as usize][1] = Some(two[1]);
            neighbours[two[1] as usize][0] = Some(two[0]);
        }
    }
    neighbours
}

/// Transpositions whose orbits are the classes of a partition.
fn swaps(partition: &OrbitPartition) -> Vec<Permutation> {
    let classes = partition.classes();
    let pairs = classes.iter().flat_map(|class| class.windows(2));
    pairs.map(|two| Permutation::transposition(partition.points(), two[0], two[1])).collect()
}
