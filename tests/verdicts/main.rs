//! Verdicts, with and without fairness, against brute force on the unreduced product.

mod brute_force;
mod check;
mod fairness;
mod frontend;
mod notions;
mod systems;
mod vacuity;
