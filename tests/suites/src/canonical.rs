//! Representatives and stabilisers against all elements of the group, on random states of random shapes.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "cells hold positions, which are small and not negative"
)]

pub mod plain;
pub mod random;

use crate::Counts;
use engine::symmetry::{Permutation, Point, Stabiliser, Structure};
use engine::system::{Layout, Shape};
use plain::{Types, closure, moved};
use run::SplitMix64;
use std::collections::BTreeSet;
use std::fmt;

/// Looks at the random state of a seed, and all states of its orbit.
pub fn random_state(seed: u64, counts: &Counts) {
    let case = Case::new(seed, false);
    case.check(&mut Seen::default());
    counts.add(1, 1, case.group.len(), 0);
}

/// Images of a state of a larger group that are looked at.
const SOME: usize = 10;

/// Looks at the random state of a seed, and some states of its orbit.
pub fn random_state_of_larger_types(seed: u64, counts: &Counts) {
    Case::new(seed, true).check_some();
    counts.add(1, 1, SOME, 0);
}

/// How often there was something to see.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    pub cases: usize,
    /// States that something else than the identity leaves as they are.
    pub symmetric: usize,
    /// States that only the identity of a larger group leaves as they are.
    pub asymmetric: usize,
    /// States that some do, not all.
    pub proper: usize,
    /// States with symmetries none of which swaps two points.
    pub no_swaps: usize,
    /// Orbits with several normal forms.
    pub unsorted: usize,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.cases += other.cases;
        self.symmetric += other.symmetric;
        self.asymmetric += other.asymmetric;
        self.proper += other.proper;
        self.no_swaps += other.no_swaps;
        self.unsorted += other.unsorted;
    }
}

/// A state to be looked at.
pub struct Case {
    seed: u64,
    types: Types,
    shapes: Vec<Shape>,
    cells: Vec<i64>,
    /// All elements of the group; if there are too many, one that leaves the state as it is.
    group: Vec<Permutation>,
}

impl fmt::Debug for Case {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { seed, types, shapes, cells, .. } = self;
        write!(to, "seed {seed}: {types:?}\n{shapes:?}\n{cells:?}")
    }
}

impl Case {
    /// Whose group has all elements listed, or is too large for that.
    pub fn new(seed: u64, large: bool) -> Case {
        let mut random = SplitMix64::new(seed);
        let types =
            if large { random::large_types(&mut random) } else { random::types(&mut random) };
        let shapes = random::shapes(&types, &mut random);
        let by = match random.below(4) {
            0 => Permutation::identity(types.points()),
            _ => types.element(&mut random),
        };
        let palette = [1, 2, 2, 8][random.below(4)];
        let undefined = [2, 5, 1000][random.below(3)];
        let mut states = random::States { types: &types, random: &mut random, palette, undefined };
        let cells = states.fixed_by(&by, &shapes);
        let group = if large { vec![by] } else { types.elements() };
        let case = Case { seed, types, shapes, cells, group };
        for by in case.group.iter().filter(|_| large) {
            assert_eq!(case.act(by, &case.cells), case.cells, "{by} is a symmetry: {case:?}");
        }
        case
    }

    fn act(&self, by: &Permutation, cells: &[i64]) -> Vec<i64> {
        self.types.act(by, &self.shapes, cells)
    }

