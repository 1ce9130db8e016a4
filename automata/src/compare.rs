//! Whether a formula implies another, with a word that shows it if not.
//!
//! f implies g if and only if no word satisfies f and `!g`: the product of their automata is empty.

use crate::automaton::Automaton;
use crate::emptiness::accepted_word;
use crate::limits::StopReason;
use crate::product::Product;
use crate::translate::{Acceptance, Translator};
use ltl::word::Lasso;
use ltl::{Formula, Formulas};

/// A word that satisfies `f` but not `g`, if there is one; none means that `f` implies `g`.
pub fn counterexample(
    translator: &mut Translator<'_>,
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
) -> Result<Option<Lasso>, StopReason> {
    let not_g = formulas.not(g);
    let left = translator.translate(formulas, f, Acceptance::Generalized)?;
    let right = translator.translate(formulas, not_g, Acceptance::Generalized)?;
    common_word(translator, &left, &right)
}

/// A word that both automata accept, if there is one.
pub fn common_word(
    translator: &mut Translator<'_>,
    left: &Automaton,
    right: &Automaton,
) -> Result<Option<Lasso>, StopReason> {
    let both = Product::of(&mut translator.guards, left, right)?;
    Ok(accepted_word(&translator.guards, &both.automaton))
}
