//! Numbers of orbits that are known, and graphs whose vertices look alike.

use engine::symmetry::{Permutation, Structure};
use engine::system::layout::UNDEFINED;
use engine::system::{Layout, Shape};
use model::checked::Group;
use model::types::IndexTypeId;
use run::SplitMix64;
use std::collections::BTreeSet;
use suites::canonical::plain::Types;

const A: IndexTypeId = IndexTypeId(0);
const B: IndexTypeId = IndexTypeId(1);

#[test]
fn numbers_of_orbits() {
    use Group::{Dihedral, Full, Rotations};
    // Relations on n points (A000595), maps from n points to themselves (A001372).
    for (n, orbits) in [(1, 2), (2, 10), (3, 104), (4, 3044)] {
        check_orbits(&[(n, Full)], matrix((A, n), (A, n)), orbits);
    }
    for (n, orbits) in [(1, 1), (2, 3), (3, 7), (4, 19), (5, 47), (6, 130)] {
        check_orbits(&[(n, Full)], array((A, n), index((A, n))), orbits);
    }
    // Necklaces and bracelets of two colours (A000031, A000029).
    let necklaces = [2, 3, 4, 6, 8, 14, 20, 36];
    let bracelets = [2, 3, 4, 6, 8, 13, 18, 30];
    for (n, (necklaces, bracelets)) in (1..).zip(necklaces.into_iter().zip(bracelets)) {
        let ring = || array((A, n), bit());
        check_orbits(&[(n, Rotations)], ring(), necklaces);
        check_orbits(&[(n, Dihedral)], ring(), bracelets);
        check_orbits(&[(n, Full)], ring(), n as usize + 1);
    }
    // Of three colours (A001867, A027671).
    for (n, necklaces, bracelets) in [(3, 11, 10), (4, 24, 21), (5, 51, 39), (6, 130, 92)] {
        let ring = || array((A, n), Shape::range(0, 2));
        check_orbits(&[(n, Rotations)], ring(), necklaces);
        check_orbits(&[(n, Dihedral)], ring(), bracelets);
    }
    // Matrices of bits, rows and columns permuted each by themselves (A002724; A028657).
    for (n, orbits) in [(1, 2), (2, 7), (3, 36), (4, 317)] {
        check_orbits(&[(n, Full), (n, Full)], matrix((A, n), (B, n)), orbits);
    }
    check_orbits(&[(2, Full), (3, Full)], matrix((A, 2), (B, 3)), 13);
    check_orbits(&[(3, Full), (4, Full)], matrix((A, 3), (B, 4)), 87);
    // Maps from one type to another: partitions of n into at most m parts.
    for (n, m, orbits) in [(4, 4, 5), (5, 4, 6), (5, 2, 3), (6, 3, 7)] {
        check_orbits(&[(n, Full), (m, Full)], array((A, n), index((B, m))), orbits);
    }
}

#[test]
fn regular_graphs_of_eight() {
    let circulant = |steps: &[usize]| {
        relation(|a, b| steps.iter().any(|step| (a + step) % 8 == b || (b + step) % 8 == a))
    };
    let mut graphs = vec![
        ("nothing", relation(|_, _| false)),
        ("everything", relation(|_, _| true)),
        ("identity", relation(|a, b| a == b)),
        ("complete", relation(|a, b| a != b)),
        ("order", relation(|a, b| a < b)),
        ("cycle", circulant(&[1])),
        ("directed cycle", relation(|a, b| (a + 1) % 8 == b)),
        ("two cycles", relation(|a, b| a / 4 == b / 4 && (a % 2) != (b % 2))),
        ("two directed cycles", relation(|a, b| a / 4 == b / 4 && (a + 1) % 4 == b % 4)),
        ("two cliques", relation(|a, b| a / 4 == b / 4 && a != b)),
        ("matching", relation(|a, b| a ^ 1 == b)),
        ("bipartite", relation(|a, b| a / 4 != b / 4)),
        ("cube", relation(|a, b| (a ^ b).is_power_of_two())),
        ("cube again", relation(|a, b| a / 4 != b / 4 && a % 4 != b % 4)),
        ("Wagner's", circulant(&[1, 4])),
        ("antiprism", circulant(&[1, 2])),
        ("three and five", relation(|a, b| (a < 3) == (b < 3) && a != b)),
        ("fixed, and a cycle of seven", relation(|a, b| a > 0 && b > 0 && a % 7 == b - 1)),
    ];
    let mut random = SplitMix64::new(8);
    for _ in 0..30 {
        let density = 1 + random.below(9);
        let bits: Vec<usize> = (0..64).map(|_| random.below(10)).collect();
        graphs.push(("random", relation(|a, b| bits[a * 8 + b] < density)));
        graphs
            .push(("random, symmetric", relation(|a, b| bits[a.min(b) * 8 + a.max(b)] < density)));
    }
    let types = Types(vec![(8, Group::Full)]);
    let shapes = vec![matrix((A, 8), (A, 8))];
    let layout = Layout::new(shapes.clone());
    let structure = Structure::new(&layout, &types.indices());
    let mut canonicaliser = structure.canonicaliser();
    let mut forms = BTreeSet::new();
    // Undefined is as good as any other value to tell pairs apart by.
    for k in 0..graphs.len() {
        let undefined = |&bit: &i64| if bit == 0 { UNDEFINED } else { 0 };
        graphs.push((
            "random: undefined for 0, 0 for 1",
            graphs[k].1.iter().map(undefined).collect(),
        ));
    }
    for (name, graph) in &graphs {
        let mut representative = vec![0; layout.words()];
        layout.pack(graph, &mut representative);
        canonicaliser.canonicalise(&mut representative);
        let mut least = vec![0; layout.cells()];
        layout.unpack(&representative, &mut least);
        for _ in 0..10 {
            let by = shuffle(8, &mut random);
            let image = types.act(&by, &shapes, graph);
            let mut packed = vec![0; layout.words()];
            layout.pack(&image, &mut packed);
            let back = canonicaliser.canonicalise_with(&mut packed);
            assert_eq!(packed, representative, "{name}: {graph:?} by {by}");
            assert_eq!(types.act(&back, &shapes, &least), image, "{name}: {graph:?} by {by}");
        }
        if !name.starts_with("random") {
            // Two sides of four without a matching are a cube.
            assert_eq!(forms.insert(least), *name != "cube again", "{name}");
        }
    }
    //  graph, symmetries
    let table = [
        ("nothing", 40320u32),
        ("everything", 40320),
        ("identity", 40320),
        ("complete", 40320),
        ("order", 1),
        ("cycle", 16),
        ("directed cycle", 8),
        ("two cycles", 128),
        ("two directed cycles", 32),
        ("two cliques", 1152),
        ("matching", 384),
        ("bipartite", 1152),
        ("cube", 48),
        ("cube again", 48),
        ("Wagner's", 16),
        ("antiprism", 16),
        ("three and five", 720),
        ("fixed, and a cycle of seven", 7),
    ];
    for ((name, graph), (same, order)) in graphs.iter().zip(table) {
        assert_eq!(*name, same);
        let mut packed = vec![0; layout.words()];
        layout.pack(graph, &mut packed);
        let stabiliser = canonicaliser.stabiliser(&packed);
        assert_eq!(stabiliser.order(), order.into(), "{name}");
        for g in stabiliser.generators() {
            assert_eq!(&types.act(&g, &shapes, graph), graph, "{name}: {g}");
        }
    }
}

