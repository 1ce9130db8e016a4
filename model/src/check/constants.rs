//! Values that are known before anything is run.

use crate::checked::{Arithmetic, Comparison, Expression, ExpressionKind};
use crate::value::Scalar;
use ltl::{Diagnostic, Span};

/// The value of a constant expression; an error if it is not constant or fails.
pub(super) fn evaluate(expression: &Expression) -> Result<Scalar, Diagnostic> {
    let number = |e: &Expression| match evaluate(e)? {
        Scalar::Number(n) => Ok(n),
        _ => Err(not_constant(e.span)),
    };
    let truth = |e: &Expression| Ok::<_, Diagnostic>(evaluate(e)?.is_true());
    Ok(match &expression.kind {
        ExpressionKind::Constant(value) => *value,
        ExpressionKind::Not(e) => Scalar::boolean(!truth(e)?),
        ExpressionKind::Negate(e) => {
            let n = number(e)?.checked_neg();
            Scalar::Number(n.ok_or_else(|| overflow(expression.span))?)
        }
        ExpressionKind::BitwiseNot(e) => Scalar::Number(!number(e)?),
        ExpressionKind::Arithmetic(operator, a, b) => {
            let (a, b) = (number(a)?, number(b)?);
            let value = calculate(*operator, a, b);
            Scalar::Number(value.map_err(|why| Diagnostic::error(expression.span, why))?)
        }
        ExpressionKind::Compare(operator, a, b) => {
            Scalar::boolean(compare(*operator, number(a)?, number(b)?))
        }
        ExpressionKind::Equal(a, b) => Scalar::boolean(evaluate(a)? == evaluate(b)?),
        ExpressionKind::NotEqual(a, b) => Scalar::boolean(evaluate(a)? != evaluate(b)?),
        ExpressionKind::And(a, b) => Scalar::boolean(truth(a)? && truth(b)?),
        ExpressionKind::Or(a, b) => Scalar::boolean(truth(a)? || truth(b)?),
        ExpressionKind::Implies(a, b) => Scalar::boolean(!truth(a)? || truth(b)?),
        ExpressionKind::Conditional(c, a, b) => evaluate(if truth(c)? { a } else { b })?,
        _ => return Err(not_constant(expression.span)),
    })
}

/// The result of an operator on numbers; an error says why it has none.
pub fn calculate(operator: Arithmetic, a: i64, b: i64) -> Result<i64, &'static str> {
    let shift = || u32::try_from(b).ok().filter(|&bits| bits < 64).ok_or("a shift is by 0 to 63");
    let value = match operator {
        Arithmetic::Divide | Arithmetic::Remainder if b == 0 => return Err("division by zero"),
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide => a.checked_div(b),
        Arithmetic::Remainder => a.checked_rem(b),
        Arithmetic::ShiftLeft => {
            let shifted = a << shift()?;
            (shifted >> shift()? == a).then_some(shifted)
        }
        Arithmetic::ShiftRight => Some(a >> shift()?),
        Arithmetic::BitwiseAnd => Some(a & b),
        Arithmetic::BitwiseOr => Some(a | b),
        Arithmetic::BitwiseXor => Some(a ^ b),
    };
    value.ok_or("the result does not fit into 64 bits")
}

/// A comparison of numbers.
pub fn compare(operator: Comparison, a: i64, b: i64) -> bool {
    match operator {
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::GreaterOrEqual => a >= b,
        Comparison::Greater => a > b,
    }
}

fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this is not constant")
        .help("constants, bounds and sizes are made of numbers, enum members and other constants")
}

fn overflow(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the result does not fit into 64 bits")
}
