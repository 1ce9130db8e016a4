//! From any acceptance condition to generalized Büchi.
//!
//! A condition is a positive Boolean combination of `Inf(S)` and `Fin(S)`, S an acceptance set or
//! the complement of one: some edge of S is taken infinitely often, or none is. We use
//!
//! ```text
//! (1)  Inf(S) | Inf(T)  =  Inf(S ∪ T)
//! (2)  Fin(S) & Fin(T)  =  Fin(S ∪ T)
//! (3)  a run satisfies C | D  iff  it satisfies C or it satisfies D
//! ```
//!
//! The disjunctive normal form of the condition, with the disjuncts of equal `Fin` put together
//! (2, and distributing back with 1), is a list of [`Part`]s `Fin(A) & Inf(R₁) & ... & Inf(Rₖ)`,
//! of which a run must satisfy one (3). The automaton for it has
//!
//! - a *main copy* of all states and edges. It accepts the part without `Fin`, if there is one;
//!   else nothing in it is accepting;
//! - for every other part a copy without the edges in A, with the marks that the Rᵢ say. For every
//!   edge q → r of the main copy there is one from q to the copy's r, reading the same letters. No
//!   edge leads back.
//!
//! This is exact. A run that satisfies a part takes edges of A finitely often; after the last one
//! (or at its first step, if there is none) it can move to the part's copy and stay, and the marks
//! that it then sees infinitely often are the same. Conversely a run of the result that accepts
//! ends in one copy, and is, copies forgotten, a run of the source which from some point on avoids
//! A, and meets all Rᵢ infinitely often: acceptance does not depend on a prefix.
//!
//! Copies with fewer conditions than others have the marks of the missing ones on all edges.
//!
//! Cost: a copy of the automaton for each part. The normal form can be exponential (Streett): more
//! than [`MOST_DISJUNCTS`] disjuncts, or too much work to find them, is refused.

use super::expression::Expression;
use crate::automaton::Marks;

/// `Inf(set)`, `Fin(set)`, or the same of the set's complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// `Inf`, not `Fin`.
    pub infinitely: bool,
    /// The number of the set: below [`Marks::MOST`].
    pub set: u32,
    /// Whether the complement is meant.
    pub complement: bool,
}

/// A union of acceptance sets and complements of acceptance sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Union {
    sets: Marks,
    complements: Marks,
}

impl Union {
    fn one(set: u32, complement: bool) -> Union {
        let (mark, none) = (Marks::one(set), Marks::NONE);
        let (sets, complements) = if complement { (none, mark) } else { (mark, none) };
        Union { sets, complements }
    }

    /// Whether it is the union of nothing.
    pub fn is_empty(self) -> bool {
        self == Union::default()
    }

    /// Whether an edge with these marks belongs to it.
    pub fn has(self, marks: Marks) -> bool {
        !(self.sets & marks).is_empty() || !(self.complements - marks).is_empty()
    }

    fn with(self, other: Union) -> Union {
        let (sets, complements) = (self.sets | other.sets, self.complements | other.complements);
        Union { sets, complements }
    }

    fn contains(self, other: Union) -> bool {
        self.sets.contains(other.sets) && self.complements.contains(other.complements)
    }

    fn meets(self, other: Union) -> bool {
        !(self.sets & other.sets).is_empty() || !(self.complements & other.complements).is_empty()
    }

    /// Whether every edge belongs to it, for whatever sets.
    fn is_all(self) -> bool {
        !(self.sets & self.complements).is_empty()
    }

    fn parts(self) -> impl Iterator<Item = Union> {
        let sets = self.sets.iter().map(|set| Union::one(set, false));
        sets.chain(self.complements.iter().map(|set| Union::one(set, true)))
    }
}

/// `Fin(avoid) & Inf(recur[0]) & Inf(recur[1]) & ...`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Edges that are taken finitely often.
    pub avoid: Union,
    /// Of each of these some edge is taken infinitely often; at most [`Marks::MOST`].
    pub recur: Vec<Union>,
}

/// A normal form with more disjuncts than this is refused.
pub const MOST_DISJUNCTS: usize = 1024;
/// Comparisons of disjuncts that are made to find the normal form.
const MOST_WORK: usize = 1 << 26;

