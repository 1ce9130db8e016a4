//! Emits places: cells of memory whose address is constant except for some indices.

use super::emit::{Binding, CELL, EmittedValue, Emitter};
use super::statement::Returned;
use super::{Compiled, MOST_CELLS, Unsupported};
use crate::cells::{UNDEFINED, width};
use crate::closures::types::Conversion;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value, types};
use model::checked::{Expression, ExpressionKind, Place, Root, Selector};
use model::types::{Type, TypeId};

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
    /// The element of a multiset that this is a part of, if it is one: its index in
    /// [`Emitter::elements`].
    within: Option<usize>,
}

impl Located {
    pub(super) fn fixed(cell: usize) -> Located {
        Located { dynamic: None, offset: cell as i64, low: cell, high: cell, within: None }
    }

    /// The least and the greatest cell that this may be.
    pub(super) fn range(self) -> (usize, usize) {
        (self.low, self.high)
    }

    /// The same place as a part of an element.
    pub(super) fn within(self, element: usize) -> Located {
        Located { within: Some(element), ..self }
    }

    /// The place this many cells later.
    pub(super) fn behind(self, cells: usize) -> Located {
        Located {
            dynamic: self.dynamic,
            offset: self.offset + cells as i64,
            low: self.low + cells,
            high: self.high + cells,
            within: self.within,
        }
    }
}

impl Emitter<'_, '_> {
    /// Locates a place that is in memory.
    pub(super) fn locate(&mut self, place: &Place) -> Compiled<Located> {
        let types = &self.model.types;
        let (mut at, mut of) = match place.root {
            Root::Global(id) => {
                let of = self.model.variables[id.0 as usize].of;
                (Located::fixed(self.layout.variable(id.0 as usize)), of)
            }
            Root::Local(id) => match self.binding(id) {
                Binding::Place(at) => (at, self.locals[id.0 as usize].of),
                _ => return Err(Unsupported),
            },
        };
        for selector in &place.selectors {
            match (selector, types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => {
                    let before = &fields[..*k as usize];
                    at = at.behind(before.iter().map(|&(_, of)| width(types, of)).sum());
                    of = fields[*k as usize].1;
                }
                (Selector::Element(index), &Type::Array { index: wanted, element }) => {
                    at = self.element(at, index, wanted, width(types, element))?;
                    of = element;
                }
                (Selector::Chosen(local), &Type::Multiset { element, .. }) => {
                    at = self.chosen(at, *local)?;
                    of = element;
                }
                _ => return Err(Unsupported),
            }
        }
        Ok(at)
    }

    fn element(
        &mut self,
        at: Located,
        index: &Expression,
        wanted: TypeId,
        stride: usize,
    ) -> Compiled<Located> {
        let (least, most) = self.bounds(wanted);
        let index = self.index(index, wanted)?;
        debug_assert!(index.is_proved && least <= index.low && index.high <= most);
        Ok(self.nth(at, index, least, stride))
    }

    /// One of several consecutive places, the first of which has the index `least`. The index is
    /// proved to be that of one of them.
    pub(super) fn nth(
        &mut self,
        at: Located,
        index: EmittedValue,
        least: i64,
        stride: usize,
    ) -> Located {
        let stride = stride as i64;
        let bytes = match stride * CELL {
            bytes if (bytes as u64).is_power_of_two() => {
                self.builder.ins().ishl_imm(index.value, i64::from(bytes.trailing_zeros()))
            }
            bytes => self.builder.ins().imul_imm(index.value, bytes),
        };
        let dynamic = match at.dynamic {
            Some(before) => self.builder.ins().iadd(before, bytes),
            None => bytes,
        };
        let cells = |index: i64| ((index - least) * stride) as usize;
        Located {
            dynamic: Some(dynamic),
            offset: at.offset - least * stride,
            low: at.low + cells(index.low),
            high: at.high + cells(index.high),
            within: at.within,
        }
    }

    /// Whether two places are the same: 0 or 1.
    pub(super) fn is_same(&mut self, one: Located, other: Located) -> Value {
        let (one, other) = (self.bytes(one), self.bytes(other));
        self.builder.ins().icmp(IntCC::Equal, one, other)
    }

