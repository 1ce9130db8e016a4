//! Atoms as text: bare where every context reads them back, quoted or escaped otherwise.

use super::{Syntax, Unprintable};
use crate::atoms::{AtomKind, Atoms, quoted};
use crate::formula::{Atom, Formulas, Node};
use crate::parser::{self, Language};

pub(super) fn name(atoms: &Atoms, atom: Atom, syntax: Syntax) -> Result<String, Unprintable> {
    let unprintable =
        |text: String, reason: &'static str| Err(Unprintable::Atom { atom, text, reason });
    match (atoms.kind(atom), syntax) {
        (AtomKind::Proposition(name), Syntax::Spot) => Ok(plain_or_quoted(Language::Spot, name)),
        (AtomKind::Proposition(name), Syntax::Isonomy) => {
            Ok(plain_or_quoted(Language::Isonomy, name))
        }
        (AtomKind::Proposition(name), Syntax::Spin) => {
            spin(name).map_or_else(|| unprintable(quoted(name), NO_PREDICATE), Ok)
        }
        (AtomKind::Proposition(name), Syntax::Latex) => Ok(latex(name)),
        (AtomKind::Event(pattern), Syntax::Spot | Syntax::Isonomy) => Ok(pattern.to_string()),
        (AtomKind::Event(pattern), Syntax::Spin) => unprintable(pattern.to_string(), NO_EVENTS),
        (AtomKind::Event(pattern), Syntax::Latex) => {
            Ok(format!("\\mathsf{{{}}}", escaped(&pattern.to_string())))
        }
    }
}

const NO_EVENTS: &str = "Spin's language has no event atoms; \
    print the formula for Spot or Isonomy, or use a proposition instead of the event";
const NO_PREDICATE: &str = "Spin's language would read this name as something else; \
    rename the proposition to a lower-case word";

fn plain_or_quoted(language: Language, name: &str) -> String {
    if parser::is_plain_name(language, name) { name.to_owned() } else { quoted(name) }
}

/// A name, or a predicate in parentheses if it reads back as this one.
fn spin(name: &str) -> Option<String> {
    if parser::is_plain_name(Language::Spin, name) {
        return Some(name.to_owned());
    }
    let text = format!("({name})");
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let f = parser::parse(Language::Spin, &text, &mut formulas, &mut atoms).ok()?;
    let Node::Atom(atom) = formulas.node(f) else { return None };
    (*atoms.kind(atom) == AtomKind::Proposition(name.to_owned())).then_some(text)
}

/// A single letter by itself; otherwise italics that belong together.
fn latex(name: &str) -> String {
    match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => name.to_owned(),
        [] => "\\mathit{\\varepsilon}".to_owned(),
        _ => format!("\\mathit{{{}}}", escaped(name)),
    }
}

/// For math mode, where blanks vanish and many characters are commands.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("{\\backslash}"),
            '^' => out.push_str("{\\wedge}"),
            '~' => out.push_str("{\\sim}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_whitespace() || c.is_control() => out.push_str("\\ "),
            c => out.push(c),
        }
    }
    out
}
