//! What the syntax of a formula alone tells about its meaning.

use super::{Formula, Formulas, Node};

/// What is known of a formula from its syntax alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits(u8);

impl Traits {
    const BOOLEAN: u8 = 1;
    const EVENTUAL: u8 = 2;
    const UNIVERSAL: u8 = 4;
    const NORMAL: u8 = 8;
    const SAFETY: u8 = 16;
    const GUARANTEE: u8 = 32;

    /// No temporal operator inside.
    pub const fn is_boolean(self) -> bool {
        self.0 & Self::BOOLEAN != 0
    }
    /// A pure eventuality ([`EH00`](crate::papers::EH00)): if a word satisfies it, so does every word that ends in that
    /// word. Then `F f`, `g U f` and `f` are the same.
    pub const fn is_eventual(self) -> bool {
        self.0 & Self::EVENTUAL != 0
    }
    /// Purely universal ([`EH00`](crate::papers::EH00)): if a word satisfies it, so does every suffix. Then `G f`, `g R f`
    /// and `f` are the same.
    pub const fn is_universal(self) -> bool {
        self.0 & Self::UNIVERSAL != 0
    }
    /// A safety property by its syntax: without eventualities (F, U, M) in positive places.
    pub const fn is_safety(self) -> bool {
        self.0 & Self::SAFETY != 0
    }
    /// A guarantee by its syntax: without invariances (G, R, W) in positive places.
    pub const fn is_guarantee(self) -> bool {
        self.0 & Self::GUARANTEE != 0
    }
    /// In negation normal form: `!` stands before atoms only, and there is no `xor`, `->`, `<->`.
    pub const fn is_normal(self) -> bool {
        self.0 & Self::NORMAL != 0
    }
}

impl Formulas {
    pub(super) fn derive_traits(&self, node: Node<'_>) -> Traits {
        const E: u8 = Traits::EVENTUAL;
        const U: u8 = Traits::UNIVERSAL;
        const B: u8 = Traits::BOOLEAN;
        const N: u8 = Traits::NORMAL;
        const S: u8 = Traits::SAFETY;
        const A: u8 = Traits::GUARANTEE;
        let of = |f: Formula| self.traits(f).0;
        // What all operands have is kept by every operator that is monotone in them.
        let both = |f, g| of(f) & of(g);
        let swapped = |t: u8| (t & (E | S)) << 1 | (t & (U | A)) >> 1 | t & B;
        Traits(match node {
            Node::False | Node::True => B | E | U | N | S | A,
            Node::Atom(_) => B | N | S | A,
            Node::Not(f) => {
                swapped(of(f)) | if matches!(self.node(f), Node::Atom(_)) { N } else { 0 }
            }
            Node::And(run) | Node::Or(run) => run.iter().fold(u8::MAX, |t, &f| t & of(f)),
            Node::Implies(f, g) => swapped(of(f)) & of(g),
            // Both signs of both operands matter: only what is eventual and universal remains so.
            Node::Xor(f, g) | Node::Iff(f, g) => {
                let t = both(f, g);
                let only_both = |pair: u8| if t & pair == pair { pair } else { 0 };
                t & B | only_both(E | U) | only_both(S | A)
            }
            Node::Next(f) => of(f) & !B,
            Node::Finally(f) => of(f) & (U | N | A) | E,
            Node::Globally(f) => of(f) & (E | N | S) | U,
            // f U e = e and f R u = u, whatever f is.
            Node::Until(f, g) => both(f, g) & (E | U | N | A) | of(g) & E,
            Node::Release(f, g) => both(f, g) & (E | U | N | S) | of(g) & U,
            Node::WeakUntil(f, g) => both(f, g) & (E | U | N | S),
            Node::StrongRelease(f, g) => both(f, g) & (E | U | N | A),
        })
    }
}
