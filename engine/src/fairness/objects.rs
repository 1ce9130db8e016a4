//! The objects of fairness: processes, events, tuples of values, and the action of permutations on
//! them.

use crate::narrow::to_u32;
use crate::symmetry::{Action, Indices, Permutation, Point};
use crate::system::{Layout, Shape, System};
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher as _;
use terms::{EventId, FamilyId};

/// An object, numbered in the order in which objects are interned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Object(pub u32);

/// The kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The processes of a family; its cell is the member, if there is more than one.
    Process(FamilyId),
    /// The instances of an event; its cells are the arguments.
    Event(EventId),
    /// The tuples of a declared requirement, by its position in the model; its cells are the
    /// values.
    Declared(u32),
}

/// All objects that were interned.
#[derive(Debug)]
pub struct Objects {
    kinds: Vec<(Kind, Action)>,
    numbers: HashMap<Kind, u32>,
    known: Vec<Known>,
    table: HashTable<Object>,
    /// By kind, for kinds with one cell: the objects, indexed by the point in that cell.
    by_point: Vec<Vec<Option<Object>>>,
    image: Vec<i64>,
}

#[derive(Debug)]
struct Known {
    kind: u32,
    cells: Box<[i64]>,
    moves: Moves,
}

/// The part of an object that permutations can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moves {
    Nothing,
    /// The object is this point and nothing else.
    Point(Point),
    Cells,
}

impl Objects {
    /// Creates an empty table for a system with the given permutable indices.
    pub fn new(system: &dyn System, indices: &Indices) -> Objects {
        let mut shapes: Vec<(Kind, Vec<Shape>)> = Vec::new();
        for (family, of) in (0..).map(FamilyId).zip(system.families()) {
            shapes.push((Kind::Process(family), of.members.into_iter().collect()));
        }
        for rule in system.rules() {
            let kind = Kind::Event(rule.event);
            if !shapes.iter().any(|(known, _)| *known == kind) {
                shapes.push((kind, rule.arguments));
            }
        }
        for (k, requirement) in (0..).zip(system.requirements()) {
            shapes.push((Kind::Declared(k), requirement.tracked.shapes().cloned().collect()));
        }
        let kinds: Vec<(Kind, Action)> = shapes
            .into_iter()
            .map(|(kind, shapes)| (kind, Action::new(&Layout::new(shapes), indices)))
            .collect();
        Objects {
            numbers: kinds.iter().zip(0..).map(|(&(kind, _), k)| (kind, k)).collect(),
            by_point: vec![vec![None; indices.points()]; kinds.len()],
            kinds,
            known: Vec::new(),
            table: HashTable::new(),
            image: Vec::new(),
        }
    }

    /// The number of objects that were interned.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether no object was interned yet.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The kind and the cells of an object.
    pub fn get(&self, object: Object) -> (Kind, &[i64]) {
        let Known { kind, cells, .. } = &self.known[object.0 as usize];
        (self.kinds[*kind as usize].0, cells)
    }

    /// Whether all objects of these kinds are points, or not moved at all.
    pub fn are_points(&self, is_of: impl Fn(Kind) -> bool) -> bool {
        self.kinds.iter().filter(|(kind, _)| is_of(*kind)).all(|(_, action)| {
            action.cells() <= 1 && (0..action.cells()).all(|cell| action.is_plain(cell))
        })
    }

    /// The object with the given cells.
    pub fn intern(&mut self, kind: Kind, cells: &[i64]) -> Object {
        let number = self.numbers[&kind];
        self.intern_numbered(number, cells)
    }

    fn intern_numbered(&mut self, kind: u32, cells: &[i64]) -> Object {
        let hash = hash(kind, cells);
        let is_it = |known: &Object| {
            let Known { kind: of, cells: those, .. } = &self.known[known.0 as usize];
            *of == kind && **those == *cells
        };
        if let Some(&known) = self.table.find(hash, is_it) {
            return known;
        }
        let action = &self.kinds[kind as usize].1;
        let movable = (0..cells.len()).any(|cell| action.may_hold_points(cell));
        let moves = match cells {
            _ if !movable => Moves::Nothing,
            [cell] if action.is_plain(0) => {
                action.point(0, *cell).map_or(Moves::Nothing, Moves::Point)
            }
            _ => Moves::Cells,
        };
        let object = Object(to_u32(self.known.len()));
        if let Moves::Point(point) = moves {
            self.by_point[kind as usize][point as usize] = Some(object);
        }
        self.known.push(Known { kind, cells: cells.into(), moves });
        let known = &self.known;
        let hash_of = |object: &Object| {
            let Known { kind, cells, .. } = &known[object.0 as usize];
            self::hash(*kind, cells)
        };
        self.table.insert_unique(hash, object, hash_of);
        object
    }

