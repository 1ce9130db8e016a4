//! Formulas and words to test with: all small ones, random ones, and the families of the literature.
//!
//! Everything here is deterministic: [`exhaustive`] and [`all_lassos`] list in a fixed order,
//! [`Random`] depends on its seed alone.

mod builder;
mod families;
mod random;

pub use families::{FAMILIES, Family, LARGEST, family};
pub use random::{Random, Weights};
pub use run::SplitMix64;

use crate::alphabet::Alphabet;
use crate::formula::{Atom, Formula, Formulas, Node};
use crate::word::{Lasso, Letter};
use hashbrown::HashSet;

/// All formulas with at most `size` nodes over the constants and the atoms, as [written], smaller
/// ones first, none twice. `&` and `|` take two operands (so three
/// nodes make `a & b`); nested ones become flat and count by their written size.
///
/// [written]: Formulas::written
pub fn exhaustive(size: usize, atoms: &[Atom], formulas: &mut Formulas) -> Vec<Formula> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    // The formulas with exactly s nodes are found[starts[s - 1]..starts[s]].
    let mut starts = vec![0];
    for nodes in 1..=size {
        let mut fresh = Vec::new();
        if nodes == 1 {
            fresh.extend([Formula::FALSE, Formula::TRUE]);
            fresh.extend(atoms.iter().map(|&atom| formulas.atom(atom)));
        }
        for left in 1..nodes {
            let right = nodes - 1 - left;
            for &f in &found[starts[left - 1]..starts[left]] {
                if right == 0 {
                    fresh.extend(unary(f).map(|node| formulas.written(node)));
                } else {
                    for &g in &found[starts[right - 1]..starts[right]] {
                        for node in binary(f, g) {
                            fresh.push(formulas.written(node));
                        }
                        fresh.push(formulas.written(Node::And(&[f, g])));
                        fresh.push(formulas.written(Node::Or(&[f, g])));
                    }
                }
            }
        }
        found.extend(fresh.into_iter().filter(|&f| seen.insert(f)));
        starts.push(found.len());
    }
    found
}

fn unary(f: Formula) -> [Node<'static>; 4] {
    [Node::Not(f), Node::Next(f), Node::Finally(f), Node::Globally(f)]
}

fn binary(f: Formula, g: Formula) -> [Node<'static>; 7] {
    [
        Node::Xor(f, g),
        Node::Implies(f, g),
        Node::Iff(f, g),
        Node::Until(f, g),
        Node::Release(f, g),
        Node::WeakUntil(f, g),
        Node::StrongRelease(f, g),
    ]
}

/// All letters over the atoms; at most 16 atoms are varied, more would not be small.
pub fn all_letters(atoms: &[Atom]) -> Vec<Letter> {
    let atoms = &atoms[..atoms.len().min(16)];
    let chosen = |set: u32| move |&(k, _): &(usize, Atom)| set >> k & 1 == 1;
    (0..1u32 << atoms.len())
        .map(|set| atoms.iter().copied().enumerate().filter(chosen(set)).map(|(_, a)| a).collect())
        .collect()
}

/// The letters over the atoms that exist in the alphabet.
pub fn letters_of(alphabet: &Alphabet, atoms: &[Atom]) -> Vec<Letter> {
    let mut letters = all_letters(atoms);
    letters.retain(|letter| alphabet.allows(|atom| letter.has(atom)));
    letters
}

/// All lassos with a stem of at most `max_stem` letters over the atoms and a cycle of 1 to
/// `max_cycle`. Different ones may describe the same infinite word.
pub fn all_lassos(atoms: &[Atom], max_stem: usize, max_cycle: usize) -> Vec<Lasso> {
    all_lassos_over(&all_letters(atoms), max_stem, max_cycle)
}

/// All lassos over these letters.
pub fn all_lassos_over(letters: &[Letter], max_stem: usize, max_cycle: usize) -> Vec<Lasso> {
    let cycles = words(letters, max_cycle);
    let mut found = Vec::new();
    for stem in words(letters, max_stem) {
        found.extend(cycles.iter().filter_map(|cycle| Lasso::new(stem.clone(), cycle.clone())));
    }
    found
}

/// All finite words of at most this length, shorter ones first.
fn words(letters: &[Letter], length: usize) -> Vec<Vec<Letter>> {
    let mut found = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = found.len();
        for k in from..to {
            for letter in letters {
                let longer = [&found[k][..], std::slice::from_ref(letter)].concat();
                found.push(longer);
            }
        }
        from = to;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_formulas_and_words_are_counted() {
        let atoms = [Atom(0), Atom(1)];
        // Sizes 1 to 3 have 4, 4*4 and 4*16 + 9*4*4 trees; nested & and | meet from size 5 on.
        for (size, expected) in [(0, 0), (1, 4), (2, 20), (3, 228), (4, 2212)] {
            assert_eq!(exhaustive(size, &atoms, &mut Formulas::new()).len(), expected);
        }
        assert_eq!(all_letters(&atoms).len(), 4);
        assert_eq!(all_lassos(&atoms, 2, 2).len(), (1 + 4 + 16) * (4 + 16));
        assert_eq!(all_lassos(&[], 1, 2).len(), 2 * 2);
        assert_eq!(all_lassos(&atoms, 3, 0).len(), 0);
    }
}
