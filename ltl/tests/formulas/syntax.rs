//! The languages of formulas from outside: what texts mean, what is said about bad ones, that
//! everything printed reads back, and that no text does harm.

mod messages;
mod operands;
mod readings;
mod robust;
mod round_trip;

use ltl::parser::{Language, parse};
use ltl::{AtomKind, Atoms, Diagnostic, Formula, Formulas, Node};

/// Formulas and what their atoms are.
#[derive(Default)]
struct World {
    formulas: Formulas,
    atoms: Atoms,
}

impl World {
    fn parse(&mut self, language: Language, text: &str) -> Result<Formula, Diagnostic> {
        parse(language, text, &mut self.formulas, &mut self.atoms)
    }

    /// The formula with every operator in parentheses: `X(a)`, `(a U b)`, `"x > 1"`.
    fn reading(&self, f: Formula) -> String {
        let unary = |sign: &str, g| format!("{sign}({})", self.reading(g));
        let list = |sign: &str, run: &[Formula]| {
            let parts: Vec<_> = run.iter().map(|&g| self.reading(g)).collect();
            format!("({})", parts.join(sign))
        };
        match self.formulas.node(f) {
            Node::False => "0".to_owned(),
            Node::True => "1".to_owned(),
            Node::Atom(atom) => match self.atoms.kind(atom) {
                AtomKind::Event(pattern) => pattern.to_string(),
                AtomKind::Proposition(name)
                    if name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
                        && !name.is_empty() =>
                {
                    name.clone()
                }
                AtomKind::Proposition(name) => format!("{name:?}"),
            },
            Node::Not(g) => unary("!", g),
            Node::Next(g) => unary("X", g),
            Node::Finally(g) => unary("F", g),
            Node::Globally(g) => unary("G", g),
            Node::And(run) => list(" & ", run),
            Node::Or(run) => list(" | ", run),
            Node::Xor(g, h) => list(" xor ", &[g, h]),
            Node::Implies(g, h) => list(" -> ", &[g, h]),
            Node::Iff(g, h) => list(" <-> ", &[g, h]),
            Node::Until(g, h) => list(" U ", &[g, h]),
            Node::Release(g, h) => list(" R ", &[g, h]),
            Node::WeakUntil(g, h) => list(" W ", &[g, h]),
            Node::StrongRelease(g, h) => list(" M ", &[g, h]),
        }
    }
}
