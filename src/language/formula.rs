//! Parts of formulas, as their authors write them.

use ltl::printer::{Syntax, print_named};
use ltl::{Formula as Part, Node};
use model::checked::{Atom, Formula};

/// A part of a formula as its author would write it.
pub fn text(formula: &Formula, part: Part) -> String {
    /// Longer texts are not read.
    const LONGEST: usize = 500;
    let name = |atom: ltl::Atom| {
        let (Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. }) =
            &formula.atoms[atom.0 as usize];
        let is_word = text.chars().all(|c| c.is_alphanumeric() || "_@(),[]".contains(c));
        let is_all = matches!(formula.formulas.node(part), Node::Atom(all) if all == atom);
        if is_word || is_all { text.clone() } else { format!("({text})") }
    };
    let names = formula.formulas.atoms(part).into_iter().map(|atom| (atom, name(atom))).collect();
    print_named(LONGEST, &formula.formulas, names, part, Syntax::Isonomy)
        .unwrap_or_else(|_| "its left side".to_owned())
}
