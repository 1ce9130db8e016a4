//! Puts the multisets that a body has written in order in the packed target.
//!
//! Memory is not put in order, because the body's changes to it are undone anyway. The codes of an
//! element's cells, one after the other, the first in the highest bits, are its *key*: one number,
//! or several if they take more than a word. Elements are ordered as their keys are, because codes
//! are ordered as values are, with undefined first. Keys are inserted into a sorted list one after
//! another; most are in order already. From there they are written to the target, slot by slot.

use super::emit::Emitter;
use super::place::Located;
use super::{Compiled, MOST_CELLS, MOST_RUNS, Unsupported};
use crate::cells::Slots;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value};
use cranelift_frontend::Variable;

/// Multisets of the same shape at equal distances.
struct MultisetRun {
    first: Slots,
    distance: usize,
    count: usize,
    key: Key,
}

/// The translation of an element to a key: for each cell of a slot, the word of the key, the shift
/// in it, and the width and the least value of the cell.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    words: usize,
    cells: Vec<(usize, u8, u8, i64)>,
}

impl Emitter<'_, '_> {
    /// Puts the marked multisets in order. The whole body must have been emitted before.
    pub(super) fn settle(&mut self) -> Compiled<()> {
        for run in self.runs()? {
            let first = Located::fixed(run.first.start);
            self.each_below(run.count as u64, |emitter, number, next, _| {
                let at = emitter.nth(first, number, run.count, run.distance);
                emitter.settle_if_marked(at, &run, next)
            })?;
        }
        Ok(())
    }

    /// All multisets that may be marked.
    fn runs(&self) -> Compiled<Vec<MultisetRun>> {
        let is_touched = |slots: &&Slots| {
            self.touched.iter().any(|one| {
                let (low, high) = one.range();
                (low..=high).contains(&slots.start)
            })
        };
        let mut runs: Vec<MultisetRun> = Vec::new();
        for &slots in self.layout.multisets().iter().filter(is_touched) {
            let key = self.key(slots)?;
            let known = runs.iter_mut().find(|run| {
                let Slots { start, capacity, stride } = run.first;
                let is_alike = (capacity, stride) == (slots.capacity, slots.stride);
                let next = start + run.count * run.distance;
                is_alike && run.key == key && (run.count == 1 || slots.start == next)
            });
            if let Some(run) = known {
                if run.count == 1 {
                    run.distance = slots.start - run.first.start;
                }
                run.count += 1;
                continue;
            }
            if runs.len() == MOST_RUNS {
                return Err(Unsupported("too many multisets are written"));
            }
            runs.push(MultisetRun { first: slots, distance: 0, count: 1, key });
        }
        Ok(runs)
    }

    fn key(&self, slots: Slots) -> Compiled<Key> {
        if slots.stride > MOST_CELLS {
            return Err(Unsupported("an element of a multiset is too large"));
        }
        // Cells fill one word after another; in a word, the first has the highest bits.
        let widths = (0..slots.stride).map(|k| self.layout.place_of(slots.start + k).2);
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut room = 0;
        for width in widths {
            if width > room {
                words.push(Vec::new());
                room = 64;
            }
            room -= width;
            words.last_mut().expect("there is room in a word").push(width);
        }
        let mut cells = Vec::new();
        for (word, widths) in words.iter().enumerate() {
            let mut shift: u8 = widths.iter().sum();
            for &width in widths {
                shift -= width;
                let least = self.layout.least(slots.start + cells.len());
                cells.push((word, shift, width, least));
            }
        }
        Ok(Key { words: words.len(), cells })
    }

    fn settle_if_marked(&mut self, at: Located, run: &MultisetRun, next: Block) -> Compiled<()> {
        let marks = self.marks.ok_or(Unsupported("no multiset is marked"))?;
        let mark = self.load(at.behind(marks))?;
        self.unless_go(mark, next);
        let none = self.constant(0);
        self.put(at.behind(marks), none)?;
        let keys = self.allocate(run.first.capacity * run.key.words);
        let (used, present) = self.sort(at, run, keys)?;
        self.write_keys(at, run, keys, used, present)
    }

