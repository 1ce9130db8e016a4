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

/// Declares the conditions, each with what it demands.
macro_rules! conditions {
    ($($name:ident $text:literal)+) => {
        /// The conditions of a certificate. Each is asked for in one place of this crate.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Condition {
            $(#[doc = $text] $name,)+
        }

        impl Condition {
            /// All of them.
            pub const ALL: &[Condition] = &[$(Condition::$name),+];

            /// What it demands.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Condition::$name => $text,)+
                }
            }
        }
    };
}

conditions! {
    Group "a renaming must be in the group of its index types"
    Fits "a renaming must take the listed state to the one it stands for"
    NoFailure "nothing may fail"
    Invariant "the property must be true of every state"
    NoDeadlock "every state must have a step"
    Near "the property must be true where the distance is 0"
    Nearer "there must be a step to a smaller distance"
    Removed "the steps of a removed state must be cut or lead to removed states before it"
    Kept "a state that is not removed must have a step to another one, or no step at all"
    Tuples "every tuple of tracked values must be the image of a proved one"
    Start "every start state must have a node"
    Closed "every step and alternative must lead to a node"
    Eliminated "every node must be eliminated for some reason"
    Trim "`trim`: no edge of what is left may lead to a node that is eliminated"
    UntilSource "`until`: what leads to a node that is eliminated must be eliminated with it"
    UntilPostponed "`until`: every such edge must postpone it"
    Family "`unserved`: fairness to the family must be demanded"
    Carried "`unserved`: an object must have been unserved in the node before"
    NotServed "`unserved`: no step may serve an object"
    Goal "`unserved`: no state may serve an object"
    Premise "`unserved`: the premise must be true of an object where a node is eliminated"
    Global "`class`: fairness to every step must be demanded"
    ClassExists "`class`: the state of what is eliminated must have a step of a class"
    ClassTaken "`class`: no edge of what is left may take a step of such a class"
    Ascends "`order`: no edge of what is left may lead to a part before its own"
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

    /// What was computed must not have failed (**`NoFailure`**).
    pub fn sound<T, E>(
        self,
        answer: Result<T, E>,
        place: impl FnOnce() -> String,
    ) -> Result<Option<T>, Refusal> {
        self.ask(Condition::NoFailure, answer.is_ok(), place)?;
        Ok(answer.ok())
    }
}
