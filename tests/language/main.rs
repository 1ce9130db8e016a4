//! The model language: what it means, what is said about mistakes, and which symmetries it promises.

mod arguments;
mod corpora;
mod errors;
mod fixtures;
mod formulas;
mod headers;
mod letters;
mod questions;
mod symmetry;
mod words;
