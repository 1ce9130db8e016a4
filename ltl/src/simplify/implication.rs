//! Syntactic implication: sound, incomplete, cheap.
//!
//! f => g is proved by the rules below ([`SB00`](crate::papers::SB00), extended to W and M and to
//! eventual and universal formulas), tried from top to bottom; a pair of formulas is decided once.
//! A formula may be *negated* without being rewritten: [`Signed`] formulas are seen through
//! duality, so that f => !g and !f => g are proved by the same rules.
//!
//! ```text
//!  1  Boolean formulas of few atoms                 exactly, by truth tables; literals by the alphabet
//!  2  f | g => h                                    if f => h and g => h      (nothing else can help)
//!  3  f => g & h                                    if f => g and f => h      (nothing else can help)
//!  4  f & g => h                                    if f => h or g => h
//!  5  f => g | h                                    if f => g or f => h
//!  6  X f => X g                                    if f => g
//!  7  u => X g, G g, g W h, h R g                   if u => g
//!  8  X f, F f, h U f, f M h => e                   if f => e
//!  9  f => F g, h U g, h W g                        if f => g
//! 10  f => g R h, g M h                             if f => g and f => h
//! 11  G f, h R f, h M f => g                        if f => g
//! 12  f U g, f W g => h                             if f => h and g => h
//! 13  f1 U f2 => g,  g one of g1 U g2, g1 W g2      if f1 => g1 and f2 => g
//!     f1 U f2 => g,  g one of g1 R g2, g1 M g2      if f1 => g2 and f2 => g
//!     f1 W f2 => g,  g one of g1 W g2, g1 R g2      likewise
//! 14  f1 M f2 => g,  g one of g1 R g2, g1 M g2      if f2 => g2 and (f1 => g1 or f1 => g)
//!     f1 M f2 => g,  g one of g1 U g2, g1 W g2      if f2 => g1 and f1 => g
//!     f1 R f2 => g,  g one of g1 R g2, g1 W g2      likewise
//! 15  u => g U h, h M g                             if u => g and u => F h
//! ```
//!
//! In 13 and 14, F g is also 1 U g and G g is also 0 R g. Formulas without a common literal are not
//! compared (if they are free of events): neither rule could end in success, for all end in 1, in
//! equal formulas, or in constants. Cost: at most one test for each pair of subformulas.

use super::Simplifier;
use super::boolean::{Columns, table};
use super::view::dual;
use crate::formula::{Atom, Formula, Formulas, Literals, Node, Operator};
use crate::hash::IdMap;

/// A formula or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signed {
    formula: Formula,
    negated: bool,
}

/// What was found for pairs of formulas.
#[derive(Clone, Default, Debug)]
pub(super) struct Implications {
    /// Of each pair, two bits for each combination of signs: whether it is known, and the answer.
    found: IdMap<(Formula, Formula), u8>,
}

impl Implications {
    fn shift(f: Signed, g: Signed) -> u32 {
        2 * (2 * u32::from(f.negated) + u32::from(g.negated))
    }

    fn get(&self, f: Signed, g: Signed) -> Option<bool> {
        let bits = self.found.get(&(f.formula, g.formula))? >> Self::shift(f, g);
        (bits & 1 == 1).then_some(bits & 2 == 2)
    }

    fn insert(&mut self, f: Signed, g: Signed, implies: bool) {
        let bits = 1 | u8::from(implies) << 1;
        *self.found.entry((f.formula, g.formula)).or_insert(0) |= bits << Self::shift(f, g);
    }
}

/// Proofs are not deeper than this.
const DEEPEST: u32 = 60;
/// Of more operands than this none is tried in rules 4 and 5; they are only looked through.
const WIDEST: usize = 64;

impl Signed {
    pub(super) const fn new(formula: Formula) -> Self {
        Signed { formula, negated: false }
    }

    pub(super) const fn negated(self) -> Self {
        Signed { formula: self.formula, negated: !self.negated }
    }

    /// A part of this, under the same sign.
    const fn part(self, formula: Formula) -> Self {
        Signed { formula, negated: self.negated }
    }

