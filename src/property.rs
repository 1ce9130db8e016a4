//! Properties as questions about single tuples of values.
//!
//! `forall c, d: client. f` asks about every pair of clients, but a symmetry g of the system takes
//! the runs that violate f for (c, d) to those that violate it for (g c, g d). So of every orbit of the
//! group on tuples one tuple is asked about ([`instances`]), and the answer is that of them all. Which
//! start states go with it is another matter: start states and tuples must not be reduced
//! independently.
//!
//! Tuples are enumerated without being looked at one by one. With a tuple l of the first variables
//! chosen, the next one needs one value per orbit of the elements that fix l: two values of one orbit
//! extend l to tuples of one orbit, and no others do.

use crate::model::checked::{Group, LocalId, TrackedGroup};
use crate::model::types::{IndexTypeId, TypeId, Types};
use crate::model::value::Scalar;
use crate::symmetry::{Indices, Point, Stabiliser};
use num_bigint::BigUint;

/// A tuple of values for the tracked variables of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// A value for each variable, in the order of their declaration.
    pub binding: Vec<(LocalId, Scalar)>,
    /// Those of the values that belong to index types, as points, in the same order. Invariant: it is
    /// the least tuple of its orbit, in the order of [`Stabiliser::least`].
    pub points: Vec<Point>,
    /// How many tuples it stands for, itself included.
    pub orbit: BigUint,
}

impl Instance {
    /// The values of the variables when the points have become these, by a symmetry: each is of the
    /// index type of the one that it replaces.
    pub fn moved(&self, indices: &Indices, points: &[Point]) -> Vec<(LocalId, Scalar)> {
        let mut points = points.iter();
        let moved = self.binding.iter().map(|&(local, scalar)| match scalar {
            Scalar::Index(before, _) => {
                let point = *points.next().expect("as many points as there were");
                let (of, k) = indices.value(point);
                debug_assert_eq!(of, before, "a symmetry keeps types");
                (local, Scalar::Index(of, k))
            }
            Scalar::Number(_) | Scalar::Member(..) => (local, scalar),
        });
        moved.collect()
    }
}

/// How many tuples of values these variables have, `distinct` respected: the questions that there
/// would be without symmetry.
pub fn tuples(tracked: &[TrackedGroup], types: &Types) -> BigUint {
    let groups = tracked.iter().map(|group| {
        let size = types.size(group.of);
        let factors = (0..group.locals.len() as u64)
            .map(|k| if group.distinct { size.saturating_sub(k) } else { size });
        factors.product::<BigUint>()
    });
    groups.product()
}

/// One tuple per orbit of the group on tuples of values, in lexical order; none, if there is no tuple
/// at all (`distinct` of two over one value): the property then holds vacuously. Without variables,
/// there is one empty tuple.
pub fn instances<'a>(
    tracked: &[TrackedGroup],
    types: &'a Types,
    indices: &'a Indices,
) -> Instances<'a> {
    let variables = tracked.iter().enumerate().flat_map(|(group, declared)| {
        let TrackedGroup { locals, of, distinct } = declared;
        locals.iter().map(move |&local| Variable { local, of: *of, group, distinct: *distinct })
    });
    let variables: Vec<Variable> = variables.collect();
    let root = Level::new(indices.all(), &variables, types);
    Instances { types, indices, variables, levels: vec![root], values: Vec::new() }
}

/// The iterator of [`instances`].
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    types: &'a Types,
    indices: &'a Indices,
    variables: Vec<Variable>,
    /// One per variable that has a value, and one more for the next; empty when all is done.
    levels: Vec<Level>,
    /// The values so far. Invariant: there is one level more.
    values: Vec<Scalar>,
}

#[derive(Clone, Copy, Debug)]
struct Variable {
    local: LocalId,
    of: TypeId,
    /// The variables that are declared together.
    group: usize,
    distinct: bool,
}

/// The choice of a value for one variable.
#[derive(Clone, Debug)]
struct Level {
    /// What fixes the points before.
    fixing: Stabiliser,
    /// By point: the least one that it can be moved to; empty if the variable has no index values.
    orbits: Vec<Point>,
    /// How many values have been tried.
    tried: u64,
}

impl Level {
    /// The choice for the first of these variables.
    fn new(fixing: Stabiliser, rest: &[Variable], types: &Types) -> Level {
        let has_points = rest.first().is_some_and(|next| !types.indices(next.of).is_empty());
        let orbits = if has_points { fixing.orbits() } else { Vec::new() };
        Level { fixing, orbits, tried: 0 }
    }
}

