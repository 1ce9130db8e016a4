//! Emits whole functions: rules, properties and unpacking.

use super::emit::{CELL, Emitter};
use super::{CodeSummary, Compiled, MOST_UNPACKED, MOST_WORDS, Unsupported};
use crate::cells::{Layout, UNDEFINED};
use crate::form::{ArgumentForm, Frame, Level, PropertyForm, RuleForm, Scope};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use cranelift_frontend::FunctionBuilder;

/// Emits a function that records all steps of a rule and returns the number of cells that they
/// take.
pub(super) fn rule(
    layout: &Layout,
    free: usize,
    rule: &RuleForm,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let mut emitter = Emitter::new(builder, layout, &rule.frame, free)?;
    let records = emitter.builder.use_var(emitter.cursor);
    let done = emitter.block();
    let mut step = StepOf { rule, record: 0, scratch: 0 };
    let mut inner = |emitter: &mut Emitter<'_, '_>, next| step.emit(emitter, next);
    emitter.around(&rule.scope, 0, None, done, &mut inner)?;
    emitter.go(done);
    emitter.begin(done);
    let behind = emitter.builder.use_var(emitter.cursor);
    let bytes = emitter.builder.ins().isub(behind, records);
    let cells = emitter.builder.ins().sshr_imm(bytes, i64::from(CELL.trailing_zeros()));
    emitter.builder.ins().return_(&[cells]);
    let records = instances(&rule.scope).and_then(|count| count.checked_mul(step.record));
    let records = records.and_then(|records| records.checked_add(step.scratch));
    Ok(emitter.finish(records.ok_or(Unsupported("too many records"))?))
}

/// Emits a function that returns whether a property is true for all values of the scope around it.
pub(super) fn property(
    layout: &Layout,
    free: usize,
    property: &PropertyForm,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let mut emitter = Emitter::new(builder, layout, &property.frame, free)?;
    let (yes, no) = (emitter.block(), emitter.block());
    let mut inner =
        |emitter: &mut Emitter<'_, '_>, next| emitter.condition(&property.condition, next, no);
    emitter.around(&property.scope, 0, None, yes, &mut inner)?;
    emitter.go(yes);
    for (block, answer) in [(yes, 1), (no, 0)] {
        emitter.begin(block);
        let answer = emitter.constant(answer);
        emitter.builder.ins().return_(&[answer]);
    }
    if !emitter.covers.is_empty() {
        return Err(Unsupported("a property has an effect"));
    }
    Ok(emitter.finish(0))
}

/// The most instances that a rule may have.
fn instances(scope: &Scope) -> Option<usize> {
    scope.levels.iter().try_fold(1_usize, |count, level| match level {
        Level::Parameter(_, values) => count.checked_mul(usize::try_from(values.count).ok()?),
        Level::Choose { bag, .. } => count.checked_mul(bag.capacity),
        Level::Let(_) => Some(count),
    })
}

/// The part of a scope that belongs to a level.
fn at<T>(parts: &[Vec<T>], level: usize) -> &[T] {
    parts.get(level).map_or(&[], |part| part)
}

impl Emitter<'_, '_> {
    /// Binds a scope from this level on, and emits `inner` for the values for which the conditions
    /// of the levels are true, and which no decider excludes; for others it jumps to `skip`.
    /// `inner` ends by jumping to the block that it gets. The element of the level `chosen` has not
    /// been compared with its neighbour yet.
    fn around(
        &mut self,
        scope: &Scope,
        level: usize,
        chosen: Option<&Level>,
        skip: Block,
        inner: &mut dyn FnMut(&mut Self, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        for &register in at(&scope.kept, level) {
            self.undefine(register)?;
        }
        let conditions = at(&scope.conditions, level).iter().map(|condition| (condition, false));
        let deciders =
            at(&scope.deciders, level).iter().map(|(condition, value)| (condition, *value));
        for (condition, value) in conditions.chain(deciders) {
            let next = self.block();
            self.jump_if(condition, value, skip, next)?;
            self.begin(next);
        }
        let next = scope.levels.get(level);
        if let Some(Level::Let(statements)) = next {
            self.statements(statements)?;
            return self.around(scope, level + 1, chosen, skip, inner);
        }
        // As late as possible: most guards are false.
        if let Some(Level::Choose { bag, slot, outer }) = chosen {
            self.skip_equal(bag, *slot, outer, skip)?;
        }
        match next {
            Some(Level::Parameter(register, values)) => {
                let turns = self.fixed(*values)?;
                self.each(turns, |emitter, value, next, _| {
                    emitter.set(*register, value)?;
                    emitter.around(scope, level + 1, None, next, inner)
                })
            }
            Some(Level::Choose { bag, slot, .. }) => self.choose(bag, *slot, |emitter, again| {
                emitter.around(scope, level + 1, next, again, inner)
            }),
            Some(Level::Let(_)) | None => inner(self, skip),
        }
    }
}

/// Emits a function that unpacks the packed state into memory.
pub(super) fn unpack(layout: &Layout, builder: FunctionBuilder<'_>) -> Compiled<CodeSummary> {
    if layout.cells() > MOST_UNPACKED {
        return Err(Unsupported("a state has too many cells"));
    }
    let frame = Frame::default();
    let mut emitter = Emitter::new(builder, layout, &frame, layout.cells())?;
    let flags = Emitter::flags();
    let mut words = Vec::new();
    for word in 0..layout.words() {
        let offset = (word as i64 * CELL) as i32;
        words.push(emitter.builder.ins().load(types::I64, flags, emitter.packed, offset));
    }
    let undefined = emitter.constant(UNDEFINED);
    for cell in 0..layout.cells() {
        let (word, shift, width) = layout.place_of(cell);
        let code = emitter.builder.ins().ushr_imm(words[word as usize], i64::from(shift));
        let code = emitter.builder.ins().band_imm(code, ((1_u64 << width) - 1).cast_signed());
        let value = emitter.builder.ins().iadd_imm(code, layout.least(cell).wrapping_sub(1));
        let value = emitter.builder.ins().select(code, value, undefined);
        emitter.builder.ins().store(flags, value, emitter.memory, (cell as i64 * CELL) as i32);
    }
    let done = emitter.constant(0);
    emitter.answer(done);
    emitter.go(emitter.trap);
    Ok(emitter.finish(0))
}

/// Emits the step of a rule where its guard is true.
struct StepOf<'m> {
    rule: &'m RuleForm,
    /// Cells of a record.
    record: usize,
    /// The most cells that the log of a body's stores takes after the last record.
    scratch: usize,
}