    /// The image of an object under a permutation.
    pub fn image(&mut self, object: Object, by: &Permutation) -> Object {
        let Known { kind, cells, moves } = &self.known[object.0 as usize];
        let kind = *kind;
        match *moves {
            Moves::Nothing => return object,
            Moves::Point(point) => {
                if let Some(known) = self.by_point[kind as usize][by.image(point) as usize] {
                    return known;
                }
            }
            Moves::Cells => {}
        }
        let mut image = std::mem::take(&mut self.image);
        image.clear();
        image.extend_from_slice(cells);
        self.kinds[kind as usize].1.apply(by, cells, &mut image);
        let found = self.intern_numbered(kind, &image);
        self.image = image;
        found
    }

    /// Adds to a set all images of its objects under products of the given permutations.
    pub fn close(&mut self, set: &mut Set, generators: &[Permutation]) {
        let mut open: Vec<Object> =
            if generators.is_empty() { Vec::new() } else { set.iter().collect() };
        while let Some(object) = open.pop() {
            run::poll();
            for generator in generators {
                let image = self.image(object, generator);
                if set.insert(image) {
                    open.push(image);
                }
            }
        }
    }

    /// [`Objects::close`] for objects that are points, or are not moved, and for the transpositions
    /// of each point with its neighbours. New objects are interned in the same order, but
    /// transpositions that fix a point are skipped.
    pub fn close_points(&mut self, set: &mut Set, neighbours: &[[Option<Point>; 2]]) {
        let mut open: Vec<(Object, Point)> =
            set.iter().filter_map(|object| Some((object, self.point(object)?))).collect();
        while let Some((object, point)) = open.pop() {
            for to in neighbours[point as usize].into_iter().flatten() {
                let image = self.moved(object, point, to);
                if set.insert(image) {
                    open.push((image, to));
                }
            }
        }
    }

    /// The image of an object that is a point if that point is moved to another point of its type.
    fn moved(&mut self, object: Object, from: Point, to: Point) -> Object {
        let Known { kind, cells, .. } = &self.known[object.0 as usize];
        let kind = *kind;
        if let Some(known) = self.by_point[kind as usize][to as usize] {
            return known;
        }
        let cell = cells[0] + i64::from(to) - i64::from(from);
        self.intern_numbered(kind, &[cell])
    }

    /// Removes from a set all objects that some product of these permutations takes out of it: the
    /// rest is the largest subset that they map to itself.
    pub fn shrink(&mut self, set: &mut Set, generators: &[Permutation]) {
        loop {
            let leaving: Vec<Object> = set
                .iter()
                .filter(|&object| generators.iter().any(|by| !set.contains(self.image(object, by))))
                .collect();
            if leaving.is_empty() {
                return;
            }
            for object in leaving {
                set.remove(object);
            }
        }
    }

    /// The image of a set under a permutation.
    pub fn image_of(&mut self, set: &Set, by: &Permutation) -> Set {
        set.iter().map(|object| self.image(object, by)).collect()
    }

    /// Whether an object is a point, or is not moved at all.
    pub fn is_simple(&self, object: Object) -> bool {
        self.known[object.0 as usize].moves != Moves::Cells
    }

    /// The point of an object that is one.
    pub fn point(&self, object: Object) -> Option<Point> {
        match self.known[object.0 as usize].moves {
            Moves::Point(point) => Some(point),
            Moves::Nothing | Moves::Cells => None,
        }
    }
}

fn hash(kind: u32, cells: &[i64]) -> u64 {
    foldhash::fast::FixedState::with_seed(0x1507).hash_one((kind, cells))
}

/// A set of objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Set {
    /// Bit k % 64 of word k / 64 is object k. Invariant: the last word is not 0.
    words: Vec<u64>,
}

