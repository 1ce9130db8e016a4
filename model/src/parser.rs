//! The parser: from text to syntax trees.
//!
//! The `lexer` (nom) splits the whole text into tokens; the parser is a recursive descent over
//! them, with the table of `operators` for expressions. It reports all errors, each one once
//! (`cursor`, `recovery`), with `advice` where the author's intention can be guessed.
//!
//! The words that are new with respect to Murphi are contextual: the token after `process` decides
//! whether it starts a block or is a name.
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
pub use lexer::FILE_SEPARATOR;

use super::syntax::{Expression, Model};
use cursor::Parser;
use lexer::Lexed;
use ltl::Diagnostic;

/// The greatest depth of nesting, and the greatest length of a chain of operators.
pub const NESTING_LIMIT: u32 = 1000;

/// The greatest number of errors that are reported for one text.
pub const ERROR_LIMIT: usize = 100;

/// The result of parsing: a model and the errors in its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model, without the parts that have errors.
    pub model: Model,
    /// The errors, in the order of the text.
    pub errors: Vec<Diagnostic>,
}

/// Parses a model.
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

/// Parses a text that consists of one expression.
pub fn parse_expression(text: &str) -> Result<Expression, Diagnostic> {
    Tokens::of(text).expression().map_err(|errors| {
        errors.into_iter().next().expect("an error is recorded before it is reported")
    })
}

/// The errors of the lexer and of the parser, in the order of the text, up to the limit.
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
