//! Generated code in memory, and calls of it: the one place that is not safe by the compiler's word.
//!
//! A generated function gets two addresses: that of the machine's memory and that of its records. It
//! touches cells of the first below [`Extent::memory`] and cells of the second below
//! [`Extent::records`], and nothing else; it calls nothing, always returns, and executes no division
//! that the processor refuses. Who guarantees this:
//!
//! - Every access goes through [`Located`](super::place::Located), which knows the least and the greatest
//!   address that it may stand for, whatever is in memory: indices are constants, counters of loops with
//!   constant bounds, or have just been compared with the bounds of their array. Nothing follows from
//!   what cells hold, so that a packed state that no model could have made leads to wrong steps at
//!   worst. `Located` raises the extent of memory to what lies behind its greatest address.
//! - Records are written one behind the other. Per step there are as many cells as the emitter has
//!   counted stores, those in loops as often as the loop repeats them; and there are at most as many
//!   steps as the parameters have values. Addresses in a record are read again by the same call only.
//! - All loops have constant bounds, and there is no recursion.
//!
//! [`Native`] compares both extents with what it is given before every call. The functions live as long
//! as the [`JITModule`] that owns their memory, and that is as long as `Native`.

#![allow(unsafe_code, reason = "generated code is called by its address")]

use super::{Compiled, Extent, MOST_RECORDS, Summary};
use crate::model::checked::PropertyId;
use crate::system::machine::Trap;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module as _, default_libcall_names};

/// Memory, records; how many cells of records, or 0 or 1 for a property, or -1.
type Function = unsafe extern "C" fn(*mut i64, *mut i64) -> i64;

/// The native code of a model.
pub(in crate::system) struct Native {
    rules: Vec<Option<Entry>>,
    properties: Vec<Option<Entry>>,
    extent: Extent,
    /// Owns the code; `None` only while it is dropped.
    module: Option<JITModule>,
}

/// A generated function.
struct Entry {
    function: Function,
    extent: Extent,
    covers: Vec<(PropertyId, usize)>,
}

// SAFETY: after `Factory::finish` nobody changes the module, and the code is only executed.
unsafe impl Send for Native {}
// SAFETY: as above; functions work on memory of their callers alone.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: entries are private and die with `self`: nobody can call one any more.
            unsafe { module.free_memory() }
        }
    }
}

impl Native {
    /// How many rules have native code.
    pub(in crate::system) fn rules(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether a rule has native code.
    pub(in crate::system) fn has_rule(&self, rule: usize) -> bool {
        self.rules[rule].is_some()
    }

    /// Makes room for all that functions need.
    pub(in crate::system) fn make_room(&self, memory: &mut Vec<i64>, records: &mut Vec<i64>) {
        memory.resize(memory.len().max(self.extent.memory), 0);
        records.resize(records.len().max(self.extent.records), 0);
    }

    /// The records of all steps of a rule that has native code.
    pub(in crate::system) fn steps<'r>(
        &self,
        rule: usize,
        memory: &mut [i64],
        records: &'r mut [i64],
    ) -> Result<&'r [i64], Trap> {
        let entry = self.rules[rule].as_ref().expect("asked of rules with native code only");
        let cells = entry.call(memory, records);
        let cells = usize::try_from(cells).map_err(|_| Trap::Failure)?;
        Ok(&records[..cells])
    }

    /// The `cover` statements of a rule, each with its cell.
    pub(in crate::system) fn covers(&self, rule: usize) -> &[(PropertyId, usize)] {
        self.rules[rule].as_ref().map_or(&[], |entry| &entry.covers)
    }

    /// Whether a property is true for all values around it, if there is code and it does not give up.
    pub(in crate::system) fn holds(
        &self,
        property: PropertyId,
        memory: &mut [i64],
        records: &mut [i64],
    ) -> Option<bool> {
        let entry = self.properties[property.0 as usize].as_ref()?;
        match entry.call(memory, records) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Entry {
    fn call(&self, memory: &mut [i64], records: &mut [i64]) -> i64 {
        assert!(memory.len() >= self.extent.memory && records.len() >= self.extent.records);
        // SAFETY: the function touches no more than its extent, see the module.
        unsafe { (self.function)(memory.as_mut_ptr(), records.as_mut_ptr()) }
    }
}

/// Makes functions.
pub(super) struct Factory {
    module: JITModule,
    context: Context,
    builders: FunctionBuilderContext,
}

/// A function that is defined and not yet to be called.
pub(super) struct Made(FuncId, Summary);

impl Factory {
    /// For this machine, if it is known.
    pub(super) fn new() -> Option<Factory> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        // Checked by tests.
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        if isa.pointer_bytes() != 8 {
            return None;
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Some(Factory { module, context, builders: FunctionBuilderContext::new() })
    }

    /// Adds a function, if one can be generated.
    pub(super) fn add(
        &mut self,
        emit: impl FnOnce(FunctionBuilder<'_>) -> Compiled<Summary>,
    ) -> Option<Made> {
        self.module.clear_context(&mut self.context);
        let signature = &mut self.context.func.signature;
        signature.params.extend([AbiParam::new(types::I64), AbiParam::new(types::I64)]);
        signature.returns.push(AbiParam::new(types::I64));
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builders);
        let Ok(summary) = emit(builder) else {
            // What was begun is of no use to the next.
            self.builders = FunctionBuilderContext::new();
            return None;
        };
        if summary.extent.records > MOST_RECORDS {
            return None;
        }
        let signature = &self.context.func.signature;
        let id = self.module.declare_anonymous_function(signature).ok()?;
        self.module.define_function(id, &mut self.context).ok()?;
        Some(Made(id, summary))
    }

    /// Makes them ready to be called; they come as [`Native`] wants them.
    pub(super) fn finish(
        mut self,
        rules: Vec<Option<Made>>,
        properties: Vec<Option<Made>>,
    ) -> Option<Native> {
        self.module.finalize_definitions().ok()?;
        let mut extent = Extent::default();
        let mut entry = |made: Made| {
            let Made(id, Summary { extent: own, covers }) = made;
            extent.memory = extent.memory.max(own.memory);
            extent.records = extent.records.max(own.records);
            let address = self.module.get_finalized_function(id);
            // SAFETY: it was declared with the signature that `Function` has, for this machine.
            let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
            Entry { function, extent: own, covers }
        };
        let rules = rules.into_iter().map(|made| made.map(&mut entry)).collect();
        let properties = properties.into_iter().map(|made| made.map(&mut entry)).collect();
        Some(Native { rules, properties, extent, module: Some(self.module) })
    }
}
