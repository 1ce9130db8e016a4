//! Annotated edges, and their compact encoding.
//!
//! An edge takes a few bytes: target, rule and arguments, each number in as many groups of seven
//! bits as it needs, and the number of its permutation. Permutations are stored once each, as the
//! points that move with their images: most move few.

use super::Representative;
use super::rows::Rows;
use crate::symmetry::{Permutation, Point};

/// The edges out of one representative, in buffers that are reused.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    entries: Vec<Entry>,
    arguments: Vec<i64>,
    moves: Vec<(Point, Point)>,
    points: usize,
    is_stuck: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    rule: u32,
    target: Representative,
    /// The ends of this edge's arguments and moves, exclusive.
    arguments_end: u32,
    moves_end: u32,
}

/// An edge r –π→ r′.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge<'e> {
    /// The rule of the step.
    pub rule: u32,
    /// The arguments of the event at r, as cells.
    pub arguments: &'e [i64],
    /// The target r′.
    pub target: Representative,
    /// The points that π moves, with their images, ascending.
    pub moves: &'e [(Point, Point)],
    points: usize,
}

impl Edge<'_> {
    /// The permutation π, which takes r′ to the concrete target of the step.
    pub fn permutation(&self) -> Permutation {
        let mut images: Vec<Point> = (0..self.points as Point).collect();
        for &(point, image) in self.moves {
            images[point as usize] = image;
        }
        Permutation::of_images(images).expect("what was stored is a permutation")
    }
}

impl Edges {
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
    pub fn get(&self, k: usize) -> Edge<'_> {
        let Entry { rule, target, arguments_end, moves_end } = self.entries[k];
        let (arguments, moves) = match k.checked_sub(1).map(|before| self.entries[before]) {
            Some(before) => (before.arguments_end, before.moves_end),
            None => (0, 0),
        };
        Edge {
            rule,
            arguments: &self.arguments[arguments as usize..arguments_end as usize],
            target,
            moves: &self.moves[moves as usize..moves_end as usize],
            points: self.points,
        }
    }

    /// All edges, in the order of the rules and their instances.
    pub fn iter(&self) -> impl Iterator<Item = Edge<'_>> {
        (0..self.len()).map(|k| self.get(k))
    }

    pub(super) fn clear(&mut self, points: usize, is_stuck: bool) {
        self.entries.clear();
        self.arguments.clear();
        self.moves.clear();
        self.points = points;
        self.is_stuck = is_stuck;
    }

    pub(super) fn push(
        &mut self,
        rule: u32,
        arguments: &[i64],
        target: Representative,
        moves: impl IntoIterator<Item = (Point, Point)>,
    ) {
        self.arguments.extend_from_slice(arguments);
        self.moves.extend(moves);
        let (arguments_end, moves_end) = (self.arguments.len() as u32, self.moves.len() as u32);
        self.entries.push(Entry { rule, target, arguments_end, moves_end });
    }
}

/// The stored edges of many representatives.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    /// By representative: the position of its first edge plus one; 0 if its edges are not stored.
    first: Vec<u64>,
    bytes: Vec<u8>,
    count: u64,
    /// By number: the points that a permutation moves, with their images.
    permutations: Rows<(Point, Point)>,
}

impl Encoded {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn memory(&self) -> usize {
        self.first.capacity() * size_of::<u64>()
            + self.bytes.capacity()
            + self.permutations.memory()
    }

    pub(super) fn contains(&self, of: Representative) -> bool {
        self.first.get(of.0 as usize).is_some_and(|&first| first != 0)
    }

    /// Stores the edges of a representative, unless they are stored already.
    pub(super) fn insert(&mut self, of: Representative, edges: &Edges) {
        if self.contains(of) {
            return;
        }
        let at = of.0 as usize;
        if self.first.len() <= at {
            self.first.resize(at + 1, 0);
        }
        self.first[at] = self.bytes.len() as u64 + 1;
        self.count += edges.len() as u64;
        write(&mut self.bytes, (edges.len() as u64) << 1 | u64::from(edges.is_stuck));
        for edge in edges.iter() {
            let permutation = self.permutations.intern(edge.moves);
            write(&mut self.bytes, u64::from(edge.target.0));
            write(&mut self.bytes, u64::from(edge.rule));
            write(&mut self.bytes, u64::from(permutation));
            write(&mut self.bytes, edge.arguments.len() as u64);
            for &argument in edge.arguments {
                write(&mut self.bytes, zigzag(argument));
            }
        }
    }

    /// Reads the edges of a representative, and returns whether they are stored.
    pub(super) fn read(&self, of: Representative, points: usize, edges: &mut Edges) -> bool {
        let Some(mut rest) = self.row(of) else { return false };
        let head = read(&mut rest);
        edges.clear(points, head & 1 == 1);
        let mut arguments = Vec::new();
        for _ in 0..head >> 1 {
            let (rule, target, permutation) = read_edge(&mut rest, &mut arguments);
            let moves = self.permutations.get(permutation).iter().copied();
            edges.push(rule, &arguments, target, moves);
        }
        true
    }

    /// The bytes from a representative's first edge on; those of other representatives follow.
    fn row(&self, of: Representative) -> Option<&[u8]> {
        let first = self.first.get(of.0 as usize)?.checked_sub(1)?;
        Some(&self.bytes[first as usize..])
    }
}

/// Decodes the next edge: its rule, its target and the number of its permutation.
#[inline]
fn read_edge(rest: &mut &[u8], arguments: &mut Vec<i64>) -> (u32, Representative, u32) {
    let target = Representative(read(rest) as u32);
    let rule = read(rest) as u32;
    let permutation = read(rest) as u32;
    arguments.clear();
    for _ in 0..read(rest) {
        arguments.push(unzigzag(read(rest)));
    }
    (rule, target, permutation)
}

/// Writes a number, seven bits at a time, the least significant ones first; the eighth bit of a
/// byte says that more bytes follow.
fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
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
        edges.clear(4, false);
        edges.push(3, &[], Representative(0), []);
        edges.push(200, &[0, -1, 64, i64::MIN, i64::MAX], Representative(90_000), [(0, 2), (2, 0)]);
        edges.push(0, &[5], Representative(1), [(0, 2), (2, 0)]);
        let mut stored = Encoded::default();
        let mut none = Edges::default();
        none.clear(4, true);
        stored.insert(Representative(5), &edges);
        stored.insert(Representative(2), &none);
        let mut found = Edges::default();
        assert!(stored.read(Representative(5), 4, &mut found));
        assert_eq!(found, edges);
        assert_eq!(found.get(1).permutation().to_string(), "(0 2)");
        assert!(stored.read(Representative(2), 4, &mut found));
        assert!(found.is_empty() && found.is_stuck());
        assert!(!stored.read(Representative(3), 4, &mut found));
        assert!(!stored.read(Representative(9), 4, &mut found));
        assert_eq!(stored.permutations.len(), 2);
    }
}
