//! A set of packed states: bytes in an arena that never moves, found by one table of positions.
//!
//! The table has open addressing and linear probing. A slot holds the number of a state plus one, and
//! bits of its hash in those above that such numbers do not need: so a slot of another state is nearly
//! always seen to be one without a look at its bytes, and to find a state costs two misses of the cache,
//! its slot and its bytes. Who has several states to find can have the misses at once: [`States::touch`].
//!
//! Per state this costs its bytes, and five to eleven for the table, which doubles when it is full.

/// States in a chunk of the arena, a power of two.
const CHUNK: usize = 256;
/// Slots of the smallest table, a power of two.
const FEW: usize = 16;

/// Different packed states, numbered as they came.
#[derive(Debug)]
pub(crate) struct States {
    /// Bytes of a state.
    bytes: usize,
    /// Slots, a power of two or none; 0 is free. More than a quarter are.
    table: Box<[u32]>,
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
        States { bytes, table: Box::default(), chunks: Vec::new(), length: 0 }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        self.table.len() * size_of::<u32>() + self.chunks.len() * CHUNK * self.bytes
    }

    /// A state by its number.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let start = number % CHUNK * self.bytes;
        &self.chunks[number / CHUNK][start..start + self.bytes]
    }

    /// The number of a state.
    pub(crate) fn find(&self, hash: u64, bytes: &[u8]) -> Option<u32> {
        self.look_up(hash, bytes).ok()
    }

    /// The number of a state, or else the slot where it belongs.
    fn look_up(&self, hash: u64, bytes: &[u8]) -> Result<u32, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let last = self.table.len() - 1;
        let tag = tag(hash, self.table.len());
        let mut at = hash as usize & last;
        loop {
            let slot = self.table[at];
            if slot == 0 {
                return Err(at);
            }
            // Below: a number plus one. Above: bits of a hash.
            let number = (slot as usize & last).wrapping_sub(1);
            if slot & !(last as u32) == tag && self.get(number) == bytes {
                return Ok(number as u32);
            }
            at = (at + 1) & last;
        }
    }

    /// Has the processor fetch the slot that a state is looked for at first; what it holds.
    pub(crate) fn touch(&self, hash: u64) -> u32 {
        match self.table.len() {
            0 => 0,
            slots => self.table[hash as usize & (slots - 1)],
        }
    }

    /// Has the processor fetch the bytes of the state in a slot that was touched, if that may be the
    /// one; some of them.
    pub(crate) fn touch_state(&self, hash: u64, slot: u32) -> u8 {
        let slots = self.table.len();
        if slot == 0 || slot & !(slots as u32).wrapping_sub(1) != tag(hash, slots) {
            return 0;
        }
        let number = (slot as usize & (slots - 1)).wrapping_sub(1);
        self.get(number).first().copied().unwrap_or(0)
    }

    /// The number of a state, which is put in if it is new; whether it is.
    pub(crate) fn insert(&mut self, hash: u64, bytes: &[u8]) -> (u32, bool) {
        let mut found = self.look_up(hash, bytes);
        if found.is_err() && (self.length + 1) * 4 > self.table.len() * 3 {
            self.grow();
            found = self.look_up(hash, bytes);
        }
        let at = match found {
            Ok(number) => return (number, false),
            Err(at) => at,
        };
        let number = self.length;
        self.table[at] = (number as u32 + 1) | tag(hash, self.table.len());
        if number.is_multiple_of(CHUNK) {
            self.chunks.push(vec![0; CHUNK * self.bytes].into_boxed_slice());
        }
        let start = number % CHUNK * self.bytes;
        self.chunks[number / CHUNK][start..start + self.bytes].copy_from_slice(bytes);
        self.length += 1;
        (number as u32, true)
    }

    /// Doubles the table.
    fn grow(&mut self) {
        let slots = (self.table.len() * 2).max(FEW);
        assert!(slots <= 1 << 31, "more than a billion states do not fit into one table");
        let mut table = vec![0; slots].into_boxed_slice();
        for number in 0..self.length {
            let hash = hash(self.get(number));
            let mut at = hash as usize & (slots - 1);
            while table[at] != 0 {
                at = (at + 1) & (slots - 1);
            }
            table[at] = (number as u32 + 1) | tag(hash, slots);
        }
        self.table = table;
    }
}

/// Bits of a hash, above those that numbers of a table with so many slots need. They are others than
/// those that say where a state belongs.
fn tag(hash: u64, slots: usize) -> u32 {
    (hash >> 32) as u32 & !(slots as u32).wrapping_sub(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_as_they_come_and_found_again() {
        for width in [0, 1, 2, 9] {
            let mut states = States::new(width);
            let mut known: Vec<Vec<u8>> = Vec::new();
            for k in 0..5_000_u64 {
                // Many come twice.
                let mixed = (k % 3_000).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                let bytes: Vec<u8> = mixed.iter().chain(&[7]).take(width).copied().collect();
                let place = known.iter().position(|one| *one == bytes);
                let hash = hash(&bytes);
                assert_eq!(states.find(hash, &bytes), place.map(|at| at as u32));
                let number = place.unwrap_or(known.len()) as u32;
                assert_eq!(states.insert(hash, &bytes), (number, place.is_none()));
                if place.is_none() {
                    known.push(bytes);
                }
                states.touch_state(hash, states.touch(hash));
            }
            assert_eq!(states.len(), known.len());
            for (k, one) in known.iter().enumerate() {
                assert_eq!(states.get(k), one);
            }
            assert!(
                states.table.len() >= known.len() && states.table.len() <= 16.max(4 * known.len())
            );
        }
    }
}
