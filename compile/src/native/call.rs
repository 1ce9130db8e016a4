//! Holds generated code in memory and calls it. This is the only module whose safety the compiler
//! does not check.
//!
//! A generated function gets four addresses: of the machine's memory, of its records, of the packed
//! state, and of the table of the positions that cells have in packed states. It touches cells of
//! the first below [`Extent::memory`] and cells of the second below [`Extent::records`]; of the
//! third it reads as many words as the layout has, of the fourth as many as there are cells; and it
//! touches nothing else. It calls nothing, always returns, and executes no division that the
//! processor refuses. The following guarantees this:
//!
//! - Every access goes through [`Located`](super::place::Located), which knows the least and the
//!   greatest address that it may stand for, whatever memory contains, and raises the extent of
//!   memory beyond the greatest. For [`Cells`](crate::form::Cells) of the form these two are data:
//!   [`form::check`](crate::form::check) proves them from the bounds of the indices before any code
//!   is generated. The only others are cells that say which `cover` statements were true.
//! - Such a proof uses only bounds that are [proved](crate::form::bounds): those of constants, of
//!   registers, of counters of loops, and of values that code has compared with a range. No bound
//!   relies on the contents of cells, so that a packed state that no model could have produced
//!   leads to wrong steps at worst. In return the emitter computes every value with proved bounds
//!   so that they hold: it leaves out the comparison of a [`Value::Inside`](crate::form::Value)
//!   only if proved bounds imply the outcome; conditions are 0 or 1, even if they are negations of
//!   what a cell contains; the counter of a loop stays between the first and the last value.
//! - The range of a register holds wherever [`Value::Register`](crate::form::Value) reads it. The
//!   checker proves that every value that it is set to is in this range and that it is set before.
//! - Records are written one after the other. All records of a rule have the same length, and there
//!   are at most as many steps as the product of the numbers of values of the parameters. After the
//!   last record there is room for as many stores as the emitter has counted in a body, those in
//!   loops as often as the loop repeats them. The addresses of cells in that log are read only by the
//!   same body.
//! - A store to a cell of the state is also one to a word of the target. The emitter knows which
//!   word, or the code reads it from the table at the cell that is stored to: `Located` has it in
//!   bounds. The table belongs to [`Native`] and never changes.
//! - All loops have a constant bound on their iterations, and there is no recursion; `while` loops
//!   count them. One loop has no bounds of its own: the one that undoes stores ends at the start of the
//!   log.
//! - A divisor is proved to be neither 0 nor -1, or the code compares it with these first.
//!
//! [`Native`] compares both extents with the slices that it is given before every call. The
//! functions live as long as the [`JITModule`] that owns their memory, and that lives as long as
//! `Native`.

#![allow(unsafe_code, reason = "generated code is called by its address")]

use super::emit::{Effect, places};
use super::{CodeSummary, Compiled, Extent, Unsupported};
use crate::cells::Layout;
use crate::machine::Trap;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module as _, default_libcall_names};
use model::checked::PropertyId;

/// Takes memory, records, packed state and the table of positions. Returns the number of cells of
/// records, or 0 or 1 for a property, or -1 if it gives up.
type Function = unsafe extern "C" fn(*mut i64, *mut i64, *const u64, *const u64) -> i64;

/// The machine code of a model.
pub(crate) struct Native {
    rules: Vec<Option<Entry>>,
    properties: Vec<Option<Entry>>,
    unpack: Option<Entry>,
    extent: Extent,
    /// Words of a packed state.
    words: usize,
    places: Box<[u64]>,
    /// Owns the code; `None` only during `drop`.
    module: Option<JITModule>,
}

/// A generated function.
struct Entry {
    function: Function,
    extent: Extent,
    covers: Vec<(PropertyId, usize)>,
    work: u64,
}

// SAFETY: after `Factory::finish` the module does not change, and the code is only executed.
unsafe impl Send for Native {}
// SAFETY: as above; functions access only memory of their callers.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: entries are private and dropped with `self`: none can be called any more.
            unsafe { module.free_memory() }
        }
    }
}

