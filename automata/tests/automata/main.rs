//! Automata from outside: what they accept, how large they are, and the formats that they are written in.

mod classify;
mod complement;
mod events;
mod formats;
mod languages;
mod silent;
mod sizes;