impl Set {
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether an object is in the set.
    pub fn contains(&self, object: Object) -> bool {
        let at = object.0 as usize;
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Whether all objects of another set are in this one.
    pub fn contains_all(&self, other: &Set) -> bool {
        let mut words = other.words.iter().enumerate();
        words.all(|(k, word)| word & !self.words.get(k).copied().unwrap_or(0) == 0)
    }

    /// Removes all objects.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds an object, and returns whether it is new.
    pub fn insert(&mut self, object: Object) -> bool {
        let at = object.0 as usize;
        if self.words.len() <= at / 64 {
            self.words.resize(at / 64 + 1, 0);
        }
        let before = self.words[at / 64];
        self.words[at / 64] |= 1 << (at % 64);
        before != self.words[at / 64]
    }

    /// Removes an object, and returns whether it was in the set.
    pub fn remove(&mut self, object: Object) -> bool {
        let at = object.0 as usize;
        let is_there = self.contains(object);
        if is_there {
            self.words[at / 64] &= !(1 << (at % 64));
            self.trim();
        }
        is_there
    }

    /// The objects, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Object> + '_ {
        self.words.iter().zip(0..).flat_map(|(&word, k): (&u64, u32)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Object(64 * k + bit))
            })
        })
    }

    /// Adds all objects of another set, and returns whether some of them are new.
    pub fn add(&mut self, other: &Set) -> bool {
        let mut is_new = false;
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            is_new |= more & !*word != 0;
            *word |= more;
        }
        is_new
    }

    /// Keeps the objects that are also in another set, and returns whether some were removed.
    pub fn keep(&mut self, other: &Set) -> bool {
        let mut is_less = false;
        for (k, word) in self.words.iter_mut().enumerate() {
            let kept = *word & other.words.get(k).copied().unwrap_or(0);
            is_less |= kept != *word;
            *word = kept;
        }
        self.trim();
        is_less
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl Extend<Object> for Set {
    fn extend<I: IntoIterator<Item = Object>>(&mut self, objects: I) {
        for object in objects {
            self.insert(object);
        }
    }
}

impl FromIterator<Object> for Set {
    fn from_iter<I: IntoIterator<Item = Object>>(objects: I) -> Set {
        let mut set = Set::default();
        set.extend(objects);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::IndexType;
    use crate::system::example::Example;
    use run::SplitMix64;
    use terms::{Group, IndexTypeId};

    /// An event of points of one type, and one of points of both types.
    fn system() -> Example {
        let (p, q) = (IndexTypeId(0), IndexTypeId(1));
        Example {
            layout: Layout::new(vec![Shape::range(0, 1)]),
            indices: [4, 3].map(|size| IndexType { size, group: Group::Full }).to_vec(),
            rules: vec![
                vec![Shape::Simple { low: 0, values: 4, indices: vec![(p, 0)] }],
                vec![Shape::Simple { low: 0, values: 7, indices: vec![(p, 0), (q, 4)] }],
            ],
            start: vec![0],
            next: |_| Vec::new(),
            assumed: None,
        }
    }

    #[test]
    fn points_are_closed_as_objects_are() {
        let system = system();
        let indices = system.indices();
        let mut random = SplitMix64::new(7);
        for _ in 0..500 {
            let mut one = Objects::new(&system, &indices);
            let mut two = Objects::new(&system, &indices);
            let (mut few, mut others) = (Set::default(), Set::default());
            for _ in 0..random.below(4) {
                let event = random.below(2) as u32;
                let values = if event == 0 { 4 } else { 7 };
                let cells = [i64::from(random.below(values) as u32)];
                few.insert(one.intern(Kind::Event(EventId(event)), &cells));
                others.insert(two.intern(Kind::Event(EventId(event)), &cells));
            }
            let mut swaps = Vec::new();
            let mut neighbours = vec![[None; 2]; indices.points()];
            for of in indices.types() {
                let points: Vec<Point> = indices.points_of(of).collect();
                for pair in points.windows(2).filter(|_| random.below(3) > 0) {
                    swaps.push(Permutation::transposition(indices.points(), pair[0], pair[1]));
                    neighbours[pair[0] as usize][1] = Some(pair[1]);
                    neighbours[pair[1] as usize][0] = Some(pair[0]);
                }
            }
            one.close(&mut few, &swaps);
            two.close_points(&mut others, &neighbours);
            // The numbers of objects that were interned on the way agree, too.
            assert_eq!(few, others);
            assert_eq!(one.len(), two.len());
            for object in few.iter() {
                assert_eq!(one.get(object), two.get(object));
            }
        }
    }
}
