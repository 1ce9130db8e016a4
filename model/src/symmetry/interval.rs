//! Bounds of numeric expressions, from the types of the places that they read.
//!
//! They suffice to see that `1`, a count or a product of natural numbers is never negative. A value
//! that is read is in the range of its place, because every assignment is checked. The result of a
//! function may be any number, because results are not checked.

use super::super::checked::{Arithmetic, Domain, Expression, ExpressionKind};
use super::super::types::{Type, TypeId, Types};
use super::super::value::Scalar;

/// Numbers from `low` to `high`, both included. Wide enough that two bounds cannot overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub(super) low: i128,
    pub(super) high: i128,
}

const ALL: Interval = Interval { low: i64::MIN as i128, high: i64::MAX as i128 };

impl Interval {
    /// The values that a place of this type may hold.
    pub(super) fn of_type(types: &Types, of: TypeId) -> Interval {
        match types.get(of) {
            Type::Range { low, high } => {
                Interval { low: i128::from(*low), high: i128::from(*high) }
            }
            _ => ALL,
        }
    }

    /// The values that the expression may have, if it can be evaluated.
    pub(super) fn of(types: &Types, expression: &Expression) -> Interval {
        let of = |e: &Expression| Interval::of(types, e);
        match &expression.kind {
            ExpressionKind::Constant(Scalar::Number(n)) => Interval::hull(&[i128::from(*n)]),
            ExpressionKind::Read(place) | ExpressionKind::Peek(place) => {
                Interval::of_type(types, place.of)
            }
            ExpressionKind::Negate(a) => of(a).negated(),
            ExpressionKind::Conditional(_, a, b) => {
                let (a, b) = (of(a), of(b));
                Interval { low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            ExpressionKind::Sum { binder, body } => {
                let times = match binder.domain {
                    Domain::Type(of) => i128::from(types.size(of)),
                    Domain::Steps { .. } => i128::from(u64::MAX),
                };
                // A loop of numbers may have any number of iterations.
                let fewest = match binder.domain {
                    Domain::Type(_) => times,
                    Domain::Steps { .. } => 0,
                };
                let Interval { low, high } = of(body);
                Interval::hull(&[low * times, low * fewest, high * times, high * fewest])
            }
            ExpressionKind::Length(_)
            | ExpressionKind::Size(_)
            | ExpressionKind::MultisetCount { .. } => Interval { low: 0, ..ALL },
            ExpressionKind::Arithmetic(operator, a, b) => arithmetic(*operator, of(a), of(b)),
            _ => ALL,
        }
    }

    pub(super) fn negated(self) -> Interval {
        Interval { low: -self.high, high: -self.low }.within_numbers()
    }

    /// Whether no value is negative.
    pub(super) fn is_natural(self) -> bool {
        self.low >= 0
    }

    fn hull(corners: &[i128]) -> Interval {
        let low = corners.iter().copied().min().unwrap_or(ALL.low);
        let high = corners.iter().copied().max().unwrap_or(ALL.high);
        Interval { low, high }.within_numbers()
    }

    /// Limits the bounds to 64-bit numbers: a result outside is an error, not a value.
    fn within_numbers(self) -> Interval {
        Interval { low: self.low.max(ALL.low), high: self.high.min(ALL.high) }
    }
}

fn arithmetic(operator: Arithmetic, a: Interval, b: Interval) -> Interval {
    match operator {
        Arithmetic::Add => Interval { low: a.low + b.low, high: a.high + b.high }.within_numbers(),
        Arithmetic::Subtract => {
            Interval { low: a.low - b.high, high: a.high - b.low }.within_numbers()
        }
        Arithmetic::Multiply => {
            Interval::hull(&[a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
        }
        Arithmetic::Divide | Arithmetic::BitwiseAnd | Arithmetic::ShiftRight
            if a.is_natural() && b.is_natural() =>
        {
            Interval { low: 0, high: a.high }
        }
        Arithmetic::Remainder if a.is_natural() => Interval { low: 0, high: a.high },
        Arithmetic::BitwiseOr | Arithmetic::BitwiseXor if a.is_natural() && b.is_natural() => {
            Interval { low: 0, high: ALL.high }
        }
        _ => ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_operators() {
        let of = |low, high| Interval { low, high };
        //  operator               left       right      result
        let table = [
            (Arithmetic::Add, of(0, 3), of(1, 2), of(1, 5)),
            (Arithmetic::Add, of(0, 3), ALL, ALL),
            (Arithmetic::Subtract, of(0, 3), of(1, 2), of(-2, 2)),
            (Arithmetic::Multiply, of(-1, 3), of(-2, 2), of(-6, 6)),
            (Arithmetic::Multiply, ALL, ALL, ALL),
            (Arithmetic::Divide, of(0, 7), of(1, 2), of(0, 7)),
            (Arithmetic::Divide, of(-7, 7), of(1, 2), ALL),
            (Arithmetic::Remainder, of(0, 7), of(-3, 3), of(0, 7)),
            (Arithmetic::BitwiseAnd, of(0, 7), of(0, 3), of(0, 7)),
            (Arithmetic::BitwiseXor, of(0, 7), of(-1, 3), ALL),
            (Arithmetic::ShiftLeft, of(0, 7), of(0, 3), ALL),
        ];
        for (operator, a, b, expected) in table {
            assert_eq!(arithmetic(operator, a, b), expected, "{operator:?} {a:?} {b:?}");
        }
        assert_eq!(ALL.negated(), of(-i128::from(i64::MAX), i128::from(i64::MAX)));
        assert!(of(0, 1).is_natural() && !of(-1, 1).is_natural());
    }
}
