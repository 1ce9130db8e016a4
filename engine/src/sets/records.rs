//! The edges out of each (r, l), in a few bytes each.
//!
//! A record is the number of the group by which edges were dropped, the number of what declared
//! requirements say of the state, the number of edges, and for each edge the difference to the
//! number of its target and the number of its kind: numbers of seven bits to a byte. Records are
//! written once, one after the other, and mostly read in the order in which they were written.

use crate::narrow::{low_u8, low_u32, to_u32};

/// The bytes of a block, unless a single piece is larger.
const BLOCK: usize = 1 << 20;

/// The bytes of a line of the cache.
const LINE: usize = 64;

/// All records.
#[derive(Debug, Default)]
pub(super) struct Records {
    blocks: Vec<Vec<u8>>,
    /// By (r, l): the number of its block plus one, and its place there; 0 if it has no record.
    places: Vec<u64>,
}

impl Records {
    /// Makes room for numbers below this.
    pub(super) fn grow(&mut self, bound: usize) {
        if bound > self.places.len() {
            run::memory::ask_to_grow::<u64>(self.places.len(), self.places.capacity());
            self.places.resize(bound, 0);
        }
    }

    /// Whether (r, l) has a record.
    #[inline]
    pub(super) fn has(&self, base: u32) -> bool {
        self.places[base as usize] != 0
    }

    /// Adds some records: their bytes, and where the one of each (r, l) begins in them.
    pub(super) fn add(&mut self, bytes: &[u8], starts: &[(u32, u32)]) {
        let has_room = |block: &Vec<u8>| block.capacity() - block.len() >= bytes.len();
        if !self.blocks.last().is_some_and(has_room) {
            self.blocks.push(Vec::with_capacity(BLOCK.max(bytes.len())));
        }
        let number = self.blocks.len() as u64;
        let block = self.blocks.last_mut().expect("one has room");
        let first = block.len() as u64;
        block.extend_from_slice(bytes);
        for &(base, start) in starts {
            self.places[base as usize] = number << 32 | (first + u64::from(start));
        }
    }

    /// The record of (r, l), which has one.
    #[inline]
    pub(super) fn get(&self, base: u32) -> Record<'_> {
        let place = self.places[base as usize];
        let block = &self.blocks[(place >> 32) as usize - 1];
        let mut bytes = Bytes { rest: &block[low_u32(place) as usize..] };
        let (group, declared, count) = (bytes.number(), bytes.number(), bytes.number());
        Record { group, declared, edges: Edges { base, count, bytes } }
    }

    /// Makes the processor fetch the records of some (r, l), all at once, which have one each.
    #[inline]
    pub(super) fn touch(&self, bases: impl Iterator<Item = u32> + Clone) {
        let places = bases.map(|base| self.places[base as usize]);
        std::hint::black_box(places.clone().fold(0, |all, place| all ^ place));
        let bytes = places.map(|place| {
            let (block, at) = (&self.blocks[(place >> 32) as usize - 1], low_u32(place) as usize);
            // Most records lie in two lines at most.
            block[at] ^ block[(at + LINE - 1).min(block.len() - 1)]
        });
        std::hint::black_box(bytes.fold(0, |all, byte| all ^ byte));
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum::<usize>()
            + self.places.capacity() * size_of::<u64>()
    }
}

/// What is stored of (r, l).
#[derive(Clone, Debug)]
pub(super) struct Record<'r> {
    /// The group by which edges were dropped.
    pub(super) group: u32,
    /// What declared requirements say of the state.
    pub(super) declared: u32,
    /// The edges.
    pub(super) edges: Edges<'r>,
}

/// The edges of a record: targets and kinds.
#[derive(Clone, Debug)]
pub(super) struct Edges<'r> {
    base: u32,
    count: u32,
    bytes: Bytes<'r>,
}

impl Iterator for Edges<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        self.count = self.count.checked_sub(1)?;
        let apart = self.bytes.number();
        // Differences to both sides take turns.
        let by = (apart >> 1) ^ (apart & 1).wrapping_neg();
        let target = self.base.wrapping_add(by);
        Some((target, self.bytes.number()))
    }
}

