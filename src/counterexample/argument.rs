//! Why a run is fair, so that whoever reads a counterexample can see it, too.
//!
//! To some parties a fair run owes something: to all processes, to events, or to the tuples of a declared
//! requirement. The argument names, for each of them, one place of the cycle where it gets what it is owed, or
//! says that it is never owed anything. Under global fairness, which owes something to every step, it is a count.
//!
//! Events that are enabled nowhere in the cycle are not listed: nothing is owed to them, weakly or strongly, and
//! there may be very many. Of an event to which both is owed, the strong debt is told: whoever pays that has paid
//! the weak one.
//!
//! If the cycle is given by its first lap, the run does to g(x) in the next lap what it does to x in this one. So a
//! party may be served some laps later, where it takes the place of one that is served in this lap. Events that are
//! listed are those of this lap; what is said of one is true, later, of its images.

use super::renaming::Renaming;
use model::checked::Model;
use model::interpret::{Event, Process};
use model::value::Scalar;

/// Why a run is fair.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Argument {
    /// To whom something is owed, and why he cannot complain; each party once.
    pub kept: Vec<Kept>,
    /// Whether something is owed to events that are enabled.
    pub events: OwedEvents,
    /// How much there is to take, if all steps must be taken.
    pub all_steps: Option<AllSteps>,
}

/// To which events something is owed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OwedEvents {
    /// To none.
    #[default]
    None,
    /// To those of rules that are declared fair.
    OfFairRules,
    /// To all.
    All,
}

/// All steps of all states of the cycle are taken in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AllSteps {
    /// States.
    pub states: usize,
    /// Steps, none twice.
    pub steps: usize,
}

/// A debt that is paid, or was never incurred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// To whom.
    pub party: Party,
    /// Whether it would be incurred by what is so again and again; else, by what is so for ever.
    pub is_strong: bool,
    /// Why he cannot complain.
    pub reason: Reason,
}

/// Somebody, or something, to whom a fair run owes something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Party {
    /// A process.
    Process(Process),
    /// An event with its arguments.
    Event(Event),
    /// Values of the tracked variables of a requirement, which is given by its position in
    /// [`Model::requirements`].
    Tuple(usize, Vec<Scalar>),
}

/// Why a party cannot complain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A step of the cycle is its own.
    Executed(Place),
    /// It is not enabled in a state of the cycle, so not for ever.
    Disabled(Place),
    /// What the requirement wants is true in a state of the cycle.
    True(Place),
    /// It is never enabled in the cycle; or the premise of the requirement is never true there.
    Never,
}

/// Where something happens in the cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// At this step of the run, or in the state before it. Steps of the stem count; the first is 0.
    pub position: usize,
    /// If not in the lap that is written down, in which.
    pub later: Option<Later>,
}

/// A later lap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Later {
    /// So many laps later; at least one.
    pub laps: usize,
    /// To whom it happens in the lap that is written down.
    pub instead: Party,
}

impl Argument {
    /// Whether nothing was demanded.
    pub fn is_empty(&self) -> bool {
        *self == Argument::default()
    }
}

impl Reason {
    /// Where it is seen, if anywhere.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Reason::Executed(place) | Reason::Disabled(place) | Reason::True(place) => Some(place),
            Reason::Never => None,
        }
    }
}

impl Party {
    /// Its image.
    #[must_use]
    pub fn renamed(&self, model: &Model, by: &Renaming) -> Party {
        match self {
            Party::Process(process) => Party::Process(by.process(process)),
            Party::Event(event) => Party::Event(by.event(model, event)),
            Party::Tuple(k, values) => {
                Party::Tuple(*k, values.iter().map(|&value| by.scalar(value)).collect())
            }
        }
    }

    /// As people read it: `client_0`, `grant(client_0)`, `"served"(client_0)`.
    pub fn show(&self, model: &Model) -> String {
        match self {
            Party::Process(process) => process.show(model),
            Party::Event(event) => event.show(model),
            Party::Tuple(k, values) => {
                let requirement = &model.requirements[*k];
                let name = match &requirement.name {
                    Some(name) => format!("\"{name}\""),
                    None if requirement.premise.is_some() => "compassion".to_owned(),
                    None => "justice".to_owned(),
                };
                if values.is_empty() {
                    return name;
                }
                let values: Vec<_> = values.iter().map(|value| value.show(&model.types)).collect();
                format!("{name}({})", values.join(", "))
            }
        }
    }
}
