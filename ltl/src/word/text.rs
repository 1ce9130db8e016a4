//! Lasso words as text: `a & !b; cycle{a; !a & b}`, the form that Spot writes.
//!
//! Letters are separated by `;`. A letter is a conjunction of literals, or `1` for no literal;
//! reading takes an atom that is not mentioned as false. Propositions that could be read as
//! something else are quoted; event atoms are written as in formulas.

use super::{Lasso, Letter};
use crate::atoms::{Argument, AtomKind, Atoms, EventPattern, is_identifier, quoted};
use crate::formula::Atom;
use crate::source::{Diagnostic, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, multispace0, none_of};
use nom::combinator::{cut, map, opt, value};
use nom::error::{ContextError, ErrorKind, ParseError};
use nom::multi::{fold_many0, many0};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Offset, Parser};
use std::fmt;

impl Lasso {
    /// The text form, each letter saying of every atom in `shown` whether it is true.
    pub fn display<'a>(&'a self, atoms: &'a Atoms, shown: &'a [Atom]) -> impl fmt::Display + 'a {
        Shown { lasso: self, atoms, listed: shown }
    }

    /// Reads the text form. An atom that a letter does not mention is false there.
    pub fn parse(text: &str, atoms: &mut Atoms) -> Result<Lasso, Diagnostic> {
        let expected = |failure: nom::Err<Failure<'_>>| {
            let (at, wanted) = match failure {
                nom::Err::Error(failure) | nom::Err::Failure(failure) => {
                    (failure.at, failure.wanted)
                }
                nom::Err::Incomplete(_) => (&text[text.len()..], None),
            };
            let wanted = wanted.unwrap_or("a letter");
            let start = text.offset(at);
            let end = at.chars().next().map_or(start, |c| start + c.len_utf8());
            Diagnostic::error(Span { start, end }, format!("expected {wanted}"))
        };
        let (rest, (stem, cycle)) = word(text).map_err(expected)?;
        if !rest.is_empty() {
            return Err(Diagnostic::error(text.offset(rest)..text.len(), "expected the end"));
        }
        let mut read = |letters: Letters<'_>| -> Result<Vec<Letter>, Diagnostic> {
            letters.into_iter().map(|literals| letter_of(text, literals, atoms)).collect()
        };
        let (stem, cycle) = (read(stem)?, read(cycle)?);
        Lasso::new(stem, cycle)
            .ok_or_else(|| Diagnostic::error(0..text.len(), "the cycle is empty"))
    }
}

struct Shown<'a> {
    lasso: &'a Lasso,
    atoms: &'a Atoms,
    listed: &'a [Atom],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.lasso.stem() {
            self.letter(letter, out)?;
            out.write_str("; ")?;
        }
        out.write_str("cycle{")?;
        for (k, letter) in self.lasso.cycle().iter().enumerate() {
            out.write_str(if k > 0 { "; " } else { "" })?;
            self.letter(letter, out)?;
        }
        out.write_str("}")
    }
}

impl Shown<'_> {
    fn letter(&self, letter: &Letter, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.listed.is_empty() {
            return out.write_str("1");
        }
        for (k, &atom) in self.listed.iter().enumerate() {
            out.write_str(if k > 0 { " & " } else { "" })?;
            out.write_str(if letter.has(atom) { "" } else { "!" })?;
            match self.atoms.kind(atom) {
                AtomKind::Event(pattern) => write!(out, "{pattern}")?,
                AtomKind::Proposition(name) if is_plain(name) => out.write_str(name)?,
                AtomKind::Proposition(name) => out.write_str(&quoted(name))?,
            }
        }
        Ok(())
    }
}

/// Whether Spot reads the name back as one proposition, wherever it stands.
fn is_plain(name: &str) -> bool {
    is_identifier(name)
        && !name.starts_with(['F', 'G', 'X', 'U', 'R', 'V', 'W', 'M'])
        && !["true", "false", "xor"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// What was read of a literal: its text, its sign and its atom.
struct Literal<'a> {
    text: &'a str,
    positive: bool,
    kind: AtomKind,
}

/// Where reading stopped, and what should have been there.
struct Failure<'a> {
    at: &'a str,
    wanted: Option<&'static str>,
}

