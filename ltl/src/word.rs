//! The meaning of formulas, on lasso words: the oracle of everything else.
//!
//! A [`Lasso`] is a finite description of the infinite word *stem cycle cycle ...*. It has
//! n = |stem| + |cycle| different positions; the one after the last is the first of the cycle. A
//! formula is true or false at each of them, and [`Truth`] is the table of that, filled for parts
//! before wholes from the definitions:
//!
//! ```text
//! X f     x(i) = f(i+1)
//! F f     x(i) = f(i) or x(i+1)                  least
//! G f     x(i) = f(i) and x(i+1)                 greatest
//! f U g   x(i) = g(i) or (f(i) and x(i+1))       least
//! f W g   the same                               greatest
//! f R g   x(i) = g(i) and (f(i) or x(i+1))       greatest
//! f M g   the same                               least
//! ```
//!
//! Such a system is solved backwards once the value w at the first position of the cycle is known.
//! Going once around the cycle maps a guess w to a monotone h(w), and w must solve w = h(w). On one
//! bit the least solution of that is h(false) and the greatest is h(true): two rounds are exact.
//!
//! Cost: one byte and constant time per subformula and position. No rewriting, no sharing of code
//! with the passes that are tested against it.

mod text;

use crate::formula::{Atom, Formula, Formulas, Node};
use hashbrown::HashSet;

/// Which atoms are true at one position. All others are false.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Letter {
    /// Bit a % 64 of word a / 64 is atom a. Invariant: the last word is not 0, so that equal sets
    /// are equal vectors.
    words: Vec<u64>,
}

impl Letter {
    /// The letter in which no atom is true.
    pub const fn new() -> Self {
        Letter { words: Vec::new() }
    }

    /// Whether the atom is true.
    pub fn has(&self, atom: Atom) -> bool {
        self.words.get(atom.index() / 64).is_some_and(|word| word >> (atom.index() % 64) & 1 == 1)
    }

    /// Makes the atom true or false.
    pub fn set(&mut self, atom: Atom, value: bool) {
        let (word, bit) = (atom.index() / 64, 1 << (atom.index() % 64));
        if value {
            if self.words.len() <= word {
                self.words.resize(word + 1, 0);
            }
            self.words[word] |= bit;
        } else if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
            while self.words.last() == Some(&0) {
                self.words.pop();
            }
        }
    }

    /// The true atoms, ascending.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        let bits = 0..self.words.len() as u32 * 64;
        bits.map(Atom).filter(|&atom| self.has(atom))
    }
}

/// The letter in which exactly these atoms are true.
impl FromIterator<Atom> for Letter {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        let mut letter = Letter::new();
        for atom in atoms {
            letter.set(atom, true);
        }
        letter
    }
}

/// The infinite word *stem cycle cycle ...*
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lasso {
    /// The stem, then the cycle.
    letters: Vec<Letter>,
    /// Where the cycle starts. Invariant: below `letters.len()`.
    loop_start: usize,
}

impl Lasso {
    /// The word *stem cycle cycle ...*, or `None` if the cycle is empty: then there is no such
    /// infinite word.
    pub fn new(stem: Vec<Letter>, cycle: Vec<Letter>) -> Option<Lasso> {
        if cycle.is_empty() {
            return None;
        }
        let loop_start = stem.len();
        let mut letters = stem;
        letters.extend(cycle);
        Some(Lasso { letters, loop_start })
    }

    /// What comes once.
    pub fn stem(&self) -> &[Letter] {
        &self.letters[..self.loop_start]
    }

    /// What is repeated forever; not empty.
    pub fn cycle(&self) -> &[Letter] {
        &self.letters[self.loop_start..]
    }

