//! The engine: what can be computed of a system whose states are packed.
//!
//! ```text
//! system ─ symmetry ─► representatives ─ quotient ─► product ◄─ automaton of the negation
//!                             │                         │
//!                          explore               search, fairness ─► find ─► concretise
//! ```
//!
//! A front end implements [`system::System`]. [`symmetry`] maps all states that differ by a
//! permutation of indices to one representative; [`explore`] visits all representatives;
//! [`quotient`] connects them by edges that carry the permutation that leads back to the concrete
//! step. [`instances`] chooses one tuple of tracked values per orbit. The [`product`] with an
//! automaton is searched ([`search`]) for a component that is fair ([`fairness`]); [`find`] takes a
//! lasso out of it, [`concretise`] undoes the permutations along it, and [`shorten`] looks for a
//! shorter one.
//!
//! The engine knows neither the model language nor the judge: its findings are packed states.

// Unit tests may cast: their numbers are small.
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

mod bits;
mod breadth;
pub mod concretise;
pub mod explore;
pub mod fairness;
pub mod find;
pub mod instances;
mod interned;
mod narrow;
pub mod papers;
pub mod product;
pub mod quotient;
mod rows;
pub mod search;
pub mod sets;
pub mod shorten;
mod space;
pub mod symmetry;
pub mod system;
