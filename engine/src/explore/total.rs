//! Sums that may exceed any machine word: the counts of the unreduced system.
//!
//! An orbit has |G| / |Stab| states. Where the order of the group fits into 128 bits, so does every
//! orbit's size, and nothing is allocated; larger numbers are as long as necessary.

use crate::symmetry::Stabiliser;
use num_bigint::BigUint;

/// The number of states that a representative stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    Small(u128),
    Large(BigUint),
}

impl Weight {
    /// The weight of a state that stands for itself alone.
    pub(super) const ONE: Weight = Weight::Small(1);

    /// The size of an orbit of a group of this order, by the stabiliser of one of its states.
    pub(super) fn of_orbit(group: &Weight, stabiliser: &Stabiliser) -> Weight {
        match (group, stabiliser.small_order()) {
            (Weight::Small(group), Some(order)) => Weight::Small(group / order),
            (Weight::Small(group), None) => Weight::of(BigUint::from(*group) / stabiliser.order()),
            (Weight::Large(group), _) => Weight::of(group / stabiliser.order()),
        }
    }

    /// The weight of this number of states.
    pub(super) fn of(number: BigUint) -> Weight {
        u128::try_from(&number).map_or(Weight::Large(number), Weight::Small)
    }
}

/// A sum of weights.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Total {
    /// The part of the sum that has not been carried into `large` yet.
    small: u128,
    large: BigUint,
}

impl Total {
    /// Adds a weight `times` times.
    pub(super) fn add(&mut self, weight: &Weight, times: u64) {
        let product = match weight {
            Weight::Small(weight) => weight.checked_mul(u128::from(times)),
            Weight::Large(_) => None,
        };
        match product.and_then(|product| self.small.checked_add(product)) {
            Some(sum) => self.small = sum,
            None => {
                self.large += match weight {
                    Weight::Small(weight) => BigUint::from(*weight) * times,
                    Weight::Large(weight) => weight * times,
                };
            }
        }
    }

    /// Whether nothing was added, or nothing but zeros.
    pub(super) fn is_zero(&self) -> bool {
        self.small == 0 && self.large == BigUint::ZERO
    }

    /// Makes the sum zero.
    pub(super) fn clear(&mut self) {
        self.small = 0;
        if self.large != BigUint::ZERO {
            self.large = BigUint::ZERO;
        }
    }

    /// Adds another sum.
    pub(super) fn merge(&mut self, other: &Total) {
        self.add(&Weight::Small(other.small), 1);
        if other.large != BigUint::ZERO {
            self.large += &other.large;
        }
    }

    /// The sum.
    pub(super) fn sum(&self) -> BigUint {
        &self.large + self.small
    }
}

/// Sums by number. Those that are not zero are known, so that clearing and merging take time for them
/// only: there may be thousands of rules, and few of them enabled in a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// By number.
    sums: Vec<Total>,
    /// The numbers whose sum is not zero, each once.
    known: Vec<u32>,
}

impl Tally {
    /// Adds a weight `times` times to the sum of this number.
    #[inline]
    pub(super) fn add(&mut self, number: u32, weight: &Weight, times: u64) {
        if times > 0 {
            self.sum(number).add(weight, times);
        }
    }

    /// The sum of this number, to which something will be added.
    fn sum(&mut self, number: u32) -> &mut Total {
        let at = number as usize;
        if at >= self.sums.len() {
            self.sums.resize_with(at + 1, Total::default);
        }
        let sum = &mut self.sums[at];
        if sum.is_zero() {
            self.known.push(number);
        }
        sum
    }

    /// Makes all sums zero.
    pub(super) fn clear(&mut self) {
        for number in self.known.drain(..) {
            self.sums[number as usize].clear();
        }
    }

    /// Adds other sums.
    pub(super) fn merge(&mut self, other: &Tally) {
        for &number in &other.known {
            self.sum(number).merge(&other.sums[number as usize]);
        }
    }

    /// The first `count` sums.
    pub(super) fn sums(&self, count: usize) -> Vec<BigUint> {
        let sum = |at| self.sums.get(at).map_or(BigUint::ZERO, Total::sum);
        (0..count).map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_words() {
        let most = BigUint::from(u128::MAX);
        let mut total = Total::default();
        total.add(&Weight::Small(u128::MAX), 1);
        total.add(&Weight::ONE, 5);
        total.add(&Weight::Small(u128::MAX), 7);
        total.add(&Weight::of(&most * 3_u32), 2);
        let mut twice = total.clone();
        twice.merge(&total);
        assert_eq!(total.sum(), &most * 14_u32 + 5_u32);
        assert_eq!(twice.sum(), &most * 28_u32 + 10_u32);
    }

    #[test]
    fn sums_by_number() {
        let mut one = Tally::default();
        one.add(3, &Weight::Small(2), 5);
        one.add(1, &Weight::ONE, 7);
        one.add(3, &Weight::ONE, 1);
        let mut other = Tally::default();
        other.add(4, &Weight::ONE, 2);
        other.merge(&one);
        let numbers = |all: [u32; 5]| all.map(BigUint::from).to_vec();
        assert_eq!(one.sums(5), numbers([0, 7, 0, 11, 0]));
        assert_eq!(other.sums(5), numbers([0, 7, 0, 11, 2]));
        one.clear();
        assert_eq!(one.sums(5), numbers([0; 5]));
        one.add(3, &Weight::ONE, 4);
        assert_eq!(one.sums(4), numbers([0, 0, 0, 4, 0])[..4]);
    }
}
