//! Recognises assignments that update a place by an operation that commutes with itself.

use super::super::checked::{Arithmetic, Expression, ExpressionKind, Model, Place, Selector};
use super::access::Form;
use super::calls_in;
use super::interval::Interval;

/// If `target := value` is an update that commutes with itself: its form, and the operands besides
/// the target.
pub(super) fn update<'m>(
    model: &'m Model,
    target: &Place,
    value: &'m Expression,
) -> Option<(Form, Vec<&'m Expression>)> {
    let types = &model.types;
    // After an effect the same text may mean another place: `c[k] := f(k) + c[k]`.
    let mut has_effects = false;
    calls_in(value, &mut |function| {
        has_effects |= model.functions[function.0 as usize].has_effects;
    });
    if has_effects {
        return None;
    }
    if let Some((or, operands)) = logical_update(target, value) {
        return Some((Form::Logical { or }, operands));
    }
    let ExpressionKind::Arithmetic(operator, a, b) = &value.kind else { return None };
    let range = Interval::of_type(types, target.of);
    match operator {
        Arithmetic::Add | Arithmetic::Subtract => {
            let mut terms = Vec::new();
            summands(value, true, &mut terms);
            let own = terms.iter().position(|&(e, plus)| plus && is_read_of(e, target))?;
            terms.remove(own);
            let signed = |&(e, plus): &(&Expression, bool)| {
                let interval = Interval::of(types, e);
                if plus { interval } else { interval.negated() }
            };
            let up = terms.iter().all(|term| signed(term).is_natural());
            let down = terms.iter().all(|term| signed(term).negated().is_natural());
            let operands = terms.into_iter().map(|(e, _)| e).collect();
            (up || down).then_some((Form::Sum { up }, operands))
        }
        Arithmetic::BitwiseAnd | Arithmetic::BitwiseOr | Arithmetic::BitwiseXor => {
            let other = match (is_read_of(a, target), is_read_of(b, target)) {
                (true, _) => b,
                (_, true) => a,
                _ => return None,
            };
            let operand = Interval::of(types, other);
            let stays = range.is_natural()
                && operand.is_natural()
                && match operator {
                    // All results are below 2^k, and all numbers below 2^k are allowed.
                    Arithmetic::BitwiseXor => {
                        range.low == 0
                            && (range.high + 1).count_ones() == 1
                            && operand.high <= range.high
                    }
                    // Bits are only set, or only cleared: so the number only grows, or only
                    // shrinks.
                    _ => true,
                };
            stays.then(|| (Form::Bits(*operator), vec![&**other]))
        }
        _ => None,
    }
}

/// `v | e ...` or `v & e ...` of this place: whether it is `|`, and the operands besides v.
pub(super) fn logical_update<'e>(
    target: &Place,
    value: &'e Expression,
) -> Option<(bool, Vec<&'e Expression>)> {
    let or = match value.kind {
        ExpressionKind::Or(..) => true,
        ExpressionKind::And(..) => false,
        _ => return None,
    };
    // Operators of one kind associate to the left: ((v | a) | b) evaluates like v | (a | b).
    let mut operands = Vec::new();
    let mut rest = value;
    while let ExpressionKind::Or(a, b) | ExpressionKind::And(a, b) = &rest.kind {
        if matches!(rest.kind, ExpressionKind::Or(..)) != or {
            break;
        }
        operands.push(&**b);
        rest = a;
    }
    operands.reverse();
    is_read_of(rest, target).then_some((or, operands))
}

/// The terms of a sum, each with whether it is added.
fn summands<'e>(sum: &'e Expression, plus: bool, found: &mut Vec<(&'e Expression, bool)>) {
    match &sum.kind {
        ExpressionKind::Arithmetic(Arithmetic::Add, a, b) => {
            summands(a, plus, found);
            summands(b, plus, found);
        }
        ExpressionKind::Arithmetic(Arithmetic::Subtract, a, b) => {
            summands(a, plus, found);
            summands(b, !plus, found);
        }
        _ => found.push((sum, plus)),
    }
}

/// Whether the expression reads the place, written identically.
fn is_read_of(expression: &Expression, place: &Place) -> bool {
    matches!(&expression.kind, ExpressionKind::Read(read) if is_same_place(read, place))
}

fn is_same_place(a: &Place, b: &Place) -> bool {
    a.root == b.root
        && a.selectors.len() == b.selectors.len()
        && a.selectors.iter().zip(&b.selectors).all(|selectors| match selectors {
            (Selector::Element(a), Selector::Element(b)) => is_same_subscript(a, b),
            (a, b) => a == b,
        })
}

/// Whether two subscripts without effects are the same; some equal ones may not be recognised.
fn is_same_subscript(a: &Expression, b: &Expression) -> bool {
    match (&a.kind, &b.kind) {
        (ExpressionKind::Constant(a), ExpressionKind::Constant(b)) => a == b,
        (ExpressionKind::Read(a), ExpressionKind::Read(b)) => is_same_place(a, b),
        (ExpressionKind::Next(a), ExpressionKind::Next(b))
        | (ExpressionKind::Previous(a), ExpressionKind::Previous(b)) => is_same_subscript(a, b),
        _ => false,
    }
}
