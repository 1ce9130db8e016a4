//! Event atoms: `@grant`, `@grant(c, _, 3, "x y")`, `@"long name"(c)`, `@by(c)`.

use super::grammar::Step;
use super::lexer::{Reader, identifier, integer, is_word};
use crate::atoms::{Argument, EventPattern};
use crate::source::Diagnostic;
use nom::bytes::complete::tag;
use nom::character::complete::satisfy;
use nom::combinator::not;
use nom::sequence::terminated;

/// The event atom at this place, if there is an `@`.
pub(super) fn event<'t, T>(reader: &mut Reader<'t>) -> Result<Option<Step<'t, T>>, Diagnostic> {
    let start = reader.at;
    if reader.take(tag("@")).is_none() {
        return Ok(None);
    }
    let quoted = reader.quoted()?;
    let is_quoted = quoted.is_some();
    let Some(name) = quoted.or_else(|| reader.take(identifier).map(str::to_owned)) else {
        return Err(expected(reader, "the name of an event, right behind `@`"));
    };
    let end = reader.at;
    reader.blanks()?;
    let arguments = if reader.rest().starts_with('(') {
        Some(arguments(reader)?)
    } else {
        reader.at = end;
        None
    };
    let span = reader.since(start);
    // `@"by"` is an event that is called so.
    let pattern = if name == "by" && !is_quoted {
        let count = arguments.as_ref().map_or(0, Vec::len);
        let Some([process]) = arguments.and_then(|list| <[Argument; 1]>::try_from(list).ok())
        else {
            let message = format!("`@by` needs one argument, the process, but has {count}");
            return Err(Diagnostic::error(span, message).help(
                "write @by(server), or @by(_) for any process; an event of that name is @\"by\"",
            ));
        };
        EventPattern::By(process)
    } else {
        EventPattern::Named { name, arguments }
    };
    Ok(Some(Step::Event { pattern, span }))
}

/// `(...)`: arguments between commas, none at all if there is nothing inside.
fn arguments(reader: &mut Reader<'_>) -> Result<Vec<Argument>, Diagnostic> {
    let opening = reader.at;
    reader.take(tag("("));
    let mut found = Vec::new();
    loop {
        reader.blanks()?;
        if found.is_empty() && reader.take(tag(")")).is_some() {
            return Ok(found);
        }
        found.push(argument(reader)?);
        reader.blanks()?;
        if reader.take(tag(")")).is_some() {
            return Ok(found);
        }
        if reader.take(tag(",")).is_none() {
            let wrong = expected(reader, "`,` or `)`");
            return Err(wrong.related(opening..opening + 1, "the arguments start here"));
        }
    }
}

fn argument(reader: &mut Reader<'_>) -> Result<Argument, Diagnostic> {
    if let Some(text) = reader.quoted()? {
        return Ok(Argument::Value(text));
    }
    let value = reader.take(identifier).or_else(|| reader.take(integer));
    if let Some(value) = value {
        return Ok(Argument::Value(value.to_owned()));
    }
    match reader.take(terminated(tag("_"), not(satisfy(is_word)))) {
        Some(_) => Ok(Argument::Any),
        None => Err(expected(reader, "an argument")
            .help("arguments are names, integers, strings in double quotes, or `_` for any")),
    }
}

fn expected(reader: &Reader<'_>, what: &str) -> Diagnostic {
    Diagnostic::error(super::advice::token(reader), format!("expected {what}"))
}
