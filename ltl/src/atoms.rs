//! A table of atoms: what the atom ids of a formula stand for.
//!
//! Formulas know ids only, so that a model's own expressions can be atoms too. This table is the
//! one for formulas that stand alone: propositions by name, and event atoms (`@grant(c)`).

use crate::formula::Atom;
use hashbrown::HashMap;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{char, digit1, multispace0, none_of, satisfy};
use nom::combinator::{all_consuming, opt, recognize, value};
use nom::multi::{fold_many0, separated_list0};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};
use std::fmt;
use std::str::FromStr;

/// What an atom stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AtomKind {
    /// A state proposition, by name; any string.
    Proposition(String),
    /// The step taken is an event that matches the pattern.
    Event(EventPattern),
}

/// Which events an event atom means.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EventPattern {
    /// `@grant(c)`, `@grant(_)`, `@grant()`; without arguments (`@grant`, `None`) every event of that name.
    Named {
        /// The rule's name.
        name: String,
        /// Its arguments.
        arguments: Option<Vec<Argument>>,
    },
    /// `@by(server)`, `@by(_)`: a step of that process.
    By(Argument),
}

/// An argument of an event atom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// `_`
    Any,
    /// A name, number or string, as its text (without quotes).
    Value(String),
}

/// The atoms met so far, numbered in the order in which they were met.
#[derive(Clone, Default, Debug)]
pub struct Atoms {
    kinds: Vec<AtomKind>,
    ids: HashMap<AtomKind, Atom>,
}

impl Atoms {
    /// No atoms yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The atom of this kind, made if need be.
    pub fn intern(&mut self, kind: AtomKind) -> Atom {
        let fresh = Atom(self.kinds.len() as u32);
        *self.ids.entry(kind).or_insert_with_key(|kind| {
            self.kinds.push(kind.clone());
            fresh
        })
    }

    /// The proposition of this name.
    pub fn proposition(&mut self, name: &str) -> Atom {
        self.intern(AtomKind::Proposition(name.to_owned()))
    }

    /// What the atom stands for.
    pub fn kind(&self, atom: Atom) -> &AtomKind {
        &self.kinds[atom.index()]
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// All atoms with what they stand for, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Atom, &AtomKind)> {
        self.kinds.iter().enumerate().map(|(id, kind)| (Atom(id as u32), kind))
    }
}

/// As in the language: `@grant(c, _)`, `@"long name"`, `@by(server)`.
impl fmt::Display for EventPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventPattern::By(process) => write!(out, "@by({process})"),
            // An event may be called `by`: quoted, it is a name like any other.
            EventPattern::Named { name, arguments } => {
                if is_identifier(name) && name != "by" {
                    write!(out, "@{name}")?;
                } else {
                    write!(out, "@{}", quoted(name))?;
                }
                let Some(arguments) = arguments else { return Ok(()) };
                out.write_str("(")?;
                for (k, argument) in arguments.iter().enumerate() {
                    write!(out, "{}{argument}", if k > 0 { ", " } else { "" })?;
                }
                out.write_str(")")
            }
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Any => out.write_str("_"),
            Argument::Value(value) if is_identifier(value) || is_number(value) => {
                out.write_str(value)
            }
            Argument::Value(value) => out.write_str(&quoted(value)),
        }
    }
}

/// A letter, then letters, digits and `_`, all ASCII: what needs no quotes as a name of an event.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// In double quotes, with `\` before `"` and `\`.
pub fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// A text that is no event atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAnEvent;

impl fmt::Display for NotAnEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "no event atom: expected `@name`, `@name(a, _)`, `@\"name\"` or `@by(process)`",
        )
    }
}

impl std::error::Error for NotAnEvent {}

/// Reads what [`Display`](fmt::Display) writes, and blanks around arguments.
impl FromStr for EventPattern {
    type Err = NotAnEvent;

