//! The letters that a formula reads: which of its atoms are true at a step.

use crate::objection::Objection;
use crate::reference::{Bound, Reference, Vocabulary};
use crate::renaming::Renaming;
use crate::run::Step;
use ltl::{Atom, Letter};

/// A formula for some values of its tracked variables.
pub(crate) struct Reading<'r, R: Reference> {
    reference: &'r R,
    formula: &'r <R::Vocabulary as Vocabulary>::Formula,
    /// Invariant: fits the formula.
    binding: &'r [Bound<R::Vocabulary>],
}

impl<'r, R: Reference> Reading<'r, R> {
    /// An objection, if the values do not fit the formula.
    pub(crate) fn new(
        reference: &'r R,
        formula: &'r <R::Vocabulary as Vocabulary>::Formula,
        binding: &'r [Bound<R::Vocabulary>],
    ) -> Result<Self, Objection<R::Vocabulary>> {
        let reading = Reading { reference, formula, binding };
        reading.check_binding()?;
        Ok(reading)
    }

    /// Which atoms are true at this step.
    pub(crate) fn letter(
        &self,
        position: usize,
        step: &Step<R::Vocabulary>,
    ) -> Result<Letter, Objection<R::Vocabulary>> {
        let mut letter = Letter::new();
        for atom in self.atoms() {
            let is_true = self.atom(atom, step).map_err(|failure| Objection::AtomFails {
                position,
                atom: self.reference.atom_text(self.formula, atom),
                failure: Box::new(failure),
            })?;
            letter.set(atom, is_true);
        }
        Ok(letter)
    }

    /// The atoms of the formula.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> + use<R> {
        (0..self.reference.atoms(self.formula)).map(Atom)
    }

    /// Whether an atom is true at this step.
    pub(crate) fn atom(
        &self,
        atom: Atom,
        step: &Step<R::Vocabulary>,
    ) -> Result<bool, <R::Vocabulary as Vocabulary>::Fault> {
        let action = step.action.as_ref();
        self.reference.atom(self.formula, atom, self.binding, &step.state, action)
    }

    /// An objection, if a renaming changes the value of a tracked variable.
    pub(crate) fn is_fixed_by(&self, by: &Renaming) -> Result<(), Objection<R::Vocabulary>> {
        let is_moved = |value| self.reference.renamed_value(by, value) != value;
        match self.binding.iter().find(|(_, value)| is_moved(*value)) {
            Some(&(variable, _)) => {
                let name = self.reference.variable_name(self.formula, variable);
                Err(Objection::Moves { name })
            }
            None => Ok(()),
        }
    }

    /// Whether each tracked variable has one value, of its type, and no other variable has; and
    /// whether variables that must be distinct are.
    fn check_binding(&self) -> Result<(), Objection<R::Vocabulary>> {
        let name = |variable| self.reference.variable_name(self.formula, variable);
        let groups = self.reference.tracked(self.formula);
        let is_tracked = |variable| groups.iter().any(|group| group.variables.contains(&variable));
        if let Some(&(other, _)) = self.binding.iter().find(|(one, _)| !is_tracked(*one)) {
            return Err(Objection::NotTracked { name: name(other) });
        }
        for group in &groups {
            let mut values: Vec<Bound<R::Vocabulary>> = Vec::new();
            for &variable in &group.variables {
                let mut of_this = self.binding.iter().filter(|(bound, _)| *bound == variable);
                let Some(&(_, value)) = of_this.next() else {
                    return Err(Objection::Unbound { name: name(variable) });
                };
                if of_this.next().is_some() {
                    return Err(Objection::BoundTwice { name: name(variable) });
                }
                if !self.reference.has_value(self.formula, (variable, value)) {
                    return Err(Objection::OfOtherType { name: name(variable) });
                }
                let equal = values.iter().find(|(_, other)| group.is_distinct && *other == value);
                if let Some(&(first, _)) = equal {
                    let (first, second) = (name(first), name(variable));
                    return Err(Objection::NotDistinct { first, second });
                }
                values.push((variable, value));
            }
        }
        Ok(())
    }
}
