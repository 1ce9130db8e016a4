//! The *representative* of each orbit: one of its states.
//!
//! Contract, with `(r, π) = canonical(s)`:
//! 1. `π(r) = s`: the permutation leads back from the representative;
//! 2. `r` depends only on the orbit of `s`.
//!
//! The first keeps searches exact and counterexamples concrete; the second gives each orbit one
//! node. Types whose points are described by [`keys`](super::keys) alone are sorted, or turned if
//! they are rings, each by itself and in place; so are the others if no two points have the same
//! key, or if those that have are interchangeable, or if [colours](super::colouring) separate them.
//! Only what is still open then is left to a [`search`](super::search), which would have found the
//! same order for the rest. n points with scalar locals cost O(n log n), and no allocation; if the
//! state differs little from the one before, and is nearly sorted, as successors of a
//! representative are, the cost is one comparison for each point and a few moves.

use super::action::Action;
use super::colouring::Facts;
use super::keys::{Keys, KeysRead};
use super::ring::{Turn, fixing_turns, least_turn};
use super::search::{LeastImageSearch, SearchInput};
use super::stabiliser::simplest;
use super::{Indices, Permutation, Point, Stabiliser};
use crate::system::Layout;
use std::cmp::Ordering;
use std::ops::Range;
use terms::Group;

/// The symmetry of the states of a layout: the action of permutations, and the positions of keys
/// and facts.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(super) action: Action,
    /// The types that are permuted and plain: no facts other than keys depend on their points.
    pub(super) plain: Vec<Keys>,
    /// The types that are permuted and not plain.
    pub(super) related: Vec<Keys>,
    facts: Facts,
    /// Whether the types in `related` have all permutations, and there are no multisets made of
    /// points.
    is_simple: bool,
}

impl Structure {
    /// The symmetry of states of this layout over these index types.
    pub fn new(layout: &Layout, indices: &Indices) -> Structure {
        let action = Action::new(layout, indices);
        let (plain, related): (_, Vec<Keys>) =
            Keys::of(&action).into_iter().partition(Keys::is_plain);
        let facts = Facts::of(&action);
        let has_all = related.iter().all(|keys| keys.group == Group::Full);
        let is_simple = has_all && !action.has_multisets();
        Structure { action, plain, related, facts, is_simple }
    }

    /// The action of permutations on states.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The index types.
    pub fn indices(&self) -> &Indices {
        self.action.indices()
    }

    /// A new [`Canonicaliser`].
    pub fn canonicaliser(&self) -> Canonicaliser<'_> {
        let points = self.indices().points();
        Canonicaliser {
            structure: self,
            plain: vec![Order::default(); self.plain.len()],
            orders: vec![Order::default(); self.related.len()],
            cells: vec![0; self.action.cells()],
            search: LeastImageSearch::default(),
            images: Permutation::identity(points).images().to_vec(),
            class: Vec::new(),
            stabiliser: Stabiliser::trivial(points),
        }
    }
}

/// Computes representatives and stabilisers of states. Owns its scratch memory: one per thread.
#[derive(Clone, Debug)]
pub struct Canonicaliser<'s> {
    structure: &'s Structure,
    /// By plain type.
    plain: Vec<Order>,
    /// By type that is not plain.
    orders: Vec<Order>,
    cells: Vec<i64>,
    search: LeastImageSearch,
    /// The images of points under the permutation from a state to its representative.
    images: Vec<Point>,
    class: Vec<Point>,
    stabiliser: Stabiliser,
}