/// The condition is too large in disjunctive normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// The parts of a condition; none if it cannot be satisfied. If one has nothing to avoid, it is the
/// first.
pub fn parts(condition: &Expression<Visit>) -> Result<Vec<Part>, TooLarge> {
    let mut work = MOST_WORK;
    let mut disjuncts = normal_form(condition, &mut work)?;
    disjuncts.sort_by_key(|d| (d.finitely.sets, d.finitely.complements));
    let mut parts = Vec::new();
    for group in disjuncts.chunk_by(|a, b| a.finitely == b.finitely) {
        let avoid = group[0].finitely;
        match together(group) {
            Some(recur) => parts.push(Part { avoid, recur }),
            // Too many unions: each disjunct by itself.
            None => parts.extend(group.iter().map(|disjunct| {
                let recur = disjunct.infinitely.parts().collect();
                Part { avoid, recur }
            })),
        }
    }
    let fits = parts.iter().all(|part| part.recur.len() <= Marks::MOST);
    if fits { Ok(parts) } else { Err(TooLarge) }
}

/// A conjunction: `Fin` of each of one kind, `Inf` of each of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Disjunct {
    finitely: Union,
    /// Not a union of sets but a set of conditions; kept in the same form.
    infinitely: Union,
}

impl Disjunct {
    /// Whether no run can satisfy it: S both ways, or nothing that may recur.
    fn is_contradictory(self) -> bool {
        self.finitely.meets(self.infinitely) || self.finitely.is_all()
    }

    /// Whether it is implied by `stronger`.
    fn follows_from(self, stronger: Disjunct) -> bool {
        stronger.finitely.contains(self.finitely) && stronger.infinitely.contains(self.infinitely)
    }
}

/// The disjuncts, none implied by another.
fn normal_form(condition: &Expression<Visit>, work: &mut usize) -> Result<Vec<Disjunct>, TooLarge> {
    let nothing = Disjunct { finitely: Union::default(), infinitely: Union::default() };
    match condition {
        Expression::Constant(false) => Ok(Vec::new()),
        Expression::Constant(true) => Ok(vec![nothing]),
        Expression::Leaf(visit) => {
            let set = Union::one(visit.set, visit.complement);
            Ok(vec![if visit.infinitely {
                Disjunct { infinitely: set, ..nothing }
            } else {
                Disjunct { finitely: set, ..nothing }
            }])
        }
        Expression::Not(_) => unreachable!("the grammar of conditions has no negation"),
        Expression::Or(operands) => {
            let mut sum = Vec::new();
            for operand in operands {
                for disjunct in normal_form(operand, work)? {
                    insert(&mut sum, disjunct, work)?;
                }
            }
            Ok(sum)
        }
        Expression::And(operands) => {
            let mut product = vec![nothing];
            for operand in operands {
                let factor = normal_form(operand, work)?;
                let mut next = Vec::new();
                for a in &product {
                    for b in &factor {
                        let finitely = a.finitely.with(b.finitely);
                        let infinitely = a.infinitely.with(b.infinitely);
                        insert(&mut next, Disjunct { finitely, infinitely }, work)?;
                    }
                }
                product = next;
            }
            Ok(product)
        }
    }
}

/// Adds a disjunct unless one that is there follows from it, in place of those that imply it.
fn insert(sum: &mut Vec<Disjunct>, disjunct: Disjunct, work: &mut usize) -> Result<(), TooLarge> {
    *work = work.checked_sub(sum.len() + 1).ok_or(TooLarge)?;
    if disjunct.is_contradictory() || sum.iter().any(|old| old.follows_from(disjunct)) {
        return Ok(());
    }
    sum.retain(|&old| !disjunct.follows_from(old));
    sum.push(disjunct);
    if sum.len() > MOST_DISJUNCTS { Err(TooLarge) } else { Ok(()) }
}

/// The disjunction of the `Inf` sides, as unions that must all recur, by (1) and distributivity;
/// `None` if there are too many.
fn together(group: &[Disjunct]) -> Option<Vec<Union>> {
    if group.len() > Marks::MOST {
        return None;
    }
    let mut clauses = vec![Union::default()];
    for disjunct in group {
        let mut next: Vec<Union> = Vec::new();
        for clause in &clauses {
            for condition in disjunct.infinitely.parts() {
                let clause = clause.with(condition);
                // A union that contains another recurs if that does; one of all edges always does.
                if clause.is_all() || next.iter().any(|&other| clause.contains(other)) {
                    continue;
                }
                next.retain(|other| !other.contains(clause));
                next.push(clause);
                if next.len() > Marks::MOST {
                    return None;
                }
            }
        }
        clauses = next;
    }
    Some(clauses)
}
