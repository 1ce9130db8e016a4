//! The caller's own operands: what a model language plugs in.

use ltl::parser::{Algebra, Binary, Prefix, interpret};
use ltl::{Argument, Diagnostic, EventPattern, Span};

/// Writes formulas with all parentheses. Reads `name = name`, also if the names are operators
/// elsewhere; knows the process `server` only.
struct Comparisons;

impl Algebra for Comparisons {
    type Value = String;

    fn read(&mut self, rest: &str, offset: usize) -> Result<Option<(String, usize)>, Diagnostic> {
        let word = |text: &str| text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let left = word(rest);
        let Some(right) = rest[left..].strip_prefix(" = ") else { return Ok(None) };
        let taken = left + 3 + word(right);
        if taken == left + 3 {
            return Err(Diagnostic::error(Span::at(offset + taken), "expected a value"));
        }
        Ok(Some((format!("[{}]", &rest[..taken]), taken)))
    }

    fn constant(&mut self, value: bool) -> String {
        value.to_string()
    }

    fn name(&mut self, name: &str, span: Span) -> Result<String, Diagnostic> {
        Err(Diagnostic::error(span, format!("there is no `{name}`")))
    }

    fn event(&mut self, pattern: &EventPattern, span: Span) -> Result<String, Diagnostic> {
        match pattern {
            EventPattern::By(Argument::Value(name)) if name == "server" => Ok(pattern.to_string()),
            _ => Err(Diagnostic::error(span, "unknown process")),
        }
    }

    fn prefix(&mut self, operator: Prefix, f: String, _: Span) -> Result<String, Diagnostic> {
        Ok(format!("{operator:?}{f}"))
    }

    fn binary(
        &mut self,
        operator: Binary,
        f: String,
        g: String,
        _: Span,
    ) -> Result<String, Diagnostic> {
        Ok(format!("({f} {operator:?} {g})"))
    }
}

fn check(text: &str, expected: Result<&str, (&str, usize, usize)>) {
    let result = interpret(text, &mut Comparisons);
    let result = result.map_err(|wrong| (wrong.message, wrong.span.start, wrong.span.end));
    let result = result.as_ref().map(|text| &text[..]);
    assert_eq!(result.map_err(|(message, start, end)| (&message[..], *start, *end)), expected);
}

#[test]
fn operands_come_from_the_caller_first() {
    check("G(st = R -> F st = K)", Ok("Globally([st = R] Implies Finally[st = K])"));
    check(
        "!G = U U X = X & @by(server) | true",
        Ok("(((Not[G = U] Until [X = X]) And @by(server)) Or true)"),
    );
    check("日 = a", Err(("unexpected character `日`", 0, 3)));
}

#[test]
fn complaints_of_the_caller_are_passed_on() {
    check("G(st = )", Err(("expected a value", 7, 7)));
    check("st = R & x", Err(("there is no `x`", 9, 10)));
    check("F @by(client)", Err(("unknown process", 2, 13)));
    check("F @by(client) &", Err(("expected a formula", 15, 15)));
}
