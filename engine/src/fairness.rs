//! Fairness, exact under symmetry.
//!
//! The obligations of a run of the unreduced system to a process or an event cannot be read off the
//! quotient, because a quotient does not identify processes. But a strongly connected set C of
//! product nodes has a *loop group* H: the group that the permutations along its cycles, and the
//! symmetries of its nodes, generate. C treats all objects of an orbit under H in the same way. So
//! a requirement is a question about orbits of H on objects ([`objects`], [`requirements`]). The
//! module [`component`] decides which sets carry a fair run, while the sets grow. The module
//! [`cycle`] constructs such a run, with every single object, or [`spanned`] does if a globally
//! fair run is too long for that.

pub mod annotation;
pub mod component;
pub mod cycle;
mod global;
pub mod global_cycle;
mod inner;
pub mod knowledge;
mod loop_group;
pub mod objects;
pub mod part;
mod potentials;
pub mod requirements;
pub mod rules;
pub mod spanned;
mod words;