impl Instances<'_> {
    /// The next value for the last level, if there is one; with the point that it is.
    fn choose(&mut self) -> Option<(Scalar, Option<Point>)> {
        let variable = self.variables[self.values.len()];
        let size = self.types.size(variable.of);
        let level = self.levels.last_mut().expect("asked only if there is a level");
        while level.tried < size {
            let scalar = Scalar::nth(self.types, variable.of, level.tried);
            level.tried += 1;
            let known = self.variables.iter().zip(&self.values);
            let mut known =
                known.filter(|(one, _)| variable.distinct && one.group == variable.group);
            if known.any(|(_, &value)| value == scalar) {
                continue;
            }
            match point(self.indices, scalar) {
                Some(point) if level.orbits[point as usize] != point => {}
                point => return Some((scalar, point)),
            }
        }
        None
    }

    /// Gives this value to the next variable.
    fn enter(&mut self, scalar: Scalar, point: Option<Point>) {
        self.values.push(scalar);
        let fixing = &self.levels[self.levels.len() - 1].fixing;
        let fixing = match point {
            Some(point) => fixing.fixing(&[point]),
            None => fixing.clone(),
        };
        let rest = &self.variables[self.values.len()..];
        self.levels.push(Level::new(fixing, rest, self.types));
    }

    /// Gives up the last level, and the value that led to it.
    fn leave(&mut self) {
        self.levels.pop();
        self.values.pop();
    }

    /// The tuple that all variables have now.
    fn instance(&self) -> Instance {
        let values = self.variables.iter().zip(&self.values);
        let points: Vec<Point> =
            self.values.iter().filter_map(|&value| point(self.indices, value)).collect();
        Instance {
            binding: values.map(|(variable, &value)| (variable.local, value)).collect(),
            orbit: orbit_size(self.indices, &points),
            points,
        }
    }
}

impl Iterator for Instances<'_> {
    type Item = Instance;

    fn next(&mut self) -> Option<Instance> {
        while !self.levels.is_empty() {
            if self.values.len() == self.variables.len() {
                let found = self.instance();
                self.leave();
                return Some(found);
            }
            match self.choose() {
                Some((scalar, point)) => self.enter(scalar, point),
                None => self.leave(),
            }
        }
        None
    }
}

/// The point of a value, if it belongs to an index type.
pub fn point(indices: &Indices, value: Scalar) -> Option<Point> {
    match value {
        Scalar::Index(of, k) => Some(indices.points_of(of).start + k),
        Scalar::Number(_) | Scalar::Member(..) => None,
    }
}

/// How many tuples the group makes of this one: a product over the types, each of which has a group
/// of its own.
fn orbit_size(indices: &Indices, points: &[Point]) -> BigUint {
    let sizes = indices.types().map(|of| {
        let mut own: Vec<Point> =
            points.iter().copied().filter(|point| indices.points_of(of).contains(point)).collect();
        own.sort_unstable();
        own.dedup();
        orbit_size_of(indices, of, &own)
    });
    sizes.product()
}

