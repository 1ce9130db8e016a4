//! The emitter: registers, blocks and branches, loops, and small pieces of code.
//!
//! Invariant: the block that is emitted to is open. Every method that ends a block begins another,
//! which may be unreachable.
//!
//! Where a unit cannot be supported, the emitter notes why and goes on with any code: in the end
//! [`Emitter::finish`] refuses all of it.

use super::{CodeSummary, Compiled, Extent, MOST_RECORDS, MOST_WORK, Unsupported};
use crate::cells::{Layout, UNDEFINED};
use crate::form::{Frame, Loop, Range, Register, Values};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, MemFlags, Value, types};
use cranelift_frontend::{FuncInstBuilder, FunctionBuilder, Variable};
use model::checked::PropertyId;

/// Why a body without effect on memory is refused.
const READS_BACK: &str = "a body reads what it has written";

/// The size of a cell in bytes.
pub(super) const CELL: i64 = 8;

pub(super) struct Emitter<'e, 'm> {
    pub(super) builder: FunctionBuilder<'e>,
    pub(super) layout: &'m Layout,
    pub(super) frame: &'m Frame,
    registers: Vec<Variable>,
    /// The target of `return`, where one is allowed.
    pub(super) exit: Option<Block>,
    /// The target of a false assumption, where one is allowed.
    pub(super) abandon: Option<Block>,
    /// The address of the machine's memory.
    pub(super) memory: Value,
    /// The address of the packed state.
    pub(super) packed: Value,
    /// The address of the table of positions that cells have in packed states: see [`places`].
    pub(super) places: Value,
    /// The address after the last record, or after the log of a body's stores.
    pub(super) cursor: Variable,
    /// The address of the packed target, in a body.
    pub(super) target: Option<Value>,
    /// What a body does to memory.
    pub(super) effect: Effect,
    /// The cells that the body has read, and those of the state that it has written, so far; only if
    /// it has no effect on memory.
    pub(super) accessed: Accessed,
    /// The block that gives up.
    pub(super) trap: Block,
    /// The most times that the code emitted now is executed in the guard or in one body.
    pub(super) times: u64,
    /// The most iterations so far, those of a body counted once.
    work: u64,
    /// The most stores to the state so far, per execution of a body.
    pub(super) stores: u64,
    pub(super) extent: Extent,
    /// The first reason for which the unit has no code.
    refused: Option<Unsupported>,
    pub(super) covers: Vec<(PropertyId, usize)>,
}

/// What stores of a body to cells of the state do, besides setting the packed target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing: the body is refused if it may read what it has written.
    None,
    /// They change memory, and are undone at the end of the body.
    Undone,
}

/// Ranges of cells, in the order in which code for them was emitted.
#[derive(Default)]
pub(super) struct Accessed {
    read: Vec<(usize, usize)>,
    written: Vec<(usize, usize)>,
}

impl Accessed {
    fn len(&self) -> (usize, usize) {
        (self.read.len(), self.written.len())
    }

    /// Whether the cells of one access may be among those of others.
    fn meets((low, high): (usize, usize), others: &[(usize, usize)]) -> bool {
        others.iter().any(|&(least, greatest)| low <= greatest && least <= high)
    }
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
    /// Begins a function, which owns the cells of memory from `free` on. Its registers are
    /// undefined.
    pub(super) fn new(
        mut builder: FunctionBuilder<'e>,
        layout: &'m Layout,
        frame: &'m Frame,
        free: usize,
        effect: Effect,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let &[memory, records, packed, places] = builder.block_params(entry) else {
            unreachable!("functions have four parameters")
        };
        let cursor = builder.declare_var(types::I64);
        builder.def_var(cursor, records);
        let registers = frame.registers.iter().map(|_| builder.declare_var(types::I64)).collect();
        let trap = builder.create_block();
        builder.set_cold_block(trap);
        let mut emitter = Emitter {
            builder,
            layout,
            frame,
            registers,
            exit: None,
            abandon: None,
            memory,
            packed,
            places,
            cursor,
            target: None,
            effect,
            accessed: Accessed::default(),
            trap,
            times: 1,
            work: 0,
            stores: 0,
            extent: Extent { memory: free, records: 0 },
            refused: None,
            covers: Vec::new(),
        };
        if layout.cells() + frame.cells > free {
            emitter.refuse("the frame is too large");
        }
        let undefined = emitter.constant(UNDEFINED);
        for k in 0..frame.registers.len() {
            emitter.set(Register(k as u32), undefined);
        }
        emitter
    }

    /// Ends the function, which needs this many cells of records.
    pub(super) fn finish(mut self, records: u64) -> Compiled<CodeSummary> {
        if records > MOST_RECORDS {
            self.refuse("too many records");
        }
        self.begin(self.trap);
        let gave_up = self.constant(-1);
        self.ins().return_(&[gave_up]);
        self.builder.finalize();
        let extent = Extent { records: records as usize, ..self.extent };
        match self.refused {
            Some(reason) => Err(reason),
            None => Ok(CodeSummary { extent, covers: self.covers, work: self.work }),
        }
    }

    /// Notes a read. A body without effect on memory must not read what it has written.
    pub(super) fn reads(&mut self, cells: (usize, usize)) {
        if self.keeps_memory() {
            if Accessed::meets(cells, &self.accessed.written) {
                self.refuse(READS_BACK);
            }
            self.accessed.read.push(cells);
        }
    }

    /// Notes a write to the state by a body without effect on memory.
    pub(super) fn writes(&mut self, cells: (usize, usize)) {
        self.accessed.written.push(cells);
    }

