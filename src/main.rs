//! The `isonomy` command.
fn main() {}