    pub fn check(&self, seen: &mut Seen) {
        let layout = Layout::new(self.shapes.clone());
        let structure = Structure::new(&layout, &self.types.indices());
        let pack = |cells: &[i64]| {
            let mut packed = vec![0; layout.words()];
            layout.pack(cells, &mut packed);
            packed
        };
        let unpack = |packed: &[u64]| {
            let mut cells = vec![0; layout.cells()];
            layout.unpack(packed, &mut cells);
            cells
        };
        let mut canonicaliser = structure.canonicaliser();
        let mut sorter = structure.sorter();
        let all: BTreeSet<_> = self.group.iter().cloned().collect();
        assert!(all.iter().all(|g| self.types.contains(g)), "{self:?}");

        // Every state of the orbit has the same representative, and there is a way back.
        let mut representative = pack(&self.cells);
        canonicaliser.canonicalise(&mut representative);
        let least = unpack(&representative);
        let mut normal_forms = BTreeSet::new();
        let mut scratch = Vec::new();
        let orbit: BTreeSet<_> = self.group.iter().map(|g| self.act(g, &self.cells)).collect();
        for state in &orbit {
            let mut packed = pack(state);
            let back = canonicaliser.canonicalise_with(&mut packed);
            assert_eq!(unpack(&packed), least, "representative of {state:?}: {self:?}");
            assert!(all.contains(&back), "{back} is no symmetry: {self:?}");
            assert_eq!(&self.act(&back, &least), state, "{back} does not lead back: {self:?}");
            let mut packed = pack(state);
            canonicaliser.canonicalise(&mut packed);
            assert_eq!(packed, representative, "without permutation, of {state:?}: {self:?}");

            let mut sorted = pack(state);
            let back = sorter.sort_with(&mut sorted);
            assert!(all.contains(&back), "{back} is no symmetry: {self:?}");
            let form = unpack(&sorted);
            assert_eq!(&self.act(&back, &form), state, "{back} does not lead back: {self:?}");
            let mut packed = pack(state);
            sorter.sort(&mut packed);
            assert_eq!(packed, sorted, "normal form without permutation, of {state:?}: {self:?}");
            normal_forms.insert(form);
        }
        let action = structure.action();
        let mut image = vec![0; layout.cells()];
        for g in &self.group {
            let expected = self.act(g, &self.cells);
            action.apply(g, &self.cells, &mut image);
            assert_eq!(image, expected, "{g} acts: {self:?}");
            let fixes = expected == self.cells;
            assert_eq!(action.fixes(g, &self.cells, &mut scratch), fixes, "{g} fixes: {self:?}");
        }

        let mut random = SplitMix64::new(self.seed ^ 0x5eed);
        let whole = structure.indices().all();
        self.check_group(&whole, &all);
        let mut last = None;
        for state in [&self.cells, &least] {
            let fixing: BTreeSet<_> =
                self.group.iter().filter(|g| self.act(g, state) == *state).cloned().collect();
            let stabiliser = canonicaliser.stabiliser(&pack(state)).clone();
            self.check_group(&stabiliser, &fixing);
            self.check_tuples(&stabiliser, &fixing, &mut random);
            let tuple = random::tuple(self.types.points(), &mut random);
            let fixing_tuple = fixing.iter().filter(|g| moved(g, &tuple) == tuple);
            let fixing_tuple: BTreeSet<_> = fixing_tuple.cloned().collect();
            let inner = stabiliser.fixing(&tuple);
            self.check_group(&inner, &fixing_tuple);
            self.check_tuples(&inner, &fixing_tuple, &mut random);
            for (outer, elements) in [(&whole, &all), (&stabiliser, &fixing)] {
                self.check_within(outer, elements, &stabiliser, &fixing, &mut random);
                self.check_within(outer, elements, &inner, &fixing_tuple, &mut random);
            }
            last = Some(fixing);
        }

        let fixing = last.expect("two states were looked at");
        seen.cases += 1;
        seen.symmetric += usize::from(fixing.len() > 1);
        seen.asymmetric += usize::from(fixing.len() == 1 && all.len() > 1);
        seen.proper += usize::from(fixing.len() > 1 && fixing.len() < all.len());
        let is_swap = |g: &Permutation| g.moved().count() == 2;
        seen.no_swaps += usize::from(fixing.len() > 1 && !fixing.iter().any(is_swap));
        seen.unsorted += usize::from(normal_forms.len() > 1);
    }

    /// The same for some elements of a group that is too large to look at all of them.
    pub fn check_some(&self) {
        let layout = Layout::new(self.shapes.clone());
        let structure = Structure::new(&layout, &self.types.indices());
        let mut canonicaliser = structure.canonicaliser();
        let mut sorter = structure.sorter();
        let mut random = SplitMix64::new(self.seed ^ 0x5eed);
        let mut expected = None;
        for _ in 0..SOME {
            let g = self.types.element(&mut random);
            let state = self.act(&g, &self.cells);
            let mut packed = vec![0; layout.words()];
            layout.pack(&state, &mut packed);
            let stabiliser = canonicaliser.stabiliser(&packed).clone();
            for one in stabiliser.generators() {
                assert!(self.types.contains(&one), "{one} is no symmetry: {self:?}");
                assert_eq!(self.act(&one, &state), state, "{one} fixes it: {self:?}");
            }
            for one in &self.group {
                let one = g.after(&one.after(&g.inverse()));
                assert!(stabiliser.contains(&one), "{one} is missing: {self:?}");
            }
            let mut sorted = packed.clone();
            let back = sorter.sort_with(&mut sorted);
            let mut form = vec![0; layout.cells()];
            layout.unpack(&sorted, &mut form);
            assert!(self.types.contains(&back), "{back} is no symmetry: {self:?}");
            assert_eq!(self.act(&back, &form), state, "{back} does not lead back: {self:?}");

            let back = canonicaliser.canonicalise_with(&mut packed);
            let mut least = vec![0; layout.cells()];
            layout.unpack(&packed, &mut least);
            assert!(self.types.contains(&back), "{back} is no symmetry: {self:?}");
            assert_eq!(self.act(&back, &least), state, "{back} does not lead back: {self:?}");
            let found = (packed, stabiliser.order());
            assert_eq!(&found, expected.get_or_insert(found.clone()), "by {g}: {self:?}");
        }
    }

