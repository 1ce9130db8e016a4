//! Systems written in Rust: what holds of them, what their authors may get wrong, and what is said.

mod faults;
mod formulas;
mod results;
mod sneaky;
mod types;
