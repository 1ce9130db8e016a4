//! Parses expressions inside formulas.
//!
//! The parser of formulas reads its own text and calls this module, by offset, for the parts that
//! are written in the model language. The text may be part of a larger one; all offsets are those
//! of the larger one.

use super::cursor::{Parse, Parser};
use super::joined;
use super::lexer::{Lexed, Symbol, TokenKind, lex};
use super::operators::COMPARISON;
use crate::syntax::{Expression, Ltl, Tracked};
use ltl::{Diagnostic, Span};

/// The tokens of a text, for parsing from any offset.
#[derive(Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    lexed: Lexed,
    /// For each token that is a matched `(`, the index of its partner; 0 for all others.
    partners: Vec<usize>,
}

impl<'t> Tokens<'t> {
    /// The tokens of this text.
    pub fn of(text: &'t str) -> Self {
        Tokens::within(text, Span { start: 0, end: text.len() })
    }

    /// The tokens of a text that was parsed before, so that errors in its comments and strings have
    /// been reported.
    pub fn known(text: &'t str) -> Self {
        let mut tokens = Tokens::of(text);
        tokens.lexed.errors.clear();
        tokens
    }

    /// The tokens of this part of a text, lexed without the text around it.
    pub fn within(text: &'t str, place: Span) -> Self {
        let lexed = lex(&text[place.start..place.end]).moved(place.start);
        let mut partners = vec![0; lexed.tokens.len()];
        let mut open = Vec::new();
        for (index, token) in lexed.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenParenthesis) => open.push(index),
                TokenKind::Symbol(Symbol::CloseParenthesis) => {
                    if let Some(opening) = open.pop() {
                        partners[opening] = index;
                    }
                }
                _ => {}
            }
        }
        Tokens { text, lexed, partners }
    }

    /// The text as a property of its own: `forall c: T. formula under weak fairness`.
    pub fn question(&self) -> Result<Ltl, Vec<Diagnostic>> {
        self.whole(Parser::question)
    }

    /// Whether a colon must stand between `ltl` and this text, a formula without a name.
    pub(crate) fn needs_colon(&self) -> bool {
        Parser::new(self.text, &self.lexed.tokens, 0).needs_colon()
    }

    /// The text as one expression.
    pub fn expression(&self) -> Result<Expression, Vec<Diagnostic>> {
        self.whole(|parser| {
            let found = parser.expression();
            if found.is_ok() && parser.kind() != TokenKind::End {
                parser.unexpected("an operator or the end of the text");
            }
            found
        })
    }

    /// The expression that starts at `offset` or after the blanks there, and the offset after it.
    /// Outside of parentheses and brackets, its operators bind at least as tightly as comparisons.
    pub fn comparison_at(&self, offset: usize) -> Result<(Expression, usize), Diagnostic> {
        self.read(offset, |parser| parser.binding(COMPARISON))
    }

    /// `forall v: T, w: T.` or `forall distinct v, w: T.`, and the offset after its dot. Without
    /// such a prefix (`forall v: T do ... end` is none), an empty list and the same offset.
    pub fn tracked_at(&self, offset: usize) -> Result<(Vec<Tracked>, usize), Diagnostic> {
        let (tracked, end) = self.read(offset, Parser::tracked)?;
        let end = if tracked.is_empty() { offset } else { end };
        Ok((tracked, end))
    }

    /// The token right after the partner of the `(` at `offset`, if both exist.
    pub fn behind_group(&self, offset: usize) -> Option<&'t str> {
        let partner = self.partners[self.index(offset)];
        let token = self.lexed.tokens.get(partner + 1).filter(|_| partner > 0)?;
        (token.kind != TokenKind::End).then(|| &self.text[token.span.start..token.span.end])
    }

    /// The first token at or after `offset`.
    fn index(&self, offset: usize) -> usize {
        let tokens = &self.lexed.tokens;
        tokens.partition_point(|token| token.span.start < offset).min(tokens.len() - 1)
    }

    /// Parses the whole text; returns all errors, in the order of the text.
    fn whole<'s, T>(
        &'s self,
        read: impl FnOnce(&mut Parser<'s>) -> Parse<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let mut parser = Parser::new(self.text, &self.lexed.tokens, 0);
        let found = read(&mut parser);
        let errors = joined(&self.lexed, parser.errors);
        match found {
            Ok(found) if errors.is_empty() => Ok(found),
            _ if errors.is_empty() => unreachable!("an error is recorded before it is reported"),
            _ => Err(errors),
        }
    }

    fn read<'s, T>(
        &'s self,
        offset: usize,
        read: impl FnOnce(&mut Parser<'s>) -> Parse<T>,
    ) -> Result<(T, usize), Diagnostic> {
        if let Some(error) = self.lexed.errors.first() {
            return Err(error.clone());
        }
        let mut parser = Parser::new(self.text, &self.lexed.tokens, self.index(offset));
        let found = read(&mut parser);
        let end = parser.place(offset).0.end;
        match (found, parser.errors.into_iter().next()) {
            (Ok(found), None) => Ok((found, end)),
            (_, Some(error)) => Err(error),
            (Err(_), None) => unreachable!("an error is recorded before it is reported"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::print_expression;

    #[test]
    fn comparisons_are_read_from_offsets() {
        //  text, offset, the expression as printed, the remaining text
        for (text, offset, expected, left) in [
            ("st[c] = R -> F x", 0, "st[c] = R", " -> F x"),
            ("G(st[c]=R&x)", 2, "st[c] = R", "&x)"),
            ("a + 1 << 2 < b * c U d", 0, "a + 1 << 2 < b * c", " U d"),
            ("a <-> b", 0, "a", " <-> b"),
            ("a => b", 0, "a", " => b"),
            ("x  /* c */ <=> y", 0, "x", "  /* c */ <=> y"),
            ("p & (q | r) = s", 4, "(q | r) = s", ""),
            ("!f(a, b & c) W d", 1, "f(a, b & c)", " W d"),
            ("X forall i: t; j: u do a -> b end M c", 2, "forall i: t; j: u do a -> b end", " M c"),
            ("  x", 0, "x", ""),
            ("x ? y : z", 0, "x", " ? y : z"),
        ] {
            let tokens = Tokens::of(text);
            let (found, end) = tokens.comparison_at(offset).expect("an expression");
            let shown = print_expression(&found).replace("(a + 1)", "a + 1");
            assert_eq!((&shown[..], &text[end..]), (expected, left), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, offset, expected, place) in [
            ("a = ", 0, "expected an expression, found the end of the text", 4..4),
            ("a = b = c", 0, "`=` cannot follow `=` without parentheses", 6..7),
            ("x & @go", 4, "expected an expression, found `@`", 4..5),
            ("forall i: t. G x[i]", 0, "expected `do`, found `.`", 11..12),
            ("a /* b", 0, "this comment is not closed", 2..4),
            ("", 0, "expected an expression, found the end of the text", 0..0),
        ] {
            let error = Tokens::of(text).comparison_at(offset).expect_err("it is wrong");
            assert_eq!((&error.message[..], error.span), (expected, place.into()), "{text}");
        }
    }

    #[test]
    fn prefixes_are_read() {
        for (text, count, left) in [
            ("forall c: t. G x", 1, " G x"),
            ("forall a, b: t, distinct c, d: (0..1).F x", 2, "F x"),
            ("forall distinct: t. x", 1, " x"),
            ("forall c: t do x end", 0, "forall c: t do x end"),
            ("forall c := 0 to 1 do x.y end", 0, "forall c := 0 to 1 do x.y end"),
            (" G x", 0, " G x"),
            ("", 0, ""),
        ] {
            let (tracked, end) = Tokens::of(text).tracked_at(0).expect("no error");
            assert_eq!((tracked.len(), &text[end..]), (count, left), "{text}");
        }
        let error = Tokens::of("forall c: t, .").tracked_at(0).expect_err("a name is missing");
        assert_eq!(error.message, "expected a name, found `.`");
    }

    #[test]
    fn what_is_behind_a_group_decides_how_to_read_it() {
        for (text, offset, expected) in [
            ("(a) = b", 0, Some("=")),
            ("((a) & b) < c", 0, Some("<")),
            ("((a) & b) < c", 1, Some("&")),
            ("( a )", 0, None),
            ("( a", 0, None),
            ("x (a)", 0, None),
            ("", 0, None),
            ("x", 7, None),
        ] {
            assert_eq!(Tokens::of(text).behind_group(offset), expected, "{text} {offset}");
        }
    }
}
