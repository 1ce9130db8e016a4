//! A fast normal form that leaves a few states of each orbit.
//!
//! Contract, with `(r, π) = sorted(s)`: `π(r) = s`. That is all: several states of one orbit may
//! stay different, because points are sorted by their [`keys`](super::keys) alone, and facts about
//! pairs of points are ignored. It costs reduction, not correctness: every path still leads back to
//! a concrete one. Where representatives must be unique (global fairness, counts of orbits), this
//! is the wrong type; see [`Canonicaliser`](super::Canonicaliser).

use super::canonical::{Order, Structure};
use super::{Permutation, Point};
use crate::narrow::to_u32;

/// Replaces states by their normal forms. Owns its scratch memory: one per thread.
#[derive(Clone, Debug)]
pub struct Sorter<'s> {
    structure: &'s Structure,
    /// By type: the plain types first.
    orders: Vec<Order>,
    images: Vec<Point>,
    /// The images of points of types that are not plain; all other points stay.
    related: Vec<Point>,
    cells: Vec<i64>,
    sorted: Vec<i64>,
}

impl Structure {
    /// A new [`Sorter`].
    pub fn sorter(&self) -> Sorter<'_> {
        let cells = vec![0; self.action.cells()];
        let images: Vec<Point> = (0..to_u32(self.indices().points())).collect();
        let (related, sorted) = (images.clone(), cells.clone());
        let orders = vec![Order::default(); self.plain.len() + self.related.len()];
        Sorter { structure: self, orders, images, related, cells, sorted }
    }
}

impl Sorter<'_> {
    /// Replaces a packed state by its normal form.
    pub fn sort(&mut self, packed: &mut [u64]) {
        self.run(packed);
    }

    /// Replaces a packed state by its normal form, and returns the permutation that leads back.
    pub fn sort_with(&mut self, packed: &mut [u64]) -> Permutation {
        self.run(packed);
        Permutation::of_images(&self.images[..]).expect("every point has its place").inverse()
    }

    fn run(&mut self, packed: &mut [u64]) {
        let Structure { action, plain, related, .. } = self.structure;
        for (point, image) in self.images.iter_mut().enumerate() {
            *image = to_u32(point);
        }
        self.related.clone_from(&self.images);
        let mut is_moved = false;
        for (keys, order) in plain.iter().chain(related).zip(&mut self.orders) {
            if !order.find(keys, packed) {
                continue;
            }
            for (point, &from) in keys.points.clone().zip(&order.points) {
                self.images[(keys.points.start + from) as usize] = point;
                if !keys.is_plain() {
                    self.related[(keys.points.start + from) as usize] = point;
                }
            }
            if keys.is_plain() {
                order.write(keys, packed);
            } else {
                is_moved = true;
            }
        }
        if !is_moved {
            return;
        }
        if action.has_multisets() {
            action.layout().unpack(packed, &mut self.cells);
            action.apply_images(&self.related, &self.cells, &mut self.sorted);
            action.layout().pack(&self.sorted, packed);
        } else {
            action.unpack_related(packed, &mut self.cells);
            for (keys, order) in related.iter().zip(&self.orders[plain.len()..]) {
                order.write(keys, packed);
            }
            action.apply_related(&self.related, &self.cells, packed);
        }
    }
}
