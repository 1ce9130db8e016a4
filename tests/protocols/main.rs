//! Systems written in Rust: what holds of them, beside the same systems as model texts (`twins`,
//! `random`); what their authors may get wrong (`sneaky`, `faults`, `formulas`, `compile_errors`); and what is said of them
//! (`results`, `types`, `changes`).

mod changes;
mod compile_errors;
mod faults;
mod formulas;
mod random;
mod replay;
mod results;
mod sneaky;
mod twins;
mod types;
