//! A small reader of infix formulas for tests: `F`, `G`, `X` and `!` bind tightest, then `U R W M`
//! (to the right), `&`, `|`, `->`, `<->`. Letters of operators may touch (`GFa`); a name is a small
//! letter with digits; `@a` is an event. It panics on bad input.

use ltl::atoms::EventPattern;
use ltl::{AtomKind, Atoms, Formula, Formulas, Node};

struct Reader<'a> {
    formulas: &'a mut Formulas,
    atoms: &'a mut Atoms,
}

/// Reads a formula, as written.
pub(crate) fn read(text: &str, formulas: &mut Formulas, atoms: &mut Atoms) -> Formula {
    let mut rest = text;
    let f = Reader { formulas, atoms }.binary(&mut rest, 0);
    assert!(rest.trim().is_empty(), "`{rest}` is left of `{text}`");
    f
}

/// Token, how tightly it binds on the left and on the right.
const BINARY: &[(&str, u8, u8)] = &[
    ("<->", 2, 1),
    ("xor", 2, 1),
    ("->", 4, 3),
    ("|", 5, 6),
    ("&", 7, 8),
    ("U", 10, 9),
    ("R", 10, 9),
    ("W", 10, 9),
    ("M", 10, 9),
];

impl Reader<'_> {
    fn binary(&mut self, rest: &mut &str, least: u8) -> Formula {
        let mut f = self.unary(rest);
        loop {
            let text = rest.trim_start();
            let row = BINARY.iter().find(|row| text.starts_with(row.0));
            let Some(&(token, _, right)) = row.filter(|row| row.1 >= least) else { return f };
            *rest = &text[token.len()..];
            let g = self.binary(rest, right);
            let both = [f, g];
            f = self.formulas.written(match token {
                "<->" => Node::Iff(f, g),
                "xor" => Node::Xor(f, g),
                "->" => Node::Implies(f, g),
                "|" => Node::Or(&both),
                "&" => Node::And(&both),
                "U" => Node::Until(f, g),
                "R" => Node::Release(f, g),
                "W" => Node::WeakUntil(f, g),
                _ => Node::StrongRelease(f, g),
            });
        }
    }

    fn unary(&mut self, rest: &mut &str) -> Formula {
        let text = rest.trim_start();
        let first = text.chars().next().expect("a formula");
        *rest = &text[first.len_utf8()..];
        match first {
            '0' => Formula::FALSE,
            '1' => Formula::TRUE,
            '(' => {
                let f = self.binary(rest, 0);
                *rest = rest.trim_start().strip_prefix(')').expect("a closing parenthesis");
                f
            }
            '!' | 'X' | 'F' | 'G' => {
                let f = self.unary(rest);
                self.formulas.written(match first {
                    '!' => Node::Not(f),
                    'X' => Node::Next(f),
                    'F' => Node::Finally(f),
                    _ => Node::Globally(f),
                })
            }
            _ => {
                let name: String = text
                    .chars()
                    .take_while(|&c| c == '@' || c.is_ascii_lowercase() || c.is_ascii_digit())
                    .collect();
                assert!(!name.is_empty(), "a name at `{text}`");
                *rest = &text[name.len()..];
                let atom = match name.strip_prefix('@') {
                    Some(event) => self.atoms.intern(AtomKind::Event(EventPattern::Named {
                        name: event.to_owned(),
                        arguments: None,
                    })),
                    None => self.atoms.proposition(&name),
                };
                self.formulas.atom(atom)
            }
        }
    }
}
