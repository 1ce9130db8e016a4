//! Emits the operations of multisets: choosing, counting, adding and removing elements.
//!
//! Between steps the elements of a multiset come first, in order, and the remaining slots are
//! undefined. A body changes slots in place, so that chosen elements do not move. It sets a slot's
//! first cell to
//!
//! - [`REMOVED`] when its element is removed,
//! - [`ADDED`] when an element is put there: into the first slot without an element, whether its
//!   own was removed or there was none.
//!
//! So used slots come before all others, whose first cell is [`UNDEFINED`]; a loop over slots ends
//! there. A slot has an element if its first cell is odd. An element that was chosen before the
//! body is there only as long as that cell is [`PRESENT`], which is checked at every use. So code
//! gives up if it uses an element that was removed, whatever its slot contains now.

use super::emit::{Binding, EmittedValue, Emitter};
use super::place::Located;
use super::{Compiled, MOST_SLOTS, Unsupported};
use crate::cells::{PRESENT, Slots, UNDEFINED, width};
use crate::closures::types::Values;
use crate::machine::REMOVED;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};
use model::checked::{
    Expression, ExpressionKind, Local, LocalId, LocalKind, Model, Place, Root, Selector,
};
use model::types::{Type, TypeId};

/// In the first cell of a slot: the element was added in this step.
const ADDED: i64 = 3;

/// An element of a multiset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The start of the multiset.
    pub(super) multiset: Located,
    /// The start of the element's slot.
    slot: Located,
    /// The slot before it, or the same slot if it is the first; then the index of the slot.
    before: Located,
    index: Value,
    /// The number of cells of a slot.
    stride: usize,
    /// Whether it may be removed while it is bound.
    is_lasting: bool,
}

impl Emitter<'_, '_> {
    /// The arrangement of the slots of a multiset type.
    fn slots_of(&self, of: TypeId) -> Compiled<Slots> {
        let Type::Multiset { capacity, element } = *self.model.types.get(of) else {
            return Err(Unsupported);
        };
        let stride = 1 + width(&self.model.types, element);
        let slots = Slots { start: 0, capacity: capacity as usize, stride };
        if slots.capacity > MOST_SLOTS { Err(Unsupported) } else { Ok(slots) }
    }

