//! What the judge says of a counterexample that is none.

use model::checked::LocalId;
use model::interpret::Failure;
use std::fmt;

/// What is wrong with a counterexample. Positions count steps from 0: the step at position k leads
/// from state k to state k + 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Objection {
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
    /// There is a value for something that is no tracked variable of the formula.
    NotTracked {
        /// What.
        local: LocalId,
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
    /// The run owes something to somebody and never serves him.
    Unfair {
        /// To whom.
        to: String,
    },
    /// It would take too long to see whether it is true.
    TooLarge,
    /// The first state is no start state.
    NotAStart,
    /// The first state is a start state that violates a global assumption.
    StartCut,
    /// There is no such step.
    NotAStep {
        /// Which.
        position: usize,
    },
    /// The step leads to a state that violates a global assumption.
    StepCut {
        /// Which.
        position: usize,
    },
    /// Nobody acts, but the state behind is another one.
    StutterMoves {
        /// Which step.
        position: usize,
    },
    /// Nobody acts, although the state has a step.
    NotStuck {
        /// Which step.
        position: usize,
    },
    /// Nobody acts in a state all of whose steps lead to states that violate a global assumption: it
    /// is none of the system's states.
    Removed {
        /// Which step.
        position: usize,
    },
    /// The state behind the cycle is not the first one of the cycle.
    Open,
    /// Whether this is a start state or a step cannot be known: something fails.
    Fails {
        /// Which step; none for the start state.
        position: Option<usize>,
        /// What happens.
        failure: Box<Failure>,
    },
    /// An atom of the formula has no value.
    AtomFails {
        /// In the state before which step.
        position: usize,
        /// The atom, as written.
        atom: String,
        /// What happens.
        failure: Box<Failure>,
    },
    /// The run satisfies the formula.
    Satisfied,
    /// The claim is about the last state of a run, but the run has none.
    Infinite,
    /// The claim is about something that the model does not have.
    NoSuchProperty,
    /// There are not so many choices of values around the property.
    NoSuchChoice,
    /// The property holds in the last state.
    Holds,
    /// Whether the property holds in the last state cannot be known: it fails.
    PropertyFails {
        /// What happens.
        failure: Box<Failure>,
    },
    /// Nothing fails in the last state, or not what is claimed to.
    NothingFails,
    /// The last state is no deadlock.
    NoDeadlock,
    /// From the last state a state is reachable where the property is true.
    Reachable {
        /// In so many steps.
        steps: usize,
    },
    /// What takes a lap to the next is no renaming of this model's index values.
    NotARenaming,
    /// What takes a lap to the next is no symmetry of an index type.
    NotASymmetry {
        /// The name of the type.
        of: String,
    },
    /// What takes a lap to the next changes the value of a tracked variable.
    Moves {
        /// The variable's name.
        name: String,
    },
    /// The state behind the first lap is not what the renaming makes of its first state.
    LapOpen,
    /// A later lap has another letter than the first.
    OtherLetter {
        /// At which step.
        position: usize,
    },
    /// The component in which the run is said to stay is none.
    Component(Flaw),
}

/// What is wrong with a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The stem does not end in the state of the component's first place.
    OtherPlace,
    /// Something in the component has a number that nothing has.
    NoSuchPart,
    /// There is no way from the first place to this one by steps without renaming, or none back.
    NotConnected {
        /// The place.
        place: usize,
    },
    /// A symmetry of a place changes its state.
    NotAlike,
    /// Another place is not, up to the renaming that is told, the same state again.
    NotAgain {
        /// The other place.
        place: usize,
    },
    /// A path that takes all steps of the component again and again satisfies the formula.
    SatisfiedByPath,
    /// Something is wrong with a place of the component; steps are those of the place.
    AtPlace {
        /// The place.
        place: usize,
        /// What.
        what: Box<Objection>,
    },
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Unbound { name } => write!(f, "`{name}` has no value"),
            Objection::BoundTwice { name } => write!(f, "`{name}` has more than one value"),
            Objection::NotTracked { local } => {
                write!(f, "a value is given to local {}, which is not tracked", local.0)
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
                write!(f, "the run is not fair: it owes something to {to}")
            }
            Objection::TooLarge => write!(f, "too much would have to be looked at"),
            Objection::StutterMoves { position } => {
                write!(f, "step {} changes the state, but nobody acts", position + 1)
            }
            Objection::NotStuck { position } => {
                write!(f, "nobody acts in step {}, but there is a step to take", position + 1)
            }
            Objection::Removed { position } => write!(
                f,
                "nobody acts in step {}, but there are steps, all to states that violate an \
                 assumption",
                position + 1
            ),
            Objection::Open => write!(f, "the cycle does not lead back to its first state"),
            Objection::Fails { position: None, failure } => {
                write!(f, "an assumption fails in the first state: {}", failure.message)
            }
            Objection::Fails { position: Some(position), failure } => {
                write!(f, "step {} cannot be checked: {}", position + 1, failure.message)
            }
            Objection::AtomFails { position, atom, failure } => {
                write!(f, "`{atom}` has no value in state {position}: {}", failure.message)
            }
            Objection::Satisfied => write!(f, "the run satisfies the formula"),
            Objection::Infinite => {
                write!(f, "the run goes on for ever, but the claim is about its last state")
            }
            Objection::NoSuchProperty => write!(f, "there is no such property"),
            Objection::NoSuchChoice => {
                write!(f, "there are not so many choices of values around the property")
            }
            Objection::Holds => write!(f, "the property holds in the last state"),
            Objection::PropertyFails { failure } => {
                write!(f, "the property has no value in the last state: {}", failure.message)
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

impl fmt::Display for Flaw {
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
                "a run that takes all steps of the component again and again may satisfy the formula"
            ),
            Flaw::AtPlace { place, what } => write!(f, "at place {}: {what}", place + 1),
        }
    }
}

impl std::error::Error for Objection {}
