//! The binary from outside: arguments and input in, exit code and output out.

mod binary;
mod certificates;
mod check;
mod combinations;
mod corpora;
mod escapes;
mod events;
mod explore;
mod general;
mod golden;
mod includes;
mod limits;
mod messages;
mod models;
mod net_certificates;
mod nets;
mod profile;
mod progress;
mod replay;
mod report;
#[cfg(target_os = "linux")]
mod streams;
mod threads;
mod valgrind;
