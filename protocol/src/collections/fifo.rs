//! Bounded sequences.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::changes::Changes;
use crate::index::Indices;
use crate::shape::Shape;
use arrayvec::ArrayVec;
use std::fmt;

/// A sequence of at most `N` elements, first in, first out. It is stored without an allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fifo<T, const N: usize> {
    elements: ArrayVec<T, N>,
}

impl<T, const N: usize> Fifo<T, N> {
    /// The empty sequence.
    pub fn new() -> Self {
        Fifo { elements: ArrayVec::new() }
    }

    /// Appends an element.
    ///
    /// # Panics
    /// If there are `N` elements already. That is a run-time error of the protocol.
    #[track_caller]
    pub fn push(&mut self, element: T) {
        assert!(!self.is_full(), "a sequence has room for {N} elements, and is full");
        self.elements.push(element);
    }

    /// Takes the first element out, if there is one.
    pub fn pop(&mut self) -> Option<T> {
        self.elements.pop_at(0)
    }

    /// The first element, if there is one.
    pub fn first(&self) -> Option<&T> {
        self.elements.first()
    }

    /// The last element, if there is one.
    pub fn last(&self) -> Option<&T> {
        self.elements.last()
    }

    /// Takes the element at a position out, if there is one.
    pub fn remove(&mut self, position: usize) -> Option<T> {
        self.elements.pop_at(position)
    }

    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
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

impl<T: PartialEq, const N: usize> Fifo<T, N> {
    /// Whether some element is equal to this one.
    pub fn contains(&self, element: &T) -> bool {
        self.elements.contains(element)
    }
}

impl<T, const N: usize> Default for Fifo<T, N> {
    fn default() -> Self {
        Fifo::new()
    }
}

impl<'f, T, const N: usize> IntoIterator for &'f Fifo<T, N> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T, const N: usize> FromIterator<T> for Fifo<T, N> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        let mut all = Fifo::new();
        elements.into_iter().for_each(|one| all.push(one));
        all
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Fifo<T, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(out)
    }
}

/// A cell with the length, then the cells of `N` elements.
impl<T: Cells, const N: usize> Cells for Fifo<T, N> {
    fn shape(all: &Indices) -> Shape {
        let elements = Shape::Sequence { length: N, element: Box::new(T::shape(all)) };
        let length = Shape::range(0, N as i64);
        Shape::Struct(vec![("length".to_owned(), length), ("elements".to_owned(), elements)])
    }

    fn cells(all: &Indices) -> usize {
        1 + N * T::cells(all)
    }

    fn write(&self, to: &mut Writer<'_>) {
        to.put(self.len() as i64);
        self.elements.iter().for_each(|one| one.write(to));
        let absent = N - self.len();
        if absent > 0 {
            to.put_absent(absent * T::cells(to.indices()));
        }
    }

    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        let first = to.put(first, self.len() as i64, old.len() as i64);
        let both = self.iter().zip(old);
        let mut cell = both.fold(first, |cell, (new, old)| new.write_changes(old, cell, to));
        for added in self.iter().skip(old.len()) {
            cell = to.put_whole(cell, added);
        }
        let stride = T::cells(to.indices());
        to.put_absent(cell, old.len().saturating_sub(self.len()) * stride);
        first + N * stride
    }

    fn read(from: &mut Reader<'_>) -> Self {
        let length = from.take_position();
        let elements: ArrayVec<T, N> = (0..length).map(|_| T::read(from)).collect();
        if length < N {
            from.skip((N - length) * T::cells(from.indices()));
        }
        Fifo { elements }
    }

    fn renamed(&self, by: &Renaming<'_>) -> Self {
        Fifo { elements: self.elements.iter().map(|one| one.renamed(by)).collect() }
    }
}
