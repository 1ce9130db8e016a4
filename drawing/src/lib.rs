//! Layered drawings of directed graphs, as SVG.
//!
//! ```text
//! Graph ─ orient ─► acyclic ─ layers ─► one cell per layer and edge ─ order ─ place ─ route ─► Layout ─ svg ─► text
//! ```
//!
//! The method is Sugiyama's ([`STT81`](papers::STT81)) with the parts of [`GKNV93`](papers::GKNV93):
//! edges that lead back towards the start are turned round, nodes get layers, every layer gets an
//! order with few crossings, cells get their place in it, and what is left is to draw the lines. A label is a cell
//! of its line like any other, so room is kept for it from the beginning and nothing is written over
//! anything.
//!
//! Nothing here knows what is drawn, reads a font or a file, or depends on chance: equal graphs have
//! equal drawings, byte for byte.

#![allow(
    clippy::cast_precision_loss,
    reason = "positions in a layer and numbers of characters are small"
)]

pub mod papers;
mod graph;
mod text;
pub mod layout;
pub mod svg;

pub use graph::{Direction, Edge, Face, Graph, Ink, Line, Node, Piece, Shape, Side};
pub use text::wrapped;
