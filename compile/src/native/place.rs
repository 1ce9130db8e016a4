//! Emits places: registers, and cells of memory whose address is constant except for some indices.

use super::emit::{CELL, Emitter};
use super::{Compiled, MOST_CELLS, Unsupported};
use crate::cells::{PRESENT, UNDEFINED};
use crate::form::{self, Bag, Base, Cells, Element, Place, Range, Register};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value, types};

/// The start of a place in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    /// The computed part of the address, in bytes.
    dynamic: Option<Value>,
    /// The constant part, in cells; negative if the index of an array does not start at 0.
    offset: i64,
    /// The least cell that this may be, whatever is computed.
    low: usize,
    /// The greatest cell that this may be, whatever is computed.
    high: usize,
}

impl Located {
    pub(super) fn fixed(cell: usize) -> Located {
        Located { dynamic: None, offset: cell as i64, low: cell, high: cell }
    }

    /// The least and the greatest cell that this may be.
    pub(super) fn range(self) -> (usize, usize) {
        (self.low, self.high)
    }

    /// The place this many cells later.
    pub(super) fn behind(self, cells: usize) -> Located {
        Located {
            dynamic: self.dynamic,
            offset: self.offset + cells as i64,
            low: self.low + cells,
            high: self.high + cells,
        }
    }
}

impl Emitter<'_, '_> {
    /// Evaluates an address. If it is a part of an element, that must be there.
    pub(super) fn locate(&mut self, cells: &Cells) -> Compiled<Located> {
        if let Some(element) = &cells.within {
            self.must_be_as_written(element)?;
        }
        let at = self.address(cells)?;
        if let Some(element) = &cells.within
            && element.may_go
        {
            self.must_be_present(element)?;
        }
        Ok(at)
    }

    /// Evaluates an address without regard to the element that it is a part of.
    pub(super) fn address(&mut self, cells: &Cells) -> Compiled<Located> {
        let state = self.layout.cells();
        let (region, size, base) = match cells.base {
            Base::State(cell) => (0, state, cell),
            Base::Frame(cell) => (state + self.frame.registers.len(), self.frame.cells, cell),
            Base::Pointer(..) => return Err(Unsupported("an address in a register")),
        };
        if cells.low > cells.high || cells.high >= size {
            return Err(Unsupported("an address outside of its region"));
        }
        let mut constant = (region + base) as i128;
        let mut dynamic = None;
        for index in &cells.indices {
            let stride = index.stride as i64;
            constant -= i128::from(index.least) * i128::from(stride);
            if let Some(number) = known(&index.value) {
                constant += i128::from(number) * i128::from(stride);
                continue;
            }
            let value = self.value(&index.value)?;
            dynamic = Some(self.scaled(dynamic, value, stride));
        }
        let offset = i64::try_from(constant).map_err(|_| FAR)?;
        let (low, high) = (region + cells.low, region + cells.high);
        if dynamic.is_none() && (offset as usize, offset as usize) != (low, high) {
            return Err(Unsupported("wrong bounds of a constant address"));
        }
        Ok(Located { dynamic, offset, low, high })
    }

    /// Adds a number of strides to the computed part of an address.
    fn scaled(&mut self, before: Option<Value>, number: Value, stride: i64) -> Value {
        let bytes = match stride.wrapping_mul(CELL) {
            bytes if (bytes as u64).is_power_of_two() => {
                self.builder.ins().ishl_imm(number, i64::from(bytes.trailing_zeros()))
            }
            bytes => self.builder.ins().imul_imm(number, bytes),
        };
        match before {
            Some(before) => self.builder.ins().iadd(before, bytes),
            None => bytes,
        }
    }

    /// One of `count` consecutive places. The index is proved to be below this number.
    pub(super) fn nth(
        &mut self,
        at: Located,
        index: Value,
        count: usize,
        stride: usize,
    ) -> Located {
        let dynamic = Some(self.scaled(at.dynamic, index, stride as i64));
        Located { dynamic, high: at.high + count.saturating_sub(1) * stride, ..at }
    }

    /// The slot of a multiset whose number is in a register.
    pub(super) fn slot(&mut self, bag: &Bag, slot: Register) -> Compiled<Located> {
        let number = self.register(slot)?;
        self.numbered_slot(bag, slot, number)
    }

