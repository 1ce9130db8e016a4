//! The papers that this crate follows, as names that `cargo doc` checks.

/// J.-M. Couvreur. *On-the-fly Verification of Linear Temporal Logic.* (Tableau with promises.)
pub const COU99: &str = "FM 1999, LNCS 1708, 253-271";

/// R. E. Tarjan. *Depth-First Search and Linear Graph Algorithms.*
pub const TAR72: &str = "SIAM Journal on Computing 1(2), 1972, 146-160";

/// P. Gastin, D. Oddoux. *Fast LTL to Büchi Automata Translation.* (Level skipping.)
pub const GO01: &str = "CAV 2001, LNCS 2102, 53-65";

/// U. Boker, O. Kupferman. *Co-ing Büchi Made Tight and Useful.* (Augmented subset construction.)
pub const BK09: &str = "LICS 2009, 245-254";

/// Z. Manna, A. Pnueli. *A Hierarchy of Temporal Properties.*
pub const MP90: &str = "PODC 1990, 377-410";

/// C. Dax, J. Eisinger, F. Klaedtke. *Mechanizing the Powerset Construction for Restricted Classes
/// of ω-Automata.*
pub const DEK07: &str = "ATVA 2007, LNCS 4762, 223-236";

/// C. Löding. *Efficient Minimization of Deterministic Weak ω-Automata.*
pub const LOE01: &str = "Information Processing Letters 79(3), 2001, 105-109";

/// T. Babiak, F. Blahoudek, A. Duret-Lutz, J. Klein, J. Křetínský, D. Müller, D. Parker,
/// J. Strejček. *The Hanoi Omega-Automata Format.* (The full text: <https://adl.github.io/hoaf/>.)
pub const BBDKKMPS15: &str = "CAV 2015, LNCS 9206, 479-486";

/// T. Michaud, A. Duret-Lutz. *Practical Stutter-Invariance Checks for ω-Regular Languages.*
pub const MD15: &str = "SPIN 2015, LNCS 9232, 84-101";
