//! Symmetry: permutations of indices, groups of them, and what they do to states.
//!
//! The values of all index types of a system are its *points* ([`Indices`]); the group is a product over
//! the types. A [`Structure`] says what a permutation of points does to a state, by the shapes of the
//! variables alone ([`Action`]), and has [`Canonicaliser`]s find the one representative of a state's
//! orbit, the permutation that leads back, and the [`Stabiliser`] of a state: what leaves it as it is.
//! A [`Sorter`] is faster, but leaves several representatives in an orbit. A [`StabiliserChain`] knows a
//! group from any generators.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "cells and points are small and not negative where they are numbers of something"
)]

pub mod permutation;
mod indices;
pub mod chain;
mod partition;
mod stabiliser;
mod action;
mod keys;
mod ring;
mod colouring;
mod search;
mod canonical;
mod sorted;

pub use action::Action;
pub use canonical::{Canonicaliser, Structure};
pub use chain::StabiliserChain;
pub use indices::{IndexType, Indices};
pub use partition::OrbitPartition;
pub use permutation::{Permutation, Point};
pub use sorted::Sorter;
pub use stabiliser::{Reached, Stabiliser};

/// What is done about symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Nothing: all states.
    Off,
    /// One representative per orbit.
    Canonical,
    /// A few representatives per orbit, faster found. What there is without symmetry cannot be counted
    /// then, and global fairness not be judged.
    Sorted,
}