impl Canonicaliser<'_> {
    /// Replaces a packed state by its representative.
    pub fn canonicalise(&mut self, packed: &mut [u64]) {
        for (keys, order) in self.structure.plain.iter().zip(&mut self.plain) {
            if order.find(keys, packed) {
                order.write(keys, packed);
            }
        }
        match self.tell(packed) {
            OrderStatus::Open => {
                self.search(packed);
                let (_, least) = self.search.best();
                self.structure.action.layout().pack(least, packed);
            }
            told => self.arrange(packed, told),
        }
    }

    /// Finds the order of the points of types that are not plain as far as no search is needed.
    /// Leaves the order in `orders`, unless the result is [`OrderStatus::Open`]: then the search
    /// has begun.
    fn tell(&mut self, packed: &[u64]) -> OrderStatus {
        let Structure { action, related, is_simple, .. } = self.structure;
        let mut are_told = *is_simple || related.is_empty();
        for (keys, order) in related.iter().zip(&mut self.orders) {
            if keys.group == Group::Full {
                order.find(keys, packed);
                are_told &= order.is_strict(keys);
            } else {
                keys.read(packed, &mut order.read);
            }
        }
        if are_told {
            return OrderStatus::Apart;
        }
        if *is_simple {
            action.unpack_related(packed, &mut self.cells);
        } else {
            action.layout().unpack(packed, &mut self.cells);
        }
        let subject = subject(self.structure, &self.orders, &self.cells);
        if !self.search.begin(subject) {
            return OrderStatus::Open;
        }
        let mut rest = self.search.order();
        for (keys, order) in related.iter().zip(&mut self.orders) {
            let (own, behind) = rest.split_at(keys.size());
            order.arrange(own.iter().map(|point| point - keys.points.start));
            rest = behind;
        }
        OrderStatus::Alike
    }

    /// Brings points into the order that [`Canonicaliser::tell`] has left.
    fn arrange(&mut self, packed: &mut [u64], told: OrderStatus) {
        let Structure { action, related, .. } = self.structure;
        if self.orders.iter().all(|order| order.moved.is_empty()) {
            return;
        }
        for (keys, order) in related.iter().zip(&self.orders) {
            for (point, &from) in keys.points.clone().zip(&order.points) {
                self.images[(keys.points.start + from) as usize] = point;
            }
        }
        if told == OrderStatus::Apart {
            action.unpack_related(packed, &mut self.cells);
        }
        for (keys, order) in related.iter().zip(&self.orders) {
            order.write(keys, packed);
        }
        action.apply_related(&self.images, &self.cells, packed);
    }

    /// Replaces a packed state by its representative, and returns the permutation that leads back:
    /// of those that do, one that moves few points.
    pub fn canonicalise_with(&mut self, packed: &mut [u64]) -> Permutation {
        let points = self.structure.indices().points();
        self.images.clear();
        self.images.extend(0..points as Point);
        self.class.clone_from(&self.images);
        for (keys, order) in self.structure.plain.iter().zip(&mut self.plain) {
            let changes = order.find(keys, packed);
            order.classify(keys, &mut self.class);
            if changes {
                order.write(keys, packed);
                for (point, &from) in keys.points.clone().zip(&order.points) {
                    self.images[(keys.points.start + from) as usize] = point;
                }
            }
        }
        let told = self.tell(packed);
        if told == OrderStatus::Open {
            self.search(packed);
            let (images, least) = self.search.best();
            self.structure.action.layout().pack(least, packed);
            for point in self.structure.related.iter().flat_map(|keys| keys.points.clone()) {
                self.images[point as usize] = images[point as usize];
            }
        } else {
            self.arrange(packed, told);
        }
        self.take_classes(told);
        let images = Permutation::of_images(&self.images[..]).expect("every point has its place");
        simplest(&self.class, &images).inverse()
    }

    /// The permutations that leave a packed state, representative or not, unchanged.
    pub fn stabiliser(&mut self, packed: &[u64]) -> &Stabiliser {
        let points = self.structure.indices().points();
        self.class.clear();
        self.class.extend(0..points as Point);
        for (keys, order) in self.structure.plain.iter().zip(&mut self.plain) {
            if keys.group == Group::Full {
                order.find(keys, packed);
                order.classify(keys, &mut self.class);
            }
        }
        let mut others = Vec::new();
        let told = self.tell(packed);
        self.take_classes(told);
        if told == OrderStatus::Open {
            self.search(packed);
            others.extend(self.search.symmetries.iter().map(|images| {
                let images = Permutation::of_images(&images[..]).expect("it is a symmetry");
                simplest(&self.class, &images)
            }));
        }
        for (keys, order) in self.structure.plain.iter().zip(&mut self.plain) {
            if keys.group == Group::Full {
                continue;
            }
            keys.read(packed, &mut order.read);
            let key = |place| keys.key(&order.read.keys, place);
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

    /// The result of the last call of [`Canonicaliser::stabiliser`].
    pub fn last_stabiliser(&self) -> &Stabiliser {
        &self.stabiliser
    }

    /// Copies the classes of interchangeable points of types that are not plain.
    fn take_classes(&mut self, told: OrderStatus) {
        if told != OrderStatus::Apart {
            for point in self.structure.related.iter().flat_map(|keys| keys.points.clone()) {
                self.class[point as usize] = self.search.class[point as usize];
            }
        }
    }

    /// Searches the state that [`Canonicaliser::tell`] was called with last.
    fn search(&mut self, packed: &[u64]) {
        // Only the related cells have been unpacked.
        if self.structure.is_simple {
            self.structure.action.layout().unpack(packed, &mut self.cells);
        }
        self.search.run(subject(self.structure, &self.orders, &self.cells));
    }
}

/// The input of a search: a state whose keys and orders are known.
fn subject<'s>(structure: &'s Structure, orders: &'s [Order], cells: &'s [i64]) -> SearchInput<'s> {
    let Structure { action, related: types, facts, is_simple, .. } = structure;
    SearchInput { action, facts, types, orders, cells, is_simple: *is_simple }
}

