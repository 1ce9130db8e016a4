//! Elements of a group as products of its generators.
//!
//! A [stabiliser chain](crate::symmetry::StabiliserChain) decides whether a permutation is in a
//! group. A proof that does not rely on the chain expresses the permutation by generators. Written
//! as a product of these it may be of exponential length; written as a calculation, where each line
//! is the product of two earlier lines or the inverse of one, it is short.
//!
//! The calculation is a second chain, whose elements remember their origin. Its order is known
//! beforehand, so it can be built from *random* elements: an element that does not sift to the
//! identity leaves a residue that makes some orbit longer, and when the lengths of the orbits
//! multiply to the order of the group, the chain is complete. (After Á. Seress, *Permutation Group
//! Algorithms*, Cambridge 2003, chapters 4 and 8.)

use crate::symmetry::{Permutation, Point};
use hashbrown::HashMap;
use num_bigint::BigUint;
use run::SplitMix64;

/// The origin of a line of a calculation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The generator with this number.
    Generator(usize),
    /// The product of two lines: the first after the second.
    Product(usize, usize),
    /// The inverse of a line.
    Inverse(usize),
}

/// An arbitrary seed: randomness affects the length of a calculation, never its correctness.
const SEED: u64 = 1970;

/// A group whose elements can be expressed as calculations.
pub(super) struct Words {
    lines: Vec<(Permutation, Origin)>,
    /// By line: the line of its inverse, if there is one.
    inverses: HashMap<usize, usize>,
    levels: Vec<Level>,
    most_lines: usize,
}

/// A level of the chain: the elements that fix the base points of the levels before.
struct Level {
    base: Point,
    /// The lines of elements that generate the level.
    generators: Vec<usize>,
    /// By point: the line of an element that takes the base point there; none for the base point
    /// itself.
    transversal: HashMap<Point, Option<usize>>,
}

impl Words {
    /// The group with these generators and this order; none if building it takes too many lines.
    pub(super) fn new(
        generators: &[Permutation],
        order: &BigUint,
        most_lines: usize,
    ) -> Option<Words> {
        let lines = generators.iter().cloned().zip((0..).map(Origin::Generator)).collect();
        let mut words = Words { lines, inverses: HashMap::new(), levels: Vec::new(), most_lines };
        for line in 0..generators.len() {
            words.adjoin(line, 0)?;
        }
        // Product replacement: the elements of the pool always generate the group.
        let mut pool: Vec<usize> =
            (0..generators.len()).cycle().take(generators.len().max(10)).collect();
        let mut random = SplitMix64::new(SEED);
        let mut tried = 0;
        while words.order() != *order {
            let (into, by) = (random.below(pool.len()), random.below(pool.len()));
            if into == by {
                continue;
            }
            let by = if random.below(2) == 0 { words.inverse(pool[by])? } else { pool[by] };
            pool[into] = words.product(pool[into], by)?;
            tried += 1;
            if tried > pool.len() {
                words.sift(pool[into])?;
            }
        }
        Some(words)
    }

    /// The origin of a line.
    pub(super) fn origin(&self, line: usize) -> Origin {
        self.lines[line].1
    }

    /// The line of an element other than the identity; none if it is not in the group, or takes too
    /// many lines.
    pub(super) fn line_of(&mut self, element: &Permutation) -> Option<usize> {
        let mut x = element.clone();
        let mut factors = Vec::new();
        for level in &self.levels {
            if let Some(line) = level.transversal.get(&x.image(level.base))? {
                factors.push(*line);
                x = self.lines[*line].0.inverse().after(&x);
            }
        }
        if !x.is_identity() {
            return None;
        }
        let mut product = factors.pop()?;
        while let Some(before) = factors.pop() {
            product = self.product(before, product)?;
        }
        Some(product)
    }

    fn order(&self) -> BigUint {
        self.levels.iter().map(|level| BigUint::from(level.transversal.len())).product()
    }

    fn line(&mut self, element: Permutation, origin: Origin) -> Option<usize> {
        self.lines.push((element, origin));
        (self.lines.len() <= self.most_lines).then(|| self.lines.len() - 1)
    }

    fn product(&mut self, after: usize, first: usize) -> Option<usize> {
        let element = self.lines[after].0.after(&self.lines[first].0);
        self.line(element, Origin::Product(after, first))
    }

    fn inverse(&mut self, of: usize) -> Option<usize> {
        if let Some(&known) = self.inverses.get(&of) {
            return Some(known);
        }
        let line = self.line(self.lines[of].0.inverse(), Origin::Inverse(of))?;
        self.inverses.insert(of, line);
        self.inverses.insert(line, of);
        Some(line)
    }

