//! The papers that this crate follows, as names that `cargo doc` checks.

/// K. Etessami, G. J. Holzmann. *Optimizing Büchi Automata.* (Pure eventuality and universality.)
pub const EH00: &str = "CONCUR 2000, LNCS 1877, 153-167";
