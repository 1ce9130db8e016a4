//! Whole functions: rules and properties.

use super::emit::{Binding, CELL, Emitter, Exit};
use super::statement::referred_to;
use super::{Compiled, Extent, Summary, Unsupported};
use crate::model::checked::{Expression, Model, Property, Rule, Scope};
use crate::system::compile::conjuncts;
use crate::system::compile::types::Values;
use crate::system::layout::Layout;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use cranelift_frontend::FunctionBuilder;

/// A function that writes down all steps of a rule; how many cells that takes.
pub(super) fn rule(
    model: &Model,
    layout: &Layout,
    free: usize,
    rule: &Rule,
    builder: FunctionBuilder<'_>,
) -> Compiled<Summary> {
    let mut emitter = Emitter::new(builder, model, layout, &rule.locals, free);
    let records = emitter.builder.use_var(emitter.cursor);
    // Aliases may fail, and do so before the guard is looked at.
    let is_alias = |one: &Scope| matches!(one, Scope::Alias { .. });
    let earliest = rule.scope.iter().rposition(is_alias).map_or(0, |at| at + 1);
    let guard = conjuncts(&rule.scope, rule.guard.as_ref(), earliest);
    let done = emitter.block();
    let mut step = StepOf { rule, record: 0 };
    emitter.around(&rule.scope, 0, &guard, done, &mut |emitter, next| step.emit(emitter, next))?;
    emitter.go(done);
    emitter.begin(done);
    let behind = emitter.builder.use_var(emitter.cursor);
    let bytes = emitter.builder.ins().isub(behind, records);
    let cells = emitter.builder.ins().sshr_imm(bytes, i64::from(CELL.trailing_zeros()));
    emitter.builder.ins().return_(&[cells]);
    let instances = instances(model, &rule.scope)?;
    let records = instances.checked_mul(step.record).ok_or(Unsupported)?;
    let extent = Extent { records, ..emitter.extent };
    let covers = std::mem::take(&mut emitter.covers);
    emitter.finish();
    Ok(Summary { extent, covers })
}

/// A function that says whether a property is true for all values around it.
pub(super) fn property(
    model: &Model,
    layout: &Layout,
    free: usize,
    property: &Property,
    builder: FunctionBuilder<'_>,
) -> Compiled<Summary> {
    let condition = property.condition.as_ref().ok_or(Unsupported)?;
    let mut emitter = Emitter::new(builder, model, layout, &property.locals, free);
    let (yes, no) = (emitter.block(), emitter.block());
    emitter.around(&property.scope, 0, &[], yes, &mut |emitter, next| {
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
    Ok(Summary { extent, covers: Vec::new() })
}

/// How many instances a rule has.
fn instances(model: &Model, scope: &[Scope]) -> Compiled<usize> {
    let mut count: usize = 1;
    for one in scope {
        if let Scope::Parameter { domain, .. } = one {
            let values = Values::of_parameter(&model.types, domain)?;
            let values = usize::try_from(values.count).map_err(|_| Unsupported)?;
            count = count.checked_mul(values).ok_or(Unsupported)?;
        }
    }
    Ok(count)
}

impl<'m> Emitter<'_, 'm> {
    /// Binds what stands around something, from this level on, and emits that wherever the conjuncts
    /// of a guard are true; else goes to `skip`. What is emitted ends by going to the block it gets.
    fn around(
        &mut self,
        scope: &'m [Scope],
        level: usize,
        guard: &[(usize, &'m Expression)],
        skip: Block,
        inner: &mut dyn FnMut(&mut Self, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        for (_, conjunct) in guard.iter().filter(|(at, _)| *at == level) {
            let next = self.block();
            self.condition(conjunct, next, skip)?;
            self.begin(next);
        }
        match scope.get(level) {
            None => inner(self, skip),
            Some(Scope::Alias { local, target }) => {
                self.bind_alias(*local, target)?;
                self.around(scope, level + 1, guard, skip, inner)
            }
            Some(Scope::Choose { .. }) => Err(Unsupported),
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

/// What happens where a guard is true.
struct StepOf<'m> {
    rule: &'m Rule,
    /// Cells of a record, at most.
    record: usize,
}

impl<'m> StepOf<'m> {
    /// Executes the body, writes a record, and takes back what the body has done.
    fn emit(&mut self, emitter: &mut Emitter<'_, 'm>, next: Block) -> Compiled<()> {
        let arguments: Vec<Value> = self
            .rule
            .scope
            .iter()
            .filter_map(|one| match one {
                Scope::Parameter { local, .. } => match emitter.binding(*local) {
                    Binding::Value(simple) => Some(simple.value),
                    _ => None,
                },
                Scope::Choose { .. } | Scope::Alias { .. } => None,
            })
            .collect();
        // Guards have no effects.
        if emitter.stores > 0 {
            return Err(Unsupported);
        }
        let head = 1 + arguments.len();
        let record = emitter.builder.use_var(emitter.cursor);
        let first = emitter.builder.ins().iadd_imm(record, head as i64 * CELL);
        emitter.builder.def_var(emitter.cursor, first);
        let (end, abandoned) = (emitter.block(), emitter.block());
        emitter.exit = Some(Exit { block: end, result: None, place: None });
        emitter.abandon = Some(abandoned);
        let times = std::mem::replace(&mut emitter.times, 1);
        let referred = referred_to(&self.rule.body);
        emitter.declare(|id| referred.contains(&id))?;
        emitter.statements(&self.rule.body)?;
        emitter.times = times;
        emitter.go(end);
        emitter.begin(end);
        let behind = emitter.builder.use_var(emitter.cursor);
        let bytes = emitter.builder.ins().isub(behind, first);
        let count = emitter.builder.ins().ushr_imm(bytes, i64::from((2 * CELL).trailing_zeros()));
        let flags = Emitter::flags();
        emitter.builder.ins().store(flags, count, record, 0);
        for (k, argument) in arguments.into_iter().enumerate() {
            emitter.builder.ins().store(flags, argument, record, (k as i32 + 1) * CELL as i32);
        }
        emitter.take_back(first, behind);
        emitter.go(next);
        emitter.begin(abandoned);
        let behind = emitter.builder.use_var(emitter.cursor);
        emitter.take_back(first, behind);
        emitter.builder.def_var(emitter.cursor, record);
        emitter.go(next);
        let stores = usize::try_from(emitter.stores).map_err(|_| Unsupported)?;
        self.record = stores.checked_mul(2).and_then(|n| n.checked_add(head)).ok_or(Unsupported)?;
        Ok(())
    }
}

impl Emitter<'_, '_> {
    /// Exchanges what records from `first` on say with what is in memory, the last first.
    fn take_back(&mut self, first: Value, behind: Value) {
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
        let now = self.builder.ins().load(types::I64, flags, address, 0);
        self.builder.ins().store(flags, before, address, 0);
        self.builder.ins().store(flags, now, entry, CELL as i32);
        self.builder.ins().jump(header, &[BlockArg::Value(entry)]);
        self.begin(done);
    }
}
