//! The judge's objections to a counterexample.

use crate::reference::Vocabulary;
use std::fmt;

/// What is wrong with a counterexample. Positions count steps from 0: the step at position k leads
/// from state k to state k + 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Objection<V: Vocabulary> {
    /// A tracked variable has no value.
    Unbound {
        /// Its name.
        name: String,
    },
    /// A tracked variable has more than one value.
    BoundTwice {
        /// Its name.
        name: String,
    },
    /// A variable has a value, but is no tracked variable of the formula.
    NotTracked {
        /// How messages call it.
        name: String,
    },
    /// The value of a tracked variable is not of its type.
    OfOtherType {
        /// The variable's name.
        name: String,
    },
    /// Two tracked variables that must be distinct have the same value.
    NotDistinct {
        /// The name of the first.
        first: String,
        /// The name of the second.
        second: String,
    },
    /// The run has no cycle, but the formula speaks of infinite runs.
    Finite,
    /// The run does not keep an obligation.
    Unfair {
        /// The party that it is an obligation to.
        to: String,
    },
    /// The judge would have to look at too many states or steps.
    TooLarge,
    /// The first state is no start state.
    NotAStart,
    /// The first state is a start state that violates a global assumption.
    StartCut,
    /// The system has no such step.
    NotAStep {
        /// The step.
        position: usize,
    },
    /// The step leads to a state that violates a global assumption.
    StepCut {
        /// The step.
        position: usize,
    },
    /// A stutter leads to another state.
    StutterMoves {
        /// The step.
        position: usize,
    },
    /// A state stutters although it has a step.
    NotStuck {
        /// The step.
        position: usize,
    },
    /// A state stutters all of whose steps lead to states that violate a global assumption: it is
    /// none of the system's states.
    Removed {
        /// The step.
        position: usize,
    },
    /// The state after the cycle is not the first one of the cycle.
    Open,
    /// A fault hides whether this is a start state or a step.
    Fails {
        /// The step; none for the start state.
        position: Option<usize>,
        /// The fault.
        failure: Box<V::Fault>,
    },
    /// An atom of the formula has no value.
    AtomFails {
        /// The number of the state, which is that of the step after it.
        position: usize,
        /// The atom, as written.
        atom: String,
        /// The fault.
        failure: Box<V::Fault>,
    },
    /// The run satisfies the formula.
    Satisfied,
    /// The claim is about the last state of a run, but the run has none.
    Infinite,
    /// The claim is about a property that the system does not have.
    NoSuchProperty,
    /// There are not so many choices of values around the property.
    NoSuchChoice,
    /// The property holds in the last state.
    Holds,
    /// A fault hides whether the property holds in the last state.
    PropertyFails {
        /// The fault.
        failure: Box<V::Fault>,
    },
    /// The fault that is claimed does not occur in the last state.
    NothingFails,
    /// The last state is no deadlock.
    NoDeadlock,
    /// From the last state a state is reachable where the property is true.
    Reachable {
        /// The least number of steps.
        steps: usize,
    },
    /// A renaming is not one of this system's index values.
    NotARenaming,
    /// A renaming is no symmetry of an index type.
    NotASymmetry {
        /// The name of the type.
        of: String,
    },
    /// A renaming changes the value of a tracked variable.
    Moves {
        /// The variable's name.
        name: String,
    },
    /// The state after the first lap is not the image of its first state.
    LapOpen,
    /// A later lap has another letter than the first.
    OtherLetter {
        /// The step.
        position: usize,
    },
    /// The component in which the run is said to stay is none.
    Component(Flaw<V>),
}

/// What is wrong with a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw<V: Vocabulary> {
    /// The stem does not end in the state of the component's first place.
    OtherPlace,
    /// A number in the component is that of no place, step, symmetry or element.
    NoSuchPart,
    /// There is no way from the first place to this one by steps without renaming, or none back.
    NotConnected {
        /// The place.
        place: usize,
    },
    /// A symmetry of a place changes its state.
    NotAlike,
    /// Another place is not the same state again, up to the renaming that is given.
    NotAgain {
        /// The other place.
        place: usize,
    },
    /// A path that takes all steps of the component infinitely often satisfies the formula.
    SatisfiedByPath,
    /// Something is wrong with a place of the component.
    AtPlace {
        /// The place.
        place: usize,
        /// The objection; its steps are those of the place.
        what: Box<Objection<V>>,
    },
}

