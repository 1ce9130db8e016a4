//! The lexer: from text to tokens.
//!
//! A character that starts no token becomes a token of its own, [`TokenKind::Foreign`]: formulas of
//! `ltl` properties are lexed with the rest of the model, and characters that models do not use may
//! be valid there. It is an error only where the parser reads it. Comments are collected
//! separately.
//!
//! Cost: linear in the text.

use super::words::{Keyword, keyword};
use crate::syntax::{Comment, Place};
use ltl::{Diagnostic, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::{anychar, digit1, satisfy};
use nom::combinator::{map, opt, recognize, rest};
use nom::error::Error;
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};

/// A token with its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Name,
    Keyword(Keyword),
    /// Decimal, or hexadecimal after `0x`.
    Number,
    /// A number with a decimal point: refused.
    Real,
    /// A string with its quotes.
    Text,
    Symbol(Symbol),
    /// A character that models do not use.
    Foreign,
    /// The end of the text, after the last token.
    End,
}

/// Signs, named by their meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Assign,
    Arrow,
    Colon,
    Semicolon,
    Comma,
    Dot,
    Dots,
    Question,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Implies,
    OrElse,
    AndAlso,
    Or,
    Xor,
    And,
    Not,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Over,
    Remainder,
    Tilde,
    /// `<>`: "finally" in formulas, a mistake elsewhere.
    Diamond,
    /// `=>`: "implies" in formulas, a mistake elsewhere.
    FatArrow,
    /// `<->`, `<=>`: in formulas only.
    Equivalent,
    /// [`FILE_SEPARATOR`]
    FileSeparator,
}

/// The character between the files of a model that includes some: ASCII's "file separator". No item
/// goes on after it, so that the items of a text are those of its files.
pub const FILE_SEPARATOR: &str = "\u{1c}";

/// Spellings of symbols; one that starts with another comes before it.
const SYMBOLS: [(&str, Symbol); 55] = [
    ("==>", Symbol::Arrow),
    ("<->", Symbol::Equivalent),
    ("<=>", Symbol::Equivalent),
    (":=", Symbol::Assign),
    ("..", Symbol::Dots),
    ("->", Symbol::Implies),
    ("||", Symbol::OrElse),
    ("&&", Symbol::AndAlso),
    ("<<", Symbol::ShiftLeft),
    ("<=", Symbol::LessOrEqual),
    ("<>", Symbol::Diamond),
    ("==", Symbol::Equal),
    ("=>", Symbol::FatArrow),
    ("!=", Symbol::NotEqual),
    (">=", Symbol::GreaterOrEqual),
    (">>", Symbol::ShiftRight),
    (";", Symbol::Semicolon),
    (",", Symbol::Comma),
    ("(", Symbol::OpenParenthesis),
    (")", Symbol::CloseParenthesis),
    ("[", Symbol::OpenBracket),
    ("]", Symbol::CloseBracket),
    (":", Symbol::Colon),
    (".", Symbol::Dot),
    ("=", Symbol::Equal),
    ("&", Symbol::And),
    ("|", Symbol::Or),
    ("!", Symbol::Not),
    ("<", Symbol::Less),
    (">", Symbol::Greater),
    ("+", Symbol::Plus),
    ("-", Symbol::Minus),
    ("*", Symbol::Times),
    ("/", Symbol::Over),
    ("%", Symbol::Remainder),
    ("{", Symbol::OpenBrace),
    ("}", Symbol::CloseBrace),
    ("?", Symbol::Question),
    ("^", Symbol::Xor),
    ("~", Symbol::Tilde),
    ("≔", Symbol::Assign),
    ("≥", Symbol::GreaterOrEqual),
    ("≤", Symbol::LessOrEqual),
    ("≠", Symbol::NotEqual),
    ("→", Symbol::Implies),
    ("⇒", Symbol::Arrow),
    ("¬", Symbol::Not),
    ("∧", Symbol::AndAlso),
    ("∨", Symbol::OrElse),
    ("÷", Symbol::Over),
    ("∕", Symbol::Over),
    ("−", Symbol::Minus),
    ("×", Symbol::Times),
    ("↔", Symbol::Equivalent),
    (FILE_SEPARATOR, Symbol::FileSeparator),
];

