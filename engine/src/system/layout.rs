//! Where the parts of a state are: cells in memory, bits in a packed state.
//!
//! A *cell* holds a simple value as one `i64`: a number as it is, a member of an enumeration or an
//! index type as its position, a member of a union as its position in the union; [`UNDEFINED`] if
//! nothing is stored. Variables follow each other in the order of the model, arrays element by
//! element, records field by field. A multiset takes `capacity` slots, each a cell that says whether
//! an element is there ([`PRESENT`] or [`UNDEFINED`]) followed by the cells of the element; in a state
//! between steps its elements come first, in ascending order, and absent ones are undefined.
//!
//! A *packed* state is a run of bits: 0 for undefined, otherwise the value less the least one, plus
//! one. No cell straddles a word of 64 bits, so that a cell is set by one mask and one shift. Two
//! states are equal exactly if their packed bytes are.

use terms::IndexTypeId;

/// The value of a cell in which nothing is stored.
pub const UNDEFINED: i64 = i64::MIN;

/// The value of the first cell of a multiset's slot with an element.
pub const PRESENT: i64 = 1;

/// A slot of a multiset in the cells of a state or frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// Where the first slot starts.
    pub start: usize,
    /// How many slots there are.
    pub capacity: usize,
    /// Cells from one slot to the next.
    pub stride: usize,
}

/// What a part of a state looks like. A permutation of index values acts on a state by its shape
/// alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One cell.
    Simple {
        /// Its least value.
        low: i64,
        /// How many values it has, undefined not counted; below 2^63.
        values: u64,
        /// The index types among its values, with the value that the first of each is.
        indices: Vec<(IndexTypeId, i64)>,
    },
    /// As many elements as the index has values.
    Array {
        /// How many.
        length: u64,
        /// The index types that count them, with the position of the first of each.
        indices: Vec<(IndexTypeId, i64)>,
        /// Each of them.
        element: Box<Shape>,
    },
    /// One behind the other.
    Record(Vec<Shape>),
    /// At most so many elements, in no order.
    Multiset {
        /// The most elements.
        capacity: u32,
        /// Each of them.
        element: Box<Shape>,
    },
}

impl Shape {
    /// A number from `low` to `high`.
    pub fn range(low: i64, high: i64) -> Shape {
        Shape::Simple { low, values: high.abs_diff(low) + 1, indices: Vec::new() }
    }
}

/// Where everything is.
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

/// Where a cell is in a packed state.
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
            layout.first.push(layout.cells.len() as u32);
            layout.place(shape);
        }
        layout.words = layout.bits.div_ceil(64) as usize;
        layout.bytes = layout.bits.div_ceil(8) as usize;
        Layout { shapes, ..layout }
    }

    /// What the variables look like.
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
        let (word, shift) = ((at / 64) as u32, (at % 64) as u8);
        self.cells.push(Cell { low, word, shift, width: width as u8 });
    }

    /// Where a cell is in a packed state: word, first bit, number of bits. What is there is 0 for
    /// undefined, otherwise the value less the least one, plus one.
    pub fn place_of(&self, cell: usize) -> (u32, u8, u8) {
        let Cell { word, shift, width, .. } = self.cells[cell];
        (word, shift, width)
    }

    /// The least value of a cell.
    pub fn least(&self, cell: usize) -> i64 {
        self.cells[cell].low
    }

    /// The multisets of a state, in the order of their cells.
    pub fn multisets(&self) -> &[Slots] {
        &self.multisets
    }

    /// How many cells a state has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// How many bits of a packed state are used, those between cells included.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// How many bytes a packed state takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many words a packed state takes while it is worked on.
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
        let code = if value == UNDEFINED { 0 } else { value.wrapping_sub(low) as u64 + 1 };
        let mask = ((1u64 << width) - 1) << shift;
        let word = &mut packed[word as usize];
        *word = *word & !mask | code << shift;
    }

    /// One cell of a packed state.
    #[inline]
    pub fn get(&self, packed: &[u64], cell: usize) -> i64 {
        let Cell { low, word, shift, width } = self.cells[cell];
        let code = packed[word as usize] >> shift & ((1u64 << width) - 1);
        if code == 0 { UNDEFINED } else { low.wrapping_add(code as i64).wrapping_sub(1) }
    }

    /// Packs the cells of a state.
    pub fn pack(&self, cells: &[i64], packed: &mut [u64]) {
        packed.fill(0);
        for (cell, &value) in self.cells.iter().zip(cells) {
            let code = if value == UNDEFINED { 0 } else { value.wrapping_sub(cell.low) as u64 + 1 };
            packed[cell.word as usize] |= code << cell.shift;
        }
    }

    /// The cells of a packed state.
    pub fn unpack(&self, packed: &[u64], cells: &mut [i64]) {
        for (cell, value) in self.cells.iter().zip(cells) {
            let code = packed[cell.word as usize] >> cell.shift & ((1u64 << cell.width) - 1);
            *value = if code == 0 {
                UNDEFINED
            } else {
                cell.low.wrapping_add(code as i64).wrapping_sub(1)
            };
        }
    }
}