    /// Repeats code for every slot up to the first unused one. The code gets the index of the slot,
    /// its place, the value of its first cell, and the block that continues with the next slot.
    fn each_slot(
        &mut self,
        multiset: Located,
        slots: Slots,
        emit: impl FnOnce(&mut Self, EmittedValue, Located, Value, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        let all = Values { from: 0, by: 1, count: slots.capacity as u64 };
        self.each_until(all, |emitter, index, next, done| {
            let slot = emitter.nth(multiset, index, 0, slots.stride);
            let first = emitter.load(slot)?;
            let unused = emitter.is(IntCC::Equal, first, UNDEFINED);
            let used = emitter.block();
            emitter.branch(unused, done, used);
            emitter.begin(used);
            emit(emitter, index, slot, first, next)
        })
    }

    /// Repeats code for every element that a `choose` binds. The code continues with the next one
    /// by jumping to the block that it gets. It must call [`Emitter::skip_equal`] before it has an
    /// effect.
    pub(super) fn choose(
        &mut self,
        local: LocalId,
        place: &Place,
        emit: impl FnOnce(&mut Self, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        let multiset = self.locate(place)?;
        let slots = self.slots_of(place.of)?;
        let stride = slots.stride;
        self.each_slot(multiset, slots, |emitter, index, slot, _, next| {
            let previous = emitter.builder.ins().iadd_imm(index.value, -1);
            let is_first = emitter.is(IntCC::Equal, index.value, 0);
            let previous = emitter.builder.ins().select(is_first, index.value, previous);
            let before =
                emitter.nth(multiset, EmittedValue { value: previous, ..index }, 0, stride);
            let index = index.value;
            let element = Element { multiset, slot, before, index, stride, is_lasting: true };
            let id = emitter.bind_element(local, element);
            emitter.chosen.push(id);
            emitter.is_unchecked = slots.capacity > 1;
            emit(emitter, next)?;
            emitter.chosen.pop();
            Ok(())
        })
    }

    /// Binds an element and returns its index.
    fn bind_element(&mut self, local: LocalId, element: Element) -> usize {
        let id = self.elements.len();
        self.elements.push(element);
        self.bind(local, Binding::Chosen(id));
        id
    }

    /// Jumps to `skip` if the element that was chosen last is equal to the one before it, unless
    /// one of both is chosen further out: a chosen element is different from equal ones that are
    /// not. Equal elements are neighbours, because no body has begun. Evaluating a guard for both
    /// has no effect, so that this check may come after it.
    pub(super) fn skip_equal(&mut self, skip: Block) -> Compiled<()> {
        if !std::mem::take(&mut self.is_unchecked) {
            return Ok(());
        }
        let Some((&last, outer)) = self.chosen.split_last() else { return Ok(()) };
        let outer: Vec<Located> = outer.iter().map(|&id| self.elements[id].slot).collect();
        let Element { slot, before, index, stride, .. } = self.elements[last];
        let (one, other) = (self.load_all(slot, stride)?, self.load_all(before, stride)?);
        let mut difference = self.is(IntCC::Equal, index, 0);
        difference = self.builder.ins().uextend(types::I64, difference);
        for (one, other) in one.into_iter().zip(other) {
            let part = self.builder.ins().bxor(one, other);
            difference = self.builder.ins().bor(difference, part);
        }
        for chosen in outer {
            for one in [slot, before] {
                let is_chosen = self.is_same(chosen, one);
                let is_chosen = self.builder.ins().uextend(types::I64, is_chosen);
                difference = self.builder.ins().bor(difference, is_chosen);
            }
        }
        let different = self.block();
        self.branch(difference, different, skip);
        self.begin(different);
        Ok(())
    }

    /// Loads the cells of the element that a local is bound to.
    pub(super) fn cells_of(&mut self, local: LocalId) -> Compiled<Vec<Value>> {
        let Binding::Chosen(id) = self.binding(local) else { return Err(Unsupported) };
        let Element { slot, stride, .. } = self.elements[id];
        self.load_all(slot.behind(1), stride - 1)
    }

    /// The place of a chosen element, which must be chosen from this multiset and be present.
    pub(super) fn chosen(&mut self, multiset: Located, local: LocalId) -> Compiled<Located> {
        let (id, element) = self.chosen_from(multiset, local)?;
        if !element.is_lasting {
            return Ok(element.slot.behind(1));
        }
        if self.target.is_some() {
            self.must_be_present(id)?;
        }
        Ok(element.slot.behind(1).within(id))
    }

    fn chosen_from(&mut self, multiset: Located, local: LocalId) -> Compiled<(usize, Element)> {
        let Binding::Chosen(id) = self.binding(local) else { return Err(Unsupported) };
        let element = self.elements[id];
        let (low, high) = multiset.range();
        // If both are known at compile time and equal, no check is needed.
        if (low, low) != element.multiset.range() || low != high {
            let same = self.is_same(multiset, element.multiset);
            let different = self.builder.ins().bxor_imm(same, 1);
            self.trap_if(different);
        }
        Ok((id, element))
    }

    /// Gives up if a chosen element was removed.
    pub(super) fn must_be_present(&mut self, element: usize) -> Compiled<()> {
        let first = self.load(self.elements[element].slot)?;
        let gone = self.is(IntCC::NotEqual, first, PRESENT);
        self.trap_if(gone);
        Ok(())
    }

    /// Marks a multiset as written. A mark may be left over from another body that gave up: then a
    /// multiset is put in order although it is already.
    pub(super) fn touch(&mut self, multiset: Located) -> Compiled<()> {
        let state = self.layout.cells();
        if multiset.range().1 >= state {
            return Err(Unsupported);
        }
        if self.marks.is_none() {
            self.marks = Some(self.allocate(state).range().0);
        }
        let marks = self.marks.ok_or(Unsupported)?;
        if !self.touched.iter().any(|one| one.range() == multiset.range()) {
            self.touched.push(multiset);
        }
        let written = self.constant(1);
        self.store(multiset.behind(marks), written)
    }

    /// Counts the elements that satisfy a condition.
    pub(super) fn count(
        &mut self,
        local: LocalId,
        place: &Place,
        condition: &Expression,
    ) -> Compiled<EmittedValue> {
        let multiset = self.locate(place)?;
        let slots = self.slots_of(place.of)?;
        let counter = self.builder.declare_var(types::I64);
        let zero = self.constant(0);
        self.builder.def_var(counter, zero);
        self.each_matching(local, multiset, slots, condition, |emitter, _| {
            let count = emitter.builder.use_var(counter);
            let count = emitter.builder.ins().iadd_imm(count, 1);
            emitter.builder.def_var(counter, count);
            Ok(())
        })?;
        let value = self.builder.use_var(counter);
        Ok(EmittedValue { value, low: 0, high: slots.capacity as i64, is_proved: true })
    }

    /// Repeats code for every element that satisfies a condition. The code gets the index of its
    /// slot.
    fn each_matching(
        &mut self,
        local: LocalId,
        multiset: Located,
        slots: Slots,
        condition: &Expression,
        emit: impl FnOnce(&mut Self, EmittedValue) -> Compiled<()>,
    ) -> Compiled<()> {
        self.each_slot(multiset, slots, |emitter, index, slot, first, next| {
            emitter.skip_absent(first, next);
            let stride = slots.stride;
            let (before, number) = (slot, index.value);
            let element =
                Element { multiset, slot, before, index: number, stride, is_lasting: false };
            emitter.bind_element(local, element);
            let matches = emitter.block();
            let stores = emitter.stores;
            emitter.condition(condition, matches, next)?;
            // Otherwise the element might be removed before the condition has been evaluated.
            if emitter.stores != stores {
                return Err(Unsupported);
            }
            emitter.begin(matches);
            emit(emitter, index)
        })
    }

    /// Jumps to `skip` if a slot, given by its first cell, has no element.
    fn skip_absent(&mut self, first: Value, skip: Block) {
        let is_there = self.builder.ins().band_imm(first, 1);
        let there = self.block();
        self.branch(is_there, there, skip);
        self.begin(there);
    }

    /// Adds an element.
    pub(super) fn add(&mut self, element: &Expression, place: &Place) -> Compiled<()> {
        let slots = self.slots_of(place.of)?;
        let Type::Multiset { element: of, .. } = *self.model.types.get(place.of) else {
            return Err(Unsupported);
        };
        let values = if self.model.types.is_simple(of) {
            vec![self.simple_in(element, of)?.value]
        } else {
            let from = self.complex(element)?;
            self.load_all(from, slots.stride - 1)?
        };
        let multiset = self.locate(place)?;
        self.touch(multiset)?;
        let free = self.block();
        let index = self.builder.append_block_param(free, types::I64);
        let all = Values { from: 0, by: 1, count: slots.capacity as u64 };
        self.each(all, |emitter, index, next| {
            let slot = emitter.nth(multiset, index, 0, slots.stride);
            let first = emitter.load(slot)?;
            let is_there = emitter.builder.ins().band_imm(first, 1);
            let passed = [BlockArg::Value(index.value)];
            emitter.builder.ins().brif(is_there, next, &[], free, &passed);
            let unreachable = emitter.block();
            emitter.begin(unreachable);
            Ok(())
        })?;
        // The multiset is full.
        self.go(self.trap);
        self.begin(free);
        let high = slots.capacity as i64 - 1;
        let index = EmittedValue { value: index, low: 0, high, is_proved: true };
        let slot = self.nth(multiset, index, 0, slots.stride);
        let added = self.constant(ADDED);
        self.store_in_multiset(slot, added)?;
        for (k, value) in values.into_iter().enumerate() {
            self.store_in_multiset(slot.behind(1 + k), value)?;
        }
        Ok(())
    }

    /// Removes a chosen element.
    pub(super) fn remove(&mut self, local: LocalId, place: &Place) -> Compiled<()> {
        let multiset = self.locate(place)?;
        let (id, element) = self.chosen_from(multiset, local)?;
        self.must_be_present(id)?;
        self.touch(element.multiset)?;
        let removed = self.constant(REMOVED);
        self.store_in_multiset(element.slot, removed)
    }

    /// Removes all elements that satisfy a condition, which is evaluated for all of them first.
    pub(super) fn remove_where(
        &mut self,
        local: LocalId,
        place: &Place,
        condition: &Expression,
    ) -> Compiled<()> {
        let multiset = self.locate(place)?;
        let slots = self.slots_of(place.of)?;
        let found = self.allocate(slots.capacity);
        let all = Values { from: 0, by: 1, count: slots.capacity as u64 };
        self.each(all, |emitter, index, _| {
            let cell = emitter.nth(found, index, 0, 1);
            let no = emitter.constant(0);
            emitter.store(cell, no)
        })?;
        self.each_matching(local, multiset, slots, condition, |emitter, index| {
            let cell = emitter.nth(found, index, 0, 1);
            let yes = emitter.constant(1);
            emitter.store(cell, yes)
        })?;
        self.touch(multiset)?;
        self.each(all, |emitter, index, next| {
            let cell = emitter.nth(found, index, 0, 1);
            let is_found = emitter.load(cell)?;
            let matches = emitter.block();
            emitter.branch(is_found, matches, next);
            emitter.begin(matches);
            let slot = emitter.nth(multiset, index, 0, slots.stride);
            let removed = emitter.constant(REMOVED);
            emitter.store_in_multiset(slot, removed)
        })
    }
}

/// Whether locating a multiset cannot fail: then a guard may be evaluated before it.
pub(super) fn is_safe(model: &Model, locals: &[Local], place: &Place) -> bool {
    let Root::Global(id) = place.root else { return false };
    let types = &model.types;
    let mut of = model.variables[id.0 as usize].of;
    for selector in &place.selectors {
        match (selector, types.get(of)) {
            (Selector::Field(k), Type::Record(fields)) => of = fields[*k as usize].1,
            (Selector::Element(index), &Type::Array { index: wanted, element }) => {
                let ExpressionKind::Read(read) = &index.kind else { return false };
                let (Root::Local(id), []) = (read.root, &read.selectors[..]) else { return false };
                let local = &locals[id.0 as usize];
                if local.kind != LocalKind::Bound || local.of != wanted {
                    return false;
                }
                of = element;
            }
            _ => return false,
        }
    }
    true
}
