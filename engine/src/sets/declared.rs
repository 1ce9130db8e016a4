//! What declared requirements say of states.

use crate::fairness::requirements::Requirements;
use crate::instances::instances;
use crate::product::Stop;
use crate::symmetry::Indices;
use crate::system::{AtomWorker, Atoms};

/// By declared requirement: the cells of each of its objects.
pub(super) type Tuples = Vec<Vec<Vec<i64>>>;

/// The objects of all declared requirements.
pub(super) fn tuples(requirements: &Requirements, indices: &Indices) -> Tuples {
    let frozen = indices.frozen();
    let of = |tracked| instances(tracked, &frozen).map(|instance| instance.cells).collect();
    requirements.declared().iter().map(|one| of(&one.tracked)).collect()
}

/// Evaluates the conditions of declared requirements, in one thread.
pub(super) struct Declared<'d> {
    tuples: &'d Tuples,
    workers: Vec<Box<dyn AtomWorker + 'd>>,
    said: Vec<u64>,
}

impl<'d> Declared<'d> {
    pub(super) fn new(tuples: &'d Tuples, atoms: &'d [Box<dyn Atoms + 'd>]) -> Self {
        let workers = tuples.iter().zip(atoms).map(|(_, atoms)| atoms.worker()).collect();
        Declared { tuples, workers, said: Vec::new() }
    }

    /// Two bits for each object of each requirement, in their order: the premise and the conclusion,
    /// or the only condition.
    pub(super) fn said(&mut self, state: &[u64]) -> Result<&Vec<u64>, Stop> {
        self.said.clear();
        let mut at = 0;
        for (tuples, worker) in self.tuples.iter().zip(&mut self.workers) {
            for cells in tuples {
                run::poll();
                let letter =
                    worker.of_state(state, cells).map_err(|failed| Stop::from(failed.fault))?;
                if at % 64 == 0 {
                    self.said.push(0);
                }
                *self.said.last_mut().expect("one was pushed") |= (letter & 3) << (at % 64);
                at += 2;
            }
        }
        Ok(&self.said)
    }
}
