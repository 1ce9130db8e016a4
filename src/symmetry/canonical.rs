//! One state of each orbit: its *representative*.
//!
//! Contract, with `(r, π) = canonical(s)`:
//! 1. `π(r) = s`: the permutation leads back from the representative;
//! 2. `r` depends only on the orbit of `s`.
//!
//! The first keeps searches exact and counterexamples concrete; the second gives each orbit one node.
//! Types of which [`keys`](super::keys) say everything are sorted, or turned if they are rings, each by
//! itself and in place; so are the others if no two points have the same key. Else these together are
//! left to a [`search`](super::search). n points with scalar locals cost O(n log n), and no allocation.

use super::action::Action;
use super::colouring::Facts;
use super::keys::Keys;
use super::ring::{Turn, fixing_turns, least_turn};
use super::search::{Search, Subject};
use super::stabiliser::simplest;
use super::{Indices, Permutation, Point, Stabiliser};
use crate::model::checked::Group;
use crate::system::Layout;

/// What can be permuted in the states of a layout, and where it is.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(super) action: Action,
    /// The types that are permuted and of which keys say everything.
    pub(super) plain: Vec<Keys>,
    /// The others that are permuted.
    pub(super) related: Vec<Keys>,
    facts: Facts,
}

impl Structure {
    /// Of states of this layout over these index types.
    pub fn new(layout: &Layout, indices: &Indices) -> Structure {
        let action = Action::new(layout, indices);
        let (plain, related) = Keys::of(&action).into_iter().partition(Keys::is_plain);
        let facts = Facts::of(&action);
        Structure { action, plain, related, facts }
    }

    /// How permutations act.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The index types.
    pub fn indices(&self) -> &Indices {
        self.action.indices()
    }

    /// Somebody who finds representatives, with memory of its own.
    pub fn canonicaliser(&self) -> Canonicaliser<'_> {
        let points = self.indices().points();
        Canonicaliser {
            structure: self,
            order: Order::default(),
            orders: vec![Order::default(); self.related.len()],
            before: Vec::new(),
            cells: vec![0; self.action.cells()],
            search: Search::default(),
            images: Permutation::identity(points).images().to_vec(),
            class: Vec::new(),
            stabiliser: Stabiliser::trivial(points),
        }
    }
}

/// Finds representatives and what leaves them as they are.
#[derive(Clone, Debug)]
pub struct Canonicaliser<'s> {
    structure: &'s Structure,
    order: Order,
    /// By type that is not plain.
    orders: Vec<Order>,
    /// A packed state before it is changed.
    before: Vec<u64>,
    cells: Vec<i64>,
    search: Search,
    /// Where points go on the way from a state to its representative.
    images: Vec<Point>,
    class: Vec<Point>,
    stabiliser: Stabiliser,
}