/// The same for different points of one type.
fn orbit_size_of(indices: &Indices, of: IndexTypeId, points: &[Point]) -> BigUint {
    let n = indices.points_of(of).len() as u64;
    match (indices.group(of), points) {
        (Group::Trivial, _) | (_, []) => BigUint::from(1_u32),
        (Group::Full, _) => (0..points.len() as u64).map(|k| n - k).product(),
        // A rotation that fixes a point is the identity; a reflection that fixes one fixes at most one
        // other, the opposite one.
        (Group::Rotations, _) | (Group::Dihedral, [_]) => BigUint::from(n),
        (Group::Dihedral, &[a, b]) if u64::from(b - a) * 2 == n => BigUint::from(n),
        (Group::Dihedral, _) => BigUint::from(2 * n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::check_with;
    use crate::model::checked::Model;
    use crate::symmetry::{IndexType, Permutation};
    use std::collections::{BTreeMap, BTreeSet};

    const MODEL: &str = "
        type
          full: scalarset(4);
          pair: scalarset(2);
          one: scalarset(1);
          turn: ring(5);
          flip: undirected ring(6);
          plain: scalarset(3);
          colour: enum { red, green };
          mixed: union { full, colour, turn };
        var x: boolean;
        startstate x := true; end;
        rule x := !x; end;
        function first(): plain; begin for p: plain do return p; end; end;
        invariant \"plain is told apart\" !isundefined(x) | first() = first();
    ";

    fn indices(model: &Model) -> Indices {
        let types = model.types.index_types.iter().zip(&model.symmetries);
        Indices::new(types.map(|(of, symmetry)| IndexType { size: of.size, group: symmetry.group }))
    }

    /// All elements of the group.
    fn elements(indices: &Indices) -> Vec<Permutation> {
        let mut found = vec![Permutation::identity(indices.points())];
        let mut seen: BTreeSet<Vec<Point>> = BTreeSet::from([found[0].images().to_vec()]);
        let mut next = 0;
        while next < found.len() {
            for generator in indices.generators() {
                let product = generator.after(&found[next]);
                if seen.insert(product.images().to_vec()) {
                    found.push(product);
                }
            }
            next += 1;
        }
        found
    }

    fn image(indices: &Indices, by: &Permutation, value: Scalar) -> Scalar {
        let Some(point) = point(indices, value) else { return value };
        let (of, k) = indices.value(by.image(point));
        Scalar::Index(of, k)
    }

    /// All tuples, by counting.
    fn all(model: &Model, tracked: &[TrackedGroup]) -> BTreeSet<Vec<Scalar>> {
        let mut tuples = BTreeSet::from([Vec::new()]);
        for group in tracked {
            let mut extended = vec![Vec::new()];
            for _ in &group.locals {
                let longer = extended.iter().flat_map(|tuple| {
                    (0..model.types.size(group.of)).map(|k| {
                        let mut longer: Vec<Scalar> = tuple.clone();
                        longer.push(Scalar::nth(&model.types, group.of, k));
                        longer
                    })
                });
                extended = longer.collect();
            }
            let fits = |tuple: &Vec<Scalar>| {
                !group.distinct || tuple.iter().collect::<BTreeSet<_>>().len() == tuple.len()
            };
            extended.retain(fits);
            let joined = tuples.iter().flat_map(|head| {
                extended.iter().map(|tail| [&head[..], &tail[..]].concat()).collect::<Vec<_>>()
            });
            tuples = joined.collect();
        }
        tuples
    }

    /// Compares with brute force: every tuple is in the orbit of exactly one instance.
    fn check(quantifiers: &str, count: usize) {
        let question = format!("{quantifiers} G x");
        let model = check_with(MODEL, &[], &[&question]).expect("a model");
        let indices = indices(&model);
        let elements = elements(&indices);
        let tracked = &model.questions[0].tracked;
        let expected = all(&model, tracked);
        let found: Vec<Instance> = instances(tracked, &model.types, &indices).collect();
        assert_eq!(found.len(), count, "{quantifiers}");
        assert_eq!(tuples(tracked, &model.types), expected.len().into(), "{quantifiers}");
        let whole = indices.all();
        let mut covered: BTreeMap<Vec<Scalar>, usize> = BTreeMap::new();
        for (k, instance) in found.iter().enumerate() {
            assert!(whole.is_least(&instance.points), "{quantifiers} {instance:?}");
            let values: Vec<Scalar> = instance.binding.iter().map(|&(_, value)| value).collect();
            let orbit: BTreeSet<Vec<Scalar>> = elements
                .iter()
                .map(|by| {
                    let moved: Vec<_> = values.iter().map(|&v| image(&indices, by, v)).collect();
                    let points: Vec<_> =
                        instance.points.iter().map(|&point| by.image(point)).collect();
                    let binding = instance.moved(&indices, &points);
                    assert!(binding.iter().map(|(_, value)| value).eq(&moved), "{quantifiers}");
                    moved
                })
                .collect();
            assert_eq!(instance.orbit, orbit.len().into(), "{quantifiers} {instance:?}");
            for tuple in orbit {
                assert_eq!(covered.insert(tuple, k), None, "{quantifiers}: two instances");
            }
        }
        assert!(covered.keys().eq(&expected), "{quantifiers}: every tuple, and no other");
    }

    #[test]
    fn every_tuple_is_in_the_orbit_of_one_instance() {
        for (quantifiers, count) in [
            ("", 1),
            ("forall a: full.", 1),
            ("forall a, b: full.", 2),
            ("forall distinct a, b: full.", 1),
            ("forall a, b, c: full.", 5),
            ("forall a, b, c, d: full.", 15),
            ("forall a, b, c: pair.", 4),
            ("forall distinct a, b, c: pair.", 0),
            ("forall a, b: one.", 1),
            ("forall distinct a, b: one.", 0),
            ("forall a, b: turn.", 5),
            ("forall distinct a, b, c: turn.", 12),
            ("forall a, b: flip.", 4),
            ("forall a, b, c: flip.", 20),
            ("forall distinct a, b, c: flip.", 10),
            ("forall a: plain.", 3),
            ("forall a, b: plain.", 9),
            ("forall distinct a, b: plain.", 6),
            ("forall n: (2..4), a: full, n2: (0..1).", 6),
            ("forall k: colour, b: boolean.", 4),
            ("forall distinct k, l: colour.", 2),
            ("forall a: full, b: turn, c: full, d: turn.", 10),
            ("forall a: full, p: plain, b: full.", 6),
            ("forall m: mixed.", 4),
            ("forall m, n: mixed.", 21),
            ("forall distinct m, n: mixed.", 17),
            ("forall a: full, m: mixed.", 5),
            ("forall m: mixed, t: turn, a: full.", 9),
            ("forall s: (scalarset(2)), t: (scalarset(2)).", 1),
        ] {
            check(quantifiers, count);
        }
    }

    #[test]
    fn large_types_have_few_instances() {
        for (declared, count, orbit) in
            [("scalarset(1000)", 5, "997002000"), ("ring(1000)", 1_000_000, "1000")]
        {
            let text = format!(
                "type t: {declared}; var x: boolean; startstate x := true; end; rule x := !x; end;"
            );
            let question = "forall a, b, c: t. G x";
            let model = check_with(&text, &[], &[question]).expect("a model");
            let indices = indices(&model);
            let found = instances(&model.questions[0].tracked, &model.types, &indices);
            // Of a million, the first ones are enough: nothing is computed ahead.
            let found: Vec<Instance> = found.take(1500).collect();
            assert_eq!(found.len(), count.min(1500), "{declared}");
            let last = found.last().expect("there are some");
            assert_eq!(last.orbit.to_string(), orbit, "{declared}");
        }
    }
}
