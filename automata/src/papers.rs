//! The papers that this crate follows, as names that `cargo doc` checks.

/// J.-M. Couvreur. *On-the-fly Verification of Linear Temporal Logic.* (Tableau with promises.)
pub const COU99: &str = "FM 1999, LNCS 1708, 253-271";

/// R. E. Tarjan. *Depth-First Search and Linear Graph Algorithms.*
pub const TAR72: &str = "SIAM Journal on Computing 1(2), 1972, 146-160";
