//! Systems: packed states and their steps, as the engine sees them.
//!
//! The engine knows states as runs of words ([`Layout`]) and asks a [`Worker`], one per thread, what
//! is true of a state and which steps leave it. A front end implements [`System`]; everything else
//! that the engine must know of rules, processes, events and properties are summaries. A run-time
//! error is a [`FaultId`]: the front end keeps the errors and explains them.

pub mod ample;
pub mod atoms;
#[cfg(test)]
pub(crate) mod example;
pub mod layout;
pub(crate) mod states;

pub use ample::{Choices, Chooser, ProcessId};
pub use atoms::{AtomFault, AtomWorker, Atoms, TrackedVariables};
pub use layout::{Layout, Shape};

use crate::symmetry::Indices;
use hashbrown::HashMap;
use terms::{EventId, FamilyId, PropertyId, PropertyKind, RuleFairness};

/// A transition system over packed states.
pub trait System: Sync {
    /// How states are packed.
    fn layout(&self) -> &Layout;

    /// The start states, one by one; equal ones may come more than once. One whose construction
    /// fails is a fault.
    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_>;

    /// Whether the group of [`System::indices`] maps start states to start states. If it does not, the
    /// start states stand for all their images: formulas must have no tracked variables then, and what
    /// an exploration counts is what is reached from the images, too. Runs begin in a state of
    /// [`System::starts`] nevertheless. By default it does.
    fn starts_are_closed(&self) -> bool {
        true
    }

    /// The `cover` statements that are true while start states are made.
    fn covered_by_starts(&self) -> Vec<PropertyId> {
        Vec::new()
    }

    /// The index types, and the group of their symmetries: every element g of it maps start states
    /// to start states (but see [`System::starts_are_closed`]); s → t is a step exactly if g(s) → g(t) is one, with the arguments of its event
    /// renamed by g; and a property is true of g(s) exactly if it is true of s. By default there are
    /// no index types.
    fn indices(&self) -> Indices {
        Indices::new([])
    }

    /// The rules, by the number in [`Label::rule`].
    fn rules(&self) -> Vec<RuleSummary>;

    /// The properties of states, by [`PropertyId`].
    fn properties(&self) -> Vec<PropertySummary>;

    /// The families of processes, by [`FamilyId`].
    fn families(&self) -> Vec<FamilySummary>;

    /// The events, by [`EventId`].
    fn events(&self) -> Vec<EventSummary>;

    /// The justice and compassion requirements that the system declares. By default there are none.
    fn requirements(&self) -> Vec<RequirementSummary> {
        Vec::new()
    }

    /// The conditions of the declared requirements, in the same order: of each the premise, if it
    /// has one, then the conclusion.
    fn requirement_atoms(&self) -> Vec<Box<dyn Atoms + '_>> {
        Vec::new()
    }

    /// Describes a fault that this system or one of its workers has returned.
    fn fault(&self, fault: FaultId) -> FaultSummary;

    /// A worker, which owns its scratch memory: one per thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// A run-time error, by its number in the front end's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FaultId(pub u32);

/// What the engine must know of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultSummary {
    /// Where it occurs in the description of the system. Findings are sorted by it.
    pub site: (usize, usize),
    /// What kind of error it is. Faults of one kind at one site are one finding.
    pub kind: u32,
    /// The `assert` statement that is false, if that is the error.
    pub assertion: Option<PropertyId>,
    /// The property of states that cannot be evaluated, if that is the error. Otherwise it is a rule,
    /// a start state or an assumption.
    pub property: Option<PropertyId>,
}

impl FaultSummary {
    /// Whether both faults are one finding.
    pub fn is_same_finding(&self, other: &FaultSummary) -> bool {
        (self.site, self.kind) == (other.site, other.kind)
    }
}

/// What the engine must know of a family of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FamilySummary {
    /// The simple shape of its members, one process for each value; none if it is a single process.
    pub members: Option<Shape>,
}

/// What the engine must know of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventSummary {
    /// The fairness that is declared for its instances.
    pub fairness: Option<RuleFairness>,
}

/// What the engine must know of a declared requirement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequirementSummary {
    /// The variables that it is required for.
    pub tracked: TrackedVariables,
    /// Whether it has a premise (compassion) or not (justice).
    pub has_premise: bool,
}

/// What the engine must know of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSummary {
    /// The event of its steps.
    pub event: EventId,
    /// The shapes of the event's arguments, in order.
    pub arguments: Vec<Shape>,
    /// The process that executes its steps.
    pub owner: OwnerSummary,
}

