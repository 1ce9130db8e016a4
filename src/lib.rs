//! Isonomy: a model checker for systems of interchangeable processes.
//!
//! Symmetry reduction, liveness and fairness, sound together. Data flows one way:
//!
//! ```text
//! formula text ─ ltl ─► formula ─ automata ─► Büchi automaton
//! model text ─ model ─► checked model ─ system ─► packed states, compiled steps ─ explore ─► reachable states
//!                             │                       └─ symmetry ─► representatives ─ quotient ─► annotated edges
//!                             └─ model::interpret ─► the reference for everything compiled
//! ```
//!
//! [`ltl`] reads, simplifies and prints formulas and says what they mean; [`automata`] turns them
//! into automata, reduces, compares and prints those. [`model`] reads, checks and interprets models;
//! [`system`] compiles them for engines, of which [`explore`] is the first. [`symmetry`] finds one
//! representative of all states that differ by a permutation of indices only, and [`quotient`] connects
//! representatives by edges that say which permutation leads back to the concrete step. [`property`]
//! makes of a formula the questions that remain when symmetry is taken into account; [`check`] answers
//! them: the [`product`] with an automaton is searched ([`search`]) for runs that are fair ([`fairness`]), and
//! what is found to be wrong is a [`counterexample`], which a judge accepts that knows the interpreter only. All results
//! of a check, of whatever kind, are a list of [`finding`]s. The command line is a thin layer over all this, and the
//! only part that does I/O.
//!
//! # Example
//! Does everybody who waits get in? Not if the others may always be faster.
//!
//! ```
//! use isonomy::check::{Options, Verdict, check};
//! use isonomy::model::check_with;
//! use isonomy::system::CompiledModel;
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
//! let outcome = check(&system, &model.questions[0], &Options::default(), &|_| None);
//! let Verdict::Violated(found) = outcome.expect("the judge agrees").verdict else { panic!() };
//! assert!(!found.run.cycle.is_empty());
//! ```
//!
//! `docs/library.md` has more of them.

pub mod check;
pub mod counterexample;
pub mod explore;
pub mod finding;
pub mod frontend;
pub mod language;

pub use automata;
pub use engine::{fairness, instances, papers, product, quotient, search, symmetry};
pub use ltl;
pub use model;
pub use run;

/// Systems for the engine: packed states and their steps.
pub mod system {
    pub use compile::{Backend, CompiledModel, cells};
    pub use engine::system::*;
    /// Atoms of formulas.
    pub mod atoms {
        pub use compile::atoms::*;
        pub use engine::system::atoms::*;
    }
}

/// The examples of the book, which are tested as those of the library are.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../docs/library.md")]
    struct Library;
}
