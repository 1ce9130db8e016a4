//! Systems written in Rust beside the same systems as model texts: named ones, and random ones.

mod replay;
mod twins;
