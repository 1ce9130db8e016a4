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
//! extend l to tuples of one orbit, and no others do. A group of variables that stands for all values, in
//! whatever order, has one tuple only.

use crate::symmetry::{Indices, Point, Stabiliser};
use crate::system::atoms::{TrackedVariables, point_of};
use crate::system::layout::Shape;
use num_bigint::BigUint;
use terms::{Group, IndexTypeId};

/// A tuple of values for the tracked variables of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The cell of each variable, in the order of their declaration.
    pub cells: Vec<i64>,
    /// Those of the values that belong to index types, as points, in the same order. Invariant: it is
    /// the least tuple of its orbit, in the order of [`Stabiliser::least`].
    pub points: Vec<Point>,
    /// For each point: the number of its cell. A symmetry maps every index type to itself, so cell
    /// and point always differ by the same number.
    cells_of_points: Vec<usize>,
    /// How many tuples it stands for, itself included.
    pub orbit: BigUint,
}

impl Instance {
    /// The cells of the variables when a symmetry has moved the points to these.
    pub fn moved(&self, points: &[Point]) -> Vec<i64> {
        let mut cells = self.cells.clone();
        self.move_to(points, &mut cells);
        cells
    }

    /// Writes the cells that points become into a copy of [`Instance::cells`].
    pub fn move_to(&self, points: &[Point], cells: &mut [i64]) {
        debug_assert_eq!(points.len(), self.points.len());
        for ((&cell, &before), &point) in self.cells_of_points.iter().zip(&self.points).zip(points)
        {
            cells[cell] = self.cells[cell] + i64::from(point) - i64::from(before);
        }
    }
}

/// How many tuples of values these variables have, `distinct` respected: the questions that there
/// would be without symmetry.
pub fn tuples(tracked: &TrackedVariables) -> BigUint {
    let groups = tracked.groups.iter().map(|group| {
        let size = range_of(&group.values).1;
        let factors = (0..group.variables as u64)
            .map(|k| if group.distinct { size.saturating_sub(k) } else { size });
        factors.product::<BigUint>()
    });
    groups.product()
}

/// The least value of a simple shape, and how many there are.
fn range_of(shape: &Shape) -> (i64, u64) {
    match shape {
        Shape::Simple { low, values, .. } => (*low, *values),
        _ => unreachable!("tracked variables have simple values"),
    }
}

/// One tuple per orbit of the group on tuples of values, in lexical order; none, if there is no tuple
/// at all (`distinct` of two over one value): the property then holds vacuously. Without variables,
/// there is one empty tuple.
pub fn instances<'a>(tracked: &'a TrackedVariables, indices: &'a Indices) -> Instances<'a> {
    let variables = tracked.groups.iter().enumerate().flat_map(|(group, declared)| {
        let variable = Variable {
            values: &declared.values,
            group,
            distinct: declared.distinct,
            stands_for_all: declared.stands_for_all,
        };
        std::iter::repeat_n(variable, declared.variables)
    });
    let variables: Vec<Variable<'a>> = variables.collect();
    let root = Level::new(indices.all(), &variables);
    Instances { indices, variables, levels: vec![root], values: Vec::new() }
}

/// The iterator of [`instances`].
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    indices: &'a Indices,
    variables: Vec<Variable<'a>>,
    /// One per variable that has a value, and one more for the next; empty when all is done.
    levels: Vec<Level>,
    /// The cells so far. Invariant: there is one level more.
    values: Vec<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Variable<'a> {
    values: &'a Shape,
    /// The variables that are declared together.
    group: usize,
    distinct: bool,
    stands_for_all: bool,
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
    fn new(fixing: Stabiliser, rest: &[Variable<'_>]) -> Level {
        let has_points = rest.first().is_some_and(
            |next| matches!(next.values, Shape::Simple { indices, .. } if !indices.is_empty()),
        );
        let orbits = if has_points { fixing.orbits() } else { Vec::new() };
        Level { fixing, orbits, tried: 0 }
    }
}

