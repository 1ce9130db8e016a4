//! Permutations of points.
//!
//! The *points* are the values of all index types of a system, one type after the other
//! ([`Indices`](super::Indices)), so that one permutation describes the images of all of them.
//! Composition is written as in the papers, right factor first: (π∘ρ)(i) = π(ρ(i)).

use crate::narrow::to_u32;
use std::fmt;

/// A value of an index type, numbered across all index types of a system.
pub type Point = u32;

/// A permutation of the points 0 to n - 1.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Permutation {
    /// Invariant: every point below `images.len()` occurs exactly once.
    images: Box<[Point]>,
}

impl Permutation {
    /// The identity on this number of points.
    pub fn identity(points: usize) -> Permutation {
        Permutation { images: (0..to_u32(points)).collect() }
    }

    /// The permutation with these images of 0, 1, ...; none if a point is missing.
    pub fn of_images(images: impl Into<Box<[Point]>>) -> Option<Permutation> {
        let images = images.into();
        let mut seen = vec![false; images.len()];
        for &image in &images {
            let seen = seen.get_mut(image as usize)?;
            if std::mem::replace(seen, true) {
                return None;
            }
        }
        Some(Permutation { images })
    }

    /// Swaps two points.
    pub fn transposition(points: usize, a: Point, b: Point) -> Permutation {
        let mut swap = Permutation::identity(points);
        swap.images.swap(a as usize, b as usize);
        swap
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.images.len()
    }

    /// The image of a point.
    #[inline]
    pub fn image(&self, of: Point) -> Point {
        self.images[of as usize]
    }

    /// The images of the points, in their order.
    pub fn images(&self) -> &[Point] {
        &self.images
    }

    /// `self ∘ first`: the permutation that acts as `first`, then as `self`.
    #[must_use]
    pub fn after(&self, first: &Permutation) -> Permutation {
        Permutation { images: first.images.iter().map(|&point| self.image(point)).collect() }
    }

    /// Becomes another permutation of the same points, which has these images. They must be all
    /// points.
    pub(crate) fn set(&mut self, images: impl Iterator<Item = Point>) {
        self.images.iter_mut().zip(images).for_each(|(image, new)| *image = new);
        debug_assert!(Permutation::of_images(self.images.clone()).is_some(), "a point is missing");
    }

    /// Becomes the permutation that moves these points to these images, and no other.
    pub(crate) fn set_moved(&mut self, moved: &[(Point, Point)]) {
        (0..).zip(&mut self.images).for_each(|(point, image)| *image = point);
        for &(point, image) in moved {
            self.images[point as usize] = image;
        }
        debug_assert!(Permutation::of_images(self.images.clone()).is_some(), "a point is missing");
    }

    /// The inverse permutation.
    #[must_use]
    pub fn inverse(&self) -> Permutation {
        let mut images = self.images.clone();
        for (point, &image) in self.images.iter().enumerate() {
            images[image as usize] = to_u32(point);
        }
        Permutation { images }
    }

    /// Whether it moves no point.
    pub fn is_identity(&self) -> bool {
        self.moved().next().is_none()
    }

    /// The points that it moves, with their images.
    pub fn moved(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        (0..).zip(self.images.iter().copied()).filter(|(point, image)| point != image)
    }

    /// The cycles of the points that it moves, each from its least point on, in ascending order.
    pub fn cycles(&self) -> Vec<Vec<Point>> {
        let mut seen = vec![false; self.images.len()];
        let mut cycles = Vec::new();
        for (point, _) in self.moved() {
            let mut cycle = Vec::new();
            let mut at = point;
            while !std::mem::replace(&mut seen[at as usize], true) {
                cycle.push(at);
                at = self.image(at);
            }
            if !cycle.is_empty() {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// The images, to be rearranged by a caller that keeps the invariant.
    pub(super) fn images_mut(&mut self) -> &mut [Point] {
        &mut self.images
    }
}

/// Writes cycle notation: `(0 2)(1 3 4)`; the identity is `()`.
impl fmt::Display for Permutation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = self.cycles();
        if cycles.is_empty() {
            return to.write_str("()");
        }
        for cycle in cycles {
            let points: Vec<String> = cycle.iter().map(Point::to_string).collect();
            write!(to, "({})", points.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All permutations of this number of points.
    fn all(points: usize) -> Vec<Permutation> {
        let mut found = vec![Vec::new()];
        for point in 0..points as Point {
            let longer = found.iter().flat_map(|images: &Vec<Point>| {
                (0..=images.len()).map(move |at| {
                    let mut images = images.clone();
                    images.insert(at, point);
                    images
                })
            });
            found = longer.collect();
        }
        found.into_iter().map(|images| Permutation::of_images(images).expect("all occur")).collect()
    }

    #[test]
    fn laws_of_groups() {
        for points in 0..=4 {
            let identity = Permutation::identity(points);
            for a in all(points) {
                assert_eq!(a.after(&identity), a);
                assert_eq!(identity.after(&a), a);
                assert_eq!(a.after(&a.inverse()), identity);
                assert_eq!(a.inverse().after(&a), identity);
                for b in all(points) {
                    assert_eq!(a.after(&b).inverse(), b.inverse().after(&a.inverse()));
                    for k in 0..points as Point {
                        assert_eq!(a.after(&b).image(k), a.image(b.image(k)));
                    }
                    for c in all(points) {
                        assert_eq!(a.after(&b).after(&c), a.after(&b.after(&c)));
                    }
                }
            }
        }
    }

    #[test]
    fn cycle_notation() {
        //  images            printed
        let table: [(&[Point], &str); 5] = [
            (&[], "()"),
            (&[0, 1, 2], "()"),
            (&[2, 1, 0], "(0 2)"),
            (&[2, 3, 0, 4, 1], "(0 2)(1 3 4)"),
            (&[1, 2, 0], "(0 1 2)"),
        ];
        for (images, printed) in table {
            let permutation = Permutation::of_images(images).expect("all occur");
            assert_eq!(permutation.to_string(), printed);
        }
    }

    #[test]
    fn what_is_no_permutation() {
        for images in [&[0, 0][..], &[1], &[0, 2]] {
            assert_eq!(Permutation::of_images(images), None);
        }
    }
}
