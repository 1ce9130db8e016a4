//! Formulas from outside: their languages, their simplification, their families.

mod families;
mod simplify;
mod syntax;