impl Instances<'_> {
    /// The next value for the last level, if there is one; with the point that it is.
    fn choose(&mut self) -> Option<(i64, Option<Point>)> {
        let variable = self.variables[self.values.len()];
        let (low, size) = range_of(variable.values);
        let level = self.levels.last_mut().expect("asked only if there is a level");
        while level.tried < size {
            let value = low.wrapping_add_unsigned(level.tried);
            level.tried += 1;
            let known = self.variables.iter().zip(&self.values);
            let mut known =
                known.filter(|(one, _)| variable.distinct && one.group == variable.group);
            if known.any(|(_, &other)| other == value) {
                continue;
            }
            match point_of(self.indices, variable.values, value) {
                Some(point) if level.orbits[point as usize] != point => {}
                point => {
                    if variable.stands_for_all {
                        // Any value will do, and the least one of an orbit that is free is free, too:
                        // nothing before it is moved.
                        level.tried = size;
                    }
                    return Some((value, point));
                }
            }
        }
        None
    }

    /// Gives this value to the next variable.
    fn enter(&mut self, value: i64, point: Option<Point>) {
        self.values.push(value);
        let fixing = &self.levels[self.levels.len() - 1].fixing;
        let fixing = match point {
            Some(point) => fixing.fixing(&[point]),
            None => fixing.clone(),
        };
        let rest = &self.variables[self.values.len()..];
        self.levels.push(Level::new(fixing, rest));
    }

    /// Gives up the last level, and the value that led to it.
    fn leave(&mut self) {
        self.levels.pop();
        self.values.pop();
    }

    /// The tuple that all variables have now.
    fn instance(&self) -> Instance {
        let values = self.variables.iter().zip(&self.values).enumerate();
        let indexed = values.filter_map(|(k, (variable, &value))| {
            Some((k, point_of(self.indices, variable.values, value)?))
        });
        let (cells_of_points, points): (Vec<usize>, Vec<Point>) = indexed.unzip();
        Instance {
            cells: self.values.clone(),
            orbit: orbit_size(self.indices, &points),
            points,
            cells_of_points,
        }
    }
}

