//! Systems written in Rust beside the same systems as model texts: named ones, and random ones.

mod random;
mod replay;
mod twins;
