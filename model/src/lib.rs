//! Models: from text to a system whose states and steps can be computed.
//!
//! ```text
//! text ─ parser ─► syntax tree ─ check ─► checked model ─ interpret ─► states, steps
//!                       └─ printer ─► text
//! ```
//!
//! The language is Murphi as rumur and `CMurphi` read it, with index types whose symmetry is
//! guaranteed (`scalarset`, `ring`, `undirected ring`), processes, events, temporal properties and
//! fairness.

pub mod syntax;
pub mod parser;
pub mod printer;
pub mod types;
pub mod value;
pub mod checked;
pub mod interpret;
pub mod reference;
pub mod walk;
pub mod letters;
pub(crate) mod check;
mod symmetry;
pub mod locality;
pub mod action;
#[cfg(any(test, feature = "testing"))]
pub mod generate;

#[cfg(any(test, feature = "testing"))]
pub use check::check_without;
pub use check::{
    Definition, Errors, calculate, check, check_showing, check_with, compare, nearest,
};
#[cfg(any(test, feature = "testing"))]
pub use symmetry::rules::SymmetryRule;
