//! Systems written in Rust.
//!
//! A [`Protocol`] describes a system by the user's own types: states, events, and functions of them.
//! [`Cells`], which is derived, says where the indices of a value are. Everything else follows: packed
//! states and symmetry for the engine ([`Prepared`]), plain values for the judge ([`Plain`]), and a test
//! that the user's code does not tell indices apart ([`verify()`]).
//!
//! | module | contents |
//! |---|---|
//! | `index` | index types: no order, no number, no constructor |
//! | `shape`, `cells` | which cells a value has, and the trait [`Cells`] |
//! | `changes` | what a step changes: only cells that differ are written |
//! | `numbers`, `standard`, `collections` | the types that have cells |
//! | `protocol` | the trait [`Protocol`], atoms, properties, fairness |
//! | `formula` | formulas, whose atoms are closures |
//! | `coding`, `loose` | states and events as cells: by their parts, or by their hashes |
//! | `value`, `code` | states, events and the code of a protocol without their types |
//! | `system` | a protocol as the engine sees it |
//! | `plain` | a protocol as the judge sees it |
//! | `fault` | panics and numbers outside of their range, as run-time errors |
//! | `verify` | tests of the promises that a protocol makes |

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "cells hold positions and members of small ranges, which are checked when they are written"
)]

mod cells;
mod changes;
mod code;
mod coding;
mod collections;
mod fault;
mod formula;
mod index;
mod loose;
mod numbers;
mod plain;
mod protocol;
mod shape;
mod standard;
mod system;
mod value;
pub mod verify;

pub use cells::{Cells, Reader, Renaming, Writer, of_index};
pub use changes::Changes;
pub use coding::{Coding, EventKind, Typed};
pub use collections::{Bag, Fifo, Map};
pub use fault::{Call, Fault, FaultKey, FaultKind};
pub use formula::{Formula, FormulaError};
pub use index::{Index, Indices, Number, Seal};
pub use loose::Loose;
pub use numbers::Ranged;
pub use plain::{AnyWords, IndexValue, Occurrence, Plain, Words, typed_run};
pub use protocol::{Atoms, EventNames, Owner, Properties, Protocol, Requirements};
pub use shape::{CellName, Shape, Simple, Variant};
pub use standard::names;
pub use system::{Beat, FormulaAtoms, Prepared, RequirementAtoms, SetupError};
pub use terms::Group;
pub use value::Value;
pub use verify::{Broken, Promise, Verified, verify};
