//! Atoms of formulas: which are true of a state, which of a step.
//!
//! A formula may have tracked variables (`forall c: client.` in front of it). Each has a value for
//! the whole run, which is a cell, as the parts of a state are ([`layout`](super::layout)).

use super::FaultId;
use super::layout::Shape;
use crate::symmetry::{Indices, Point};

/// The atoms that are true, as bits: that of atom k is bit k.
pub type Letter = u64;

/// More atoms do not fit into a letter.
pub const MOST_ATOMS: usize = Letter::BITS as usize;

/// The atoms of one formula, at most [`MOST_ATOMS`].
pub trait Atoms: Sync {
    /// A worker, which owns its scratch memory: one per thread.
    fn worker(&self) -> Box<dyn AtomWorker + '_>;
}

/// Evaluates atoms. The tracked variables are given as cells.
pub trait AtomWorker: Send {
    /// The atoms about states that are true of a packed state. All of them are evaluated; if
    /// several fail, the first one is the fault.
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault>;

    /// The atoms about steps that are true of a step of this rule with these cells of arguments.
    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[i64]) -> Letter;
}

/// An atom cannot be evaluated in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomFault {
    /// The atom.
    pub atom: ltl::Atom,
    /// The reason.
    pub fault: FaultId,
}

/// The tracked variables of a formula, in groups that are declared together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrackedVariables {
    /// The groups, in order.
    pub groups: Vec<TrackedGroup>,
}

/// Tracked variables that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedGroup {
    /// The values of each: a [`Shape::Simple`].
    pub values: Shape,
    /// How many variables there are.
    pub variables: usize,
    /// Whether no two of them have the same value.
    pub distinct: bool,
    /// Whether the formula is the same in whatever order these variables have their values: they are
    /// distinct and have all values that there are. Then one of these orders is asked about.
    pub stands_for_all: bool,
}

impl TrackedVariables {
    /// The values of each variable, in order.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.groups.iter().flat_map(|group| std::iter::repeat_n(&group.values, group.variables))
    }
}

/// The point of a simple value, if the value is an index.
pub fn point_of(indices: &Indices, shape: &Shape, cell: i64) -> Option<Point> {
    let Shape::Simple { indices: types, .. } = shape else {
        unreachable!("only simple values are in one cell")
    };
    types.iter().find_map(|&(of, first)| {
        let points = indices.points_of(of);
        let at = u32::try_from(cell.checked_sub(first)?).ok()?;
        (at < points.end - points.start).then(|| points.start + at)
    })
}
