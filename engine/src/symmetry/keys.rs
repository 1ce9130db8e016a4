//! The part of a state that depends on one point alone, as a key.
//!
//! Two kinds of cells depend on a point p by itself: those at subscript p of an array (and at no
//! other point) that hold no points, and those outside all arrays over points that may hold p. The
//! key of p consists of all cells of the first kind, and of one bit for each of the second: whether
//! it holds p. Keys are read from packed states, runs of neighbouring bits at a time, and written
//! back there, so that sorting n points by their keys takes n moves of bits.
//!
//! If no other cells depend on the points of a type, the type is [*plain*](Keys::is_plain): then a
//! permutation of its points only rearranges the keys of a state, and points with equal keys may be
//! swapped.

use super::action::Action;
use super::{Indices, Point};
use crate::narrow::{to_u32, to_usize};
use std::ops::Range;
use terms::Group;
use terms::IndexTypeId;

/// The positions of the keys of a type's points.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) of: IndexTypeId,
    pub(super) group: Group,
    pub(super) points: Range<Point>,
    /// The number of words of a key.
    pub(super) words: usize,
    /// By point (from the first one of the type): where its pieces start; with one more at the end.
    first_piece: Vec<u32>,
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    /// By word of a packed state: the bits that are in pieces.
    shared: Vec<u64>,
    /// By bit of a packed state: the piece that it is in.
    piece_at: Vec<u32>,
    is_plain: bool,
    /// The number of different contents of the cells of one point.
    contents: u64,
}

/// The keys of a packed state, and that state: the next one that is read differs from it in little.
///
/// Invariant: `keys` are those of `packed`.
#[derive(Clone, Debug, Default)]
pub(super) struct KeysRead {
    pub(super) keys: Vec<u64>,
    packed: Vec<u64>,
}

/// Bits that a key and a packed state share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    /// The position of these bits in the word of the state.
    mask: u64,
    word: u32,
    /// The word that they are in, among the keys of all points.
    key_word: u32,
    /// By how many bits they are rotated to the left in the word of the key.
    rotation: u8,
}

impl Piece {
    /// Copies bits of a word of a key to their position in a state.
    #[inline]
    fn write(&self, key: u64, packed: &mut [u64]) {
        let word = &mut packed[self.word as usize];
        *word = *word & !self.mask | key.rotate_right(u32::from(self.rotation)) & self.mask;
    }
}

/// A cell that may hold a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark {
    word: u32,
    shift: u8,
    width: u8,
    /// The code that is stored if the cell holds the first point.
    first_code: u64,
    key_word: u32,
    key_shift: u8,
}

impl Mark {
    /// The point that the cell holds, counted from the first one; a number that is too large if it
    /// holds none.
    #[inline]
    fn held(&self, packed: &[u64]) -> usize {
        let code = packed[self.word as usize] >> self.shift & ones(self.width);
        to_usize(code.wrapping_sub(self.first_code))
    }
}

