//! The papers that this crate follows, as names that `cargo doc` checks.

/// I. Beer, S. Ben-David, C. Eisner, Y. Rodeh. *Efficient Detection of Vacuity in Temporal Model Checking.*
pub const BBER01: &str = "Formal Methods in System Design 18(2), 2001, 141-163";

/// J.-M. Couvreur. *On-the-fly Verification of Linear Temporal Logic.* (Search with generalized
/// acceptance.)
pub const COU99: &str = "FM 1999, LNCS 1708, 253-271";

/// E. A. Emerson, A. P. Sistla. *Utilizing Symmetry when Model-Checking under Fairness Assumptions: An
/// Automata-Theoretic Approach.* (Annotated quotient and threaded structures.)
pub const ES97: &str = "ACM TOPLAS 19(4), 1997, 617-638";

/// H. N. Gabow. *Path-Based Depth-First Search for Strong and Biconnected Components.*
pub const GAB00: &str = "Information Processing Letters 74, 2000, 107-114";

/// V. Gyuris, A. P. Sistla. *On-the-Fly Model Checking under Fairness that Exploits Symmetry.* (State
/// symmetry, dropped edges, three ways to keep edges.)
pub const GS99: &str = "Formal Methods in System Design 15(3), 1999, 217-238";

/// B. D. `McKay`. *Practical Graph Isomorphism.* (Individualisation and refinement.)
pub const MCK81: &str = "Congressus Numerantium 30, 1981, 45-87";

/// Y. Shiloach. *Fast Canonization of Circular Strings.*
pub const SHI81: &str = "Journal of Algorithms 2(2), 1981, 107-121";

/// C. C. Sims. *Computational Methods in the Study of Permutation Groups.* (Stabiliser chains.)
pub const SIM70: &str = "Computational Problems in Abstract Algebra, Pergamon 1970, 169-183";
