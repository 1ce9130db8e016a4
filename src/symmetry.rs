//! Symmetry: permutations of indices, groups of them, and what they do to states.

pub mod permutation;

pub use permutation::{Permutation, Point};
