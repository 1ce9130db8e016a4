//! Puts the multisets of packed states in order.
//!
//! A body changes the slots of a multiset in place (see [`form`](crate::form)), and its stores are
//! packed as they are: a slot with an element has a first cell with the code 1, any other one the code
//! 0. Between steps elements come first, in ascending order, and the bits of all other slots are 0.
//! Codes are ordered as values are, with undefined first.

use crate::cells::{Layout, Slots, UNDEFINED};
use std::ops::Range;

/// Sets a cell of a packed state. Marks of slots lose all but their lowest bit, which says whether the
/// slot has an element.
#[inline]
pub(crate) fn set(layout: &Layout, packed: &mut [u64], cell: usize, value: i64) {
    let least = layout.least(cell);
    let code = if value == UNDEFINED { 0 } else { value.wrapping_sub(least) as u64 + 1 };
    set_code(layout, packed, cell, code);
}

#[inline]
fn set_code(layout: &Layout, packed: &mut [u64], cell: usize, code: u64) {
    let (word, shift, width) = layout.place_of(cell);
    let mask = (1 << width) - 1;
    let word = &mut packed[word as usize];
    *word = *word & !(mask << shift) | (code & mask) << shift;
}

#[inline]
fn code(layout: &Layout, packed: &[u64], cell: usize) -> u64 {
    let (word, shift, width) = layout.place_of(cell);
    packed[word as usize] >> shift & ((1 << width) - 1)
}

/// Puts the multisets of a state in order where it differs from one whose multisets are.
#[inline]
pub(crate) fn settle(layout: &Layout, known: &[u64], packed: &mut [u64], scratch: &mut Vec<u64>) {
    for &slots in layout.multisets() {
        let end = slots.start + slots.capacity * slots.stride;
        let is_known = |(word, mask): (usize, u64)| (known[word] ^ packed[word]) & mask == 0;
        if !masks(layout, slots.start..end).all(is_known) {
            settle_one(layout, slots, packed, scratch);
        }
    }
}

/// The words that have cells of a range, each with a mask of their bits.
fn masks(layout: &Layout, cells: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let (first, low, _) = layout.place_of(cells.start);
    let (last, shift, width) = layout.place_of(cells.end - 1);
    (first..=last).map(move |word| {
        let from = if word == first { u64::MAX << low } else { u64::MAX };
        let to = if word == last { u64::MAX >> (64 - shift - width) } else { u64::MAX };
        (word as usize, from & to)
    })
}

/// Sorts the elements of a multiset, one after another. Most are in order already.
fn settle_one(layout: &Layout, slots: Slots, packed: &mut [u64], scratch: &mut Vec<u64>) {
    let Slots { start, capacity, stride } = slots;
    let width = |k: usize| u32::from(layout.place_of(start + k).2);
    let is_narrow = (0..stride).map(width).sum::<u32>() <= 64;
    scratch.clear();
    let mut count = 0;
    for slot in (0..capacity).map(|k| start + k * stride) {
        if code(layout, packed, slot) == 0 {
            continue;
        }
        count += 1;
        let end = scratch.len();
        if is_narrow {
            let element = chunk(layout, packed, slot..slot + stride);
            let is_greater = |other: u64| is_greater(other, element, (0..stride).map(width));
            let mut at = end;
            while at > 0 && is_greater(scratch[at - 1]) {
                at -= 1;
            }
            scratch.insert(at, element);
        } else {
            scratch.extend((slot..slot + stride).map(|cell| code(layout, packed, cell)));
            let (ordered, element) = scratch.split_at(end);
            let mut at = end;
            while at > 0 && &ordered[at - stride..at] > element {
                at -= stride;
            }
            scratch[at..].rotate_right(stride);
        }
    }
    for k in 0..count {
        let cells = start + k * stride..start + (k + 1) * stride;
        if is_narrow {
            set_chunk(layout, packed, cells, scratch[k]);
        } else {
            for (cell, &code) in cells.zip(&scratch[k * stride..]) {
                set_code(layout, packed, cell, code);
            }
        }
    }
    if count < capacity {
        for (word, mask) in masks(layout, start + count * stride..start + capacity * stride) {
            packed[word] &= !mask;
        }
    }
}

/// Whether the first part in which two chunks differ is greater in the first one. Parts have these
/// widths, from the lowest bit on.
#[inline]
fn is_greater(one: u64, other: u64, mut widths: impl Iterator<Item = u32>) -> bool {
    let different = (one ^ other).trailing_zeros();
    let mut shift = 0;
    let part = widths.find_map(|width| {
        shift += width;
        (shift > different).then(|| u64::MAX >> (64 - width) << (shift - width))
    });
    part.is_some_and(|part| one & part > other & part)
}