    /// Notes that a loop repeats all accesses since then: a read follows each write.
    fn repeats(&mut self, (read, written): (usize, usize)) {
        let Accessed { read: reads, written: writes } = &self.accessed;
        if reads[read..].iter().any(|&cells| Accessed::meets(cells, &writes[written..])) {
            self.refuse(READS_BACK);
        }
    }

    /// Whether memory keeps the cells of the source while a body is executed.
    pub(super) fn keeps_memory(&self) -> bool {
        self.target.is_some() && self.effect == Effect::None
    }

    /// Notes that there will be no code, for a reason.
    pub(super) fn refuse(&mut self, reason: &'static str) {
        self.refused.get_or_insert(Unsupported(reason));
    }

    pub(super) fn ins(&mut self) -> FuncInstBuilder<'_, 'e> {
        self.builder.ins()
    }

    pub(super) fn constant(&mut self, value: i64) -> Value {
        self.ins().iconst(types::I64, value)
    }

    /// The value of a register, defined or not.
    pub(super) fn register(&mut self, register: Register) -> Value {
        self.builder.use_var(self.registers[register.0 as usize])
    }

    pub(super) fn set(&mut self, register: Register, value: Value) {
        self.builder.def_var(self.registers[register.0 as usize], value);
    }

    pub(super) fn undefine(&mut self, register: Register) {
        let undefined = self.constant(UNDEFINED);
        self.set(register, undefined);
    }

    /// Creates a block, to be emitted to later.
    pub(super) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    /// Creates a block with a parameter.
    pub(super) fn block_with(&mut self) -> (Block, Value) {
        let block = self.block();
        (block, self.builder.append_block_param(block, types::I64))
    }

    /// Emits to this block from now on. All jumps to it are emitted: where that is known early, the
    /// code generator has less to do.
    pub(super) fn begin(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// Begins the first block of a loop, with the value of its parameter. It is to be sealed after the
    /// jump back to it.
    pub(super) fn begin_loop(&mut self, first: Value) -> (Block, Value) {
        let (header, value) = self.block_with();
        self.go_with(header, first);
        self.builder.switch_to_block(header);
        (header, value)
    }

    /// Jumps to a block; the code after it is unreachable until another block begins.
    pub(super) fn go(&mut self, to: Block) {
        self.ins().jump(to, &[]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Jumps to a block with a value.
    pub(super) fn go_with(&mut self, to: Block, value: Value) {
        self.ins().jump(to, &[BlockArg::Value(value)]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Jumps to `yes` if the condition is not zero, else to `no`.
    pub(super) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.ins().brif(condition, yes, &[], no, &[]);
        let unreachable = self.block();
        self.begin(unreachable);
    }

    /// Gives up if the condition is not zero.
    pub(super) fn trap_if(&mut self, condition: Value) {
        let next = self.block();
        self.branch(condition, self.trap, next);
        self.begin(next);
    }

    /// Gives up unless a value is in a range.
    pub(super) fn trap_outside(&mut self, value: Value, Range { low, high }: Range) {
        if low > high {
            return self.go(self.trap);
        }
        let distance = match low {
            0 => value,
            _ => self.ins().iadd_imm(value, low.wrapping_neg()),
        };
        let width = self.constant(high.wrapping_sub(low));
        let outside = self.ins().icmp(IntCC::UnsignedGreaterThan, distance, width);
        self.trap_if(outside);
    }

    pub(super) fn is(&mut self, code: IntCC, value: Value, constant: i64) -> Value {
        let constant = self.constant(constant);
        self.ins().icmp(code, value, constant)
    }

    /// Extends a flag to the value 0 or 1.
    pub(super) fn boolean(&mut self, flag: Value) -> Value {
        self.ins().uextend(types::I64, flag)
    }

    /// Repeats code for the values of a loop, which the register holds. The code gets the block that
    /// continues with the next one, and the block after the loop.
    pub(super) fn each(&mut self, over: Loop, emit: impl FnOnce(&mut Self, Block, Block)) {
        let Loop { register, values } = over;
        self.turns(values, |emitter, value, next, done| {
            emitter.set(register, value);
            emit(emitter, next, done);
        });
    }

    /// Repeats code for values. The code gets the value, and the blocks as for [`Emitter::each`].
    pub(super) fn turns(
        &mut self,
        values: Values,
        emit: impl FnOnce(&mut Self, Value, Block, Block),
    ) {
        let Some(last) = values.last() else {
            if values.count > 0 {
                self.refuse("a loop leaves the numbers of 64 bits");
            }
            return;
        };
        let (times, before) = (self.times, self.accessed.len());
        let is_repeated = self.keeps_memory();
        self.times = times.saturating_mul(values.count);
        self.work = self.work.saturating_add(self.times);
        if self.work > MOST_WORK {
            self.refuse("too many iterations");
        }
        let first = self.constant(values.from);
        let (header, value) = self.begin_loop(first);
        let (next, done) = (self.block(), self.block());
        emit(self, value, next, done);
        self.go(next);
        self.begin(next);
        let following = self.ins().iadd_imm(value, values.by);
        let is_last = self.ins().icmp_imm(IntCC::Equal, value, last);
        self.ins().brif(is_last, done, &[], header, &[BlockArg::Value(following)]);
        self.builder.seal_block(header);
        self.begin(done);
        self.times = times;
        if is_repeated {
            self.repeats(before);
        }
    }

    pub(super) fn flags() -> MemFlags {
        MemFlags::trusted()
    }
}
