//! States as trees of shared parts, for less memory: after [`LPW11`](crate::papers::LPW11).
//!
//! The words of a state are the leaves of a binary tree. An inner node is the pair of its children,
//! and each pair is stored once, in the table of its position in the tree, and has a number of 32
//! bits. The store holds only the pair at the root, which is not in a table: most often eight
//! bytes, however long the state. There are far fewer parts than states, because the parts of a
//! system change one at a time.
//!
//! ```text
//! w₀ w₁ w₂ w₃ w₄          (w₀,w₁) = a    (a,w₂) = b    (w₃,w₄) = c    root: b, c
//! ```
//!
//! A state of one or two words is its own root, and nothing is gained.
//!
//! Threads number parts as they find them, so that the numbers, and with them the roots, may be
//! different in another run. Only their equality matters: two states are equal exactly if their
//! roots are. We depart from the paper in that tables of parts have locks, one for each of their
//! sixteen shards; they are read far more often than written.

use crate::narrow::to_usize;
use crate::system::states::{Key, States, hash};
use std::sync::{PoisonError, RwLock};

/// The number of shards of a table, a power of two.
const SHARDS: usize = 16;
/// The size of a pair in bytes.
const PAIR: usize = 16;
/// The size of a number in bits.
const NUMBER: u32 = 32;
/// The greatest number of pairs of a shard: a pair's number encodes its shard and its position.
const MOST_PAIRS: usize = (1 << NUMBER) / SHARDS;

/// Trees for states of one length, and the parts that have been stored.
pub(crate) struct Tree {
    left: Node,
    right: Node,
    tables: Vec<Table>,
    /// Whether the values of both sides fit into one word.
    is_short: bool,
    /// The size of a root in bytes.
    bytes: usize,
}

/// A node, which is the same in all trees.
enum Node {
    /// A word of the state.
    Word(usize),
    /// A pair in the table of this number.
    Pair(Box<[Node; 2]>, usize),
}

/// The pairs at one position of all trees.
struct Table([RwLock<States>; SHARDS]);

impl Tree {
    /// Trees for states of this number of bytes; none if nothing would be gained.
    pub(crate) fn new(bytes: usize) -> Option<Tree> {
        Tree::below(bytes, MOST_PAIRS)
    }

    /// The same trees with at most `most` pairs in a shard.
    fn below(bytes: usize, most: usize) -> Option<Tree> {
        let words = bytes.div_ceil(size_of::<u64>());
        if words < 3 {
            return None;
        }
        let mut tables = Vec::new();
        let left = Node::new(0, words.div_ceil(2), most, &mut tables);
        let right = Node::new(words.div_ceil(2), words, most, &mut tables);
        let number = NUMBER as usize / 8;
        let right_bytes = match right {
            // The last word of three, which may have fewer than eight bytes.
            Node::Word(_) => bytes - 2 * size_of::<u64>(),
            Node::Pair(..) => number,
        };
        let is_short = right_bytes <= number;
        let bytes = if is_short { number + right_bytes } else { size_of::<u64>() + number };
        Some(Tree { left, right, tables, is_short, bytes })
    }

    /// The size of a root in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory in use, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let of_shard = |shard: &RwLock<States>| read(shard).memory();
        self.tables.iter().flat_map(|table| &table.0).map(of_shard).sum()
    }

    /// The root of a state, and its number of words. Parts of the state that are new are stored;
    /// returns none if there is no number left for a part.
    pub(crate) fn fold(&self, words: &[u64]) -> Option<([u64; 2], usize)> {
        let put = |table: usize, pair: [u64; 2]| self.tables[table].put(pair);
        Some(self.root(self.left.value(words, &put)?, self.right.value(words, &put)?))
    }

    /// The root of a state, and its number of words; none if a part of the state is not stored.
    pub(crate) fn find(&self, words: &[u64]) -> Option<([u64; 2], usize)> {
        let find = |table: usize, pair: [u64; 2]| self.tables[table].find(pair);
        Some(self.root(self.left.value(words, &find)?, self.right.value(words, &find)?))
    }

    /// The key of a root in a table of states.
    pub(crate) fn key(&self, root: &[u64]) -> Key {
        Key::of(hash(root, self.bytes))
    }

    /// The left value is always a number of 32 bits, because the left side has at least two words.
    fn root(&self, left: u64, right: u64) -> ([u64; 2], usize) {
        if self.is_short { ([right << NUMBER | left, 0], 1) } else { ([right, left], 2) }
    }

    /// The state with this root.
    pub(crate) fn unfold(&self, root: [u64; 2], words: &mut [u64]) {
        let (left, right) = if self.is_short {
            (root[0] & ((1 << NUMBER) - 1), root[0] >> NUMBER)
        } else {
            (root[1], root[0])
        };
        self.unfold_node(&self.left, left, words);
        self.unfold_node(&self.right, right, words);
    }

    fn unfold_node(&self, node: &Node, value: u64, words: &mut [u64]) {
        match node {
            Node::Word(k) => words[*k] = value,
            Node::Pair(sides, table) => {
                let pair = self.tables[*table].get(value);
                for (side, value) in sides.iter().zip(pair) {
                    self.unfold_node(side, value, words);
                }
            }
        }
    }
}

