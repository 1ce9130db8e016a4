//! Formulas seen directly or through duality, so that each rule is written once.
//!
//! Replacing every operator by its dual, and true by false, turns equivalences into equivalences
//! (negate both sides, then rename each atom to its negation). So a rule that reads and builds
//! formulas through a [`View`] is also right when the view swaps operators. With them are swapped:
//! eventual and universal, and the direction of implications. Literals stay what they are.

use super::implication::Signed;
use super::{Level, Simplifier};
use crate::formula::{Formula, Formulas, Node, Operator};

/// The formulas as rules see them. Constructors take results and give results.
pub(super) struct View<'v, 'a> {
    pub(super) simplifier: &'v mut Simplifier<'a>,
    pub(super) formulas: &'v mut Formulas,
    /// Whether operators are swapped.
    pub(super) dual: bool,
    /// The operators of the operands that the rule is tried on, as it sees them at the start.
    pub(super) present: Operators,
}

/// Which operators some formulas have: once at least, and twice at least.
#[derive(Clone, Copy)]
pub(super) struct Operators {
    once: u16,
    twice: u16,
}

impl Operators {
    pub(super) fn of(formulas: &Formulas, all: &[Formula], dual: bool) -> Self {
        let mut found = Operators { once: 0, twice: 0 };
        for &f in all {
            let operator = formulas.operator(f);
            let bit = 1 << if dual { operator.dual() } else { operator } as u16;
            found.twice |= found.once & bit;
            found.once |= bit;
        }
        found
    }

    pub(super) const fn has(self, operator: Operator) -> bool {
        self.once >> operator as u16 & 1 == 1
    }

    pub(super) const fn has_two(self, operator: Operator) -> bool {
        self.twice >> operator as u16 & 1 == 1
    }
}

