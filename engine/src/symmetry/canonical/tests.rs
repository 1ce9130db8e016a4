//! All states of some small shapes: the number of orbits is known, the sizes of the orbits add up
//! to the number of states, and the permutation leads back.

use super::*;
use crate::symmetry::IndexType;
use crate::system::Shape;
use hashbrown::HashSet;
use num_bigint::BigUint;
use terms::IndexTypeId;

const PID: IndexTypeId = IndexTypeId(0);

fn boolean() -> Shape {
    Shape::range(0, 1)
}

fn index(of: IndexTypeId, size: u32) -> Shape {
    Shape::Simple { low: 0, values: u64::from(size), indices: vec![(of, 0)] }
}

fn array(of: IndexTypeId, size: u32, element: Shape) -> Shape {
    let length = u64::from(size);
    Shape::Array { length, indices: vec![(of, 0)], element: Box::new(element) }
}

#[test]
fn known_numbers_of_orbits() {
    let matrix = |n| array(PID, n, array(PID, n, boolean()));
    let pointers = |n| array(PID, n, index(PID, n));
    let ring = |n| array(PID, n, boolean());
    //  shape, group, n, orbits of states in which everything is defined
    let table: Vec<(Shape, Group, u32, usize)> = vec![
        (matrix(2), Group::Full, 2, 10),
        (matrix(3), Group::Full, 3, 104),
        (matrix(4), Group::Full, 4, 3044),
        (pointers(3), Group::Full, 3, 7),
        (pointers(4), Group::Full, 4, 19),
        (pointers(5), Group::Full, 5, 47),
        (ring(5), Group::Full, 5, 6),
        (ring(6), Group::Rotations, 6, 14),
        (ring(7), Group::Rotations, 7, 20),
        (ring(6), Group::Dihedral, 6, 13),
        (ring(7), Group::Dihedral, 7, 18),
        (index(PID, 5), Group::Full, 5, 1),
        (index(PID, 5), Group::Rotations, 5, 1),
        (ring(3), Group::Trivial, 3, 8),
    ];
    for (shape, group, size, orbits) in table {
        check(&[shape], &Indices::new([IndexType { size, group }]), orbits);
    }
}

#[test]
fn two_types_that_point_at_each_other() {
    // Maps from 3 to 2 up to both groups: by the number of elements that are mapped to the first,
    // up to swapping.
    let indices = Indices::new([
        IndexType { size: 3, group: Group::Full },
        IndexType { size: 2, group: Group::Full },
    ]);
    let other = IndexTypeId(1);
    check(&[array(PID, 3, index(other, 2))], &indices, 2);
    // If one of the two is marked, by the number of elements that are mapped to it.
    check(&[array(PID, 3, index(other, 2)), index(other, 2)], &indices, 4);
    // 0-1 matrices of 3 rows and 2 columns up to permutations of both.
    check(&[array(PID, 3, array(other, 2, boolean()))], &indices, 13);
}

/// An order that is found without a search is the one that the search would have found, with the
/// same permutation.
#[test]
fn what_is_told_is_what_is_searched() {
    let matrix = |n| array(PID, n, array(PID, n, boolean()));
    let pointers = |n| array(PID, n, Shape::Record(vec![boolean(), index(PID, n)]));
    let (three, other) = (IndexType { size: 3, group: Group::Full }, IndexTypeId(1));
    let four = IndexType { size: 4, group: Group::Full };
    let two = IndexType { size: 2, group: Group::Full };
    let messages = array(PID, 3, Shape::Record(vec![boolean(), index(other, 2)]));
    let table: Vec<(Vec<Shape>, Vec<IndexType>)> = vec![
        (vec![matrix(3)], vec![three]),
        (vec![matrix(4)], vec![four]),
        (vec![pointers(3), index(PID, 3)], vec![three]),
        (vec![pointers(4)], vec![four]),
        (vec![messages.clone(), array(PID, 3, index(other, 2))], vec![three, two]),
        (vec![messages, index(other, 2)], vec![three, two]),
        (vec![array(PID, 3, array(other, 2, index(PID, 3)))], vec![three, two]),
    ];
    for (shapes, types) in table {
        let indices = Indices::new(types);
        let layout = Layout::new(shapes.clone());
        let structure = Structure::new(&layout, &indices);
        let searching = Structure { is_simple: false, ..structure.clone() };
        let (mut told, mut searched) = (structure.canonicaliser(), searching.canonicaliser());
        for_all_states(&shapes, &layout, |cells, packed| {
            let (mut one, mut two) = (packed.to_vec(), packed.to_vec());
            let permutation = told.canonicalise_with(&mut one);
            assert_eq!(permutation, searched.canonicalise_with(&mut two), "{cells:?}");
            assert_eq!(one, two, "{cells:?}");
            let (one, two) = (told.stabiliser(packed), searched.stabiliser(packed));
            assert_eq!(one, two, "{cells:?}");
        });
    }
}