    /// The slot of a multiset with a number that is in the range of a register.
    pub(super) fn numbered_slot(
        &mut self,
        bag: &Bag,
        slot: Register,
        number: Value,
    ) -> Compiled<Located> {
        let all = Range { low: 0, high: bag.capacity as i64 - 1 };
        if !all.contains(self.frame.registers[slot.0 as usize]) {
            return Err(Unsupported("a number of a slot without bounds"));
        }
        let at = self.address(&bag.at)?;
        Ok(self.nth(at, number, bag.capacity, bag.stride))
    }

    /// Gives up if an element was removed.
    pub(super) fn must_be_present(&mut self, element: &Element) -> Compiled<()> {
        let slot = self.slot(&element.bag, element.slot)?;
        let first = self.load(slot)?;
        let gone = self.is(IntCC::NotEqual, first, PRESENT);
        self.trap_if(gone);
        Ok(())
    }

    /// Gives up unless the multiset that was written is the one that an element was chosen from.
    pub(super) fn must_be_as_written(&mut self, element: &Element) -> Compiled<()> {
        let Some(written) = &element.written else { return Ok(()) };
        let written = self.locate(written)?;
        let chosen = self.address(&element.bag.at)?;
        let same = self.is_same(written, chosen);
        self.unless_go(same, self.trap);
        Ok(())
    }

    /// Whether two places are the same: 0 or 1.
    pub(super) fn is_same(&mut self, one: Located, other: Located) -> Value {
        let (one, other) = (self.bytes(one), self.bytes(other));
        self.builder.ins().icmp(IntCC::Equal, one, other)
    }

    /// The number of bytes of memory before a place.
    fn bytes(&mut self, at: Located) -> Value {
        match at.dynamic {
            Some(bytes) => self.builder.ins().iadd_imm(bytes, at.offset.wrapping_mul(CELL)),
            None => self.constant(at.offset.wrapping_mul(CELL)),
        }
    }

    /// The value in a simple place, defined or not.
    pub(super) fn peek(&mut self, place: &Place) -> Compiled<Value> {
        match place {
            Place::Register(register) => self.register(*register),
            Place::Cells(cells) => {
                let at = self.locate(cells)?;
                self.load(at)
            }
        }
    }

    /// The base address and the offset in bytes of a cell, which the extent then includes.
    fn access(&mut self, at: Located) -> Compiled<(Value, i32)> {
        self.extent.memory = self.extent.memory.max(at.high + 1);
        let offset = offset_of(at)?;
        let base = match at.dynamic {
            Some(bytes) => self.builder.ins().iadd(self.memory, bytes),
            None => self.memory,
        };
        Ok((base, offset))
    }

    /// Loads a cell, defined or not.
    pub(super) fn load(&mut self, at: Located) -> Compiled<Value> {
        let (base, offset) = self.access(at)?;
        Ok(self.builder.ins().load(types::I64, Self::flags(), base, offset))
    }

    pub(super) fn load_all(&mut self, from: Located, cells: usize) -> Compiled<Vec<Value>> {
        if cells > MOST_CELLS {
            return Err(Unsupported("too many cells at once"));
        }
        (0..cells).map(|k| self.load(from.behind(k))).collect()
    }

    /// Stores values, which are evaluated after the address, to consecutive cells.
    pub(super) fn store(
        &mut self,
        to: &Cells,
        values: impl FnOnce(&mut Self) -> Compiled<Vec<Value>>,
    ) -> Compiled<()> {
        let at = self.locate(to)?;
        let removals = self.removals;
        let values = values(self)?;
        if let Some(element) = &to.within {
            if self.removals != removals && element.may_go {
                self.must_be_present(element)?;
            }
            self.touch(&element.bag)?;
        }
        for (k, &value) in values.iter().enumerate() {
            self.store_cell(at.behind(k), value, to.within.is_none())?;
        }
        Ok(())
    }

    /// Stores a cell that is not packed: one of a multiset, which is packed when the body ends, or
    /// one outside of the state.
    pub(super) fn put(&mut self, at: Located, value: Value) -> Compiled<()> {
        self.store_cell(at, value, false)
    }

