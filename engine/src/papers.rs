//! The papers that this crate follows, as names that `cargo doc` checks.

/// I. Beer, S. Ben-David, C. Eisner, Y. Rodeh. *Efficient Detection of Vacuity in Temporal Model
/// Checking.*
pub const BBER01: &str = "Formal Methods in System Design 18(2), 2001, 141-163";

/// D. Bošnački. *A Nested Depth First Search Algorithm for Model Checking with Symmetry Reduction.*
/// (RNDFS, MRNDFS; several representatives.)
pub const BOS02: &str = "FORTE 2002, LNCS 2529, 65-80";

/// J.-M. Couvreur, A. Duret-Lutz, D. Poitrenaud. *On-the-Fly Emptiness Checks for Generalized Büchi
/// Automata.* (Weights on the path of a nested search.)
pub const CDP05: &str = "SPIN 2005, LNCS 3639, 169-184";

/// J.-M. Couvreur. *On-the-fly Verification of Linear Temporal Logic.* (Search with generalized
/// acceptance.)
pub const COU99: &str = "FM 1999, LNCS 1708, 253-271";

/// I. Černá, R. Pelánek. *Distributed Explicit Fair Cycle Detection (Set Based Approach).* (OWCTY:
/// one way catch them young.)
pub const CP03: &str = "SPIN 2003, LNCS 2648, 49-73";

/// C. Courcoubetis, M. Vardi, P. Wolper, M. Yannakakis. *Memory-Efficient Algorithms for the
/// Verification of Temporal Properties.* (Nested depth-first search.)
pub const CVWY92: &str = "Formal Methods in System Design 1, 1992, 275-288";

/// P. C. Dillinger, P. Manolios. *Bloom Filters in Probabilistic Verification.* (Enhanced double
/// hashing.)
pub const DM04: &str = "FMCAD 2004, LNCS 3312, 367-381";

/// E. A. Emerson, A. P. Sistla. *Utilizing Symmetry when Model-Checking under Fairness Assumptions:
/// An Automata-Theoretic Approach.* (Annotated quotient and threaded structures.)
pub const ES97: &str = "ACM TOPLAS 19(4), 1997, 617-638";

/// H. N. Gabow. *Path-Based Depth-First Search for Strong and Biconnected Components.*
pub const GAB00: &str = "Information Processing Letters 74, 2000, 107-114";

/// V. Gyuris, A. P. Sistla. *On-the-Fly Model Checking under Fairness that Exploits Symmetry.*
/// (State symmetry, dropped edges, three ways to keep edges.)
pub const GS99: &str = "Formal Methods in System Design 15(3), 1999, 217-238";

/// G. J. Holzmann. *An Analysis of Bitstate Hashing.*
pub const HOL98: &str = "Formal Methods in System Design 13(3), 1998, 289-307";

/// A. Laarman, J. van de Pol, M. Weber. *Parallel Recursive State Compression for Free.* (States as
/// trees of shared parts.)
pub const LPW11: &str = "SPIN 2011, LNCS 6823, 38-56";

/// B. D. `McKay`. *Practical Graph Isomorphism.* (Individualisation and refinement.)
pub const MCK81: &str = "Congressus Numerantium 30, 1981, 45-87";

/// U. Stern, D. L. Dill. *Improved Probabilistic Verification by Hash Compaction.*
pub const SD95: &str = "CHARME 1995, LNCS 987, 206-224";

/// S. Schwoon, J. Esparza. *A Note on On-The-Fly Verification Algorithms.* (Nested search with
/// early detection.)
pub const SE05: &str = "TACAS 2005, LNCS 3440, 174-190";

/// Y. Shiloach. *Fast Canonization of Circular Strings.*
pub const SHI81: &str = "Journal of Algorithms 2(2), 1981, 107-121";

/// C. C. Sims. *Computational Methods in the Study of Permutation Groups.* (Stabiliser chains.)
pub const SIM70: &str = "Computational Problems in Abstract Algebra, Pergamon 1970, 169-183";

/// P. Wolper, D. Leroy. *Reliable Hashing without Collision Detection.* (Hash compaction.)
pub const WL93: &str = "CAV 1993, LNCS 697, 59-70";
