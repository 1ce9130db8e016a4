//! Index types: names for interchangeable things.
//!
//! A value of an index type can be compared with others, copied, stored and used as a key, and that is
//! all: it has no order, no number and no constructor. Values come from [`Indices`] and from the keys
//! of a [`Map`](crate::Map). So code that uses nothing else cannot tell the values apart, and the
//! permutations of [`Index::GROUP`] are symmetries of the system.
//!
//! Some ways around that are left open, because Rust needs them: the order of iteration, hashes, debug
//! output. [`verify`](crate::verify) finds their use.

use std::any::TypeId;
use std::fmt;
use std::hash::Hash;
use terms::{Group, IndexTypeId};

/// An index type. Implemented by [`index!`](crate::index!) and by nothing else.
pub trait Index: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// The name of the type, as formulas write it.
    const NAME: &'static str;
    /// The permutations of the values that are symmetries.
    const GROUP: Group;

    /// The value with this number.
    #[doc(hidden)]
    fn of(number: Number, seal: Seal) -> Self;

    /// The number of a value.
    #[doc(hidden)]
    fn number(self, seal: Seal) -> Number;
}

/// The number of a value of an index type. It can be seen by this crate only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    at: u32,
    size: u32,
}

/// Proves that a call comes from this crate.
#[derive(Clone, Copy, Debug)]
pub struct Seal(());

/// As messages show it: the position.
impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.fmt(out)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.fmt(out)
    }
}

/// The position of a value.
#[inline]
pub(crate) fn position<I: Index>(of: I) -> u32 {
    of.number(Seal(())).at
}

/// The number of values that a value's type had where the value was made.
#[inline]
pub(crate) fn size_of_type<I: Index>(of: I) -> u32 {
    of.number(Seal(())).size
}

/// The value of a type with `size` values at a position.
#[inline]
pub(crate) fn at<I: Index>(at: u32, size: u32) -> I {
    I::of(Number { at, size }, Seal(()))
}

