//! Partial-order reduction: states out of which the steps of one process are enough.
//!
//! A front end that can analyse its rules says for a state, and for the values of a formula's tracked
//! variables there, which process may move alone ([`Chooser`]). The search then follows the steps of
//! that process only. That is sound if (C0) the process has an enabled step; (C1) its steps neither
//! read nor write what steps of others write, and change nothing that others read; (C2) its steps are
//! invisible to the formula and to declared requirements; (C3) each of its steps raises a rank that is
//! a function of the state and the same for all images of a state under symmetry; and what fairness
//! over events demands besides (C4 to C6). The front end is responsible for these conditions. They
//! are properties of the state alone, or of the state and the tracked values: it does not matter in
//! which order, by how many threads or by which engine states are visited.
//!
//! Which steps are *enabled*, for fairness and for deadlocks, is judged on all steps of a state.

use terms::FamilyId;

/// A process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcessId {
    /// Its family.
    pub family: FamilyId,
    /// Its cell there; none if it is the single process of the family.
    pub member: Option<i64>,
}

/// Chooses processes whose steps are enough, for one formula and the fairness that is demanded.
pub trait Choices: Sync {
    /// A chooser, which owns its scratch memory: one per thread.
    fn chooser(&self) -> Box<dyn Chooser + '_>;
}

/// Chooses a process in states.
pub trait Chooser: Send {
    /// A process whose steps out of this state are enough, if there is one. The tracked variables are
    /// given as cells. The same state and cells always give the same answer.
    fn choose(&mut self, state: &[u64], tracked: &[i64]) -> Option<ProcessId>;
}
