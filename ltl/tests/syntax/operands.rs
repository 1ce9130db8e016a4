//! The caller's own operands: what a model language plugs in.

use ltl::parser::{Language, Operands, parse};
use ltl::{Argument, Atom, Atoms, Diagnostic, EventPattern, Formula, Formulas, Span};

/// Reads `name = name`, also if the names are operators elsewhere; knows the process `server` only.
struct Comparisons(Atoms);

impl Operands for Comparisons {
    fn read(
        &mut self,
        formulas: &mut Formulas,
        rest: &str,
        offset: usize,
    ) -> Result<Option<(Formula, usize)>, Diagnostic> {
        let word = |text: &str| text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let left = word(rest);
        let Some(right) = rest[left..].strip_prefix(" = ") else { return Ok(None) };
        let taken = left + 3 + word(right);
        if taken == left + 3 {
            return Err(Diagnostic::error(Span::at(offset + taken), "expected a value"));
        }
        let atom = self.0.proposition(&rest[..taken]);
        Ok(Some((formulas.atom(atom), taken)))
    }

    fn proposition(&mut self, name: &str, span: Span) -> Result<Atom, Diagnostic> {
        Err(Diagnostic::error(span, format!("there is no `{name}`")))
    }

    fn event(&mut self, pattern: EventPattern, span: Span) -> Result<Atom, Diagnostic> {
        match &pattern {
            EventPattern::By(Argument::Value(name)) if name == "server" => {
                Ok(self.0.intern(ltl::AtomKind::Event(pattern)))
            }
            _ => Err(Diagnostic::error(span, "unknown process")),
        }
    }
}

fn check(text: &str, expected: Result<&str, (&str, usize, usize)>) {
    let mut formulas = Formulas::new();
    let mut operands = Comparisons(Atoms::new());
    let result = parse(Language::Isonomy, text, &mut formulas, &mut operands);
    let world = crate::World { formulas, atoms: operands.0 };
    let result = result.map(|f| world.reading(f));
    let result = result.map_err(|wrong| (wrong.message, wrong.span.start, wrong.span.end));
    let result = result.as_ref().map(|text| &text[..]);
    assert_eq!(result.map_err(|(message, start, end)| (&message[..], *start, *end)), expected);
}

#[test]
fn operands_come_from_the_caller_first() {
    check("G(st = R -> F st = K)", Ok("G((\"st = R\" -> F(\"st = K\")))"));
    check("!G = U U X = X & @by(server)", Ok("((!(\"G = U\") U \"X = X\") & @by(server))"));
    check("日 = a", Err(("unexpected character `日`", 0, 3)));
}

#[test]
fn complaints_of_the_caller_are_passed_on() {
    check("G(st = )", Err(("expected a value", 7, 7)));
    check("st = R & x", Err(("there is no `x`", 9, 10)));
    check("F @by(client)", Err(("unknown process", 2, 13)));
    check("F @by(client) &", Err(("expected a formula", 15, 15)));
}
