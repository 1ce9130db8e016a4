//! Emits whole functions: rules, properties and unpacking.

use super::emit::{CELL, Effect, Emitter};
use super::{CodeSummary, Compiled, MOST_UNPACKED, MOST_WORDS};
use crate::cells::{Layout, UNDEFINED};
use crate::form::{Frame, Level, PropertyForm, RuleForm, Scope};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use cranelift_frontend::FunctionBuilder;

/// Emits a function that records all steps of a rule and returns the number of cells that they
/// take.
pub(super) fn rule(
    layout: &Layout,
    free: usize,
    rule: &RuleForm,
    effect: Effect,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let mut emitter = Emitter::new(builder, layout, &rule.frame, free, effect);
    let records = emitter.builder.use_var(emitter.cursor);
    let done = emitter.block();
    let step = &mut |emitter: &mut Emitter<'_, '_>, next| emitter.step(rule, next);
    emitter.around(&rule.scope, 0, done, step);
    emitter.go(done);
    emitter.begin(done);
    let behind = emitter.builder.use_var(emitter.cursor);
    let bytes = emitter.ins().isub(behind, records);
    let cells = emitter.ins().sshr_imm(bytes, i64::from(CELL.trailing_zeros()));
    emitter.ins().return_(&[cells]);
    // The log of a body's stores follows the last record.
    let record = (rule.arguments.len() + layout.words()) as u64;
    let records = most_instances(&rule.scope).saturating_mul(record);
    let cells = records.saturating_add(emitter.stores.saturating_mul(2));
    emitter.finish(cells)
}

/// Emits a function that returns whether a property is true for all values of the scope around it.
pub(super) fn property(
    layout: &Layout,
    free: usize,
    property: &PropertyForm,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let mut emitter = Emitter::new(builder, layout, &property.frame, free, Effect::None);
    let (yes, no) = (emitter.block(), emitter.block());
    let condition = &mut |emitter: &mut Emitter<'_, '_>, next| {
        emitter.condition(&property.condition, next, no);
    };
    emitter.around(&property.scope, 0, yes, condition);
    emitter.go(yes);
    for (block, answer) in [(yes, 1), (no, 0)] {
        emitter.begin(block);
        let answer = emitter.constant(answer);
        emitter.ins().return_(&[answer]);
    }
    if !emitter.covers.is_empty() {
        emitter.refuse("a property has an effect");
    }
    emitter.finish(0)
}

/// Emits a function that unpacks the packed state into memory.
pub(super) fn unpack(layout: &Layout, builder: FunctionBuilder<'_>) -> Compiled<CodeSummary> {
    let frame = Frame::default();
    let mut emitter = Emitter::new(builder, layout, &frame, layout.cells(), Effect::None);
    if layout.cells() > MOST_UNPACKED {
        emitter.refuse("a state has too many cells");
    }
    let flags = Emitter::flags();
    let undefined = emitter.constant(UNDEFINED);
    let mut known = None;
    for cell in 0..layout.cells().min(MOST_UNPACKED) {
        let (number, shift, width) = layout.place_of(cell);
        let word = match known {
            Some((known, word)) if known == number => word,
            _ => {
                let offset = number as i32 * CELL as i32;
                emitter.builder.ins().load(types::I64, flags, emitter.packed, offset)
            }
        };
        known = Some((number, word));
        let code = emitter.ins().ushr_imm(word, i64::from(shift));
        let code = emitter.ins().band_imm(code, ((1_u64 << width) - 1).cast_signed());
        let value = emitter.ins().iadd_imm(code, layout.least(cell).wrapping_sub(1));
        let value = emitter.ins().select(code, value, undefined);
        emitter.builder.ins().store(flags, value, emitter.memory, (cell as i64 * CELL) as i32);
    }
    let done = emitter.constant(0);
    emitter.ins().return_(&[done]);
    emitter.finish(0)
}

