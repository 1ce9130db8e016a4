//! A formula where another one is known to hold.
//!
//! If c is true at a position, then there h may be replaced by 1 if c => h, and by 0 if c => !h. The
//! same goes for the subformulas of h that are evaluated *at the same position*; below a temporal
//! operator this is of use only if it makes an operand constant:
//!
//! ```text
//! f U g, f W g   =  1 if g is 1,   g if f is 0
//! f R g, f M g   =  0 if g is 0,   g if f is 1
//! F f            =  1 if f is 1
//! G f            =  0 if f is 0
//! ```
//!
//! If c is known at *every* later position (it is universal, or stands under G), then subformulas
//! may be replaced at any depth.
//!
//! This one idea covers unit propagation (`p & (!p | g) = p & g`), absorption, `p & (p R g) = p & g`,
//! `G f & (f U g) = G f & F g`, `(f | g) U g = f U g` and, dually (c is known to be false),
//! `p | (!p & g) = p | g`, `F f | (f R g) = F f | G g`, `(f & g) R g = f R g`.

use super::view::View;
use crate::formula::{Formula, Node, Operator};
use crate::hash::IdMap;

/// Operands of one `&` or `|` that are compared with each other at most.
pub(super) const MOST_PAIRED: usize = 24;
/// How deep replacing goes at most.
const DEEPEST: u32 = 24;

/// Lower formulas are looked at anew where they are met again: that is faster than to remember.
const REMEMBERED: u32 = 5;

/// What formulas became.
type Results = IdMap<Formula, Formula>;

/// Where something is known to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Now,
    Everywhere,
}

impl View<'_, '_> {
    /// `h` at a position where `c` holds.
    pub(super) fn assume_now(&mut self, h: Formula, c: Formula) -> Formula {
        let place = if self.is_universal(c) { Where::Everywhere } else { Where::Now };
        self.assume(h, c, place, DEEPEST, &mut IdMap::default())
    }

    /// The conjunction `f` at a place where it holds everywhere: each conjunct knows the others.
    /// `None` if that changes nothing.
    pub(super) fn assume_each(&mut self, f: Formula) -> Option<Formula> {
        if self.is_boolean(f) || self.operator(f) != Operator::And {
            return None;
        }
        let mut conjuncts = self.conjuncts(f);
        if conjuncts.len() > MOST_PAIRED {
            return None;
        }
        for i in 0..conjuncts.len() {
            for j in 0..conjuncts.len() {
                let (c, h) = (conjuncts[i], conjuncts[j]);
                // Boolean formulas were compared already where they were joined.
                if i == j || self.is_boolean(h) {
                    continue;
                }
                let known = self.assume(h, c, Where::Everywhere, DEEPEST, &mut IdMap::default());
                if known != h {
                    conjuncts[j] = known;
                    return Some(self.and(&conjuncts));
                }
            }
        }
        None
    }

    /// `results` are those for the same `c` and `place`.
    fn assume(
        &mut self,
        h: Formula,
        c: Formula,
        place: Where,
        fuel: u32,
        results: &mut Results,
    ) -> Formula {
        if self.are_unrelated(c, h) || !self.spend(1) {
            return h;
        }
        if self.formulas.depth(h) < REMEMBERED {
            return self.assume_anew(h, c, place, fuel, results);
        }
        if let Some(&known) = results.get(&h) {
            return known;
        }
        let result = self.assume_anew(h, c, place, fuel, results);
        results.insert(h, result);
        result
    }

    fn assume_anew(
        &mut self,
        h: Formula,
        c: Formula,
        place: Where,
        fuel: u32,
        results: &mut Results,
    ) -> Formula {
        if self.implies(c, h) {
            return self.top();
        }
        if self.contradicts(c, h) {
            return self.bottom();
        }
        if fuel == 0 {
            return h;
        }
        let (top, bottom) = (self.top(), self.bottom());
        let mut inner = |view: &mut Self, f| view.assume(f, c, place, fuel - 1, results);
        match self.node(h) {
            Node::And(operands) => {
                let operands = operands.to_vec();
                let known: Vec<_> = operands.iter().map(|&f| inner(self, f)).collect();
                if known == operands { h } else { self.and(&known) }
            }
            Node::Or(operands) => {
                let operands = operands.to_vec();
                let known: Vec<_> = operands.iter().map(|&f| inner(self, f)).collect();
                if known == operands { h } else { self.or(&known) }
            }
            Node::Next(f) if place == Where::Everywhere => {
                let known = inner(self, f);
                if known == f { h } else { self.next(known) }
            }
            Node::Finally(f) => match inner(self, f) {
                known if known == top => top,
                known if known != f && place == Where::Everywhere => self.finally(known),
                _ => h,
            },
            Node::Globally(f) => match inner(self, f) {
                known if known == bottom => bottom,
                known if known != f && place == Where::Everywhere => self.globally(known),
                _ => h,
            },
            Node::Until(f, g) | Node::WeakUntil(f, g) => {
                let (first, second) = (inner(self, f), inner(self, g));
                if second == top || first == bottom {
                    second
                } else if place == Where::Now || (first, second) == (f, g) {
                    h
                } else if matches!(self.node(h), Node::Until(..)) {
                    self.until(first, second)
                } else {
                    self.weak_until(first, second)
                }
            }
            Node::Release(f, g) | Node::StrongRelease(f, g) => {
                let (first, second) = (inner(self, f), inner(self, g));
                if second == bottom || first == top {
                    second
                } else if place == Where::Now || (first, second) == (f, g) {
                    h
                } else if matches!(self.node(h), Node::Release(..)) {
                    self.release(first, second)
                } else {
                    self.strong_release(first, second)
                }
            }
            _ => h,
        }
    }
}