    /// Sifts a line; the residue becomes a generator.
    fn sift(&mut self, mut line: usize) -> Option<()> {
        for at in 0..self.levels.len() {
            let level = &self.levels[at];
            match level.transversal.get(&self.lines[line].0.image(level.base)) {
                None => return self.adjoin(line, at),
                Some(None) => {}
                Some(&Some(by)) => {
                    let back = self.inverse(by)?;
                    line = self.product(back, line)?;
                }
            }
        }
        if self.lines[line].0.is_identity() {
            Some(())
        } else {
            self.adjoin(line, self.levels.len())
        }
    }

    /// Makes an element, which fixes the base points before some level, a generator of that level
    /// and of those before, and of later ones as far as it fixes base points.
    fn adjoin(&mut self, line: usize, fixed: usize) -> Option<()> {
        let moved = self.lines[line].0.moved().next();
        let Some((moved, _)) = moved else { return Some(()) };
        let mut last = fixed;
        while let Some(level) = self.levels.get(last)
            && self.lines[line].0.image(level.base) == level.base
        {
            last += 1;
        }
        if last == self.levels.len() {
            let transversal = HashMap::from([(moved, None)]);
            self.levels.push(Level { base: moved, generators: Vec::new(), transversal });
        }
        for at in 0..=last {
            self.levels[at].generators.push(line);
            self.spread(at)?;
        }
        Some(())
    }

    /// Completes the orbit of a level's base point.
    fn spread(&mut self, at: usize) -> Option<()> {
        let mut open: Vec<Point> = self.levels[at].transversal.keys().copied().collect();
        open.sort_unstable();
        let mut next = 0;
        while next < open.len() {
            let point = open[next];
            next += 1;
            for k in 0..self.levels[at].generators.len() {
                let by = self.levels[at].generators[k];
                let image = self.lines[by].0.image(point);
                if self.levels[at].transversal.contains_key(&image) {
                    continue;
                }
                let line = match self.levels[at].transversal[&point] {
                    None => by,
                    Some(before) => self.product(by, before)?,
                };
                self.levels[at].transversal.insert(image, Some(line));
                open.push(image);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::StabiliserChain;

    /// Evaluates a line again from the generators.
    fn calculated(words: &Words, generators: &[Permutation], line: usize) -> Permutation {
        match words.origin(line) {
            Origin::Generator(k) => generators[k].clone(),
            Origin::Product(after, first) => {
                calculated(words, generators, after).after(&calculated(words, generators, first))
            }
            Origin::Inverse(of) => calculated(words, generators, of).inverse(),
        }
    }

    #[test]
    fn every_element_is_a_product_of_generators() {
        let mut random = SplitMix64::new(7);
        for _ in 0..200 {
            let points = 2 + random.below(5);
            let generators: Vec<Permutation> = (0..=random.below(3))
                .map(|_| {
                    let mut images: Vec<Point> = (0..points as Point).collect();
                    for k in (1..points).rev() {
                        images.swap(k, random.below(k + 1));
                    }
                    Permutation::of_images(images).expect("all occur")
                })
                .collect();
            let chain = StabiliserChain::new(points, generators.iter().cloned());
            let mut words = Words::new(&generators, &chain.order(), 10_000).expect("a small group");
            for element in StabiliserChain::new(
                points,
                [
                    Permutation::transposition(points, 0, 1),
                    Permutation::of_images(
                        (0..points as Point).map(|k| (k + 1) % points as Point).collect::<Vec<_>>(),
                    )
                    .expect("all occur"),
                ],
            )
            .elements()
            {
                let line = words.line_of(&element);
                let is_expected = chain.contains(&element) && !element.is_identity();
                assert_eq!(line.is_some(), is_expected, "{element} of {generators:?}");
                if let Some(line) = line {
                    assert_eq!(calculated(&words, &generators, line), element);
                }
            }
        }
    }

    #[test]
    fn a_calculation_that_gets_too_long_is_given_up() {
        let points = 12;
        let generators = [
            Permutation::transposition(points, 0, 1),
            Permutation::of_images((0..12).map(|k| (k + 1) % 12).collect::<Vec<Point>>())
                .expect("all occur"),
        ];
        let order = StabiliserChain::new(points, generators.iter().cloned()).order();
        assert!(Words::new(&generators, &order, 10).is_none());
        assert!(Words::new(&generators, &order, 100_000).is_some());
    }
}
