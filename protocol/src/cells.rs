//! Values that are stored in cells.
//!
//! [`Cells`] is derived. It says which cells a type has ([`Cells::shape`]), writes a value to cells and
//! reads it back, and renames the indices of a value. From the shape follows all that the engine must
//! know of symmetry: how permutations act, canonical forms, sizes of orbits. The judge uses none of it:
//! for its own check of symmetry it renames values ([`Cells::renamed`]).

use crate::changes::{AS_MANY_CELLS, Changes};
use crate::index::{self, Index, Indices};
use crate::shape::{Shape, Simple};
use engine::system::layout::UNDEFINED;
use std::any::TypeId;
use std::fmt::Debug;
use std::hash::Hash;
use terms::Group;

/// A type whose values are stored in a fixed number of cells.
///
/// Implemented by `#[derive(Cells)]` for structs and enumerations of such types. Numbers are `bool`, the
/// integers up to 32 bits, and [`Ranged`](crate::Ranged), which needs fewer bits. `String`, `Vec` and
/// maps of the standard library have no fixed size: use [`Map`](crate::Map), [`Fifo`](crate::Fifo) or
/// [`Bag`](crate::Bag), or check the protocol in the loose way (`check_loose`), which takes any type
/// that is `Clone + Eq + Hash`.
///
/// # Contract
/// `read` returns the value that was written. `write` always writes as many cells as `cells` says.
/// `renamed` replaces every index by its image, and moves the elements of maps along with their keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in cells",
    label = "it has no fixed number of cells with a fixed range",
    note = "numbers are `bool`, integers of at most 32 bits, or `Ranged<LOW, HIGH>`; collections are `Map`, `Fifo`, `Bag` and arrays; for your own types, `#[derive(Cells)]`",
    note = "types such as `String`, `Vec` or `HashMap` need the loose way: `check_loose` takes any `Clone + Eq + Hash` state, without symmetry"
)]
pub trait Cells: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// Whether a value is one cell that is never undefined.
    const IS_SIMPLE: bool = false;

    /// The shape of the values.
    fn shape(all: &Indices) -> Shape;

    /// The number of cells of a value.
    fn cells(all: &Indices) -> usize;

    /// Writes a value.
    fn write(&self, to: &mut Writer<'_>);

    /// Sets the cells from `first` on that differ from those of an older value, and returns the cell
    /// after those of the value.
    #[doc(hidden)]
    #[inline]
    fn write_changes(&self, old: &Self, first: usize, to: &mut Changes<'_>) -> usize {
        let _ = old;
        to.put_whole(first, self)
    }

    /// Whether cells may differ from those of an older value. Worth asking if it is cheap: a value of
    /// one cell.
    #[doc(hidden)]
    #[inline]
    fn may_differ(&self, old: &Self) -> bool {
        let _ = old;
        true
    }

    /// Writes the fields of an enumeration's variant alone, and returns the variant's number. Other
    /// types write nothing.
    #[doc(hidden)]
    #[inline]
    fn write_variant(&self, to: &mut Writer<'_>) -> Option<u32> {
        let _ = to;
        None
    }

    /// Reads the value that was written.
    fn read(from: &mut Reader<'_>) -> Self;

    /// The value with all indices renamed.
    #[must_use]
    fn renamed(&self, by: &Renaming<'_>) -> Self;
}

/// Takes the cells of a value.
#[derive(Debug)]
pub struct Writer<'w> {
    cells: &'w mut [i64],
    /// The number of cells that have been written.
    written: usize,
    all: &'w Indices,
}

impl<'w> Writer<'w> {
    pub(crate) fn new(cells: &'w mut [i64], all: &'w Indices) -> Writer<'w> {
        Writer { cells, written: 0, all }
    }

    /// Writes one cell.
    #[inline]
    pub fn put(&mut self, value: i64) {
        match self.cells.get_mut(self.written) {
            Some(cell) => *cell = value,
            None => too_many_cells(),
        }
        self.written += 1;
    }

    /// Writes cells in which nothing is stored.
    #[inline]
    pub fn put_absent(&mut self, cells: usize) {
        (0..cells).for_each(|_| self.put(UNDEFINED));
    }

    /// The index types of the protocol.
    #[inline]
    pub fn indices(&self) -> &'w Indices {
        self.all
    }

    /// The cells so far.
    pub(crate) fn cells(&mut self) -> &mut [i64] {
        &mut self.cells[..self.written]
    }
}

