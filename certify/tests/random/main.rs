//! Certificates of random questions about small systems, against brute force.

#![allow(clippy::print_stdout, reason = "the figures are for those who ask for them")]
#![allow(clippy::type_complexity, reason = "tables of brute force have no other use")]
#![allow(clippy::cast_possible_wrap, reason = "everything here is small")]

mod brute;
mod forge;
mod named;
mod questions;
mod system;
