//! Isonomy: a model checker for systems of interchangeable processes.
//!
//! Symmetry reduction, liveness and fairness, sound together. This crate brings the others together:
//!
//! ```text
//! model text ─ model ─► checked model ─ compile ─► System ──┐
//! formula text ─ ltl ─► formula ─ automata ─► automaton ────┤
//!                                                           ├─ engine ─► run ─ judge ─► finding
//! your own type: Protocol, or FrontEnd ─────────────────────┘
//! ```
//!
//! [`check()`] and [`check_all`] answer temporal formulas, [`check_states`] answers properties of
//! states, [`explore()`] counts all states. They take any [`FrontEnd`]: a [`CompiledModel`], or a type
//! of your own. Every counterexample has been accepted by the [`judge`], which executes the system by
//! its reference and shares no code with the engine. [`Findings`] has all results as one list.
//!
//! A system that is written in Rust is a [`protocol::Protocol`]: your own types and code.
//!
//! The command line is a view of all this, and the only part that does I/O.
//!
//! # Example
//! Does every client that waits get in? Not if others may always be faster.
//!
//! ```
//! use isonomy::{CheckOptions, CompiledModel, Verdict, Watch, check, check_with};
//!
//! let text = "type client: scalarset(3);
//!     var at: array [client] of enum { Out, Waiting, In };
//!     startstate for c: client do at[c] := Out end end;
//!     process c: client do
//!       rule \"ask\"   at[c] = Out ==> at[c] := Waiting end;
//!       rule \"enter\" at[c] = Waiting & forall d: client do at[d] != In end ==> at[c] := In end;
//!       rule \"leave\" at[c] = In ==> at[c] := Out end;
//!     end;";
//! let formula = "forall c: client. G(at[c] = Waiting -> F at[c] = In)";
//! let model = check_with(text, &[], &[formula]).expect("a model without errors");
//! let system = CompiledModel::new(&model);
//! let outcome = check(&system, &model.questions[0], &CheckOptions::default(), &Watch::none());
//! let Verdict::Violated(found) = outcome.expect("the judge agrees").verdict else { panic!() };
//! assert!(!found.run.cycle.is_empty());
//! ```
//!
//! `docs/library.md` has more of them.

#![cfg_attr(
    not(feature = "testing"),
    allow(unreachable_pub, reason = "tests see more of the internal modules")
)]

/// Declares modules that only tests see from outside.
macro_rules! internal {
    ($($module:ident),*) => {
        $(
            #[cfg(not(feature = "testing"))]
            mod $module;
            #[cfg(feature = "testing")]
            pub mod $module;
        )*
    };
}

internal!(check, explore, finding, frontend, language, nets);
mod certify;
mod cli;
mod parts;
pub mod protocol;

pub use crate::certify::{certify, verify_compiled};
pub use ::certify::{Limits as CertificateLimits, Made as MadeCertificate, Uncertified};
pub use check::states::{
    Answer as StatesAnswer, Fault as StatesFault, Options as StatesOptions,
    Outcome as StatesOutcome, Reason as StatesReason, StatesStatistics, Verdict as StatesVerdict,
    Violated as StatesViolated, check_states, check_states_on,
};
pub use check::{
    AtomFailure, Cause, CheckStatistics, Counterexample, Engine, Failed, Method, Misjudged,
    Options as CheckOptions, Outcome, Reason, Rejected, Shortening, Unsound, Verdict, Warning,
    check, check_all, check_all_on, demanded,
};
pub use cli::run as command_line;
pub use compile::{Backend, CompiledModel};
pub use engine::explore::{Compression, Deadlock, Options as ExploreOptions, ViolationKind};
pub use engine::symmetry::Reduction;
pub use explore::{Exploration, Violation, explore};
pub use finding::{
    Asked, Evidence, Finding, FindingWarning, Findings, Item, Subject, Unknown,
    Verdict as FindingVerdict, Work,
};
pub use frontend::{BindingOf, FaultOf, FormulaOf, FrontEnd, StateOf, Variant, VocabularyOf};
pub use model::check_with;
pub use run::{Progress, StopReason, Watch};
pub use terms::{Demand, Fairness, Over};

// The crates below, for front ends and for those who need a part of the checker alone.
pub use {automata, engine, judge, ltl, model, run, terms, verify};

/// The examples of the book, which are tested as those of the library are.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../docs/library.md")]
    struct Library;

    #[doc = include_str!("../docs/rust.md")]
    struct Rust;
}