/// Looks at all states in which everything is defined.
fn check_orbits(types: &[(u32, Group)], shape: Shape, orbits: usize) {
    let types = Types(types.to_vec());
    let mut choices = Vec::new();
    values(&shape, &mut choices);
    let shapes = vec![shape];
    let layout = Layout::new(shapes.clone());
    let structure = Structure::new(&layout, &types.indices());
    let mut canonicaliser = structure.canonicaliser();
    let mut forms = BTreeSet::new();
    let mut cells = vec![0; choices.len()];
    let (mut packed, mut least) = (vec![0; layout.words()], cells.clone());
    let (mut states, mut sizes) = (0, 0);
    loop {
        layout.pack(&cells, &mut packed);
        let back = canonicaliser.canonicalise_with(&mut packed);
        layout.unpack(&packed, &mut least);
        assert_eq!(types.act(&back, &shapes, &least), cells, "{back} leads back to {cells:?}");
        if forms.insert(packed.clone()) {
            let order = types.order();
            let fixing = canonicaliser.stabiliser(&packed).order();
            let fixing = usize::try_from(fixing).expect("it is in a small group");
            assert_eq!(order % fixing, 0, "{least:?} of {types:?}");
            sizes += order / fixing;
        }
        states += 1;
        // Like a number with a digit for each cell.
        let Some(at) = (0..cells.len()).find(|&at| cells[at] + 1 < choices[at]) else { break };
        cells[at] += 1;
        cells[..at].fill(0);
    }
    assert_eq!(forms.len(), orbits, "{shapes:?} of {types:?}");
    assert_eq!(sizes, states, "{shapes:?} of {types:?}");
}

/// How many values each cell has.
fn values(shape: &Shape, found: &mut Vec<i64>) {
    match shape {
        Shape::Simple { values, .. } => found.push(*values as i64),
        Shape::Array { length, element, .. } => (0..*length).for_each(|_| values(element, found)),
        Shape::Record(_) | Shape::Multiset { .. } => unreachable!("none of these"),
    }
}

fn bit() -> Shape {
    Shape::range(0, 1)
}

fn index((of, size): (IndexTypeId, u32)) -> Shape {
    Shape::Simple { low: 0, values: size.into(), indices: vec![(of, 0)] }
}

fn array((of, size): (IndexTypeId, u32), element: Shape) -> Shape {
    Shape::Array { length: size.into(), indices: vec![(of, 0)], element: Box::new(element) }
}

fn matrix(rows: (IndexTypeId, u32), columns: (IndexTypeId, u32)) -> Shape {
    array(rows, array(columns, bit()))
}

fn relation(holds: impl Fn(usize, usize) -> bool) -> Vec<i64> {
    (0..64).map(|cell| i64::from(holds(cell / 8, cell % 8))).collect()
}

fn shuffle(points: usize, random: &mut SplitMix64) -> Permutation {
    let mut images: Vec<_> = (0..points as u32).collect();
    for k in (1..points).rev() {
        images.swap(k, random.below(k + 1));
    }
    Permutation::of_images(images).expect("all occur")
}
