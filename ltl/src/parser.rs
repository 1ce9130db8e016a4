//! Text to formulas, in three languages.
//!
//! | | [`Language::Spot`] | [`Language::Isonomy`] | [`Language::Spin`] |
//! |---|---|---|---|
//! | names | `p`, `P1`, `"x > 1"`; F, G, X need no blank: `GFa` | whole words, `"x > 1"`: `G F a` | `p`, `(x > 1)`, `{x > 1}` |
//! | events | `@grant(c)` | `@grant(c)` | none |
//! | binary operators | five levels, `->`, `<->`, `U` to the right | six levels, the same to the right | two levels, all to the left |
//!
//! Reading has two passes, neither recursive. `grammar` reads tokens (`lexer`, `spot`, `spin`,
//! `isonomy`, `event`; nom) and brings them into postfix order by the tables of `operators`; `build`
//! makes formulas of that, with [`Formulas::written`]. Between the two nothing has been interned, so
//! that a reading that is given up (Spin's predicates) leaves no trace. `advice` words the messages.
//!
//! Cost: linear in the text. Nesting is bounded by [`NESTING_LIMIT`], so that later passes may
//! recurse; the expansion of bounded operators by `build::EXPANSION_LIMIT`.

mod advice;
mod build;
mod event;
mod grammar;
mod isonomy;
mod lexer;
mod operators;
mod spin;
mod spot;

use crate::atoms::{Atoms, EventPattern};
use crate::formula::{Formula, Formulas};
use crate::source::{Diagnostic, Span};
use grammar::Step;
pub use operators::{Binary, Prefix};

/// Formulas whose syntax tree is higher than this are refused, and so are more open parentheses.
pub const NESTING_LIMIT: u32 = 1000;

/// A language of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// Spot's infix syntax without PSL, and event atoms.
    Spot,
    /// What `spin -f` reads.
    Spin,
    /// The property language of models.
    Isonomy,
}

/// The formula of the whole text, as it is written; only `&` and `|` become flat. Every name and
/// every event is an atom.
pub fn parse(
    language: Language,
    text: &str,
    formulas: &mut Formulas,
    atoms: &mut Atoms,
) -> Result<Formula, Diagnostic> {
    let span =
        tracing::debug_span!("formula.parse", bytes = text.len(), nodes = tracing::field::Empty)
            .entered();
    let program = grammar::read(language, text, &mut |_, _| Ok(None))?;
    span.record("nodes", program.len());
    build::build(&program, formulas, atoms)
}

/// What formulas of the property language are made into, if not into [`Formula`]s at once: a model
/// language reads its own operands, and may join conditions before they become atoms.
///
/// Operators are applied as soon as their operands are complete, inner ones first, left ones first.
pub trait Algebra {
    /// The meaning of a formula.
    type Value;

    /// Reads the operand at the start of `rest`, whose offset in the whole text is `offset`, if one
    /// starts there: its meaning, and how many bytes it took (at least one, up to a character
    /// boundary). It is asked first wherever an operand may stand, also before `!` and `(`.
    /// `None`: the language's own rules apply.
    fn read(
        &mut self,
        rest: &str,
        offset: usize,
    ) -> Result<Option<(Self::Value, usize)>, Diagnostic>;

    /// `true` or `false`.
    fn constant(&mut self, value: bool) -> Self::Value;

    /// A name, quoted or not.
    fn name(&mut self, name: &str, span: Span) -> Result<Self::Value, Diagnostic>;

    /// An event.
    fn event(&mut self, pattern: &EventPattern, span: Span) -> Result<Self::Value, Diagnostic>;

    /// An operator before its operand.
    fn prefix(
        &mut self,
        operator: Prefix,
        operand: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Diagnostic>;

    /// An operator between its operands.
    fn binary(
        &mut self,
        operator: Binary,
        left: Self::Value,
        right: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Diagnostic>;
}

/// The meaning of the whole text in an algebra; the language is [`Language::Isonomy`].
pub fn interpret<A: Algebra>(text: &str, algebra: &mut A) -> Result<A::Value, Diagnostic> {
    let span =
        tracing::debug_span!("formula.parse", bytes = text.len(), nodes = tracing::field::Empty)
            .entered();
    let mut read = |rest: &str, offset| algebra.read(rest, offset);
    let program = grammar::read(Language::Isonomy, text, &mut read)?;
    span.record("nodes", program.len());
    let mut stack = Vec::new();
    for step in program {
        let mut pop = || stack.pop().expect("in postfix order operands come first");
        let made = match step {
            Step::Constant(value) => algebra.constant(value),
            Step::Read(value) => value,
            Step::Name { name, span } => algebra.name(&name, span)?,
            Step::Event { pattern, span } => algebra.event(&pattern, span)?,
            // Bounds belong to Spot's language.
            Step::Prefix { operator, bounds: _, span } => {
                let operand = pop();
                algebra.prefix(operator, operand, span)?
            }
            Step::Binary { operator, span } => {
                let right = pop();
                let left = pop();
                algebra.binary(operator, left, right, span)?
            }
        };
        stack.push(made);
    }
    Ok(stack.pop().expect("a formula has a value"))
}

/// A nesting that is too deep, at the operator or parenthesis that is too much.
fn too_deep(span: impl Into<Span>) -> Diagnostic {
    let message = format!("the formula is nested more than {NESTING_LIMIT} levels deep");
    Diagnostic::error(span, message).help("split it into several formulas")
}

/// Whether a text of the language may hold this proposition as it is, in every place where an
/// operand may stand.
pub(crate) fn is_plain_name(language: Language, name: &str) -> bool {
    match language {
        Language::Spot => spot::is_plain_name(name),
        Language::Spin => spin::is_plain_name(name),
        Language::Isonomy => isonomy::is_plain_name(name),
    }
}
