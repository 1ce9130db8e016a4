//! Labels and acceptance conditions as expressions with `|`, `&`, `!` and parentheses.
//!
//! One grammar for both: `&` binds tighter than `|`; what differs are the operands, which the
//! caller reads. Chains are flat, so that only parentheses nest, and those are limited: no text can
//! exhaust the stack, here or in the passes over the tree.

use super::lexer::{Lexer, Stop, Token};
use ltl::Diagnostic;

/// A Boolean expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression<L> {
    /// `t` or `f`.
    Constant(bool),
    /// An operand.
    Leaf(L),
    /// `!e`
    Not(Box<Expression<L>>),
    /// `e & e & ...`
    And(Vec<Expression<L>>),
    /// `e | e | ...`
    Or(Vec<Expression<L>>),
}

/// How deep parentheses may nest.
pub const DEEPEST: usize = 200;

/// Whether `!` may stand before any operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Negation {
    Allowed,
    Refused,
}

/// Reads an expression whose operands are read by `leaf`.
pub(super) fn expression<'a, L>(
    lexer: &mut Lexer<'a>,
    negation: Negation,
    leaf: &mut dyn FnMut(&mut Lexer<'a>) -> Result<L, Stop>,
) -> Result<Expression<L>, Stop> {
    disjunction(lexer, negation, leaf, 0)
}

fn disjunction<'a, L>(
    lexer: &mut Lexer<'a>,
    negation: Negation,
    leaf: &mut dyn FnMut(&mut Lexer<'a>) -> Result<L, Stop>,
    depth: usize,
) -> Result<Expression<L>, Stop> {
    let mut sum = Vec::new();
    loop {
        let mut product = vec![operand(lexer, negation, leaf, depth)?];
        while lexer.sign('&')? {
            product.push(operand(lexer, negation, leaf, depth)?);
        }
        sum.push(one_or(product, Expression::And));
        if !lexer.sign('|')? {
            return Ok(one_or(sum, Expression::Or));
        }
    }
}

fn operand<'a, L>(
    lexer: &mut Lexer<'a>,
    negation: Negation,
    leaf: &mut dyn FnMut(&mut Lexer<'a>) -> Result<L, Stop>,
    depth: usize,
) -> Result<Expression<L>, Stop> {
    let mut negated = false;
    while negation == Negation::Allowed && lexer.sign('!')? {
        negated = !negated;
    }
    let span = lexer.span();
    let operand = if lexer.sign('(')? {
        if depth == DEEPEST {
            let message = format!("more than {DEEPEST} parentheses inside each other");
            return Err(Diagnostic::error(span, message).into());
        }
        let inside = disjunction(lexer, negation, leaf, depth + 1)?;
        lexer.expect_sign(')')?;
        inside
    } else if let Token::Boolean(value) = lexer.peek() {
        lexer.next()?;
        Expression::Constant(value)
    } else {
        Expression::Leaf(leaf(lexer)?)
    };
    Ok(if negated { Expression::Not(Box::new(operand)) } else { operand })
}

fn one_or<L>(
    mut parts: Vec<Expression<L>>,
    several: impl Fn(Vec<Expression<L>>) -> Expression<L>,
) -> Expression<L> {
    match parts.len() {
        1 => parts.remove(0),
        _ => several(parts),
    }
}
