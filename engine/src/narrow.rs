//! Narrowing conversions.
//!
//! `clippy::cast_possible_truncation` is denied in this crate: a number that does not fit would be a
//! wrong result, not a loud one. Ids that a run may use up are made by functions that return a stop
//! reason. All other narrowing goes through this module, in two ways:
//!
//! - `to_…` for numbers that fit by construction: positions of points, cells, rules and tuples, which
//!   the layout of a state bounds, and ids whose table was bounded when it grew. Debug builds, and so
//!   all tests, check it.
//! - `low_…` for hashes and encodings, where the low bits are wanted.

#![allow(clippy::inline_always, reason = "casts cost nothing, and neither should these")]
#![allow(clippy::cast_possible_truncation, reason = "this is the one place for it")]

/// A number of a type that may be wider than `T`, but whose values fit.
pub(crate) trait Narrow<T> {
    fn narrow(self) -> T;
}

macro_rules! narrow {
    ($($from:ty => $to:ty),*) => {
        $(
            impl Narrow<$to> for $from {
                #[inline(always)]
                fn narrow(self) -> $to {
                    debug_assert!(<$to>::try_from(self).is_ok(), "{self} does not fit");
                    #[allow(clippy::cast_sign_loss, reason = "a negative number does not fit")]
                    let narrow = self as $to;
                    narrow
                }
            }
        )*
    };
}

narrow!(usize => u32, u64 => u32, i64 => u32, u64 => usize, i64 => usize, usize => u8, u64 => u8, u32 => u8);

/// A number that fits by construction.
#[inline(always)]
pub(crate) fn to_u32(number: impl Narrow<u32>) -> u32 {
    number.narrow()
}

/// A number that fits by construction.
#[inline(always)]
pub(crate) fn to_usize(number: impl Narrow<usize>) -> usize {
    number.narrow()
}

/// A number that fits by construction.
#[inline(always)]
pub(crate) fn to_u8(number: impl Narrow<u8>) -> u8 {
    number.narrow()
}

/// The low 32 bits.
#[inline(always)]
pub(crate) const fn low_u32(number: u64) -> u32 {
    number as u32
}

/// The low 8 bits.
#[inline(always)]
pub(crate) const fn low_u8(number: u64) -> u8 {
    number as u8
}

/// The low 64 bits.
#[inline(always)]
pub(crate) const fn low_u64(number: u128) -> u64 {
    number as u64
}
