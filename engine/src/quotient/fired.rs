//! Which rules have been fired in the states that were expanded so far.

use crate::system::Steps;
use num_bigint::BigUint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The rules that were fired. All threads that expand states share it. Once every rule was fired, it
/// takes one load for each state.
#[derive(Debug)]
pub(crate) struct Fired {
    /// By rule.
    rules: Box<[AtomicBool]>,
    /// The number of rules that were not.
    missing: AtomicUsize,
}

impl Fired {
    /// None of so many rules.
    pub(crate) fn new(rules: usize) -> Fired {
        let none = || AtomicBool::new(false);
        Fired {
            rules: std::iter::repeat_with(none).take(rules).collect(),
            missing: AtomicUsize::new(rules),
        }
    }

    /// Notes the rules of the steps out of a state.
    #[inline]
    pub(crate) fn note(&self, steps: &Steps) {
        if self.missing.load(Ordering::Relaxed) > 0 {
            let repeated = steps.repeated.iter().copied();
            steps
                .labels
                .iter()
                .map(|label| label.rule)
                .chain(repeated)
                .for_each(|one| self.add(one));
        }
    }

    /// Notes the rules of an exploration, by how often each was fired.
    pub(crate) fn note_counts(&self, counts: &[BigUint]) {
        let fired = (0..).zip(counts).filter(|(_, count)| **count != BigUint::ZERO);
        fired.for_each(|(rule, _)| self.add(rule));
    }

    #[inline]
    fn add(&self, rule: u32) {
        let one = &self.rules[rule as usize];
        if !one.load(Ordering::Relaxed) && !one.swap(true, Ordering::Relaxed) {
            self.missing.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// By rule: whether it was fired.
    pub(crate) fn known(&self) -> Vec<bool> {
        self.rules.iter().map(|one| one.load(Ordering::Relaxed)).collect()
    }
}
