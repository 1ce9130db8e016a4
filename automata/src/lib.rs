//! Büchi automata of temporal formulas.
//!
//! The way of a formula through this crate, in the order of the modules: labels are Boolean
//! functions ([`guard`]), kept within [`limits`]; an [`automaton`] has them on its edges, and its
//! [`components`] tell what it accepts. The [`tableau`] makes a first automaton of a formula,
//! [`reduce`] makes it small, [`mod@degeneralize`] gives it a single acceptance set on states;
//! Recurrent guarantees have a construction of their own ([`recurrence`]); [`translate`] does all of it. What an automaton [`accepts`](mod@accepts) is defined on lasso words; with
//! [`product`] and [`emptiness`], formulas are compared ([`compare`]) and classified
//! ([`mod@classify`]). Automata are written and read in several [`formats`].
//!
//! The crate knows `ltl` and does no I/O.
//!
//! ```
//! use automata::translate::{Acceptance, Effort, Translator};
//! use automata::{Limits, accepts};
//! use ltl::parser::{Language, parse};
//! use ltl::{Alphabet, Atoms, Formulas, Lasso, Letter};
//!
//! let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
//! let f = parse(Language::Spot, "F G p", &mut formulas, &mut atoms).expect("a formula");
//! let alphabet = Alphabet::of(&atoms).expect("few events");
//! let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
//! let automaton = translator.translate(&mut formulas, f, Acceptance::Buchi).expect("no limit");
//!
//! let p: Letter = [atoms.proposition("p")].into_iter().collect();
//! let word = Lasso::new(vec![Letter::new()], vec![p]).expect("a cycle");
//! assert!(accepts::accepts(&translator.guards, &automaton, &word));
//! ```

pub mod papers;
pub mod guard;
pub mod automaton;
pub mod components;
pub mod tableau;
pub mod reduce;
pub mod degeneralize;
pub mod accepts;
pub mod product;
mod subsets;
pub mod emptiness;
pub mod recurrence;
pub mod translate;
pub mod compare;
pub mod silent;
pub mod classify;
pub mod formats;

pub use automaton::{Automaton, Builder, Edge, Marking, Marks, State};
pub use components::Components;
pub use guard::{Cube, Guard, Guards};
pub use run::limits::{self, Limits, StopReason};
