//! Emits the operations of multisets: choosing, counting, adding and removing elements.
//!
//! The first cell of a slot says whether it has an element: see [`form`]. Used slots come before
//! all others, so that a loop over slots ends at the first unused one. Multisets of the state that a
//! body writes are marked, and put in order when it ends; those of the frame never are.

use super::emit::Emitter;
use super::place::Located;
use super::{Compiled, MOST_CELLS, MOST_SLOTS, Unsupported};
use crate::cells::UNDEFINED;
use crate::form::{self, ADDED, Added, Bag, Base, Element, REMOVED, Register};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value};

impl Emitter<'_, '_> {
    /// The first slot of a multiset, if it is not too large.
    fn bag(&mut self, bag: &Bag) -> Compiled<Located> {
        if bag.capacity > MOST_SLOTS || bag.stride > MOST_CELLS {
            return Err(Unsupported("a multiset is too large"));
        }
        self.address(&bag.at)
    }

    /// Repeats code for every slot up to the first unused one. The code gets the number of the
    /// slot, its place, the value of its first cell, and the block that continues with the next
    /// slot.
    pub(super) fn each_slot(
        &mut self,
        at: Located,
        (capacity, stride): (usize, usize),
        emit: impl FnOnce(&mut Self, Value, Located, Value, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        self.each_below(capacity as u64, |emitter, number, next, done| {
            let slot = emitter.nth(at, number, capacity, stride);
            let first = emitter.load(slot)?;
            let is_used = emitter.is(IntCC::NotEqual, first, UNDEFINED);
            emitter.unless_go(is_used, done);
            emit(emitter, number, slot, first, next)
        })
    }

    /// Jumps to `skip` if a slot, given by its first cell, has no element.
    pub(super) fn skip_absent(&mut self, first: Value, skip: Block) {
        let is_there = self.builder.ins().band_imm(first, 1);
        self.unless_go(is_there, skip);
    }

    /// Repeats code for every element that a level of a scope binds. The code continues with the
    /// next one by jumping to the block that it gets. It must call [`Emitter::skip_equal`] before
    /// it has an effect.
    pub(super) fn choose(
        &mut self,
        bag: &Bag,
        slot: Register,
        emit: impl FnOnce(&mut Self, Block) -> Compiled<()>,
    ) -> Compiled<()> {
        let at = self.bag(bag)?;
        self.each_slot(at, (bag.capacity, bag.stride), |emitter, number, _, _, next| {
            emitter.set(slot, number)?;
            emit(emitter, next)
        })
    }

    /// Jumps to `skip` if a chosen element is equal to the one before it, unless one of both is
    /// chosen further out: a chosen element is different from equal ones that are not. Equal
    /// elements are neighbours, because no body has begun. Evaluating a guard for both has no
    /// effect, so that this check may come after it.
    pub(super) fn skip_equal(
        &mut self,
        bag: &Bag,
        slot: Register,
        outer: &[(Bag, Register)],
        skip: Block,
    ) -> Compiled<()> {
        if bag.capacity < 2 {
            return Ok(());
        }
        let number = self.register(slot)?;
        let previous = self.builder.ins().iadd_imm(number, -1);
        let is_first = self.is(IntCC::Equal, number, 0);
        let previous = self.builder.ins().select(is_first, number, previous);
        let own = self.numbered_slot(bag, slot, number)?;
        let before = self.numbered_slot(bag, slot, previous)?;
        let one = self.load_all(own, bag.stride)?;
        let other = self.load_all(before, bag.stride)?;
        let mut difference = self.difference(&one, &other);
        let is_first = self.boolean(is_first);
        difference = self.builder.ins().bor(difference, is_first);
        for (bag, slot) in outer {
            let chosen = self.slot(bag, *slot)?;
            if chosen.range().1 < own.range().0 || own.range().1 < chosen.range().0 {
                continue;
            }
            for one in [own, before] {
                let is_chosen = self.is_same(chosen, one);
                let is_chosen = self.boolean(is_chosen);
                difference = self.builder.ins().bor(difference, is_chosen);
            }
        }
        self.unless_go(difference, skip);
        Ok(())
    }

    /// Marks a multiset of the state as written. A mark may be left over from another body that
    /// gave up: then a multiset is put in order although it is already.
    pub(super) fn touch(&mut self, bag: &Bag) -> Compiled<()> {
        if !is_in_state(bag) {
            return Ok(());
        }
        let at = self.bag(bag)?;
        let marks = if let Some(marks) = self.marks {
            marks
        } else {
            let marks = self.allocate(self.layout.cells()).range().0;
            *self.marks.insert(marks)
        };
        if !self.touched.iter().any(|one| one.range() == at.range()) {
            self.touched.push(at);
        }
        let written = self.constant(1);
        self.put(at.behind(marks), written)
    }

    /// Counts the elements that satisfy a condition.
    pub(super) fn count(
        &mut self,
        bag: &Bag,
        slot: Register,
        condition: &form::Value,
    ) -> Compiled<Value> {
        let at = self.bag(bag)?;
        let counter = self.counter();
        self.each_slot(at, (bag.capacity, bag.stride), |emitter, number, _, first, next| {
            emitter.set(slot, number)?;
            emitter.skip_absent(first, next);
            emitter.unless_matching(condition, next)?;
            emitter.increment(counter);
            Ok(())
        })?;
        Ok(self.builder.use_var(counter))
    }

    /// Jumps to `skip` if an element does not satisfy a condition, which must have no effect.
    fn unless_matching(&mut self, condition: &form::Value, skip: Block) -> Compiled<()> {
        let matches = self.block();
        let before = (self.stores, self.removals);
        self.condition(condition, matches, skip)?;
        if before != (self.stores, self.removals) {
            return Err(Unsupported("a condition on elements has an effect"));
        }
        self.begin(matches);
        Ok(())
    }

    /// Adds an element to the first slot without one.
    pub(super) fn add(&mut self, bag: &Bag, element: &Added) -> Compiled<()> {
        let values = match element {
            Added::Simple(value) => vec![self.value(value)?],
            Added::Cells(cells) => {
                let from = self.locate(cells)?;
                self.load_all(from, bag.stride - 1)?
            }
        };
        if values.len() + 1 != bag.stride {
            return Err(Unsupported("an element of another size"));
        }
        self.touch(bag)?;
        let at = self.bag(bag)?;
        let (free, number) = self.block_with();
        self.each_below(bag.capacity as u64, |emitter, number, next, _| {
            let slot = emitter.nth(at, number, bag.capacity, bag.stride);
            let first = emitter.load(slot)?;
            let is_there = emitter.builder.ins().band_imm(first, 1);
            emitter.builder.ins().brif(is_there, next, &[], free, &[BlockArg::Value(number)]);
            let unreachable = emitter.block();
            emitter.begin(unreachable);
            Ok(())
        })?;
        // The multiset is full.
        self.go(self.trap);
        self.begin(free);
        let slot = self.nth(at, number, bag.capacity, bag.stride);
        self.occupy(slot, &values)
    }

    /// Puts an element into a slot.
    fn occupy(&mut self, slot: Located, values: &[Value]) -> Compiled<()> {
        let added = self.constant(ADDED);
        self.put(slot, added)?;
        self.put_all(slot.behind(1), values)
    }

    pub(super) fn put_all(&mut self, at: Located, values: &[Value]) -> Compiled<()> {
        values.iter().enumerate().try_for_each(|(k, &value)| self.put(at.behind(k), value))
    }

    /// Removes a chosen element.
    pub(super) fn remove(&mut self, element: &Element) -> Compiled<()> {
        self.must_be_as_written(element)?;
        self.must_be_present(element)?;
        self.touch(&element.bag)?;
        let slot = self.slot(&element.bag, element.slot)?;
        self.mark_removed(slot)
    }

    fn mark_removed(&mut self, slot: Located) -> Compiled<()> {
        self.removals += 1;
        let removed = self.constant(REMOVED);
        self.put(slot, removed)
    }

    /// Removes all elements that satisfy a condition, which is evaluated for all of them first.
    pub(super) fn remove_where(
        &mut self,
        bag: &Bag,
        slot: Register,
        condition: &form::Value,
    ) -> Compiled<()> {
        let at = self.bag(bag)?;
        let shape = (bag.capacity, bag.stride);
        let found = self.allocate(bag.capacity);
        self.each_slot(at, shape, |emitter, number, _, first, next| {
            emitter.set(slot, number)?;
            let cell = emitter.nth(found, number, bag.capacity, 1);
            let (no, yes) = (emitter.constant(0), emitter.constant(1));
            emitter.put(cell, no)?;
            emitter.skip_absent(first, next);
            emitter.unless_matching(condition, next)?;
            emitter.put(cell, yes)
        })?;
        self.touch(bag)?;
        self.each_slot(at, shape, |emitter, number, slot, _, next| {
            let cell = emitter.nth(found, number, bag.capacity, 1);
            let is_found = emitter.load(cell)?;
            emitter.unless_go(is_found, next);
            emitter.mark_removed(slot)
        })
    }

    /// Removes all elements.
    pub(super) fn clear(&mut self, bag: &Bag) -> Compiled<()> {
        let at = self.bag(bag)?;
        self.touch(bag)?;
        self.each_below(bag.capacity as u64, |emitter, number, next, _| {
            let slot = emitter.nth(at, number, bag.capacity, bag.stride);
            emitter.vacate(bag, slot, next)
        })
    }

    /// Removes the element of a slot, if it has one, and continues there or at `next`. Nothing
    /// refers to the elements of a multiset of the frame, so that all its slots become unused.
    fn vacate(&mut self, bag: &Bag, slot: Located, next: Block) -> Compiled<()> {
        if is_in_state(bag) {
            let first = self.load(slot)?;
            self.skip_absent(first, next);
            return self.mark_removed(slot);
        }
        self.removals += 1;
        let undefined = self.constant(UNDEFINED);
        self.put(slot, undefined)
    }

    /// Replaces the elements of a multiset by those of another one, or of the same. They are read
    /// first, and then take the first slots.
    pub(super) fn copy_bag(&mut self, to: &Bag, from: &Bag) -> Compiled<()> {
        if from.capacity > to.capacity || from.stride != to.stride {
            return Err(Unsupported("multisets of different shapes"));
        }
        let (source, target) = (self.bag(from)?, self.bag(to)?);
        let cells = to.stride - 1;
        let scratch = self.allocate(to.capacity * cells);
        let count = self.counter();
        self.each_slot(source, (from.capacity, from.stride), |emitter, _, slot, first, next| {
            emitter.skip_absent(first, next);
            let values = emitter.load_all(slot.behind(1), cells)?;
            let number = emitter.builder.use_var(count);
            let copy = emitter.nth(scratch, number, to.capacity, cells);
            emitter.put_all(copy, &values)?;
            emitter.increment(count);
            Ok(())
        })?;
        self.touch(to)?;
        let count = self.builder.use_var(count);
        self.each_below(to.capacity as u64, |emitter, number, next, _| {
            let slot = emitter.nth(target, number, to.capacity, to.stride);
            let (occupy, vacate) = (emitter.block(), emitter.block());
            let is_there = emitter.builder.ins().icmp(IntCC::UnsignedLessThan, number, count);
            emitter.branch(is_there, occupy, vacate);
            emitter.begin(occupy);
            let copy = emitter.nth(scratch, number, to.capacity, cells);
            let values = emitter.load_all(copy, cells)?;
            emitter.occupy(slot, &values)?;
            emitter.go(next);
            emitter.begin(vacate);
            emitter.vacate(to, slot, next)
        })
    }
}

fn is_in_state(bag: &Bag) -> bool {
    matches!(bag.at.base, Base::State(_))
}
