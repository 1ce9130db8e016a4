//! What every part of a run shares.
//!
//! [`limits`] says how far a run may go and why it stopped; [`memory`] handles failed allocations;
//! [`watch`] has its progress, and how loops ask whether to stop; [`poll`](mod@poll) stops evaluations
//! from inside; [`threads`] knows of threads that could not be started, [`crew`] has some look at many items; [`source`] has texts, spans in
//! them and messages about them; [`random`] has seeded random numbers. This crate knows no other.

pub mod crew;
pub mod limits;
pub mod memory;
pub mod poll;
pub mod random;
pub mod source;
pub mod threads;
pub mod watch;

pub use crew::Crew;
pub use limits::{Limits, StopReason};
pub use poll::{poll, poll_for, polled, stoppable};
pub use random::SplitMix64;
pub use source::{Diagnostic, Piece, Severity, Source, Sources, Span};
pub use watch::{Every, Pace, Progress, Report, Ticker, Watch};
