//! Partitions of points into orbits.

use super::permutation::{Permutation, Point};
use crate::narrow::to_u32;

/// The orbits of a group, computed from its generators one by one.
///
/// The least point of its class is stored for every point, so that a query is one lookup and equal
/// partitions are equal values. Joining two classes passes over the points once: at most n - 1
/// times in all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OrbitPartition {
    /// Invariant: `least[p] <= p`, and `least[least[p]] == least[p]`.
    least: Box<[Point]>,
}

impl OrbitPartition {
    /// A partition of this number of points, each in a class of its own.
    pub fn new(points: usize) -> OrbitPartition {
        OrbitPartition { least: (0..to_u32(points)).collect() }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.least.len()
    }

    /// The least point of a point's class.
    #[inline]
    pub fn find(&self, point: Point) -> Point {
        self.least[point as usize]
    }

    /// Joins the classes of two points and returns whether they were different.
    pub fn union(&mut self, a: Point, b: Point) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (lesser, greater) = (a.min(b), a.max(b));
        if lesser == greater {
            return false;
        }
        for least in &mut self.least[greater as usize..] {
            if *least == greater {
                *least = lesser;
            }
        }
        true
    }

    /// Adds a generator: joins the classes of every point and its image. Returns whether anything
    /// changed.
    pub fn join(&mut self, generator: &Permutation) -> bool {
        let mut changed = false;
        for (point, image) in generator.moved() {
            changed |= self.union(point, image);
        }
        changed
    }

    /// Joins points that are in one class of the other partition. Returns whether anything changed.
    pub fn merge(&mut self, other: &OrbitPartition) -> bool {
        let mut changed = false;
        for (point, &least) in (0..).zip(&other.least) {
            changed |= self.union(point, least);
        }
        changed
    }

    /// By point: the size of its class if it is the least point of it, else 0.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.least.len()];
        for &least in &self.least {
            sizes[least as usize] += 1;
        }
        sizes
    }

    /// The classes, ascending by their least points, each in ascending order.
    pub fn classes(&self) -> Vec<Vec<Point>> {
        let mut classes: Vec<Vec<Point>> = Vec::new();
        let mut class_of = vec![0; self.least.len()];
        for (point, &least) in (0..).zip(&self.least) {
            if least == point {
                class_of[point as usize] = classes.len();
                classes.push(Vec::new());
            }
            classes[class_of[least as usize]].push(point);
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::SplitMix64;

    #[test]
    fn classes_are_what_was_joined() {
        let mut random = SplitMix64::new(1);
        for _ in 0..2000 {
            let points = 1 + random.below(8);
            let mut point = || random.below(points) as Point;
            let pairs: Vec<_> = (0..5).map(|_| (point(), point())).collect();
            let (mut one, mut two) = (OrbitPartition::new(points), OrbitPartition::new(points));
            // The definition: the closure of the relation.
            let mut related = vec![vec![false; points]; points];
            for (k, row) in related.iter_mut().enumerate() {
                row[k] = true;
            }
            for (k, &(a, b)) in pairs.iter().enumerate() {
                let were_two = !related[a as usize][b as usize];
                related[a as usize][b as usize] = true;
                related[b as usize][a as usize] = true;
                for via in 0..points {
                    for p in 0..points {
                        for q in 0..points {
                            related[p][q] |= related[p][via] && related[via][q];
                        }
                    }
                }
                let mut all = one.clone();
                all.merge(&two);
                let in_all = all.union(a, b);
                assert_eq!(in_all, were_two);
                let swap = Permutation::transposition(points, a, b);
                if k % 2 == 0 {
                    one.join(&swap);
                } else {
                    two.union(a, b);
                }
            }
            let changes = one != two;
            assert!(!one.clone().merge(&one.clone()));
            assert!(changes || !one.clone().merge(&two));
            one.merge(&two);
            for (p, row) in (0..).zip(&related) {
                for (q, &related) in (0..).zip(row) {
                    assert_eq!(one.find(p) == one.find(q), related, "{pairs:?}");
                }
            }
            let classes = one.classes();
            assert_eq!(classes.iter().map(Vec::len).sum::<usize>(), one.points());
            for class in classes {
                assert!(class.is_sorted() && class.iter().all(|&p| one.find(p) == class[0]));
            }
        }
    }
}
