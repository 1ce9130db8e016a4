//! Formulas that silent steps cannot change: a syntactic test.
//!
//! A letter says which atoms are true of a state, P, and which are true of the step out of it, E. A step
//! of which no atom is true is *silent*. A formula is *insensitive* if its truth does not change when, at
//! any set of places of a word, also infinitely many, a silent letter with the state atoms P is inserted
//! before a letter with the same P, or removed from there. Without atoms about steps this is stuttering
//! invariance. With them it is not enough that there is no `X`: `@a U @b`, `p U @a` and `G(p -> @a)` are
//! not insensitive, but `G(@a -> X p)` is.
//!
//! The test knows this fragment, in which e is false of silent letters, and n, if it is true of a letter,
//! is true of silent letters that are put before it:
//!
//! ```text
//! t ::= state atom | Boolean combination of t | n U t | F e | G !e | !e U e | (n | n) U (n & e)
//! n ::= t | !e | n & n | n "|" n
//! e ::= atom about steps | e & t | e & X t | e & e | e "|" e | e & !(atom about steps)
//! ```
//!
//! where one of the n on the left of the last U is repeated on its right. R, W, M, G and implications
//! are taken as what they abbreviate, and negations are pushed inwards. Formulas outside of the fragment
//! may be insensitive, too: `automata::silent` decides about all.

use crate::formula::{Atom, Formula, Formulas, Node};

/// Whether a formula is in the fragment, so that silent steps cannot change it. `is_of_steps` says which
/// atoms are about steps.
pub fn is_evidently_insensitive(
    formulas: &Formulas,
    formula: Formula,
    is_of_steps: &dyn Fn(Atom) -> bool,
) -> bool {
    Fragment { formulas, is_of_steps }.is_t((formula, true))
}

/// A formula, or if it is not positive, its negation.
type Signed = (Formula, bool);

/// A signed formula with negations pushed inwards by one operator.
enum View {
    Constant,
    Atom(Atom, bool),
    And(Vec<Signed>),
    Or(Vec<Signed>),
    /// `<->` or `xor` of two formulas.
    Equal(Formula, Formula),
    Next(Signed),
    Until(Signed, Vec<Signed>),
    /// The negation of an until.
    NotUntil(Signed, Vec<Signed>),
}

struct Fragment<'f> {
    formulas: &'f Formulas,
    is_of_steps: &'f dyn Fn(Atom) -> bool,
}

const TRUE: Signed = (Formula::TRUE, true);

