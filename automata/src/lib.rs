//! Büchi automata of temporal formulas.
//!
//! The way of a formula through this crate, in the order of the modules: labels are Boolean
//! functions ([`guard`]), kept within [`limits`]; an [`automaton`] has them on its edges.
//!
//! The crate knows `ltl` and does no I/O.

pub mod papers;
pub mod limits;
pub mod guard;
pub mod automaton;
pub mod components;
pub mod tableau;

pub use automaton::{Automaton, Builder, Edge, Marks, State};
pub use components::Components;
pub use guard::{Cube, Guard, Guards};
pub use limits::{Limits, StopReason};
