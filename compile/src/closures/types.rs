//! Simple types at compile time: their values, and conversions from one type to another.

use super::{Compiled, Unsupported};
use model::checked::ParameterDomain;
use model::types::{Type, TypeId, Types};
use model::value::Scalar;

/// The values of a bound variable, encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    pub(crate) from: i64,
    pub(crate) by: i64,
    pub(crate) count: u64,
}

impl Values {
    /// The values of a parameter.
    pub(crate) fn of_parameter(types: &Types, domain: &ParameterDomain) -> Compiled<Values> {
        match *domain {
            ParameterDomain::Type(of) => Values::of_type(types, of),
            ParameterDomain::Steps { from, to, by } => {
                Ok(Values { from, by, count: from.abs_diff(to) / by.unsigned_abs() + 1 })
            }
        }
    }

    /// All values of a simple type.
    pub(crate) fn of_type(types: &Types, of: TypeId) -> Compiled<Values> {
        if !types.is_simple(of) {
            return Err(Unsupported);
        }
        Ok(Values { from: least(types, of), by: 1, count: types.size(of) })
    }
}

/// The code of the least value of a simple type.
pub(crate) fn least(types: &Types, of: TypeId) -> i64 {
    match *types.get(of) {
        Type::Range { low, .. } => low,
        _ => 0,
    }
}

/// Converts values of one simple type to another.
pub(crate) enum Conversion {
    /// The code is the same, and the value is always in the other type.
    Same,
    /// A number, which must be from the first bound to the second.
    Inside(i64, i64),
    /// Maps the code of a value to its code in the other type, if it is there.
    Table(Box<[Option<i64>]>),
}

impl Conversion {
    pub(crate) fn new(types: &Types, from: TypeId, to: TypeId) -> Compiled<Conversion> {
        if let (Type::Range { low, high }, Type::Range { low: least, high: most }) =
            (types.get(to), types.get(from))
        {
            let is_inside = low <= least && most <= high;
            return Ok(if is_inside { Conversion::Same } else { Conversion::Inside(*low, *high) });
        }
        Ok(Conversion::Table(translation(types, from, to)?))
    }

    /// The value in the other type, if it is there.
    pub(crate) fn of(&self, value: i64) -> Option<i64> {
        match self {
            Conversion::Same => Some(value),
            Conversion::Inside(low, high) => (*low..=*high).contains(&value).then_some(value),
            Conversion::Table(table) => table[value as usize],
        }
    }
}

/// Maps positions in one simple type to positions of the same values in another, if they are there.
pub(crate) fn translation(types: &Types, from: TypeId, to: TypeId) -> Compiled<Box<[Option<i64>]>> {
    if types.is_range(from) || types.is_range(to) {
        return Err(Unsupported);
    }
    let position =
        |k| Scalar::nth(types, from, k).position(types, to).map(|position| position as i64);
    Ok((0..types.size(from)).map(position).collect())
}
