//! Verdicts, with and without fairness, against brute force on the unreduced product.

mod check;
mod fairness;
mod frontend;
mod nets;
mod notions;
mod partial_order;
mod vacuity;
