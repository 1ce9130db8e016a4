//! Rules for `X f`.

use super::rule::Rule;

/// `X` is its own dual.
pub(super) const RULES: &[Rule] =
    &[Rule::unary("next.suspendable", "X q = q", "", |v, f| v.is_suspendable(f).then_some(f))];