    /// The letters of the stem, then those of the cycle: one for each different position.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The position that follows: after the last one comes the first of the cycle.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.loop_start }
    }

    /// Whether the word satisfies `f`.
    pub fn satisfies(&self, formulas: &Formulas, f: Formula) -> bool {
        self.truth(formulas, f).at(f, 0)
    }

    /// Where `f` and each of its subformulas is true.
    pub fn truth(&self, formulas: &Formulas, f: Formula) -> Truth {
        self.table(formulas, formulas.subformulas(f))
    }

    /// Where each of the formulas is true, for many formulas at once: shared parts are evaluated
    /// once. The formulas must be [closed](closure).
    pub fn truth_of(&self, formulas: &Formulas, closed: &[Formula]) -> Truth {
        self.table(formulas, closed.to_vec())
    }

    /// Fills a table for `rows`: ascending, and with every operand of each of them.
    fn table(&self, formulas: &Formulas, rows: Vec<Formula>) -> Truth {
        let positions = self.letters.len();
        let mut truth =
            Truth { values: Vec::with_capacity(rows.len() * positions), rows, positions };
        let mut row = vec![false; positions];
        for index in 0..truth.rows.len() {
            run::poll::poll_for(1 + positions as u64 / 64);
            self.evaluate(formulas.node(truth.rows[index]), &truth, &mut row);
            truth.values.extend_from_slice(&row);
        }
        truth
    }

    /// Fills `row` with the truth of a formula whose operands are known.
    fn evaluate(&self, node: Node<'_>, known: &Truth, row: &mut [bool]) {
        let value = |f: Formula| known.row(f);
        let pointwise = |row: &mut [bool], of: &dyn Fn(usize) -> bool| {
            for (position, value) in row.iter_mut().enumerate() {
                *value = of(position);
            }
        };
        match node {
            Node::False => row.fill(false),
            Node::True => row.fill(true),
            Node::Atom(atom) => pointwise(row, &|i| self.letters[i].has(atom)),
            Node::Not(f) => pointwise(row, &|i| !value(f)[i]),
            Node::And(operands) => {
                row.fill(true);
                for &f in operands {
                    row.iter_mut().zip(value(f)).for_each(|(all, one)| *all &= one);
                }
            }
            Node::Or(operands) => {
                row.fill(false);
                for &f in operands {
                    row.iter_mut().zip(value(f)).for_each(|(any, one)| *any |= one);
                }
            }
            Node::Xor(f, g) => {
                let (f, g) = (value(f), value(g));
                pointwise(row, &|i| f[i] != g[i]);
            }
            Node::Implies(f, g) => {
                let (f, g) = (value(f), value(g));
                pointwise(row, &|i| !f[i] || g[i]);
            }
            Node::Iff(f, g) => {
                let (f, g) = (value(f), value(g));
                pointwise(row, &|i| f[i] == g[i]);
            }
            Node::Next(f) => {
                let f = value(f);
                pointwise(row, &|i| f[self.successor(i)]);
            }
            Node::Finally(f) => {
                let f = value(f);
                self.solve(row, Solution::Least, |i, next| f[i] || next);
            }
            Node::Globally(f) => {
                let f = value(f);
                self.solve(row, Solution::Greatest, |i, next| f[i] && next);
            }
            Node::Until(f, g) => {
                let (f, g) = (value(f), value(g));
                self.solve(row, Solution::Least, |i, next| g[i] || f[i] && next);
            }
            Node::WeakUntil(f, g) => {
                let (f, g) = (value(f), value(g));
                self.solve(row, Solution::Greatest, |i, next| g[i] || f[i] && next);
            }
            Node::Release(f, g) => {
                let (f, g) = (value(f), value(g));
                self.solve(row, Solution::Greatest, |i, next| g[i] && (f[i] || next));
            }
            Node::StrongRelease(f, g) => {
                let (f, g) = (value(f), value(g));
                self.solve(row, Solution::Least, |i, next| g[i] && (f[i] || next));
            }
        }
    }

    /// Solves x(i) = step(i, x(i+1)), where `step` is monotone in its second argument.
    fn solve(&self, row: &mut [bool], solution: Solution, step: impl Fn(usize, bool) -> bool) {
        let around =
            |guess| (self.loop_start..row.len()).rev().fold(guess, |next, i| step(i, next));
        let mut next = around(solution == Solution::Greatest);
        for i in (0..row.len()).rev() {
            next = step(i, next);
            row[i] = next;
        }
    }
}

/// All different subformulas of the formulas, parts before wholes (ascending ids).
pub fn closure(formulas: &Formulas, roots: &[Formula]) -> Vec<Formula> {
    let mut seen: HashSet<Formula> = roots.iter().copied().collect();
    let mut found: Vec<Formula> = seen.iter().copied().collect();
    let mut next = 0;
    while next < found.len() {
        found.extend(formulas.operands(found[next]).filter(|&f| seen.insert(f)));
        next += 1;
    }
    found.sort_unstable();
    found
}

/// Which solution of a recursive equation is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Solution {
    Least,
    Greatest,
}

/// Where some formulas are true on a [`Lasso`].
#[derive(Clone, Debug)]
pub struct Truth {
    /// Ascending.
    rows: Vec<Formula>,
    /// The number of different positions.
    positions: usize,
    /// The rows, one after the other: one value for each position.
    values: Vec<bool>,
}

impl Truth {
    /// The formulas of the table, parts before wholes.
    pub fn formulas(&self) -> &[Formula] {
        &self.rows
    }

