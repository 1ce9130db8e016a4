//! Emits whole functions: rules, properties and unpacking.

use super::emit::{Binding, CELL, Emitter, Exit};
use super::multiset::is_safe;
use super::statement::referred_to;
use super::{CodeSummary, Compiled, Extent, MOST_UNPACKED, MOST_WORDS, Unsupported};
use crate::cells::{Layout, UNDEFINED};
use crate::closures::conjuncts;
use crate::closures::once::deciders_around;
use crate::closures::types::Values;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use cranelift_frontend::FunctionBuilder;
use model::checked::{Expression, Model, Property, Rule, Scope};
use model::types::Type;

/// Emits a function that records all steps of a rule and returns the number of cells that they
/// take.
pub(super) fn rule(
    model: &Model,
    layout: &Layout,
    free: usize,
    rule: &Rule,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let mut emitter = Emitter::new(builder, model, layout, &rule.locals, free);
    let records = emitter.builder.use_var(emitter.cursor);
    // Aliases may fail, and so may locating a multiset; they do so before the guard is evaluated.
    let may_fail = |one: &Scope| match one {
        Scope::Parameter { .. } => false,
        Scope::Choose { multiset, .. } => !is_safe(model, &rule.locals, multiset),
        Scope::Alias { .. } => true,
    };
    let earliest = rule.scope.iter().rposition(may_fail).map_or(0, |at| at + 1);
    let guard = conjuncts(&rule.scope, rule.guard.as_ref(), earliest);
    let guard: Vec<_> = guard.into_iter().map(|(level, one)| (level, one, true)).collect();
    let done = emitter.block();
    let mut step = StepOf { rule, record: 0, scratch: 0 };
    emitter.around(&rule.scope, 0, &guard, done, &mut |emitter, next| step.emit(emitter, next))?;
    emitter.go(done);
    emitter.begin(done);
    let behind = emitter.builder.use_var(emitter.cursor);
    let bytes = emitter.builder.ins().isub(behind, records);
    let cells = emitter.builder.ins().sshr_imm(bytes, i64::from(CELL.trailing_zeros()));
    emitter.builder.ins().return_(&[cells]);
    let instances = instances(model, &rule.scope)?;
    let records = instances.checked_mul(step.record).ok_or(Unsupported)?;
    let records = records.checked_add(step.scratch).ok_or(Unsupported)?;
    let extent = Extent { records, ..emitter.extent };
    let covers = std::mem::take(&mut emitter.covers);
    emitter.finish();
    Ok(CodeSummary { extent, covers })
}

/// Emits a function that returns whether a property is true for all values of the scope around it.
pub(super) fn property(
    model: &Model,
    layout: &Layout,
    free: usize,
    property: &Property,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    let condition = property.condition.as_ref().ok_or(Unsupported)?;
    let mut emitter = Emitter::new(builder, model, layout, &property.locals, free);
    let (yes, no) = (emitter.block(), emitter.block());
    let deciders = (0..property.scope.len()).flat_map(|level| {
        let found = deciders_around(&property.scope, level, condition, &property.locals);
        found.into_iter().map(move |one| (level, one.condition, !one.value))
    });
    let deciders: Vec<_> = deciders.collect();
    emitter.around(&property.scope, 0, &deciders, yes, &mut |emitter, next| {
        emitter.condition(condition, next, no)
    })?;
    emitter.go(yes);
    for (block, answer) in [(yes, 1), (no, 0)] {
        emitter.begin(block);
        let answer = emitter.constant(answer);
        emitter.builder.ins().return_(&[answer]);
    }
    let extent = emitter.extent;
    // Conditions have no effects.
    if emitter.stores > 0 || !emitter.covers.is_empty() {
        return Err(Unsupported);
    }
    emitter.finish();
    Ok(CodeSummary { extent, covers: Vec::new() })
}

/// The most instances that a rule may have.
fn instances(model: &Model, scope: &[Scope]) -> Compiled<usize> {
    let mut count: usize = 1;
    for one in scope {
        let values = match one {
            Scope::Parameter { domain, .. } => Values::of_parameter(&model.types, domain)?.count,
            Scope::Choose { multiset, .. } => match *model.types.get(multiset.of) {
                Type::Multiset { capacity, .. } => u64::from(capacity),
                _ => return Err(Unsupported),
            },
            Scope::Alias { .. } => 1,
        };
        let values = usize::try_from(values).map_err(|_| Unsupported)?;
        count = count.checked_mul(values).ok_or(Unsupported)?;
    }
    Ok(count)
}

