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
        let change = masks(layout, slots.start..end).find_map(|(word, mask)| {
            let changed = (known[word] ^ packed[word]) & mask;
            (changed != 0).then(|| (word as u32, changed.trailing_zeros()))
        });
        if let Some(change) = change {
            settle_one(layout, slots, change, packed, scratch);
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

/// Moves the elements of a multiset, one after another, to where they belong among those before
/// them. Elements before the word and bit of the first change are in order, if they have no gap.
fn settle_one(
    layout: &Layout,
    Slots { start, capacity, stride }: Slots,
    change: (u32, u32),
    packed: &mut [u64],
    held: &mut Vec<u64>,
) {
    let slot = |k: usize| start + k * stride..start + (k + 1) * stride;
    let is_ordered = |k: usize, packed: &[u64]| {
        let (word, shift, width) = layout.place_of(slot(k).end - 1);
        (word, u32::from(shift + width)) <= change && code(layout, packed, slot(k).start) != 0
    };
    let first = (0..capacity).find(|&k| !is_ordered(k, packed)).unwrap_or(capacity);
    let mut count = first;
    for k in first..capacity {
        if code(layout, packed, slot(k).start) == 0 {
            continue;
        }
        held.clear();
        held.extend(slot(k).map(|cell| code(layout, packed, cell)));
        let mut at = count;
        while at > 0 && slot(at - 1).map(|cell| code(layout, packed, cell)).gt(held.iter().copied())
        {
            for cell in slot(at) {
                let before = code(layout, packed, cell - stride);
                set_code(layout, packed, cell, before);
            }
            at -= 1;
        }
        if at != k {
            for (cell, &code) in slot(at).zip(&*held) {
                set_code(layout, packed, cell, code);
            }
        }
        count += 1;
    }
    if count < capacity {
        for (word, mask) in masks(layout, slot(count).start..slot(capacity).start) {
            packed[word] &= !mask;
        }
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
