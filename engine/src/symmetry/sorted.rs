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
use terms::IndexTypeId;

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

    /// The index types for which sorting is no reduction worth the name: cells relate their values
    /// to index values (an array over two index types, a pointer in an array, an element of a
    /// multiset), and the keys of n values can have fewer than n contents, so that in every state
    /// some values have equal keys and only their relations tell them apart. Then most states of an
    /// orbit stay different. Of a graph without labels, all of them do.
    pub fn types_beyond_sorting(&self) -> impl Iterator<Item = IndexTypeId> + '_ {
        self.related.iter().filter(|keys| !keys.may_differ()).map(|keys| keys.of)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::{IndexType, Indices};
    use crate::system::{Layout, Shape};
    use terms::Group;

    const NODE: IndexTypeId = IndexTypeId(0);

    fn node() -> Shape {
        Shape::Simple { low: 0, values: 10, indices: vec![(NODE, 0)] }
    }

    fn by_node(element: Shape) -> Shape {
        Shape::Array { length: 10, indices: vec![(NODE, 0)], element: Box::new(element) }
    }

    #[test]
    fn types_with_relations_and_few_keys_are_beyond_sorting() {
        let truth = || Shape::range(0, 1);
        let graph = || by_node(by_node(truth()));
        let message = || Shape::Record(vec![node(), truth()]);
        let list = Shape::Array { length: 4, indices: vec![], element: Box::new(node()) };
        //  name, variables, whether sorting is no reduction
        let table: [(&str, Vec<Shape>, bool); 9] = [
            ("processes", vec![by_node(truth())], false),
            ("processes and pointers outside arrays", vec![by_node(truth()), list], false),
            ("a graph", vec![graph()], true),
            ("pointers", vec![by_node(node())], true),
            (
                "a multiset",
                vec![Shape::Multiset { capacity: 3, element: Box::new(message()) }],
                true,
            ),
            ("a graph with two labels", vec![graph(), by_node(truth())], true),
            ("a graph with nine labels", vec![graph(), by_node(Shape::range(1, 9))], true),
            (
                "a graph with nine labels and a root",
                vec![graph(), by_node(Shape::range(1, 9)), node()],
                false,
            ),
            ("a graph with ten labels", vec![graph(), by_node(Shape::range(1, 10))], false),
        ];
        for (name, shapes, is_beyond) in table {
            let layout = Layout::new(shapes);
            assert_eq!(layout.values().len(), layout.cells(), "{name}");
            for (group, expected) in [(Group::Full, is_beyond), (Group::Trivial, false)] {
                let indices = Indices::new([IndexType { size: 10, group }]);
                let structure = Structure::new(&layout, &indices);
                let found: Vec<IndexTypeId> = structure.types_beyond_sorting().collect();
                let expected = if expected { vec![NODE] } else { vec![] };
                assert_eq!(found, expected, "{name}, {group:?}");
            }
        }
    }
}
