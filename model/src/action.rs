//! The action of permutations of index values on values and states.
//!
//! A permutation g of an index type maps its value k to g(k). It acts on everything that is made of
//! such values by renaming them: a number stays, an index value k becomes g(k), and the element of
//! an array at k becomes the element at g(k), itself renamed:
//!
//! ```text
//! g(a)[g(k)] = g(a[k])
//! ```
//!
//! so that "process k holds v" becomes "process g(k) holds g(v)". This is a left action: acting by
//! h and then by g is acting by g∘h. A permutation g is a symmetry of the model if s → t is a step
//! iff g(s) → g(t) is one, with process and event renamed by g, too.

use super::checked::{Group, Model};
use super::interpret::State;
use super::types::{Type, TypeId, Types};
use super::value::{Scalar, Value};

/// One permutation for each index type of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Permutations {
    /// The image of every value, by index type. Invariant: each is a permutation of its positions.
    images: Vec<Vec<u32>>,
}

impl Permutations {
    /// The permutations that change nothing.
    pub fn identity(types: &Types) -> Permutations {
        Permutations { images: types.index_types.iter().map(|of| (0..of.size).collect()).collect() }
    }

    /// The permutations with these images of the values of each index type; none if a value is
    /// missing among its images.
    pub fn of_images(images: Vec<Vec<u32>>) -> Option<Permutations> {
        let is_permutation = |images: &Vec<u32>| {
            let mut seen = vec![false; images.len()];
            images.iter().all(|&image| {
                seen.get_mut(image as usize).is_some_and(|seen| !std::mem::replace(seen, true))
            })
        };
        images.iter().all(is_permutation).then_some(Permutations { images })
    }

    /// Generators of the model's group: every symmetry of the model is a product of these.
    pub fn generators(model: &Model) -> Vec<Permutations> {
        let mut found = Vec::new();
        for (k, symmetry) in model.symmetries.iter().enumerate() {
            let identity = Permutations::identity(&model.types);
            let n = identity.images[k].len() as u32;
            for images in generators(symmetry.group, n) {
                let mut generator = identity.clone();
                generator.images[k] = images;
                if generator != identity && !found.contains(&generator) {
                    found.push(generator);
                }
            }
        }
        found
    }

    /// The image of a simple value.
    pub fn scalar(&self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Index(of, k) => Scalar::Index(of, self.images[of.0 as usize][k as usize]),
            Scalar::Number(_) | Scalar::Member(..) => scalar,
        }
    }

    /// The image of a state.
    pub fn state(&self, model: &Model, state: &State) -> State {
        let values = model.variables.iter().zip(&state.0);
        State(
            values.map(|(variable, value)| self.value(&model.types, variable.of, value)).collect(),
        )
    }

    /// The image of a value of this type; multisets in it are settled.
    pub fn value(&self, types: &Types, of: TypeId, value: &Value) -> Value {
        match (value, types.get(of)) {
            (Value::Undefined, _) => Value::Undefined,
            (Value::Scalar(scalar), _) => Value::Scalar(self.scalar(*scalar)),
            (Value::Parts(parts), Type::Array { index, element }) => {
                let mut images = vec![Value::Undefined; parts.len()];
                for (k, part) in parts.iter().enumerate() {
                    let key = self.scalar(Scalar::nth(types, *index, k as u64));
                    let key = key.position(types, *index).expect("an index stays in its type");
                    images[key as usize] = self.value(types, *element, part);
                }
                Value::Parts(images)
            }
            (Value::Parts(parts), Type::Record(fields)) => {
                let parts = parts.iter().zip(fields);
                Value::Parts(parts.map(|(part, (_, of))| self.value(types, *of, part)).collect())
            }
            (Value::Queue(elements), Type::Queue { element, .. }) => {
                let images = elements.iter().map(|part| self.value(types, *element, part));
                Value::Queue(images.collect())
            }
            (Value::Set(elements), _) => {
                Value::Set(elements.iter().map(|one| self.scalar(*one)).collect())
            }
            (Value::Multiset(elements), Type::Multiset { element, .. }) => {
                let image = |part: &Value| Some(self.value(types, *element, part));
                let mut images = Value::Multiset(elements.iter().flatten().map(image).collect());
                images.settle();
                images
            }
            (Value::Parts(_) | Value::Queue(_) | Value::Multiset(_), _) => {
                unreachable!("a value is permuted with its own type")
            }
        }
    }
}

