//! The model language: what it means, what is said about mistakes, and which symmetries it promises.

mod errors;
mod fixtures;
mod formulas;
mod headers;
mod questions;
mod symmetry;
