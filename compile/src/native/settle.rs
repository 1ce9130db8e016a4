//! Puts the multisets that a body has written in order in the packed target.
//!
//! Memory is not put in order, because the body's changes to it are undone anyway. The codes of an
//! element's cells, one after the other, the first in the highest bits, are its *key*: one number,
//! or several if they take more than a word. Elements are ordered as their keys are, because codes
//! are ordered as values are, with undefined first. Keys are inserted into a sorted list one after
//! another; most are in order already. From there they are written to the target, slot by slot.

use super::emit::{EmittedValue, Emitter};
use super::place::Located;
use super::{Compiled, MOST_CELLS, MOST_RUNS, Unsupported};
use crate::cells::{Slots, UNDEFINED};
use crate::closures::types::Values;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder as _, Value, types};

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
            let Slots { start, .. } = run.first;
            if run.count == 1 {
                let next = self.block();
                self.settle_if_marked(Located::fixed(start), &run, next)?;
                self.go(next);
                self.begin(next);
            } else {
                let all = Values { from: 0, by: 1, count: run.count as u64 };
                self.each(all, |emitter, index, next| {
                    let at = emitter.nth(Located::fixed(start), index, 0, run.distance);
                    emitter.settle_if_marked(at, &run, next)
                })?;
            }
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
                return Err(Unsupported);
            }
            runs.push(MultisetRun { first: slots, distance: 0, count: 1, key });
        }
        Ok(runs)
    }

    fn key(&self, slots: Slots) -> Compiled<Key> {
        if slots.stride > MOST_CELLS {
            return Err(Unsupported);
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
            words.last_mut().ok_or(Unsupported)?.push(width);
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
        let marks = self.marks.ok_or(Unsupported)?;
        let mark = self.load(at.behind(marks))?;
        let marked = self.block();
        self.branch(mark, marked, next);
        self.begin(marked);
        let none = self.constant(0);
        self.store(at.behind(marks), none)?;
        let Slots { capacity, .. } = run.first;
        let keys = self.allocate(capacity * run.key.words);
        let (used, present) = self.sort(at, run, keys)?;
        self.write_keys(at, run, keys, used, present)
    }

    /// Sorts the keys of the elements. Returns how many slots are used, and how many elements there
    /// are.
    ///
    /// At slot k at most k keys are in the list, whatever memory contains, so that there is room
    /// for one more.
    fn sort(&mut self, at: Located, run: &MultisetRun, keys: Located) -> Compiled<(Value, Value)> {
        let Slots { capacity, stride, .. } = run.first;
        let high = capacity as i64 - 1;
        let words = run.key.words;
        let number = |value| EmittedValue { value, low: 0, high, is_proved: true };
        let (header, next, done) = (self.block(), self.block(), self.block());
        let index = self.builder.append_block_param(header, types::I64);
        let length = self.builder.append_block_param(header, types::I64);
        let longer = self.builder.append_block_param(next, types::I64);
        let used = self.builder.append_block_param(done, types::I64);
        let present = self.builder.append_block_param(done, types::I64);
        let zero = self.constant(0);
        self.go_with_both(header, zero, zero);
        self.begin(header);
        let slot = self.nth(at, number(index), 0, stride);
        let first = self.load(slot)?;
        let unused = self.is(IntCC::Equal, first, UNDEFINED);
        let (is_used, is_there) = (self.block(), self.block());
        let ended = [BlockArg::Value(index), BlockArg::Value(length)];
        self.builder.ins().brif(unused, done, &ended, is_used, &[]);
        self.begin(is_used);
        let odd = self.builder.ins().band_imm(first, 1);
        self.builder.ins().brif(odd, is_there, &[], next, &[BlockArg::Value(length)]);
        self.begin(is_there);
        let key = self.key_of(slot, &run.key)?;
        // Greater keys move on by one, from the last to the first.
        let (look, compare, shift, insert) =
            (self.block(), self.block(), self.block(), self.block());
        let hole = self.builder.append_block_param(look, types::I64);
        self.go_with(look, length);
        self.begin(look);
        self.branch(hole, compare, insert);
        self.begin(compare);
        let previous = self.builder.ins().iadd_imm(hole, -1);
        let known = self.nth(keys, number(previous), 0, words);
        let known = self.load_all(known, words)?;
        for (k, (&known, &key)) in known.iter().zip(&key).enumerate() {
            let is_greater = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, known, key);
            if k + 1 == words {
                self.branch(is_greater, shift, insert);
            } else {
                let (rest, last) = (self.block(), self.block());
                self.branch(is_greater, shift, rest);
                self.begin(rest);
                let is_equal = self.builder.ins().icmp(IntCC::Equal, known, key);
                self.branch(is_equal, last, insert);
                self.begin(last);
            }
        }
        self.begin(shift);
        let to = self.nth(keys, number(hole), 0, words);
        for (k, &known) in known.iter().enumerate() {
            self.store(to.behind(k), known)?;
        }
        self.go_with(look, previous);
        self.begin(insert);
        let to = self.nth(keys, number(hole), 0, words);
        for (k, &key) in key.iter().enumerate() {
            self.store(to.behind(k), key)?;
        }
        let one_more = self.builder.ins().iadd_imm(length, 1);
        self.go_with(next, one_more);
        self.begin(next);
        let following = self.builder.ins().iadd_imm(index, 1);
        let is_last = self.is(IntCC::Equal, index, high);
        let passed = [BlockArg::Value(following), BlockArg::Value(longer)];
        self.builder.ins().brif(is_last, done, &passed, header, &passed);
        self.begin(done);
        Ok((used, present))
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
        words.into_iter().map(|word| word.ok_or(Unsupported)).collect()
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
        let all = Values { from: 0, by: 1, count: capacity as u64 };
        self.each_until(all, |emitter, index, _, done| {
            let write = emitter.block();
            let is_over = emitter.builder.ins().icmp(IntCC::Equal, index.value, used);
            emitter.branch(is_over, done, write);
            emitter.begin(write);
            let from = emitter.nth(keys, index, 0, run.key.words);
            let slot = emitter.nth(at, index, 0, stride);
            let is_there =
                emitter.builder.ins().icmp(IntCC::UnsignedLessThan, index.value, present);
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

    /// Jumps to a block with two values.
    fn go_with_both(&mut self, to: Block, one: Value, other: Value) {
        self.builder.ins().jump(to, &[BlockArg::Value(one), BlockArg::Value(other)]);
        let unreachable = self.block();
        self.begin(unreachable);
    }
}
