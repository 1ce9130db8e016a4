//! The letters of a formula for one tuple of tracked values.

use engine::instances::Instance;
use engine::product::{Letter, Letters};
use engine::quotient::Choice;
use engine::symmetry::Point;
use engine::system::{AtomFault, AtomWorker, Atoms, Choices, Chooser, ProcessId};

/// The atoms of a formula for one tuple of tracked values, at whatever points symmetry has moved
/// the tuple to.
pub(super) struct TupleLetters<'a> {
    worker: Box<dyn AtomWorker + 'a>,
    instance: &'a Instance,
    /// The cells of the tracked variables.
    cells: Vec<i64>,
}

impl<'a> TupleLetters<'a> {
    /// The letters of a formula that has at most as many atoms as a letter has bits.
    pub(super) fn new(atoms: &'a dyn Atoms, instance: &'a Instance) -> Self {
        TupleLetters { worker: atoms.worker(), instance, cells: instance.cells.clone() }
    }
}

impl Letters for TupleLetters<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[Point]) -> Result<Letter, AtomFault> {
        self.instance.move_to(tracked, &mut self.cells);
        self.worker.of_state(state, &self.cells)
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[Point]) -> Letter {
        self.instance.move_to(tracked, &mut self.cells);
        self.worker.of_step(rule, arguments, &self.cells)
    }
}

/// Which process may move alone, for one tuple of tracked values at whatever points symmetry has moved
/// the tuple to.
pub(super) struct TupleChoice<'a> {
    chooser: Box<dyn Chooser + 'a>,
    instance: &'a Instance,
    /// The cells of the tracked variables.
    cells: Vec<i64>,
}

impl<'a> TupleChoice<'a> {
    pub(super) fn new(choices: &'a dyn Choices, instance: &'a Instance) -> Self {
        TupleChoice { chooser: choices.chooser(), instance, cells: instance.cells.clone() }
    }
}

impl Choice for TupleChoice<'_> {
    fn choose(&mut self, state: &[u64], tracked: &[Point]) -> Option<ProcessId> {
        self.instance.move_to(tracked, &mut self.cells);
        self.chooser.choose(state, &self.cells)
    }
}
