//! Systems written in Rust: a [`Protocol`] is checked like a model.
//!
//! ```
//! use isonomy::protocol::*;
//!
//! index! { pub Client }
//!
//! #[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
//! struct Lock { at: Map<Client, Phase>, holder: Option<Client> }
//!
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
//! enum Phase { Idle, Waiting, Inside }
//!
//! #[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
//! enum Event { Ask(Client), Enter(Client), Leave(Client) }
//!
//! struct Locks { clients: usize }
//!
//! impl Protocol for Locks {
//!     type State = Lock;
//!     type Event = Event;
//!
//!     fn indices(&self) -> Indices {
//!         Indices::new().with::<Client>(self.clients)
//!     }
//!
//!     fn starts(&self, all: &Indices) -> Vec<Lock> {
//!         vec![Lock { at: Map::filled(all, Phase::Idle), holder: None }]
//!     }
//!
//!     fn events(&self, lock: &Lock, enabled: &mut Vec<Event>) {
//!         for (client, phase) in lock.at.iter() {
//!             match phase {
//!                 Phase::Idle => enabled.push(Event::Ask(client)),
//!                 Phase::Waiting if lock.holder.is_none() => enabled.push(Event::Enter(client)),
//!                 Phase::Waiting => {}
//!                 Phase::Inside => enabled.push(Event::Leave(client)),
//!             }
//!         }
//!     }
//!
//!     fn next(&self, lock: &Lock, event: &Event) -> Option<Lock> {
//!         let mut lock = lock.clone();
//!         match *event {
//!             Event::Ask(client) => lock.at[client] = Phase::Waiting,
//!             Event::Enter(client) => (lock.at[client], lock.holder) = (Phase::Inside, Some(client)),
//!             Event::Leave(client) => (lock.at[client], lock.holder) = (Phase::Idle, None),
//!         }
//!         Some(lock)
//!     }
//!
//!     fn owner(&self, event: &Event) -> Owner {
//!         let (Event::Ask(client) | Event::Enter(client) | Event::Leave(client)) = *event;
//!         Owner::of(client)
//!     }
//!
//!     fn atoms(&self, atoms: &mut Atoms<Self>) {
//!         atoms
//!             .state1("waiting", |lock, c| lock.at[c] == Phase::Waiting)
//!             .state1("inside", |lock, c| lock.at[c] == Phase::Inside);
//!     }
//! }
//!
//! let access = "forall c: Client. G (waiting(c) -> F inside(c))";
//! let report = check(Locks { clients: 5 }).fairness(Fairness::Weak).formula(access)?.run()?;
//! assert!(!report.holds());                       // others may always be faster
//! let text = report.to_string();                  // with a run, executed on your own values
//! assert_holds!(Locks { clients: 5 }, access, fairness = Strong);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod frontend;
mod html;
mod json;
mod report;
mod runner;
mod text;
mod vacuity;

pub use crate::check::{Engine, Shortening};
pub use ::derive::Cells;
pub use ::protocol::*;
pub use certificate::{Certificate, Proof, Unproved};
pub use report::{Answer, Counts, Report, Stuck, Verdict};
pub use runner::{Check, CheckError, Verification, check, check_loose, explore};
pub use terms::{Fairness, Over};

/// Asserts that all fair runs of a protocol satisfy a formula, in a test. Otherwise it panics, with the
/// run that does not.
///
/// Options of [`Check`] are given by their names: `assert_holds!(Locks { clients: 3 }, "G F free",
/// fairness = Strong, over = Events)`.
#[macro_export]
macro_rules! assert_holds {
    ($protocol:expr, $formula:expr $(, $option:ident = $value:expr)* $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::protocol::{Fairness::*, Over::*};
        let check = match $crate::protocol::check($protocol).formula($formula) {
            ::core::result::Result::Ok(check) => check,
            ::core::result::Result::Err(error) => ::core::panic!("{error}"),
        };
        match check $(.$option($value))* .run() {
            ::core::result::Result::Ok(report) => ::core::assert!(report.holds(), "{report}"),
            ::core::result::Result::Err(error) => ::core::panic!("{error}"),
        }
    }};
}

pub use crate::assert_holds;