/// The result of lexing a text.
#[derive(Debug)]
pub(super) struct Lexed {
    /// The tokens, in order; the last one is [`TokenKind::End`].
    pub(super) tokens: Vec<Token>,
    /// The comments, in order.
    pub(super) comments: Vec<Comment>,
    /// Errors in comments and strings.
    pub(super) errors: Vec<Diagnostic>,
    /// From this offset on, the inside and the outside of strings and comments may be confused,
    /// because one of them is not closed.
    pub(super) doubtful: usize,
}

impl Lexed {
    /// Moves all spans `by` bytes forward.
    pub(super) fn moved(mut self, by: usize) -> Lexed {
        let places = self.comments.iter_mut().flat_map(|one| [&mut one.place.0, &mut one.line.0]);
        for span in places.chain(self.tokens.iter_mut().map(|token| &mut token.span)) {
            span.start += by;
            span.end += by;
        }
        let errors = self.errors.into_iter().map(|error| error.moved(by.cast_signed()));
        let doubtful = self.doubtful.saturating_add(by);
        Lexed { errors: errors.collect(), doubtful, ..self }
    }
}

/// Splits a text into tokens.
pub(super) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: None,
        is_string_open: false,
        lexed: Lexed {
            tokens: Vec::new(),
            comments: Vec::new(),
            errors: Vec::new(),
            doubtful: usize::MAX,
        },
    };
    lexer.take(byte_order_mark);
    while lexer.step() {}
    let end = Token { kind: TokenKind::End, span: Span::at(text.len()) };
    lexer.lexed.tokens.push(end);
    lexer.lexed
}

