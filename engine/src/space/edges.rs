//! Annotated edges, and their compact encoding.
//!
//! An edge takes a few bytes: target, rule and arguments, each number in as many groups of seven
//! bits as it needs, and the number of its permutation.

use super::{Permutations, Representative};
use crate::narrow::{low_u8, to_u32};
use crate::symmetry::{Permutation, Point};

/// The edges out of one representative, in buffers that are reused. Where they lead is a `T`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edges<T = Representative> {
    entries: Vec<Entry<T>>,
    arguments: Vec<i64>,
    moves: Vec<(Point, Point)>,
    is_stuck: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry<T> {
    rule: u32,
    target: T,
    /// The ends of this edge's arguments and moves, exclusive.
    arguments_end: u32,
    moves_end: u32,
}

/// An edge r –π→ r′.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge<'e, T = Representative> {
    /// The rule of the step.
    pub rule: u32,
    /// The arguments of the event at r, as cells.
    pub arguments: &'e [i64],
    /// The target r′.
    pub target: T,
    /// The points that π moves, with their images, ascending.
    pub moves: &'e [(Point, Point)],
}

impl Edge<'_> {
    /// The permutation π of this number of points, which takes r′ to the concrete target of the
    /// step.
    pub fn permutation(&self, points: usize) -> Permutation {
        let mut permutation = Permutation::identity(points);
        permutation.set_moved(self.moves);
        permutation
    }
}

impl<T> Default for Edges<T> {
    fn default() -> Self {
        let (entries, arguments, moves) = (Vec::new(), Vec::new(), Vec::new());
        Edges { entries, arguments, moves, is_stuck: false }
    }
}

impl<T: Copy> Edges<T> {
    /// The number of edges.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether no rule is enabled. There may be no edges although some rule is enabled: then all
    /// targets violate an assumption.
    pub fn is_stuck(&self) -> bool {
        self.is_stuck
    }

    /// The edge with index k.
    pub fn get(&self, k: usize) -> Edge<'_, T> {
        let Entry { rule, target, .. } = self.entries[k];
        let ((arguments, moves), (arguments_end, moves_end)) = (self.ends(k), self.ends(k + 1));
        Edge {
            rule,
            arguments: &self.arguments[arguments..arguments_end],
            target,
            moves: &self.moves[moves..moves_end],
        }
    }

    /// Where the arguments and the moves of this number of edges end.
    fn ends(&self, edges: usize) -> (usize, usize) {
        let last = edges.checked_sub(1).map(|last| self.entries[last]);
        last.map_or((0, 0), |last| (last.arguments_end as usize, last.moves_end as usize))
    }

    /// All edges, in the order of the rules and their instances.
    pub fn iter(&self) -> impl Iterator<Item = Edge<'_, T>> {
        (0..self.len()).map(|k| self.get(k))
    }

    /// Removes all edges.
    pub(crate) fn clear(&mut self, is_stuck: bool) {
        self.entries.clear();
        self.arguments.clear();
        self.moves.clear();
        self.is_stuck = is_stuck;
    }

    /// Removes the edges from this number on.
    pub(super) fn truncate(&mut self, edges: usize) {
        let (arguments, moves) = self.ends(edges);
        self.entries.truncate(edges);
        self.arguments.truncate(arguments);
        self.moves.truncate(moves);
    }

    pub(crate) fn push(
        &mut self,
        rule: u32,
        arguments: &[i64],
        target: T,
        moves: impl IntoIterator<Item = (Point, Point)>,
    ) {
        self.arguments.extend_from_slice(arguments);
        self.moves.extend(moves);
        self.end(rule, target);
    }

    /// Ends an edge whose arguments and moves were appended.
    fn end(&mut self, rule: u32, target: T) {
        let (arguments_end, moves_end) = (to_u32(self.arguments.len()), to_u32(self.moves.len()));
        self.entries.push(Entry { rule, target, arguments_end, moves_end });
    }
}

