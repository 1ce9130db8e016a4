//! Fairness, exact under symmetry.
//!
//! What a run of the unreduced system owes to a process or an event cannot be read off the quotient: there
//! nobody knows who is who. But a strongly connected set C of product nodes has a *loop group* H: what the
//! permutations along its cycles, and the symmetries of its nodes, generate. What C does to one object, it
//! does to all of its orbit under H. So a requirement is a question about orbits of H on objects
//! ([`objects`], [`requirements`]). Which sets carry a fair run is decided by [`component`], while they
//! grow; what such a run looks like, for every single object, by [`cycle`], or, if a globally fair one is too long
//! for that, by [`spanned`].

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