#[derive(Clone, Debug)]
struct Bytes<'r> {
    rest: &'r [u8],
}

/// The bits of a word of bytes that are set in all bytes of a number but the last.
const CONTINUES: u64 = 0x8080_8080_8080_8080;

impl Bytes<'_> {
    /// The next number. Its bytes are read as one word where there is one.
    #[inline]
    fn number(&mut self) -> u32 {
        let Some(bytes) = self.rest.first_chunk() else { return self.last_number() };
        let word = u64::from_le_bytes(*bytes);
        let length = (!word & CONTINUES).trailing_zeros() / 8 + 1;
        debug_assert!(length <= 5, "records are complete");
        self.rest = &self.rest[length as usize..];
        let word = word & (u64::MAX >> (64 - 8 * length));
        let part = |k: u32| (word & (0x7f << (8 * k))) >> k;
        low_u32(part(0) | part(1) | part(2) | part(3) | part(4))
    }

    /// The same near the end, byte by byte.
    #[cold]
    fn last_number(&mut self) -> u32 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let (&byte, rest) = self.rest.split_first().expect("records are complete");
            self.rest = rest;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }
}

/// Records that are being written by one thread.
#[derive(Debug, Default)]
pub(super) struct Written {
    bytes: Vec<u8>,
    starts: Vec<(u32, u32)>,
    /// The edges of the record that is being written, as the two numbers of each.
    edges: Vec<(u32, u32)>,
    base: u32,
}

impl Written {
    /// Forgets all records.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    /// Begins a record; one that was not ended is forgotten.
    pub(super) fn begin(&mut self, base: u32) {
        self.base = base;
        self.edges.clear();
    }

    /// Adds an edge to the record.
    #[inline]
    pub(super) fn edge(&mut self, target: u32, kind: u32) {
        let by = target.wrapping_sub(self.base);
        let apart = (by << 1) ^ (by.cast_signed() >> 31).cast_unsigned();
        self.edges.push((apart, kind));
    }

    /// Ends the record.
    pub(super) fn end(&mut self, group: u32, declared: u32) {
        self.starts.push((self.base, to_u32(self.bytes.len())));
        let Written { bytes, edges, .. } = self;
        for number in [group, declared, to_u32(edges.len())] {
            put(bytes, number);
        }
        for &(apart, kind) in &*edges {
            put(bytes, apart);
            put(bytes, kind);
        }
    }

    /// The records that were written.
    pub(super) fn all(&self) -> (&[u8], &[(u32, u32)]) {
        (&self.bytes, &self.starts)
    }
}

#[inline]
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(low_u8(u64::from(number)) | 0x80);
        number >>= 7;
    }
    bytes.push(low_u8(u64::from(number)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut random = run::SplitMix64::new(9);
        let mut number = |bits: u64| (random.next() >> (64 - 1 - random.next() % bits)) as u32;
        let mut records = Records::default();
        let mut all = Vec::new();
        for piece in 0..50_u32 {
            let mut written = Written::default();
            for k in 0..piece % 7 {
                let base = piece * 10 + k;
                let edges: Vec<(u32, u32)> =
                    (0..number(4)).map(|_| (number(32), number(20))).collect();
                let (group, declared) = (number(9), number(15));
                written.begin(base);
                written.edge(7, 7);
                written.begin(base);
                for &(target, kind) in &edges {
                    written.edge(target, kind);
                }
                written.end(group, declared);
                all.push((base, group, declared, edges));
            }
            records.grow(piece as usize * 10 + 10);
            let (bytes, starts) = written.all();
            records.add(bytes, starts);
        }
        for (base, group, declared, edges) in all {
            assert!(records.has(base));
            let record = records.get(base);
            assert_eq!((record.group, record.declared), (group, declared));
            assert!(record.edges.eq(edges));
        }
        assert!(!records.has(9));
    }
}
