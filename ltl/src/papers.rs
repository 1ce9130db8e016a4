//! The papers that this crate follows, as names that `cargo doc` checks.

/// K. Etessami, G. J. Holzmann. *Optimizing Büchi Automata.* (Pure eventuality and universality.)
pub const EH00: &str = "CONCUR 2000, LNCS 1877, 153-167";

/// F. Somenzi, R. Bloem. *Efficient Büchi Automata from LTL Formulae.* (Rewriting, syntactic
/// implication.)
pub const SB00: &str = "CAV 2000, LNCS 1855, 248-263";
