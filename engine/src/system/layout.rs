//! The positions of the parts of a state: cells in memory, bits in a packed state.
//!
//! A *cell* holds a simple value as one `i64`: a number as it is, a member of an enumeration or an
//! index type as its position, a member of a union as its position in the union; [`UNDEFINED`] if
//! nothing is stored. Variables follow each other in the order of the model, arrays element by
//! element, records field by field. A multiset takes `capacity` slots, each a cell that says
//! whether an element is there ([`PRESENT`] or [`UNDEFINED`]) followed by the cells of the element;
//! in a state between steps its elements come first, in ascending order, and absent ones are
//! undefined.
//!
//! A *packed* state is a run of bits: 0 for undefined, otherwise the value less the least one, plus
//! one. No cell straddles a word of 64 bits, so that a cell is set by one mask and one shift. Two
//! states are equal exactly if their packed bytes are.

use crate::narrow::{to_u8, to_u32, to_usize};
use std::ops::Range;
use terms::IndexTypeId;

/// The value of a cell in which nothing is stored.
pub const UNDEFINED: i64 = i64::MIN;

/// The value of the first cell of a multiset's slot that has an element.
pub const PRESENT: i64 = 1;

/// The slots of a multiset in the cells of a state or frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// The first cell of the first slot.
    pub start: usize,
    /// The number of slots.
    pub capacity: usize,
    /// The number of cells from one slot to the next.
    pub stride: usize,
}

/// The shape of a part of a state. The action of a permutation of index values on a state depends
/// on its shape alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A simple value: one cell.
    Simple {
        /// Its least value.
        low: i64,
        /// The number of values, without undefined; below 2^63.
        values: u64,
        /// The index types among its values, each with the value of its first member.
        indices: Vec<(IndexTypeId, i64)>,
    },
    /// An array, with one element for each value of its index.
    Array {
        /// The number of elements.
        length: u64,
        /// The index types among its subscripts, each with the position of its first member.
        indices: Vec<(IndexTypeId, i64)>,
        /// The shape of an element.
        element: Box<Shape>,
    },
    /// A record: its fields one after the other.
    Record(Vec<Shape>),
    /// A multiset.
    Multiset {
        /// The greatest number of elements.
        capacity: u32,
        /// The shape of an element.
        element: Box<Shape>,
    },
}

impl Shape {
    /// A number from `low` to `high`.
    pub fn range(low: i64, high: i64) -> Shape {
        Shape::Simple { low, values: high.abs_diff(low) + 1, indices: Vec::new() }
    }
}

/// The positions of all cells of a state.
#[derive(Clone, Debug)]
pub struct Layout {
    shapes: Vec<Shape>,
    cells: Vec<Cell>,
    /// The first cell of each variable.
    first: Vec<u32>,
    /// All multisets, in order.
    multisets: Vec<Slots>,
    bits: u64,
    words: usize,
    bytes: usize,
}

/// The position of a cell in a packed state.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Its least value; that of an enumeration or index type is 0.
    low: i64,
    word: u32,
    shift: u8,
    width: u8,
}

impl Layout {
    /// The layout of states whose variables have these shapes.
    pub fn new(shapes: Vec<Shape>) -> Self {
        let mut layout = Layout {
            shapes: Vec::new(),
            cells: Vec::new(),
            first: Vec::new(),
            multisets: Vec::new(),
            bits: 0,
            words: 0,
            bytes: 0,
        };
        for shape in &shapes {
            layout.first.push(to_u32(layout.cells.len()));
            layout.place(shape);
        }
        layout.words = to_usize(layout.bits.div_ceil(64));
        layout.bytes = to_usize(layout.bits.div_ceil(8));
        Layout { shapes, ..layout }
    }

