//! Groups of symmetries of one state: what leaves it as it is.
//!
//! In a state of n equal processes there are n! of them, and listing even n generators of n points
//! each would cost more than the state itself. So such a group A is stored as a partition of the
//! points into *classes* and a few other generators:
//!
//! ```text
//! A = ⟨N, others⟩,   N = the product of all permutations of each class.
//! ```
//!
//! Invariant: N is normal in A, which is to say that the others map classes to classes. Hence every
//! orbit of A on tuples is a union of orbits of N, which have an obvious least element, and A moves
//! those as the others alone generate: searching for the least tuple of an orbit, for the elements
//! that fix a tuple (by Schreier's lemma), or for the order of A never looks at the elements of N.

use super::chain::StabiliserChain;
use super::{Indices, Permutation, Point};
use hashbrown::HashMap;
use num_bigint::BigUint;
use terms::Group;

/// A group of permutations of points: those that leave a state, or something in it, as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stabiliser {
    /// By point: where its class starts in `members`.
    class: Vec<u32>,
    /// The points class by class, ascending in each.
    members: Vec<Point>,
    /// By point: its place in `members`.
    place: Vec<u32>,
    /// Other generators. Invariant: each maps classes to classes.
    others: Vec<Permutation>,
}

/// A tuple of an orbit, with an element of the group that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The tuple.
    pub tuple: Vec<Point>,
    /// The element.
    pub by: Permutation,
}

impl Stabiliser {
    /// The group of the identity alone.
    pub fn trivial(points: usize) -> Stabiliser {
        let all: Vec<Point> = (0..points as Point).collect();
        Stabiliser { class: all.clone(), members: all.clone(), place: all, others: Vec::new() }
    }

    /// The whole group of some index types.
    pub(super) fn of_all(indices: &Indices) -> Stabiliser {
        let mut all = Stabiliser::trivial(indices.points());
        for of in indices.types() {
            let points = indices.points_of(of);
            let (first, n) = (points.start, points.end - points.start);
            let mut turn = |image: &dyn Fn(u32) -> u32| {
                let mut generator = Permutation::identity(indices.points());
                for k in 0..n {
                    generator.images_mut()[(first + k) as usize] = first + image(k) % n;
                }
                all.others.push(generator);
            };
            match indices.group(of) {
                Group::Trivial => {}
                Group::Rotations => turn(&|k| k + 1),
                Group::Dihedral => {
                    turn(&|k| k + 1);
                    turn(&|k| n - k);
                }
                Group::Full => {
                    for point in points {
                        all.class[point as usize] = first;
                    }
                }
            }
        }
        all
    }

    /// The group of what permutes points of one class, and of what these generate. The classes are
    /// given by any point of each; the others must map classes to classes.
    pub(super) fn new(class_of: &[u32], others: Vec<Permutation>) -> Stabiliser {
        let mut found = Stabiliser::trivial(class_of.len());
        found.reset(class_of, others);
        found
    }

    /// As [`Stabiliser::new`], in the memory that is there.
    pub(super) fn reset(&mut self, class_of: &[u32], others: Vec<Permutation>) {
        let points = class_of.len();
        self.members.clear();
        self.members.extend(0..points as Point);
        // In a representative, classes follow each other.
        if !class_of.is_sorted() {
            self.members.sort_unstable_by_key(|&point| (class_of[point as usize], point));
        }
        self.class.resize(points, 0);
        self.place.resize(points, 0);
        let mut start = 0;
        for (place, &point) in self.members.iter().enumerate() {
            if class_of[point as usize] != class_of[self.members[start] as usize] {
                start = place;
            }
            self.class[point as usize] = start as u32;
            self.place[point as usize] = place as u32;
        }
        self.others = others;
        debug_assert!(self.others.iter().all(|one| self.maps_classes(one)), "N is normal");
    }

    fn maps_classes(&self, permutation: &Permutation) -> bool {
        let class = |point: Point| self.class[point as usize];
        let mut images = vec![u32::MAX; self.class.len()];
        (0..self.class.len() as Point).all(|point| {
            let image = &mut images[class(point) as usize];
            let now = class(permutation.image(point));
            let fits = *image == u32::MAX || *image == now;
            *image = now;
            fits && self.class_size(point) == self.class_size(permutation.image(point))
        })
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.class.len()
    }

    /// The least point of a point's class: whatever two points of a class are swapped, the group
    /// contains it.
    #[inline]
    pub fn leader(&self, point: Point) -> Point {
        self.members[self.class[point as usize] as usize]
    }

