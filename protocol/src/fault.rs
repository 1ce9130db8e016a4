//! Run-time errors of protocols, and the calls of the user's code that may have them.
//!
//! A panic in the user's code is caught ([`call`]) and becomes a [`Fault`]. The panic hook notes where
//! it happened and prints nothing meanwhile. An unwinding that is no panic (a run that stops while the
//! user's code polls) goes on.

use crate::shape::CellName;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::{BuildHasher as _, Hash};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A run-time error of a protocol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// The call of the user's code in which it occurs.
    pub call: Call,
    /// What is wrong.
    pub kind: FaultKind,
}

/// A call of the user's code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Call {
    /// `Protocol::starts`
    Starts,
    /// `Protocol::events`
    Events,
    /// `Protocol::next`, or what is done with its result, for an event.
    Next(String),
    /// `Protocol::owner`
    Owner(String),
    /// A property, by its name.
    Property(String),
    /// An atom, by its name.
    Atom(String),
    /// A requirement of fairness, by its name.
    Requirement(String),
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A panic.
    Panicked {
        /// The message.
        message: String,
        /// File, line and column.
        location: String,
    },
    /// A number does not fit into its field.
    Outside {
        /// The field, from the state on.
        field: String,
        /// The number.
        value: i64,
        /// The least number of the field.
        low: i64,
        /// The greatest number of the field.
        high: i64,
    },
    /// An owner is not one of the declared processes.
    UnknownProcess(String),
}

impl FaultKind {
    /// The first cell of a state whose value does not fit, if there is one.
    pub(crate) fn outside(places: &[CellName], cells: &[i64]) -> Option<FaultKind> {
        let mut both = places.iter().zip(cells);
        let (place, &value) = both.find(|(place, value)| !place.has_room_for(**value))?;
        Some(FaultKind::outside_of(place, value))
    }

    /// A value that does not fit into a cell.
    #[cold]
    pub(crate) fn outside_of(place: &CellName, value: i64) -> FaultKind {
        let high = place.low.wrapping_add((place.values - 1).cast_signed());
        FaultKind::Outside { field: place.name.clone(), value, low: place.low, high }
    }
}

/// Faults with the same key are one finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FaultKey {
    pub(crate) site: (usize, usize),
    pub(crate) kind: u32,
}

impl Fault {
    /// What makes it the same finding as others: the call and the place in the code, not the values.
    pub(crate) fn key(&self) -> FaultKey {
        let (site, name) = match &self.call {
            Call::Starts => (0, ""),
            Call::Events => (1, ""),
            // Which index takes part does not matter.
            Call::Next(event) => (2, event.split(['(', ' ', '{']).next().unwrap_or_default()),
            Call::Owner(event) => (3, event.split(['(', ' ', '{']).next().unwrap_or_default()),
            Call::Property(name) => (4, name.as_str()),
            Call::Atom(name) => (5, name.as_str()),
            Call::Requirement(name) => (6, name.as_str()),
        };
        let kind = match &self.kind {
            FaultKind::Panicked { location, .. } => hash(&(0, location)),
            // An element of a map stands for the others.
            FaultKind::Outside { field, .. } => hash(&(1, field.split('[').next())),
            FaultKind::UnknownProcess(name) => hash(&(2, name)),
        };
        FaultKey { site: (site, hash(&name) as usize), kind }
    }
}

fn hash(of: &impl Hash) -> u32 {
    foldhash::fast::FixedState::with_seed(7).hash_one(of) as u32
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.call)?;
        match &self.kind {
            FaultKind::Panicked { message, location } => {
                write!(out, " panicked at {location}: {message}")
            }
            FaultKind::Outside { field, value, low, high } => {
                write!(
                    out,
                    " makes a state in which `{field}` is {value}, outside of {low}..={high}"
                )
            }
            FaultKind::UnknownProcess(name) => write!(
                out,
                " is {name}, which is not a declared process: list it in `Protocol::processes`"
            ),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Starts => write!(out, "`starts`"),
            Call::Events => write!(out, "`events`"),
            Call::Next(event) => write!(out, "`next` for {event}"),
            Call::Owner(event) => write!(out, "the owner of {event}"),
            Call::Property(name) => write!(out, "the property \"{name}\""),
            Call::Atom(name) => write!(out, "the atom `{name}`"),
            Call::Requirement(name) => write!(out, "the requirement \"{name}\""),
        }
    }
}

thread_local! {
    /// Whether this thread executes the user's code.
    static CALLING: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic of the user's code was.
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets the panic hook be silent while the user's code is executed.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CALLING.get() {
                let location = info.location().map_or("an unknown place".to_owned(), |at| {
                    format!("{}:{}:{}", at.file(), at.line(), at.column())
                });
                LOCATION.set(Some(location));
            } else {
                before(info);
            }
        }));
    });
}

/// Calls the user's code. A panic is an error.
#[inline]
pub(crate) fn call<T>(code: impl FnOnce() -> T) -> Result<T, FaultKind> {
    let outer = CALLING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(code));
    CALLING.set(outer);
    result.map_err(|payload| {
        let Some(location) = LOCATION.take() else { panic::resume_unwind(payload) };
        let message = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()))
            .unwrap_or_else(|| "a value that is no text".to_owned());
        FaultKind::Panicked { message, location }
    })
}

/// To be called before the user's code is: sets the panic hook up.
pub(crate) fn prepare() {
    install_hook();
}
