//! Generated code in memory, and calls of it: the one place that is not safe by the compiler's word.
//!
//! A generated function gets four addresses: of the machine's memory, of its records, of the packed state,
//! and of the places that cells have in packed states. It touches cells of the first below
//! [`Extent::memory`] and cells of the second below [`Extent::records`]; of the third it reads as many
//! words as the layout has, of the fourth as many as there are cells; and it touches nothing else. It calls
//! nothing, always returns, and executes no division that the processor refuses. Who guarantees this:
//!
//! - Every access goes through [`Located`](super::place::Located), which knows the least and the greatest
//!   address that it may stand for, whatever is in memory: indices are constants, counters of loops with
//!   constant bounds, or have just been compared with the bounds of their array. Nothing follows from
//!   what cells hold, so that a packed state that no model could have made leads to wrong steps at
//!   worst. `Located` raises the extent of memory to what lies behind its greatest address.
//! - Slots of multisets are counted from 0 to their capacity, with constant bounds; so that an element is
//!   there, which is what a cell says, is a matter of right and wrong, and not of bounds. The sorted list of
//!   keys has room for as many as there are slots: it gets one for each at most, and an index into it is
//!   no greater than its length.
//! - Records are written one behind the other. All of a rule have the same length, and there are at most
//!   as many steps as the parameters have values and the multisets that are chosen from have slots, all
//!   multiplied. Behind the last there is room for as many stores as the
//!   emitter has counted in a body, those in loops as often as the loop repeats them. The addresses of
//!   cells in there are read again by the same body only.
//! - A store to a cell of the state is one to a word of the target, too. Which word is known to the
//!   emitter, or is read from the places, at the cell that is stored to: `Located` has it in bounds. The
//!   places are [`Native`]'s own, and nobody changes them. A store to a multiset is none to the target:
//!   its slots are set there when the body ends, at places that are found in the same way.
//! - All loops have constant bounds, and there is no recursion. Two loops have none of their own: that which
//!   takes back stores ends where they were begun to be written down, and that which makes room for a key ends
//!   at the start of the list.
//!
//! [`Native`] compares both extents with what it is given before every call. The functions live as long
//! as the [`JITModule`] that owns their memory, and that is as long as `Native`.

#![allow(unsafe_code, reason = "generated code is called by its address")]

use super::emit::places;
use super::{Compiled, Extent, MOST_RECORDS, Summary};
use crate::cells::Layout;
use crate::machine::Trap;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module as _, default_libcall_names};
use model::checked::PropertyId;

/// Memory, records, packed state, places; how many cells of records, or 0 or 1 for a property, or -1.
type Function = unsafe extern "C" fn(*mut i64, *mut i64, *const u64, *const u64) -> i64;

/// The native code of a model.
pub(crate) struct Native {
    rules: Vec<Option<Entry>>,
    properties: Vec<Option<Entry>>,
    unpack: Option<Entry>,
    extent: Extent,
    /// Words of a packed state.
    words: usize,
    places: Box<[u64]>,
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
    pub(crate) fn rules(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether a rule has native code.
    #[inline]
    pub(crate) fn has_rule(&self, rule: usize) -> bool {
        self.rules[rule].is_some()
    }

    /// Makes room for all that functions need.
    pub(crate) fn make_room(&self, memory: &mut Vec<i64>, records: &mut Vec<i64>) {
        memory.resize(memory.len().max(self.extent.memory), 0);
        records.resize(records.len().max(self.extent.records), 0);
    }

    /// The records of all steps of a rule that has native code. Memory holds the cells of the state.
    #[inline]
    pub(crate) fn steps<'r>(
        &self,
        rule: usize,
        packed: &[u64],
        memory: &mut [i64],
        records: &'r mut [i64],
    ) -> Result<&'r [i64], Trap> {
        let entry = self.rules[rule].as_ref().expect("asked of rules with native code only");
        let cells = self.call(entry, packed, memory, records);
        let cells = usize::try_from(cells).map_err(|_| Trap::Failure)?;
        Ok(&records[..cells])
    }

    /// The `cover` statements of a rule, each with its cell.
    #[inline]
    pub(crate) fn covers(&self, rule: usize) -> &[(PropertyId, usize)] {
        self.rules[rule].as_ref().map_or(&[], |entry| &entry.covers)
    }

    /// Whether a property is true for all values around it, if there is code and it does not give up.
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

    /// Puts the cells of a packed state into memory; whether there is code for that.
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
        signature.params.extend([AbiParam::new(types::I64); 4]);
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
        layout: &Layout,
        rules: Vec<Option<Made>>,
        properties: Vec<Option<Made>>,
        unpack: Option<Made>,
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
        let unpack = unpack.map(&mut entry);
        let (words, places) = (layout.words(), places(layout));
        let module = Some(self.module);
        Some(Native { rules, properties, unpack, extent, words, places, module })
    }
}