/// The value of the string `text` (quotes included): `\n`, `\t`, `\r` as in C; any other character
/// after a backslash stands for itself.
pub(super) fn unquoted(text: &str) -> String {
    let mut inside = text.chars();
    inside.next();
    inside.next_back();
    let mut value = String::with_capacity(text.len());
    while let Some(c) = inside.next() {
        value.push(match c {
            '\\' => match inside.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    value
}

/// The result of a nom parser.
type LexResult<'t, T> = IResult<&'t str, T, Error<&'t str>>;

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// The start of the first token or comment of the current line, if there is one.
    line: Option<usize>,
    /// Some string is not closed, and so is every later one: to search for its end would take long.
    is_string_open: bool,
    lexed: Lexed,
}

impl<'t> Lexer<'t> {
    /// Applies the parser at the current offset; on success moves after the text that it has read.
    fn take<T>(
        &mut self,
        mut parser: impl Parser<&'t str, Output = T, Error = Error<&'t str>>,
    ) -> Option<T> {
        let (rest, found) = parser.parse(&self.text[self.at..]).ok()?;
        self.at = self.text.len() - rest.len();
        Some(found)
    }

    /// Reads blanks, a comment or a token; returns whether there was any text left.
    fn step(&mut self) -> bool {
        let start = self.at;
        if let Some(blanks) = self.take(blanks) {
            if blanks.contains('\n') {
                self.line = None;
            }
            return true;
        }
        let line = *self.line.get_or_insert(start);
        if let Some(comment) = self.take(comment) {
            self.comment(comment, start, line);
            return true;
        }
        let kind = if let Some(kind) = self.take(alt((word, number, symbol))) {
            kind
        } else if !self.is_string_open && self.take(text).is_some() {
            TokenKind::Text
        } else if let Some(quote) = self.take(alt((tag("\""), tag("“")))) {
            // Continue after the line: the rest is more likely to be model text than part of a
            // string.
            self.take(take_till(is_line_end));
            self.unclosed_string(start..start + quote.len());
            TokenKind::Text
        } else if self.take(anychar).is_some() {
            TokenKind::Foreign
        } else {
            return false;
        };
        self.lexed.tokens.push(Token { kind, span: Span { start, end: self.at } });
        true
    }

    /// Reports the first string that is not closed. The cause may be an earlier string, which was
    /// meant to end sooner.
    fn unclosed_string(&mut self, quote: std::ops::Range<usize>) {
        if self.is_string_open {
            return;
        }
        self.is_string_open = true;
        let mut texts = self.lexed.tokens.iter().filter(|token| token.kind == TokenKind::Text);
        let long = texts.find(|token| self.text[token.span.start..token.span.end].contains('\n'));
        let error = Diagnostic::error(quote.clone(), "this string is not closed");
        let error = error.help("write `\"` at its end");
        self.lexed.doubtful = long.map_or(quote.start, |token| token.span.start);
        self.lexed.errors.push(match long {
            Some(token) => {
                let place = token.span.start..token.span.start + 1;
                error.related(place, "this string has several lines: should it end before?")
            }
            None => error,
        });
    }

    fn comment(&mut self, comment: Remark<'t>, start: usize, line: usize) {
        let text = match comment {
            Remark::Closed(text) => text,
            Remark::Slashes(text) => {
                let error = Diagnostic::error(start..start + 2, "`//` does not start a comment");
                self.lexed
                    .errors
                    .push(error.help("write `--`, or `/*` and `*/` around the comment"));
                text
            }
            Remark::Unclosed(text) => {
                let error = Diagnostic::error(start..start + 2, "this comment is not closed");
                self.lexed.errors.push(error.help("write `*/` at its end"));
                self.lexed.doubtful = self.lexed.doubtful.min(start);
                text
            }
        };
        let place = Place(Span { start, end: start + text.len() });
        let line = Place(Span { start: line, end: start });
        self.lexed.comments.push(Comment { text: text.to_owned(), place, line });
    }
}

/// A comment without the end of its line.
#[derive(Clone, Copy)]
enum Remark<'t> {
    Closed(&'t str),
    /// `// ...`
    Slashes(&'t str),
    /// `/* ...` up to the end of the text.
    Unclosed(&'t str),
}

fn byte_order_mark(input: &str) -> LexResult<'_, &str> {
    tag("\u{feff}").parse(input)
}

fn blanks(input: &str) -> LexResult<'_, &str> {
    take_while1(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')).parse(input)
}

fn is_line_end(c: char) -> bool {
    c == '\n' || c == '\r'
}

fn comment(input: &str) -> LexResult<'_, Remark<'_>> {
    let to_line_end = |mark| recognize(pair(tag(mark), take_till(is_line_end)));
    alt((
        map(to_line_end("--"), Remark::Closed),
        map(to_line_end("//"), Remark::Slashes),
        map(recognize((tag("/*"), take_until("*/"), tag("*/"))), Remark::Closed),
        map(recognize(pair(tag("/*"), rest)), Remark::Unclosed),
    ))
    .parse(input)
}

fn word(input: &str) -> LexResult<'_, TokenKind> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let letters = recognize(pair(satisfy(|c| c.is_ascii_alphabetic()), take_while(is_inside)));
    let words = map(letters, |word| keyword(word).map_or(TokenKind::Name, TokenKind::Keyword));
    let signs = alt((
        map(tag("∀"), |_| TokenKind::Keyword(Keyword::Forall)),
        map(tag("∃"), |_| TokenKind::Keyword(Keyword::Exists)),
    ));
    alt((words, signs)).parse(input)
}

fn number(input: &str) -> LexResult<'_, TokenKind> {
    let hexadecimal = (alt((tag("0x"), tag("0X"))), take_while1(|c: char| c.is_ascii_hexdigit()));
    // `0..3` has no decimal point.
    let decimal = pair(digit1, opt(preceded(tag("."), digit1)));
    alt((
        map(hexadecimal, |_| TokenKind::Number),
        map(
            decimal,
            |(_, point)| if point.is_some() { TokenKind::Real } else { TokenKind::Number },
        ),
    ))
    .parse(input)
}

fn symbol(input: &str) -> LexResult<'_, TokenKind> {
    let first = input.as_bytes().first().copied();
    let found = SYMBOLS.iter().find(|(spelling, _)| {
        spelling.as_bytes().first().copied() == first && input.starts_with(spelling)
    });
    match found {
        Some((spelling, symbol)) => Ok((&input[spelling.len()..], TokenKind::Symbol(*symbol))),
        None => Err(nom::Err::Error(Error::new(input, nom::error::ErrorKind::Tag))),
    }
}

/// `"..."`; typographic quotes open and close strings, too.
fn text(input: &str) -> LexResult<'_, &str> {
    let mut opener = alt((tag("\""), tag("“")));
    let (_, quote) = opener.parse(input)?;
    let mut escaped = false;
    for (offset, c) in input.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' | '”' if c == '"' || quote == "“" => {
                let (text, rest) = input.split_at(offset + c.len_utf8());
                return Ok((rest, text));
            }
            _ => {}
        }
    }
    Err(nom::Err::Error(Error::new(input, nom::error::ErrorKind::Tag)))
}
