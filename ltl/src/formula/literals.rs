//! The literals of a formula, as a set that costs one word: a fast way to see that one formula cannot
//! imply another.

use super::{Atom, Formula, Formulas, Node};

/// The literals that a formula depends on, as a set of bits: two for each atom, one for it and one
/// for its negation; atoms that differ by a multiple of 32 share them. An atom is a literal of the
/// formula if it occurs under an even number of negations, its negation if under an odd one.
///
/// If f and g have no literal in common, and f is true of some word and g false of another, then one
/// word does both: take the values of an atom from the word for f if f depends on it under both
/// signs or under the one that g has not, and so on; no atom is asked for twice. So f can imply g
/// only if they have a literal in common, or f is unsatisfiable, or g is valid. (That is for
/// propositions, which are free; events are not.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Literals(u64);

impl Literals {
    const NONE: Literals = Literals(0);
    const POSITIVE: u64 = 0x5555_5555_5555_5555;

    const fn of(atom: Atom) -> Self {
        Literals(1 << (atom.0 % 32 * 2))
    }

    const fn with(self, other: Self) -> Self {
        Literals(self.0 | other.0)
    }

    /// Those of the negation.
    pub(crate) const fn negated(self) -> Self {
        Literals((self.0 & Self::POSITIVE) << 1 | self.0 >> 1 & Self::POSITIVE)
    }

    /// Under either sign.
    pub(crate) const fn both_signs(self) -> Self {
        self.with(self.negated())
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Formulas {
    pub(super) fn derive_literals(&self, node: Node<'_>) -> Literals {
        let of = |f: Formula| self.literals(f);
        match node {
            Node::False | Node::True => Literals::NONE,
            Node::Atom(atom) => Literals::of(atom),
            Node::Not(f) => of(f).negated(),
            Node::And(run) | Node::Or(run) => {
                run.iter().fold(Literals::NONE, |all, &f| all.with(of(f)))
            }
            Node::Xor(f, g) | Node::Iff(f, g) => of(f).with(of(g)).both_signs(),
            Node::Implies(f, g) => of(f).negated().with(of(g)),
            Node::Next(f) | Node::Finally(f) | Node::Globally(f) => of(f),
            Node::Until(f, g)
            | Node::Release(f, g)
            | Node::WeakUntil(f, g)
            | Node::StrongRelease(f, g) => of(f).with(of(g)),
        }
    }
}