#[cold]
fn too_many_cells() -> ! {
    panic!("{AS_MANY_CELLS}")
}

/// Gives the cells of a value.
#[derive(Debug)]
pub struct Reader<'r> {
    cells: &'r [i64],
    all: &'r Indices,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(cells: &'r [i64], all: &'r Indices) -> Reader<'r> {
        Reader { cells, all }
    }

    /// Reads one cell.
    #[inline]
    pub fn take(&mut self) -> i64 {
        let (first, rest) = self.cells.split_first().expect("as many cells are read as written");
        self.cells = rest;
        *first
    }

    /// Reads one cell that is a position, of a variant or in a sequence.
    #[inline]
    pub fn take_position(&mut self) -> usize {
        usize::try_from(self.take()).expect("positions are not negative")
    }

    /// Whether nothing is stored in the next cell.
    #[inline]
    pub fn is_absent(&self) -> bool {
        self.cells.first() == Some(&UNDEFINED)
    }

    /// Leaves cells out.
    #[inline]
    pub fn skip(&mut self, cells: usize) {
        self.cells = &self.cells[cells..];
    }

    /// The index types of the protocol.
    #[inline]
    pub fn indices(&self) -> &'r Indices {
        self.all
    }
}

/// A renaming of index values.
#[derive(Clone, Copy, Debug)]
pub struct Renaming<'r> {
    all: &'r Indices,
    by: &'r judge::Renaming,
}

impl<'r> Renaming<'r> {
    pub(crate) fn new(all: &'r Indices, by: &'r judge::Renaming) -> Renaming<'r> {
        Renaming { all, by }
    }

    /// The image of an index.
    pub fn index<I: Index>(&self, of: I) -> I {
        let images = self.by.images(self.all.id_of::<I>());
        index::at(images[index::position(of) as usize], index::size_of_type(of))
    }

    /// The positions of the images of all values of an index type.
    pub(crate) fn images<I: Index>(&self) -> &'r [u32] {
        self.by.images(self.all.id_of::<I>())
    }
}

/// A value of an index type as a cell: what [`index!`](crate::index!) implements [`Cells`] with.
#[doc(hidden)]
pub mod of_index {
    use super::{
        Changes, Group, Index, Indices, Reader, Renaming, Shape, Simple, TypeId, Writer, index,
    };

    pub fn shape<I: Index>(all: &Indices) -> Shape {
        // Says which type is missing, if it is.
        all.id_of::<I>();
        Shape::Simple(Simple::Index(TypeId::of::<I>()))
    }

    #[inline]
    pub fn write<I: Index>(value: I, to: &mut Writer<'_>) {
        // A value that was made for a larger type is outside of the range of the cell.
        to.put(index::position(value).into());
    }

    #[inline]
    pub fn write_changes<I: Index>(new: I, old: I, cell: usize, to: &mut Changes<'_>) -> usize {
        to.put(cell, index::position(new).into(), index::position(old).into())
    }

    #[inline]
    pub fn may_differ<I: Index>(new: I, old: I) -> bool {
        index::position(new) != index::position(old)
    }

    #[inline]
    pub fn read<I: Index>(from: &mut Reader<'_>) -> I {
        let position = u32::try_from(from.take()).expect("positions are not negative");
        index::at(position, from.all.size::<I>() as u32)
    }

    pub fn renamed<I: Index>(value: I, by: &Renaming<'_>) -> I {
        by.index(value)
    }

    /// The next value of a ring.
    pub fn after<I: Index>(value: I) -> I {
        const { assert!(matches!(I::GROUP, Group::Rotations | Group::Dihedral), "no ring") };
        let size = index::size_of_type(value);
        index::at((index::position(value) + 1) % size, size)
    }

    /// The value of a ring before this one.
    pub fn before<I: Index>(value: I) -> I {
        const { assert!(matches!(I::GROUP, Group::Rotations), "no ring") };
        let size = index::size_of_type(value);
        index::at((index::position(value) + size - 1) % size, size)
    }

    /// The position of an ordered value.
    pub fn position<I: Index>(value: I) -> usize {
        const { assert!(matches!(I::GROUP, Group::Trivial), "it has no order") };
        index::position(value) as usize
    }
}