    /// What is said of a group, against its elements.
    fn check_group(&self, group: &Stabiliser, elements: &BTreeSet<Permutation>) {
        let points = self.types.points();
        let generators = group.generators();
        assert_eq!(&closure(points, &generators), elements, "{generators:?}: {self:?}");
        assert_eq!(group.order(), elements.len().into(), "{generators:?}: {self:?}");
        assert_eq!(group.is_trivial(), elements.len() == 1, "{generators:?}: {self:?}");
        let orbits = group.orbits();
        for a in 0..points as Point {
            let orbit: BTreeSet<_> = elements.iter().map(|g| g.image(a)).collect();
            assert_eq!(Some(&orbits[a as usize]), orbit.first(), "orbit of {a}: {self:?}");
            for b in 0..points as Point {
                let same = group.leader(a) == group.leader(b);
                let alike = elements.contains(&Permutation::transposition(points, a, b));
                // Only a reflection of a ring of four swaps two points and no others; of rings, the
                // classes need not tell.
                let known = !self.types.is_in_ring_of_four(a) || a == b;
                assert!(same == alike || !same && !known, "{a}, {b}, {generators:?}: {self:?}");
                assert_eq!(group.class(a).contains(&b), same, "{a} and {b}: {self:?}");
            }
            assert_eq!(group.class(a)[0], group.leader(a), "{a}: {self:?}");
        }
        for g in self.group.iter().step_by(1 + self.group.len() / 6) {
            assert_eq!(group.contains(g), elements.contains(g), "{g}: {self:?}");
        }
    }

    /// The least tuples of orbits.
    fn check_tuples(
        &self,
        group: &Stabiliser,
        elements: &BTreeSet<Permutation>,
        random: &mut SplitMix64,
    ) {
        let tuple = random::tuple(self.types.points(), random);
        let orbit: BTreeSet<_> = elements.iter().map(|g| moved(g, &tuple)).collect();
        let least = group.least(&tuple).tuple;
        assert!(orbit.contains(&least), "{least:?} of {tuple:?}: {self:?}");
        for one in &orbit {
            let found = group.least(one);
            assert_eq!(found.tuple, least, "least of {one:?}: {self:?}");
            assert!(elements.contains(&found.by), "{} for {one:?}: {self:?}", found.by);
            assert_eq!(&moved(&found.by, &least), one, "{} leads back: {self:?}", found.by);
            assert_eq!(group.is_least(one), *one == least, "{one:?}: {self:?}");
        }
        // Of those outside, another one.
        for _ in 0..4 {
            let other = moved(&self.group[random.below(self.group.len())], &tuple);
            let same = group.least(&other).tuple == least;
            assert_eq!(same, orbit.contains(&other), "{tuple:?} and {other:?}: {self:?}");
        }
    }

    /// One tuple per orbit of a smaller group on an orbit of a larger one.
    fn check_within(
        &self,
        outer: &Stabiliser,
        outer_elements: &BTreeSet<Permutation>,
        inner: &Stabiliser,
        inner_elements: &BTreeSet<Permutation>,
        random: &mut SplitMix64,
    ) {
        let tuple = random::tuple(self.types.points(), random);
        let mut missing: BTreeSet<_> = outer_elements.iter().map(|g| moved(g, &tuple)).collect();
        let found = outer.orbits_within(inner, &tuple);
        assert!(found.is_sorted_by(|a, b| a.tuple < b.tuple), "{found:?}: {self:?}");
        for one in found {
            assert!(missing.contains(&one.tuple), "{one:?} of {tuple:?} comes twice: {self:?}");
            assert!(outer_elements.contains(&one.by), "{one:?} of {tuple:?}: {self:?}");
            assert_eq!(moved(&one.by, &tuple), one.tuple, "{one:?} of {tuple:?}: {self:?}");
            assert!(inner.is_least(&one.tuple), "{one:?} of {tuple:?}: {self:?}");
            for g in inner_elements {
                missing.remove(&moved(g, &one.tuple));
            }
        }
        assert!(missing.is_empty(), "{missing:?} of {tuple:?} are not there: {self:?}");
    }
}
