//! Groups and what they do to states, by the definitions, sharing nothing with the library's.

use engine::symmetry::{IndexType, Indices, Permutation, Point};
use engine::system::Shape;
use engine::system::layout::{PRESENT, UNDEFINED};
use model::checked::Group;
use model::types::IndexTypeId;
use run::SplitMix64;
use std::collections::BTreeSet;

/// The index types of a case: how many values each has, and what may happen to them.
#[derive(Clone, Debug)]
pub struct Types(pub Vec<(u32, Group)>);

impl Types {
    pub fn indices(&self) -> Indices {
        Indices::new(self.0.iter().map(|&(size, group)| IndexType { size, group }))
    }

    pub fn points(&self) -> usize {
        self.0.iter().map(|&(size, _)| size as usize).sum()
    }

    pub fn size(&self, of: IndexTypeId) -> u32 {
        self.0[of.0 as usize].0
    }

    fn first_point(&self, of: IndexTypeId) -> Point {
        self.0[..of.0 as usize].iter().map(|&(size, _)| size).sum()
    }

    /// Whether a point is one of four in a ring with reflections.
    pub fn is_in_ring_of_four(&self, point: Point) -> bool {
        let mut end = 0;
        let of = self.0.iter().find(|(size, _)| {
            end += size;
            point < end
        });
        of == Some(&(4, Group::Dihedral))
    }

    /// How many elements the group has.
    pub fn order(&self) -> usize {
        self.0.iter().map(|&(size, group)| elements(size, group).len()).product()
    }

    /// Whether the group has this element.
    pub fn contains(&self, permutation: &Permutation) -> bool {
        let mut rest = permutation.images();
        let mut first = 0;
        self.0.iter().all(|&(size, group)| {
            let (images, behind) = rest.split_at(size as usize);
            let start = first;
            (rest, first) = (behind, first + size);
            let stays = images.iter().all(|image| (start..first).contains(image));
            // How far it is to the next point's image, round the ring.
            let mut steps = (0..images.len())
                .map(|k| (images[(k + 1) % images.len()] + size).wrapping_sub(images[k]) % size);
            stays
                && match group {
                    Group::Full => true,
                    Group::Trivial => (start..first).eq(images.iter().copied()),
                    Group::Rotations => steps.all(|step| step == 1 % size),
                    Group::Dihedral => {
                        steps.clone().all(|step| step == 1 % size)
                            || steps.all(|step| step == (size - 1) % size)
                    }
                }
        })
    }

    /// An element of the group, each as probable as the others.
    pub fn element(&self, random: &mut SplitMix64) -> Permutation {
        let mut images = Vec::new();
        for &(n, group) in &self.0 {
            let first = images.len() as Point;
            let (turn, reflect) = (random.below(n as usize) as u32, random.below(2) == 1);
            images.extend((first..).take(n as usize));
            let own = &mut images[first as usize..];
            for k in 0..n {
                own[k as usize] = match group {
                    Group::Trivial | Group::Full => k,
                    Group::Dihedral if reflect => (n + turn - k) % n,
                    Group::Rotations | Group::Dihedral => (k + turn) % n,
                } + first;
            }
            if group == Group::Full {
                for k in (1..own.len()).rev() {
                    own.swap(k, random.below(k + 1));
                }
            }
        }
        Permutation::of_images(images).expect("it is one")
    }

    /// All elements of the group.
    pub fn elements(&self) -> Vec<Permutation> {
        let mut found: Vec<Vec<Point>> = vec![Vec::new()];
        for &(size, group) in &self.0 {
            let mut longer = Vec::new();
            for images in &found {
                let first = images.len() as Point;
                for one in elements(size, group) {
                    let shifted = one.iter().map(|image| image + first);
                    longer.push(images.iter().copied().chain(shifted).collect());
                }
            }
            found = longer;
        }
        found.into_iter().map(|images| Permutation::of_images(images).expect("it is one")).collect()
    }

