//! The tokens of the format, one at a time.
//!
//! A header name is an identifier that a colon follows immediately; strings are kept as written and
//! their escapes undone where they are used. Comments nest. `--ABORT--` may stand after any token,
//! so that it is no token for the grammar: meeting it ends the automaton ([`Stop::Aborted`]).

use ltl::source::character;
use ltl::{Diagnostic, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{anychar, char, digit1, none_of, one_of, satisfy};
use nom::combinator::{opt, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};
use std::fmt;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `States:`, without the colon.
    Header(&'a str),
    Identifier(&'a str),
    Boolean(bool),
    Number(u32),
    /// What stands between the quotes, escapes and all.
    Text(&'a str),
    /// `@name`, without the `@`.
    Alias(&'a str),
    /// One of `& | ! ( ) [ ] { }`.
    Sign(char),
    Body,
    End,
    EndOfText,
}

/// Why reading an automaton ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The text is no automaton.
    Bad(Diagnostic),
    /// The text says itself that it is to be discarded.
    Aborted,
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Stop::Bad(diagnostic)
    }
}

/// The largest number of the format.
const LARGEST: u32 = i32::MAX as u32;

/// Reads tokens with one token of look-ahead.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// The next token.
    token: Token<'a>,
    span: Span,
    /// Where the token before it ends.
    last_end: usize,
}

impl<'a> Lexer<'a> {
    /// At the first token. (`--ABORT--` cannot be the first one: there is nothing to discard.)
    pub(super) fn new(text: &'a str) -> Result<Self, Stop> {
        let mut lexer = Lexer { text, token: Token::EndOfText, span: Span::at(0), last_end: 0 };
        lexer.advance()?;
        Ok(lexer)
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Where it stands.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Where the token before it ends.
    pub(super) fn last_end(&self) -> usize {
        self.last_end
    }

    /// The source text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Goes after the next token, and returns it.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Span), Stop> {
        let taken = (self.token, self.span);
        self.advance()?;
        Ok(taken)
    }

    /// Goes after the sign if it is next.
    pub(super) fn sign(&mut self, sign: char) -> Result<bool, Stop> {
        let found = self.token == Token::Sign(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Goes after the sign, which must be next.
    pub(super) fn expect_sign(&mut self, sign: char) -> Result<(), Stop> {
        if self.sign(sign)? { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// A number, which must be next.
    pub(super) fn number(&mut self, what: &str) -> Result<(u32, Span), Stop> {
        let (Token::Number(number), span) = (self.token, self.span) else {
            return Err(self.expected(what));
        };
        self.advance()?;
        Ok((number, span))
    }

    /// A message about the next token, which is not what it should be.
    pub(super) fn expected(&self, what: &str) -> Stop {
        Stop::Bad(Diagnostic::error(self.span, format!("expected {what}, found {}", self.token)))
    }

    /// Behind an `--ABORT--`: to the token that follows it, past further ones.
    pub(super) fn resume(&mut self) -> Result<(), Stop> {
        loop {
            match self.advance() {
                Err(Stop::Aborted) => {}
                other => return other,
            }
        }
    }

    fn advance(&mut self) -> Result<(), Stop> {
        self.last_end = self.span.end;
        let start = skip(self.text, self.span.end)?;
        let rest = &self.text[start..];
        if rest.is_empty() {
            (self.token, self.span) = (Token::EndOfText, Span::at(start));
            return Ok(());
        }
        let Ok((behind, lexeme)) = lexeme(rest) else {
            return Err(Stop::Bad(unreadable(rest, start)));
        };
        self.span = Span { start, end: self.text.len() - behind.len() };
        self.token = match lexeme {
            Lexeme::Token(token) => token,
            Lexeme::Digits(digits) => Token::Number(number(digits, self.span)?),
            Lexeme::Abort => return Err(Stop::Aborted),
        };
        Ok(())
    }
}

enum Lexeme<'a> {
    Token(Token<'a>),
    Digits(&'a str),
    Abort,
}

fn lexeme(text: &str) -> IResult<&str, Lexeme<'_>> {
    alt((
        word.map(Lexeme::Token),
        digit1.map(Lexeme::Digits),
        one_of("&|!()[]{}").map(|sign| Lexeme::Token(Token::Sign(sign))),
        string.map(|text| Lexeme::Token(Token::Text(text))),
        preceded(char('@'), take_while1(is_word)).map(|name| Lexeme::Token(Token::Alias(name))),
        tag("--BODY--").map(|_| Lexeme::Token(Token::Body)),
        tag("--END--").map(|_| Lexeme::Token(Token::End)),
        tag("--ABORT--").map(|_| Lexeme::Abort),
    ))
    .parse(text)
}

/// A header name, a Boolean constant or an identifier.
fn word(text: &str) -> IResult<&str, Token<'_>> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    let (rest, word) = recognize((first, take_while(is_word))).parse(text)?;
    let (rest, colon) = opt(char(':')).parse(rest)?;
    let token = match (colon, word) {
        (Some(_), name) => Token::Header(name),
        (None, "t") => Token::Boolean(true),
        (None, "f") => Token::Boolean(false),
        (None, name) => Token::Identifier(name),
    };
    Ok((rest, token))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn string(text: &str) -> IResult<&str, &str> {
    let plain = value((), none_of("\"\\"));
    let escaped = value((), (char('\\'), anychar));
    delimited(char('"'), recognize(many0_count(alt((plain, escaped)))), char('"')).parse(text)
}

/// What a string says: `\` makes the next character an ordinary one.
pub(super) fn unescape(text: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

fn number(digits: &str, span: Span) -> Result<u32, Diagnostic> {
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(Diagnostic::error(span, "a number does not start with `0`"));
    }
    let number = digits.parse().ok().filter(|&number| number <= LARGEST);
    number.ok_or_else(|| Diagnostic::error(span, format!("a number is at most {LARGEST}")))
}

/// The offset after blanks and comments.
fn skip(text: &str, from: usize) -> Result<usize, Diagnostic> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        at += blanks;
        if !text[at..].starts_with("/*") {
            return Ok(at);
        }
        let (start, mut depth) = (at, 0usize);
        while depth > 0 || at == start {
            let Some(next) = text[at..].find(['/', '*']) else {
                let open = Span { start, end: start + 2 };
                return Err(Diagnostic::error(open, "a comment that does not end"));
            };
            at += next;
            match text.as_bytes().get(at..at + 2) {
                Some(b"/*") => (depth, at) = (depth + 1, at + 2),
                Some(b"*/") => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
        }
    }
}

/// A message about a text that starts with no token.
fn unreadable(rest: &str, start: usize) -> Diagnostic {
    let first = rest.chars().next().expect("not at the end");
    let span = Span { start, end: start + first.len_utf8() };
    match first {
        '"' => Diagnostic::error(span, "a string that does not end"),
        '@' => Diagnostic::error(span, "expected the name of an alias behind `@`"),
        '-' => Diagnostic::error(span, "expected `--BODY--`, `--END--` or `--ABORT--`"),
        c => Diagnostic::error(span, format!("unexpected character {}", character(c))),
    }
}

/// A name for messages: of a very long one the start.
pub(super) fn clipped(name: &str) -> String {
    match name.char_indices().nth(40) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}...", &name[..end]),
    }
}

/// For messages.
impl fmt::Display for Token<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Header(name) => write!(out, "`{}:`", clipped(name)),
            Token::Identifier(name) => write!(out, "`{}`", clipped(name)),
            Token::Boolean(value) => write!(out, "`{}`", if *value { 't' } else { 'f' }),
            Token::Number(number) => write!(out, "`{number}`"),
            Token::Text(_) => write!(out, "a string"),
            Token::Alias(name) => write!(out, "`@{}`", clipped(name)),
            Token::Sign(sign) => write!(out, "`{sign}`"),
            Token::Body => write!(out, "`--BODY--`"),
            Token::End => write!(out, "`--END--`"),
            Token::EndOfText => write!(out, "the end of the text"),
        }
    }
}
