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

use crate::atoms::{AtomKind, Atoms, EventPattern};
use crate::formula::{Atom, Formula, Formulas};
use crate::source::{Diagnostic, Span};

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

/// What the caller supplies: a reader for operands, and a table of atoms.
pub trait Operands {
    /// Reads the operand at the start of `rest`, whose offset in the whole text is `offset`, if one
    /// starts there: the formula, and how many bytes it took (at least one, up to a character
    /// boundary). It is asked first wherever an operand may stand, also before `!` and `(`.
    /// `None`: the language's own rules apply.
    fn read(
        &mut self,
        formulas: &mut Formulas,
        rest: &str,
        offset: usize,
    ) -> Result<Option<(Formula, usize)>, Diagnostic>;

    /// The atom of a name, quoted or not.
    fn proposition(&mut self, name: &str, span: Span) -> Result<Atom, Diagnostic>;

    /// The atom of an event pattern.
    fn event(&mut self, pattern: EventPattern, span: Span) -> Result<Atom, Diagnostic>;
}

/// Formulas that stand alone: every name and every event is an atom.
impl Operands for Atoms {
    fn read(
        &mut self,
        _: &mut Formulas,
        _: &str,
        _: usize,
    ) -> Result<Option<(Formula, usize)>, Diagnostic> {
        Ok(None)
    }

    fn proposition(&mut self, name: &str, _: Span) -> Result<Atom, Diagnostic> {
        Ok(Atoms::proposition(self, name))
    }

    fn event(&mut self, pattern: EventPattern, _: Span) -> Result<Atom, Diagnostic> {
        Ok(self.intern(AtomKind::Event(pattern)))
    }
}

/// The formula of the whole text, as it is written; only `&` and `|` become flat.
pub fn parse(
    language: Language,
    text: &str,
    formulas: &mut Formulas,
    operands: &mut dyn Operands,
) -> Result<Formula, Diagnostic> {
    let span =
        tracing::debug_span!("formula.parse", bytes = text.len(), nodes = tracing::field::Empty)
            .entered();
    let program = grammar::read(language, text, formulas, operands)?;
    span.record("nodes", program.len());
    build::build(&program, formulas, operands)
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