/// The result of ordering the points of types that are not plain without a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OrderStatus {
    /// Keys decide the order: no two points have the same key.
    Apart,
    /// The order is known up to interchangeable points.
    Alike,
    /// The order needs a search.
    Open,
}

/// The order of the points of a type that makes a state least.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) read: KeysRead,
    /// By place: the point that is moved there, counted from the first one of the type.
    pub(super) points: Vec<u32>,
    /// Invariant: every place outside of this range keeps its own point.
    moved: Range<usize>,
}

impl Order {
    /// Finds the order and returns whether it differs from the current one.
    pub(super) fn find(&mut self, keys: &Keys, packed: &[u64]) -> bool {
        keys.read(packed, &mut self.read);
        let n = keys.size();
        let Order { read: KeysRead { keys: values, .. }, points, moved } = self;
        points.clear();
        if keys.group != Group::Full {
            let compare = |a, b| keys.key(values, a).cmp(keys.key(values, b));
            let turn = least_turn(n, keys.group == Group::Dihedral, compare);
            points.extend((0..n).map(|j| turn.place(j, n) as u32));
            let changes = turn != Turn { start: 0, backwards: false };
            *moved = if changes { 0..n } else { 0..0 };
            return changes;
        }
        points.extend(0..n as u32);
        *moved = if keys.words == 1 {
            sort_nearly_sorted(points, |a, b| values[a as usize].cmp(&values[b as usize]))
        } else {
            let key = |k: u32| keys.key(values, k as usize);
            sort_nearly_sorted(points, |a, b| key(a).cmp(key(b)))
        };
        !Range::is_empty(moved)
    }

    /// Sets the order.
    fn arrange(&mut self, order: impl Iterator<Item = u32>) {
        self.points.clear();
        self.points.extend(order);
        let is_moved = |&(k, &from): &(usize, &u32)| from as usize != k;
        let first = self.points.iter().enumerate().find(is_moved);
        let last = self.points.iter().enumerate().rfind(is_moved);
        self.moved = match (first, last) {
            (Some((first, _)), Some((last, _))) => first..last + 1,
            _ => 0..0,
        };
    }

    /// Whether no two points have the same key.
    fn is_strict(&self, keys: &Keys) -> bool {
        self.points.windows(2).all(|two| !keys.is_same(&self.read.keys, two[0], two[1]))
    }

    /// Sets the classes of interchangeable points: in a type with all permutations, those with
    /// equal keys.
    fn classify(&self, keys: &Keys, class: &mut [Point]) {
        if keys.group != Group::Full {
            return;
        }
        let mut first = self.points[0];
        for &k in &self.points {
            if !keys.is_same(&self.read.keys, first, k) {
                first = k;
            }
            class[(keys.points.start + k) as usize] = keys.points.start + first;
        }
    }

    /// Brings the state that the order was found for into that order.
    pub(super) fn write(&self, keys: &Keys, packed: &mut [u64]) {
        keys.write(packed, &self.read.keys, &self.points, self.moved.clone());
    }
}

/// Sorts 0, 1, ... by `compare`, and equal ones by number. Returns the range in which the order has
/// changed.
///
/// A successor of a sorted state is sorted except where the step has changed it: then the cost is
/// one comparison for every element, and a move for each element that another one passes. Where
/// more than a few passes over all elements are needed, a general sort is used instead; both lead
/// to the same order.
fn sort_nearly_sorted(order: &mut [u32], compare: impl Fn(u32, u32) -> Ordering) -> Range<usize> {
    let n = order.len();
    let Some(from) = (1..n).find(|&at| compare(at as u32 - 1, at as u32).is_gt()) else {
        return 0..0;
    };
    let mut budget = 8 * n;
    let (mut first, mut last) = (n, from);
    for at in from..n {
        let one = order[at];
        let mut to = at;
        while to > 0 && compare(order[to - 1], one).is_gt() {
            order[to] = order[to - 1];
            to -= 1;
        }
        order[to] = one;
        if to < at {
            (first, last) = (first.min(to), at);
        }
        if budget < at - to {
            order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
            return 0..n;
        }
        budget -= at - to;
    }
    first..last + 1
}

#[cfg(test)]
mod tests;
