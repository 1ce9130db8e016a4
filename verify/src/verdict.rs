//! What the checker says of a certificate.

use run::StopReason;
use std::fmt;

/// Why a certificate is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A condition fails.
    Rejected(Rejected),
    /// It is no certificate: its bytes have no meaning.
    Malformed(String),
    /// A limit was reached.
    Stopped(StopReason),
}

/// A condition that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The condition.
    pub condition: Condition,
    /// Where it fails, and what is there.
    pub place: String,
}

/// The conditions of a certificate. Each is asked for in one place of this crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// Every renaming is in the group.
    Group,
    /// Every renaming takes the listed state to the one that it stands for.
    Fits,
    /// Nothing fails.
    NoFailure,
    /// Every state is as an invariant says.
    Invariant,
    /// Every state has a step.
    NoDeadlock,
    /// A state with distance 0 satisfies a `liveness` property.
    Near,
    /// A state with another distance has a step to a smaller one.
    Nearer,
    /// Every step of a removed state is cut, or leads to a removed one with a smaller number.
    Removed,
    /// Every state that is not removed has no step, or one to a state that is not removed.
    Kept,
    /// Every tuple of tracked values is the image of one that is proved.
    Tuples,
    /// Every start state has a node.
    Start,
    /// Every alternative of every step of a node leads to a node.
    Closed,
    /// Every node is eliminated at some moment, for the reason of that moment.
    Eliminated,
    /// `trim`: no edge from what is left leads to a node that is eliminated.
    Trim,
    /// `until`: what leads to a node that is eliminated is eliminated at the same time.
    UntilSource,
    /// `until`: and postpones.
    UntilPostponed,
    /// `unserved`: fairness to this family is demanded.
    Family,
    /// `unserved`: an object of a node was one of the node before.
    Carried,
    /// `unserved`: no step serves it.
    NotServed,
    /// `unserved`: no state serves it.
    Goal,
    /// `unserved`: a node that is eliminated has an object for which the premise is true.
    Premise,
    /// `class`: fairness to steps is demanded.
    Global,
    /// `class`: the states of what is eliminated are of one class.
    ClassOfState,
    /// `class`: and have a step of a class.
    ClassExists,
    /// `class`: that is taken by no edge of what is left.
    ClassTaken,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 25] = [
        Condition::Group,
        Condition::Fits,
        Condition::NoFailure,
        Condition::Invariant,
        Condition::NoDeadlock,
        Condition::Near,
        Condition::Nearer,
        Condition::Removed,
        Condition::Kept,
        Condition::Tuples,
        Condition::Start,
        Condition::Closed,
        Condition::Eliminated,
        Condition::Trim,
        Condition::UntilSource,
        Condition::UntilPostponed,
        Condition::Family,
        Condition::Carried,
        Condition::NotServed,
        Condition::Goal,
        Condition::Premise,
        Condition::Global,
        Condition::ClassOfState,
        Condition::ClassExists,
        Condition::ClassTaken,
    ];

    /// What it demands.
    pub const fn text(self) -> &'static str {
        match self {
            Condition::Group => "a renaming must be in the group of its index types",
            Condition::Fits => "a renaming must take the listed state to the one it stands for",
            Condition::NoFailure => "nothing may fail",
            Condition::Invariant => "the property must be true of every state",
            Condition::NoDeadlock => "every state must have a step",
            Condition::Near => "the property must be true where the distance is 0",
            Condition::Nearer => "there must be a step to a smaller distance",
            Condition::Removed => {
                "the steps of a removed state must be cut or lead to removed states before it"
            }
            Condition::Kept => {
                "a state that is not removed must have a step to another one, or no step at all"
            }
            Condition::Tuples => "every tuple of tracked values must be the image of a proved one",
            Condition::Start => "every start state must have a node",
            Condition::Closed => "every step and alternative must lead to a node",
            Condition::Eliminated => "every node must be eliminated for some reason",
            Condition::Trim => "no edge of what is left may lead to a trimmed node",
            Condition::UntilSource => {
                "what leads to a node that postpones for ever must be eliminated with it"
            }
            Condition::UntilPostponed => "the until must be postponed by every such edge",
            Condition::Family => "fairness to this family must be demanded",
            Condition::Carried => "an unserved object must have been unserved before",
            Condition::NotServed => "no step may serve an unserved object",
            Condition::Goal => "no state may serve an unserved object",
            Condition::Premise => "a node must owe something to an unserved object",
            Condition::Global => "fairness to every step must be demanded",
            Condition::ClassOfState => "the states of one moment must be of one class",
            Condition::ClassExists => "each must have a step of the class",
            Condition::ClassTaken => "no edge of what is left may take a step of the class",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejected(Rejected { condition, place }) => {
                write!(out, "{}: {place}", condition.text())
            }
            Refusal::Malformed(why) => write!(out, "it is no certificate: {why}"),
            Refusal::Stopped(reason) => write!(out, "{reason}"),
        }
    }
}

impl From<StopReason> for Refusal {
    fn from(reason: StopReason) -> Refusal {
        Refusal::Stopped(reason)
    }
}

/// A refusal of what has no meaning.
pub(crate) fn malformed(why: &str) -> Refusal {
    Refusal::Malformed(why.to_owned())
}

/// Asks for conditions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demands {
    /// The condition that is not asked for, to see whether it is needed.
    #[cfg(feature = "testing")]
    pub left_out: Option<Condition>,
}

impl Demands {
    /// A condition must be true. `place` says where it is not.
    pub fn ask(
        self,
        condition: Condition,
        is_true: bool,
        place: impl FnOnce() -> String,
    ) -> Result<(), Refusal> {
        #[cfg(feature = "testing")]
        if self.left_out == Some(condition) {
            return Ok(());
        }
        if is_true {
            return Ok(());
        }
        Err(Refusal::Rejected(Rejected { condition, place: place() }))
    }
}
