//! Walks that look for many tokens.
//!
//! What a walk has seen was reached: the largest value of a figure that is watched is at least that.

use super::PackedNet;
use engine::system::{Steps, System as _};
use run::SplitMix64;

impl PackedNet<'_> {
    /// Walks from the initial marking, each time to a marking with the most tokens in these places, or
    /// at random to one of several, until `is_over`, or nothing can fire. All that is watched is seen.
    pub fn climb(
        &self,
        places: &[usize],
        random: &mut SplitMix64,
        is_over: &mut dyn FnMut() -> bool,
    ) {
        let Some(Ok(start)) = self.starts().next() else { return };
        let mut worker = self.worker();
        let mut steps = Steps::default();
        let (mut at, words) = (start.to_vec(), self.layout.words());
        while !is_over() {
            steps.clear();
            worker.expand(&at, &mut steps);
            let total = |packed: &[u64]| -> u64 {
                places.iter().map(|&place| self.places[place].total(&self.layout, packed)).sum()
            };
            let targets = steps.targets.chunks_exact(words);
            let Some(most) = targets.clone().map(total).max() else { return };
            let best: Vec<&[u64]> = targets.filter(|&target| total(target) == most).collect();
            let next = best[(random.next() % best.len() as u64) as usize];
            at.copy_from_slice(next);
        }
    }
}
