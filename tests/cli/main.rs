//! The binary from outside: arguments and input in, exit code and output out.

mod binary;
mod check;
mod explore;
mod general;
mod golden;
mod messages;
mod models;
mod profile;
mod progress;
mod replay;
mod report;
mod valgrind;