/// Which process executes the steps of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OwnerSummary {
    /// The single process of a family.
    Single(FamilyId),
    /// The process that an argument of the event names.
    Argument {
        /// The cell of the argument.
        cell: usize,
        /// By the value of that cell: the family of the process, and its cell there. An index may
        /// be a member of several families. Steps with other values have no owner: fairness to
        /// processes does not ask for them.
        members: HashMap<i64, (FamilyId, i64)>,
    },
}

impl OwnerSummary {
    /// The process that executes a step with these cells of arguments, if there is one.
    pub fn process(&self, arguments: &[i64]) -> Option<ProcessId> {
        match self {
            OwnerSummary::Single(family) => Some(ProcessId { family: *family, member: None }),
            OwnerSummary::Argument { cell, members } => {
                let &(family, member) = members.get(&arguments[*cell])?;
                Some(ProcessId { family, member: Some(member) })
            }
        }
    }

    /// The cell of the arguments that names the process, if there is more than one.
    pub fn cell(&self) -> Option<usize> {
        match self {
            OwnerSummary::Single(_) => None,
            OwnerSummary::Argument { cell, .. } => Some(*cell),
        }
    }
}

/// What the engine must know of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertySummary {
    /// What is said.
    pub kind: PropertyKind,
    /// Whether it is a statement, so that steps tell of it, and not states.
    pub is_statement: bool,
    /// What stands around it: the shapes of simple values, outermost first, each with as many values
    /// as there are choices, counted from 0. The first choice is the first value of each; the values of
    /// the last change fastest.
    pub parameters: Vec<Shape>,
}

/// Answers questions about states.
pub trait Worker: Send {
    /// Whether a state satisfies all global assumptions.
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId>;

    /// What a top-level property says of a state, one answer per choice of values for its parameters,
    /// in order.
    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, FaultId>>;

    /// Whether a top-level property says something wrong of a state for some choice of values: it
    /// is false, or it fails. Cheaper than [`Worker::property`].
    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool;

    /// Whether a top-level property is false for every choice of values, and fails for none. Front
    /// ends may have a cheaper way than [`Worker::property`].
    fn is_false_everywhere(&mut self, state: &[u64], property: PropertyId) -> bool {
        self.property(state, property).iter().all(|one| *one == Ok(false))
    }

    /// The steps out of a state, appended to what is there. Steps to states that violate an
    /// assumption are among them.
    fn expand(&mut self, state: &[u64], steps: &mut Steps);
}

/// Steps out of some states, in flat memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Packed targets, one behind the other.
    pub targets: Vec<u64>,
    /// One per target.
    pub labels: Vec<Label>,
    /// The arguments of the events, one behind the other, as cells.
    pub arguments: Vec<i64>,
    /// The rules of instances that were fired, but made a step that another instance had made: equal
    /// steps come once.
    pub repeated: Vec<u32>,
    /// Run-time errors of guards and bodies.
    pub faults: Vec<FaultId>,
    /// `cover` statements that were true.
    pub covered: Vec<PropertyId>,
}

/// Targets of fewer words than this need no question of their own.
const LARGE_TARGET: usize = 64;

/// What a step is, short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// The rule, by its position in the model: with the arguments it says the event and who
    /// executes the step.
    pub rule: u32,
    /// Where its arguments start in [`Steps::arguments`]; they end where those of the next start.
    pub first_argument: u32,
    /// Whether the target is the source.
    pub stutters: bool,
}

impl Steps {
    /// The number of rule instances that were fired, equal steps included; an abandoned one does not
    /// count.
    pub fn fired(&self) -> u64 {
        (self.labels.len() + self.repeated.len()) as u64
    }

    /// The cells of a step's arguments.
    pub fn arguments_of(&self, step: usize) -> &[i64] {
        let start = self.labels[step].first_argument as usize;
        let end = self
            .labels
            .get(step + 1)
            .map_or(self.arguments.len(), |next| next.first_argument as usize);
        &self.arguments[start..end]
    }

    /// To be called by workers before they append a target of so many words: many large targets take
    /// much memory in little time. Does not return if the run should stop.
    #[inline]
    pub fn count(words: usize) {
        if words >= LARGE_TARGET {
            run::poll_for((words / LARGE_TARGET) as u64);
        }
    }

    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.targets.clear();
        self.labels.clear();
        self.arguments.clear();
        self.repeated.clear();
        self.faults.clear();
        self.covered.clear();
    }
}