/// Products of two factorials, one of them 2!, that are longer than one word, and than two.
#[test]
fn orders_of_large_groups() {
    let mut order = BigUint::from(2_u32);
    for size in 1..=60_u32 {
        order *= size;
        let class_of: Vec<u32> = (0..size + 2).map(|point| u32::from(point < size)).collect();
        let group = Stabiliser::new(&class_of, Vec::new());
        assert_eq!(group.order(), order);
        assert_eq!(group.small_order(), u128::try_from(&order).ok());
    }
}

#[test]
fn sorts_like_a_stable_sort() {
    let check = |keys: &[u8]| {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        let mut expected = order.clone();
        expected.sort_by_key(|&k| keys[k as usize]);
        let moved = sort_nearly_sorted(&mut order, |a, b| keys[a as usize].cmp(&keys[b as usize]));
        assert_eq!(order, expected, "{keys:?}");
        let stay = |k: &u32| moved.contains(&(*k as usize)) || order[*k as usize] == *k;
        assert!((0..keys.len() as u32).all(|k| stay(&k)), "{keys:?}: {moved:?}");
        assert_eq!(moved.is_empty(), keys.is_sorted(), "{keys:?}: {moved:?}");
    };
    for number in 0..4_u32.pow(6) {
        let keys: Vec<u8> = (0..6).map(|k| (number >> (2 * k)) as u8 & 3).collect();
        (0..=6).for_each(|length| check(&keys[..length]));
    }
    // More work than a few passes.
    check(&(0..200).rev().collect::<Vec<u8>>());
}

fn check(shapes: &[Shape], indices: &Indices, orbits: usize) {
    let layout = Layout::new(shapes.to_vec());
    let structure = Structure::new(&layout, indices);
    let mut canonicaliser = structure.canonicaliser();
    let order = indices.all().order();
    let (mut forms, mut full, mut count) = (HashSet::new(), BigUint::ZERO, 0_u64);
    let mut image = vec![0; layout.cells()];
    for_all_states(shapes, &layout, |cells, packed| {
        let (mut packed, mut plainly) = (packed.to_vec(), packed.to_vec());
        let permutation = canonicaliser.canonicalise_with(&mut packed);
        canonicaliser.canonicalise(&mut plainly);
        assert_eq!(packed, plainly, "with or without the permutation");
        let mut representative = vec![0; layout.cells()];
        layout.unpack(&packed, &mut representative);
        structure.action().apply(&permutation, &representative, &mut image);
        assert_eq!(image, cells, "{permutation} leads back from {representative:?}");
        if forms.insert(packed.clone()) {
            full += &order / canonicaliser.stabiliser(&packed).order();
        }
        count += 1;
    });
    assert_eq!(forms.len(), orbits, "{shapes:?} {indices:?}");
    assert_eq!(full, BigUint::from(count), "{shapes:?} {indices:?}");
}

/// All states in which everything is defined: their cells, and packed.
fn for_all_states(shapes: &[Shape], layout: &Layout, mut each: impl FnMut(&[i64], &[u64])) {
    let mut values = Vec::new();
    for shape in shapes {
        all_values(shape, &mut values);
    }
    let mut cells = vec![0; layout.cells()];
    let mut packed = vec![0; layout.words()];
    loop {
        layout.pack(&cells, &mut packed);
        each(&cells, &packed);
        // Increments the cells like the digits of a number.
        let mut at = 0;
        while at < cells.len() && cells[at] + 1 == values[at] {
            cells[at] = 0;
            at += 1;
        }
        if at == cells.len() {
            return;
        }
        cells[at] += 1;
    }
}

/// The number of values of each cell.
fn all_values(shape: &Shape, found: &mut Vec<i64>) {
    match shape {
        Shape::Simple { values, .. } => found.push(*values as i64),
        Shape::Array { length, element, .. } => {
            (0..*length).for_each(|_| all_values(element, found));
        }
        Shape::Record(parts) => parts.iter().for_each(|part| all_values(part, found)),
        Shape::Multiset { .. } => unreachable!("not among these"),
    }
}
