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

/// Whether an ascending list is part of another one.
pub fn is_subset(part: &[u32], whole: &[u32]) -> bool {
    part.iter().all(|one| whole.binary_search(one).is_ok())
}

/// The obligations of the runs that violate a formula.
#[derive(Debug)]
pub struct Obligations {
    /// By obligation. The formula is the last but one, and its negation the last.
    rules: Vec<Rule>,
}

/// What an obligation asks for.
#[derive(Debug)]
enum Rule {
    /// An atom is true, or false.
    Literal(Atom, bool),
    /// All of one of these lists.
    Any(Vec<Vec<Obligation>>),
    /// The same of the next position.
    Next(Obligation),
    /// `goal`; or else `hold`, and the obligation again.
    Until { hold: Option<Obligation>, goal: Obligation, is_strong: bool },
    /// `hold`; and `free`, if it can be true, or else the obligation again.
    Release { free: Option<Obligation>, hold: Obligation, is_strong: bool },
}

impl Obligations {
    /// Those for a formula.
    pub fn new(formulas: &Formulas, formula: Formula) -> Obligations {
        let parts = formulas.subformulas(formula);
        let rules = (0..2 * parts.len()).map(|one| rule(formulas, &parts, one));
        Obligations { rules: rules.collect() }
    }

    /// The negation of the formula.
    pub fn negation(&self) -> Obligation {
        self.count() as Obligation - 1
    }

    /// The number of obligations.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// Whether an obligation is an until.
    pub fn is_until(&self, one: Obligation) -> bool {
        matches!(
            self.rules[one as usize],
            Rule::Until { is_strong: true, .. } | Rule::Release { is_strong: true, .. }
        )
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
            match &self.rules[one as usize] {
                Rule::Literal(atom, is_true) => {
                    if letter(*atom)? == *is_true {
                        branches.push(branch);
                    }
                }
                Rule::Any(lists) => branches.extend(lists.iter().map(|list| branch.with(list))),
                Rule::Next(next) => {
                    branch.next.insert(*next);
                    branches.push(branch);
                }
                Rule::Until { hold, goal, is_strong } => {
                    branches.push(branch.with(&[*goal]));
                    branches.push(branch.with(hold.as_slice()).again(one, *is_strong));
                }
                Rule::Release { free, hold, is_strong } => {
                    branches.extend(free.map(|free| branch.with(&[*hold, free])));
                    branches.push(branch.with(&[*hold]).again(one, *is_strong));
                }
            }
        }
        Ok(without_larger(&found))
    }
}

/// The rule of an obligation: of one of these subformulas, or of its negation.
fn rule(formulas: &Formulas, parts: &[Formula], one: usize) -> Rule {
    let (part, is_negated) = (parts[one / 2], one % 2 == 1);
    let position = |f: Formula| {
        let found = parts.binary_search(&f).expect("operands are subformulas");
        2 * found as Obligation
    };
    let (yes, no) = (position, |f| position(f) + 1);
    // An operand, negated if this is.
    let same = |f| position(f) + Obligation::from(is_negated);
    let all = |operands: &[Formula]| Rule::Any(vec![operands.iter().map(|&f| same(f)).collect()]);
    let any = |operands: &[Formula]| Rule::Any(operands.iter().map(|&f| vec![same(f)]).collect());
    // The negation of an until is a release of the negated operands, weak if the until is strong.
    let future = |is_until: bool, is_strong: bool, f: Option<Formula>, g: Formula| {
        let (f, g, is_strong) = (f.map(same), same(g), is_strong != is_negated);
        if is_until == is_negated {
            Rule::Release { free: f, hold: g, is_strong }
        } else {
            Rule::Until { hold: f, goal: g, is_strong }
        }
    };
    match (formulas.node(part), is_negated) {
        (Node::True, false) | (Node::False, true) => Rule::Any(vec![vec![]]),
        (Node::False, false) | (Node::True, true) => Rule::Any(vec![]),
        (Node::Atom(atom), _) => Rule::Literal(atom, !is_negated),
        (Node::Not(f), _) => Rule::Any(vec![vec![if is_negated { yes(f) } else { no(f) }]]),
        (Node::And(operands), false) | (Node::Or(operands), true) => all(operands),
        (Node::Or(operands), false) | (Node::And(operands), true) => any(operands),
        (Node::Implies(f, g), false) => Rule::Any(vec![vec![no(f)], vec![yes(g)]]),
        (Node::Implies(f, g), true) => Rule::Any(vec![vec![yes(f), no(g)]]),
        (Node::Iff(f, g), false) | (Node::Xor(f, g), true) => {
            Rule::Any(vec![vec![yes(f), yes(g)], vec![no(f), no(g)]])
        }
        (Node::Iff(f, g), true) | (Node::Xor(f, g), false) => {
            Rule::Any(vec![vec![yes(f), no(g)], vec![no(f), yes(g)]])
        }
        (Node::Next(f), _) => Rule::Next(same(f)),
        (Node::Finally(g), _) => future(true, true, None, g),
        (Node::Globally(g), _) => future(false, false, None, g),
        (Node::Until(f, g), _) => future(true, true, Some(f), g),
        (Node::WeakUntil(f, g), _) => future(true, false, Some(f), g),
        (Node::Release(f, g), _) => future(false, false, Some(f), g),
        (Node::StrongRelease(f, g), _) => future(false, true, Some(f), g),
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
    let is_within = |one: &Alternative, other: &Alternative| {
        is_subset(&one.next, &other.next) && is_subset(&one.postponed, &other.postponed)
    };
    let is_larger = |one| found.iter().any(|other| other != one && is_within(other, one));
    found.iter().filter(|one| !is_larger(one)).cloned().collect()
}
