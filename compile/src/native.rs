//! Native code for rules and properties, beside the closures of [`compile`](super::compile).
//!
//! A function is generated for each rule: it goes through the values of the parameters, evaluates the
//! conjuncts of the guard as soon as what they need is bound, executes the body on the cells of the
//! state wherever the guard is true, and takes back what the body has changed there. So a
//! call tells all steps of a rule out of a state. It calls nobody. What it writes is a sequence of
//! records, one for each step: the arguments of the event, then the target, packed. That starts as a copy
//! of the packed state, and every store to a cell of the state is one to the target as well. Behind
//! the last record, the body that is being executed writes down what its stores have overwritten:
//!
//! ```text
//! arguments, target | arguments, target | ... | 8 * cell, value before | 8 * cell, value before | ...
//! ```
//!
//! A multiset that a body has written is put in order in the target when the body ends: see [`settle`].
//!
//! A function for a property says whether its condition is true for all values around it. One more
//! puts the cells of a packed state into memory.
//!
//! Generated code does the usual and nothing else. Where it meets anything unusual (an undefined value,
//! a number outside of its range, what might be an overflow, an error) it gives up, and closures are
//! asked about the state instead; where those fail, the interpreter is. So this code may give up too
//! often, but must never be wrong. Constructs that it does not know ([`Unsupported`]: recursion, loops with
//! bounds that are not constant, multisets as a whole) leave their rule to its closures.
//!
//! Every loop has a constant number of iterations, at most. Therefore generated code ends, and it is known
//! before how many cells of memory and of records it may touch: see [`call`].

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

/// What generated code may touch, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Extent {
    /// Of the machine's memory, from its start.
    memory: usize,
    /// Of the records.
    records: usize,
}

/// What is known of generated code.
#[derive(Debug)]
struct Summary {
    extent: Extent,
    /// `cover` statements, each with the cell that is 1 after one was true.
    covers: Vec<(PropertyId, usize)>,
}

/// Records of one call may take so many cells.
const MOST_RECORDS: usize = 1 << 16;
/// Iterations of loops in one guard or body: far fewer than what the interpreter allows.
const MOST_WORK: u64 = 100_000;
/// Cells that are copied or compared one by one.
const MOST_CELLS: usize = 128;
/// Words of a packed state, at most: they are copied one by one.
const MOST_WORDS: usize = 32;
/// Cells of a state that is unpacked by generated code.
const MOST_UNPACKED: usize = 512;
/// Iterations of a `while` loop; one that takes more gives up.
const MOST_TURNS: u64 = 64;
/// Slots of a multiset: to put it in order may take as many operations as pairs of them.
const MOST_SLOTS: usize = 128;
/// Multisets of one body, where those at equal distances count once.
const MOST_RUNS: usize = 8;
/// Calls that are expanded in one rule.
const MOST_CALLS: usize = 50;

/// Generates code for what it can be generated for; nothing at all if this machine is not known.
pub(super) fn generate(
    model: &Model,
    layout: &Layout,
    rules: &[Option<RuleCode>],
    frame: usize,
) -> Option<Native> {
    let mut factory = call::Factory::new()?;
    // Behind the frames of closures.
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
