//! Compiles checked models for the engine.
//!
//! A [`CompiledModel`] is the [`System`](engine::system::System) of a checked model. Rules, properties,
//! start states and atoms are lowered (`lower`) to an intermediate form (`form`), which is executed
//! as it is (`execute`) and, for models with many states, by machine code (`native`); wherever
//! compiled code fails, the reference interpreter decides the outcome. [`cells`] maps values of the
//! model to the cells of packed states and back.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "cells hold positions and addresses, which are small and not negative"
)]

pub mod ample;
pub mod atoms;
pub mod cells;
mod compiled;
mod execute;
mod faults;
mod form;
mod lower;
mod machine;
mod native;
mod settle;

pub use atoms::CompiledAtoms;
pub use compiled::{Backend, CompiledModel};