    fn from_str(text: &str) -> Result<Self, NotAnEvent> {
        let (_, (name, arguments)) = all_consuming(preceded(char('@'), (name, opt(arguments))))
            .parse(text)
            .map_err(|_| NotAnEvent)?;
        match (name, arguments) {
            (Name::Bare("by"), Some(mut processes)) if processes.len() == 1 => {
                Ok(EventPattern::By(processes.remove(0)))
            }
            (Name::Bare("by"), _) => Err(NotAnEvent),
            (Name::Bare(name), arguments) => {
                Ok(EventPattern::Named { name: name.to_owned(), arguments })
            }
            (Name::Quoted(name), arguments) => Ok(EventPattern::Named { name, arguments }),
        }
    }
}

enum Name<'a> {
    Bare(&'a str),
    Quoted(String),
}

fn name(text: &str) -> IResult<&str, Name<'_>> {
    alt((identifier.map(Name::Bare), string.map(Name::Quoted))).parse(text)
}

fn arguments(text: &str) -> IResult<&str, Vec<Argument>> {
    let spaced = delimited(multispace0, argument, multispace0);
    let list = separated_list0(char(','), spaced);
    delimited((char('('), multispace0), list, char(')')).parse(text)
}

fn argument(text: &str) -> IResult<&str, Argument> {
    let plain = |text: &str| Argument::Value(text.to_owned());
    alt((
        value(Argument::Any, tag("_")),
        identifier.map(plain),
        recognize((opt(char('-')), digit1)).map(plain),
        string.map(Argument::Value),
    ))
    .parse(text)
}

fn identifier(text: &str) -> IResult<&str, &str> {
    let rest = take_while(|c: char| c.is_ascii_alphanumeric() || c == '_');
    recognize((satisfy(|c| c.is_ascii_alphabetic()), rest)).parse(text)
}

/// In double quotes; `\` makes the next character an ordinary one.
fn string(text: &str) -> IResult<&str, String> {
    let escaped = preceded(char('\\'), satisfy(|_| true));
    let content = fold_many0(alt((none_of("\"\\"), escaped)), String::new, |mut text, c| {
        text.push(c);
        text
    });
    delimited(char('"'), content, char('"')).parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_they_are_written() {
        let same = [
            "@grant",
            "@grant()",
            "@grant(_)",
            "@grant(c, _, -3, 12)",
            "@by(server)",
            "@by(_)",
            "@by(\"client 1\")",
            "@\"by\"",
            "@\"by\"(a, b)",
            "@\"long \\\"name\\\\\"(\"x, y\", \"_\")",
            "@\"\"",
            "@\"日本\"",
        ];
        for text in same {
            let pattern: EventPattern = text.parse().expect(text);
            assert_eq!(pattern.to_string(), text);
        }
        //  written                    the same as
        let other = [
            ("@grant( c ,_ )", "@grant(c, _)"),
            ("@grant( )", "@grant()"),
            ("@\"grant\"", "@grant"),
            ("@grant(\"c\")", "@grant(c)"),
            ("@by( \"x\" )", "@by(x)"),
        ];
        for (text, canonical) in other {
            assert_eq!(text.parse::<EventPattern>().expect(text).to_string(), canonical);
        }
    }

    #[test]
    fn other_texts_are_no_events() {
        let bad = [
            "",
            "@",
            "grant",
            "@grant ",
            " @grant",
            "@grant(",
            "@grant)",
            "@grant(a,)",
            "@grant(,)",
            "@grant(a b)",
            "@grant(__)",
            "@by",
            "@by()",
            "@by(a, b)",
            "@1",
            "@_",
            "@\"open",
            "@\"x\\\"",
            "@a@b",
            "@grant (a)",
            "@grant(-)",
            "@a\"b\"",
        ];
        for text in bad {
            assert_eq!(text.parse::<EventPattern>(), Err(NotAnEvent), "{text}");
        }
    }
}
