//! Bounded bags.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::index::Indices;
use crate::shape::Shape;
use arrayvec::ArrayVec;
use engine::system::layout::PRESENT;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};

/// At most `N` elements without an order; equal ones may occur more than once. It is stored without
/// an allocation.
///
/// Two bags are equal if each element occurs as often in one as in the other. The order of iteration
/// is arbitrary: code whose result depends on it tells indices apart.
#[derive(Clone)]
pub struct Bag<T, const N: usize> {
    elements: ArrayVec<T, N>,
}

impl<T, const N: usize> Bag<T, N> {
    /// The empty bag.
    pub fn new() -> Self {
        Bag { elements: ArrayVec::new() }
    }

    /// Adds an element.
    ///
    /// # Panics
    /// If there are `N` elements already. That is a run-time error of the protocol.
    #[track_caller]
    pub fn add(&mut self, element: T) {
        assert!(!self.is_full(), "a bag has room for {N} elements, and is full");
        self.elements.push(element);
    }

    /// The elements, in an arbitrary order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }

    /// Removes all elements of which a condition is false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&T) -> bool) {
        self.elements.retain(|one| keeps(one));
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.elements.clear();
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether there is no room for another element.
    pub fn is_full(&self) -> bool {
        self.elements.is_full()
    }
}

impl<T: PartialEq, const N: usize> Bag<T, N> {
    /// Takes one element out that is equal to this one, and returns whether there was one.
    pub fn remove(&mut self, element: &T) -> bool {
        let at = self.elements.iter().position(|one| one == element);
        at.map(|at| self.elements.swap_remove(at)).is_some()
    }

    /// How often an element occurs.
    pub fn count(&self, element: &T) -> usize {
        self.elements.iter().filter(|one| *one == element).count()
    }

    /// Whether an element occurs.
    pub fn contains(&self, element: &T) -> bool {
        self.elements.contains(element)
    }
}

impl<T, const N: usize> Default for Bag<T, N> {
    fn default() -> Self {
        Bag::new()
    }
}

impl<'b, T, const N: usize> IntoIterator for &'b Bag<T, N> {
    type Item = &'b T;
    type IntoIter = std::slice::Iter<'b, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T, const N: usize> FromIterator<T> for Bag<T, N> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        let mut all = Bag::new();
        elements.into_iter().for_each(|one| all.add(one));
        all
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Bag<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (self.elements == other.elements
                || self.iter().all(|one| self.count(one) == other.count(one)))
    }
}

impl<T: Eq, const N: usize> Eq for Bag<T, N> {}

/// The sum of the hashes of all elements, which does not depend on their order.
impl<T: Hash, const N: usize> Hash for Bag<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hasher = foldhash::fast::FixedState::with_seed(0x0bac);
        let sum = self.iter().fold(0_u64, |sum, one| sum.wrapping_add(hasher.hash_one(one)));
        (self.len(), sum).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Bag<T, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(&self.elements).finish()
    }
}

/// A multiset of the engine: `N` slots, each a cell that says whether there is an element, then the
/// cells of the element. Elements come first, in ascending order of their cells.
impl<T: Cells, const N: usize> Cells for Bag<T, N> {
    fn shape(all: &Indices) -> Shape {
        const { assert!(N > 0, "a bag has room for at least one element") };
        Shape::Bag { capacity: N, element: Box::new(T::shape(all)) }
    }

    fn cells(all: &Indices) -> usize {
        N * (1 + T::cells(all))
    }

    fn write(&self, to: &mut Writer<'_>) {
        let stride = 1 + T::cells(to.indices());
        let start = to.cells().len();
        for (k, element) in self.elements.iter().enumerate() {
            to.put(PRESENT);
            element.write(to);
            // Elements are few: each sinks to its place.
            let slots = &mut to.cells()[start..];
            let mut at = k;
            while at > 0 && slots[at * stride..][..stride] < slots[(at - 1) * stride..][..stride] {
                let (before, after) = slots.split_at_mut(at * stride);
                before[(at - 1) * stride..].swap_with_slice(&mut after[..stride]);
                at -= 1;
            }
        }
        to.put_absent((N - self.len()) * stride);
    }

    fn read(from: &mut Reader<'_>) -> Self {
        let mut elements = ArrayVec::new();
        for _ in 0..N {
            if from.is_absent() {
                from.skip(1 + T::cells(from.indices()));
            } else {
                from.take();
                elements.push(T::read(from));
            }
        }
        Bag { elements }
    }

    fn renamed(&self, by: &Renaming<'_>) -> Self {
        Bag { elements: self.elements.iter().map(|one| one.renamed(by)).collect() }
    }
}
