//! Random numbers from a seed: the same numbers on every machine and in every run.

/// The generator `SplitMix64` (G. L. Steele Jr., D. Lea, C. H. Flood: *Fast Splittable Pseudorandom
/// Number Generators*, OOPSLA 2014, 453-472): ten lines, and every seed is a good one.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "a generator never ends: there is no `None`")]
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`; 0 if `bound` is 0. (The bias is below `bound` / 2^64.)
    pub const fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { ((self.next() as u128 * bound as u128) >> 64) as usize }
    }

    /// One of the items; none if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let k = self.below(items.len());
        items.get(k)
    }
}
