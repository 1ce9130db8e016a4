//! The emitter: bindings of locals, blocks and branches, and small pieces of code.
//!
//! Invariant: the block that is emitted to is open. Every method that ends a block begins another,
//! which may be unreachable.

use super::multiset::Element;
use super::place::Located;
use super::{Compiled, Extent, MOST_WORK, Unsupported};
use crate::cells::{Layout, UNDEFINED, width};
use crate::closures::types::Values;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, MemFlags, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use model::checked::{FunctionId, Local, LocalId, LocalKind, Model, PropertyId};
use model::types::{Type, TypeId};

/// The size of a cell in bytes.
pub(super) const CELL: i64 = 8;

/// A simple value that is defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmittedValue {
    pub(super) value: Value,
    /// The least possible value.
    pub(super) low: i64,
    /// The greatest possible value.
    pub(super) high: i64,
    /// Whether generated code has checked these bounds. Otherwise they hold because cells contain
    /// values of their types, which suffices for arithmetic but not for addresses.
    pub(super) is_proved: bool,
}

/// The meaning of a local.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// Not bound yet.
    None,
    /// A value that does not change.
    Value(EmittedValue),
    /// A value that does not change, but may be undefined.
    Perhaps(EmittedValue),
    /// A declared variable of a simple type that nothing refers to.
    Register(Variable, TypeId),
    /// A place in memory.
    Place(Located),
    /// An element of a multiset: its index in [`Emitter::elements`].
    Chosen(usize),
}

/// The target of `return`.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    /// Has a parameter if the result is simple.
    pub(super) block: Block,
    /// The type of the result.
    pub(super) result: Option<TypeId>,
    /// The place that the result is stored to, if it is not simple.
    pub(super) place: Option<Located>,
}

pub(super) struct Emitter<'e, 'm> {
    pub(super) builder: FunctionBuilder<'e>,
    pub(super) model: &'m Model,
    pub(super) layout: &'m Layout,
    /// The locals of the rule, property or function, and their bindings.
    pub(super) locals: &'m [Local],
    pub(super) bindings: Vec<Binding>,
    pub(super) exit: Option<Exit>,
    /// The target of a false `assume`, where one is allowed.
    pub(super) abandon: Option<Block>,
    /// The functions that are being expanded, and the number of all expansions so far.
    pub(super) calls: Vec<FunctionId>,
    pub(super) expanded: usize,
    /// The address of the machine's memory.
    pub(super) memory: Value,
    /// The address of the packed state.
    pub(super) packed: Value,
    /// The address of the table of positions that cells have in packed states: see [`places`].
    places: Value,
    /// The address after the last record, or after the log of a body's stores.
    pub(super) cursor: Variable,
    /// The address of the packed target, in a body.
    pub(super) target: Option<Value>,
    /// The block that gives up.
    pub(super) trap: Block,
    /// The most times that the code emitted now is executed.
    pub(super) times: u64,
    /// The most iterations so far.
    work: u64,
    /// The most stores to the state so far, per execution of a body.
    pub(super) stores: u64,
    pub(super) extent: Extent,
    pub(super) covers: Vec<(PropertyId, usize)>,
    /// Elements of multisets that locals have been bound to.
    pub(super) elements: Vec<Element>,
    /// The elements chosen by the enclosing `choose` levels, the outermost first.
    pub(super) chosen: Vec<usize>,
    /// Whether the last of these is yet to be compared with its neighbour.
    pub(super) is_unchecked: bool,
    /// The multisets that are written.
    pub(super) touched: Vec<Located>,
    /// The first of the cells that mark written multisets: as many as the state has.
    pub(super) marks: Option<usize>,
}

/// The position of each cell in a packed state: the bytes before its word, times 64, plus its first
/// bit. The lowest six bits are the first bit, and a shift uses only these.
pub(super) fn places(layout: &Layout) -> Box<[u64]> {
    let place = |cell| {
        let (word, shift, _) = layout.place_of(cell);
        u64::from(word) * CELL as u64 * 64 + u64::from(shift)
    };
    (0..layout.cells()).map(place).collect()
}

impl<'e, 'm> Emitter<'e, 'm> {
    /// Begins a function, which owns the cells of memory from `free` on.
    pub(super) fn new(
        mut builder: FunctionBuilder<'e>,
        model: &'m Model,
        layout: &'m Layout,
        locals: &'m [Local],
        free: usize,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let &[memory, records, packed, places] = builder.block_params(entry) else {
            unreachable!("functions have four parameters")
        };
        let cursor = builder.declare_var(types::I64);
        builder.def_var(cursor, records);
        let trap = builder.create_block();
        builder.set_cold_block(trap);
        Emitter {
            builder,
            model,
            layout,
            locals,
            bindings: vec![Binding::None; locals.len()],
            exit: None,
            abandon: None,
            calls: Vec::new(),
            expanded: 0,
            memory,
            packed,
            places,
            cursor,
            target: None,
            trap,
            times: 1,
            work: 0,
            stores: 0,
            extent: Extent { memory: free, records: 0 },
            covers: Vec::new(),
            elements: Vec::new(),
            chosen: Vec::new(),
            is_unchecked: false,
            touched: Vec::new(),
            marks: None,
        }
    }

