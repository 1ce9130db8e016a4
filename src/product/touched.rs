//! Which representatives were needed, and how many edges they have.

use crate::quotient::Representative;

/// The representatives whose edges were asked for, and how many those are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched {
    /// By representative: how many edges it has, plus one; 0, or nothing yet, if nobody asked.
    edges: Vec<u32>,
}

impl Touched {
    /// None.
    pub fn new() -> Touched {
        Touched::default()
    }

    /// One that has so many edges.
    #[inline]
    pub fn insert(&mut self, of: Representative, edges: usize) {
        let at = of.0 as usize;
        if self.edges.len() <= at {
            self.edges.resize(at + 1, 0);
        }
        self.edges[at] = edges as u32 + 1;
    }

    /// Those of another search, too.
    pub fn extend(&mut self, other: &Touched) {
        if self.edges.len() < other.edges.len() {
            self.edges.resize(other.edges.len(), 0);
        }
        for (known, &more) in self.edges.iter_mut().zip(&other.edges) {
            *known = more.max(*known);
        }
    }

    /// How many there are.
    pub fn representatives(&self) -> u64 {
        self.edges.iter().filter(|&&edges| edges != 0).count() as u64
    }

    /// How many edges they have.
    pub fn edges(&self) -> u64 {
        self.edges.iter().map(|&edges| u64::from(edges.saturating_sub(1))).sum()
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
