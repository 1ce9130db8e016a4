//! Linear temporal logic over states and events (SE-LTL).
//!
//! A formula's way through this crate, in the order of the modules:
//! text with places ([`source`]) is read by [`parser`] into hash-consed formulas ([`formula`]) over
//! atoms ([`atoms`]; which letters exist say [`alphabet`] and, with variables, [`steps`]), brought into negation
//! normal form ([`normal`]), simplified ([`simplify`]) and printed ([`printer`]). What a formula
//! means is defined once, on lasso words ([`word`]); `generate` (feature `testing`)
//! makes formulas to test with.
//!
//! Of the workspace, the crate depends on `run` only. It does no I/O.
//!
//! ```
//! use ltl::parser::{Language, parse};
//! use ltl::printer::{Syntax, print};
//! use ltl::{Atoms, Formulas};
//!
//! let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
//! let f = parse(Language::Spot, "G(request -> F grant)", &mut formulas, &mut atoms).expect("a formula");
//! assert_eq!(print(&formulas, &atoms, f, Syntax::Spin).expect("short"), "[](request -> <>grant)");
//! ```

pub mod papers;
mod hash;
pub mod formula;
pub mod atoms;
pub mod alphabet;
pub mod steps;
pub mod parser;
pub mod printer;
pub mod normal;
pub mod simplify;
pub mod silent;
pub mod word;
#[cfg(any(test, feature = "testing"))]
pub mod generate;

pub use alphabet::Alphabet;
pub use atoms::{Argument, AtomKind, Atoms, EventPattern, NotAnEvent};
pub use formula::{Atom, Formula, Formulas, Node};
pub use run::source::{self, Diagnostic, Piece, Source, Sources, Span};
pub use simplify::{Level, Simplifier};
pub use word::{Lasso, Letter, Truth};