/// Generators of a group of permutations of 0 to n - 1; some may be the identity.
fn generators(group: Group, n: u32) -> Vec<Vec<u32>> {
    let rotation: Vec<_> = (0..n).map(|k| (k + 1) % n).collect();
    let reflection: Vec<_> = (0..n).map(|k| (n - k) % n).collect();
    let swap: Vec<_> = (0..n).map(|k| if k < n.min(2) { n.min(2) - 1 - k } else { k }).collect();
    match group {
        Group::Full => vec![swap, rotation],
        Group::Rotations => vec![rotation],
        Group::Dihedral => vec![rotation, reflection],
        Group::Trivial => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::IndexKind;
    use crate::types::{IndexType, IndexTypeId};
    use ltl::Span;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_no_permutation() {
        for (images, is_one) in [
            (vec![], true),
            (vec![vec![1, 0], vec![], vec![0]], true),
            (vec![vec![1, 0], vec![0, 0]], false),
            (vec![vec![1]], false),
        ] {
            assert_eq!(Permutations::of_images(images.clone()).is_some(), is_one, "{images:?}");
        }
    }

    #[test]
    fn groups_have_their_orders() {
        //  group             n  order
        let table = [
            (Group::Full, 1, 1),
            (Group::Full, 2, 2),
            (Group::Full, 3, 6),
            (Group::Full, 4, 24),
            (Group::Rotations, 1, 1),
            (Group::Rotations, 2, 2),
            (Group::Rotations, 3, 3),
            (Group::Rotations, 4, 4),
            (Group::Dihedral, 1, 1),
            (Group::Dihedral, 2, 2),
            (Group::Dihedral, 3, 6),
            (Group::Dihedral, 4, 8),
            (Group::Dihedral, 5, 10),
            (Group::Trivial, 4, 1),
        ];
        for (group, n, order) in table {
            assert_eq!(closure(&generators(group, n), n).len(), order, "{group:?} {n}");
        }
    }

    #[test]
    fn reflections_keep_neighbours() {
        for n in 3..7 {
            for images in generators(Group::Dihedral, n) {
                for k in 0..n as usize {
                    let distance = images[k].abs_diff(images[(k + 1) % n as usize]);
                    assert!(distance == 1 || distance == n - 1, "{images:?}");
                }
            }
        }
    }

    #[test]
    fn arrays_are_indexed_anew_and_multisets_sorted() {
        let mut types = Types::new();
        let pid = types.declare_index_type(IndexType {
            name: "pid".to_owned(),
            kind: IndexKind::Scalarset,
            size: 3,
            span: Span::at(0),
        });
        let row = types.intern(Type::Array { index: pid, element: pid });
        let bag = types.intern(Type::Multiset { capacity: 3, element: pid });
        let both =
            types.intern(Type::Record(vec![("row".to_owned(), row), ("bag".to_owned(), bag)]));
        let of = |k| Value::Scalar(Scalar::Index(IndexTypeId(0), k));
        let rotation = Permutations { images: vec![vec![1, 2, 0]] };
        let value = Value::Parts(vec![
            Value::Parts(vec![of(0), of(0), Value::Undefined]),
            Value::Multiset(vec![Some(of(0)), Some(of(2))]),
        ]);
        // Row: 0 -> 0, 1 -> 0; so afterwards 1 -> 1, 2 -> 1.
        let expected = Value::Parts(vec![
            Value::Parts(vec![Value::Undefined, of(1), of(1)]),
            Value::Multiset(vec![Some(of(0)), Some(of(1))]),
        ]);
        assert_eq!(rotation.value(&types, both, &value), expected);
        assert_eq!(Permutations::identity(&types).value(&types, both, &value), value);
    }

    fn closure(generators: &[Vec<u32>], n: u32) -> BTreeSet<Vec<u32>> {
        let mut found = BTreeSet::from([(0..n).collect::<Vec<_>>()]);
        let mut waiting: Vec<_> = found.iter().cloned().collect();
        while let Some(images) = waiting.pop() {
            for generator in generators {
                let product: Vec<_> = images.iter().map(|&k| generator[k as usize]).collect();
                if found.insert(product.clone()) {
                    waiting.push(product);
                }
            }
        }
        found
    }
}