    /// The number of bytes of memory before a place.
    fn bytes(&mut self, at: Located) -> Value {
        match at.dynamic {
            Some(bytes) => self.builder.ins().iadd_imm(bytes, at.offset * CELL),
            None => self.constant(at.offset * CELL),
        }
    }

    /// Emits an index that generated code has checked against the bounds of its type.
    fn index(&mut self, index: &Expression, wanted: TypeId) -> Compiled<EmittedValue> {
        let (low, high) = self.bounds(wanted);
        if high.checked_sub(low).is_none_or(|width| width >= 1 << 32)
            || low.unsigned_abs() >= 1 << 32
        {
            return Err(Unsupported);
        }
        // An undefined value is out of bounds, too: it needs no check of its own.
        let raw = match &index.kind {
            ExpressionKind::Read(place)
                if index.of == wanted
                    || matches!(
                        Conversion::new(&self.model.types, index.of, wanted)?,
                        Conversion::Same
                    ) =>
            {
                self.peek(place)?.0
            }
            _ => self.simple_in(index, wanted)?,
        };
        if raw.is_proved && low <= raw.low && raw.high <= high {
            return Ok(raw);
        }
        self.trap_outside(raw.value, low, high);
        Ok(EmittedValue { value: raw.value, low, high, is_proved: true })
    }

    /// The value in a simple place, and whether it may be undefined.
    pub(super) fn peek(&mut self, place: &Place) -> Compiled<(EmittedValue, bool)> {
        if let (Root::Local(id), []) = (place.root, &place.selectors[..]) {
            match self.binding(id) {
                Binding::Value(simple) => return Ok((simple, false)),
                Binding::Perhaps(simple) => return Ok((simple, true)),
                Binding::Register(variable, of) => {
                    let value = self.builder.use_var(variable);
                    return Ok((self.typed(value, of), true));
                }
                Binding::Place(_) => {}
                Binding::None | Binding::Chosen(_) => return Err(Unsupported),
            }
        }
        let at = self.locate(place)?;
        let value = self.load(at)?;
        Ok((self.typed(value, place.of), true))
    }

    /// The base address and the offset in bytes of a place, whose cells the extent then includes.
    fn access(&mut self, at: Located, cells: usize) -> Compiled<(Value, i32)> {
        self.extent.memory = self.extent.memory.max(at.high + cells);
        let offset = i32::try_from(at.offset * CELL).map_err(|_| Unsupported)?;
        let base = match at.dynamic {
            Some(bytes) => self.builder.ins().iadd(self.memory, bytes),
            None => self.memory,
        };
        Ok((base, offset))
    }

    /// Loads a cell, undefined or not.
    pub(super) fn load(&mut self, at: Located) -> Compiled<Value> {
        self.must_be_there(at)?;
        self.load_cell(at)
    }

    fn load_cell(&mut self, at: Located) -> Compiled<Value> {
        let (base, offset) = self.access(at, 1)?;
        Ok(self.builder.ins().load(types::I64, Self::flags(), base, offset))
    }

    /// Stores a cell. If it is a cell of the state, its previous value is logged, and the packed
    /// target is set, too, unless the cell is in a multiset, which is packed when the body ends.
    pub(super) fn store(&mut self, at: Located, value: Value) -> Compiled<()> {
        self.must_be_there(at)?;
        self.touch_around(at)?;
        self.store_cell(at, value, at.within.is_none())
    }

    /// Stores a cell of a multiset.
    pub(super) fn store_in_multiset(&mut self, at: Located, value: Value) -> Compiled<()> {
        self.store_cell(at, value, false)
    }