    /// The points of a point's class, ascending.
    pub fn class(&self, point: Point) -> &[Point] {
        let start = self.class[point as usize] as usize;
        &self.members[start..start + self.class_size(point)]
    }

    fn class_size(&self, point: Point) -> usize {
        let class = self.class[point as usize];
        let rest = &self.members[class as usize..];
        rest.partition_point(|&other| self.class[other as usize] == class)
    }

    /// The generators that are not just swaps of points of one class.
    pub fn others(&self) -> &[Permutation] {
        &self.others
    }

    /// Generators of the whole group.
    pub fn generators(&self) -> Vec<Permutation> {
        let swaps = self.members.windows(2).filter(|two| self.same_class(two[0], two[1]));
        let swaps = swaps.map(|two| Permutation::transposition(self.points(), two[0], two[1]));
        swaps.chain(self.others.iter().cloned()).collect()
    }

    /// Generators of the whole group, not many: for each class two.
    pub(crate) fn few_generators(&self) -> Vec<Permutation> {
        let mut found = self.others.clone();
        for class in self.members.chunk_by(|&a, &b| self.same_class(a, b)) {
            if let &[first, second, ref rest @ ..] = class {
                found.push(Permutation::transposition(self.points(), first, second));
                if !rest.is_empty() {
                    let mut cycle = Permutation::identity(self.points());
                    for (k, &point) in class.iter().enumerate() {
                        cycle.images_mut()[point as usize] = class[(k + 1) % class.len()];
                    }
                    found.push(cycle);
                }
            }
        }
        found
    }

    fn same_class(&self, a: Point, b: Point) -> bool {
        self.class[a as usize] == self.class[b as usize]
    }

    /// Whether it is the identity alone.
    pub fn is_trivial(&self) -> bool {
        self.others.is_empty()
            && self.members.windows(2).all(|two| !self.same_class(two[0], two[1]))
    }

    /// How many elements the group has: |N|, times the order of what the others do to the classes,
    /// because only the elements of N map every class to itself.
    pub fn order(&self) -> BigUint {
        let mut order = BigUint::from(1u32);
        let mut place = 0;
        while place < self.members.len() {
            let size = self.class_size(self.members[place]);
            // A long number is multiplied by as many factors at once as there is room for in a word.
            let mut factors = 1_u64;
            for factor in 2..=size as u64 {
                factors = factors.checked_mul(factor).unwrap_or_else(|| {
                    order *= factors;
                    factor
                });
            }
            order *= factors;
            place += size;
        }
        if !self.others.is_empty() {
            let on_classes = self.others.iter().map(|one| {
                let images = (0..self.points() as Point).map(|place| {
                    let point = self.members[place as usize];
                    let image = one.image(point);
                    // A class is represented by its first place; other places stay.
                    if self.class[point as usize] == place {
                        self.class[image as usize]
                    } else {
                        place
                    }
                });
                Permutation::of_images(images.collect::<Vec<_>>())
                    .expect("classes are permuted, their other places stay")
            });
            order *= StabiliserChain::new(self.points(), on_classes).order();
        }
        order
    }

    /// How many elements the group has, if there are no other generators and 128 bits are enough.
    pub fn small_order(&self) -> Option<u128> {
        if !self.others.is_empty() {
            return None;
        }
        // Factors of one word first: so most are multiplied.
        let (mut order, mut factors) = (1_u128, 1_u64);
        // In a class of n points, the k-th one makes the factor k.
        for (place, &point) in self.members.iter().enumerate() {
            let factor = place as u64 - u64::from(self.class[point as usize]) + 1;
            if let Some(product) = factors.checked_mul(factor) {
                factors = product;
            } else {
                order = order.checked_mul(u128::from(factors))?;
                factors = factor;
            }
        }
        order.checked_mul(u128::from(factors))
    }

    /// Whether an element is in the group.
    pub fn contains(&self, permutation: &Permutation) -> bool {
        StabiliserChain::new(self.points(), self.generators()).contains(permutation)
    }

    /// By point, the least point that it can be moved to.
    pub fn orbits(&self) -> Vec<Point> {
        let mut least: Vec<Point> = (0..self.points() as Point).map(|p| self.leader(p)).collect();
        // Down to a fixed point: the others are few, and so are the rounds.
        loop {
            let mut changed = false;
            for other in &self.others {
                for point in 0..self.points() as Point {
                    let (a, b) = (self.leader(point), self.leader(other.image(point)));
                    let both = least[a as usize].min(least[b as usize]);
                    changed |= least[a as usize] != both || least[b as usize] != both;
                    (least[a as usize], least[b as usize]) = (both, both);
                }
            }
            for point in 0..self.points() {
                least[point] = least[self.leader(point as Point) as usize];
            }
            if !changed {
                return least;
            }
        }
    }

