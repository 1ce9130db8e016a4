//! The bounds of values.
//!
//! Bounds are *proved* if they hold whatever memory contains: for constants, counters of loops, values
//! that have been compared with a range. Other bounds rely on memory containing values of the right
//! types. That is enough to leave out checks of overflow, where a mistake gives a wrong number at worst;
//! addresses need proved ones.

use super::{Frame, Operator, Range, Value, Values};
use model::checked::Arithmetic;

/// The least and the greatest value that an operand may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) range: Range,
    pub(crate) is_proved: bool,
}

impl Bounds {
    /// Nothing is known.
    pub(crate) const NONE: Bounds = Bounds { range: Range::ALL, is_proved: true };
    /// A condition.
    pub(crate) const BOOLEAN: Bounds = Bounds { range: Range::BOOLEAN, is_proved: true };

    /// Proved bounds.
    pub(crate) fn proved(low: i64, high: i64) -> Bounds {
        Bounds { range: Range { low, high }, is_proved: true }
    }

    /// What holds whatever memory contains.
    pub(crate) fn certain(self) -> Range {
        if self.is_proved { self.range } else { Range::ALL }
    }

    /// Bounds of a value that is one of two.
    fn or(self, other: Bounds) -> Bounds {
        let (one, two) = (self.range, other.range);
        Bounds {
            range: Range { low: one.low.min(two.low), high: one.high.max(two.high) },
            is_proved: self.is_proved && other.is_proved,
        }
    }
}

impl Values {
    /// The last value; `None` if there is none, or if it is no number of 64 bits.
    pub(crate) fn last(self) -> Option<i64> {
        let steps = i128::from(self.count.checked_sub(1)?);
        i64::try_from(i128::from(self.from) + i128::from(self.by) * steps).ok()
    }

    /// The least and the greatest value.
    pub(crate) fn range(self) -> Range {
        match self.last() {
            Some(last) => Range { low: self.from.min(last), high: self.from.max(last) },
            None => Range { low: self.from, high: self.from },
        }
    }
}

/// Bounds of a value in a unit with this frame.
pub(crate) fn bounds(value: &Value, frame: &Frame) -> Bounds {
    let of = |value: &Value| bounds(value, frame);
    match value {
        Value::Constant(number) => Bounds::proved(*number, *number),
        Value::Register(register) => {
            let range = frame.registers.get(register.0 as usize).copied().unwrap_or(Range::ALL);
            Bounds { range, is_proved: true }
        }
        Value::Load(_, range) => Bounds { range: *range, is_proved: false },
        Value::Quantified(_)
        | Value::SameCells(..)
        | Value::Binary(Operator::Compare(_) | Operator::Equal | Operator::NotEqual, ..) => {
            Bounds::BOOLEAN
        }
        Value::Peek(_) => Bounds::NONE,
        Value::Binary(Operator::Arithmetic(operator), a, b) => arithmetic(*operator, of(a), of(b)),
        Value::Inside(operand, range) => {
            let operand = of(operand).certain();
            let (low, high) = (range.low.max(operand.low), range.high.min(operand.high));
            // If no value is inside, nothing follows.
            if low <= high {
                Bounds::proved(low, high)
            } else {
                Bounds { range: *range, is_proved: true }
            }
        }
        Value::Translate(operand, table) => {
            let positions = Range { low: 0, high: table.len() as i64 - 1 };
            let is_position = positions.contains(of(operand).certain());
            let entries = || table.iter().copied().chain((!is_position).then_some(-1));
            Bounds::proved(entries().min().unwrap_or(-1), entries().max().unwrap_or(-1))
        }
        Value::If(parts) => of(&parts[1]).or(of(&parts[2])),
        Value::Sum(parts) => sum(parts.0.values, of(&parts.1)),
        Value::Once(_, value) | Value::After(_, value) => of(value),
    }
}

/// Bounds of a sum; of partial sums, too.
fn sum(values: Values, one: Bounds) -> Bounds {
    let times = |bound: i64| i64::try_from(i128::from(bound) * i128::from(values.count)).ok();
    match (times(one.range.low.min(0)), times(one.range.high.max(0))) {
        (Some(low), Some(high)) => Bounds { range: Range { low, high }, is_proved: one.is_proved },
        _ => Bounds::NONE,
    }
}

/// Bounds of the result of an operation. If the operation may overflow, it traps then, and nothing is
/// known of the result.
pub(crate) fn arithmetic(operator: Arithmetic, a: Bounds, b: Bounds) -> Bounds {
    exact(operator, a, b).unwrap_or(Bounds::NONE)
}

/// Bounds of the result of an operation, if these exclude that it overflows.
pub(crate) fn exact(operator: Arithmetic, a: Bounds, b: Bounds) -> Option<Bounds> {
    let wide = |x: i64| i128::from(x);
    let (one, two) = (a.range, b.range);
    let (low, high) = match operator {
        Arithmetic::Add => (wide(one.low) + wide(two.low), wide(one.high) + wide(two.high)),
        Arithmetic::Subtract => (wide(one.low) - wide(two.high), wide(one.high) - wide(two.low)),
        Arithmetic::Multiply => {
            let products = [
                (one.low, two.low),
                (one.low, two.high),
                (one.high, two.low),
                (one.high, two.high),
            ]
            .map(|(x, y)| wide(x) * wide(y));
            (products.into_iter().min()?, products.into_iter().max()?)
        }
        _ => return None,
    };
    let range = Range { low: i64::try_from(low).ok()?, high: i64::try_from(high).ok()? };
    Some(Bounds { range, is_proved: a.is_proved && b.is_proved })
}
