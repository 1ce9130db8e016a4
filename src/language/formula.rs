//! Parts of formulas, as their authors write them.

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
