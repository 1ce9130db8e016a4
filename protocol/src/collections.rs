//! Collections in cells: maps over index types, sequences, bags.

mod bag;
mod fifo;
mod map;

pub use bag::Bag;
pub use fifo::Fifo;
pub use map::Map;
