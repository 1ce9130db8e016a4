//! Isonomy: a model checker for systems of interchangeable processes.
//!
//! Symmetry reduction, liveness and fairness, sound together. Data flows one way:
//!
//! ```text
//! formula text ─ ltl ─► formula ─ automata ─► Büchi automaton
//! model text ─ model ─► checked model ─ system ─► packed states, compiled steps ─ explore ─► reachable states
//!                             └─ model::interpret ─► the reference for everything compiled
//! ```
//!
//! [`ltl`] reads, simplifies and prints formulas and says what they mean; [`automata`] turns them
//! into automata, reduces, compares and prints those. [`model`] reads, checks and interprets models;
//! [`system`] compiles them for engines, of which [`explore`] is the first. The command line is a thin
//! layer over all this, and the only part that does I/O.

pub mod model;
pub mod system;
pub mod symmetry;
pub mod quotient;
pub mod explore;
pub mod papers;

pub use automata;
pub use ltl;
