//! What is true of states and steps of a model: the compiled atoms of a formula.

use crate::product::{Letter, Letters};
use crate::property::Instance;
use crate::symmetry::Point;
use crate::system::{AtomFailure, AtomWorker, Atoms, Tracking};

/// The atoms of a formula for one tuple of tracked values.
pub(super) struct ModelLetters<'a> {
    atoms: &'a Atoms<'a>,
    worker: AtomWorker<'a>,
    tracking: Tracking,
}

impl<'a> ModelLetters<'a> {
    /// Of a formula with at most as many atoms as a letter has bits.
    pub(super) fn new(atoms: &'a Atoms<'a>, instance: &Instance) -> Self {
        ModelLetters { worker: atoms.worker(), tracking: atoms.tracking(instance), atoms }
    }
}

impl Letters for ModelLetters<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[Point]) -> Result<Letter, AtomFailure> {
        let mut letter = [0];
        let words = self.atoms.words();
        self.worker.state_letter(state, self.tracking.cells(tracked), &mut letter[..words])?;
        Ok(letter[0])
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[Point]) -> Letter {
        let mut letter = [0];
        let words = self.atoms.words();
        let tracked = self.tracking.cells(tracked);
        self.atoms.add_step(rule, arguments, tracked, &mut letter[..words]);
        letter[0]
    }
}
