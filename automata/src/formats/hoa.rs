//! The Hanoi Omega-Automata format, version 1 ([`BBDKKMPS15`](crate::papers::BBDKKMPS15)), both ways.
//!
//! [`write()`] prints an automaton; [`read`] reads a stream of them, each a [`Document`], of which
//! [`Document::build`] makes an automaton. All of the format is read but alternation:
//! several initial states become one, labels of states and implicit labels move to edges, and any
//! acceptance condition is turned into a generalized Büchi one ([`acceptance`]).
//!
//! Events: an atomic proposition whose name reads as an event pattern (`@grant(c)`) is that event
//! atom. A *proposition* of such a name is written with a `\` in front, which reading takes off.
//!
//! Text → tokens (`lexer`) → checked document (`parser`: `header`, `body`) → automaton.

mod lexer;
pub mod expression;
pub mod acceptance;
mod header;
mod body;
mod parser;
mod document;
mod properties;
mod writer;

pub use document::Document;
pub use parser::read;
pub use writer::write;

use ltl::{AtomKind, EventPattern};

/// The name by which an atom is listed.
fn name_of(kind: &AtomKind) -> String {
    match kind {
        AtomKind::Event(pattern) => pattern.to_string(),
        AtomKind::Proposition(name) if looks_like_event(name) => format!("\\{name}"),
        AtomKind::Proposition(name) => name.clone(),
    }
}

/// The atom that is listed by a name.
fn kind_of(name: &str) -> AtomKind {
    if let Ok(pattern) = name.parse::<EventPattern>() {
        return AtomKind::Event(pattern);
    }
    let name = match name.strip_prefix('\\') {
        Some(rest) if looks_like_event(rest) => rest,
        _ => name,
    };
    AtomKind::Proposition(name.to_owned())
}

/// An event pattern with any number of `\` in front.
fn looks_like_event(name: &str) -> bool {
    name.trim_start_matches('\\').parse::<EventPattern>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_atoms_are_read_back() {
        let names = ["p", "x > 1", "@", "@a", "\\@a", "\\\\@a(_)", "\\p", "@a b", "", "\\", "\\@"];
        for name in names {
            let kind = AtomKind::Proposition(name.to_owned());
            assert_eq!(kind_of(&name_of(&kind)), kind, "{name}");
            if let Ok(pattern) = name.parse() {
                let kind = AtomKind::Event(pattern);
                assert_eq!(kind_of(&name_of(&kind)), kind, "{name}");
            }
        }
    }
}
