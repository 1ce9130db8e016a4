//! Simple types while models are lowered: their values, and conversions from one type to another.

use super::{Lowered, Unsupported};
use crate::form::{Range, Table, Values};
use model::checked::ParameterDomain;
use model::types::{Type, TypeId, Types};
use model::value::Scalar;

/// The values of a parameter.
pub(super) fn values_of_parameter(types: &Types, domain: &ParameterDomain) -> Lowered<Values> {
    match *domain {
        ParameterDomain::Type(of) => values_of_type(types, of),
        ParameterDomain::Steps { from, to, by } => Ok(steps(from, to, by)),
    }
}

/// All values of a simple type.
pub(super) fn values_of_type(types: &Types, of: TypeId) -> Lowered<Values> {
    if !types.is_simple(of) {
        return Err(Unsupported("a loop over values that are not simple"));
    }
    Ok(Values { from: range_of(types, of).low, by: 1, count: types.size(of) })
}

/// The numbers from one to another; none if the step leads away from it.
pub(super) fn steps(from: i64, to: i64, by: i64) -> Values {
    let is_empty = if by > 0 { from > to } else { from < to };
    let count = if is_empty { 0 } else { from.abs_diff(to) / by.unsigned_abs() + 1 };
    Values { from, by, count }
}

/// The least and the greatest cell of a simple type.
pub(super) fn range_of(types: &Types, of: TypeId) -> Range {
    match *types.get(of) {
        Type::Range { low, high } => Range { low, high },
        _ => Range { low: 0, high: types.size(of) as i64 - 1 },
    }
}

/// Maps positions in one simple type to positions of the same values in another, or to -1.
pub(super) fn translation(types: &Types, from: TypeId, to: TypeId) -> Lowered<Table> {
    if types.is_range(from) || types.is_range(to) {
        return Err(Unsupported("numbers compared with members of a type"));
    }
    let position = |k| Scalar::nth(types, from, k).position(types, to).map_or(-1, |to| to as i64);
    Ok((0..types.size(from)).map(position).collect())
}

/// Maps the positions in a ring to those so many places further on.
pub(super) fn rotation(size: u64, by: u64) -> Table {
    (0..size).map(|k| ((k + by) % size) as i64).collect()
}
