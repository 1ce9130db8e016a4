//! Petri nets on the command line.
//!
//! A file is a net if it begins like XML: every command asks [`is_net`] before it reads a model.

pub(super) mod certificate;
pub(super) mod check;
pub(super) mod describe;
pub(super) mod explore;
pub(super) mod load;
pub(super) mod print;
mod read;
pub(super) mod simulate;
mod view;

pub(super) use load::is_net;
pub(super) use read::NetReader;
pub(super) use view::LoadedNet;
