//! Random formulas and words from a seed.

use crate::alphabet::Alphabet;
use crate::formula::{Atom, Formula, Formulas, Node};
use crate::word::{Lasso, Letter};
use run::SplitMix64;

/// How often each operator is chosen, relative to the others that fit.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "named after the nodes")]
pub struct Weights {
    /// Of `0` and of `1`, against 1 for each atom.
    pub constant: u32,
    pub not: u32,
    pub and: u32,
    pub or: u32,
    pub xor: u32,
    pub implies: u32,
    pub iff: u32,
    pub next: u32,
    pub finally: u32,
    pub globally: u32,
    pub until: u32,
    pub release: u32,
    pub weak_until: u32,
    pub strong_release: u32,
}

/// All equally likely, and no constants.
impl Default for Weights {
    fn default() -> Self {
        Weights {
            constant: 0,
            not: 1,
            and: 1,
            or: 1,
            xor: 1,
            implies: 1,
            iff: 1,
            next: 1,
            finally: 1,
            globally: 1,
            until: 1,
            release: 1,
            weak_until: 1,
            strong_release: 1,
        }
    }
}

/// A source of random formulas and words.
#[derive(Clone, Debug)]
pub struct Random {
    /// The numbers after it.
    pub rng: SplitMix64,
    /// Which operators formulas have.
    pub weights: Weights,
}

type Unary = fn(Formula) -> Node<'static>;
type Binary = fn(Formula, Formula) -> Node<'static>;

impl Random {
    /// The source of this seed, with all operators equally likely.
    pub fn new(seed: u64) -> Self {
        Random { rng: SplitMix64::new(seed), weights: Weights::default() }
    }

    /// A formula whose tree has `size` nodes, as written (flat `&` and `|` join nodes). It is
    /// smaller if the weights leave no operator to fill the size with.
    pub fn formula(&mut self, size: usize, atoms: &[Atom], formulas: &mut Formulas) -> Formula {
        let weights = self.weights;
        let unary: [(u32, Unary); 4] = [
            (weights.not, Node::Not),
            (weights.next, Node::Next),
            (weights.finally, Node::Finally),
            (weights.globally, Node::Globally),
        ];
        // `&` and `|` own their operands: they stand for themselves in the table by `None`.
        let binary: [(u32, Option<Binary>, bool); 9] = [
            (weights.and, None, false),
            (weights.or, None, true),
            (weights.xor, Some(Node::Xor), false),
            (weights.implies, Some(Node::Implies), false),
            (weights.iff, Some(Node::Iff), false),
            (weights.until, Some(Node::Until), false),
            (weights.release, Some(Node::Release), false),
            (weights.weak_until, Some(Node::WeakUntil), false),
            (weights.strong_release, Some(Node::StrongRelease), false),
        ];
        let ones: u32 = unary.iter().map(|(weight, _)| weight).sum();
        let twos: u32 = if size > 2 { binary.iter().map(|(weight, ..)| weight).sum() } else { 0 };
        if size < 2 || ones + twos == 0 {
            return self.leaf(atoms, formulas);
        }
        let mut chosen = self.rng.below((ones + twos) as usize) as u32;
        for (weight, make) in unary {
            if chosen < weight {
                let f = self.formula(size - 1, atoms, formulas);
                return formulas.written(make(f));
            }
            chosen -= weight;
        }
        let left = 1 + self.rng.below(size - 2);
        let f = self.formula(left, atoms, formulas);
        let g = self.formula(size - 1 - left, atoms, formulas);
        for (weight, make, or) in binary {
            if chosen < weight {
                let both = [f, g];
                return formulas.written(match make {
                    Some(make) => make(f, g),
                    None if or => Node::Or(&both),
                    None => Node::And(&both),
                });
            }
            chosen -= weight;
        }
        f
    }

    fn leaf(&mut self, atoms: &[Atom], formulas: &mut Formulas) -> Formula {
        let constants = 2 * self.weights.constant as usize;
        let chosen = self.rng.below(atoms.len() + constants);
        match atoms.get(chosen) {
            Some(&atom) => formulas.atom(atom),
            None => formulas.constant(chosen.is_multiple_of(2)),
        }
    }

    /// A letter over the atoms. Event atoms are true as in one of the alphabet's profiles: some
    /// event half of the time, if there is any.
    pub fn letter(&mut self, alphabet: &Alphabet, atoms: &[Atom]) -> Letter {
        let is_event = |atom| alphabet.events().binary_search(&atom).is_ok();
        let mut letter = Letter::new();
        for &atom in atoms {
            let value = self.rng.next() & 1 == 1;
            letter.set(atom, value && !is_event(atom));
        }
        if self.rng.next() & 1 == 1
            && let Some(profile) = self.rng.pick(alphabet.profiles())
        {
            for &atom in profile {
                letter.set(atom, true);
            }
        }
        letter
    }

    /// A lasso over the atoms with at most `max_stem` letters before 1 to `max_cycle` ones.
    pub fn lasso(
        &mut self,
        alphabet: &Alphabet,
        atoms: &[Atom],
        max_stem: usize,
        max_cycle: usize,
    ) -> Lasso {
        let stem = self.rng.below(max_stem + 1);
        let cycle = 1 + self.rng.below(max_cycle);
        let mut letters = |n| (0..n).map(|_| self.letter(alphabet, atoms)).collect();
        Lasso::new(letters(stem), letters(cycle)).expect("the cycle has at least one letter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::{AtomKind, Atoms, EventPattern};

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| rng.next()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
        assert!((0..1000).all(|_| rng.below(7) < 7) && rng.below(0) == 0);
    }

    #[test]
    fn formulas_have_the_size_asked_for() {
        fn tree_size(formulas: &Formulas, f: Formula) -> usize {
            let nodes = match formulas.node(f) {
                Node::And(operands) | Node::Or(operands) => operands.len() - 1,
                _ => 1,
            };
            nodes + formulas.operands(f).map(|g| tree_size(formulas, g)).sum::<usize>()
        }
        let (mut formulas, mut random) = (Formulas::new(), Random::new(1));
        let atoms = [Atom(0), Atom(1), Atom(2)];
        for size in 1..50 {
            let f = random.formula(size, &atoms, &mut formulas);
            assert_eq!(tree_size(&formulas, f), size);
        }
        random.weights = Weights { not: 0, next: 0, finally: 0, globally: 0, ..random.weights };
        let f = random.formula(2, &[], &mut formulas);
        assert!(f == Formula::TRUE || f == Formula::FALSE, "no atom, no unary operator");
    }

    #[test]
    fn words_have_allowed_letters_only() {
        let mut atoms = Atoms::new();
        let event = |name: &str| {
            AtomKind::Event(EventPattern::Named { name: name.into(), arguments: None })
        };
        let all = [atoms.intern(event("a")), atoms.proposition("p"), atoms.intern(event("b"))];
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        let mut random = Random::new(2);
        let mut seen = [false; 3];
        for _ in 0..200 {
            let lasso = random.lasso(&alphabet, &all, 3, 3);
            for letter in lasso.letters() {
                assert!(alphabet.allows(|atom| letter.has(atom)), "{letter:?}");
                letter.atoms().for_each(|atom| seen[atom.index()] = true);
            }
        }
        assert_eq!(seen, [true; 3], "every atom is true somewhere");
    }
}