    /// Sorts the keys of the elements. Returns how many slots are used, and how many elements there
    /// are.
    fn sort(&mut self, at: Located, run: &MultisetRun, keys: Located) -> Compiled<(Value, Value)> {
        let (used, length) = (self.counter(), self.counter());
        let shape = (run.first.capacity, run.first.stride);
        self.each_slot(at, shape, |emitter, _, slot, first, next| {
            emitter.increment(used);
            emitter.skip_absent(first, next);
            let key = emitter.key_of(slot, &run.key)?;
            emitter.insert(&key, keys, length, run.first.capacity)?;
            emitter.increment(length);
            Ok(())
        })?;
        Ok((self.builder.use_var(used), self.builder.use_var(length)))
    }

    /// Inserts a key into the sorted list: greater keys move on by one, from the last to the first.
    ///
    /// At slot k at most k keys are in the list, whatever memory contains, so that there is room
    /// for one more.
    fn insert(
        &mut self,
        key: &[Value],
        keys: Located,
        length: Variable,
        capacity: usize,
    ) -> Compiled<()> {
        let words = key.len();
        let (compare, shift, insert) = (self.block(), self.block(), self.block());
        let (look, hole) = self.block_with();
        let length = self.builder.use_var(length);
        self.go_with(look, length);
        self.begin(look);
        self.branch(hole, compare, insert);
        self.begin(compare);
        let previous = self.builder.ins().iadd_imm(hole, -1);
        let known = self.nth(keys, previous, capacity, words);
        let known = self.load_all(known, words)?;
        for (k, (&known, &key)) in known.iter().zip(key).enumerate() {
            let is_greater = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, known, key);
            if k + 1 == words {
                self.branch(is_greater, shift, insert);
            } else {
                let rest = self.block();
                self.branch(is_greater, shift, rest);
                self.begin(rest);
                let is_equal = self.builder.ins().icmp(IntCC::Equal, known, key);
                self.unless_go(is_equal, insert);
            }
        }
        for (block, values) in [(shift, &known[..]), (insert, key)] {
            self.begin(block);
            let to = self.nth(keys, hole, capacity, words);
            self.put_all(to, values)?;
            if block == shift {
                self.go_with(look, previous);
            }
        }
        Ok(())
    }

    /// The key of the element in a slot.
    fn key_of(&mut self, slot: Located, key: &Key) -> Compiled<Vec<Value>> {
        let mut words: Vec<Option<Value>> = vec![None; key.words];
        for (k, &(word, shift, _, _)) in key.cells.iter().enumerate() {
            let code = if k == 0 {
                // The element is present, whether it was before or was added.
                self.constant(1)
            } else {
                let value = self.load(slot.behind(k))?;
                self.code(slot.behind(k), value)?
            };
            let code = self.builder.ins().ishl_imm(code, i64::from(shift));
            words[word] = Some(match words[word] {
                Some(before) => self.builder.ins().bor(before, code),
                None => code,
            });
        }
        Ok(words.into_iter().flatten().collect())
    }

    /// Sets the used slots of a multiset in the packed target: first the elements, then undefined.
    fn write_keys(
        &mut self,
        at: Located,
        run: &MultisetRun,
        keys: Located,
        used: Value,
        present: Value,
    ) -> Compiled<()> {
        let Slots { capacity, stride, .. } = run.first;
        self.each_below(capacity as u64, |emitter, number, _, done| {
            let is_used = emitter.builder.ins().icmp(IntCC::NotEqual, number, used);
            emitter.unless_go(is_used, done);
            let from = emitter.nth(keys, number, capacity, run.key.words);
            let slot = emitter.nth(at, number, capacity, stride);
            let is_there = emitter.builder.ins().icmp(IntCC::UnsignedLessThan, number, present);
            let zero = emitter.constant(0);
            let mut words = emitter.load_all(from, run.key.words)?;
            for word in &mut words {
                *word = emitter.builder.ins().select(is_there, *word, zero);
            }
            for (k, &(word, shift, width, _)) in run.key.cells.iter().enumerate() {
                let code = emitter.builder.ins().ushr_imm(words[word], i64::from(shift));
                let mask = ((1_u64 << width) - 1).cast_signed();
                let code = emitter.builder.ins().band_imm(code, mask);
                emitter.pack(slot.behind(k), code)?;
            }
            Ok(())
        })
    }
}