impl Native {
    /// The number of rules that have native code.
    pub(crate) fn rules(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Enlarges both vectors to what the functions may touch.
    pub(crate) fn make_room(&self, memory: &mut Vec<i64>, records: &mut Vec<i64>) {
        memory.resize(memory.len().max(self.extent.memory), 0);
        records.resize(records.len().max(self.extent.records), 0);
    }

    /// Returns the records of all steps of a rule; `None` if it has no native code. Memory holds the
    /// cells of the state.
    #[inline]
    pub(crate) fn steps<'r>(
        &self,
        rule: usize,
        packed: &[u64],
        memory: &mut [i64],
        records: &'r mut [i64],
    ) -> Option<Result<&'r [i64], Trap>> {
        let entry = self.rules[rule].as_ref()?;
        for &(_, cell) in &entry.covers {
            memory[cell] = 0;
        }
        let cells = usize::try_from(self.call(entry, packed, memory, records));
        Some(cells.map(|cells| &records[..cells]).map_err(|_| Trap::Failure))
    }

    /// The `cover` statements of a rule whose condition was true in the last call of its code.
    #[inline]
    pub(crate) fn covered(&self, rule: usize, memory: &[i64]) -> impl Iterator<Item = PropertyId> {
        let covers = self.rules[rule].as_ref().map_or(&[][..], |entry| &entry.covers);
        covers.iter().filter(|&&(_, cell)| memory[cell] == 1).map(|&(property, _)| property)
    }

    /// The most iterations of loops in one call of each rule's code, those of a body counted once.
    pub(crate) fn work(&self) -> impl Iterator<Item = u64> {
        self.rules.iter().flatten().map(|entry| entry.work)
    }

    /// Whether a property is true for all values of the scope around it; `None` if it has no native
    /// code or the code gives up.
    pub(crate) fn holds(
        &self,
        property: PropertyId,
        packed: &[u64],
        memory: &mut [i64],
        records: &mut [i64],
    ) -> Option<bool> {
        let entry = self.properties[property.0 as usize].as_ref()?;
        match self.call(entry, packed, memory, records) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Unpacks a state into memory. Returns whether there is code for that.
    #[inline]
    pub(crate) fn unpack(&self, packed: &[u64], memory: &mut [i64]) -> bool {
        let Some(entry) = &self.unpack else { return false };
        self.call(entry, packed, memory, &mut []);
        true
    }

    #[inline]
    fn call(&self, entry: &Entry, packed: &[u64], memory: &mut [i64], records: &mut [i64]) -> i64 {
        let Extent { memory: cells, records: room } = entry.extent;
        assert!(memory.len() >= cells && records.len() >= room && packed.len() >= self.words);
        let (memory, records) = (memory.as_mut_ptr(), records.as_mut_ptr());
        // SAFETY: the function touches no more than its extent, see the module.
        unsafe { (entry.function)(memory, records, packed.as_ptr(), self.places.as_ptr()) }
    }
}

/// Generates functions.
pub(super) struct Factory {
    module: JITModule,
    context: Context,
    builders: FunctionBuilderContext,
}

/// A function that is defined and not yet finalised.
pub(super) struct Made(FuncId, CodeSummary);

impl Factory {
    /// A factory for this processor, if it is supported.
    pub(super) fn new() -> Option<Factory> {
        // What Cranelift calls optimisation is nearly half of the time that it takes, and is of no use
        // here: the code is measured to be as fast without.
        let mut flags = settings::builder();
        flags.set("opt_level", "none").ok()?;
        // The tests run with the verifier.
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        if isa.pointer_bytes() != 8 {
            return None;
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Some(Factory { module, context, builders: FunctionBuilderContext::new() })
    }

    /// Adds a function for a unit, if one can be generated: one whose bodies have no effect on memory,
    /// or else one that undoes it.
    pub(super) fn add(
        &mut self,
        unit: &'static str,
        number: usize,
        emit: &dyn Fn(Effect, FunctionBuilder<'_>) -> Compiled<CodeSummary>,
    ) -> Option<Made> {
        let made = self.try_to_add(|builder| emit(Effect::None, builder));
        let made = made.or_else(|_| self.try_to_add(|builder| emit(Effect::Undone, builder)));
        if let Err(Unsupported(reason)) = &made {
            tracing::debug!(unit, number, reason, "no machine code");
        }
        made.ok()
    }

    fn try_to_add(
        &mut self,
        emit: impl FnOnce(FunctionBuilder<'_>) -> Compiled<CodeSummary>,
    ) -> Compiled<Made> {
        self.module.clear_context(&mut self.context);
        let signature = &mut self.context.func.signature;
        signature.params.extend([AbiParam::new(types::I64); 4]);
        signature.returns.push(AbiParam::new(types::I64));
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builders);
        let summary = emit(builder)?;
        let refused = |_| Unsupported("the code generator refuses it");
        let signature = &self.context.func.signature;
        let id = self.module.declare_anonymous_function(signature).map_err(refused)?;
        self.module.define_function(id, &mut self.context).map_err(refused)?;
        Ok(Made(id, summary))
    }

    /// Finalises all functions, which are given in the order of [`Native`]'s fields.
    pub(super) fn finish(
        mut self,
        layout: &Layout,
        rules: Vec<Option<Made>>,
        properties: Vec<Option<Made>>,
        unpack: Option<Made>,
    ) -> Option<Native> {
        self.module.finalize_definitions().ok()?;
        let mut extent = Extent::default();
        let mut entry = |made: Made| {
            let Made(id, CodeSummary { extent: own, covers, work }) = made;
            extent.memory = extent.memory.max(own.memory);
            extent.records = extent.records.max(own.records);
            let address = self.module.get_finalized_function(id);
            // SAFETY: it was declared with the signature that `Function` has, for this processor.
            let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
            Entry { function, extent: own, covers, work }
        };
        let rules = rules.into_iter().map(|made| made.map(&mut entry)).collect();
        let properties = properties.into_iter().map(|made| made.map(&mut entry)).collect();
        let unpack = unpack.map(&mut entry);
        let (words, places) = (layout.words(), places(layout));
        let module = Some(self.module);
        Some(Native { rules, properties, unpack, extent, words, places, module })
    }
}
