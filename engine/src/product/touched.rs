//! The representatives that were expanded, and how many edges they have.

use super::narrow::Narrow;
use crate::narrow::to_u32;
use crate::quotient::Representative;

/// The representatives whose edges a search requested, with the number of these edges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// By representative: the number of its edges plus one; 0 or absent if they were not requested.
    edges: Narrow,
    /// How many are not 0.
    representatives: u64,
}

impl Touched {
    /// Creates an empty set.
    pub fn new() -> Touched {
        Touched::default()
    }

    /// Inserts a representative that has `edges` edges.
    #[inline]
    pub fn insert(&mut self, of: Representative, edges: usize) {
        self.representatives += u64::from(!self.contains(of));
        self.edges.set(of.0 as usize, to_u32(edges) + 1);
    }

    /// Whether a representative was inserted.
    #[inline]
    pub fn contains(&self, of: Representative) -> bool {
        self.edges.get(of.0 as usize) != 0
    }

    /// Inserts the representatives that another search touched.
    pub fn extend(&mut self, other: &Touched) {
        for (at, more) in other.edges.iter().enumerate() {
            let known = self.edges.get(at);
            if more > known {
                self.representatives += u64::from(known == 0);
                self.edges.set(at, more);
            }
        }
    }

    /// The number of representatives.
    #[inline]
    pub fn representatives(&self) -> u64 {
        self.representatives
    }

    /// The total number of their edges.
    pub fn edges(&self) -> u64 {
        self.edges.iter().map(|edges| u64::from(edges.saturating_sub(1))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_searches_touch_counts_once() {
        let (mut one, mut other) = (Touched::new(), Touched::new());
        one.insert(Representative(3), 5);
        one.insert(Representative(3), 5);
        other.insert(Representative(3), 5);
        other.insert(Representative(7), 0);
        one.extend(&other);
        assert_eq!((one.representatives(), one.edges()), (2, 5));
        other.extend(&one);
        assert_eq!(other, one);
    }
}