/// The most instances that a rule may have.
fn most_instances(scope: &Scope) -> u64 {
    scope.levels.iter().fold(1, |count: u64, level| match level {
        Level::Parameter(over) => count.saturating_mul(over.values.count),
        Level::Let(_) => count,
    })
}

impl Emitter<'_, '_> {
    /// Binds a scope from this level on, and emits `inner` for the values that no condition skips;
    /// for others it jumps to `skip`, or to [`Emitter::exit`] if there are no more values. `inner` ends
    /// by jumping to the block that it gets.
    fn around(
        &mut self,
        scope: &Scope,
        level: usize,
        skip: Block,
        inner: &mut dyn FnMut(&mut Self, Block),
    ) {
        let (kept, conditions) = scope.at(level);
        for &register in kept {
            self.undefine(register);
        }
        for (condition, value) in conditions {
            let next = self.block();
            self.jump_if(condition, *value, skip, next);
            self.begin(next);
        }
        match scope.levels.get(level) {
            None => inner(self, skip),
            Some(Level::Let(statements)) => {
                self.statements(statements);
                self.around(scope, level + 1, skip, inner);
            }
            Some(Level::Parameter(over)) => {
                self.each(*over, |emitter, next, done| {
                    emitter.exit = Some(done);
                    emitter.around(scope, level + 1, next, inner);
                });
            }
        }
    }

    /// Emits the step of a rule where its guard is true: begins a record, executes the body, which
    /// sets the cells that it changes in the target, and undoes the body's changes to memory.
    fn step(&mut self, rule: &RuleForm, next: Block) {
        let record = self.builder.use_var(self.cursor);
        let first = self.begin_record(rule, record);
        let (end, abandoned) = (self.block(), self.block());
        self.exit = Some(end);
        self.abandon = Some(abandoned);
        // Stores and iterations count for one execution.
        let times = std::mem::replace(&mut self.times, 1);
        self.statements(&rule.body);
        self.times = times;
        self.go(end);
        for (block, behind) in [(end, first), (abandoned, record)] {
            self.begin(block);
            if self.effect == Effect::Undone {
                self.take_back(first);
            }
            self.builder.def_var(self.cursor, behind);
            self.go(next);
        }
    }

    /// Writes the arguments of the event and the packed state, which becomes the target. Returns
    /// the address after the record.
    fn begin_record(&mut self, rule: &RuleForm, record: Value) -> Value {
        let words = self.layout.words();
        if words > MOST_WORDS {
            self.refuse("a packed state is too large");
        }
        let mut cells: Vec<Value> = rule.arguments.iter().map(|one| self.peek(one)).collect();
        self.target = Some(self.ins().iadd_imm(record, cells.len() as i64 * CELL));
        let flags = Emitter::flags();
        for offset in (0..words.min(MOST_WORDS) as i32).map(|word| word * CELL as i32) {
            cells.push(self.builder.ins().load(types::I64, flags, self.packed, offset));
        }
        for (k, &cell) in cells.iter().enumerate() {
            self.ins().store(flags, cell, record, k as i32 * CELL as i32);
        }
        let first = self.ins().iadd_imm(record, cells.len() as i64 * CELL);
        self.builder.def_var(self.cursor, first);
        first
    }

    /// Undoes the stores that were logged from `first` on, the last one first.
    fn take_back(&mut self, first: Value) {
        let behind = self.builder.use_var(self.cursor);
        let (body, done) = (self.block(), self.block());
        let (header, at) = self.begin_loop(behind);
        let is_done = self.ins().icmp(IntCC::Equal, at, first);
        self.branch(is_done, done, body);
        self.begin(body);
        let flags = Emitter::flags();
        let entry = self.ins().iadd_imm(at, -2 * CELL);
        let place = self.ins().load(types::I64, flags, entry, 0);
        let before = self.ins().load(types::I64, flags, entry, CELL as i32);
        let address = self.builder.ins().iadd(self.memory, place);
        self.ins().store(flags, before, address, 0);
        self.ins().jump(header, &[BlockArg::Value(entry)]);
        self.builder.seal_block(header);
        self.begin(done);
    }
}