    /// Whether a tuple is the least of its orbit, in the order of [`Stabiliser::least`].
    pub fn is_least(&self, tuple: &[Point]) -> bool {
        self.is_least_of_classes(tuple)
            && (self.others.is_empty() || self.least(tuple).tuple == tuple)
    }

    /// Whether a tuple is the least of its orbit under N: whenever a point is met for the first
    /// time, the points before it in its class have been met.
    fn is_least_of_classes(&self, tuple: &[Point]) -> bool {
        tuple.iter().enumerate().all(|(k, &point)| {
            let before = &tuple[..k];
            if before.contains(&point) {
                return true;
            }
            let met = before.iter().enumerate().filter(|&(j, &other)| {
                self.same_class(other, point) && !before[..j].contains(&other)
            });
            self.place[point as usize] as usize == self.class[point as usize] as usize + met.count()
        })
    }

    /// The least tuple of an orbit, with an element that leads back: `by` takes it to `tuple`.
    /// Least is: of those that are least under N, the first in lexical order.
    pub fn least(&self, tuple: &[Point]) -> Reached {
        let (first, to_first) = self.least_of_classes(tuple);
        if self.others.is_empty() {
            return Reached { tuple: first, by: to_first.inverse() };
        }
        let orbit = self.orbit_of_least(first, to_first);
        let least = orbit.into_iter().min_by(|a, b| a.tuple.cmp(&b.tuple));
        let Reached { tuple, by } = least.expect("an orbit is not empty");
        Reached { tuple, by: by.inverse() }
    }

    /// The least tuple under N, and an element of N that leads to it.
    fn least_of_classes(&self, tuple: &[Point]) -> (Vec<Point>, Permutation) {
        let mut least: Vec<Point> = Vec::with_capacity(tuple.len());
        for (k, &point) in tuple.iter().enumerate() {
            let known = tuple[..k].iter().position(|&other| other == point);
            least.push(known.map_or_else(
                || {
                    let first = self.class[point as usize] as usize;
                    let free = (first..).map(|place| self.members[place]);
                    free.into_iter().find(|one| !least.contains(one)).expect("a class has room")
                },
                |at| least[at],
            ));
        }
        let by = moving(self.points(), tuple, &least);
        (least, by)
    }

    /// All least tuples under N of the orbit of one of them; `by` leads to each from where `to_first`
    /// has led to the first.
    fn orbit_of_least(&self, first: Vec<Point>, to_first: Permutation) -> Vec<Reached> {
        let mut known: HashMap<Vec<Point>, usize> = HashMap::new();
        known.insert(first.clone(), 0);
        let mut orbit = vec![Reached { tuple: first, by: to_first }];
        let mut next = 0;
        while next < orbit.len() {
            for other in &self.others {
                let Reached { tuple, by } = &orbit[next];
                let image: Vec<Point> = tuple.iter().map(|&point| other.image(point)).collect();
                let (image, settle) = self.least_of_classes(&image);
                if !known.contains_key(&image) {
                    let by = settle.after(&other.after(by));
                    known.insert(image.clone(), orbit.len());
                    orbit.push(Reached { tuple: image, by });
                }
            }
            next += 1;
        }
        orbit
    }

    /// The elements that leave every point of a tuple where it is.
    ///
    /// They are generated by what permutes the rest of each class, and by the Schreier generators of
    /// the action on orbits of N: with u(t) leading from the tuple to t, the elements
    /// `n ∘ u(t′)⁻¹ ∘ e ∘ u(t)` for every other generator e and t′ = e(t), where n in N takes the tuple
    /// back to itself. (Any product of generators that fixes the tuple is a product of these times an
    /// element of N, N being normal; and that element then fixes the tuple, too.)
    #[must_use]
    pub fn fixing(&self, tuple: &[Point]) -> Stabiliser {
        let mut class_of = self.class.clone();
        for &point in tuple {
            // A class of its own: beyond all others.
            class_of[point as usize] = self.points() as u32 + point;
        }
        if self.others.is_empty() {
            return Stabiliser::new(&class_of, Vec::new());
        }
        let (first, to_first) = self.least_of_classes(tuple);
        let orbit = self.orbit_of_least(first, to_first);
        let mut others: Vec<Permutation> = Vec::new();
        for Reached { tuple: at, by } in &orbit {
            for other in &self.others {
                let image: Vec<Point> = at.iter().map(|&point| other.image(point)).collect();
                let (image, settle) = self.least_of_classes(&image);
                let there = orbit.iter().find(|one| one.tuple == image).expect("orbits are closed");
                let generator = there.by.inverse().after(&settle.after(&other.after(by)));
                // It takes the tuple to itself already: `settle` did what n has to do.
                debug_assert!(tuple.iter().all(|&point| generator.image(point) == point));
                let generator = simplest(&class_of, &generator);
                if !generator.is_identity() && !others.contains(&generator) {
                    others.push(generator);
                }
            }
        }
        Stabiliser::new(&class_of, others)
    }

