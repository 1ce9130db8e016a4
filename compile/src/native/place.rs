//! Emits places: registers, and cells of memory whose address is constant except for some indices.

use super::MOST_CELLS;
use super::emit::{CELL, Emitter};
use crate::cells::{PRESENT, UNDEFINED};
use crate::form::bounds::bounds;
use crate::form::{self, Cells, Frame, Place};
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
    /// Evaluates an address.
    pub(super) fn address(&mut self, cells: &Cells) -> Located {
        if cells.low > cells.high || cells.high >= self.layout.cells() + self.frame.cells {
            self.refuse("an address outside of its region");
        }
        let mut constant = cells.base as i128;
        let mut dynamic = None;
        for index in &cells.indices {
            let stride = index.stride as i64;
            constant -= i128::from(index.least) * i128::from(stride);
            if let form::Value::Constant(number) = index.value {
                constant += i128::from(number) * i128::from(stride);
                continue;
            }
            let value = self.value(&index.value);
            dynamic = Some(self.scaled(dynamic, value, stride));
        }
        let (low, high) = (cells.low, cells.high);
        let offset = i64::try_from(constant).unwrap_or(FAR);
        if dynamic.is_none() && (offset as usize, offset as usize) != (low, high) {
            self.refuse("wrong bounds of a constant address");
        }
        Located { dynamic, offset, low, high }
    }

    /// Adds a number of strides to the computed part of an address.
    fn scaled(&mut self, before: Option<Value>, number: Value, stride: i64) -> Value {
        let bytes = match stride.wrapping_mul(CELL) {
            bytes if (bytes as u64).is_power_of_two() => {
                self.ins().ishl_imm(number, i64::from(bytes.trailing_zeros()))
            }
            bytes => self.ins().imul_imm(number, bytes),
        };
        match before {
            Some(before) => self.ins().iadd(before, bytes),
            None => bytes,
        }
    }

    /// The number of bytes of memory before a place.
    fn bytes(&mut self, at: Located) -> Value {
        match at.dynamic {
            Some(bytes) => self.ins().iadd_imm(bytes, at.offset.wrapping_mul(CELL)),
            None => self.constant(at.offset.wrapping_mul(CELL)),
        }
    }

    /// The value in a simple place, defined or not.
    pub(super) fn peek(&mut self, place: &Place) -> Value {
        match place {
            Place::Register(register) => self.register(*register),
            Place::Cells(cells) => {
                let at = self.address(cells);
                self.load(at)
            }
        }
    }

    /// The constant part of an address in bytes.
    fn offset_of(&mut self, at: Located) -> i32 {
        let bytes = at.offset.checked_mul(CELL).and_then(|bytes| i32::try_from(bytes).ok());
        bytes.unwrap_or_else(|| {
            self.refuse("an address is too far from the start");
            0
        })
    }

    /// The base address and the offset in bytes of a cell, which the extent then includes.
    fn access(&mut self, at: Located) -> (Value, i32) {
        self.extent.memory = self.extent.memory.max(at.high + 1);
        let offset = self.offset_of(at);
        let base = match at.dynamic {
            Some(bytes) => self.builder.ins().iadd(self.memory, bytes),
            None => self.memory,
        };
        (base, offset)
    }

    /// Loads a cell, defined or not.
    pub(super) fn load(&mut self, at: Located) -> Value {
        self.reads((at.low, at.high));
        let (base, offset) = self.access(at);
        self.ins().load(types::I64, Self::flags(), base, offset)
    }

    pub(super) fn load_all(&mut self, from: Located, cells: usize) -> Vec<Value> {
        if cells > MOST_CELLS {
            self.refuse("too many cells at once");
        }
        (0..cells.min(MOST_CELLS)).map(|k| self.load(from.behind(k))).collect()
    }

    /// Stores values, which are evaluated after the address, to consecutive cells, each with what is
    /// known of it.
    pub(super) fn store(
        &mut self,
        to: &Cells,
        values: impl FnOnce(&mut Self) -> Vec<(Value, Known)>,
    ) {
        let at = self.address(to);
        let values = values(self);
        for (k, &(value, known)) in values.iter().enumerate() {
            self.put(at.behind(k), value, known);
        }
    }

    /// Stores a cell. If it is a cell of the state, the packed target is set, and memory only if that
    /// is undone: then its previous value is logged.
    pub(super) fn put(&mut self, at: Located, value: Value, known: Known) {
        let state = self.layout.cells();
        if at.low < state && at.high >= state {
            self.refuse("a store beyond the state");
        }
        let is_state = at.high < state;
        if is_state && self.keeps_memory() {
            self.writes((at.low, at.high));
        } else {
            let (base, offset) = self.access(at);
            if is_state {
                self.log(at, base, offset);
            }
            self.ins().store(Self::flags(), value, base, offset);
        }
        if is_state {
            let code = self.code(at, value, known);
            self.pack(at, code);
        }
    }

    /// Logs the value of a cell of the state before a store.
    fn log(&mut self, at: Located, base: Value, offset: i32) {
        let before = self.ins().load(types::I64, Self::flags(), base, offset);
        let place = self.bytes(at);
        let cursor = self.builder.use_var(self.cursor);
        self.ins().store(Self::flags(), place, cursor, 0);
        self.ins().store(Self::flags(), before, cursor, CELL as i32);
        let behind = self.ins().iadd_imm(cursor, 2 * CELL);
        self.builder.def_var(self.cursor, behind);
        self.stores = self.stores.saturating_add(self.times);
    }

    /// The code of a cell's value in a packed state, if the value is of its type.
    fn code(&mut self, at: Located, value: Value, known: Known) -> Code {
        let (_, _, width) = self.layout.place_of(at.low);
        let least = self.layout.least(at.low);
        // All cells that one place may stand for must have one type.
        if (self.layout.place_of(at.high).2, self.layout.least(at.high)) != (width, least) {
            self.refuse("cells of different types");
        }
        // The marks of slots with an element are odd, those of others even.
        let is_mark = (width, least) == (1, PRESENT);
        let first = 1_i64.wrapping_sub(least);
        match known {
            Known::Constant(value) if is_mark => Code::Constant(value & 1),
            Known::Constant(UNDEFINED) => Code::Constant(0),
            Known::Constant(value) => Code::Constant(value.wrapping_add(first)),
            _ if is_mark => Code::Computed(self.ins().band_imm(value, 1)),
            Known::Defined => Code::Computed(self.ins().iadd_imm(value, first)),
            Known::Nothing => {
                let undefined = self.is(IntCC::Equal, value, UNDEFINED);
                let code = self.ins().iadd_imm(value, first);
                let zero = self.constant(0);
                Code::Computed(self.ins().select(undefined, zero, code))
            }
        }
    }

    /// Sets a cell of the packed target to a code.
    fn pack(&mut self, at: Located, code: Code) {
        let Some(target) = self.target else {
            return self.refuse("a store to the state in a condition");
        };
        let (word, shift, width) = self.layout.place_of(at.low);
        let mask = ((1_u64 << width) - 1).cast_signed();
        let flags = Self::flags();
        let (address, word, code, mask) = match at.dynamic {
            None => {
                let code = match code {
                    Code::Constant(code) => self.constant(code << shift),
                    Code::Computed(code) => self.ins().ishl_imm(code, i64::from(shift)),
                };
                let mask = self.constant(mask << shift);
                (target, word as i32 * CELL as i32, code, mask)
            }
            Some(dynamic) => {
                let offset = self.offset_of(at);
                let address = self.builder.ins().iadd(self.places, dynamic);
                let place = self.ins().load(types::I64, flags, address, offset);
                let bytes = self.ins().ushr_imm(place, 6);
                let address = self.ins().iadd(target, bytes);
                let code = match code {
                    Code::Constant(code) => self.constant(code),
                    Code::Computed(code) => code,
                };
                let code = self.ins().ishl(code, place);
                let mask = self.constant(mask);
                (address, 0, code, self.ins().ishl(mask, place))
            }
        };
        let before = self.ins().load(types::I64, flags, address, word);
        let others = self.ins().band_not(before, mask);
        let after = self.ins().bor(others, code);
        self.ins().store(flags, after, address, word);
    }
}

/// What is known of a value that is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    Constant(i64),
    /// It is not [`UNDEFINED`].
    Defined,
    Nothing,
}

impl Known {
    /// What is known of a value in a unit with this frame.
    pub(super) fn of(value: &form::Value, frame: &Frame) -> Known {
        match (value, bounds(value, frame).certain()) {
            (&form::Value::Constant(number), _) => Known::Constant(number),
            (form::Value::Load(..), _) => Known::Defined,
            (_, range) if range.low > UNDEFINED => Known::Defined,
            _ => Known::Nothing,
        }
    }
}

/// The code of a value in a packed state.
#[derive(Clone, Copy, Debug)]
enum Code {
    Constant(i64),
    Computed(Value),
}

/// A constant part of an address that is refused.
const FAR: i64 = i64::MAX / CELL;