/// The codes of some cells that take at most a word, one after the other from the lowest bit on. Most
/// are in one word, and there they are in this order.
#[inline]
fn chunk(layout: &Layout, packed: &[u64], cells: Range<usize>) -> u64 {
    let ((first, low, _), (last, shift, width)) =
        (layout.place_of(cells.start), layout.place_of(cells.end - 1));
    if first == last {
        return packed[first as usize] >> low & u64::MAX >> (64 - shift - width + low);
    }
    let (mut chunk, mut at) = (0, 0);
    for cell in cells {
        chunk |= code(layout, packed, cell) << at;
        at += layout.place_of(cell).2;
    }
    chunk
}

/// Sets the codes of some cells that take at most a word.
#[inline]
fn set_chunk(layout: &Layout, packed: &mut [u64], cells: Range<usize>, mut chunk: u64) {
    let ((first, low, _), (last, shift, width)) =
        (layout.place_of(cells.start), layout.place_of(cells.end - 1));
    if first == last {
        let mask = u64::MAX >> (64 - shift - width + low) << low;
        let word = &mut packed[first as usize];
        *word = *word & !mask | chunk << low;
        return;
    }
    for cell in cells {
        set_code(layout, packed, cell, chunk);
        chunk >>= layout.place_of(cell).2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{PRESENT, Shape};
    use crate::form::ADDED;

    #[test]
    fn settling_restores_the_order() {
        let multiset = Shape::Multiset { capacity: 4, element: Box::new(Shape::range(0, 20)) };
        let layout = Layout::new(vec![Shape::range(0, 9), multiset.clone(), multiset]);
        let known = [
            [7, PRESENT, 4, PRESENT, 9, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED],
            [PRESENT, 3, PRESENT, 4, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, 0],
        ];
        let known = &known.concat()[..17];
        let changes = [(1, UNDEFINED), (5, ADDED), (6, 20), (7, ADDED), (8, 2), (10, UNDEFINED)];
        let (mut before, mut packed) = (vec![0; layout.words()], vec![0; layout.words()]);
        layout.pack(known, &mut before);
        packed.copy_from_slice(&before);
        for (cell, value) in changes {
            set(&layout, &mut packed, cell, value);
        }
        settle(&layout, &before, &mut packed, &mut vec![5; 7]);
        let mut after = vec![0; layout.cells()];
        layout.unpack(&packed, &mut after);
        let expected = [
            [7, PRESENT, 2, PRESENT, 9, PRESENT, 20, UNDEFINED, UNDEFINED],
            [PRESENT, UNDEFINED, PRESENT, 4, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, 0],
        ];
        assert_eq!(after, expected.concat()[..17]);
    }

    /// Multisets of all kinds of elements, in all positions of a word: as if elements were sorted.
    #[test]
    fn elements_of_all_widths_are_sorted() {
        let mut random = run::SplitMix64::new(7);
        for round in 0..2_000 {
            let sizes: Vec<i64> = (0..=round % 4)
                .map(|_| if random.below(9) == 0 { 1 << 40 } else { random.below(40) as i64 })
                .collect();
            let fields = sizes.iter().map(|&high| Shape::range(0, high)).collect();
            let capacity = 1 + random.below(12);
            let element = Box::new(Shape::Record(fields));
            let multiset = Shape::Multiset { capacity: capacity as u32, element };
            let before = Shape::range(0, 1 << random.below(60));
            let layout = Layout::new(vec![before, multiset, Shape::range(0, 9)]);
            let (mut packed, known) = (vec![0; layout.words()], vec![0; layout.words()]);
            set(&layout, &mut packed, 0, 1);
            set(&layout, &mut packed, layout.cells() - 1, 7);
            let mut elements = Vec::new();
            for slot in 0..capacity {
                let mark = [UNDEFINED, PRESENT, ADDED][random.below(3)];
                let value = |high: &i64| match random.below(3) {
                    0 => UNDEFINED,
                    1 => (*high).min(2),
                    _ => random.below(*high as usize + 1) as i64,
                };
                let values: Vec<i64> = sizes.iter().map(value).collect();
                let first = 1 + slot * (sizes.len() + 1);
                set(&layout, &mut packed, first, mark);
                for (k, &value) in values.iter().enumerate() {
                    set(&layout, &mut packed, first + 1 + k, value);
                }
                elements.extend((mark != UNDEFINED).then(|| [&[PRESENT], &values[..]].concat()));
            }
            elements.sort();
            let mut expected = [&[1], &elements.concat()[..]].concat();
            expected.resize(layout.cells() - 1, UNDEFINED);
            expected.push(7);
            settle(&layout, &known, &mut packed, &mut Vec::new());
            let mut cells = vec![0; layout.cells()];
            layout.unpack(&packed, &mut cells);
            assert_eq!(cells, expected, "{sizes:?}");
        }
    }
}
