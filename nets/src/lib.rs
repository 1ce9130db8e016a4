//! Petri nets as a front end: place/transition nets and symmetric nets, as PNML has them.
//!
//! | module | contents |
//! |---|---|
//! | `net` | nets as they were read |
//! | `pnml` | the XML of nets |
//! | `formula`, `properties` | formulas, as text and as the XML of the Model Checking Contest |
//! | `symmetry` | which colours can be told apart |
//! | `print` | a net as a model text |
//! | `random` | random nets, for tests (feature `testing`) |
//! | `equation` | upper bounds of sums of tokens, by linear programming |
//! | `simplify` | formulas without what these bounds decide |
//! | `game` | the token game, by definition: the judge's view |
//! | `system` | packed markings: the engine's view |

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers of tokens and colours are limited where they are read"
)]

pub mod equation;
pub mod formula;
pub mod game;
pub mod net;
pub mod pnml;
pub mod print;
pub mod properties;
pub mod simplify;
#[cfg(any(test, feature = "testing"))]
pub mod random;
pub mod symmetry;
pub mod system;
pub mod text;

pub use formula::{Condition, Formula};
pub use game::{Fault, Firing, Game, Marking};
pub use net::Net;
pub use properties::{Property, Question};
pub use simplify::Simplifier;
pub use symmetry::Symmetry;
pub use system::{Bounds, Cycle, Figure, PackedNet, Walk, Watched};
