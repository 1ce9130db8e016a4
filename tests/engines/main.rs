//! The engines against references: the interpreter, brute force, and each other.

mod agreement;
mod atoms;
mod canonical;
mod compiled;
mod explore;
mod quotient;
mod seeds;