impl<'a> ParseError<&'a str> for Failure<'a> {
    fn from_error_kind(at: &'a str, _: ErrorKind) -> Self {
        Failure { at, wanted: None }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> ContextError<&'a str> for Failure<'a> {
    /// The innermost parser knows best.
    fn add_context(_: &'a str, wanted: &'static str, other: Self) -> Self {
        Failure { wanted: other.wanted.or(Some(wanted)), ..other }
    }
}

fn letter_of(
    text: &str,
    literals: Vec<Literal<'_>>,
    atoms: &mut Atoms,
) -> Result<Letter, Diagnostic> {
    let (mut letter, mut negated) = (Letter::new(), Letter::new());
    for Literal { text: written, positive, kind } in literals {
        let atom = atoms.intern(kind);
        let sets = if positive { (&mut letter, &negated) } else { (&mut negated, &letter) };
        if sets.1.has(atom) {
            let start = text.offset(written);
            let message = "an atom is true and false in one letter";
            return Err(Diagnostic::error(start..start + written.len(), message));
        }
        sets.0.set(atom, true);
    }
    Ok(letter)
}

/// A parser with the blanks after it.
fn lexeme<'a, O>(
    inner: impl Parser<&'a str, Output = O, Error = Failure<'a>>,
) -> impl Parser<&'a str, Output = O, Error = Failure<'a>> {
    terminated(inner, multispace0)
}

/// A parser whose failure says what was wanted.
fn wanting<'a, O>(
    wanted: &'static str,
    inner: impl Parser<&'a str, Output = O, Error = Failure<'a>>,
) -> impl Parser<&'a str, Output = O, Error = Failure<'a>> {
    nom::error::context(wanted, inner)
}

/// At least one item. Behind a separator there must be another one.
fn separated<'a, O>(
    separator: char,
    item: fn(&'a str) -> IResult<&'a str, O, Failure<'a>>,
) -> impl Parser<&'a str, Output = Vec<O>, Error = Failure<'a>> {
    let others = many0(preceded(lexeme(char(separator)), cut(item)));
    map((item, others), |(first, mut others)| {
        others.insert(0, first);
        others
    })
}

type Letters<'a> = Vec<Vec<Literal<'a>>>;

fn word(text: &str) -> IResult<&str, (Letters<'_>, Letters<'_>), Failure<'_>> {
    let open = || (lexeme(tag("cycle")), lexeme(char('{')));
    let stem = many0(terminated(
        preceded(nom::combinator::not(open()), letter),
        cut(wanting("`;`", lexeme(char(';')))),
    ));
    let cycle = delimited(
        wanting("a letter or `cycle{`", open()),
        cut(separated(';', letter)),
        cut(wanting("`;` or `}`", lexeme(char('}')))),
    );
    preceded(multispace0, (stem, cycle)).parse(text)
}

fn letter(text: &str) -> IResult<&str, Vec<Literal<'_>>, Failure<'_>> {
    let nothing = map(lexeme(char('1')), |_| Vec::new());
    alt((nothing, separated('&', literal))).parse(text)
}

fn literal(text: &str) -> IResult<&str, Literal<'_>, Failure<'_>> {
    let event = map(preceded(char('@'), cut(pattern)), AtomKind::Event);
    let proposition = map(alt((string, name)), AtomKind::Proposition);
    let (rest, negated) = opt(lexeme(char('!'))).parse(text)?;
    let (behind, kind) = wanting("an atom", alt((event, proposition))).parse(rest)?;
    let written = &rest[..rest.offset(behind)];
    let (rest, ()) = value((), multispace0).parse(behind)?;
    Ok((rest, Literal { text: written, positive: negated.is_none(), kind }))
}

