//! Symmetry: permutations of indices, groups of them, and what they do to states.

pub mod permutation;
pub mod partition;
pub mod chain;

pub use chain::StabiliserChain;
pub use partition::OrbitPartition;
pub use permutation::{Permutation, Point};
