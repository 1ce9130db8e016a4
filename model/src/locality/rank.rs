//! Ranks: numbers that local steps raise, so that no run consists of them alone.
//!
//! A rank is a list of numbers, one for each simple part of a process' own cells, compared from left to
//! right. The number of a part is the position of its value in an order of the values that is fixed in
//! advance. **It must be the same for all images of a state under symmetry**: so values of index types
//! have no rank, and for the parts of an array the sum of their numbers counts.
//!
//! The order of values is read off the local rules: if a rule is enabled where a part is u and makes it
//! v, then v comes after u, as far as the rules have no cycle. The order decides how much is reduced. It
//! cannot be wrong: that a step raises the rank is checked for each step.

use super::access::{Frame, Reader, Term};
use super::{Locality, Owner, conjuncts};
use crate::checked::{
    Arithmetic, Expression, ExpressionKind, Place, Rule, Statement, StatementKind,
};
use crate::types::{Type, TypeId};
use crate::value::Scalar;

/// A part of a root that has a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankLeaf {
    /// The position of the root.
    pub root: usize,
    /// The way to the part: from the element of a process, or from the whole root.
    pub steps: Vec<RankStep>,
    /// The simple type of the part.
    pub of: TypeId,
    /// By position of a value in its type: its rank. Undefined comes before all of them.
    pub order: Vec<u32>,
    /// Whether values are indices: such a part is no rank. (It is listed for tests that use it as one.)
    pub is_index: bool,
}

/// A step into a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankStep {
    /// A field of a record.
    Field(u32),
    /// All elements of an array.
    All,
}

/// Parts with more values than this have none of them ordered by rules.
const MOST_VALUES: u64 = 1 << 10;