    /// Stores a cell. If it is a cell of the state, its previous value is logged, and the packed
    /// target is set, too, if the cell is to be packed.
    fn store_cell(&mut self, at: Located, value: Value, is_packed: bool) -> Compiled<()> {
        let (base, offset) = self.access(at)?;
        let state = self.layout.cells();
        if at.high < state {
            self.log(at, base, offset)?;
            if is_packed {
                let code = self.code(at, value)?;
                self.pack(at, code)?;
            }
        } else if at.low < state {
            return Err(Unsupported("a store beyond the state"));
        }
        self.builder.ins().store(Self::flags(), value, base, offset);
        Ok(())
    }

    /// Logs the value of a cell of the state before a store.
    fn log(&mut self, at: Located, base: Value, offset: i32) -> Compiled<()> {
        if self.target.is_none() {
            return Err(Unsupported("a store to the state in a condition"));
        }
        let before = self.builder.ins().load(types::I64, Self::flags(), base, offset);
        let place = self.bytes(at);
        let cursor = self.builder.use_var(self.cursor);
        self.builder.ins().store(Self::flags(), place, cursor, 0);
        self.builder.ins().store(Self::flags(), before, cursor, CELL as i32);
        let behind = self.builder.ins().iadd_imm(cursor, 2 * CELL);
        self.builder.def_var(self.cursor, behind);
        self.stores = self.stores.saturating_add(self.times);
        Ok(())
    }

    /// The code of a cell's value in a packed state, if the value is of its type.
    pub(super) fn code(&mut self, at: Located, value: Value) -> Compiled<Value> {
        let (_, _, width) = self.layout.place_of(at.low);
        let least = self.layout.least(at.low);
        // All cells that one place may stand for must have one type.
        if (self.layout.place_of(at.high).2, self.layout.least(at.high)) != (width, least) {
            return Err(Unsupported("cells of different types"));
        }
        let undefined = self.is(IntCC::Equal, value, UNDEFINED);
        let code = self.builder.ins().iadd_imm(value, 1_i64.wrapping_sub(least));
        let zero = self.constant(0);
        Ok(self.builder.ins().select(undefined, zero, code))
    }

    /// Sets a cell of the packed target to a code.
    pub(super) fn pack(&mut self, at: Located, code: Value) -> Compiled<()> {
        let target = self.target.ok_or(Unsupported("a store to the state in a condition"))?;
        if at.high >= self.layout.cells() {
            return Err(Unsupported("a store beyond the state"));
        }
        let (word, shift, width) = self.layout.place_of(at.low);
        let mask = ((1_u64 << width) - 1).cast_signed();
        let flags = Self::flags();
        let (address, word, code, mask) = match at.dynamic {
            None => {
                let code = self.builder.ins().ishl_imm(code, i64::from(shift));
                let mask = self.constant(mask << shift);
                (target, word as i32 * CELL as i32, code, mask)
            }
            Some(dynamic) => {
                let address = self.builder.ins().iadd(self.places, dynamic);
                let place = self.builder.ins().load(types::I64, flags, address, offset_of(at)?);
                let bytes = self.builder.ins().ushr_imm(place, 6);
                let address = self.builder.ins().iadd(target, bytes);
                let code = self.builder.ins().ishl(code, place);
                let mask = self.constant(mask);
                (address, 0, code, self.builder.ins().ishl(mask, place))
            }
        };
        let before = self.builder.ins().load(types::I64, flags, address, word);
        let others = self.builder.ins().band_not(before, mask);
        let after = self.builder.ins().bor(others, code);
        self.builder.ins().store(flags, after, address, word);
        Ok(())
    }
}

const FAR: Unsupported = Unsupported("an address is too far from the start");

/// The constant part of an address in bytes.
fn offset_of(at: Located) -> Compiled<i32> {
    at.offset.checked_mul(CELL).and_then(|bytes| i32::try_from(bytes).ok()).ok_or(FAR)
}

/// The number that a value is known to be, if it is constant.
fn known(value: &form::Value) -> Option<i64> {
    match value {
        form::Value::Constant(number) => Some(*number),
        form::Value::Inside(inner, range) => {
            known(inner).filter(|&number| range.contains(Range { low: number, high: number }))
        }
        _ => None,
    }
}
