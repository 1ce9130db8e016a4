//! The terms in which front ends, engine and judge speak about a system.
//!
//! A system has index types, whose values a [`Group`] permutes; steps, each with an event and the
//! process that executes it; properties of its states; and runs, of which a [`Demand`] selects the
//! fair ones. Front ends number these things, and the numbers are all that the engine and the judge
//! know of them. There is no code here that could be wrong in two places at once: definitions only.

/// An index type: a set of values of which none is special.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct IndexTypeId(pub u32);

/// An event: the name of what a step does. With its arguments it labels a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EventId(pub u32);

/// A family of processes: a single process, or one for each value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FamilyId(pub u32);

/// A property of states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(pub u32);

/// A group of permutations of an index type's values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// All permutations.
    Full,
    /// Rotations.
    Rotations,
    /// Rotations and reflections.
    Dihedral,
    /// The identity alone.
    Trivial,
}

/// What a property says of its condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// True in every state.
    Invariant,
    /// Like an invariant; as a statement: true whenever it is executed.
    Assert,
    /// States in which it is false are removed; as a statement: the step is abandoned.
    Assume,
    /// True in some state.
    Cover,
    /// From every state one is reachable where it is true (AG EF).
    Liveness,
}

/// Notions of fairness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fairness {
    /// Every run is fair.
    None,
    /// Whatever is eventually always enabled is executed infinitely often.
    Weak,
    /// Whatever is enabled infinitely often is executed infinitely often.
    Strong,
    /// Every step that is possible infinitely often is taken infinitely often.
    Global,
}

/// The objects that weak and strong fairness speak about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Over {
    /// Processes: the owners of steps.
    Processes,
    /// Events with their arguments: rule instances.
    Events,
}

/// Fairness that is declared for every instance of one rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum RuleFairness {
    /// `fair`: if eventually always enabled, then executed infinitely often.
    Weak,
    /// `strongly fair`: if enabled infinitely often, then executed infinitely often.
    Strong,
}

/// The runs that count for a formula: those that satisfy all of this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// The notion of fairness.
    pub fairness: Fairness,
    /// The objects of weak and strong fairness.
    pub over: Over,
    /// Whether the fairness that the system declares counts, too: justice, compassion, fair rules.
    pub declared: bool,
}

impl Demand {
    /// Every run counts.
    pub const NONE: Demand =
        Demand { fairness: Fairness::None, over: Over::Processes, declared: false };
}
