//! The precedence of operators.
//!
//! | level | operators | |
//! |---|---|---|
//! | 1 | `? :` | once |
//! | 2 | `->` | once |
//! | 3 | `\|\|` | from the left |
//! | 4 | `&&` | from the left |
//! | 5 | `\|` | from the left |
//! | 6 | `^` | from the left |
//! | 7 | `&` | from the left |
//! | 8 | `!` | prefix: `!a = b` is `!(a = b)` |
//! | 9 | `<` `<=` `=` `!=` `>=` `>` `in` | once |
//! | 10 | `<<` `>>` | from the left |
//! | 11 | `+` `-` | from the left |
//! | 12 | `*` `/` `%`, prefix `+` `-` | from the left |
//! | 13 | `~` | prefix |
//!
//! "Once" means not associative: `a -> b -> c` is refused.

use super::lexer::Symbol;
use crate::syntax::{BinaryOperator, UnaryOperator};

/// `c ? a : b`
pub(crate) const CONDITIONAL: u8 = 1;
/// Comparisons.
pub(crate) const COMPARISON: u8 = 9;
/// Numbers, names, calls, quantifiers: expressions that never need parentheses.
pub(crate) const PRIMARY: u8 = 14;

/// The level of an operator: a higher level binds more tightly.
pub(crate) fn level(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Implies => 2,
        BinaryOperator::OrElse => 3,
        BinaryOperator::AndAlso => 4,
        BinaryOperator::Or => 5,
        BinaryOperator::Xor => 6,
        BinaryOperator::And => 7,
        BinaryOperator::Less
        | BinaryOperator::LessOrEqual
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Greater
        | BinaryOperator::In => COMPARISON,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => 10,
        BinaryOperator::Add | BinaryOperator::Subtract => 11,
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => 12,
    }
}

/// Whether the operator is not associative, so that both its operands bind more tightly.
pub(crate) fn is_once(operator: BinaryOperator) -> bool {
    operator == BinaryOperator::Implies || level(operator) == COMPARISON
}

/// The level of a prefix operator, and the least level of its operand.
pub(crate) fn prefix_levels(operator: UnaryOperator) -> (u8, u8) {
    match operator {
        UnaryOperator::Not => (8, 8),
        UnaryOperator::Negate | UnaryOperator::Plus => (12, 13),
        UnaryOperator::BitwiseNot => (13, 13),
    }
}

/// The spelling that the printer uses.
pub(crate) fn spelling(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Implies => "->",
        BinaryOperator::OrElse => "||",
        BinaryOperator::AndAlso => "&&",
        BinaryOperator::Or => "|",
        BinaryOperator::Xor => "^",
        BinaryOperator::And => "&",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Equal => "=",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Greater => ">",
        BinaryOperator::In => "in",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
    }
}

/// The spelling that the printer uses.
pub(crate) fn prefix_spelling(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Not => "!",
        UnaryOperator::Negate => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::BitwiseNot => "~",
    }
}

/// The operator that a symbol denotes between two operands. (`in` is a word.)
pub(super) fn binary(symbol: Symbol) -> Option<BinaryOperator> {
    Some(match symbol {
        Symbol::Implies => BinaryOperator::Implies,
        Symbol::OrElse => BinaryOperator::OrElse,
        Symbol::AndAlso => BinaryOperator::AndAlso,
        Symbol::Or => BinaryOperator::Or,
        Symbol::Xor => BinaryOperator::Xor,
        Symbol::And => BinaryOperator::And,
        Symbol::Less => BinaryOperator::Less,
        Symbol::LessOrEqual => BinaryOperator::LessOrEqual,
        Symbol::Equal => BinaryOperator::Equal,
        Symbol::NotEqual => BinaryOperator::NotEqual,
        Symbol::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
        Symbol::Greater => BinaryOperator::Greater,
        Symbol::ShiftLeft => BinaryOperator::ShiftLeft,
        Symbol::ShiftRight => BinaryOperator::ShiftRight,
        Symbol::Plus => BinaryOperator::Add,
        Symbol::Minus => BinaryOperator::Subtract,
        Symbol::Times => BinaryOperator::Multiply,
        Symbol::Over => BinaryOperator::Divide,
        Symbol::Remainder => BinaryOperator::Remainder,
        _ => return None,
    })
}

/// The operator that a symbol denotes before an operand.
pub(super) fn prefix(symbol: Symbol) -> Option<UnaryOperator> {
    Some(match symbol {
        Symbol::Not => UnaryOperator::Not,
        Symbol::Minus => UnaryOperator::Negate,
        Symbol::Plus => UnaryOperator::Plus,
        Symbol::Tilde => UnaryOperator::BitwiseNot,
        _ => return None,
    })
}
