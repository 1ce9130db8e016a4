//! What the rest of a run must satisfy: sets of subformulas of the negation, and the textbook rules for
//! them.
//!
//! An obligation is a subformula or its negation; negations are never pushed inwards beforehand, each
//! operator has a rule for either sign. There are four forms with a future, which all say of the next
//! position what they say of this one:
//!
//! ```text
//! f U g   g, or else f and next f U g (postponed)      f R g   g, and f or next f R g
//! f W g   g, or else f and next f W g                  f M g   g, and f or else next f M g (postponed)
//! ```
//!
//! with `F g = 1 U g`, `G g = 0 R g`, and `!(f U g) = !f R !g`, `!(f W g) = !f M !g`. An *until* is an
//! obligation that may be postponed, but not for ever.

use ltl::{Atom, Formula, Formulas, Node};
use std::collections::BTreeSet;

/// A subformula (twice its position among all of them), or its negation (one more).
pub type Obligation = u32;

/// One way to satisfy a set of obligations at a position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Alternative {
    /// What the next position must satisfy: ascending.
    pub next: Vec<Obligation>,
    /// The untils that were postponed by this choice: ascending. One that another obligation brings
    /// back is not among them.
    pub postponed: Vec<Obligation>,
}

impl Alternative {
    /// Whether both parts are subsets of another alternative's.
    fn is_within(&self, other: &Alternative) -> bool {
        is_subset(&self.next, &other.next) && is_subset(&self.postponed, &other.postponed)
    }
}

/// Whether an ascending list is part of another one.
pub fn is_subset(part: &[u32], whole: &[u32]) -> bool {
    part.iter().all(|one| whole.binary_search(one).is_ok())
}

/// The obligations of the runs that violate a formula.
#[derive(Debug)]
pub struct Obligations<'f> {
    formulas: &'f Formulas,
    /// Ascending, the formula last.
    parts: Vec<Formula>,
}

/// What an obligation asks for.
enum Rule {
    /// It is true, or false.
    Constant(bool),
    /// An atom is true, or false.
    Literal(Atom, bool),
    All(Vec<Obligation>),
    /// Some of these lists.
    Any(Vec<Vec<Obligation>>),
    Next(Obligation),
    /// `goal`; or else all of `hold`, and the obligation again.
    Until {
        hold: Vec<Obligation>,
        goal: Obligation,
        is_strong: bool,
    },
    /// `hold`; and `free`, if it can be true, or else the obligation again.
    Release {
        free: Option<Obligation>,
        hold: Obligation,
        is_strong: bool,
    },
}