fn ones(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

impl Keys {
    /// The keys of all types that are permuted.
    pub(super) fn of(action: &Action) -> Vec<Keys> {
        let indices = action.indices();
        let permuted = indices.types().filter(|&of| indices.group(of) != Group::Trivial);
        let values = action.layout().values();
        permuted.map(|of| Keys::of_type(action, indices, of, &values)).collect()
    }

    fn of_type(action: &Action, indices: &Indices, of: IndexTypeId, values: &[u64]) -> Keys {
        let points = indices.points_of(of);
        let size = (points.end - points.start) as usize;
        let layout = action.layout();
        let mut keys = Keys {
            of,
            group: indices.group(of),
            points: points.clone(),
            words: 0,
            first_piece: vec![0],
            pieces: Vec::new(),
            marks: Vec::new(),
            shared: vec![0; layout.words()],
            piece_at: vec![u32::MAX; layout.words() * 64],
            is_plain: true,
            contents: 1,
        };
        // By point: its cells, in ascending order, so that the k-th cells of all points are in one
        // column.
        let mut cells: Vec<Vec<usize>> = vec![Vec::new(); size];
        let mut marks = Vec::new();
        for cell in 0..action.cells() {
            let subscripts = action.subscripts(cell);
            let holds = action.segments(cell).iter().any(|segment| segment.of == of);
            let is_at = subscripts.iter().any(|one| points.contains(&one.point));
            if !holds && !is_at {
                continue;
            }
            let holds_points = !action.segments(cell).is_empty();
            if action.slots(cell).is_empty() && subscripts.len() == 1 && !holds_points {
                cells[(subscripts[0].point - points.start) as usize].push(cell);
            } else if action.slots(cell).is_empty() && subscripts.is_empty() {
                marks.push(cell);
            } else {
                keys.is_plain = false;
            }
        }
        // Positions in the key are the same for every point, and no cell straddles two words.
        let mut bits: u32 = 0;
        let mut place = |width: u8| {
            if bits % 64 + u32::from(width) > 64 {
                bits = bits.next_multiple_of(64);
            }
            let at = (bits / 64, (bits % 64) as u8);
            bits += u32::from(width);
            at
        };
        keys.contents = cells[0].iter().fold(1, |all, &cell| values[cell].saturating_mul(all));
        let places: Vec<(u32, u8)> =
            cells[0].iter().map(|&cell| place(layout.place_of(cell).2)).collect();
        for cell in marks {
            let (word, shift, width) = layout.place_of(cell);
            let segment = action.segments(cell).iter().find(|segment| segment.of == of);
            let first_value = segment.expect("it may hold a point of the type").first_value;
            let first_code = (first_value - layout.least(cell)) as u64 + 1;
            let (key_word, key_shift) = place(1);
            keys.marks.push(Mark { word, shift, width, first_code, key_word, key_shift });
        }
        keys.words = bits.div_ceil(64) as usize;
        for (k, own) in cells.iter().enumerate() {
            let start = keys.pieces.len();
            for (&cell, &(key_word, key_shift)) in own.iter().zip(&places) {
                let (word, shift, width) = layout.place_of(cell);
                let mask = ones(width) << shift;
                let rotation = (key_shift + 64 - shift) % 64;
                let key_word = to_u32(k * keys.words) + key_word;
                let is_of_one = |one: &&mut Piece| {
                    (one.word, one.key_word, one.rotation) == (word, key_word, rotation)
                };
                match keys.pieces[start..].iter_mut().find(is_of_one) {
                    Some(one) => one.mask |= mask,
                    None => keys.pieces.push(Piece { mask, word, key_word, rotation }),
                }
            }
            keys.first_piece.push(to_u32(keys.pieces.len()));
        }
        for (k, one) in (0..).zip(&keys.pieces) {
            keys.shared[one.word as usize] |= one.mask;
            for bit in (0..64).filter(|bit| one.mask >> bit & 1 == 1) {
                keys.piece_at[one.word as usize * 64 + bit] = k;
            }
        }
        keys
    }

    /// Whether no cells other than those of keys depend on the points.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether there are states in which no two points have the same key: the cells of a point have
    /// enough contents for that, together with the cells outside arrays, which mark one point each.
    pub(super) fn may_differ(&self) -> bool {
        self.contents.saturating_add(self.marks.len() as u64) >= self.size() as u64
    }

    /// The number of points.
    pub(super) fn size(&self) -> usize {
        self.first_piece.len() - 1
    }

    /// Reads the keys of a packed state: that of the k-th point is the k-th run of `words` words.
    /// Keys of the state that was read before are kept as far as the two states agree, word by word
    /// and piece by piece; so the successors of one state, read one after the other, cost only
    /// their differences.
    #[inline]
    pub(super) fn read(&self, packed: &[u64], into: &mut KeysRead) {
        let KeysRead { keys, packed: before } = into;
        if before.is_empty() {
            // The empty state has no bits in pieces and no marks: these are its keys.
            before.resize(packed.len(), 0);
            keys.resize(self.size() * self.words, 0);
        }
        for mark in &self.marks {
            let (was, is) = (mark.held(before), mark.held(packed));
            if was != is {
                let bit = 1 << mark.key_shift;
                if was < self.size() {
                    keys[was * self.words + mark.key_word as usize] &= !bit;
                }
                if is < self.size() {
                    keys[is * self.words + mark.key_word as usize] |= bit;
                }
            }
        }
        for (word, (was, &is)) in before.iter_mut().zip(packed).enumerate() {
            let mut differ = (*was ^ is) & self.shared[word];
            *was = is;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                let one = &self.pieces[self.piece_at[word * 64 + bit] as usize];
                // The bits that differ, at their position in the key.
                let bits = (differ & one.mask).rotate_left(u32::from(one.rotation));
                keys[one.key_word as usize] ^= bits;
                differ &= !one.mask;
            }
        }
    }

    /// Writes keys into a packed state in this order: the k-th point gets the key of the point
    /// `order[k]`, counted from the first one of the type. Places outside of `moved` keep their own
    /// points and are not changed.
    #[inline]
    pub(super) fn write(
        &self,
        packed: &mut [u64],
        keys: &[u64],
        order: &[u32],
        moved: Range<usize>,
    ) {
        for k in moved.clone() {
            if self.is_same(keys, order[k], to_u32(k)) {
                continue;
            }
            let key = self.key(keys, order[k] as usize);
            for one in &self.pieces[self.first_piece[k] as usize..self.first_piece[k + 1] as usize]
            {
                one.write(key[one.key_word as usize - k * self.words], packed);
            }
        }
        for mark in &self.marks {
            let word = &mut packed[mark.word as usize];
            let code = *word >> mark.shift & ones(mark.width);
            let from = code.wrapping_sub(mark.first_code);
            if moved.contains(&to_usize(from)) {
                let k = order[moved.clone()].iter().position(|&one| u64::from(one) == from);
                let k = moved.start + k.expect("points move among these places");
                let code = mark.first_code + k as u64;
                *word = *word & !(ones(mark.width) << mark.shift) | code << mark.shift;
            }
        }
    }

    /// Whether two points have the same key.
    #[inline]
    pub(super) fn is_same(&self, keys: &[u64], a: u32, b: u32) -> bool {
        // Most keys are one word: a comparison without a call.
        if self.words == 1 {
            keys[a as usize] == keys[b as usize]
        } else {
            self.key(keys, a as usize) == self.key(keys, b as usize)
        }
    }

    /// The key of the k-th point.
    #[inline]
    pub(super) fn key<'k>(&self, keys: &'k [u64], k: usize) -> &'k [u64] {
        &keys[k * self.words..(k + 1) * self.words]
    }
}