    fn store_cell(&mut self, at: Located, value: Value, is_packed: bool) -> Compiled<()> {
        let (base, offset) = self.access(at, 1)?;
        let state = self.layout.cells();
        if at.high < state {
            if self.target.is_none() {
                return Err(Unsupported);
            }
            let before = self.builder.ins().load(types::I64, Self::flags(), base, offset);
            let place = match at.dynamic {
                Some(bytes) => self.builder.ins().iadd_imm(bytes, i64::from(offset)),
                None => self.constant(i64::from(offset)),
            };
            let cursor = self.builder.use_var(self.cursor);
            self.builder.ins().store(Self::flags(), place, cursor, 0);
            self.builder.ins().store(Self::flags(), before, cursor, CELL as i32);
            let behind = self.builder.ins().iadd_imm(cursor, 2 * CELL);
            self.builder.def_var(self.cursor, behind);
            self.stores = self.stores.saturating_add(self.times);
            if is_packed {
                let code = self.code(at, value)?;
                self.pack(at, code)?;
            }
        } else if at.low < state {
            return Err(Unsupported);
        }
        self.builder.ins().store(Self::flags(), value, base, offset);
        Ok(())
    }

    /// The code of a cell's value in a packed state, if the value is of its type.
    pub(super) fn code(&mut self, at: Located, value: Value) -> Compiled<Value> {
        let (_, _, width) = self.layout.place_of(at.low);
        let least = self.layout.least(at.low);
        // All cells that one place may stand for must have one type.
        if (self.layout.place_of(at.high).2, self.layout.least(at.high)) != (width, least) {
            return Err(Unsupported);
        }
        let undefined = self.is(IntCC::Equal, value, UNDEFINED);
        let code = self.builder.ins().iadd_imm(value, 1_i64.wrapping_sub(least));
        let zero = self.constant(0);
        Ok(self.builder.ins().select(undefined, zero, code))
    }

    /// Sets a cell of the packed target to a code.
    pub(super) fn pack(&mut self, at: Located, code: Value) -> Compiled<()> {
        let target = self.target.ok_or(Unsupported)?;
        if at.high >= self.layout.cells() {
            return Err(Unsupported);
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
                let offset = i32::try_from(at.offset * CELL).map_err(|_| Unsupported)?;
                let address = self.place_address(dynamic);
                let place = self.builder.ins().load(types::I64, flags, address, offset);
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

    /// Stores constants.
    pub(super) fn fill(&mut self, at: Located, cells: &[i64]) -> Compiled<()> {
        if cells.len() > MOST_CELLS {
            return Err(Unsupported);
        }
        let values: Vec<Value> = cells.iter().map(|&cell| self.constant(cell)).collect();
        self.store_all(at, &values)
    }

    /// Copies cells; source and target may overlap.
    pub(super) fn copy(&mut self, from: Located, to: Located, cells: usize) -> Compiled<()> {
        let values = self.load_all(from, cells)?;
        self.store_all(to, &values)
    }

    fn store_all(&mut self, to: Located, values: &[Value]) -> Compiled<()> {
        self.must_be_there(to)?;
        self.touch_around(to)?;
        for (k, &value) in values.iter().enumerate() {
            self.store_cell(to.behind(k), value, to.within.is_none())?;
        }
        Ok(())
    }

    /// Gives up if a place is part of an element that was removed. A guard removes nothing.
    fn must_be_there(&mut self, at: Located) -> Compiled<()> {
        match at.within {
            Some(element) if self.target.is_some() => self.must_be_present(element),
            _ => Ok(()),
        }
    }

    /// Marks the multiset around a place as written, if there is one.
    fn touch_around(&mut self, at: Located) -> Compiled<()> {
        match at.within {
            Some(element) => self.touch(self.elements[element].multiset),
            None => Ok(()),
        }
    }

    pub(super) fn load_all(&mut self, from: Located, cells: usize) -> Compiled<Vec<Value>> {
        if cells > MOST_CELLS {
            return Err(Unsupported);
        }
        self.must_be_there(from)?;
        (0..cells).map(|k| self.load_cell(from.behind(k))).collect()
    }

    /// Locates the value of an expression that is not simple.
    pub(super) fn complex(&mut self, expression: &Expression) -> Compiled<Located> {
        if self.model.types.contains_multiset(expression.of) {
            return Err(Unsupported);
        }
        match &expression.kind {
            ExpressionKind::Read(place) => self.locate(place),
            ExpressionKind::Call { function, arguments } => {
                match self.call(*function, arguments)? {
                    Returned::Place(at) => Ok(at),
                    Returned::Nothing | Returned::Simple(_) => Err(Unsupported),
                }
            }
            _ => Err(Unsupported),
        }
    }
}