impl<'f> Obligations<'f> {
    /// Those for a formula.
    pub fn new(formulas: &'f Formulas, formula: Formula) -> Obligations<'f> {
        Obligations { formulas, parts: formulas.subformulas(formula) }
    }

    /// The negation of the formula.
    pub fn negation(&self) -> Obligation {
        self.len() as Obligation - 1
    }

    /// The number of obligations.
    #[expect(clippy::len_without_is_empty, reason = "a formula has a subformula: itself")]
    pub fn len(&self) -> usize {
        2 * self.parts.len()
    }

    /// Whether an obligation is an until.
    pub fn is_until(&self, one: Obligation) -> bool {
        let strong = |rule| {
            matches!(
                rule,
                Rule::Until { is_strong: true, .. } | Rule::Release { is_strong: true, .. }
            )
        };
        (one as usize) < self.len() && strong(self.rule(one))
    }

    /// The ways to satisfy a set of obligations at a position with this letter. Whatever satisfies all
    /// of them there satisfies, from the next position on, all of some alternative's `next`; and the
    /// choice can be made such that no until is postponed where its goal is satisfied.
    pub fn alternatives<E>(
        &self,
        set: &[Obligation],
        letter: &mut impl FnMut(Atom) -> Result<bool, E>,
    ) -> Result<Vec<Alternative>, E> {
        let mut found = BTreeSet::new();
        let mut branches = vec![Branch { open: set.to_vec(), ..Branch::default() }];
        while let Some(mut branch) = branches.pop() {
            run::poll();
            let Some(one) = branch.open.pop() else {
                found.insert(branch.ends());
                continue;
            };
            // A set has each of its members once.
            if !branch.seen.insert(one) {
                branches.push(branch);
                continue;
            }
            match self.rule(one) {
                Rule::Constant(is_true) => branches.extend(is_true.then_some(branch)),
                Rule::Literal(atom, is_true) => {
                    if letter(atom)? == is_true {
                        branches.push(branch);
                    }
                }
                Rule::All(all) => branches.push(branch.with(&all)),
                Rule::Any(lists) => branches.extend(lists.iter().map(|list| branch.with(list))),
                Rule::Next(next) => {
                    branch.next.insert(next);
                    branches.push(branch);
                }
                Rule::Until { hold, goal, is_strong } => {
                    branches.push(branch.with(&[goal]));
                    branches.push(branch.with(&hold).again(one, is_strong));
                }
                Rule::Release { free, hold, is_strong } => {
                    branches.extend(free.map(|free| branch.with(&[hold, free])));
                    branches.push(branch.with(&[hold]).again(one, is_strong));
                }
            }
        }
        Ok(without_larger(&found))
    }

    fn rule(&self, one: Obligation) -> Rule {
        let (part, is_negated) = (self.parts[one as usize / 2], one % 2 == 1);
        let position = |f: Formula| {
            let found = self.parts.binary_search(&f).expect("operands are subformulas");
            2 * found as Obligation
        };
        // An operand, or its negation: `same` as this, or not.
        let same = |f| position(f) + Obligation::from(is_negated);
        let flipped = |f| position(f) + Obligation::from(!is_negated);
        let (yes, no) = (position, |f| position(f) + 1);
        match self.formulas.node(part) {
            Node::False => Rule::Constant(is_negated),
            Node::True => Rule::Constant(!is_negated),
            Node::Atom(atom) => Rule::Literal(atom, !is_negated),
            Node::Not(f) => Rule::All(vec![flipped(f)]),
            Node::And(all) | Node::Or(all)
                if matches!(self.formulas.node(part), Node::And(_)) != is_negated =>
            {
                Rule::All(all.iter().map(|&f| same(f)).collect())
            }
            Node::And(any) | Node::Or(any) => {
                Rule::Any(any.iter().map(|&f| vec![same(f)]).collect())
            }
            Node::Implies(f, g) if is_negated => Rule::All(vec![yes(f), no(g)]),
            Node::Implies(f, g) => Rule::Any(vec![vec![no(f)], vec![yes(g)]]),
            Node::Iff(f, g) | Node::Xor(f, g)
                if matches!(self.formulas.node(part), Node::Iff(..)) != is_negated =>
            {
                Rule::Any(vec![vec![yes(f), yes(g)], vec![no(f), no(g)]])
            }
            Node::Iff(f, g) | Node::Xor(f, g) => {
                Rule::Any(vec![vec![yes(f), no(g)], vec![no(f), yes(g)]])
            }
            Node::Next(f) => Rule::Next(same(f)),
            Node::Finally(f) if is_negated => {
                Rule::Release { free: None, hold: no(f), is_strong: false }
            }
            Node::Finally(f) => Rule::Until { hold: Vec::new(), goal: yes(f), is_strong: true },
            Node::Globally(f) if is_negated => {
                Rule::Until { hold: Vec::new(), goal: no(f), is_strong: true }
            }
            Node::Globally(f) => Rule::Release { free: None, hold: yes(f), is_strong: false },
            Node::Until(f, g) if is_negated => {
                Rule::Release { free: Some(no(f)), hold: no(g), is_strong: false }
            }
            Node::Until(f, g) => Rule::Until { hold: vec![yes(f)], goal: yes(g), is_strong: true },
            Node::WeakUntil(f, g) if is_negated => {
                Rule::Release { free: Some(no(f)), hold: no(g), is_strong: true }
            }
            Node::WeakUntil(f, g) => {
                Rule::Until { hold: vec![yes(f)], goal: yes(g), is_strong: false }
            }
            Node::Release(f, g) if is_negated => {
                Rule::Until { hold: vec![no(f)], goal: no(g), is_strong: true }
            }
            Node::Release(f, g) => {
                Rule::Release { free: Some(yes(f)), hold: yes(g), is_strong: false }
            }
            Node::StrongRelease(f, g) if is_negated => {
                Rule::Until { hold: vec![no(f)], goal: no(g), is_strong: false }
            }
            Node::StrongRelease(f, g) => {
                Rule::Release { free: Some(yes(f)), hold: yes(g), is_strong: true }
            }
        }
    }
}

/// A choice that is being made.
#[derive(Clone, Default)]
struct Branch {
    /// What is to be looked at.
    open: Vec<Obligation>,
    /// What has been looked at.
    seen: BTreeSet<Obligation>,
    next: BTreeSet<Obligation>,
    postponed: BTreeSet<Obligation>,
}

impl Branch {
    fn with(&self, more: &[Obligation]) -> Branch {
        let mut branch = self.clone();
        branch.open.extend(more);
        branch
    }

    fn again(mut self, one: Obligation, is_postponed: bool) -> Branch {
        self.next.insert(one);
        if is_postponed {
            self.postponed.insert(one);
        }
        self
    }

    fn ends(self) -> Alternative {
        Alternative {
            next: self.next.into_iter().collect(),
            postponed: self.postponed.into_iter().collect(),
        }
    }
}

/// Alternatives of which no other one has a subset of both parts.
fn without_larger(found: &BTreeSet<Alternative>) -> Vec<Alternative> {
    let is_larger =
        |one: &Alternative| found.iter().any(|other| other != one && other.is_within(one));
    found.iter().filter(|one| !is_larger(one)).cloned().collect()
}