impl StepOf<'_> {
    /// Begins a record, executes the body, which sets the cells that it changes in the target, and
    /// undoes the body's changes to memory.
    fn emit(&mut self, emitter: &mut Emitter<'_, '_>, next: Block) -> Compiled<()> {
        let record = emitter.builder.use_var(emitter.cursor);
        let first = self.begin_record(emitter, record)?;
        let (end, abandoned) = (emitter.block(), emitter.block());
        emitter.exit = Some(end);
        emitter.abandon = Some(abandoned);
        emitter.body(|emitter| {
            emitter.statements(&self.rule.body)?;
            emitter.go(end);
            emitter.begin(end);
            emitter.settle()
        })?;
        emitter.take_back(first);
        emitter.builder.def_var(emitter.cursor, first);
        emitter.go(next);
        emitter.begin(abandoned);
        emitter.take_back(first);
        emitter.builder.def_var(emitter.cursor, record);
        emitter.go(next);
        let stores = usize::try_from(emitter.stores).ok();
        let scratch = stores.and_then(|stores| stores.checked_mul(2));
        self.scratch = scratch.ok_or(Unsupported("too many stores"))?;
        Ok(())
    }

    /// Writes the arguments of the event and the packed state, which becomes the target. Returns
    /// the address after the record.
    fn begin_record(&mut self, emitter: &mut Emitter<'_, '_>, record: Value) -> Compiled<Value> {
        let mut arguments: Vec<Value> = Vec::new();
        for one in &self.rule.arguments {
            match one {
                ArgumentForm::Register(register) => arguments.push(emitter.register(*register)?),
                ArgumentForm::Element(bag, slot) => {
                    let at = emitter.slot(bag, *slot)?.behind(1);
                    arguments.extend(emitter.load_all(at, one.cells())?);
                }
            }
        }
        let words = emitter.layout.words();
        if words > MOST_WORDS {
            return Err(Unsupported("a packed state is too large"));
        }
        self.record = arguments.len() + words;
        let flags = Emitter::flags();
        for (k, argument) in arguments.iter().enumerate() {
            emitter.builder.ins().store(flags, *argument, record, k as i32 * CELL as i32);
        }
        let target = emitter.builder.ins().iadd_imm(record, arguments.len() as i64 * CELL);
        for word in 0..words as i32 {
            let offset = word * CELL as i32;
            let value = emitter.builder.ins().load(types::I64, flags, emitter.packed, offset);
            emitter.builder.ins().store(flags, value, target, offset);
        }
        emitter.target = Some(target);
        let first = emitter.builder.ins().iadd_imm(record, self.record as i64 * CELL);
        emitter.builder.def_var(emitter.cursor, first);
        Ok(first)
    }
}

impl Emitter<'_, '_> {
    /// Undoes the stores that were logged from `first` on, the last one first.
    fn take_back(&mut self, first: Value) {
        let behind = self.builder.use_var(self.cursor);
        let (body, done) = (self.block(), self.block());
        let (header, at) = self.block_with();
        self.go_with(header, behind);
        self.begin(header);
        let is_done = self.builder.ins().icmp(IntCC::Equal, at, first);
        self.branch(is_done, done, body);
        self.begin(body);
        let flags = Emitter::flags();
        let entry = self.builder.ins().iadd_imm(at, -2 * CELL);
        let place = self.builder.ins().load(types::I64, flags, entry, 0);
        let before = self.builder.ins().load(types::I64, flags, entry, CELL as i32);
        let address = self.builder.ins().iadd(self.memory, place);
        self.builder.ins().store(flags, before, address, 0);
        self.builder.ins().jump(header, &[BlockArg::Value(entry)]);
        self.begin(done);
    }
}