impl<V: Vocabulary> fmt::Display for Objection<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Unbound { name } => write!(f, "`{name}` has no value"),
            Objection::BoundTwice { name } => write!(f, "`{name}` has more than one value"),
            Objection::NotTracked { name } => {
                write!(f, "a value is given to {name}, which is not tracked")
            }
            Objection::OfOtherType { name } => {
                write!(f, "the value of `{name}` is not of its type")
            }
            Objection::NotDistinct { first, second } => {
                write!(f, "`{first}` and `{second}` must be distinct, but have the same value")
            }
            Objection::Finite => write!(f, "the run ends, but the formula is about infinite runs"),
            Objection::NotAStart => write!(f, "the run does not begin in a start state"),
            Objection::StartCut => {
                write!(f, "the run begins in a state that violates an assumption")
            }
            Objection::NotAStep { position } => {
                write!(f, "step {} is no step of the model", position + 1)
            }
            Objection::StepCut { position } => {
                write!(f, "step {} leads to a state that violates an assumption", position + 1)
            }
            Objection::Unfair { to } => {
                write!(f, "the run is not fair: it has an unsatisfied obligation to {to}")
            }
            Objection::TooLarge => write!(f, "too much would have to be looked at"),
            Objection::StutterMoves { position } => {
                write!(f, "step {} changes the state, but no process is executed", position + 1)
            }
            Objection::NotStuck { position } => {
                write!(
                    f,
                    "no process is executed in step {}, but there is a step to take",
                    position + 1
                )
            }
            Objection::Removed { position } => write!(
                f,
                "no process is executed in step {}, but there are steps, all to states that violate an \
                 assumption",
                position + 1
            ),
            Objection::Open => write!(f, "the cycle does not lead back to its first state"),
            Objection::Fails { position: None, failure } => {
                write!(f, "an assumption fails in the first state: {failure}")
            }
            Objection::Fails { position: Some(position), failure } => {
                write!(f, "step {} cannot be checked: {failure}", position + 1)
            }
            Objection::AtomFails { position, atom, failure } => {
                write!(f, "`{atom}` has no value in state {position}: {failure}")
            }
            Objection::Satisfied => write!(f, "the run satisfies the formula"),
            Objection::Infinite => {
                write!(f, "the run is infinite, but the claim is about its last state")
            }
            Objection::NoSuchProperty => write!(f, "there is no such property"),
            Objection::NoSuchChoice => {
                write!(f, "there are not so many choices of values around the property")
            }
            Objection::Holds => write!(f, "the property holds in the last state"),
            Objection::PropertyFails { failure } => {
                write!(f, "the property has no value in the last state: {failure}")
            }
            Objection::NothingFails => {
                write!(f, "what is said to fail in the last state does not")
            }
            Objection::NoDeadlock => write!(f, "the last state is no deadlock"),
            Objection::Reachable { steps: 0 } => {
                write!(f, "the property is true in the last state")
            }
            Objection::Reachable { steps } => {
                let steps = if *steps == 1 { "1 step" } else { &format!("{steps} steps") };
                write!(f, "{steps} after the last state there is one where the property is true")
            }
            Objection::NotARenaming => {
                write!(f, "the permutation is not one of this model's index values")
            }
            Objection::NotASymmetry { of } => {
                write!(f, "the permutation of `{of}` is none that leaves the model as it is")
            }
            Objection::Moves { name } => {
                write!(f, "the permutation changes the value of `{name}`")
            }
            Objection::LapOpen => {
                write!(f, "the lap does not lead to what the permutation makes of its first state")
            }
            Objection::OtherLetter { position } => write!(
                f,
                "atoms differ at step {} from what they are in the first lap",
                position + 1
            ),
            Objection::Component(flaw) => write!(f, "{flaw}"),
        }
    }
}

impl<V: Vocabulary> fmt::Display for Flaw<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::OtherPlace => {
                write!(f, "the stem does not lead to the first place of the component")
            }
            Flaw::NoSuchPart => write!(f, "it names a part that the component does not have"),
            Flaw::NotConnected { place } => write!(
                f,
                "place {} is not reached from the first one by steps without permutation, or does \
                 not lead back",
                place + 1
            ),
            Flaw::NotAlike => write!(f, "a symmetry changes the state"),
            Flaw::NotAgain { place } => {
                write!(f, "place {} is not the same state again", place + 1)
            }
            Flaw::SatisfiedByPath => write!(
                f,
                "a run that takes all steps of the component infinitely often may satisfy the formula"
            ),
            Flaw::AtPlace { place, what } => write!(f, "at place {}: {what}", place + 1),
        }
    }
}

impl<V: Vocabulary> std::error::Error for Objection<V> {}
