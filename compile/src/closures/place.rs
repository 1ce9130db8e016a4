//! Addresses of cells.

use super::Compiler;
use super::machine::{Code, Locate, Machine, Trap};
use super::operand::Simple;
use crate::cells::PRESENT;
use crate::form::{Bag, Base, Cells, Element, Index, Place, Register, Value};

/// A cell of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    /// A fixed address.
    Fixed(usize),
    /// An offset from the base of the current function.
    Frame(usize),
}

impl Cell {
    #[inline]
    pub(super) fn at(self, m: &Machine) -> usize {
        match self {
            Cell::Fixed(address) => address,
            Cell::Frame(offset) => m.base + offset,
        }
    }
}

/// An element of an array at a fixed address whose index is in a fixed cell:
/// `base + memory[cell] * stride`. The base accounts for the least index, so it may wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Indexed {
    base: usize,
    cell: usize,
    stride: usize,
}

impl Indexed {
    #[inline]
    pub(super) fn at(self, m: &Machine) -> Result<usize, Trap> {
        Ok(plus(self.base, m.load(self.cell)?, self.stride))
    }
}

/// An address plus an index. It wraps only while the least index is not accounted for.
#[inline]
fn plus(base: usize, index: i64, stride: usize) -> usize {
    base.wrapping_add((index as usize).wrapping_mul(stride))
}

/// The address of a value.
pub(crate) enum Address {
    /// A fixed address.
    Fixed(usize),
    /// An offset from the base of the current function.
    Frame(usize),
    /// One index in a fixed cell.
    Indexed(Indexed),
    /// Two indices in fixed cells: one more cell and its stride.
    Grid(Indexed, usize, usize),
    /// A computed address.
    Other(Locate),
}

impl From<Cell> for Address {
    fn from(cell: Cell) -> Address {
        match cell {
            Cell::Fixed(address) => Address::Fixed(address),
            Cell::Frame(offset) => Address::Frame(offset),
        }
    }
}

impl Address {
    /// Computes the address.
    #[inline]
    pub(super) fn at(&self, code: &Code, m: &mut Machine) -> Result<usize, Trap> {
        match self {
            Address::Fixed(address) => Ok(*address),
            Address::Frame(offset) => Ok(m.base.wrapping_add(*offset)),
            Address::Indexed(indexed) => indexed.at(m),
            Address::Grid(row, cell, stride) => Ok(plus(row.at(m)?, m.load(*cell)?, *stride)),
            Address::Other(locate) => locate(code, m),
        }
    }

    /// This address plus a number of cells. It may wrap while indices are still to be added.
    pub(super) fn offset(self, cells: usize) -> Address {
        let moved = |one: Indexed| Indexed { base: one.base.wrapping_add(cells), ..one };
        match self {
            Address::Fixed(address) => Address::Fixed(address.wrapping_add(cells)),
            Address::Frame(frame) => Address::Frame(frame.wrapping_add(cells)),
            Address::Indexed(one) => Address::Indexed(moved(one)),
            Address::Grid(row, cell, stride) => Address::Grid(moved(row), cell, stride),
            Address::Other(locate) => {
                Address::Other(Box::new(move |code, m| Ok(locate(code, m)?.wrapping_add(cells))))
            }
        }
    }

    /// This address plus an index.
    fn indexed(self, index: Simple, stride: usize) -> Address {
        match (self, index) {
            (at, Simple::Constant(index)) => at.offset((index as usize).wrapping_mul(stride)),
            (Address::Fixed(base), Simple::Cell(cell)) => {
                Address::Indexed(Indexed { base, cell, stride })
            }
            (Address::Indexed(row), Simple::Cell(cell)) => Address::Grid(row, cell, stride),
            (Address::Fixed(base), index) => {
                let index = index.eval();
                Address::Other(Box::new(move |code, m| Ok(plus(base, index(code, m)?, stride))))
            }
            (at, index) => {
                let index = index.eval();
                Address::Other(Box::new(move |code, m| {
                    let base = at.at(code, m)?;
                    Ok(plus(base, index(code, m)?, stride))
                }))
            }
        }
    }