/// The node with the dual operator; literals stay.
pub(super) const fn dual(node: Node<'_>) -> Node<'_> {
    match node {
        Node::False => Node::True,
        Node::True => Node::False,
        Node::And(operands) => Node::Or(operands),
        Node::Or(operands) => Node::And(operands),
        Node::Finally(f) => Node::Globally(f),
        Node::Globally(f) => Node::Finally(f),
        Node::Until(f, g) => Node::Release(f, g),
        Node::Release(f, g) => Node::Until(f, g),
        Node::WeakUntil(f, g) => Node::StrongRelease(f, g),
        Node::StrongRelease(f, g) => Node::WeakUntil(f, g),
        other => other,
    }
}

impl View<'_, '_> {
    /// The outermost operator of `f`.
    #[inline]
    pub(super) fn node(&self, f: Formula) -> Node<'_> {
        let node = self.formulas.node(f);
        if self.dual { dual(node) } else { node }
    }

    /// Which operator is outermost in `f`.
    pub(super) fn operator(&self, f: Formula) -> Operator {
        let operator = self.formulas.operator(f);
        if self.dual { operator.dual() } else { operator }
    }

    /// Whether `f` is a disjunction with an operand of this operator.
    pub(super) fn is_or_with(&self, f: Formula, operator: Operator) -> bool {
        let Node::Or(operands) = self.node(f) else { return false };
        operands.iter().any(|&g| self.operator(g) == operator)
    }

    /// Whether `f` is a conjunction with an operand of this operator.
    pub(super) fn is_and_with(&self, f: Formula, operator: Operator) -> bool {
        let Node::And(operands) = self.node(f) else { return false };
        operands.iter().any(|&g| self.operator(g) == operator)
    }

    /// Takes steps; `false` if there are not as many.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.simplifier.budget.spend(steps)
    }

    /// Does something with operators swapped once more.
    pub(super) fn flipped<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        self.dual = !self.dual;
        let result = action(self);
        self.dual = !self.dual;
        result
    }

    pub(super) const fn top(&self) -> Formula {
        if self.dual { Formula::FALSE } else { Formula::TRUE }
    }

    pub(super) const fn bottom(&self) -> Formula {
        if self.dual { Formula::TRUE } else { Formula::FALSE }
    }

    pub(super) fn is_boolean(&self, f: Formula) -> bool {
        self.formulas.traits(f).is_boolean()
    }

    pub(super) fn is_eventual(&self, f: Formula) -> bool {
        let traits = self.formulas.traits(f);
        if self.dual { traits.is_universal() } else { traits.is_eventual() }
    }

    pub(super) fn is_universal(&self, f: Formula) -> bool {
        let traits = self.formulas.traits(f);
        if self.dual { traits.is_eventual() } else { traits.is_universal() }
    }

    pub(super) fn is_suspendable(&self, f: Formula) -> bool {
        self.is_eventual(f) && self.is_universal(f)
    }

    /// Whether `f => g` is proved, with the means of the level.
    pub(super) fn implies(&mut self, f: Formula, g: Formula) -> bool {
        let (f, g) = if self.dual { (g, f) } else { (f, g) };
        self.prove(Signed::new(f), Signed::new(g))
    }

    /// Whether `f => !g` is proved.
    pub(super) fn contradicts(&mut self, f: Formula, g: Formula) -> bool {
        if self.dual {
            self.prove(Signed::new(f).negated(), Signed::new(g))
        } else {
            self.prove(Signed::new(f), Signed::new(g).negated())
        }
    }

    /// Whether `!f => g` is proved.
    pub(super) fn covers(&mut self, f: Formula, g: Formula) -> bool {
        self.flipped(|view| view.contradicts(f, g))
    }

    /// Whether nothing can be known of one formula from the other: they have no atom in common.
    pub(super) fn are_unrelated(&self, f: Formula, g: Formula) -> bool {
        let (f, g) = (self.formulas.literals(f), self.formulas.literals(g));
        self.simplifier.alphabet.events().is_empty() && !f.both_signs().meets(g)
    }

    fn prove(&mut self, f: Signed, g: Signed) -> bool {
        match self.simplifier.level {
            Level::Basic => self.simplifier.plainly_implies(self.formulas, f, g),
            Level::Implication => self.simplifier.signed_implies(self.formulas, f, g, 0),
        }
    }

    fn reduced(&mut self, f: Formula) -> Formula {
        self.simplifier.reduce(self.formulas, f)
    }

    pub(super) fn and(&mut self, operands: &[Formula]) -> Formula {
        self.spend(operands.len());
        let operands = operands.iter().copied();
        let plain =
            if self.dual { self.formulas.or(operands) } else { self.formulas.and(operands) };
        self.reduced(plain)
    }

    pub(super) fn or(&mut self, operands: &[Formula]) -> Formula {
        self.flipped(|view| view.and(operands))
    }

    pub(super) fn next(&mut self, f: Formula) -> Formula {
        let plain = self.formulas.next(f);
        self.reduced(plain)
    }

    pub(super) fn finally(&mut self, f: Formula) -> Formula {
        let plain = if self.dual { self.formulas.globally(f) } else { self.formulas.finally(f) };
        self.reduced(plain)
    }

    pub(super) fn globally(&mut self, f: Formula) -> Formula {
        self.flipped(|view| view.finally(f))
    }

    pub(super) fn until(&mut self, f: Formula, g: Formula) -> Formula {
        let plain = if self.dual { self.formulas.release(f, g) } else { self.formulas.until(f, g) };
        self.reduced(plain)
    }

    pub(super) fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.flipped(|view| view.until(f, g))
    }

    pub(super) fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        let plain = if self.dual {
            self.formulas.strong_release(f, g)
        } else {
            self.formulas.weak_until(f, g)
        };
        self.reduced(plain)
    }

    pub(super) fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        self.flipped(|view| view.weak_until(f, g))
    }

    /// The conjuncts of `f`: its operands if it is a conjunction, else itself.
    pub(super) fn conjuncts(&self, f: Formula) -> Vec<Formula> {
        match self.node(f) {
            Node::And(operands) => operands.to_vec(),
            _ => vec![f],
        }
    }

    /// The disjuncts of `f`.
    pub(super) fn disjuncts(&self, f: Formula) -> Vec<Formula> {
        match self.node(f) {
            Node::Or(operands) => operands.to_vec(),
            _ => vec![f],
        }
    }

    /// If `whole` is a conjunction with all conjuncts of `part` among others: the conjunction of
    /// the others.
    pub(super) fn rest_of_and(&mut self, whole: Formula, part: Formula) -> Option<Formula> {
        let Node::And(operands) = self.node(whole) else { return None };
        let operands = operands.to_vec();
        let part = self.conjuncts(part);
        if part.len() >= operands.len() || !part.iter().all(|f| operands.contains(f)) {
            return None;
        }
        let rest: Vec<_> = operands.into_iter().filter(|f| !part.contains(f)).collect();
        Some(self.and(&rest))
    }

    /// Splits the disjunction `f` into what is not `taken` and what is, if there are both. A
    /// suspendable formula is taken out of disjunctions below `X` too, where
    /// `and.next-suspendable` may have put it.
    pub(super) fn split_or(
        &mut self,
        f: Formula,
        taken: fn(&Self, Formula) -> bool,
    ) -> Option<(Formula, Formula)> {
        match self.node(f) {
            Node::Next(_) => {}
            Node::Or(operands)
                if operands
                    .iter()
                    .any(|&g| taken(self, g) || self.operator(g) == Operator::Next) => {}
            _ => return None,
        }
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for part in self.disjuncts(f) {
            if taken(self, part) {
                yes.push(part);
            } else if let Some((rest, mut found)) = self.suspendable_below_next(part) {
                no.push(rest);
                yes.append(&mut found);
            } else {
                no.push(part);
            }
        }
        if yes.is_empty() || no.is_empty() {
            return None;
        }
        Some((self.or(&no), self.or(&yes)))
    }

    /// Splits the conjunction `f` into what is not suspendable and what is.
    pub(super) fn split_suspendable(&mut self, f: Formula) -> Option<(Formula, Formula)> {
        self.flipped(|view| view.split_or(f, Self::is_suspendable))
    }

    /// Of `X ... X(f | q | r)`, with suspendable q and r: `X ... X f`, and q and r.
    fn suspendable_below_next(&mut self, f: Formula) -> Option<(Formula, Vec<Formula>)> {
        let (mut core, mut nexts) = (f, 0);
        while let Node::Next(inner) = self.node(core) {
            (core, nexts) = (inner, nexts + 1);
        }
        let Node::Or(operands) = self.node(core) else { return None };
        let (yes, no): (Vec<_>, Vec<_>) = operands.iter().partition(|&&f| self.is_suspendable(f));
        if nexts == 0 || yes.is_empty() {
            return None;
        }
        let rest = self.or(&no);
        Some(((0..nexts).fold(rest, |f, _| self.next(f)), yes))
    }
}
