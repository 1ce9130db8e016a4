//! Isonomy: a model checker for systems of interchangeable processes.
//!
//! Symmetry reduction, liveness and fairness, sound together. Data flows one way:
//!
//! ```text
//! formula text ─ ltl ─► formula ─ automata ─► Büchi automaton
//! ```
//!
//! [`ltl`] reads, simplifies and prints formulas and says what they mean; [`automata`] turns them
//! into automata, reduces, compares and prints those. The command line (`isonomy automaton`,
//! `isonomy formula`) is a thin layer over the two, and the only part that does I/O.

pub mod model;
pub mod system;
pub mod explore;

pub use automata;
pub use ltl;
