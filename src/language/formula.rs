//! Parts of formulas, as their authors write them.

use crate::check::why::is_now;
use crate::parts;
use ltl::Formula as Part;
use model::checked::{Atom, Formula};

/// A part of a formula as its author would write it.
pub fn text(formula: &Formula, part: Part) -> String {
    parts::text(&formula.formulas, part, &|atom| {
        let (Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. }) =
            &formula.atoms[atom.0 as usize];
        text.clone()
    })
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