    /// The orbits of a smaller group on this group's orbit of a tuple: for each the tuple that is least
    /// under `inner`, with an element of this group that takes `tuple` there; ascending.
    ///
    /// This is how one stored step of a representative r becomes steps of a product node over r, and
    /// how tracked indices begin: every tuple of an orbit, but of those that are alike only one.
    pub fn orbits_within(&self, inner: &Stabiliser, tuple: &[Point]) -> Vec<Reached> {
        let (first, to_first) = self.least_of_classes(tuple);
        let mut found = Vec::new();
        for Reached { tuple: at, by } in self.orbit_of_least(first, to_first) {
            self.spread(inner, &at, &mut Vec::new(), &mut |there| {
                if inner.others.is_empty() || inner.is_least(there) {
                    let by = moving(self.points(), &at, there).after(&by);
                    found.push(Reached { tuple: there.to_vec(), by });
                }
            });
        }
        found.sort_unstable_by(|a, b| a.tuple.cmp(&b.tuple));
        found
    }

    /// All tuples that N leads to from here and that are least under the classes of `inner`, which
    /// are parts of the classes of this group.
    fn spread(
        &self,
        inner: &Stabiliser,
        tuple: &[Point],
        chosen: &mut Vec<Point>,
        found: &mut dyn FnMut(&[Point]),
    ) {
        let Some(&point) = tuple.get(chosen.len()) else { return found(chosen) };
        if let Some(known) = tuple[..chosen.len()].iter().position(|&other| other == point) {
            chosen.push(chosen[known]);
            self.spread(inner, tuple, chosen, found);
            chosen.pop();
            return;
        }
        for &candidate in self.class(point) {
            // Of the points that are alike, the first that is free.
            let is_first = !chosen.contains(&candidate)
                && inner
                    .class(candidate)
                    .iter()
                    .take_while(|&&other| other != candidate)
                    .all(|other| chosen.contains(other));
            if is_first {
                chosen.push(candidate);
                self.spread(inner, tuple, chosen, found);
                chosen.pop();
            }
        }
    }
}

/// The permutation with few moved points that takes one tuple to another; where two points of the
/// first are equal, those of the second must be, and the other way round. It moves points of the two
/// tuples only.
fn moving(points: usize, from: &[Point], to: &[Point]) -> Permutation {
    let mut by = Permutation::identity(points);
    let images = by.images_mut();
    for (&from, &to) in from.iter().zip(to) {
        let now = images[from as usize];
        if now != to {
            // Whoever goes there now is not one of the points before.
            let mut other = to;
            while images[other as usize] != to {
                other = images[other as usize];
            }
            images[from as usize] = to;
            images[other as usize] = now;
        }
    }
    by
}

/// The same permutation up to what permutes points of one class before it, with as many fixed points
/// as possible and the others in ascending order: so that two that differ by such an element are equal.
pub(super) fn simplest(class_of: &[u32], permutation: &Permutation) -> Permutation {
    let points = class_of.len() as Point;
    let mut by_class: Vec<Point> = (0..points).collect();
    by_class.sort_unstable_by_key(|&point| (class_of[point as usize], point));
    let mut images: Vec<Point> = vec![Point::MAX; points as usize];
    let mut there: Vec<Point> = Vec::new();
    for class in by_class.chunk_by(|&a, &b| class_of[a as usize] == class_of[b as usize]) {
        there.clear();
        there.extend(class.iter().map(|&point| permutation.image(point)));
        there.sort_unstable();
        for &point in class {
            if there.binary_search(&point).is_ok() {
                images[point as usize] = point;
            }
        }
        there.retain(|&image| images[image as usize] != image);
        let mut free = there.iter();
        for &point in class {
            if images[point as usize] == Point::MAX {
                images[point as usize] = *free.next().expect("as many images as points");
            }
        }
    }
    Permutation::of_images(images).expect("images of classes are rearranged")
}
