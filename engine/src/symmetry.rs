//! Symmetry: permutations of indices, groups of them, and their action on states.
//!
//! The values of all index types of a system are its *points* ([`Indices`]); the group is a product
//! over the types. A [`Structure`] derives the action of a permutation of points on a state from
//! the shapes of the variables alone ([`Action`]). Its [`Canonicaliser`]s compute the unique
//! representative of a state's orbit, the permutation that leads back, and the [`Stabiliser`] of a
//! state: the permutations that leave it unchanged. A [`Sorter`] is faster, but an orbit may have
//! several representatives. A [`StabiliserChain`] represents a group that is given by arbitrary
//! generators.

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

/// How states are reduced by symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Not at all: every state is its own representative.
    Off,
    /// One representative per orbit.
    Canonical,
    /// To a few representatives per orbit, which are found faster. The states of the unreduced
    /// system cannot be counted then, and global fairness cannot be decided.
    Sorted,
}
