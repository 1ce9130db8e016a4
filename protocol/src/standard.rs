//! Types of the standard library in cells: options, arrays, tuples, boxes.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::changes::Changes;
use crate::index::Indices;
use crate::shape::{Shape, Simple, Variant};

/// One cell, which is undefined for `None`, if the value is one cell that is never undefined;
/// otherwise a cell that says whether there is a value, then the cells of the value.
impl<T: Cells> Cells for Option<T> {
    fn shape(all: &Indices) -> Shape {
        if T::IS_SIMPLE {
            return T::shape(all);
        }
        let variant = |name: &str, fields| Variant { name: name.to_owned(), fields };
        let some = vec![("0".to_owned(), T::shape(all))];
        Shape::Enum(vec![variant("None", Vec::new()), variant("Some", some)])
    }

    fn cells(all: &Indices) -> usize {
        T::cells(all) + usize::from(!T::IS_SIMPLE)
    }

    #[inline]
    fn write(&self, to: &mut Writer<'_>) {
        if !T::IS_SIMPLE {
            to.put(i64::from(self.is_some()));
        }
        match self {
            Some(value) => value.write(to),
            None => to.put_absent(T::cells(to.indices())),
        }
    }

    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        let of_value = if T::IS_SIMPLE {
            first
        } else {
            to.put(first, i64::from(self.is_some()), i64::from(old.is_some()))
        };
        match (self, old) {
            (Some(new), Some(old)) => new.write_changes(old, of_value, to),
            (Some(new), None) => to.put_whole(of_value, new),
            (None, Some(_)) => to.put_absent(of_value, T::cells(to.indices())),
            (None, None) => of_value + T::cells(to.indices()),
        }
    }

    #[inline]
    fn may_differ(&self, old: &Self) -> bool {
        match (self, old) {
            (Some(new), Some(old)) => new.may_differ(old),
            _ => self.is_some() || old.is_some(),
        }
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Option<T> {
        let is_some = if T::IS_SIMPLE { !from.is_absent() } else { from.take() == 1 };
        if is_some {
            return Some(T::read(from));
        }
        from.skip(T::cells(from.indices()));
        None
    }

    fn renamed(&self, by: &Renaming<'_>) -> Option<T> {
        self.as_ref().map(|value| value.renamed(by))
    }
}

impl<T: Cells, const N: usize> Cells for [T; N] {
    fn shape(all: &Indices) -> Shape {
        Shape::Sequence { length: N, element: Box::new(T::shape(all)) }
    }

    fn cells(all: &Indices) -> usize {
        N * T::cells(all)
    }

    #[inline]
    fn write(&self, to: &mut Writer<'_>) {
        for one in self {
            one.write(to);
        }
    }

    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        self.iter().zip(old).fold(first, |cell, (new, old)| new.write_changes(old, cell, to))
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> [T; N] {
        std::array::from_fn(|_| T::read(from))
    }

    fn renamed(&self, by: &Renaming<'_>) -> [T; N] {
        std::array::from_fn(|k| self[k].renamed(by))
    }
}

impl<T: Cells> Cells for Box<T> {
    const IS_SIMPLE: bool = T::IS_SIMPLE;

    fn shape(all: &Indices) -> Shape {
        T::shape(all)
    }

    fn cells(all: &Indices) -> usize {
        T::cells(all)
    }

    fn write(&self, to: &mut Writer<'_>) {
        (**self).write(to);
    }

    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        (**self).write_changes(old, first, to)
    }

    fn write_variant(&self, to: &mut Writer<'_>) -> Option<u32> {
        (**self).write_variant(to)
    }

    fn read(from: &mut Reader<'_>) -> Box<T> {
        Box::new(T::read(from))
    }

    fn renamed(&self, by: &Renaming<'_>) -> Box<T> {
        Box::new((**self).renamed(by))
    }
}

macro_rules! tuple {
    ($($part:ident $number:tt),*) => {
        impl<$($part: Cells),*> Cells for ($($part,)*) {
            fn shape(all: &Indices) -> Shape {
                let _ = all;
                Shape::Struct(vec![$((stringify!($number).to_owned(), $part::shape(all))),*])
            }

            fn cells(all: &Indices) -> usize {
                let _ = all;
                0 $(+ $part::cells(all))*
            }

            #[inline]
            fn write(&self, to: &mut Writer<'_>) {
                let _ = &to;
                $(self.$number.write(to);)*
            }

            #[inline]
            fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
                let _ = (old, &to);
                $(let first = self.$number.write_changes(&old.$number, first, to);)*
                first
            }

            #[inline]
            #[allow(clippy::unused_unit, reason = "the tuple without parts")]
            fn read(from: &mut Reader<'_>) -> Self {
                let _ = &from;
                ($($part::read(from),)*)
            }

            #[allow(clippy::unused_unit, reason = "the tuple without parts")]
            fn renamed(&self, by: &Renaming<'_>) -> Self {
                let _ = by;
                ($(self.$number.renamed(by),)*)
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// The shape of an enumeration whose variants have no fields.
#[doc(hidden)]
pub fn names(names: &[&str]) -> Shape {
    Shape::Simple(Simple::Names(names.iter().map(|&name| name.to_owned()).collect()))
}