    /// The shapes of the variables.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    fn place(&mut self, shape: &Shape) {
        match shape {
            Shape::Simple { low, values, .. } => self.cell(*low, *values),
            Shape::Array { length, element, .. } => {
                for _ in 0..*length {
                    self.place(element);
                }
            }
            Shape::Record(parts) => {
                for part in parts {
                    self.place(part);
                }
            }
            Shape::Multiset { capacity, element } => {
                let start = self.cells.len();
                for _ in 0..*capacity {
                    self.cell(PRESENT, 1);
                    self.place(element);
                }
                let capacity = *capacity as usize;
                let stride = (self.cells.len() - start) / capacity;
                self.multisets.push(Slots { start, capacity, stride });
            }
        }
    }

    fn cell(&mut self, low: i64, values: u64) {
        // As many codes as values, and one for undefined.
        let width = 64 - values.leading_zeros();
        debug_assert!(width < 64, "the checker refuses such ranges");
        let mut at = self.bits;
        if at % 64 + u64::from(width) > 64 {
            at = at.next_multiple_of(64);
        }
        self.bits = at + u64::from(width);
        let (word, shift) = (to_u32(at / 64), (at % 64) as u8);
        self.cells.push(Cell { low, word, shift, width: to_u8(width) });
    }

    /// The position of a cell in a packed state: word, first bit, number of bits. The code there is
    /// 0 for undefined, otherwise the value less the least one, plus one.
    pub fn place_of(&self, cell: usize) -> (u32, u8, u8) {
        let Cell { word, shift, width, .. } = self.cells[cell];
        (word, shift, width)
    }

    /// By cell: the number of its values, not counting undefined.
    pub fn values(&self) -> Vec<u64> {
        fn list(shape: &Shape, values: &mut Vec<u64>) {
            match shape {
                Shape::Simple { values: count, .. } => values.push(*count),
                Shape::Array { length, element, .. } => {
                    (0..*length).for_each(|_| list(element, values));
                }
                Shape::Record(parts) => parts.iter().for_each(|part| list(part, values)),
                Shape::Multiset { capacity, element } => {
                    for _ in 0..*capacity {
                        values.push(1);
                        list(element, values);
                    }
                }
            }
        }
        let mut values = Vec::with_capacity(self.cells());
        self.shapes.iter().for_each(|shape| list(shape, &mut values));
        values
    }

    /// The least value of a cell.
    pub fn least(&self, cell: usize) -> i64 {
        self.cells[cell].low
    }

    /// The multisets of a state, in the order of their cells.
    pub fn multisets(&self) -> &[Slots] {
        &self.multisets
    }

    /// The number of cells of a state.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The number of bits of a packed state that are used, including those between cells.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The number of bytes of a packed state.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of words of a packed state while it is worked on.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The first cell of a variable.
    pub fn variable(&self, number: usize) -> usize {
        self.first[number] as usize
    }

    /// Sets one cell of a packed state.
    #[inline]
    pub fn set(&self, packed: &mut [u64], cell: usize, value: i64) {
        let Cell { low, word, shift, width } = self.cells[cell];
        let code = if value == UNDEFINED { 0 } else { value.wrapping_sub(low).cast_unsigned() + 1 };
        let mask = ((1u64 << width) - 1) << shift;
        let word = &mut packed[word as usize];
        *word = *word & !mask | code << shift;
    }

    /// Reads one cell of a packed state.
    #[inline]
    pub fn get(&self, packed: &[u64], cell: usize) -> i64 {
        let Cell { low, word, shift, width } = self.cells[cell];
        let code = packed[word as usize] >> shift & ((1u64 << width) - 1);
        if code == 0 { UNDEFINED } else { low.wrapping_add(code.cast_signed()).wrapping_sub(1) }
    }

    /// Calls `each` with those of some cells that are defined, in ascending order, and their values.
    /// The cells must be those of an array of numbers: then words without any are skipped at once.
    #[inline]
    pub fn defined(
        &self,
        packed: &[u64],
        mut cells: Range<usize>,
        mut each: impl FnMut(usize, i64),
    ) {
        while !cells.is_empty() {
            let Cell { low, word, shift, width } = self.cells[cells.start];
            let rest = packed[word as usize] >> shift;
            if rest == 0 {
                // All cells have the same width, and a word as many of them as fit.
                cells.start += (64 - usize::from(shift)) / usize::from(width);
                continue;
            }
            let skipped = rest.trailing_zeros() / u32::from(width);
            cells.start += skipped as usize;
            if cells.is_empty() {
                return;
            }
            let code = rest >> (skipped * u32::from(width)) & ((1u64 << width) - 1);
            each(cells.start, low.wrapping_add(code.cast_signed()).wrapping_sub(1));
            cells.start += 1;
        }
    }

    /// Packs the cells of a state.
    pub fn pack(&self, cells: &[i64], packed: &mut [u64]) {
        packed.fill(0);
        for (cell, &value) in self.cells.iter().zip(cells) {
            let code = if value == UNDEFINED {
                0
            } else {
                value.wrapping_sub(cell.low).cast_unsigned() + 1
            };
            packed[cell.word as usize] |= code << cell.shift;
        }
    }

    /// Unpacks the cells of a packed state.
    pub fn unpack(&self, packed: &[u64], cells: &mut [i64]) {
        for (cell, value) in self.cells.iter().zip(cells) {
            let code = packed[cell.word as usize] >> cell.shift & ((1u64 << cell.width) - 1);
            *value = if code == 0 {
                UNDEFINED
            } else {
                cell.low.wrapping_add(code.cast_signed()).wrapping_sub(1)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::SplitMix64;

    /// Arrays of numbers of every width, behind some other cells: the same as cell by cell.
    #[test]
    fn defined_cells_are_found_as_one_by_one() {
        let mut random = SplitMix64::new(1);
        for width in 1..=40_u32 {
            for before in [0, 1, 7, 63] {
                let number =
                    Shape::Simple { low: -3, values: 1 << (width - 1), indices: Vec::new() };
                let array = |length, element: &Shape| Shape::Array {
                    length,
                    indices: Vec::new(),
                    element: Box::new(element.clone()),
                };
                let flag = Shape::range(0, 0);
                let layout =
                    Layout::new(vec![array(before, &flag), array(100, &number), array(90, &flag)]);
                let mut packed = vec![0; layout.words()];
                for cell in 0..layout.cells() {
                    let value = (random.next() % (1 << (width - 1))).cast_signed() - 3;
                    let is_number = layout.variable(1) <= cell && cell < layout.variable(2);
                    let value = if is_number { value } else { 0 };
                    let is_defined = random.next().is_multiple_of(16);
                    layout.set(&mut packed, cell, if is_defined { value } else { UNDEFINED });
                }
                let cells = layout.variable(1)..layout.variable(2);
                let one_by_one = cells.clone().map(|cell| (cell, layout.get(&packed, cell)));
                let expected: Vec<(usize, i64)> =
                    one_by_one.filter(|&(_, value)| value != UNDEFINED).collect();
                let mut found = Vec::new();
                layout.defined(&packed, cells, |cell, value| found.push((cell, value)));
                assert_eq!(found, expected, "{width} bits behind {before} flags");
            }
        }
    }
}
