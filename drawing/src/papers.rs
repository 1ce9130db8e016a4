//! The papers that this crate follows, as names that `cargo doc` checks.

/// W. Barth, M. Jünger, P. Mutzel. *Simple and Efficient Bilayer Cross Counting.*
pub const BJM02: &str = "Graph Drawing 2002, LNCS 2528, 130-141";

/// U. Brandes, B. Köpf. *Fast and Simple Horizontal Coordinate Assignment.*
pub const BK01: &str = "Graph Drawing 2001, LNCS 2265, 31-44";

/// E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. *A Technique for Drawing Directed Graphs.*
/// (Network simplex for layers; medians and transpositions for their order.)
pub const GKNV93: &str = "IEEE Transactions on Software Engineering 19(3), 1993, 214-230";

/// K. Sugiyama, S. Tagawa, M. Toda. *Methods for Visual Understanding of Hierarchical System
/// Structures.*
pub const STT81: &str = "IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981, 109-125";