fn pattern(text: &str) -> IResult<&str, EventPattern, Failure<'_>> {
    let list = || {
        delimited(
            lexeme(char('(')),
            map(opt(separated(',', argument)), Option::unwrap_or_default),
            cut(wanting("`,` or `)`", char(')'))),
        )
    };
    let is_quoted = text.starts_with('"');
    let (behind, name) = alt((string, name)).parse(text)?;
    let (rest, arguments) = opt(list()).parse(behind)?;
    if name != "by" || is_quoted {
        return Ok((rest, EventPattern::Named { name, arguments }));
    }
    match arguments.map(|mut list| (list.pop(), list.is_empty())) {
        Some((Some(process), true)) => Ok((rest, EventPattern::By(process))),
        _ => Err(nom::Err::Failure(Failure {
            at: behind,
            wanted: Some("one process in parentheses"),
        })),
    }
}

fn argument(text: &str) -> IResult<&str, Argument, Failure<'_>> {
    let word = take_while1(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let word = map(word, |word: &str| match word {
        "_" => Argument::Any,
        value => Argument::Value(value.to_owned()),
    });
    lexeme(alt((map(string, Argument::Value), word))).parse(text)
}

/// A name without quotes.
fn name(text: &str) -> IResult<&str, String, Failure<'_>> {
    let (rest, name) = take_while1(|c: char| c.is_alphanumeric() || c == '_' || c == '.')(text)?;
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(nom::Err::Error(Failure { at: text, wanted: Some("an atom") }));
    }
    Ok((rest, name.to_owned()))
}

/// In double quotes; `\` takes away the meaning of the character after it.
fn string(text: &str) -> IResult<&str, String, Failure<'_>> {
    let character = alt((preceded(char('\\'), nom::character::complete::anychar), none_of("\"\\")));
    let inside = fold_many0(character, String::new, |mut text, c| {
        text.push(c);
        text
    });
    delimited(char('"'), inside, cut(wanting("a closing `\"`", char('"')))).parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        //   text                                   shown again
        for (text, expected) in [
            ("cycle{1}", "cycle{1}"),
            ("a & !b; cycle{a; b}", "a & !b; cycle{a & !b; !a & b}"),
            ("  a;b ; cycle { a&b ;1 }", "a & !b; !a & b; cycle{a & b; !a & !b}"),
            ("cycle; cycle{cycle}", "cycle; cycle{cycle}"),
            (r#""a b"; cycle{! "x \" y"}"#, r#""a b" & !"x \" y"; cycle{!"a b" & !"x \" y"}"#),
            (r#""GFa"; cycle{true}"#, r#""GFa" & !"true"; cycle{!"GFa" & "true"}"#),
            (
                "@a(x, _); cycle{@by(p); @b}",
                "@a(x, _) & !@by(p) & !@b; cycle{!@a(x, _) & @by(p) & !@b; !@a(x, _) & !@by(p) & @b}",
            ),
            (r#"cycle{@"by"(-1)}"#, r#"cycle{@"by"(-1)}"#),
            ("cycle{@a() & p}", "cycle{@a() & p}"),
        ] {
            let mut atoms = Atoms::new();
            let lasso = Lasso::parse(text, &mut atoms).expect(text);
            let shown: Vec<Atom> = atoms.iter().map(|(atom, _)| atom).collect();
            let written = lasso.display(&atoms, &shown).to_string();
            assert_eq!(written, expected);
            assert_eq!(Lasso::parse(&written, &mut atoms), Ok(lasso), "{written}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_explained() {
        for (text, start, message) in [
            ("", 0, "expected a letter or `cycle{`"),
            ("a; b", 4, "expected `;`"),
            ("a;", 2, "expected a letter or `cycle{`"),
            ("cycle{}", 6, "expected an atom"),
            ("cycle{a", 7, "expected `;` or `}`"),
            ("cycle{a} b", 9, "expected the end"),
            ("cycle{a & }", 10, "expected an atom"),
            ("cycle{a & !a}", 11, "an atom is true and false in one letter"),
            ("cycle{\"a}", 9, "expected a closing `\"`"),
            ("cycle{@by}", 9, "expected one process in parentheses"),
            ("cycle{@a(x}", 10, "expected `,` or `)`"),
            ("cycle{2}", 6, "expected an atom"),
        ] {
            let diagnostic = Lasso::parse(text, &mut Atoms::new()).expect_err(text);
            assert_eq!(
                (diagnostic.span.start, &diagnostic.message[..]),
                (start, message),
                "{text}"
            );
        }
    }
}
