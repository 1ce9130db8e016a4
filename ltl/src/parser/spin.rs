//! Spin's operands, and its predicates: `(x > 1)`, `{len(q) > 3}`.
//!
//! Spin takes every parenthesised text without temporal operators as one opaque proposition. Here
//! the parentheses are first read as a formula, so that `(a && !a)` keeps its meaning for the
//! simplifier and `(p && Xq)` is no trap; only text that is no formula becomes a predicate.

use super::grammar::Step;
use super::lexer::{Reader, is_word};
use crate::source::Diagnostic;
use hashbrown::HashMap;
use nom::bytes::complete::take_while;
use nom::character::complete::satisfy;
use nom::combinator::recognize;
use nom::sequence::pair;
use nom::{IResult, Parser};

/// Words that are no names.
const RESERVED: [&str; 8] =
    ["always", "eventually", "until", "next", "not", "true", "false", "c_expr"];

/// Words that keep a text from being a predicate.
const TEMPORAL_WORDS: [&str; 9] =
    ["U", "V", "X", "always", "eventually", "until", "next", "equivalent", "c_expr"];
const TEMPORAL_SIGNS: [&str; 4] = ["<>", "[]", "->", "<->"];

pub(super) fn operand<'t, T>(reader: &mut Reader<'t>) -> Result<Option<Step<'t, T>>, Diagnostic> {
    let start = reader.at;
    let Some(word) = reader.take(name) else { return Ok(None) };
    let span = reader.since(start);
    match word {
        "true" => Ok(Some(Step::Constant(true))),
        "false" => Ok(Some(Step::Constant(false))),
        "c_expr" => Err(Diagnostic::error(span, "`c_expr` is not supported")
            .help("there is no C code that it could refer to; use a name")),
        _ if RESERVED.contains(&word) => {
            reader.at = start;
            Ok(None)
        }
        _ => Ok(Some(Step::Name { name: word.into(), span })),
    }
}

/// A lower-case letter, then letters, digits and `_`.
fn name(input: &str) -> IResult<&str, &str> {
    recognize(pair(satisfy(|c| c.is_ascii_lowercase()), take_while(is_word))).parse(input)
}

/// Whether the name is one without parentheses.
pub(super) fn is_plain_name(text: &str) -> bool {
    matches!(name(text), Ok(("", _))) && !RESERVED.contains(&text)
}

/// The parentheses of a text and its temporal operators, found in one pass.
#[derive(Debug)]
pub(super) struct Predicates {
    /// From the offset of an opening parenthesis or brace to that of its partner.
    closing: HashMap<usize, usize>,
    /// Offsets of temporal operators, ascending.
    temporal: Vec<usize>,
}

impl Predicates {
    pub(super) fn of(text: &str) -> Predicates {
        let mut found = Predicates { closing: HashMap::new(), temporal: Vec::new() };
        let mut open = Vec::new();
        let mut before = ' ';
        for (at, c) in text.char_indices() {
            match c {
                '(' => open.push((at, ')')),
                '{' => open.push((at, '}')),
                ')' | '}' => match open.pop() {
                    Some((opening, wanted)) if wanted == c => {
                        found.closing.insert(opening, at);
                    }
                    // What is open around a wrong partner has none.
                    _ => open.clear(),
                },
                _ => {}
            }
            let rest = &text[at..];
            let word = |word: &&str| {
                rest.strip_prefix(*word).is_some_and(|behind| !behind.starts_with(is_word))
            };
            if !is_word(before) && TEMPORAL_WORDS.iter().any(word)
                || TEMPORAL_SIGNS.iter().any(|sign| rest.starts_with(sign))
            {
                found.temporal.push(at);
            }
            before = c;
        }
        found
    }

    /// Where the group that opens at `opening` closes, if its text is a predicate.
    pub(super) fn closing(&self, text: &str, opening: usize) -> Option<usize> {
        let closing = *self.closing.get(&opening)?;
        let next = self.temporal.partition_point(|&at| at < opening);
        let temporal = self.temporal.get(next).is_some_and(|&at| at < closing);
        let empty = text[opening + 1..closing].trim().is_empty();
        (!temporal && !empty).then_some(closing)
    }
}
