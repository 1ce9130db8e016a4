//! Parts of formulas, as their authors write them.

use crate::check::why::is_now;
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

/// The kind of positions that a part of a formula depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// States only.
    States,
    /// Steps only: a process or an event.
    Steps,
    /// States and steps, or several positions.
    Both,
}

/// The kind of positions that a part of a formula depends on.
pub fn sight(formula: &Formula, part: Part) -> Sight {
    let is_of_states =
        |atom: &ltl::Atom| matches!(formula.atoms[atom.0 as usize], Atom::State { .. });
    let atoms = formula.formulas.atoms(part);
    match atoms.iter().filter(|atom| is_of_states(atom)).count() {
        _ if !is_now(&formula.formulas, part) => Sight::Both,
        number if number == atoms.len() => Sight::States,
        0 => Sight::Steps,
        _ => Sight::Both,
    }
}
