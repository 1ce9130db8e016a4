//! Numbers for the choices of values for the parameters around a property.
//!
//! The first choice is the first value of each parameter, and the values of the innermost change
//! fastest. An element that is chosen from a multiset is no part of a choice.

use crate::checked::{LocalId, Model, ParameterDomain, Property, Scope};
use crate::reference::ModelRenaming;
use crate::value::{Scalar, Value};
use judge::Renaming;

/// The number of the choice of these values for the parameters around a property; none if a parameter
/// has no value, or one that is not among its values.
pub fn choice(model: &Model, property: &Property, values: &[(LocalId, Scalar)]) -> Option<usize> {
    let mut number: u64 = 0;
    for scope in &property.scope {
        let Scope::Parameter { local, domain } = scope else { continue };
        let (_, value) = values.iter().find(|(one, _)| one == local)?;
        let position = position(model, domain, *value)?;
        number = number.checked_mul(size(model, domain))?.checked_add(position)?;
    }
    usize::try_from(number).ok()
}

/// The number of choices for the parameters around a property.
pub(super) fn choices(model: &Model, property: &Property) -> u64 {
    let sizes = property.scope.iter().filter_map(|scope| match scope {
        Scope::Parameter { domain, .. } => Some(size(model, domain)),
        Scope::Choose { .. } | Scope::Alias { .. } => None,
    });
    sizes.fold(1, u64::saturating_mul)
}

/// The number of the choice that an instance of a property with these arguments belongs to.
pub(super) fn choice_of(model: &Model, property: &Property, arguments: &[Value]) -> Option<usize> {
    let mut arguments = arguments.iter();
    let mut values = Vec::new();
    for scope in &property.scope {
        match (scope, arguments.as_slice().first()) {
            (Scope::Alias { .. }, _) => continue,
            (Scope::Parameter { local, .. }, Some(Value::Scalar(scalar))) => {
                values.push((*local, *scalar));
            }
            _ => {}
        }
        arguments.next();
    }
    choice(model, property, &values)
}

/// The number of the image of a choice.
pub(super) fn renamed(
    model: &Model,
    property: &Property,
    by: &Renaming,
    choice: usize,
) -> Option<usize> {
    let mut rest = choice as u64;
    let mut values = Vec::new();
    for scope in property.scope.iter().rev() {
        let Scope::Parameter { local, domain } = scope else { continue };
        let size = size(model, domain);
        let k = rest.checked_rem(size)?;
        rest /= size;
        values.push((*local, by.scalar(value(model, domain, k))));
    }
    self::choice(model, property, &values)
}

/// The value of a parameter with this number, from 0.
fn value(model: &Model, domain: &ParameterDomain, k: u64) -> Scalar {
    match *domain {
        ParameterDomain::Type(of) => Scalar::nth(&model.types, of, k),
        ParameterDomain::Steps { from, by, .. } => {
            Scalar::Number(from.wrapping_add(by.wrapping_mul(k.cast_signed())))
        }
    }
}

/// The number of values of a parameter.
fn size(model: &Model, domain: &ParameterDomain) -> u64 {
    match *domain {
        ParameterDomain::Type(of) => model.types.size(of),
        // A parameter that runs in the wrong direction has none.
        ParameterDomain::Steps { from, to, by } if to != from && (to < from) != (by < 0) => 0,
        ParameterDomain::Steps { from, to, by } => {
            (to.abs_diff(from) / by.unsigned_abs()).saturating_add(1)
        }
    }
}

/// The number of a parameter's value, from 0.
fn position(model: &Model, domain: &ParameterDomain, value: Scalar) -> Option<u64> {
    match (domain, value) {
        (ParameterDomain::Type(of), _) => value.position(&model.types, *of),
        (&ParameterDomain::Steps { from, by, .. }, Scalar::Number(n)) => {
            let is_on_the_way = n == from || (n < from) == (by < 0);
            let steps = n.abs_diff(from) / by.unsigned_abs();
            let is_met = n.abs_diff(from) % by.unsigned_abs() == 0;
            (is_on_the_way && is_met && steps < size(model, domain)).then_some(steps)
        }
        (ParameterDomain::Steps { .. }, _) => None,
    }
}
