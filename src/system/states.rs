//! A set of packed states: bytes in an arena that never moves, found by one table of positions.
//!
//! Per state this costs its bytes, and five to eleven and a half for the table, which doubles when it is
//! full.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// States in a chunk of the arena, a power of two.
const CHUNK: usize = 256;

/// Different packed states, numbered as they came.
#[derive(Debug)]
pub(crate) struct States {
    /// Bytes of a state.
    bytes: usize,
    table: HashTable<u32>,
    chunks: Vec<Box<[u8]>>,
    length: usize,
}

/// The hash of a packed state.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    use std::hash::BuildHasher as _;
    foldhash::fast::FixedState::with_seed(0x1507).hash_one(bytes)
}

impl States {
    /// No states of so many bytes yet.
    pub(crate) fn new(bytes: usize) -> States {
        States { bytes, table: HashTable::new(), chunks: Vec::new(), length: 0 }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        self.table.allocation_size() + self.chunks.len() * CHUNK * self.bytes
    }

    /// A state by its number.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let start = number % CHUNK * self.bytes;
        &self.chunks[number / CHUNK][start..start + self.bytes]
    }

    /// The number of a state.
    pub(crate) fn find(&self, hash: u64, bytes: &[u8]) -> Option<u32> {
        self.table.find(hash, |&at| self.get(at as usize) == bytes).copied()
    }

    /// The number of a state, which is put in if it is new; whether it is.
    pub(crate) fn insert(&mut self, hash: u64, bytes: &[u8]) -> (u32, bool) {
        let States { bytes: width, chunks, .. } = self;
        let (width, chunks_now) = (*width, &*chunks);
        let get = |at: usize| {
            let start = at % CHUNK * width;
            &chunks_now[at / CHUNK][start..start + width]
        };
        let entry = self.table.entry(
            hash,
            |&at| get(at as usize) == bytes,
            |&at| self::hash(get(at as usize)),
        );
        let vacant = match entry {
            Entry::Occupied(known) => return (*known.get(), false),
            Entry::Vacant(vacant) => vacant,
        };
        let number = self.length;
        vacant.insert(number as u32);
        if number.is_multiple_of(CHUNK) {
            self.chunks.push(vec![0; CHUNK * width].into_boxed_slice());
        }
        let start = number % CHUNK * width;
        self.chunks[number / CHUNK][start..start + width].copy_from_slice(bytes);
        self.length += 1;
        (number as u32, true)
    }
}

/// The bytes of a packed state, appended.
pub(crate) fn write_bytes(words: &[u64], bytes: usize, out: &mut Vec<u8>) {
    let start = out.len();
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(start + bytes);
}

/// The words of a packed state.
pub(crate) fn read_words(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut all = [0; 8];
        all[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(all);
    }
}
