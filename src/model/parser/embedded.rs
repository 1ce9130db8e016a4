//! Expressions inside formulas.
//!
//! The parser of formulas reads a text on its own and asks here for the parts that are written in
//! the model language, by their offset.

use super::cursor::{Parse, Parser};
use super::lexer::{Kind, Lexed, Symbol, lex};
use super::operators::COMPARISON;
use crate::model::syntax::{Expression, Tracked};
use ltl::Diagnostic;

/// The tokens of a text, to be read from any offset.
#[derive(Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    lexed: Lexed,
    /// For each token that is a `(` with a partner, the index of that; 0 for all others.
    partners: Vec<usize>,
}

impl<'t> Tokens<'t> {
    /// The tokens of this text.
    pub fn of(text: &'t str) -> Self {
        let lexed = lex(text);
        let mut partners = vec![0; lexed.tokens.len()];
        let mut open = Vec::new();
        for (index, token) in lexed.tokens.iter().enumerate() {
            match token.kind {
                Kind::Symbol(Symbol::OpenParenthesis) => open.push(index),
                Kind::Symbol(Symbol::CloseParenthesis) => {
                    if let Some(opening) = open.pop() {
                        partners[opening] = index;
                    }
                }
                _ => {}
            }
        }
        Tokens { text, lexed, partners }
    }

    /// The expression that starts at `offset` or behind the blanks there, and the offset behind it.
    /// Its operators bind at least as tightly as comparisons, but for those in parentheses and
    /// brackets.
    pub fn comparison_at(&self, offset: usize) -> Result<(Expression, usize), Diagnostic> {
        self.read(offset, |parser| parser.binding(COMPARISON))
    }

    /// `forall v: T, w: T.` or `forall distinct v, w: T.`, and the offset behind its dot. Without
    /// such a prefix (`forall v: T do ... end` is none), nothing and the same offset.
    pub fn tracked_at(&self, offset: usize) -> Result<(Vec<Tracked>, usize), Diagnostic> {
        let (tracked, end) = self.read(offset, Parser::tracked)?;
        let end = if tracked.is_empty() { offset } else { end };
        Ok((tracked, end))
    }

    /// The token right behind the partner of the `(` at `offset`, if there are both.
    pub fn behind_group(&self, offset: usize) -> Option<&'t str> {
        let partner = self.partners[self.index(offset)];
        let token = self.lexed.tokens.get(partner + 1).filter(|_| partner > 0)?;
        (token.kind != Kind::End).then(|| &self.text[token.span.start..token.span.end])
    }

    /// The first token at or behind `offset`.
    fn index(&self, offset: usize) -> usize {
        let tokens = &self.lexed.tokens;
        tokens.partition_point(|token| token.span.start < offset).min(tokens.len() - 1)
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
