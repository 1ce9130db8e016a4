//! Spot's operands: names, constants, `=0` after a name, bounds after X, F and G.
//!
//! What a letter means depends on its place: `F`, `G`, `X` before an operand and `U`, `R`, `V`, `W`,
//! `M` after one are operators even if a word goes on after them; elsewhere names start so.

use super::grammar::Step;
use super::lexer::{Reader, digits};
use super::operators::Prefix;
use super::{NESTING_LIMIT, advice, event};
use crate::source::{Diagnostic, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while};
use nom::character::complete::satisfy;
use nom::combinator::{recognize, value, verify};
use nom::sequence::pair;
use nom::{IResult, Parser};

/// How often the operand of X, F or G is delayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) low: u32,
    /// `None`: without end.
    pub(super) high: Option<u32>,
}

/// Words that are no names.
const RESERVED: [&str; 10] = ["F", "G", "X", "U", "R", "V", "W", "M", "xor", "first_match"];

pub(super) fn operand<'t, T>(reader: &mut Reader<'t>) -> Result<Option<Step<'t, T>>, Diagnostic> {
    let start = reader.at;
    if let Some(name) = reader.quoted()? {
        return Ok(Some(Step::Name { name: name.into(), span: reader.since(start) }));
    }
    if let Some(found) = event::event(reader)? {
        return Ok(Some(found));
    }
    // `FALSE` is a constant, not F applied to `ALSE`.
    let capital = verify(tag_no_case("false"), |word: &str| word.starts_with('F'));
    if let Some(constant) =
        reader.take(alt((value(true, tag("1")), value(false, tag("0")), value(false, capital))))
    {
        return Ok(Some(Step::Constant(constant)));
    }
    let Some(word) = reader.take(name) else { return Ok(None) };
    let span = reader.since(start);
    if word == "first_match" {
        return Err(advice::no_psl(span));
    }
    if RESERVED.contains(&word) {
        reader.at = start;
        return Ok(None);
    }
    Ok(Some(match word {
        _ if word.eq_ignore_ascii_case("true") => Step::Constant(true),
        _ if word.eq_ignore_ascii_case("false") => Step::Constant(false),
        _ => Step::Name { name: word.into(), span },
    }))
}

/// A word that does not start with an operator.
fn name(input: &str) -> IResult<&str, &str> {
    let first = satisfy(|c| c.is_ascii_alphabetic() && !"FGX".contains(c) || c == '_' || c == '.');
    let letter = pair(satisfy(|c| "FGX".contains(c)), satisfy(|c| c.is_ascii_digit()));
    let tail = take_while(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    recognize(pair(alt((recognize(first), recognize(letter))), tail)).parse(input)
}

/// Whether the name needs no quotes, also right after an operator letter: `Falsehood` is not F
/// applied to `alsehood`. (Spot quotes `X1` too.)
pub(super) fn is_plain_name(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    matches!(name(text), Ok(("", _)))
        && !text.starts_with(['F', 'G', 'X'])
        && !lower.starts_with("alse")
        && !["true", "false"].contains(&&lower[..])
        && !RESERVED.contains(&text)
}

/// `=0`, `=1`, or a combining overline after a name: whether the name is kept.
pub(super) fn postfix(reader: &mut Reader<'_>) -> Result<Option<bool>, Diagnostic> {
    let start = reader.at;
    reader.blanks()?;
    let found = reader.take(alt((
        value(true, tag("=1")),
        value(false, alt((tag("=0"), tag("\u{305}"), tag("\u{304}")))),
    )));
    if found.is_none() {
        reader.at = start;
    }
    Ok(found)
}

/// `[n]` after X, `[i..j]` after F and G; `None` if there is no bracket, or the operator `[]`.
pub(super) fn bounds(
    reader: &mut Reader<'_>,
    operator: Prefix,
    start: usize,
) -> Result<Option<Bounds>, Diagnostic> {
    let letter = reader.at;
    reader.blanks()?;
    let opening = reader.at;
    if !reader.rest().starts_with('[') || reader.rest().starts_with("[]") {
        reader.at = letter;
        return Ok(None);
    }
    reader.take(tag("["));
    reader.blanks()?;
    refuse_strong(reader, start)?;
    let low = number(reader)?;
    reader.blanks()?;
    let separator = alt((tag(".."), tag(":"), tag(","), tag("to")));
    let high = if reader.take(separator).is_some() {
        reader.blanks()?;
        match reader.take(alt((tag("$"), tag("inf")))) {
            Some(_) => Some(None),
            None if reader.rest().starts_with([']', '!']) => Some(None),
            None => Some(Some(number(reader)?)),
        }
    } else {
        None
    };
    reader.blanks()?;
    refuse_strong(reader, start)?;
    if reader.take(tag("]")).is_none() {
        let wrong = Diagnostic::error(advice::token(reader), "expected `]`");
        return Err(wrong.related(opening..opening + 1, "opened here"));
    }
    let span = reader.since(start);
    let error = |message: &str| Err(Diagnostic::error(span, message));
    match (operator, high) {
        (Prefix::Next, None) => Ok(Some(Bounds { low, high: Some(low) })),
        (Prefix::Next, Some(_)) => error("X takes one bound: X[n]"),
        (_, None) => error("F and G take two bounds: F[i..j], or F[i..] without end"),
        (_, Some(Some(high))) if high < low => error("the lower bound is above the upper one"),
        (_, Some(high)) => Ok(Some(Bounds { low, high })),
    }
}

/// A number; one that is too large to be of use counts as the largest.
fn number(reader: &mut Reader<'_>) -> Result<u32, Diagnostic> {
    match reader.take(digits) {
        Some(digits) => Ok(digits.parse().unwrap_or(u32::MAX)),
        None => Err(Diagnostic::error(advice::token(reader), "expected a number")
            .help("bounds are written X[n], F[i..j], G[i..j], F[i..]")),
    }
}

fn refuse_strong(reader: &Reader<'_>, start: usize) -> Result<(), Diagnostic> {
    if !reader.rest().starts_with('!') {
        return Ok(());
    }
    let length = if reader.rest().starts_with("!]") { 2 } else { 1 };
    Err(strong_next(Span { start, end: reader.at + length }))
}

pub(super) fn strong_next(span: impl Into<Span>) -> Diagnostic {
    Diagnostic::error(span, "the strong next of LTLf is not supported")
        .help("runs are infinite here: write X")
}

/// An expansion that is too large.
pub(super) fn too_far(span: Span) -> Diagnostic {
    let message =
        format!("these bounds stand for more than {NESTING_LIMIT} levels of nested operators");
    Diagnostic::error(span, message).help("use smaller bounds")
}
