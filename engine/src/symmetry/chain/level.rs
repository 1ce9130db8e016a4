//! One level of a stabiliser chain: a base point, its orbit, and an element that leads to each of
//! its points.

use crate::narrow::to_u32;
use crate::symmetry::permutation::{Permutation, Point};

/// Elements of a group that the levels of a chain refer to by number, with their inverses.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements(Vec<(Permutation, Permutation)>);

/// A group of permutations H, given by generators, and the orbit of the base point b under it.
///
/// For every point p of the orbit there is u(p) in H with u(p)(b) = p, the *transversal*. It is
/// kept as a Schreier tree: p is the image of a point nearer to b under an element of H. Invariant:
/// once p is in the orbit, u(p) never changes.
#[derive(Clone, Debug)]
pub(super) struct Level {
    base: Point,
    orbit: Vec<Point>,
    /// By position in the orbit: the number of factors of u(p). At most [`DEEPEST`].
    depths: Vec<u8>,
    /// By point: how it is reached.
    via: Vec<Via>,
    /// The edge labels of the tree: the generators, and products of them that keep it shallow.
    labels: Vec<Label>,
    generators: Vec<Generator>,
}

/// How a point is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Via {
    Unreached,
    /// It is the base point.
    Base,
    /// It is the image of its parent under this element.
    Element(u32),
}

#[derive(Clone, Copy, Debug)]
struct Label {
    element: u32,
    /// The number of points of the orbit that it has been applied to.
    spread: usize,
}

#[derive(Clone, Copy, Debug)]
struct Generator {
    element: u32,
    /// The number of points p of the orbit for which u(s(p))⁻¹ s u(p) is known to be in the next
    /// group.
    checked: usize,
}

/// The greatest depth of a tree: a trade-off between the time to sift and the elements to store.
const DEEPEST: u8 = 5;

impl Level {
    /// The trivial group.
    pub(super) fn new(points: usize, base: Point) -> Level {
        let mut via = vec![Via::Unreached; points];
        via[base as usize] = Via::Base;
        Level {
            base,
            orbit: vec![base],
            depths: vec![0],
            via,
            labels: Vec::new(),
            generators: Vec::new(),
        }
    }

    pub(super) fn base(&self) -> Point {
        self.base
    }

    /// The base point's orbit, itself first.
    pub(super) fn orbit(&self) -> &[Point] {
        &self.orbit
    }

    pub(super) fn reaches(&self, point: Point) -> bool {
        self.via[point as usize] != Via::Unreached
    }

    /// Generators of H.
    pub(super) fn generators<'e>(
        &'e self,
        elements: &'e Elements,
    ) -> impl Iterator<Item = &'e Permutation> {
        self.generators.iter().map(|generator| elements.get(generator.element))
    }

    /// Adds a generator.
    pub(super) fn adjoin(&mut self, element: u32, elements: &mut Elements) {
        self.generators.push(Generator { element, checked: 0 });
        self.labels.push(Label { element, spread: 0 });
        let mut deep = Vec::new();
        loop {
            self.spread(elements, &mut deep);
            // A point that is reached from the deepest points only gets an element of its own.
            deep.retain(|&(from, by)| !self.reaches(elements.get(by).image(from)));
            let Some((from, by)) = deep.pop() else { return };
            let mut shortcut = self.element_to(from, elements);
            follow(&mut shortcut, elements.get(by));
            let to = shortcut.image(self.base);
            let element = elements.store(shortcut);
            self.labels.push(Label { element, spread: 0 });
            self.reach(to, element, 1);
        }
    }

    /// Applies every label to every point, once. Edges that lead out of the deepest points are put
    /// into `deep`.
    fn spread(&mut self, elements: &Elements, deep: &mut Vec<(Point, u32)>) {
        loop {
            let known = self.orbit.len();
            for k in 0..self.labels.len() {
                let Label { element, spread } = self.labels[k];
                let by = elements.get(element);
                for at in spread..known {
                    let image = by.image(self.orbit[at]);
                    match self.depths[at] {
                        _ if self.reaches(image) => {}
                        DEEPEST => deep.push((self.orbit[at], element)),
                        depth => self.reach(image, element, depth + 1),
                    }
                }
                self.labels[k].spread = known;
            }
            if self.orbit.len() == known {
                return;
            }
        }
    }

    fn reach(&mut self, point: Point, element: u32, depth: u8) {
        self.via[point as usize] = Via::Element(element);
        self.orbit.push(point);
        self.depths.push(depth);
    }

    /// u(p), for a point of the orbit.
    pub(super) fn element_to(&self, point: Point, elements: &Elements) -> Permutation {
        let mut way = [0; DEEPEST as usize];
        let mut length = 0;
        let mut at = point;
        while let Via::Element(element) = self.via[at as usize] {
            way[length] = element;
            length += 1;
            at = elements.inverse(element).image(at);
        }
        debug_assert_eq!(at, self.base, "asked of points of the orbit only");
        let mut product = Permutation::identity(self.via.len());
        for &element in way[..length].iter().rev() {
            follow(&mut product, elements.get(element));
        }
        product
    }

    /// Replaces x by u(p)⁻¹∘x, where p = x(b), so that it fixes b. Returns false and leaves x
    /// unchanged if p is not in the orbit.
    pub(super) fn strip(&self, x: &mut Permutation, elements: &Elements) -> bool {
        loop {
            match self.via[x.image(self.base) as usize] {
                Via::Unreached => return false,
                Via::Base => return true,
                Via::Element(element) => follow(x, elements.inverse(element)),
            }
        }
    }

    /// Whether all Schreier generators are known to be in the next group.
    pub(super) fn is_checked(&self) -> bool {
        self.generators.iter().all(|generator| generator.checked == self.orbit.len())
    }

    /// Records that all Schreier generators are in the next group, as the caller has found out.
    pub(super) fn set_checked(&mut self) {
        for generator in &mut self.generators {
            generator.checked = self.orbit.len();
        }
    }

    /// A Schreier generator u(s(p))⁻¹ s u(p) that has not been checked yet; the caller adds it to
    /// the next group if it is not in it.
    pub(super) fn next_schreier_generator(&mut self, elements: &Elements) -> Option<Permutation> {
        loop {
            let end = self.orbit.len();
            let open = self.generators.iter_mut().find(|generator| generator.checked < end)?;
            let Generator { element, checked } = *open;
            open.checked += 1;
            let (point, by) = (self.orbit[checked], elements.get(element));
            // An edge of the tree: u(s(p)) is s u(p).
            if self.via[by.image(point) as usize] == Via::Element(element) {
                continue;
            }
            let mut product = self.element_to(point, elements);
            follow(&mut product, by);
            let reached = self.strip(&mut product, elements);
            debug_assert!(reached, "the orbit is closed under the generators");
            return Some(product);
        }
    }
}

impl Elements {
    pub(super) fn store(&mut self, element: Permutation) -> u32 {
        let inverse = element.inverse();
        self.0.push((element, inverse));
        to_u32(self.0.len()) - 1
    }

    fn get(&self, k: u32) -> &Permutation {
        &self.0[k as usize].0
    }

    fn inverse(&self, k: u32) -> &Permutation {
        &self.0[k as usize].1
    }
}

/// Replaces x by next∘x.
pub(super) fn follow(x: &mut Permutation, next: &Permutation) {
    for image in x.images_mut() {
        *image = next.image(*image);
    }
}
