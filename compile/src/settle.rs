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
pub(crate) fn settle(layout: &Layout, known: &[u64], packed: &mut [u64], element: &mut Vec<u64>) {
    for &slots in layout.multisets() {
        let end = slots.start + slots.capacity * slots.stride;
        let is_known = |(word, mask): (usize, u64)| (known[word] ^ packed[word]) & mask == 0;
        if !masks(layout, slots.start..end).all(is_known) {
            settle_one(layout, slots, packed, element);
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

/// Inserts one element after another into those before it. Most are in order already, and stay where
/// they are.
fn settle_one(layout: &Layout, slots: Slots, packed: &mut [u64], element: &mut Vec<u64>) {
    let Slots { start, capacity, stride } = slots;
    let cells = |slot: usize| start + slot * stride..start + (slot + 1) * stride;
    let mut count = 0;
    for slot in 0..capacity {
        if code(layout, packed, cells(slot).start) == 0 {
            continue;
        }
        let is_greater = |other: usize| {
            let codes = cells(other).zip(cells(slot)).skip(1);
            let codes = codes.map(|(a, b)| (code(layout, packed, a), code(layout, packed, b)));
            codes.into_iter().find(|(a, b)| a != b).is_some_and(|(a, b)| a > b)
        };
        let mut to = count;
        while to > 0 && is_greater(to - 1) {
            to -= 1;
        }
        if to != slot {
            element.clear();
            element.extend(cells(slot).map(|cell| code(layout, packed, cell)));
            for cell in (cells(to).start..cells(count).start).rev() {
                let moved = code(layout, packed, cell);
                set_code(layout, packed, cell + stride, moved);
            }
            for (cell, &code) in cells(to).zip(&*element) {
                set_code(layout, packed, cell, code);
            }
        }
        count += 1;
    }
    if count < capacity {
        for (word, mask) in masks(layout, cells(count).start..start + capacity * stride) {
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
}
