//! What a step changes.
//!
//! Most cells of a state are as they were before the step. So the value after a step is not written as
//! a whole: both values are compared part by part ([`Cells::write_changes`]), and the cells of parts that
//! differ are set in a copy of the packed source. A part may be set though it is the same, but none that
//! differs may be left out: then the copy is the packed target.

use crate::cells::{Cells, Writer};
use crate::fault::FaultKind;
use crate::index::Indices;
use crate::shape::CellName;
use engine::system::layout::{Layout, UNDEFINED};

/// Takes the cells that differ between two values.
#[derive(Debug)]
pub struct Changes<'c> {
    layout: &'c Layout,
    places: &'c [CellName],
    all: &'c Indices,
    /// The packed source, in which cells are set.
    packed: &'c mut [u64],
    /// Memory for a part that is written as a whole.
    scratch: &'c mut Vec<i64>,
    /// The first cell whose new value does not fit, with that value.
    outside: Option<(usize, i64)>,
}

impl<'c> Changes<'c> {
    /// Changes of a packed state with cells of these names.
    pub(crate) fn new(
        (layout, places): (&'c Layout, &'c [CellName]),
        all: &'c Indices,
        packed: &'c mut [u64],
        scratch: &'c mut Vec<i64>,
    ) -> Changes<'c> {
        Changes { layout, places, all, packed, scratch, outside: None }
    }

    /// The first new value that does not fit into its cell, if there is one.
    pub(crate) fn outside(&self) -> Option<FaultKind> {
        self.outside.map(|(cell, value)| FaultKind::outside_of(&self.places[cell], value))
    }

    /// The index types of the protocol.
    #[inline]
    pub fn indices(&self) -> &'c Indices {
        self.all
    }

    /// One cell. Returns the one after it.
    #[inline]
    pub fn put(&mut self, cell: usize, new: i64, old: i64) -> usize {
        if new != old {
            self.set(cell, new);
        }
        cell + 1
    }

    /// Cells in which nothing is stored any more. Returns the one after them.
    pub fn put_absent(&mut self, first: usize, cells: usize) -> usize {
        (first..first + cells).for_each(|cell| self.set(cell, UNDEFINED));
        first + cells
    }

    /// All cells of a value. Returns the one after them.
    pub fn put_whole<T: Cells>(&mut self, first: usize, value: &T) -> usize {
        let cells = T::cells(self.all);
        self.scratch.clear();
        self.scratch.resize(cells, UNDEFINED);
        let mut writer = Writer::new(self.scratch, self.all);
        value.write(&mut writer);
        assert_eq!(writer.cells().len(), cells, "{AS_MANY_CELLS}");
        for k in 0..cells {
            self.set(first + k, self.scratch[k]);
        }
        first + cells
    }

    /// Sets a cell. Values that do not fit are noted, and no others after the first.
    pub(crate) fn set(&mut self, cell: usize, value: i64) {
        let Some(place) = self.places.get(cell) else { panic!("{AS_MANY_CELLS}") };
        if place.has_room_for(value) {
            self.layout.set(self.packed, cell, value);
        } else if self.outside.is_none() {
            self.outside = Some((cell, value));
        }
    }
}

/// The promise of [`Cells::write`].
pub(crate) const AS_MANY_CELLS: &str = "`Cells::write` writes as many cells as the shape has";
