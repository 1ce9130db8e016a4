//! What every part of a run shares.
//!
//! [`limits`] says how far a run may go and why it stopped; [`watch`] has its progress, and how loops
//! ask whether to stop; [`source`] has texts, spans in them and messages about them; [`random`] has
//! seeded random numbers. This crate knows no other.

pub mod limits;
pub mod random;
pub mod source;
pub mod watch;

pub use limits::{Limits, StopReason};
pub use random::SplitMix64;
pub use source::{Diagnostic, Severity, Source, Sources, Span};
pub use watch::{Every, Pace, Progress, Ticker, Watch};
