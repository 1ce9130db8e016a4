//! Avoids repeated evaluation.
//!
//! *Quantifiers.* In `forall d do st[c] = K & st[d] = K -> c = d end`, `st[c] = K` has the same
//! value for all d. So it is taken out of the loop ([`taken_out`]): where it is false, the loop is
//! superfluous. Properties are treated likewise: `d` may be a parameter around them.
//!
//! *Guards.* In `st[c] = R & forall d do st[d] != K end`, the second conjunct has the same value
//! for all c, but must not be evaluated before the first. So it is evaluated when it is first
//! reached, and its value is kept ([`Value::Once`]) until a parameter that it depends on changes.
//!
//! Registers are numbered in the order in which they are bound: what reads no register from a
//! certain one on does not depend on the loops whose register that is, or a later one.

use crate::form::walk::Part;
use crate::form::{Loop, Operator, Place, Quantifier, Register, Value};

/// The register whose content a value is, defined or not, if it is one.
fn content(value: &Value) -> Option<Register> {
    match value {
        Value::Register(register)
        | Value::Load(Place::Register(register), _)
        | Value::Peek(Place::Register(register)) => Some(*register),
        _ => None,
    }
}

/// The last register that a value depends on.
pub(super) fn last_read(value: &mut Value) -> Option<Register> {
    let (mut read, mut bound) = (Vec::new(), Vec::new());
    value.walk(&mut |part| {
        match part {
            Part::Value(value) => read.extend(content(value)),
            Part::Bound(register) => bound.push(register),
            Part::Cells(_) => {}
        }
        true
    });
    read.into_iter().filter(|register| !bound.contains(register)).max()
}

/// Whether evaluating a value takes long.
pub(super) fn is_large(value: &Value) -> bool {
    matches!(value, Value::Quantified(_) | Value::Sum(_) | Value::After(..))
}

/// Whether a value has neither loops nor statements, and reads no register from this one on.
fn is_outer(value: &Value, first: Register) -> bool {
    let mut is_outer = true;
    value.clone().walk(&mut |part| {
        if let Part::Value(part) = part {
            is_outer &= !is_large(part) && content(part).is_none_or(|register| register < first);
        }
        is_outer
    });
    is_outer
}

/// Whether a condition compares only what is always defined.
fn is_harmless(condition: &Value) -> bool {
    match condition {
        Value::Binary(Operator::Arithmetic(_), ..) => false,
        Value::Binary(_, a, b) => a.is_settled() && b.is_settled(),
        condition => condition.is_settled(),
    }
}

/// A condition that reads no register from this one on, and what another one is if it is true, and if
/// it is false; one of these is a constant. What is evaluated before it may not fail, so that no
/// failure is lost; if it fails itself, the interpreter finds out whether the whole does.
pub(super) fn taken_out(condition: &Value, first: Register) -> Option<[Value; 3]> {
    let is_constant = |value: &Value| matches!(value, Value::Constant(_));
    let Value::If(parts) = condition else {
        let is_found = !is_constant(condition) && is_outer(condition, first);
        return is_found.then(|| [condition.clone(), Value::Constant(1), Value::Constant(0)]);
    };
    let [test, yes, no] = &**parts;
    let (inner, other) = if is_constant(yes) { (no, yes) } else { (yes, no) };
    if !is_constant(other) {
        return None;
    }
    if is_outer(test, first) {
        return Some(*parts.clone());
    }
    if !is_harmless(test) {
        return None;
    }
    // The result is the same whether the inner one is reached or not.
    let [outer, a, b] = taken_out(inner, first)?;
    let arm = |arm: &Value| match arm == other {
        true => arm.clone(),
        false if is_constant(yes) => Value::choice(test.clone(), other.clone(), arm.clone()),
        false => Value::choice(test.clone(), arm.clone(), other.clone()),
    };
    (a == *other || b == *other).then(|| [outer, arm(&a), arm(&b)])
}

/// A quantified condition, without what can be taken out of it.
pub(super) fn quantified(is_exists: bool, over: Loop, body: Value) -> Value {
    if over.values.count > 0 {
        let mut has_effects = false;
        body.clone().walk(&mut |part| {
            has_effects |= matches!(part, Part::Value(Value::After(..)));
            true
        });
        if matches!(body, Value::Constant(_)) {
            return body;
        }
        if let Some([outer, yes, no]) = taken_out(&body, over.register)
            && !has_effects
        {
            let [yes, no] = [yes, no].map(|body| quantified(is_exists, over, body));
            return Value::choice(outer, yes, no);
        }
    }
    Value::Quantified(Box::new(Quantifier { is_exists, over, body }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Cells, Range, Values};

    const I: Register = Register(0);
    /// The register of the loop.
    const J: Register = Register(1);
    const YES: Value = Value::Constant(1);
    const NO: Value = Value::Constant(0);

    /// An element of an array, which may be undefined.
    fn at(array: usize, index: Register) -> Value {
        let range = Range { low: 0, high: 2 };
        let cells = Cells::at(3 * array).nth(Value::Register(index), range, 0, 1);
        Value::Load(Place::Cells(cells), Range::BOOLEAN)
    }

    fn a(index: Register) -> Value {
        at(0, index)
    }

    fn b(index: Register) -> Value {
        at(1, index)
    }

    fn is_same() -> Value {
        Value::equal(Value::Register(I), Value::Register(J))
    }

    fn and(a: Value, b: Value) -> Value {
        Value::choice(a, b, NO)
    }

    fn or(a: Value, b: Value) -> Value {
        Value::choice(a, YES, b)
    }

    fn implies(a: Value, b: Value) -> Value {
        Value::choice(a, b, YES)
    }

    #[test]
    fn what_does_not_depend_on_a_loop_is_taken_out() {
        let exists = |body| {
            quantified(
                true,
                Loop { register: J, values: Values { from: 0, by: 1, count: 3 } },
                body,
            )
        };
        let some = |body| {
            Value::Quantified(Box::new(match exists(body) {
                Value::Quantified(one) => *one,
                other => panic!("something is taken out: {other:?}"),
            }))
        };
        let if_else = Value::choice;
        let table = [
            (
                implies(and(a(I), a(J)), is_same()),
                if_else(a(I), some(implies(a(J), is_same())), YES),
            ),
            (
                and(Value::negated(is_same()), and(a(I), a(J))),
                if_else(a(I), some(and(Value::negated(is_same()), a(J))), NO),
            ),
            (or(is_same(), or(a(I), a(J))), if_else(a(I), YES, some(or(is_same(), a(J))))),
            (implies(and(a(I), b(I)), a(J)), if_else(a(I), if_else(b(I), some(a(J)), YES), YES)),
            (a(I), if_else(a(I), YES, NO)),
            (Value::negated(a(I)), Value::negated(a(I))),
            (YES, YES),
            // What is evaluated before it may fail.
            (or(a(J), a(I)), some(or(a(J), a(I)))),
            // Nothing decides.
            (and(implies(is_same(), a(I)), a(J)), some(and(implies(is_same(), a(I)), a(J)))),
            (if_else(a(I), a(J), b(J)), some(if_else(a(I), a(J), b(J)))),
        ];
        for (body, expected) in table {
            assert_eq!(exists(body.clone()), expected, "{body:?}");
        }
        // The last one has an effect, which may change the first one.
        let effect = Value::After(Vec::new(), Box::new(a(J)));
        some(and(a(I), effect));
        let none = Loop { register: J, values: Values { from: 0, by: 1, count: 0 } };
        assert!(matches!(quantified(true, none, a(I)), Value::Quantified(_)));
    }
}