    /// The truth of `f` at every position.
    pub fn row(&self, f: Formula) -> &[bool] {
        // A table of the first so many formulas has row i at i; any other one is searched.
        let index = match self.rows.get(f.index()) {
            Some(&found) if found == f => f.index(),
            _ => self.rows.binary_search(&f).expect("the formula is in the table"),
        };
        &self.values[index * self.positions..][..self.positions]
    }

    /// The truth of `f`, a formula of the table, at a position below the number of letters.
    pub fn at(&self, f: Formula, position: usize) -> bool {
        self.row(f)[position]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    /// The truth of `f` at `i` by the textbook definitions: quantifiers over positions of the
    /// unrolled word. From any position of the first `|stem| + |cycle|`, two more laps show
    /// everything that ever comes.
    fn holds(lasso: &Lasso, formulas: &Formulas, f: Formula, i: usize) -> bool {
        let (stem, cycle) = (lasso.stem().len(), lasso.cycle().len());
        let i = if i < stem { i } else { stem + (i - stem) % cycle };
        let end = stem + 2 * cycle;
        let at = |f, k| holds(lasso, formulas, f, k);
        let until = |f, g| (i..end).any(|k| at(g, k) && (i..k).all(|j| at(f, j)));
        let always = |f| (i..end).all(|k| at(f, k));
        match formulas.node(f) {
            Node::False => false,
            Node::True => true,
            Node::Atom(atom) => lasso.letters()[i].has(atom),
            Node::Not(f) => !at(f, i),
            Node::And(operands) => operands.iter().all(|&f| at(f, i)),
            Node::Or(operands) => operands.iter().any(|&f| at(f, i)),
            Node::Xor(f, g) => at(f, i) ^ at(g, i),
            Node::Implies(f, g) => at(g, i) || !at(f, i),
            Node::Iff(f, g) => at(f, i) == at(g, i),
            Node::Next(f) => at(f, i + 1),
            Node::Finally(f) => (i..end).any(|k| at(f, k)),
            Node::Globally(f) => always(f),
            Node::Until(f, g) => until(f, g),
            Node::WeakUntil(f, g) => until(f, g) || always(f),
            // g up to and including the first f.
            Node::StrongRelease(f, g) => (i..end).any(|k| at(f, k) && (i..=k).all(|j| at(g, j))),
            Node::Release(f, g) => {
                always(g) || (i..end).any(|k| at(f, k) && (i..=k).all(|j| at(g, j)))
            }
        }
    }

    #[test]
    fn the_table_agrees_with_the_definitions_on_all_small_formulas_and_words() {
        let atoms = [Atom(0), Atom(1)];
        let mut formulas = Formulas::new();
        let all = generate::exhaustive(4, &atoms, &mut formulas);
        let lassos = generate::all_lassos(&atoms, 1, 2);
        let closed = closure(&formulas, &all);
        let mut compared = 0;
        for lasso in &lassos {
            let table = lasso.truth_of(&formulas, &closed);
            for &f in &all {
                for i in 0..lasso.letters().len() {
                    let expected = holds(lasso, &formulas, f, i);
                    assert_eq!(table.at(f, i), expected, "{f:?} at {i} of {lasso:?}");
                    compared += 1;
                }
            }
        }
        assert!(all.len() > 2000 && compared > 500_000, "{} {compared}", all.len());
        // Longer stems and cycles, smaller formulas.
        let mut formulas = Formulas::new();
        let all = generate::exhaustive(3, &atoms, &mut formulas);
        for lasso in generate::all_lassos(&atoms, 2, 3) {
            for &f in &all {
                let expected = holds(&lasso, &formulas, f, 0);
                assert_eq!(lasso.satisfies(&formulas, f), expected, "{f:?} on {lasso:?}");
            }
        }
    }

    #[test]
    fn letters_are_sets() {
        let mut letter: Letter = [Atom(3), Atom(200)].into_iter().collect();
        assert_eq!(letter.atoms().collect::<Vec<_>>(), [Atom(3), Atom(200)]);
        assert!(letter.has(Atom(200)) && !letter.has(Atom(199)) && !letter.has(Atom(100_000)));
        letter.set(Atom(200), false);
        letter.set(Atom(100_000), false);
        assert_eq!(letter, [Atom(3)].into_iter().collect());
        letter.set(Atom(3), false);
        assert_eq!(letter, Letter::new());
    }

    #[test]
    fn a_lasso_has_a_cycle() {
        assert_eq!(Lasso::new(vec![Letter::new()], vec![]), None);
        let lasso = Lasso::new(vec![Letter::new()], vec![Letter::new(); 2]).expect("has a cycle");
        assert_eq!([0, 1, 2].map(|i| lasso.successor(i)), [1, 2, 1]);
    }
}