    /// Ends the function.
    pub(super) fn finish(mut self) {
        self.builder.switch_to_block(self.trap);
        let gave_up = self.constant(-1);
        self.builder.ins().return_(&[gave_up]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
    }

    pub(super) fn constant(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    /// Creates a block, to be emitted to later.
    pub(super) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    /// Emits to this block from now on.
    pub(super) fn begin(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    /// Jumps to a block; the code after it is unreachable until another block begins.
    pub(super) fn go(&mut self, to: Block) {
        self.builder.ins().jump(to, &[]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Jumps to a block with a value.
    pub(super) fn go_with(&mut self, to: Block, value: Value) {
        self.builder.ins().jump(to, &[BlockArg::Value(value)]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Jumps to `yes` if the condition is not zero, else to `no`.
    pub(super) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Gives up if the condition is not zero.
    pub(super) fn trap_if(&mut self, condition: Value) {
        let next = self.block();
        self.builder.ins().brif(condition, self.trap, &[], next, &[]);
        self.begin(next);
    }

    /// Gives up unless a value is from `low` to `high`. An undefined value is not, if both are
    /// small.
    pub(super) fn trap_outside(&mut self, value: Value, low: i64, high: i64) {
        let distance = match low {
            0 => value,
            _ => self.builder.ins().iadd_imm(value, low.wrapping_neg()),
        };
        let width = high.wrapping_sub(low);
        let outside = self.builder.ins().icmp_imm(IntCC::UnsignedGreaterThan, distance, width);
        self.trap_if(outside);
    }

    pub(super) fn is(&mut self, code: IntCC, value: Value, constant: i64) -> Value {
        let constant = self.constant(constant);
        self.builder.ins().icmp(code, value, constant)
    }

    /// Gives up if a cell's value is undefined.
    pub(super) fn trap_undefined(&mut self, value: Value) {
        let undefined = self.is(IntCC::Equal, value, UNDEFINED);
        self.trap_if(undefined);
    }

    /// Extends a condition to the value 0 or 1.
    pub(super) fn boolean(&mut self, condition: Value) -> EmittedValue {
        let value = self.builder.ins().uextend(types::I64, condition);
        EmittedValue { value, low: 0, high: 1, is_proved: true }
    }

    /// A value of a simple type that is in a cell.
    pub(super) fn typed(&self, value: Value, of: TypeId) -> EmittedValue {
        let (low, high) = self.bounds(of);
        EmittedValue { value, low, high, is_proved: false }
    }

    /// The least and the greatest value of a simple type.
    pub(super) fn bounds(&self, of: TypeId) -> (i64, i64) {
        match *self.model.types.get(of) {
            Type::Range { low, high } => (low, high),
            _ => (0, self.model.types.size(of) as i64 - 1),
        }
    }

    /// Repeats code for every value. The code gets the value, and the block that continues with the
    /// next one.
    pub(super) fn each(
        &mut self,
        values: Values,
        emit: impl FnOnce(&mut Self, EmittedValue, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        self.each_until(values, |emitter, value, next, _| emit(emitter, value, next))
    }

    /// Like [`Emitter::each`]; the code also gets the block after the loop.
    pub(super) fn each_until(
        &mut self,
        values: Values,
        emit: impl FnOnce(&mut Self, EmittedValue, Block, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        let Values { from, by, count } = values;
        if count == 0 {
            return Ok(());
        }
        let last = i128::from(from) + i128::from(by) * i128::from(count - 1);
        let last = i64::try_from(last).map_err(|_| Unsupported)?;
        let times = self.times;
        self.times = times.checked_mul(count).ok_or(Unsupported)?;
        self.work = self.work.saturating_add(self.times);
        if self.work > MOST_WORK {
            return Err(Unsupported);
        }
        let (header, next, done) = (self.block(), self.block(), self.block());
        let value = self.builder.append_block_param(header, types::I64);
        let first = self.constant(from);
        self.go_with(header, first);
        self.begin(header);
        let bound =
            EmittedValue { value, low: from.min(last), high: from.max(last), is_proved: true };
        emit(self, bound, next, done)?;
        self.go(next);
        self.begin(next);
        let following = self.builder.ins().iadd_imm(value, by);
        let is_last = self.is(IntCC::Equal, value, last);
        self.builder.ins().brif(is_last, done, &[], header, &[BlockArg::Value(following)]);
        self.begin(done);
        self.times = times;
        Ok(())
    }

    pub(super) fn bind(&mut self, local: LocalId, binding: Binding) {
        self.bindings[local.0 as usize] = binding;
    }

    pub(super) fn binding(&self, local: LocalId) -> Binding {
        self.bindings[local.0 as usize]
    }

    /// Reserves cells of memory that no other code uses.
    pub(super) fn allocate(&mut self, cells: usize) -> Located {
        let at = self.extent.memory;
        self.extent.memory += cells;
        Located::fixed(at)
    }

    /// Declares the variables among the current locals, undefined.
    pub(super) fn declare(&mut self, is_referred_to: impl Fn(LocalId) -> bool) -> Compiled<()> {
        for (k, local) in self.locals.iter().enumerate() {
            if local.kind != LocalKind::Variable {
                continue;
            }
            let id = LocalId(k as u32);
            if self.model.types.contains_multiset(local.of) {
                return Err(Unsupported);
            }
            let cells = width(&self.model.types, local.of);
            let binding = if self.model.types.is_simple(local.of) && !is_referred_to(id) {
                let variable = self.builder.declare_var(types::I64);
                let undefined = self.constant(UNDEFINED);
                self.builder.def_var(variable, undefined);
                Binding::Register(variable, local.of)
            } else {
                let at = self.allocate(cells);
                self.fill(at, &vec![UNDEFINED; cells])?;
                Binding::Place(at)
            };
            self.bind(id, binding);
        }
        Ok(())
    }

    /// The address of a cell's entry in the table of positions; `bytes` is the distance of the cell
    /// from the first one.
    pub(super) fn place_address(&mut self, bytes: Value) -> Value {
        self.builder.ins().iadd(self.places, bytes)
    }

    pub(super) fn flags() -> MemFlags {
        MemFlags::trusted()
    }
}
