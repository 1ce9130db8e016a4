//! Text to syntax trees.
//!
//! The `lexer` (nom) makes tokens of the whole text; the parser descends over them, by the table
//! of `operators` for expressions. It reports all that is wrong, each trouble once
//! (`cursor`, `recovery`), with `advice` where the author's intention can be guessed.
//!
//! The words that are new with respect to Murphi are contextual: whether `process` starts a block
//! or is a name is decided by the token behind it.
//!
//! Cost: linear in the text. The tree is not higher than [`NESTING_LIMIT`], so that all passes over
//! it may recurse.

mod advice;
mod cursor;
mod declarations;
mod embedded;
mod expressions;
mod lexer;
pub(crate) mod operators;
mod properties;
mod recovery;
mod rules;
mod statements;
mod types;
mod words;

#[cfg(test)]
mod tests;

pub use embedded::Tokens;

use super::syntax::{Expression, Model};
use cursor::Parser;
use lexer::Lexed;
use ltl::Diagnostic;

/// What is nested more deeply is refused, and so is a chain of more operators.
pub const NESTING_LIMIT: u32 = 1000;

/// No more errors than this are reported for one text.
pub const ERROR_LIMIT: usize = 100;

/// What could be read, and what could not.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model, without the parts that are wrong.
    pub model: Model,
    /// What is wrong, in the order of the text.
    pub errors: Vec<Diagnostic>,
}

/// Reads a model.
pub fn parse(text: &str) -> Parsed {
    let span =
        tracing::debug_span!("model.parse", bytes = text.len(), items = tracing::field::Empty)
            .entered();
    let lexed = lexer::lex(text);
    let mut parser = Parser::new(text, &lexed.tokens, 0);
    let items = parser.items();
    span.record("items", items.len());
    let errors = joined(&lexed, parser.errors);
    Parsed { model: Model { items, comments: lexed.comments }, errors }
}

/// Reads a text that is an expression and nothing else.
pub fn parse_expression(text: &str) -> Result<Expression, Diagnostic> {
    Tokens::of(text).expression().map_err(|errors| {
        errors.into_iter().next().expect("an error is recorded before it is reported")
    })
}

/// The errors of both, in the order of the text; not too many.
fn joined(lexed: &Lexed, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut errors = lexed.errors.clone();
    errors.extend(found.into_iter().filter(|error| error.span.start < lexed.doubtful));
    errors.sort_by_key(|error| error.span.start);
    if errors.len() > ERROR_LIMIT {
        let last = errors[ERROR_LIMIT].span;
        errors.truncate(ERROR_LIMIT);
        errors.push(Diagnostic::error(last, "too many errors: the rest is not reported"));
    }
    errors
}