impl<'m> Emitter<'_, 'm> {
    /// Binds a scope from this level on, and emits `inner` for the values for which the conditions
    /// of a guard, each at its level, have the given values; for others it jumps to `skip`. `inner`
    /// ends by jumping to the block that it gets.
    fn around(
        &mut self,
        scope: &'m [Scope],
        level: usize,
        guard: &[(usize, &'m Expression, bool)],
        skip: Block,
        inner: &mut dyn FnMut(&mut Self, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        for &(_, condition, value) in guard.iter().filter(|(at, ..)| *at == level) {
            let next = self.block();
            let (on_true, on_false) = if value { (next, skip) } else { (skip, next) };
            self.condition(condition, on_true, on_false)?;
            self.begin(next);
        }
        // As late as possible: most guards are false.
        if !matches!(scope.get(level), Some(Scope::Alias { .. })) {
            self.skip_equal(skip)?;
        }
        match scope.get(level) {
            None => inner(self, skip),
            Some(Scope::Alias { local, target }) => {
                self.bind_alias(*local, target)?;
                self.around(scope, level + 1, guard, skip, inner)
            }
            Some(Scope::Choose { local, multiset }) => {
                self.choose(*local, multiset, |emitter, next| {
                    emitter.around(scope, level + 1, guard, next, inner)
                })
            }
            Some(Scope::Parameter { local, domain }) => {
                let values = Values::of_parameter(&self.model.types, domain)?;
                self.each(values, |emitter, value, next| {
                    emitter.bind(*local, Binding::Value(value));
                    emitter.around(scope, level + 1, guard, next, inner)
                })
            }
        }
    }
}

/// Emits a function that unpacks the packed state into memory.
pub(super) fn unpack(
    model: &Model,
    layout: &Layout,
    builder: FunctionBuilder<'_>,
) -> Compiled<CodeSummary> {
    if layout.cells() > MOST_UNPACKED {
        return Err(Unsupported);
    }
    let mut emitter = Emitter::new(builder, model, layout, &[], layout.cells());
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
    emitter.builder.ins().return_(&[done]);
    let extent = emitter.extent;
    // A return is followed by a new block, which is unreachable.
    let unreachable = emitter.block();
    emitter.begin(unreachable);
    emitter.go(emitter.trap);
    emitter.finish();
    Ok(CodeSummary { extent, covers: Vec::new() })
}

/// Emits the step of a rule where its guard is true.
struct StepOf<'m> {
    rule: &'m Rule,
    /// Cells of a record.
    record: usize,
    /// The most cells that the log of a body's stores takes after the last record.
    scratch: usize,
}

impl<'m> StepOf<'m> {
    /// Begins a record, executes the body, which sets the cells that it changes in the target, and
    /// undoes the body's changes to memory.
    fn emit(&mut self, emitter: &mut Emitter<'_, 'm>, next: Block) -> Compiled<()> {
        let mut arguments: Vec<Value> = Vec::new();
        for one in &self.rule.scope {
            match one {
                Scope::Parameter { local, .. } => match emitter.binding(*local) {
                    Binding::Value(simple) => arguments.push(simple.value),
                    _ => return Err(Unsupported),
                },
                Scope::Choose { local, .. } => arguments.extend(emitter.cells_of(*local)?),
                Scope::Alias { .. } => {}
            }
        }
        // Guards have no effects.
        if emitter.stores > 0 {
            return Err(Unsupported);
        }
        let words = emitter.layout.words();
        if words > MOST_WORDS {
            return Err(Unsupported);
        }
        self.record = arguments.len() + words;
        let flags = Emitter::flags();
        let record = emitter.builder.use_var(emitter.cursor);
        for (k, argument) in arguments.iter().enumerate() {
            emitter.builder.ins().store(flags, *argument, record, k as i32 * CELL as i32);
        }
        let target = emitter.builder.ins().iadd_imm(record, arguments.len() as i64 * CELL);
        for word in 0..words as i32 {
            let offset = word * CELL as i32;
            let value = emitter.builder.ins().load(types::I64, flags, emitter.packed, offset);
            emitter.builder.ins().store(flags, value, target, offset);
        }
        let first = emitter.builder.ins().iadd_imm(record, self.record as i64 * CELL);
        emitter.builder.def_var(emitter.cursor, first);
        let (end, abandoned) = (emitter.block(), emitter.block());
        emitter.exit = Some(Exit { block: end, result: None, place: None });
        emitter.abandon = Some(abandoned);
        emitter.target = Some(target);
        let times = std::mem::replace(&mut emitter.times, 1);
        let referred = referred_to(&self.rule.body);
        emitter.declare(|id| referred.contains(&id))?;
        emitter.statements(&self.rule.body)?;
        emitter.times = times;
        emitter.go(end);
        for (block, cursor) in [(end, first), (abandoned, record)] {
            emitter.begin(block);
            if block == end {
                emitter.settle()?;
            }
            emitter.take_back(first);
            emitter.builder.def_var(emitter.cursor, cursor);
            emitter.go(next);
        }
        let stores = usize::try_from(emitter.stores).map_err(|_| Unsupported)?;
        self.scratch = stores.checked_mul(2).ok_or(Unsupported)?;
        Ok(())
    }
}

impl Emitter<'_, '_> {
    /// Undoes the stores that were logged from `first` on, the last one first.
    fn take_back(&mut self, first: Value) {
        let behind = self.builder.use_var(self.cursor);
        let (header, body, done) = (self.block(), self.block(), self.block());
        let at = self.builder.append_block_param(header, types::I64);
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
