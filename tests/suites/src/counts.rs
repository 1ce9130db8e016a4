//! What a suite has compared, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Totals over all cases, from any number of threads.
#[derive(Default, Debug)]
pub struct Counts {
    /// Systems that were generated: models, states, formulas, whatever questions are asked about.
    pub systems: AtomicU64,
    /// Questions whose right answer the reference knows, and the checker has given it.
    pub questions: AtomicU64,
    /// Answers to these questions. A question may be asked in several ways: by several engines, with and without
    /// symmetry, on several words.
    pub answers: AtomicU64,
    /// Questions that were not decided: the system is too large for the reference, fails, or is no model.
    pub undecided: AtomicU64,
}

impl Counts {
    pub fn add(&self, systems: usize, questions: usize, answers: usize, undecided: usize) {
        let all = [&self.systems, &self.questions, &self.answers, &self.undecided];
        for (total, number) in all.into_iter().zip([systems, questions, answers, undecided]) {
            total.fetch_add(number as u64, Ordering::Relaxed);
        }
    }

    /// Systems, questions, answers, undecided.
    pub fn totals(&self) -> [u64; 4] {
        [&self.systems, &self.questions, &self.answers, &self.undecided]
            .map(|one| one.load(Ordering::Relaxed))
    }
}
