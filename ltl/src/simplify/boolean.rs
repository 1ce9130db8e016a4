//! Boolean formulas of few atoms, decided exactly by truth tables.
//!
//! A table over six atoms is one word: bit i is the value where atom k is bit k of i. Combinations
//! of event atoms that no letter has are masked out.

use super::Simplifier;
use super::view::View;
use crate::formula::{Atom, Formula, Formulas, Node, Operator};

/// Where the k-th atom of a table is true.
const COLUMNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Deeper formulas are not looked into.
const DEEPEST: u32 = 30;
/// Nor are those with more parts: shared ones count as often as they are met.
const MOST_VISITED: usize = 256;

/// The atoms of a table, in the order of its columns.
#[derive(Default)]
pub(super) struct Columns {
    atoms: [Option<Atom>; 6],
    visited: usize,
}

impl Columns {
    fn of(&mut self, atom: Atom) -> Option<u64> {
        let place = self.atoms.iter().position(|&a| a.is_none() || a == Some(atom))?;
        self.atoms[place] = Some(atom);
        Some(COLUMNS[place])
    }

    /// How many parts of formulas were looked at.
    pub(super) const fn visited(&self) -> usize {
        self.visited
    }
}

/// The truth table of `f`, or `None` if it is not Boolean, too deep, or has too many atoms.
pub(super) fn table(formulas: &Formulas, f: Formula, columns: &mut Columns) -> Option<u64> {
    columns.visited += 1;
    if formulas.depth(f) > DEEPEST || columns.visited > MOST_VISITED {
        return None;
    }
    Some(match formulas.node(f) {
        Node::False => 0,
        Node::True => !0,
        Node::Atom(atom) => columns.of(atom)?,
        Node::Not(g) => !table(formulas, g, columns)?,
        Node::And(operands) => {
            let mut all = !0;
            for &g in operands {
                all &= table(formulas, g, columns)?;
            }
            all
        }
        Node::Or(operands) => {
            let mut any = 0;
            for &g in operands {
                any |= table(formulas, g, columns)?;
            }
            any
        }
        _ => return None,
    })
}

impl Simplifier<'_> {
    /// Where a letter exists.
    pub(super) fn existing(&mut self, columns: &Columns) -> u64 {
        if self.alphabet.events().is_empty() {
            return !0;
        }
        let is_event = |atom: Atom| self.alphabet.events().binary_search(&atom).is_ok();
        let atoms = columns.atoms.iter().zip(COLUMNS);
        let events: Vec<_> = atoms
            .filter_map(|(&atom, column)| atom.filter(|&a| is_event(a)).map(|a| (a, column)))
            .collect();
        if events.is_empty() {
            return !0;
        }
        self.budget.spend(self.alphabet.profiles().len());
        let place = |profile: &Vec<Atom>| {
            events.iter().fold(!0, |place, (atom, column)| {
                place & if profile.binary_search(atom).is_ok() { *column } else { !column }
            })
        };
        self.alphabet.profiles().iter().fold(0, |all, profile| all | place(profile))
    }
}

/// The conjunction without Boolean operands that the other ones imply; 0 if they cannot hold
/// together. `None` if nothing changes.
pub(super) fn boolean_part(v: &mut View<'_, '_>, operands: &[Formula]) -> Option<Formula> {
    // Literals alone, of propositions: they are different, and no two of them are opposite.
    let is_literal = |&f: &Formula| matches!(v.operator(f), Operator::Atom | Operator::Not);
    if v.simplifier.alphabet.events().is_empty()
        && operands.iter().filter(|&&f| v.is_boolean(f)).all(is_literal)
    {
        return None;
    }
    let mut columns = Columns::default();
    let mut tables = Vec::new();
    for &f in operands {
        if v.is_boolean(f)
            && let Some(table) = table(v.formulas, f, &mut columns)
        {
            // The dual of a conjunction is that of complements.
            tables.push((f, if v.dual { !table } else { table }));
        }
    }
    if tables.len() < 2 || !v.spend(columns.visited() + tables.len() * tables.len()) {
        return None;
    }
    let existing = v.simplifier.existing(&columns);
    if tables.iter().fold(existing, |all, (_, table)| all & table) == 0 {
        return Some(v.bottom());
    }
    // The larger ones first: of two that imply each other the smaller should stay.
    for k in (0..tables.len()).rev() {
        let others = tables.iter().enumerate().filter(|&(j, _)| j != k);
        let rest = others.fold(existing, |all, (_, (_, table))| all & table);
        let (redundant, table) = tables[k];
        if rest & !table == 0 {
            let rest: Vec<_> = operands.iter().copied().filter(|&f| f != redundant).collect();
            return Some(v.and(&rest));
        }
    }
    None
}