impl Node {
    /// The node of the words from `start` up to `end`, exclusive.
    fn new(start: usize, end: usize, most: usize, tables: &mut Vec<Table>) -> Node {
        if end - start == 1 {
            return Node::Word(start);
        }
        let middle = start + (end - start).div_ceil(2);
        let sides = [Node::new(start, middle, most, tables), Node::new(middle, end, most, tables)];
        tables.push(Table::new(most));
        Node::Pair(Box::new(sides), tables.len() - 1)
    }

    /// The value of this part of a state: a word, or the number of a pair.
    fn value(
        &self,
        words: &[u64],
        number: &impl Fn(usize, [u64; 2]) -> Option<u64>,
    ) -> Option<u64> {
        match self {
            Node::Word(k) => Some(words[*k]),
            Node::Pair(sides, table) => {
                let [left, right] = &**sides;
                number(*table, [left.value(words, number)?, right.value(words, number)?])
            }
        }
    }
}

impl Table {
    fn new(most: usize) -> Table {
        Table(std::array::from_fn(|_| RwLock::new(States::below(PAIR, most))))
    }

    /// The number of a pair, if it is there.
    fn find(&self, pair: [u64; 2]) -> Option<u64> {
        let (shard, key) = place(pair);
        read(&self.0[shard]).find(key, &pair).map(|position| number(shard, position))
    }

    /// The number of a pair, which is stored if it is new; none if there is no number left.
    fn put(&self, pair: [u64; 2]) -> Option<u64> {
        self.find(pair).or_else(|| {
            let (shard, key) = place(pair);
            let mut states = self.0[shard].write().unwrap_or_else(PoisonError::into_inner);
            let (position, _) = states.insert(key, &pair)?;
            Some(number(shard, position))
        })
    }

    fn get(&self, number: u64) -> [u64; 2] {
        let mut pair = [0; 2];
        let number = to_usize(number);
        read(&self.0[number % SHARDS]).read(number / SHARDS, &mut pair);
        pair
    }
}

fn place(pair: [u64; 2]) -> (usize, Key) {
    let hash = hash(&pair, PAIR);
    // The tables use the lower half of the hash.
    ((hash >> 60) as usize % SHARDS, Key::of(hash))
}

fn number(shard: usize, position: u32) -> u64 {
    u64::from(position) * SHARDS as u64 + shard as u64
}

fn read(shard: &RwLock<States>) -> std::sync::RwLockReadGuard<'_, States> {
    // No thread panics between two changes that belong together.
    shard.read().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn states_are_equal_exactly_if_their_roots_are() {
        assert!(Tree::new(16).is_none(), "two words are their own root");
        for (bytes, root) in [(17, 5), (20, 8), (21, 12), (24, 12), (25, 8), (40, 8), (99, 8)] {
            let tree = Tree::new(bytes).expect("there are three words");
            assert_eq!(tree.bytes(), root);
            let words = bytes.div_ceil(8);
            let last = u64::MAX >> (8 * (words * 8 - bytes));
            let mut known: HashMap<[u64; 2], Vec<u64>> = HashMap::new();
            let mut random = 1_u64;
            for _ in 0..2_000 {
                // Few values, large ones included, so that parts are repeated.
                let mut state: Vec<u64> = (0..words)
                    .map(|_| {
                        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(11);
                        [0, 1, u64::MAX, 0x0123_4567_89ab_cdef][(random >> 33) as usize % 4]
                    })
                    .collect();
                state[words - 1] &= last;
                let before = tree.find(&state);
                let (folded, length) = tree.fold(&state).expect("there are few parts");
                assert_eq!(tree.find(&state), Some((folded, length)));
                assert_eq!(length, root.div_ceil(8));
                let is_known = known.values().any(|one| *one == state);
                assert!(before.is_some() || !is_known);
                assert_eq!(known.insert(folded, state.clone()), is_known.then(|| state.clone()));
                let mut again = vec![0; words];
                tree.unfold(folded, &mut again);
                assert_eq!(again, state);
            }
        }
    }

    /// A state is refused if there is no number left for one of its parts; stored states are found.
    #[test]
    fn states_are_refused_when_numbers_of_parts_are_used_up() {
        let tree = Tree::below(24, 2).expect("there are three words");
        let states: Vec<[u64; 3]> = (0..200).map(|k| [k, 7, k % 3]).collect();
        let folded: Vec<_> = states.iter().map(|state| tree.fold(state)).collect();
        let is_kept = |k: usize| folded[k].is_some();
        assert_eq!((0..states.len()).filter(|&k| is_kept(k)).count(), 2 * SHARDS);
        for (state, folded) in states.iter().zip(&folded) {
            assert_eq!(tree.find(state), *folded);
            if let Some((root, _)) = folded {
                let mut again = [0; 3];
                tree.unfold(*root, &mut again);
                assert_eq!(again, *state);
            }
        }
        let last = number(SHARDS - 1, u32::try_from(MOST_PAIRS - 1).expect("a position"));
        assert_eq!(last, u64::from(u32::MAX), "the largest number of 32 bits");
    }
}
