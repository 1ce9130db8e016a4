//! All states of some small shapes: how many orbits there are is known, the orbits' sizes add up to
//! all states, and the permutation leads back.

use super::*;
use crate::model::types::IndexTypeId;
use crate::symmetry::IndexType;
use crate::system::Shape;
use hashbrown::HashSet;
use num_bigint::BigUint;

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
    // Maps from 3 to 2 up to both: by how many go to the first, up to swapping.
    let indices = Indices::new([
        IndexType { size: 3, group: Group::Full },
        IndexType { size: 2, group: Group::Full },
    ]);
    let other = IndexTypeId(1);
    check(&[array(PID, 3, index(other, 2))], &indices, 2);
    // And where one of the two is marked, by how many go to it.
    check(&[array(PID, 3, index(other, 2)), index(other, 2)], &indices, 4);
    // 0-1 matrices of 3 rows and 2 columns up to permutations of both.
    check(&[array(PID, 3, array(other, 2, boolean()))], &indices, 13);
}

fn check(shapes: &[Shape], indices: &Indices, orbits: usize) {
    let layout = Layout::new(shapes.to_vec());
    let structure = Structure::new(&layout, indices);
    let mut canonicaliser = structure.canonicaliser();
    let order = indices.all().order();
    let values: Vec<i64> = {
        let mut values = Vec::new();
        for shape in shapes {
            all_values(shape, &mut values);
        }
        values
    };
    let mut cells = vec![0; layout.cells()];
    let (mut forms, mut full, mut count) = (HashSet::new(), BigUint::ZERO, 0_u64);
    let mut image = cells.clone();
    loop {
        let mut packed = vec![0; layout.words()];
        layout.pack(&cells, &mut packed);
        let mut plainly = packed.clone();
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
        // The next one, like a number with as many digits as cells.
        let mut at = 0;
        while at < cells.len() && cells[at] + 1 == values[at] {
            cells[at] = 0;
            at += 1;
        }
        if at == cells.len() {
            break;
        }
        cells[at] += 1;
    }
    assert_eq!(forms.len(), orbits, "{shapes:?} {indices:?}");
    assert_eq!(full, BigUint::from(count), "{shapes:?} {indices:?}");
}

/// How many values each cell has.
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