    /// Whether computing the address runs no other code.
    pub(super) fn is_plain(&self) -> bool {
        !matches!(self, Address::Other(_))
    }
}

/// The address of the slot of a chosen element, whose first cell says whether the element is there.
pub(super) struct Presence(Address);

impl Presence {
    /// Returns the slot if the element is there.
    #[inline]
    pub(super) fn slot(&self, code: &Code, m: &mut Machine) -> Result<usize, Trap> {
        let slot = self.0.at(code, m)?;
        if m.memory[slot] == PRESENT { Ok(slot) } else { Err(Trap::Failure) }
    }
}

/// Checks that a multiset, as it was written, is the one that an element was chosen from.
pub(super) struct Identity {
    written: Address,
    bag: Address,
}

impl Identity {
    pub(super) fn check(&self, code: &Code, m: &mut Machine) -> Result<(), Trap> {
        let written = self.written.at(code, m)?;
        if written == self.bag.at(code, m)? { Ok(()) } else { Err(Trap::Failure) }
    }
}

impl Compiler<'_> {
    /// The address of a place.
    pub(super) fn place(&self, place: &Place) -> Address {
        match place {
            Place::Register(register) => self.register(*register).into(),
            Place::Cells(cells) => self.cells(cells),
        }
    }

    /// The address of cells. Computing it traps if they are part of an element that is not there.
    pub(super) fn cells(&self, cells: &Cells) -> Address {
        let address = self.sum_of(cells);
        let Some(element) = cells.within.as_deref() else { return address };
        match (self.identity(element), self.presence(cells)) {
            (None, None) => address,
            (None, Some(presence)) if address.is_plain() => {
                Address::Other(Box::new(move |code, m| {
                    presence.slot(code, m)?;
                    address.at(code, m)
                }))
            }
            (identity, presence) => Address::Other(Box::new(move |code, m| {
                if let Some(identity) = &identity {
                    identity.check(code, m)?;
                }
                let Some(presence) = &presence else { return address.at(code, m) };
                presence.slot(code, m)?;
                let at = address.at(code, m)?;
                // Computing an index may have removed the element.
                presence.slot(code, m)?;
                Ok(at)
            })),
        }
    }

    /// The base of cells plus their indices.
    fn sum_of(&self, cells: &Cells) -> Address {
        // From the first elements to those of index 0, as if all arrays had one.
        let least = cells.indices.iter().fold(0_usize, |sum, index| {
            sum.wrapping_sub((index.least as usize).wrapping_mul(index.stride))
        });
        let start = match cells.base {
            Base::State(cell) => Address::Fixed(cell),
            Base::Frame(cell) => self.in_frame(self.frame.registers.len() + cell).into(),
            Base::Pointer(register, offset) => {
                let pointer = self.register(register);
                Address::Other(Box::new(move |_, m| Ok(m.load(pointer.at(m))? as usize + offset)))
            }
        };
        let start = if least == 0 { start } else { start.offset(least) };
        let indices = cells.indices.iter();
        indices.fold(start, |at, index| at.indexed(self.simple(&index.value), index.stride))
    }

    /// The address of a slot of a multiset.
    pub(super) fn slot(&self, bag: &Bag, slot: Register) -> Address {
        let mut at = bag.at.clone();
        at.indices.push(Index { value: Value::Register(slot), least: 0, stride: bag.stride });
        self.cells(&at)
    }

    /// The presence of an element.
    pub(super) fn presence_of(&self, element: &Element) -> Presence {
        Presence(self.slot(&element.bag, element.slot))
    }

    /// The presence of the element that cells are a part of, if that may have been removed.
    pub(super) fn presence(&self, cells: &Cells) -> Option<Presence> {
        let element = cells.within.as_deref().filter(|element| element.may_go)?;
        Some(self.presence_of(element))
    }

    /// The comparison of the multiset of an element with the one that was written.
    pub(super) fn identity(&self, element: &Element) -> Option<Identity> {
        let written = element.written.as_deref()?;
        Some(Identity { written: self.cells(written), bag: self.cells(&element.bag.at) })
    }
}