    /// The outermost operator; its operands are under the same sign.
    #[inline]
    fn node(self, formulas: &Formulas) -> Node<'_> {
        let node = formulas.node(self.formula);
        if self.negated { dual(node) } else { node }
    }

    fn is_universal(self, formulas: &Formulas) -> bool {
        let traits = formulas.traits(self.formula);
        if self.negated { traits.is_eventual() } else { traits.is_universal() }
    }

    fn is_eventual(self, formulas: &Formulas) -> bool {
        self.negated().is_universal(formulas)
    }

    /// The outermost operator, if it is a temporal one.
    fn temporal(self, formulas: &Formulas) -> Option<Node<'static>> {
        Some(match self.node(formulas) {
            Node::Next(f) => Node::Next(f),
            Node::Finally(f) => Node::Finally(f),
            Node::Globally(f) => Node::Globally(f),
            Node::Until(f, g) => Node::Until(f, g),
            Node::Release(f, g) => Node::Release(f, g),
            Node::WeakUntil(f, g) => Node::WeakUntil(f, g),
            Node::StrongRelease(f, g) => Node::StrongRelease(f, g),
            _ => return None,
        })
    }

    fn operator(self, formulas: &Formulas) -> Operator {
        let operator = formulas.operator(self.formula);
        if self.negated { operator.dual() } else { operator }
    }

    fn literals(self, formulas: &Formulas) -> Literals {
        let literals = formulas.literals(self.formula);
        if self.negated { literals.negated() } else { literals }
    }

    /// The number of operands, if this is a conjunction or disjunction.
    fn width(self, formulas: &Formulas) -> usize {
        match formulas.node(self.formula) {
            Node::And(operands) | Node::Or(operands) => operands.len(),
            _ => 0,
        }
    }

    /// Operand `k` of a conjunction or disjunction.
    fn operand(self, formulas: &Formulas, k: usize) -> Self {
        self.part(formulas.operand(self.formula, k))
    }

    /// The atom and its sign, if this is a literal.
    fn literal(self, formulas: &Formulas) -> Option<(Atom, bool)> {
        match formulas.node(self.formula) {
            Node::Atom(atom) => Some((atom, !self.negated)),
            Node::Not(f) => match formulas.node(f) {
                Node::Atom(atom) => Some((atom, self.negated)),
                _ => None,
            },
            _ => None,
        }
    }

    fn finally(self, formulas: &mut Formulas) -> Self {
        let f = self.formula;
        self.part(if self.negated { formulas.globally(f) } else { formulas.finally(f) })
    }
}

/// A binary temporal operator, with F and G as special cases.
#[derive(Clone, Copy)]
enum Kind {
    Until,
    Weak,
    Release,
    Strong,
}

fn binary(formulas: &Formulas, f: Signed) -> Option<(Kind, Signed, Signed)> {
    Some(match f.node(formulas) {
        Node::Finally(g) => (Kind::Until, Signed::new(Formula::TRUE), f.part(g)),
        Node::Globally(g) => (Kind::Release, Signed::new(Formula::FALSE), f.part(g)),
        Node::Until(g, h) => (Kind::Until, f.part(g), f.part(h)),
        Node::WeakUntil(g, h) => (Kind::Weak, f.part(g), f.part(h)),
        Node::Release(g, h) => (Kind::Release, f.part(g), f.part(h)),
        Node::StrongRelease(g, h) => (Kind::Strong, f.part(g), f.part(h)),
        _ => return None,
    })
}

/// Whether `f` is false or `g` is true.
fn is_trivial(formulas: &Formulas, f: Signed, g: Signed) -> bool {
    f.operator(formulas) == Operator::False || g.operator(formulas) == Operator::True
}