/// The stored edges of the states of a shard.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// By position: where its edges begin plus one; 0 if they are not stored.
    first: Vec<u32>,
    bytes: Vec<u8>,
    count: u64,
}

impl Encoded {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn memory(&self) -> usize {
        self.first.capacity() * size_of::<u32>() + self.bytes.capacity()
    }

    /// Stores the edges of a state, unless they are stored already; `number` numbers permutations.
    /// Returns none if there is no room for them.
    pub(super) fn insert(
        &mut self,
        position: usize,
        edges: &Edges,
        mut number: impl FnMut(&[(Point, Point)]) -> u32,
    ) -> Option<()> {
        if self.first.get(position).is_some_and(|&first| first != 0) {
            return Some(());
        }
        let first = u32::try_from(self.bytes.len() + 1).ok()?;
        if self.first.len() <= position {
            self.first.resize(position + 1, 0);
        }
        self.first[position] = first;
        self.count += edges.len() as u64;
        write(&mut self.bytes, (edges.len() as u64) << 1 | u64::from(edges.is_stuck));
        for edge in edges.iter() {
            let permutation = number(edge.moves);
            write(&mut self.bytes, u64::from(edge.target.0));
            write(&mut self.bytes, u64::from(edge.rule));
            write(&mut self.bytes, u64::from(permutation));
            write(&mut self.bytes, edge.arguments.len() as u64);
            for &argument in edge.arguments {
                write(&mut self.bytes, zigzag(argument));
            }
        }
        Some(())
    }

    /// Reads the edges of a state, and returns whether they are stored.
    pub(super) fn read(
        &self,
        position: usize,
        edges: &mut Edges,
        permutations: &Permutations,
    ) -> bool {
        let first = self.first.get(position).and_then(|first| first.checked_sub(1));
        let Some(first) = first else { return false };
        let mut rest = &self.bytes[first as usize..];
        let head = read(&mut rest);
        edges.clear(head & 1 == 1);
        for _ in 0..head >> 1 {
            let target = Representative(to_u32(read(&mut rest)));
            let rule = to_u32(read(&mut rest));
            let permutation = to_u32(read(&mut rest));
            for _ in 0..read(&mut rest) {
                edges.arguments.push(unzigzag(read(&mut rest)));
            }
            edges.moves.extend_from_slice(permutations.get(permutation));
            edges.end(rule, target);
        }
        true
    }
}

/// Writes a number, seven bits at a time, the least significant ones first; the eighth bit of a
/// byte says that more bytes follow.
fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(low_u8(number) | 0x80);
        number >>= 7;
    }
    bytes.push(low_u8(number));
}

#[inline]
fn read(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, behind) = rest.split_first().expect("what was written ends");
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// Maps small numbers of either sign to small unsigned numbers.
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_read() {
        let mut edges = Edges::default();
        edges.push(3, &[], Representative(0), []);
        edges.push(200, &[0, -1, 64, i64::MIN, i64::MAX], Representative(90_000), [(0, 2), (2, 0)]);
        edges.push(0, &[5], Representative(1), [(0, 2), (2, 0)]);
        edges.push(0, &[5], Representative(1), [(1, 2), (2, 1)]);
        let permutations = Permutations::default();
        let mut stored = Encoded::default();
        let mut none = Edges::default();
        none.clear(true);
        let number = |moves: &[_]| permutations.intern(moves);
        assert!(stored.insert(5, &edges, number).is_some());
        assert!(stored.insert(2, &none, number).is_some());
        assert!(stored.insert(5, &none, number).is_some(), "it is stored already");
        let mut found = Edges::default();
        assert!(stored.read(5, &mut found, &permutations));
        assert_eq!(found, edges);
        assert_eq!(found.get(1).moves, [(0, 2), (2, 0)]);
        assert!(stored.read(2, &mut found, &permutations));
        assert!(found.is_empty() && found.is_stuck());
        assert!(!stored.read(3, &mut found, &permutations));
        assert!(!stored.read(9, &mut found, &permutations));
        assert_eq!(stored.count(), 4);
    }
}
