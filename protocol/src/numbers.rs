//! Numbers in cells, and ranged numbers.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::changes::Changes;
use crate::index::Indices;
use crate::shape::Shape;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

macro_rules! number {
    ($($number:ty),*) => {
        $(
            impl Cells for $number {
                const IS_SIMPLE: bool = true;

                fn shape(_: &Indices) -> Shape {
                    Shape::range(i64::from(<$number>::MIN), i64::from(<$number>::MAX))
                }

                fn cells(_: &Indices) -> usize {
                    1
                }

                #[inline]
                fn write(&self, to: &mut Writer<'_>) {
                    to.put(i64::from(*self));
                }

                #[inline]
                fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
                    to.put(first, i64::from(*self), i64::from(*old))
                }

                #[inline]
                fn may_differ(&self, old: &Self) -> bool {
                    self != old
                }

                #[inline]
                fn read(from: &mut Reader<'_>) -> Self {
                    <$number>::try_from(from.take()).expect("the cell has a number of this type")
                }

                fn renamed(&self, _: &Renaming<'_>) -> Self {
                    *self
                }
            }
        )*
    };
}

number!(u8, i8, u16, i16, u32, i32);

impl Cells for bool {
    const IS_SIMPLE: bool = true;

    fn shape(_: &Indices) -> Shape {
        Shape::Simple(crate::shape::Simple::Names(vec!["false".to_owned(), "true".to_owned()]))
    }

    fn cells(_: &Indices) -> usize {
        1
    }

    #[inline]
    fn write(&self, to: &mut Writer<'_>) {
        to.put(i64::from(*self));
    }

    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        to.put(first, i64::from(*self), i64::from(*old))
    }

    #[inline]
    fn may_differ(&self, old: &Self) -> bool {
        self != old
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> bool {
        from.take() == 1
    }

    fn renamed(&self, _: &Renaming<'_>) -> bool {
        *self
    }
}

/// A number from `LOW` to `HIGH`, which takes no more bits than that needs.
///
/// Arithmetic is that of `i64`. A result outside of the range may be compared; the run-time error
/// comes, with the name of the field, when such a number is part of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ranged<const LOW: i64, const HIGH: i64>(i64);

impl<const LOW: i64, const HIGH: i64> Ranged<LOW, HIGH> {
    /// The least number.
    pub const LOW: Self = Ranged(LOW);
    /// The greatest number.
    pub const HIGH: Self = Ranged(HIGH);

    /// This number.
    pub const fn new(number: i64) -> Self {
        const { assert!(LOW <= HIGH && HIGH.abs_diff(LOW) < 1 << 62, "an empty or too large range") };
        Ranged(number)
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Whether the number is in the range.
    pub const fn is_inside(self) -> bool {
        LOW <= self.0 && self.0 <= HIGH
    }
}

/// The least number.
impl<const LOW: i64, const HIGH: i64> Default for Ranged<LOW, HIGH> {
    fn default() -> Self {
        Ranged(LOW)
    }
}

impl<const LOW: i64, const HIGH: i64> From<i64> for Ranged<LOW, HIGH> {
    fn from(number: i64) -> Self {
        Ranged::new(number)
    }
}

impl<const LOW: i64, const HIGH: i64> From<Ranged<LOW, HIGH>> for i64 {
    fn from(number: Ranged<LOW, HIGH>) -> i64 {
        number.0
    }
}

impl<const LOW: i64, const HIGH: i64> fmt::Debug for Ranged<LOW, HIGH> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<const LOW: i64, const HIGH: i64> fmt::Display for Ranged<LOW, HIGH> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<const LOW: i64, const HIGH: i64> Add<i64> for Ranged<LOW, HIGH> {
    type Output = Self;

    fn add(self, other: i64) -> Self {
        Ranged(self.0.checked_add(other).expect("the sum of ranged numbers is too large"))
    }
}

impl<const LOW: i64, const HIGH: i64> Sub<i64> for Ranged<LOW, HIGH> {
    type Output = Self;

    fn sub(self, other: i64) -> Self {
        Ranged(self.0.checked_sub(other).expect("the difference of ranged numbers is too large"))
    }
}

impl<const LOW: i64, const HIGH: i64> AddAssign<i64> for Ranged<LOW, HIGH> {
    fn add_assign(&mut self, other: i64) {
        *self = *self + other;
    }
}

impl<const LOW: i64, const HIGH: i64> SubAssign<i64> for Ranged<LOW, HIGH> {
    fn sub_assign(&mut self, other: i64) {
        *self = *self - other;
    }
}

impl<const LOW: i64, const HIGH: i64> PartialEq<i64> for Ranged<LOW, HIGH> {
    fn eq(&self, other: &i64) -> bool {
        self.0 == *other
    }
}

impl<const LOW: i64, const HIGH: i64> PartialOrd<i64> for Ranged<LOW, HIGH> {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

impl<const LOW: i64, const HIGH: i64> Cells for Ranged<LOW, HIGH> {
    const IS_SIMPLE: bool = true;

    fn shape(_: &Indices) -> Shape {
        Shape::range(LOW, HIGH)
    }

    fn cells(_: &Indices) -> usize {
        1
    }

    #[inline]
    fn write(&self, to: &mut Writer<'_>) {
        to.put(self.0);
    }

    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        to.put(first, self.0, old.0)
    }

    #[inline]
    fn may_differ(&self, old: &Self) -> bool {
        self != old
    }

    #[inline]
    fn read(from: &mut Reader<'_>) -> Self {
        Ranged(from.take())
    }

    fn renamed(&self, _: &Renaming<'_>) -> Self {
        *self
    }
}