    /// The image of a state whose variables have these shapes.
    pub fn act(&self, by: &Permutation, shapes: &[Shape], cells: &[i64]) -> Vec<i64> {
        let mut rest = cells;
        let image = shapes.iter().flat_map(|shape| self.image(by, shape, &mut rest)).collect();
        assert!(rest.is_empty(), "the shapes say how many cells there are");
        image
    }

    /// The image of a value that `rest` begins with.
    pub fn image(&self, by: &Permutation, shape: &Shape, rest: &mut &[i64]) -> Vec<i64> {
        match shape {
            Shape::Simple { indices, .. } => vec![self.renamed(by, indices, take(rest))],
            Shape::Array { length, indices, element } => {
                let mut parts = vec![Vec::new(); *length as usize];
                for position in 0..*length as i64 {
                    let part = self.image(by, element, rest);
                    parts[self.renamed(by, indices, position) as usize] = part;
                }
                parts.concat()
            }
            Shape::Record(parts) => {
                parts.iter().flat_map(|part| self.image(by, part, rest)).collect()
            }
            Shape::Multiset { capacity, element } => {
                let before = rest.len();
                let mut elements = Vec::new();
                for _ in 0..*capacity {
                    let present = take(rest);
                    let image = self.image(by, element, rest);
                    if present == PRESENT {
                        elements.push([vec![PRESENT], image].concat());
                    }
                }
                elements.sort();
                let mut cells = elements.concat();
                cells.resize(before - rest.len(), UNDEFINED);
                cells
            }
        }
    }

    /// The image of a simple value, or of a position in an array.
    pub fn renamed(&self, by: &Permutation, indices: &[(IndexTypeId, i64)], value: i64) -> i64 {
        for &(of, first) in indices {
            if value >= first && value < first + i64::from(self.size(of)) {
                let point = self.first_point(of) + (value - first) as Point;
                return i64::from(by.image(point) - self.first_point(of)) + first;
            }
        }
        value
    }
}

fn take(rest: &mut &[i64]) -> i64 {
    let (&first, behind) = rest.split_first().expect("a state has all of its cells");
    *rest = behind;
    first
}

/// The permutations of 0 to n - 1 in a group.
fn elements(n: u32, group: Group) -> Vec<Vec<u32>> {
    let found: BTreeSet<Vec<u32>> = match group {
        Group::Trivial => BTreeSet::from([(0..n).collect()]),
        Group::Rotations => (0..n).map(|r| (0..n).map(|k| (k + r) % n).collect()).collect(),
        Group::Dihedral => (0..n)
            .flat_map(|r| {
                let rotation = (0..n).map(|k| (k + r) % n).collect();
                let reflection = (0..n).map(|k| (n + r - k) % n).collect();
                [rotation, reflection]
            })
            .collect(),
        Group::Full => {
            let mut found = vec![Vec::new()];
            for k in 0..n {
                let places = |images: &Vec<u32>| 0..=images.len();
                let insert = |images: &Vec<u32>, at| [&images[..at], &[k], &images[at..]].concat();
                found = found
                    .iter()
                    .flat_map(|images| places(images).map(move |at| insert(images, at)))
                    .collect();
            }
            found.into_iter().collect()
        }
    };
    found.into_iter().collect()
}

/// The images of a tuple's points.
pub fn moved(by: &Permutation, tuple: &[Point]) -> Vec<Point> {
    tuple.iter().map(|&point| by.image(point)).collect()
}

/// All products of these.
pub fn closure(points: usize, generators: &[Permutation]) -> BTreeSet<Permutation> {
    let mut found = BTreeSet::from([Permutation::identity(points)]);
    let mut waiting = vec![Permutation::identity(points)];
    while let Some(element) = waiting.pop() {
        for generator in generators {
            let product = generator.after(&element);
            if found.insert(product.clone()) {
                waiting.push(product);
            }
        }
    }
    found
}