/// Declares index types: newtypes whose values can be compared and used as keys, and nothing else.
///
/// ```
/// protocol::index! {
///     /// Any permutation of clients is a symmetry.
///     pub Client
/// }
/// protocol::index! { pub Station: ring }     // rotations; next(), previous()
/// protocol::index! { pub Seat: circle }      // rotations and reflections; is_adjacent()
/// protocol::index! { pub Level: ordered }    // no symmetry; position()
/// ```
#[macro_export]
macro_rules! index {
    ($(#[$meta:meta])* $visibility:vis $name:ident) => {
        $crate::index!(@ [$(#[$meta])*] [$visibility] $name Full);
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident : ring) => {
        $crate::index!(@ [$(#[$meta])*] [$visibility] $name Rotations);

        #[allow(dead_code, clippy::should_implement_trait)]
        impl $name {
            /// The value after this one; after the last one comes the first.
            #[must_use]
            $visibility fn next(self) -> Self {
                $crate::of_index::after(self)
            }

            /// The value before this one; before the first one comes the last.
            #[must_use]
            $visibility fn previous(self) -> Self {
                $crate::of_index::before(self)
            }
        }
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident : circle) => {
        $crate::index!(@ [$(#[$meta])*] [$visibility] $name Dihedral);

        #[allow(dead_code, clippy::should_implement_trait)]
        impl $name {
            /// Whether two values are neighbours.
            $visibility fn is_adjacent(self, other: Self) -> bool {
                other == $crate::of_index::after(self) || self == $crate::of_index::after(other)
            }
        }
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident : ordered) => {
        $crate::index!(@ [$(#[$meta])*] [$visibility] $name Trivial);

        #[allow(dead_code, clippy::should_implement_trait)]
        impl $name {
            /// The position of this value, from 0.
            $visibility fn position(self) -> usize {
                $crate::of_index::position(self)
            }
        }
    };
    (@ [$(#[$meta:meta])*] [$visibility:vis] $name:ident $group:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        $visibility struct $name($crate::Number);

        impl $crate::Index for $name {
            const NAME: &'static str = stringify!($name);
            const GROUP: $crate::Group = $crate::Group::$group;

            fn of(number: $crate::Number, _: $crate::Seal) -> Self {
                $name(number)
            }

            fn number(self, _: $crate::Seal) -> $crate::Number {
                self.0
            }
        }

        impl $crate::Cells for $name {
            const IS_SIMPLE: bool = true;

            fn shape(all: &$crate::Indices) -> $crate::Shape {
                $crate::of_index::shape::<Self>(all)
            }

            fn cells(_: &$crate::Indices) -> usize {
                1
            }

            #[inline]
            fn write(&self, to: &mut $crate::Writer<'_>) {
                $crate::of_index::write(*self, to);
            }

            #[inline]
            fn write_changes(
                &self,
                old: &Self,
                first: usize,
                to: &mut $crate::Changes<'_>,
            ) -> usize {
                $crate::of_index::write_changes(*self, *old, first, to)
            }

            #[inline]
            fn may_differ(&self, old: &Self) -> bool {
                $crate::of_index::may_differ(*self, *old)
            }

            #[inline]
            fn read(from: &mut $crate::Reader<'_>) -> Self {
                $crate::of_index::read(from)
            }

            fn renamed(&self, by: &$crate::Renaming<'_>) -> Self {
                $crate::of_index::renamed(*self, by)
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, out: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(out, "{}_{}", stringify!($name), self.0)
            }
        }
    };
}

/// The index types of a protocol, with the numbers of their values.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    types: Vec<Declared>,
}

/// A declared index type.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    id: TypeId,
    pub(crate) name: &'static str,
    pub(crate) size: u32,
    pub(crate) group: Group,
}

impl Indices {
    /// No index types.
    pub fn new() -> Indices {
        Indices::default()
    }

    /// These index types, and one more with `size` values.
    ///
    /// # Panics
    /// If the type is declared already, or has no values, or very many.
    #[must_use]
    pub fn with<I: Index>(mut self, size: usize) -> Indices {
        assert!(self.find::<I>().is_none(), "the index type {} is declared twice", I::NAME);
        assert!(size > 0, "the index type {} has no values", I::NAME);
        let is_small = u32::try_from(size).is_ok_and(|size| size < 1 << 24);
        assert!(is_small, "the index type {} has {size} values: that is too many", I::NAME);
        let (id, name, group) = (TypeId::of::<I>(), I::NAME, I::GROUP);
        self.types.push(Declared { id, name, size: size as u32, group });
        self
    }

    /// All values of an index type, each once.
    ///
    /// # Panics
    /// If the type is not declared.
    pub fn all<I: Index>(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I> {
        let size = self.declared::<I>().size;
        (0..size).map(move |k| at(k, size))
    }

    /// The number of values of an index type.
    ///
    /// # Panics
    /// If the type is not declared.
    #[inline]
    pub fn size<I: Index>(&self) -> usize {
        self.declared::<I>().size as usize
    }

    /// The value of an ordered index type at a position.
    ///
    /// # Panics
    /// If the type is not declared, or has no such position.
    pub fn nth<I: Index>(&self, position: usize) -> I {
        const { assert!(matches!(I::GROUP, Group::Trivial), "only ordered indices have positions") };
        let size = self.declared::<I>().size;
        assert!(position < size as usize, "{} has {size} values, none at {position}", I::NAME);
        at(position as u32, size)
    }

    pub(crate) fn types(&self) -> &[Declared] {
        &self.types
    }

    /// The number of an index type among the declared ones.
    pub(crate) fn id_of<I: Index>(&self) -> IndexTypeId {
        let at = self.find::<I>().unwrap_or_else(|| undeclared::<I>());
        IndexTypeId(at as u32)
    }

    pub(crate) fn id_of_type(&self, id: TypeId) -> Option<IndexTypeId> {
        let at = self.types.iter().position(|one| one.id == id)?;
        Some(IndexTypeId(at as u32))
    }

    /// The type of a number.
    pub(crate) fn type_id(&self, of: usize) -> TypeId {
        self.types[of].id
    }

    #[inline]
    fn declared<I: Index>(&self) -> &Declared {
        &self.types[self.find::<I>().unwrap_or_else(|| undeclared::<I>())]
    }

    #[inline]
    fn find<I: Index>(&self) -> Option<usize> {
        self.types.iter().position(|one| one.id == TypeId::of::<I>())
    }
}

#[cold]
fn undeclared<I: Index>() -> ! {
    panic!("the index type {} is not declared: add it in Protocol::indices", I::NAME)
}
