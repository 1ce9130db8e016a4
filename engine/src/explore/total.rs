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
}
