//! Maps over index types.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::changes::Changes;
use crate::index::{self, Index, Indices};
use crate::shape::Shape;
use smallvec::SmallVec;
use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::{mem, ops};

/// So many elements are stored in the map itself, without an allocation.
const INLINE: usize = 8;

/// A value for each value of an index type: `map[client]`.
///
/// Up to eight elements are stored in the map itself. The order of iteration is that of the keys'
/// numbers: code whose result depends on it tells indices apart.
pub struct Map<I, T> {
    values: Values<T>,
    of: PhantomData<fn() -> I>,
}

/// The elements. A map is cloned for every step, so that has to be fast, and the standard library copies
/// an array of plain values at once.
#[derive(Clone)]
enum Values<T> {
    /// The first so many are elements; the others are copies of the last one.
    Plain(u8, [T; INLINE]),
    Any(SmallVec<[T; INLINE]>),
}

impl<T: Clone> FromIterator<T> for Values<T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        let mut elements = elements.into_iter();
        if mem::needs_drop::<T>() || elements.size_hint().1.is_none_or(|most| most > INLINE) {
            return Values::Any(elements.collect());
        }
        let Some(mut last) = elements.next() else { return Values::Any(SmallVec::new()) };
        let mut count = 1;
        let all = std::array::from_fn(|k| {
            if let Some(next) = if k == 0 { None } else { elements.next() } {
                last = next;
                count += 1;
            }
            last.clone()
        });
        Values::Plain(count, all)
    }
}

impl<T> ops::Deref for Values<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Values::Plain(count, all) => &all[..usize::from(*count)],
            Values::Any(all) => all,
        }
    }
}

impl<T> ops::DerefMut for Values<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Values::Plain(count, all) => &mut all[..usize::from(*count)],
            Values::Any(all) => all,
        }
    }
}

impl<I: Index, T> Map<I, T> {
    /// The same value for each key.
    pub fn filled(all: &Indices, value: T) -> Map<I, T>
    where
        T: Clone,
    {
        Map::new(all, |_| value.clone())
    }

    /// The value of a function for each key.
    pub fn new(all: &Indices, mut value: impl FnMut(I) -> T) -> Map<I, T>
    where
        T: Clone,
    {
        Map { values: all.all::<I>().map(&mut value).collect(), of: PhantomData }
    }

    /// All keys.
    #[inline]
    pub fn keys(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        let size = self.values.len() as u32;
        (0..size).map(move |k| index::at(k, size))
    }

    /// All keys with their values.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.keys().zip(self.values.iter())
    }

    /// All keys with their values, which may be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.keys().zip(self.values.iter_mut())
    }

    /// All values.
    #[inline]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.values.iter()
    }

    /// Whether a condition is true of some value.
    #[inline]
    pub fn any(&self, is: impl FnMut(&T) -> bool) -> bool {
        self.values.iter().any(is)
    }

    /// Whether a condition is true of all values.
    #[inline]
    pub fn all(&self, is: impl FnMut(&T) -> bool) -> bool {
        self.values.iter().all(is)
    }

    /// The number of values of which a condition is true.
    #[inline]
    pub fn count(&self, mut is: impl FnMut(&T) -> bool) -> usize {
        self.values.iter().filter(|value| is(value)).count()
    }

    /// The number of keys.
    #[allow(clippy::len_without_is_empty, reason = "an index type has values")]
    pub fn len(&self) -> usize {
        self.values.len()
    }
}

impl<I: Index, T> Map<I, T> {
    /// Panics unless there is an element for each key.
    #[inline]
    fn expect_keys(&self, size: usize) {
        let found = self.values.len();
        assert!(found == size, "a map over {} has {found} keys instead of {size}", I::NAME);
    }
}

impl<I: Index, T> ops::Index<I> for Map<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, key: I) -> &T {
        &self.values[index::position(key) as usize]
    }
}

impl<I: Index, T> ops::IndexMut<I> for Map<I, T> {
    #[inline]
    fn index_mut(&mut self, key: I) -> &mut T {
        &mut self.values[index::position(key) as usize]
    }
}

impl<I, T: Clone> Clone for Map<I, T> {
    #[inline]
    fn clone(&self) -> Self {
        Map { values: self.values.clone(), of: PhantomData }
    }
}

impl<I, T: PartialEq> PartialEq for Map<I, T> {
    fn eq(&self, other: &Self) -> bool {
        *self.values == *other.values
    }
}

impl<I, T: Eq> Eq for Map<I, T> {}

impl<I, T: Hash> Hash for Map<I, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

/// `{Client_0: Idle, Client_1: Waiting}`
impl<I: Index, T: fmt::Debug> fmt::Debug for Map<I, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Index, T: Cells> Cells for Map<I, T> {
    fn shape(all: &Indices) -> Shape {
        all.id_of::<I>();
        Shape::Map { of: TypeId::of::<I>(), element: Box::new(T::shape(all)) }
    }

    fn cells(all: &Indices) -> usize {
        all.size::<I>() * T::cells(all)
    }

    #[inline]
    fn write(&self, to: &mut Writer<'_>) {
        self.expect_keys(to.indices().size::<I>());
        self.values.iter().for_each(|value| value.write(to));
    }

    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        // The older map has all keys.
        self.expect_keys(old.values.len());
        let stride = T::cells(to.indices());
        if let (Values::Plain(_, new), Values::Plain(_, old)) = (&self.values, &old.values)
            && !(0..INLINE).fold(false, |differ, k| differ | new[k].may_differ(&old[k]))
        {
            // Nearly every map of a state is as it was.
            return first + self.values.len() * stride;
        }
        for (k, (new, old)) in self.values.iter().zip(old.values.iter()).enumerate() {
            new.write_changes(old, first + k * stride, to);
        }
        first + self.values.len() * stride
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Self {
        let size = from.indices().size::<I>();
        Map { values: (0..size).map(|_| T::read(from)).collect(), of: PhantomData }
    }

    fn renamed(&self, by: &Renaming<'_>) -> Self {
        // The element at k becomes that at the image of k.
        let images = by.images::<I>();
        let mut origin = vec![0; images.len()];
        for (k, &image) in images.iter().enumerate() {
            origin[image as usize] = k;
        }
        let values = origin.iter().map(|&k| self.values[k].renamed(by)).collect();
        Map { values, of: PhantomData }
    }
}
