//! Machine code for rules and properties, made of their intermediate [form](super::form).
//!
//! A function is generated for each rule. It binds the levels of the scope one after another,
//! evaluates the conditions of each level as soon as it is bound, and executes the body wherever
//! all are true. So one call emits all steps from a state by one rule. The generated code makes no
//! calls. It writes a sequence of records, one for each step: the arguments of the event, then the
//! packed target. The target starts as a copy of the packed state, and a store to a cell of the
//! state is one to the target. Most bodies read nothing that they have written: these leave the
//! state in memory as it is. Other bodies store there, too; after the last record, the one that is
//! being executed logs the values that its stores overwrite, and it ends by undoing them:
//!
//! ```text
//! arguments, target | arguments, target | ... | 8 * cell, value before | 8 * cell, ...
//! ```
//!
//! Multisets are not put in order here: that is done to the packed targets ([`settle`](super::settle)).
//!
//! A function for a property returns whether its condition is true for all values of the scope
//! around it. One more function unpacks a state into memory.
//!
//! Generated code handles the usual cases only. Where it meets anything unusual (an undefined
//! value, a number out of range, a possible overflow, an error) it gives up, and the form is
//! [executed](super::execute) instead; where that fails, the interpreter takes over. So this code may
//! give up too often, but must never be wrong. Units that are too large for it ([`Unsupported`]) are
//! always executed by their forms.
//!
//! Every loop has a constant upper bound on its iterations. Therefore generated code terminates,
//! and the numbers of cells of memory and of records that it may touch are known in advance: see
//! [`call`].

mod call;
mod emit;
mod place;
mod statement;
mod unit;
mod value;
#[cfg(test)]
mod tests;

pub(crate) use call::Native;

use super::cells::Layout;
use super::form::{PropertyForm, RuleForm};
use model::checked::PropertyId;

/// The reason why there is no machine code for a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Unsupported(&'static str);

/// What is emitted, if it is supported.
type Compiled<T> = Result<T, Unsupported>;

/// The bounds of what generated code may touch, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Extent {
    /// Cells of the machine's memory, from its start.
    memory: usize,
    /// Cells of the records.
    records: usize,
}

/// The bounds and the `cover` statements of a generated function.
#[derive(Debug)]
struct CodeSummary {
    extent: Extent,
    /// `cover` statements, each with the cell that is set to 1 if its condition was true.
    covers: Vec<(PropertyId, usize)>,
    /// The most iterations of loops in one call, those of a body counted once.
    work: u64,
}

/// The most cells that the records of one call may take.
const MOST_RECORDS: u64 = 1 << 16;
/// The most loop iterations in one guard or body: generated code does not poll.
const MOST_WORK: u64 = 100_000;
/// The most cells that are copied or compared one by one.
const MOST_CELLS: usize = 128;
/// The most words of a packed state: they are copied one by one.
const MOST_WORDS: usize = 128;
/// The most cells of a state that generated code unpacks.
const MOST_UNPACKED: usize = 512;
/// The most iterations of a `while` loop; beyond it generated code gives up.
const MOST_TURNS: u64 = 256;
/// Generates code for all rules and properties that it supports; `None` if the processor is not
/// supported. Units use at most `frame` cells of memory after the state.
pub(crate) fn generate(
    layout: &Layout,
    rules: &[Option<RuleForm>],
    properties: &[Option<PropertyForm>],
    frame: usize,
) -> Option<Native> {
    let mut factory = call::Factory::new()?;
    let free = layout.cells() + frame;
    let rules = rules.iter().enumerate().map(|(k, form)| {
        let form = form.as_ref()?;
        factory.add("rule", k, &|effect, builder| unit::rule(layout, free, form, effect, builder))
    });
    let rules = rules.collect();
    let properties = properties.iter().enumerate().map(|(k, form)| {
        let form = form.as_ref()?;
        factory.add("property", k, &|_, builder| unit::property(layout, free, form, builder))
    });
    let properties = properties.collect();
    let unpack = factory.add("unpacking", 0, &|_, builder| unit::unpack(layout, builder));
    factory.finish(layout, rules, properties, unpack)
}