impl Simplifier<'_> {
    /// Whether nothing can be proved of the formulas because they have no literal in common.
    fn are_unrelated(&self, formulas: &Formulas, f: Signed, g: Signed) -> bool {
        self.alphabet.events().is_empty() && !f.literals(formulas).meets(g.literals(formulas))
    }

    /// Whether one look shows that `f` implies `g`: they are equal, related literals, or one is an
    /// operand of the other; where f = G h or g = F h, also h is looked at.
    pub(super) fn plainly_implies(&mut self, formulas: &Formulas, f: Signed, g: Signed) -> bool {
        if f == g || is_trivial(formulas, f, g) {
            return true;
        }
        if self.are_unrelated(formulas, f, g) || !self.budget.spend(1) {
            return false;
        }
        self.look(formulas, f, g)
            || matches!(f.node(formulas), Node::Globally(h) if self.look(formulas, f.part(h), g))
            || matches!(g.node(formulas), Node::Finally(h) if self.look(formulas, f, g.part(h)))
    }

    fn look(&mut self, formulas: &Formulas, f: Signed, g: Signed) -> bool {
        if !self.budget.spend(f.width(formulas) + g.width(formulas)) {
            return false;
        }
        let mut same = |f: Signed, g: Signed| f == g || self.literals_imply(formulas, f, g);
        same(f, g)
            || is_trivial(formulas, f, g)
            || matches!(f.node(formulas), Node::And(all) if all.iter().any(|&h| same(f.part(h), g)))
            || matches!(g.node(formulas), Node::Or(any) if any.iter().any(|&h| same(f, g.part(h))))
    }

    fn literals_imply(&mut self, formulas: &Formulas, f: Signed, g: Signed) -> bool {
        let Some((a, a_positive)) = f.literal(formulas) else { return false };
        let Some((b, b_positive)) = g.literal(formulas) else { return false };
        if a == b || self.alphabet.events().is_empty() {
            return a == b && a_positive == b_positive;
        }
        // Going through all combinations of events takes time.
        if let Some(known) = self.implications.get(f, g) {
            return known;
        }
        let found = match (a_positive, b_positive) {
            (true, true) => self.alphabet.implies(a, b),
            (true, false) => self.alphabet.excludes(a, b),
            (false, false) => self.alphabet.implies(b, a),
            // There is always the letter without events.
            (false, true) => false,
        };
        self.implications.insert(f, g, found);
        found
    }

    /// Whether `f` implies `g`, as far as the rules show.
    pub(super) fn signed_implies(
        &mut self,
        formulas: &mut Formulas,
        f: Signed,
        g: Signed,
        depth: u32,
    ) -> bool {
        if f == g {
            return true;
        }
        // !f => !g is g => f; one of the two is remembered.
        let (f, g) = if f.negated && g.negated { (g.negated(), f.negated()) } else { (f, g) };
        if is_trivial(formulas, f, g) {
            return true;
        }
        if self.are_unrelated(formulas, f, g) {
            return false;
        }
        if f.literal(formulas).is_some() && g.literal(formulas).is_some() {
            return self.literals_imply(formulas, f, g);
        }
        if let Some(known) = self.implications.get(f, g) {
            return known;
        }
        let steps = 1 + f.width(formulas) + g.width(formulas);
        if depth >= DEEPEST || !self.budget.spend(steps) {
            return false;
        }
        let found = match self.boolean_implies(formulas, f, g) {
            Some(found) => found,
            None => self.derive(formulas, f, g, depth + 1),
        };
        // Without steps left, what was not proved may still be true.
        if found || !self.budget.is_spent() {
            self.implications.insert(f, g, found);
        }
        found
    }

    /// Rule 1.
    fn boolean_implies(&mut self, formulas: &Formulas, f: Signed, g: Signed) -> Option<bool> {
        let is_boolean = |f: Signed| formulas.traits(f.formula).is_boolean();
        if !is_boolean(f) || !is_boolean(g) {
            return None;
        }
        let mut columns = Columns::default();
        let mut signed = |f: Signed| {
            let table = table(formulas, f.formula, &mut columns)?;
            Some(if f.negated { !table } else { table })
        };
        let tables = signed(f).zip(signed(g));
        self.budget.spend(columns.visited());
        let (first, second) = tables?;
        Some(first & !second & self.existing(&columns) == 0)
    }

    fn derive(&mut self, formulas: &mut Formulas, f: Signed, g: Signed, depth: u32) -> bool {
        let (f_operator, g_operator) = (f.operator(formulas), g.operator(formulas));
        let (f_width, g_width) = (f.width(formulas), g.width(formulas));
        if f_operator == Operator::Or {
            return (0..f_width).all(|k| {
                let part = f.operand(formulas, k);
                self.signed_implies(formulas, part, g, depth) // 2
            });
        }
        if g_operator == Operator::And {
            return (0..g_width).all(|k| {
                let part = g.operand(formulas, k);
                self.signed_implies(formulas, f, part, depth) // 3
            });
        }
        if f_operator == Operator::And
            && (0..f_width).any(|k| {
                let part = f.operand(formulas, k);
                part == g || f_width <= WIDEST && self.signed_implies(formulas, part, g, depth) // 4
            })
        {
            return true;
        }
        if g_operator == Operator::Or
            && (0..g_width).any(|k| {
                let part = g.operand(formulas, k);
                f == part || g_width <= WIDEST && self.signed_implies(formulas, f, part, depth) // 5
            })
        {
            return true;
        }
        self.by_right_side(formulas, f, g, depth)
            || self.by_left_side(formulas, f, g, depth)
            || self.by_both_sides(formulas, f, g, depth)
    }

    /// Rules 6, 7, 9, 10 and 15.
    fn by_right_side(&mut self, formulas: &mut Formulas, f: Signed, g: Signed, depth: u32) -> bool {
        let universal = f.is_universal(formulas);
        let Some(node) = g.temporal(formulas) else { return false };
        let mut proved = |h: Formula| self.signed_implies(formulas, f, g.part(h), depth);
        let found = match node {
            Node::Next(h) | Node::Globally(h) => universal && proved(h), // 7
            Node::Finally(h) | Node::Until(_, h) => proved(h),           // 9
            Node::WeakUntil(k, h) => proved(h) || universal && proved(k), // 9, 7
            Node::Release(k, h) => proved(h) && (universal || proved(k)), // 10, 7
            Node::StrongRelease(k, h) => proved(h) && proved(k),         // 10
            _ => false,
        };
        if found {
            return true;
        }
        match (f.temporal(formulas), node) {
            (Some(Node::Next(k)), Node::Next(h)) => {
                self.signed_implies(formulas, f.part(k), g.part(h), depth) // 6
            }
            (_, Node::Until(k, h) | Node::StrongRelease(h, k)) if universal => {
                let finally = g.part(h).finally(formulas);
                self.signed_implies(formulas, f, g.part(k), depth)
                    && self.signed_implies(formulas, f, finally, depth) // 15
            }
            _ => false,
        }
    }

    /// Rules 8, 11 and 12.
    fn by_left_side(&mut self, formulas: &mut Formulas, f: Signed, g: Signed, depth: u32) -> bool {
        let eventual = g.is_eventual(formulas);
        let Some(node) = f.temporal(formulas) else { return false };
        let mut proved = |h: Formula| self.signed_implies(formulas, f.part(h), g, depth);
        match node {
            Node::Next(h) | Node::Finally(h) => eventual && proved(h), // 8
            Node::Globally(h) | Node::Release(_, h) => proved(h),      // 11
            Node::StrongRelease(k, h) => proved(h) || eventual && proved(k), // 11, 8
            Node::Until(k, h) => proved(h) && (eventual || proved(k)), // 12, 8
            Node::WeakUntil(k, h) => proved(h) && proved(k),           // 12
            _ => false,
        }
    }

    /// Rules 13 and 14.
    fn by_both_sides(&mut self, formulas: &mut Formulas, f: Signed, g: Signed, depth: u32) -> bool {
        let Some((f_kind, f1, f2)) = binary(formulas, f) else { return false };
        let Some((g_kind, g1, g2)) = binary(formulas, g) else { return false };
        // f1 U f2 may lead to any operator, f1 W f2 only to those that need nothing to come.
        let promised = matches!(f_kind, Kind::Until | Kind::Strong);
        if !promised && matches!(g_kind, Kind::Until | Kind::Strong) {
            return false;
        }
        // What g asks for before it is done, and when f is done.
        let waiting = if matches!(g_kind, Kind::Until | Kind::Weak) { g1 } else { g2 };
        let mut proved = |f, g| self.signed_implies(formulas, f, g, depth);
        match (f_kind, g_kind) {
            (Kind::Until | Kind::Weak, _) => proved(f1, waiting) && proved(f2, g), // 13
            (_, Kind::Release | Kind::Strong) => {
                proved(f2, waiting) && (proved(f1, g1) || proved(f1, g)) // 14
            }
            _ => proved(f2, waiting) && proved(f1, g), // 14
        }
    }
}
