//! Native code for rules and properties, beside the closures of [`closures`](super::closures).
//!
//! A function is generated for each rule. It loops over the values of the parameters, evaluates
//! each conjunct of the guard as soon as the locals that it needs are bound, executes the body on
//! the cells of the state wherever the guard is true, and undoes the body's changes. So one call
//! emits all steps from a state by one rule. The generated code makes no calls. It writes a
//! sequence of records, one for each step: the arguments of the event, then the packed target. The
//! target starts as a copy of the packed state, and every store to a cell of the state is also one
//! to the target. After the last record, the body that is being executed logs the values that its
//! stores overwrite:
//!
//! ```text
//! arguments, target | arguments, target | ... | 8 * cell, value before | 8 * cell, ...
//! ```
//!
//! A multiset that a body has written is put in order in the target when the body ends: see
//! [`settle`].
//!
//! A function for a property returns whether its condition is true for all values of the scope
//! around it. One more function unpacks a state into memory.
//!
//! Generated code handles the usual cases only. Where it meets anything unusual (an undefined
//! value, a number out of range, a possible overflow, an error) it gives up, and closures evaluate
//! the state instead; where those fail, the interpreter does. So this code may give up too often,
//! but must never be wrong. Rules with constructs that it does not support ([`Unsupported`]:
//! recursion, loops with bounds that are not constant, whole multisets) are left to their closures.
//!
//! Every loop has a constant upper bound on its iterations. Therefore generated code terminates,
//! and the numbers of cells of memory and of records that it may touch are known in advance: see
//! [`call`].

mod call;
mod emit;
mod expression;
mod multiset;
mod place;
mod settle;
mod statement;
mod unit;

pub(super) use call::Native;

use super::cells::Layout;
use super::closures::{Compiled, RuleCode, Unsupported};
use model::checked::{Model, PropertyId};

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
}

/// The most cells that the records of one call may take.
const MOST_RECORDS: usize = 1 << 16;
/// The most loop iterations in one guard or body: far fewer than the interpreter allows.
const MOST_WORK: u64 = 100_000;
/// The most cells that are copied or compared one by one.
const MOST_CELLS: usize = 128;
/// The most words of a packed state: they are copied one by one.
const MOST_WORDS: usize = 32;
/// The most cells of a state that generated code unpacks.
const MOST_UNPACKED: usize = 512;
/// The most iterations of a `while` loop; beyond it generated code gives up.
const MOST_TURNS: u64 = 64;
/// The most slots of a multiset: sorting it may take as many operations as there are pairs of
/// slots.
const MOST_SLOTS: usize = 128;
/// The most multisets that a body writes, where those at equal distances count once.
const MOST_RUNS: usize = 8;
/// The most calls that are expanded in one rule.
const MOST_CALLS: usize = 50;

/// Generates code for all rules and properties that it supports; `None` if the processor is not
/// supported.
pub(super) fn generate(
    model: &Model,
    layout: &Layout,
    rules: &[Option<RuleCode>],
    frame: usize,
) -> Option<Native> {
    let mut factory = call::Factory::new()?;
    // Cells after the frames of closures are free.
    let free = layout.cells() + frame;
    let mut made = Vec::new();
    for (rule, code) in model.rules.iter().zip(rules) {
        made.push(match code {
            Some(_) => factory.add(|builder| unit::rule(model, layout, free, rule, builder)),
            None => None,
        });
    }
    let properties = model.properties.iter().map(|property| {
        factory.add(|builder| unit::property(model, layout, free, property, builder))
    });
    let properties = properties.collect();
    let unpack = factory.add(|builder| unit::unpack(model, layout, builder));
    factory.finish(layout, made, properties, unpack)
}
