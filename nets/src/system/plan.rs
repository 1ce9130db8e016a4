//! How the bindings of a transition are found: an order in which its variables get their colours.
//!
//! Variables are bound by the tokens that are there, not by all tuples of colours. Every term of an arc
//! from a place is matched with the tokens of the place, terms with the fewest new variables first;
//! conditions are tested as soon as their variables are bound, and an equation binds its other side.
//! What occurs in no such term gets all colours of its class. Every enabled binding is found exactly
//! once: it determines the token that each term is matched with.

use super::places::{Kind, PlaceLayout};
use crate::net::{Arc, Base, Comparison, Guard, Net, Part, Side, Term};

/// The order of a transition.
pub(super) struct Plan {
    pub(super) sizes: Vec<u32>,
    pub(super) classes: Vec<usize>,
    /// By variable: the number of variables of its class.
    pub(super) alike_variables: Vec<u32>,
    pub(super) ops: Vec<Op>,
    pub(super) inputs: Vec<FlatArc>,
    pub(super) outputs: Vec<FlatArc>,
}

/// One step towards a binding.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Tokens of a place are matched.
    Match {
        place: usize,
        terms: Vec<Term>,
        /// At least so many tokens of the colour are there.
        count: u64,
    },
    /// A variable gets all colours.
    Enumerate { variable: usize },
    /// A variable gets the colour with which the term is equal to another one.
    Assign { variable: usize, shift: u32, from: Term },
    /// A condition is tested.
    Test(Guard),
}

/// An arc.
pub(super) struct FlatArc {
    pub(super) place: usize,
    pub(super) sum: Vec<(i64, Vec<Part>)>,
    /// Whether it stands for at least these tokens if every term is matched by itself: one tuple, and no
    /// `.all`. Then nothing is left to be tested.
    pub(super) is_matched: bool,
}

impl Plan {
    pub(super) fn new(net: &Net, places: &[PlaceLayout], transition: usize) -> Plan {
        let of = &net.transitions[transition];
        let mut terms = Vec::new();
        let flat = |arc: &Arc| {
            let is_one = |parts: &[Part]| parts.iter().all(|part| matches!(part, Part::One(_)));
            let is_matched =
                matches!(&arc.sum[..], [(number, parts)] if *number > 0 && is_one(parts));
            FlatArc { place: arc.place, sum: arc.sum.clone(), is_matched }
        };
        for arc in &of.inputs {
            if arc.sum.iter().any(|(number, _)| *number < 0) {
                continue;
            }
            for (number, parts) in &arc.sum {
                let parts: Option<Vec<Term>> = parts
                    .iter()
                    .map(|part| if let Part::One(term) = part { Some(*term) } else { None })
                    .collect();
                if let Some(parts) = parts {
                    terms.push((arc.place, parts, *number as u64));
                }
            }
        }
        let mut conditions = Vec::new();
        conjuncts(&of.guard, &mut conditions);
        let mut order =
            Order { bound: vec![false; of.variables.len()], ops: Vec::new(), conditions };
        order.settle();
        while let Some(at) = order.best(&terms, places) {
            let (place, parts, count) = terms.remove(at);
            for term in &parts {
                order.bind(term.base);
            }
            order.ops.push(Op::Match { place, terms: parts, count });
            order.settle();
        }
        for variable in 0..of.variables.len() {
            if !order.bound[variable] {
                order.bound[variable] = true;
                order.ops.push(Op::Enumerate { variable });
                order.settle();
            }
        }
        let number = |class: usize| of.variables.iter().filter(|one| one.class == class).count();
        Plan {
            alike_variables: of.variables.iter().map(|one| number(one.class) as u32).collect(),
            sizes: of.variables.iter().map(|one| net.size(one.class)).collect(),
            classes: of.variables.iter().map(|one| one.class).collect(),
            ops: order.ops,
            inputs: of.inputs.iter().map(flat).collect(),
            outputs: of.outputs.iter().map(flat).collect(),
        }
    }
}

struct Order {
    bound: Vec<bool>,
    ops: Vec<Op>,
    conditions: Vec<Guard>,
}

impl Order {
    fn bind(&mut self, base: Base) {
        if let Base::Variable(at) = base {
            self.bound[at] = true;
        }
    }

    fn is_bound(&self, base: Base) -> bool {
        match base {
            Base::Variable(at) => self.bound[at],
            Base::Colour(_) => true,
        }
    }

    /// The term to be matched next: one without new variables, or with as few of them as possible in
    /// proportion to what is known.
    fn best(&self, terms: &[(usize, Vec<Term>, u64)], places: &[PlaceLayout]) -> Option<usize> {
        let cost = |(place, parts, _): &(usize, Vec<Term>, u64)| {
            let new = parts.iter().filter(|term| !self.is_bound(term.base)).count();
            let known = parts.len() - new;
            let few = match places[*place].kind {
                Kind::Single => 0,
                Kind::Bag { .. } => 1,
                Kind::Counts { .. } => 2,
                Kind::Constant => 3,
            };
            (new > 0, few > 1 && known == 0, few, new)
        };
        (0..terms.len()).min_by_key(|&at| cost(&terms[at]))
    }

    /// Appends the conditions whose variables are bound, and equations with one new variable.
    fn settle(&mut self) {
        loop {
            let ready = self.conditions.iter().position(|one| self.is_ready(one));
            if let Some(at) = ready {
                let condition = self.conditions.remove(at);
                self.ops.push(Op::Test(condition));
                continue;
            }
            let equation = self
                .conditions
                .iter()
                .enumerate()
                .find_map(|(at, one)| Some((at, self.assigned(one)?)));
            let Some((at, op)) = equation else { return };
            self.conditions.remove(at);
            if let Op::Assign { variable, .. } = op {
                self.bound[variable] = true;
            }
            self.ops.push(op);
        }
    }

    fn is_ready(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Constant(_) => true,
            Guard::And(parts) | Guard::Or(parts) => parts.iter().all(|part| self.is_ready(part)),
            Guard::Not(part) => self.is_ready(part),
            Guard::Compare(_, left, right) => {
                self.is_bound(left.term.base) && self.is_bound(right.term.base)
            }
        }
    }

    fn assigned(&self, guard: &Guard) -> Option<Op> {
        let Guard::Compare(Comparison::Equal, left, right) = guard else { return None };
        let one_way = |to: &Side, from: &Side| {
            let Base::Variable(variable) = to.term.base else { return None };
            let is_plain = to.partition.is_none() && from.partition.is_none();
            let is_new = !self.bound[variable] && self.is_bound(from.term.base);
            (is_plain && is_new).then_some(Op::Assign {
                variable,
                shift: to.term.shift,
                from: from.term,
            })
        };
        one_way(left, right).or_else(|| one_way(right, left))
    }
}

fn conjuncts(guard: &Guard, into: &mut Vec<Guard>) {
    match guard {
        Guard::And(parts) => parts.iter().for_each(|part| conjuncts(part, into)),
        other => into.push(other.clone()),
    }
}
