//! The operands of the property language: whole identifiers, quoted names, events, constants.
//!
//! Expressions of a model (`st[c] = R`) come from [`Algebra::read`](super::Algebra::read).

use super::event;
use super::grammar::Step;
use super::lexer::{Reader, identifier};
use super::operators::Form;
use crate::source::{Diagnostic, Span};

/// Words that are no names where an operand stands.
const RESERVED: [&str; 8] = ["X", "F", "G", "U", "R", "V", "W", "M"];

pub(super) fn operand<'t, T>(reader: &mut Reader<'t>) -> Result<Option<Step<'t, T>>, Diagnostic> {
    let start = reader.at;
    if let Some(name) = reader.quoted()? {
        return Ok(Some(Step::Name { name: name.into(), span: reader.since(start) }));
    }
    if let Some(found) = event::event(reader)? {
        return Ok(Some(found));
    }
    let Some(word) = reader.take(identifier) else { return Ok(None) };
    if RESERVED.contains(&word) {
        reader.at = start;
        return Ok(None);
    }
    let span = reader.since(start);
    Ok(Some(match word {
        _ if word.eq_ignore_ascii_case("true") => Step::Constant(true),
        _ if word.eq_ignore_ascii_case("false") => Step::Constant(false),
        _ => Step::Name { name: word.into(), span },
    }))
}

/// Whether the name needs no quotes; not `xor` either, which would confuse readers.
pub(super) fn is_plain_name(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    matches!(identifier(text), Ok(("", _)))
        && !["true", "false", "xor"].contains(&&lower[..])
        && !RESERVED.contains(&text)
}

/// Refuses `a & b || c`: between one pair of parentheses all `&` and `|` have the same form.
pub(super) fn refuse_mixture(
    first: &mut Option<(Form, Span)>,
    form: Form,
    span: Span,
) -> Result<(), Diagnostic> {
    let (old, place) = *first.get_or_insert((form, span));
    if old == form {
        return Ok(());
    }
    Err(Diagnostic::error(span, "single and double forms of `&` and `|` are mixed")
        .related(place, "the other form is used here")
        .help("Murphi ranks them differently: use one form, or put parentheses between them"))
}