impl Fragment<'_> {
    /// An until has several conjuncts on its right side.
    fn view(&self, (formula, sign): Signed) -> View {
        let not = |one: Formula| (one, !sign);
        let same = |one: Formula| (one, sign);
        let all = |parts: &[Formula]| parts.iter().map(|&one| (one, sign)).collect();
        match self.formulas.node(formula) {
            Node::False | Node::True => View::Constant,
            Node::Atom(atom) => View::Atom(atom, sign),
            Node::Not(inner) => self.view((inner, !sign)),
            Node::And(parts) if sign => View::And(all(parts)),
            Node::And(parts) => View::Or(all(parts)),
            Node::Or(parts) if sign => View::Or(all(parts)),
            Node::Or(parts) => View::And(all(parts)),
            Node::Xor(a, b) | Node::Iff(a, b) => View::Equal(a, b),
            Node::Implies(a, b) if sign => View::Or(vec![not(a), same(b)]),
            Node::Implies(a, b) => View::And(vec![not(a), same(b)]),
            Node::Next(inner) => View::Next(same(inner)),
            Node::Finally(inner) if sign => View::Until(TRUE, vec![(inner, true)]),
            Node::Finally(inner) => View::NotUntil(TRUE, vec![(inner, true)]),
            Node::Globally(inner) if sign => View::NotUntil(TRUE, vec![(inner, false)]),
            Node::Globally(inner) => View::Until(TRUE, vec![(inner, false)]),
            Node::Until(a, b) if sign => View::Until((a, true), vec![(b, true)]),
            Node::Until(a, b) => View::NotUntil((a, true), vec![(b, true)]),
            // a R b is !(!a U !b).
            Node::Release(a, b) if sign => View::NotUntil((a, false), vec![(b, false)]),
            Node::Release(a, b) => View::Until((a, false), vec![(b, false)]),
            // a W b is !(!b U (!a & !b)).
            Node::WeakUntil(a, b) if sign => {
                View::NotUntil((b, false), vec![(a, false), (b, false)])
            }
            Node::WeakUntil(a, b) => View::Until((b, false), vec![(a, false), (b, false)]),
            // a M b is b U (a & b).
            Node::StrongRelease(a, b) if sign => View::Until((b, true), vec![(a, true), (b, true)]),
            Node::StrongRelease(a, b) => View::NotUntil((b, true), vec![(a, true), (b, true)]),
        }
    }

    fn is_t(&self, one: Signed) -> bool {
        match self.view(one) {
            View::Constant => true,
            View::Atom(atom, _) => !(self.is_of_steps)(atom),
            View::And(parts) | View::Or(parts) => parts.into_iter().all(|part| self.is_t(part)),
            View::Equal(a, b) => self.is_t((a, true)) && self.is_t((b, true)),
            View::Next(_) => false,
            View::Until(left, right) | View::NotUntil(left, right) => self.is_until(left, &right),
        }
    }

    /// Whether an until, with these conjuncts on its right, is insensitive.
    fn is_until(&self, left: Signed, right: &[Signed]) -> bool {
        if !self.is_n(left) {
            return false;
        }
        if right.iter().all(|&part| self.is_t(part)) {
            return true;
        }
        if !self.is_conjunction_e(right) {
            return false;
        }
        // A silent letter before the one where the right side is true must satisfy the left side: it
        // does if the left side is the negation of an e, or contains a part that is true there.
        let conjuncts: Vec<Signed> = right.iter().flat_map(|&part| self.conjuncts(part)).collect();
        self.holds_before(left, &conjuncts)
    }

    fn holds_before(&self, left: Signed, conjuncts: &[Signed]) -> bool {
        if self.is_e(negated(left)) || left == TRUE || conjuncts.contains(&left) {
            return true;
        }
        match self.view(left) {
            View::And(parts) => parts.iter().all(|&part| self.holds_before(part, conjuncts)),
            View::Or(parts) => parts.iter().any(|&part| self.holds_before(part, conjuncts)),
            _ => false,
        }
    }

    fn conjuncts(&self, one: Signed) -> Vec<Signed> {
        match self.view(one) {
            View::And(parts) => parts.into_iter().flat_map(|part| self.conjuncts(part)).collect(),
            _ => vec![one],
        }
    }

    fn is_n(&self, one: Signed) -> bool {
        if self.is_t(one) || self.is_e(negated(one)) {
            return true;
        }
        match self.view(one) {
            View::And(parts) | View::Or(parts) => parts.into_iter().all(|part| self.is_n(part)),
            _ => false,
        }
    }

    fn is_e(&self, one: Signed) -> bool {
        match self.view(one) {
            View::Atom(atom, sign) => sign && (self.is_of_steps)(atom),
            View::Or(parts) => parts.into_iter().all(|part| self.is_e(part)),
            View::And(parts) => self.is_conjunction_e(&parts),
            _ => false,
        }
    }

    /// Whether a conjunction is false of silent letters, and else depends on nothing that these change.
    fn is_conjunction_e(&self, parts: &[Signed]) -> bool {
        let is_beside = |&part: &Signed| {
            self.is_e(part)
                || self.is_t(part)
                || match self.view(part) {
                    View::Atom(atom, _) => (self.is_of_steps)(atom),
                    View::Next(inner) => self.is_t(inner),
                    _ => false,
                }
        };
        let all: Vec<Signed> = parts.iter().flat_map(|&part| self.conjuncts(part)).collect();
        all.iter().any(|&part| self.is_e(part)) && all.iter().all(is_beside)
    }
}

fn negated((formula, sign): Signed) -> Signed {
    (formula, !sign)
}
