//! A table of atoms: what the atom ids of a formula stand for.
//!
//! Formulas know ids only, so that a model's own expressions can be atoms too. This table is the
//! one for formulas that stand alone: propositions by name, and event atoms (`@grant(c)`).

use crate::formula::Atom;
use hashbrown::HashMap;
use std::fmt;

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