/// All parts of own cells that have a rank.
pub(super) fn leaves(locality: &Locality<'_>) -> Vec<RankLeaf> {
    let mut found = Vec::new();
    for (at, root) in locality.roots.iter().enumerate() {
        match root.owner {
            Owner::Nobody => {}
            Owner::Single(_) if root.index.is_some() => {
                parts(locality, at, root.of, &mut vec![RankStep::All], &mut found);
            }
            Owner::Member | Owner::Single(_) => {
                parts(locality, at, root.of, &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

fn parts(
    locality: &Locality<'_>,
    root: usize,
    of: TypeId,
    steps: &mut Vec<RankStep>,
    found: &mut Vec<RankLeaf>,
) {
    let types = &locality.model.types;
    match types.get(of) {
        Type::Range { .. } | Type::Enumeration(_) => {
            let order = order(locality, root, steps, of);
            found.push(RankLeaf { root, steps: steps.clone(), of, order, is_index: false });
        }
        Type::Index(_) => {
            let order = (0..types.size(of) as u32).collect();
            found.push(RankLeaf { root, steps: steps.clone(), of, order, is_index: true });
        }
        Type::Record(fields) => {
            for (k, (_, of)) in (0..).zip(fields) {
                steps.push(RankStep::Field(k));
                parts(locality, root, *of, steps, found);
                steps.pop();
            }
        }
        Type::Array { element, .. } => {
            steps.push(RankStep::All);
            parts(locality, root, *element, steps, found);
            steps.pop();
        }
        Type::Union(_) | Type::Queue { .. } | Type::Set(_) | Type::Multiset { .. } => {}
    }
}

/// The ranks of a part's values. An empty list stands for the order of the type itself.
fn order(locality: &Locality<'_>, root: usize, steps: &[RankStep], of: TypeId) -> Vec<u32> {
    let types = &locality.model.types;
    let values = types.size(of);
    if values > MOST_VALUES {
        return Vec::new();
    }
    let values = values as usize;
    let part = Part { locality, root, steps, of };
    let mut next = vec![Vec::new(); values];
    for (rule, local) in locality.model.rules.iter().zip(&locality.rules) {
        if local.shared.is_none() {
            part.edges(rule, &mut next);
        }
    }
    // Values that local rules do not lead to come first: others may.
    let mut is_target = vec![false; values];
    next.iter().enumerate().for_each(|(from, targets)| {
        targets.iter().filter(|&&to| to != from).for_each(|&to| is_target[to] = true);
    });
    let entries = (0..values).filter(|&value| !is_target[value]);
    let others = (0..values).filter(|&value| is_target[value]);
    let mut is_met = vec![false; values];
    let mut finished = Vec::new();
    for value in entries.chain(others) {
        visit(value, &next, &mut is_met, &mut finished);
    }
    // What is finished last comes first.
    let mut order = vec![0; values];
    for (rank, value) in (0..).zip(finished.into_iter().rev()) {
        order[value] = rank;
    }
    order
}

/// Appends what is reached from a value, in postorder.
fn visit(value: usize, next: &[Vec<usize>], is_met: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut is_met[value], true) {
        return;
    }
    let mut open = vec![(value, 0)];
    while let Some((value, edge)) = open.last_mut() {
        let Some(&target) = next[*value].get(*edge) else {
            finished.push(*value);
            open.pop();
            continue;
        };
        *edge += 1;
        if !std::mem::replace(&mut is_met[target], true) {
            open.push((target, 0));
        }
    }
}

/// A part of own cells.
struct Part<'l> {
    locality: &'l Locality<'l>,
    root: usize,
    steps: &'l [RankStep],
    of: TypeId,
}

impl Part<'_> {
    /// Adds an edge from each value that a local rule may find to each that it makes of it.
    fn edges(&self, rule: &Rule, next: &mut [Vec<usize>]) {
        let types = &self.locality.model.types;
        let position = |scalar: Scalar| scalar.position(types, self.of).map(|at| at as usize);
        // Where the guard does not say which value there is, it may be any.
        let mut tested = None;
        for conjunct in rule.guard.iter().flat_map(conjuncts) {
            if let ExpressionKind::Equal(left, right) = &conjunct.kind {
                let said = match (&left.kind, &right.kind) {
                    (ExpressionKind::Read(place), ExpressionKind::Constant(scalar))
                    | (ExpressionKind::Constant(scalar), ExpressionKind::Read(place))
                        if self.is_at(place, rule) =>
                    {
                        position(*scalar)
                    }
                    _ => None,
                };
                tested = tested.or(said);
            }
        }
        let sources = || match tested {
            Some(value) => value..value + 1,
            None => 0..next_len(self, types),
        };
        each_assignment(&rule.body, &mut |target, value| {
            if !self.is_at(target, rule) {
                return;
            }
            match &value.kind {
                ExpressionKind::Constant(scalar) => {
                    let Some(made) = position(*scalar) else { return };
                    sources().for_each(|source| next[source].push(made));
                }
                ExpressionKind::Arithmetic(Arithmetic::Add, left, right) => {
                    let (ExpressionKind::Read(place), ExpressionKind::Constant(scalar)) =
                        (&left.kind, &right.kind)
                    else {
                        return;
                    };
                    let Scalar::Number(more) = scalar else { return };
                    if self.is_at(place, rule) {
                        for source in sources() {
                            let made = isize::try_from(*more)
                                .ok()
                                .and_then(|more| source.checked_add_signed(more));
                            next[source].extend(made.filter(|&made| made < next_len(self, types)));
                        }
                    }
                }
                _ => {}
            }
        });
    }

    /// Whether a place is this part of the own cells of a rule's process.
    fn is_at(&self, place: &Place, rule: &Rule) -> bool {
        let Locality { model, roots, .. } = self.locality;
        let reader = Reader { model, roots };
        let accesses = reader.of_place(place, &Frame::new(&rule.locals));
        let [access] = &accesses[..] else { return false };
        let is_own = match self.locality.roots[self.root].owner {
            Owner::Member => match access.term {
                Term::Bound { local, shift } => shift == 0 && rule.owner.parameter == Some(local),
                _ => false,
            },
            _ => true,
        };
        // Where there are arrays inside, the part that is meant need not be the same each time.
        let fields = self.steps.iter().filter_map(|step| match step {
            RankStep::Field(field) => Some(*field),
            RankStep::All => None,
        });
        access.root == self.root && is_own && place.of == self.of && {
            let fields: Vec<u32> = fields.collect();
            self.steps.contains(&RankStep::All) || access.fields == fields
        }
    }
}

fn next_len(part: &Part<'_>, types: &crate::types::Types) -> usize {
    types.size(part.of) as usize
}

fn each_assignment<'s>(block: &'s [Statement], visit: &mut dyn FnMut(&'s Place, &'s Expression)) {
    for statement in block {
        if let StatementKind::Assign { target, value } = &statement.kind {
            visit(target, value);
        }
        crate::walk::substatements(statement, &mut |inner| {
            each_assignment(std::slice::from_ref(inner), visit);
        });
    }
}