impl Iterator for Instances<'_> {
    type Item = Instance;

    fn next(&mut self) -> Option<Instance> {
        while !self.levels.is_empty() {
            run::poll();
            if self.values.len() == self.variables.len() {
                let found = self.instance();
                self.leave();
                return Some(found);
            }
            match self.choose() {
                Some((value, point)) => self.enter(value, point),
                None => self.leave(),
            }
        }
        None
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
    use crate::symmetry::{IndexType, Permutation};
    use crate::system::atoms::TrackedGroup;
    use std::collections::{BTreeMap, BTreeSet};

    /// The index types: their names, sizes and groups.
    const TYPES: [(&str, u32, Group); 6] = [
        ("full", 4, Group::Full),
        ("pair", 2, Group::Full),
        ("one", 1, Group::Full),
        ("turn", 5, Group::Rotations),
        ("flip", 6, Group::Dihedral),
        ("plain", 3, Group::Trivial),
    ];

    fn indices() -> Indices {
        Indices::new(TYPES.map(|(_, size, group)| IndexType { size, group }))
    }

    /// The values of a type: an index type, `a..b`, or `mixed`, which is the union of full, two
    /// colours, and turn.
    fn values(name: &str) -> Shape {
        if let Some((low, high)) = name.split_once("..") {
            return Shape::range(low.parse().expect("a number"), high.parse().expect("a number"));
        }
        if name == "mixed" {
            let indices = vec![(IndexTypeId(0), 0), (IndexTypeId(3), 6)];
            return Shape::Simple { low: 0, values: 11, indices };
        }
        let of = TYPES.iter().position(|(one, ..)| *one == name).expect("an index type");
        let indices = vec![(IndexTypeId(u32::try_from(of).expect("few types")), 0)];
        Shape::Simple { low: 0, values: TYPES[of].1.into(), indices }
    }

    /// `a, b: full; distinct m: mixed`
    fn tracked(text: &str) -> TrackedVariables {
        let groups = text.split(';').map(str::trim).filter(|group| !group.is_empty());
        let groups = groups.map(|group| {
            let (names, of) = group.split_once(": ").expect("a type");
            TrackedGroup {
                values: values(of),
                variables: names.split(',').count(),
                distinct: names.starts_with("distinct ") || names.starts_with("all "),
                stands_for_all: names.starts_with("all "),
            }
        });
        TrackedVariables { groups: groups.collect() }
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

    /// What a permutation makes of a value.
    fn image(indices: &Indices, by: &Permutation, shape: &Shape, cell: i64) -> i64 {
        let Some(point) = point_of(indices, shape, cell) else { return cell };
        let Shape::Simple { indices: types, .. } = shape else { unreachable!("a simple shape") };
        let (of, k) = indices.value(by.image(point));
        let (_, first) = types.iter().find(|(one, _)| *one == of).expect("a symmetry keeps types");
        first + i64::from(k)
    }

    /// All tuples, by counting.
    fn all(tracked: &TrackedVariables) -> BTreeSet<Vec<i64>> {
        let mut tuples = BTreeSet::from([Vec::new()]);
        for group in &tracked.groups {
            let (low, size) = range_of(&group.values);
            let mut extended = vec![Vec::new()];
            for _ in 0..group.variables {
                let longer = extended.iter().flat_map(|tuple: &Vec<i64>| {
                    (0..size).map(|k| {
                        let mut longer = tuple.clone();
                        longer.push(low.wrapping_add_unsigned(k));
                        longer
                    })
                });
                extended = longer.collect();
            }
            let fits = |tuple: &Vec<i64>| {
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
    fn check(variables: &str, count: usize) {
        let indices = indices();
        let elements = elements(&indices);
        let tracked = tracked(variables);
        let expected = all(&tracked);
        let found: Vec<Instance> = instances(&tracked, &indices).collect();
        assert_eq!(found.len(), count, "{variables}");
        assert_eq!(tuples(&tracked), expected.len().into(), "{variables}");
        let whole = indices.all();
        let mut covered: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for (k, instance) in found.iter().enumerate() {
            assert!(whole.is_least(&instance.points), "{variables} {instance:?}");
            let orbit: BTreeSet<Vec<i64>> = elements
                .iter()
                .map(|by| {
                    let values = tracked.shapes().zip(&instance.cells);
                    let moved: Vec<i64> =
                        values.map(|(shape, &cell)| image(&indices, by, shape, cell)).collect();
                    let points: Vec<_> =
                        instance.points.iter().map(|&point| by.image(point)).collect();
                    assert_eq!(instance.moved(&points), moved, "{variables}");
                    moved
                })
                .collect();
            assert_eq!(instance.orbit, orbit.len().into(), "{variables} {instance:?}");
            for tuple in orbit {
                assert_eq!(covered.insert(tuple, k), None, "{variables}: two instances");
            }
        }
        assert!(covered.keys().eq(&expected), "{variables}: every tuple, and no other");
    }

    #[test]
    fn every_tuple_is_in_the_orbit_of_one_instance() {
        for (variables, count) in [
            ("", 1),
            ("a: full", 1),
            ("a, b: full", 2),
            ("distinct a, b: full", 1),
            ("a, b, c: full", 5),
            ("a, b, c, d: full", 15),
            ("a, b, c: pair", 4),
            ("distinct a, b, c: pair", 0),
            ("a, b: one", 1),
            ("distinct a, b: one", 0),
            ("a, b: turn", 5),
            ("distinct a, b, c: turn", 12),
            ("a, b: flip", 4),
            ("a, b, c: flip", 20),
            ("distinct a, b, c: flip", 10),
            ("a: plain", 3),
            ("a, b: plain", 9),
            ("distinct a, b: plain", 6),
            ("n: 2..4; a: full; n2: 0..1", 6),
            ("k: 0..1; b: 0..1", 4),
            ("distinct k, l: 0..1", 2),
            ("a: full; b: turn; c: full; d: turn", 10),
            ("a: full; p: plain; b: full", 6),
            ("m: mixed", 4),
            ("m, n: mixed", 21),
            ("distinct m, n: mixed", 17),
            ("a: full; m: mixed", 5),
            ("m: mixed; t: turn; a: full", 9),
        ] {
            check(variables, count);
        }
    }

    /// Of tuples that differ by a symmetry and by the order in which a group has its values, one is
    /// asked about.
    #[test]
    fn one_order_stands_for_all() {
        let indices = indices();
        let elements = elements(&indices);
        for (variables, count) in [
            ("all a, b, c, d: full", 1),
            ("all a, b, c, d, e: turn", 1),
            ("all a, b, c: plain", 1),
            ("all k, l: 0..1", 1),
            ("p: turn; all a, b, c, d, e: turn", 1),
            ("p: plain; all a, b, c: plain; q: full", 3),
            ("all a, b, c, d: full; p, q: full", 16),
        ] {
            let tracked = tracked(variables);
            let least = |tuple: &[i64]| {
                let images = elements.iter().map(|by| {
                    let mut rest = tuple.iter();
                    let mut image_of = Vec::new();
                    for group in &tracked.groups {
                        let cells = rest.by_ref().take(group.variables);
                        let mut cells: Vec<i64> =
                            cells.map(|&cell| image(&indices, by, &group.values, cell)).collect();
                        if group.stands_for_all {
                            cells.sort_unstable();
                        }
                        image_of.extend(cells);
                    }
                    image_of
                });
                images.min().expect("the identity is an element")
            };
            let found: Vec<_> =
                instances(&tracked, &indices).map(|one| least(&one.cells)).collect();
            let expected: BTreeSet<_> = all(&tracked).iter().map(|tuple| least(tuple)).collect();
            assert!(expected.is_subset(&found.iter().cloned().collect()), "{variables}");
            assert_eq!(found.len(), count, "{variables}");
        }
    }

    #[test]
    fn large_types_have_few_instances() {
        for (group, count, orbit) in
            [(Group::Full, 5, "997002000"), (Group::Rotations, 1_000_000, "1000")]
        {
            let indices = Indices::new([IndexType { size: 1000, group }]);
            let values = Shape::Simple { low: 0, values: 1000, indices: vec![(IndexTypeId(0), 0)] };
            let group =
                TrackedGroup { values, variables: 3, distinct: false, stands_for_all: false };
            let tracked = TrackedVariables { groups: vec![group] };
            // Of a million, the first ones are enough: nothing is computed ahead.
            let found: Vec<Instance> = instances(&tracked, &indices).take(1500).collect();
            assert_eq!(found.len(), count.min(1500));
            let last = found.last().expect("there are some");
            assert_eq!(last.orbit.to_string(), orbit);
        }
    }
}
