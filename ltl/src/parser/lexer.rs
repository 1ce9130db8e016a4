//! A place in the text, and the tokens that the languages share.

use super::Language;
use crate::source::{Diagnostic, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::character::complete::{anychar, none_of, satisfy};
use nom::combinator::{opt, recognize};
use nom::error::Error;
use nom::multi::{fold_many0, many1_count};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

/// What a nom parser of a token gives.
pub(super) type Token<'t, T> = IResult<&'t str, T, Error<&'t str>>;

/// How far a text has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'t> {
    pub(super) language: Language,
    pub(super) text: &'t str,
    /// A character boundary of the text.
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(language: Language, text: &'t str) -> Self {
        Reader { language, text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The token at this place, stepping after it.
    pub(super) fn take<T>(
        &mut self,
        mut token: impl Parser<&'t str, Output = T, Error = Error<&'t str>>,
    ) -> Option<T> {
        let (rest, found) = token.parse(self.rest()).ok()?;
        self.at = self.text.len() - rest.len();
        Some(found)
    }

    /// The place from `start` up to here.
    pub(super) fn since(&self, start: usize) -> Span {
        Span { start, end: self.at }
    }

    /// Steps over blanks and comments.
    pub(super) fn blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            let start = self.at;
            self.take(blank);
            let comment = match self.language {
                Language::Spin => None,
                Language::Spot => self.comment(true)?,
                // Not before `>`: Spot's `-->` must not silently hide half a formula.
                Language::Isonomy if self.rest().starts_with("-->") => None,
                Language::Isonomy => match self.take(preceded(tag("--"), take_till(|c| c == '\n')))
                {
                    Some(_) => Some(()),
                    None => self.comment(false)?,
                },
            };
            if comment.is_none() && self.at == start {
                return Ok(());
            }
        }
    }

    /// Steps over `/* ... */`, if that is here.
    fn comment(&mut self, nests: bool) -> Result<Option<()>, Diagnostic> {
        let start = self.at;
        if self.take(tag("/*")).is_none() {
            return Ok(None);
        }
        let mut level = 1;
        while level > 0 {
            if self.take(tag("*/")).is_some() {
                level -= 1;
            } else if nests && self.take(tag("/*")).is_some() {
                level += 1;
            } else if self.take(inside_comment).is_none() {
                let message = "unclosed comment: expected `*/`";
                return Err(Diagnostic::error(start..start + 2, message));
            }
        }
        Ok(Some(()))
    }

    /// A name in double quotes, without them, if one starts here.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, Diagnostic> {
        let start = self.at;
        if !self.rest().starts_with('"') {
            return Ok(None);
        }
        let unclosed = || Diagnostic::error(start..start + 1, "unclosed quote: expected `\"`");
        self.take(quoted).ok_or_else(unclosed).map(Some)
    }
}

/// White space, at least one.
fn blank(input: &str) -> Token<'_, &str> {
    take_while1(|c| matches!(c, ' ' | '\t' | '\r' | '\n')).parse(input)
}

/// As much of a comment as does not look like its end, at least one character.
fn inside_comment(input: &str) -> Token<'_, &str> {
    alt((take_while1(|c| c != '*' && c != '/'), recognize(anychar))).parse(input)
}

/// `"..."`, where `\c` stands for c.
fn quoted(input: &str) -> Token<'_, String> {
    let part = alt((recognize(many1_count(none_of("\\\""))), escaped));
    let content = fold_many0(part, String::new, |mut name, part: &str| {
        name.push_str(part);
        name
    });
    delimited(tag("\""), content, tag("\"")).parse(input)
}

fn escaped(input: &str) -> Token<'_, &str> {
    preceded(tag("\\"), recognize(anychar)).parse(input)
}

/// A letter, then letters, digits and `_`: a name of Isonomy and of events.
pub(super) fn identifier(input: &str) -> Token<'_, &str> {
    recognize(pair(satisfy(|c| c.is_ascii_alphabetic()), take_while(is_word))).parse(input)
}

/// An integer, as its text.
pub(super) fn integer(input: &str) -> Token<'_, &str> {
    recognize(pair(opt(tag("-")), digits)).parse(input)
}

/// At least one digit.
pub(super) fn digits(input: &str) -> Token<'_, &str> {
    take_while1(|c: char| c.is_ascii_digit()).parse(input)
}

/// A character of a word: ASCII letters, digits, `_`.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