impl Canonicaliser<'_> {
    /// Replaces a packed state by its representative.
    pub fn canonicalise(&mut self, packed: &mut [u64]) {
        for keys in &self.structure.plain {
            if self.order.find(keys, packed) {
                self.order.write(keys, packed);
            }
        }
        if self.are_told_apart(packed) {
            self.arrange(packed);
        } else {
            self.search(packed);
            let (_, least) = self.search.best();
            self.structure.action.layout().pack(least, packed);
        }
    }

    /// Whether keys say of every type that is not plain in which order its points come, because no two
    /// have the same. Leaves the keys, and orders by them where a type has all permutations: the search
    /// behind needs both.
    fn are_told_apart(&mut self, packed: &[u64]) -> bool {
        let mut are_told =
            self.structure.related.is_empty() || !self.structure.action.has_multisets();
        for (keys, order) in self.structure.related.iter().zip(&mut self.orders) {
            if keys.group == Group::Full {
                order.find(keys, packed);
                are_told &= order.is_strict(keys);
            } else {
                keys.read(packed, &mut order.keys);
                are_told = false;
            }
        }
        are_told
    }

    /// Brings points that are told apart into their order.
    fn arrange(&mut self, packed: &mut [u64]) {
        let Structure { action, related, .. } = self.structure;
        let mut changes = false;
        for (keys, order) in related.iter().zip(&self.orders) {
            for (point, &from) in keys.points.clone().zip(&order.order) {
                self.images[(keys.points.start + from) as usize] = point;
                changes |= keys.points.start + from != point;
            }
        }
        if changes {
            self.before.clear();
            self.before.extend_from_slice(packed);
            for (keys, order) in related.iter().zip(&self.orders) {
                order.write(keys, packed);
            }
            action.apply_related(&self.images, &self.before, packed);
        }
    }

    /// Replaces a packed state by its representative, and tells the permutation that leads back: of
    /// those that do, one that moves few points.
    pub fn canonicalise_with(&mut self, packed: &mut [u64]) -> Permutation {
        let points = self.structure.indices().points();
        self.images.clear();
        self.images.extend(0..points as Point);
        self.class.clone_from(&self.images);
        for keys in &self.structure.plain {
            let changes = self.order.find(keys, packed);
            self.order.classify(keys, &mut self.class);
            if changes {
                self.order.write(keys, packed);
                for (point, &from) in keys.points.clone().zip(&self.order.order) {
                    self.images[(keys.points.start + from) as usize] = point;
                }
            }
        }
        if self.are_told_apart(packed) {
            self.arrange(packed);
        } else {
            self.search(packed);
            let (images, least) = self.search.best();
            self.structure.action.layout().pack(least, packed);
            for point in self.structure.related.iter().flat_map(|keys| keys.points.clone()) {
                self.images[point as usize] = images[point as usize];
                self.class[point as usize] = self.search.class[point as usize];
            }
        }
        let images = Permutation::of_images(&self.images[..]).expect("every point has its place");
        simplest(&self.class, &images).inverse()
    }

    /// What leaves a packed state, representative or not, as it is.
    pub fn stabiliser(&mut self, packed: &[u64]) -> &Stabiliser {
        let points = self.structure.indices().points();
        self.class.clear();
        self.class.extend(0..points as Point);
        for keys in self.structure.plain.iter().filter(|keys| keys.group == Group::Full) {
            self.order.find(keys, packed);
            self.order.classify(keys, &mut self.class);
        }
        let mut others = Vec::new();
        if !self.are_told_apart(packed) {
            self.search(packed);
            for point in self.structure.related.iter().flat_map(|keys| keys.points.clone()) {
                self.class[point as usize] = self.search.class[point as usize];
            }
            others.extend(self.search.symmetries.iter().map(|images| {
                let images = Permutation::of_images(&images[..]).expect("it is a symmetry");
                simplest(&self.class, &images)
            }));
        }
        for keys in self.structure.plain.iter().filter(|keys| keys.group != Group::Full) {
            keys.read(packed, &mut self.order.keys);
            let key = |place| keys.key(&self.order.keys, place);
            let n = keys.size();
            let reflect = keys.group == Group::Dihedral;
            for turn in fixing_turns(n, reflect, |a, b| key(a).cmp(key(b))) {
                let mut images: Vec<Point> = (0..points as Point).collect();
                for (j, point) in keys.points.clone().enumerate() {
                    images[keys.points.start as usize + turn.place(j, n)] = point;
                }
                others.push(Permutation::of_images(images).expect("a turn is a permutation"));
            }
        }
        self.stabiliser.reset(&self.class, others);
        &self.stabiliser
    }

    /// What [`Canonicaliser::stabiliser`] said last.
    pub fn last_stabiliser(&self) -> &Stabiliser {
        &self.stabiliser
    }

    /// Searches the state of which [`Canonicaliser::are_told_apart`] was asked last.
    fn search(&mut self, packed: &[u64]) {
        let Structure { action, related, facts, .. } = self.structure;
        action.layout().unpack(packed, &mut self.cells);
        self.search.run(Subject {
            action,
            facts,
            types: related,
            orders: &self.orders,
            cells: &self.cells,
        });
    }
}

/// In which order the points of a type make a state least.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) keys: Vec<u64>,
    /// Counted from the first point of the type.
    pub(super) order: Vec<u32>,
}

impl Order {
    /// Finds it, in `order`; whether that is not the order in which they are.
    pub(super) fn find(&mut self, keys: &Keys, packed: &[u64]) -> bool {
        keys.read(packed, &mut self.keys);
        let n = keys.size();
        let Order { keys: values, order } = self;
        order.clear();
        if keys.group != Group::Full {
            let compare = |a, b| keys.key(values, a).cmp(keys.key(values, b));
            let turn = least_turn(n, keys.group == Group::Dihedral, compare);
            order.extend((0..n).map(|j| turn.place(j, n) as u32));
            return turn != Turn { start: 0, backwards: false };
        }
        order.extend(0..n as u32);
        if keys.words == 1 {
            if values.is_sorted() {
                return false;
            }
            order.sort_unstable_by_key(|&k| (values[k as usize], k));
        } else {
            let key = |k: u32| keys.key(values, k as usize);
            if order.is_sorted_by(|&a, &b| key(a) <= key(b)) {
                return false;
            }
            order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        }
        true
    }

    /// Whether no two points have the same key.
    fn is_strict(&self, keys: &Keys) -> bool {
        let key = |k: u32| keys.key(&self.keys, k as usize);
        self.order.windows(2).all(|two| key(two[0]) != key(two[1]))
    }

    /// Names the classes of interchangeable points: of a type with all permutations, those with equal
    /// keys.
    fn classify(&self, keys: &Keys, class: &mut [Point]) {
        if keys.group != Group::Full {
            return;
        }
        let key = |k: u32| keys.key(&self.keys, k as usize);
        for run in self.order.chunk_by(|&a, &b| key(a) == key(b)) {
            for &k in run {
                class[(keys.points.start + k) as usize] = keys.points.start + run[0];
            }
        }
    }

    /// Brings a state that was looked at last into that order.
    pub(super) fn write(&self, keys: &Keys, packed: &mut [u64]) {
        keys.write(packed, &self.keys, &self.order);
    }
}

#[cfg(test)]
mod tests;
