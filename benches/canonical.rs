//! What does it cost to find the representative of a state, by the shape of states?
//!
//! `cargo bench --bench canonical`: time per state, over a hundred states each.

use divan::Bencher;
use engine::symmetry::{IndexType, Indices, Structure};
use engine::system::layout::UNDEFINED;
use engine::system::{Layout, Shape};
use model::checked::Group;
use model::types::IndexTypeId;

fn main() {
    divan::main();
}

const PID: IndexTypeId = IndexTypeId(0);
const STATES: usize = 100;

fn index(size: u32) -> Shape {
    Shape::Simple { low: 0, values: u64::from(size), indices: vec![(PID, 0)] }
}

fn array(size: u32, element: Shape) -> Shape {
    let length = u64::from(size);
    Shape::Array { length, indices: vec![(PID, 0)], element: Box::new(element) }
}

/// States whose cells `value` chooses, by their number and a random number.
fn states(layout: &Layout, value: impl Fn(usize, u64) -> i64) -> Vec<Vec<u64>> {
    let mut seed = 1_u64;
    let mut state = || {
        let cells = (0..layout.cells()).map(|cell| {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            value(cell, mixed ^ mixed >> 31)
        });
        let mut packed = vec![0; layout.words()];
        layout.pack(&cells.collect::<Vec<_>>(), &mut packed);
        packed
    };
    (0..STATES).map(|_| state()).collect()
}

fn run(
    bencher: Bencher<'_, '_>,
    group: Group,
    size: u32,
    shapes: Vec<Shape>,
    value: impl Fn(usize, u64) -> i64,
) {
    let layout = Layout::new(shapes);
    let structure = Structure::new(&layout, &Indices::new([IndexType { size, group }]));
    let mut canonicaliser = structure.canonicaliser();
    let states = states(&layout, value);
    bencher.counter(STATES).with_inputs(|| states.clone()).bench_local_refs(|states| {
        for state in states {
            canonicaliser.canonicalise(state);
        }
    });
}

fn small(values: u64) -> impl Fn(usize, u64) -> i64 {
    move |_, random| (random % values).cast_signed()
}

#[divan::bench(args = [4, 10, 100, 1000])]
fn processes_with_scalar_locals(bencher: Bencher<'_, '_>, n: u32) {
    let locals = Shape::Record(vec![Shape::range(0, 2), Shape::range(0, 5)]);
    run(bencher, Group::Full, n, vec![array(n, locals)], small(3));
}

#[divan::bench(args = [4, 16, 64, 1000])]
fn rings(bencher: Bencher<'_, '_>, n: u32) {
    run(bencher, Group::Dihedral, n, vec![array(n, Shape::range(0, 1))], small(2));
}

#[divan::bench(args = [4, 6, 8, 10])]
fn random_matrices(bencher: Bencher<'_, '_>, n: u32) {
    run(bencher, Group::Full, n, vec![array(n, array(n, Shape::range(0, 1)))], small(2));
}

#[divan::bench(args = [4, 6, 8, 10])]
fn matrices_of_rings(bencher: Bencher<'_, '_>, n: u32) {
    let n_cells = n as usize;
    let is_next = move |cell: usize, _| i64::from((cell / n_cells + 1) % n_cells == cell % n_cells);
    run(bencher, Group::Full, n, vec![array(n, array(n, Shape::range(0, 1)))], is_next);
}

#[divan::bench(args = [4, 8, 16])]
fn pointers(bencher: Bencher<'_, '_>, n: u32) {
    let target = move |_, random: u64| match random % (u64::from(n) + 1) {
        0 => UNDEFINED,
        k => (k - 1).cast_signed(),
    };
    run(bencher, Group::Full, n, vec![array(n, index(n))], target);
}
