//! Terms: colours, conditions, sums of tuples.

use super::declarations::{Declarations, Sort, coefficient};
use super::xml::{attribute, elements, name, span};
use super::{MOST_TOKENS, signed, unknown};
use crate::net::{Base, Comparison, Guard, Part, Side, Term};
use roxmltree::Node;
use run::Diagnostic;
use std::collections::BTreeMap;

/// A sum of tuples with coefficients.
pub(super) type Sum = Vec<(i64, Vec<Part>)>;

/// The variables that the terms of a transition use.
#[derive(Default)]
pub(super) struct Scope {
    /// Variables of the net with the component, in the order in which they are met: terms know a
    /// variable by its position here, before [`renumber_sum`].
    pub(super) used: Vec<(usize, usize)>,
    /// Whether there are no variables: in markings.
    is_ground: bool,
}

impl Scope {
    pub(super) fn ground() -> Scope {
        Scope { is_ground: true, ..Scope::default() }
    }

    fn position(&mut self, variable: usize, component: usize) -> usize {
        let known = self.used.iter().position(|one| *one == (variable, component));
        known.unwrap_or_else(|| {
            self.used.push((variable, component));
            self.used.len() - 1
        })
    }

    /// The positions in the order in which the net declares its variables.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.used.len()).collect();
        order.sort_by_key(|&at| self.used[at]);
        order
    }
}

/// The colour of a term without variables.
pub(super) fn ground(term: &Term) -> u32 {
    let Base::Colour(at) = term.base else { unreachable!("there are no variables in markings") };
    (at + term.shift) % term.size
}

/// The parts of a term that stands for a tuple, with their classes.
type Tuple = Vec<(Part, usize)>;

impl<'a, 'i: 'a> Declarations<'a, 'i> {
    /// A multiset over a sort.
    pub(super) fn sum(
        &mut self,
        node: Node<'a, 'i>,
        sort: &[usize],
        scope: &mut Scope,
    ) -> Result<Sum, Diagnostic> {
        let operands: Vec<Node> = operands(node);
        match name(node) {
            "add" => {
                let mut sum = Vec::new();
                for one in operands {
                    sum.extend(self.sum(one, sort, scope)?);
                }
                Ok(sum)
            }
            "subtract" => {
                let [first, second] = operands[..] else { return Err(arity(node, 2)) };
                let mut sum = self.sum(first, sort, scope)?;
                let less = self.sum(second, sort, scope)?;
                sum.extend(less.into_iter().map(|(number, parts)| (-number, parts)));
                Ok(sum)
            }
            "numberof" | "scalarproduct" => {
                let (number, of) = match operands[..] {
                    [number, of] => (coefficient(number)?, of),
                    [of] => (1, of),
                    _ => return Err(arity(node, 2)),
                };
                let mut sum = self.sum(of, sort, scope)?;
                for (factor, _) in &mut sum {
                    let product = factor.checked_mul(signed(number));
                    let is_small = |one: &i64| one.unsigned_abs() <= MOST_TOKENS;
                    *factor =
                        product.filter(is_small).ok_or_else(|| super::too_many(span(node)))?;
                }
                sum.retain(|(number, _)| *number != 0);
                Ok(sum)
            }
            "empty" => Ok(Vec::new()),
            _ => {
                let tuple = self.tuple(node, scope)?;
                let of: Sort = tuple.iter().map(|(_, class)| *class).collect();
                if of != sort {
                    let message = format!(
                        "this is of the sort {}, but the place has tokens of {}",
                        self.show(&of),
                        self.show(sort)
                    );
                    return Err(Diagnostic::error(span(node), message));
                }
                Ok(vec![(1, tuple.into_iter().map(|(part, _)| part).collect())])
            }
        }
    }

    fn show(&self, sort: &[usize]) -> String {
        let names: Vec<String> =
            sort.iter().map(|&class| format!("`{}`", self.classes[class].name)).collect();
        if names.is_empty() { "black tokens".to_owned() } else { names.join(" × ") }
    }

    fn size(&self, class: usize) -> u32 {
        self.classes[class].colours.len() as u32
    }

    /// A tuple, or a term that stands for one.
    fn tuple(&mut self, node: Node<'a, 'i>, scope: &mut Scope) -> Result<Tuple, Diagnostic> {
        match name(node) {
            "dotconstant" => Ok(Vec::new()),
            "all" => {
                let sort = self.sort_inside(node)?;
                Ok(sort.into_iter().map(|class| (Part::All, class)).collect())
            }
            "tuple" => {
                let mut tuple = Vec::new();
                for one in operands(node) {
                    tuple.extend(self.tuple(one, scope)?);
                }
                Ok(tuple)
            }
            "variable" => {
                let id = attribute(node, "refvariable")?;
                let Some(&variable) = self.variable_ids.get(id) else {
                    return Err(Diagnostic::error(
                        span(node),
                        format!("there is no variable `{id}`"),
                    ));
                };
                if scope.is_ground {
                    let message = "a marking has no variables";
                    return Err(Diagnostic::error(span(node), message));
                }
                let sort = self.variables[variable].sort.clone();
                let part = |(component, class): (usize, usize)| {
                    let base = Base::Variable(scope.position(variable, component));
                    (Part::One(Term { base, shift: 0, size: self.size(class) }), class)
                };
                Ok(sort.into_iter().enumerate().map(part).collect())
            }
            "useroperator" => {
                let (class, at) = self.colour(attribute(node, "declaration")?, node)?;
                Ok(vec![(self.constant(class, at), class)])
            }
            "finiteintrangeconstant" => {
                let (class, at) = self.number(node)?;
                Ok(vec![(self.constant(class, at), class)])
            }
            "successor" | "predecessor" => {
                let [operand] = operands(node)[..] else { return Err(arity(node, 1)) };
                let (term, class) = self.colour_term(operand, scope)?;
                if !self.classes[class].is_cyclic {
                    let message = format!(
                        "`{}` is no cyclic enumeration: its colours have no successors",
                        self.classes[class].name
                    );
                    return Err(Diagnostic::error(span(node), message));
                }
                let by = if name(node) == "successor" { 1 } else { term.size - 1 };
                let shift = (term.shift + by % term.size) % term.size;
                Ok(vec![(Part::One(folded(Term { shift, ..term })), class)])
            }
            other => Err(unknown(node, &format!("`<{other}>` is not known in terms"))),
        }
    }

    fn constant(&self, class: usize, at: u32) -> Part {
        Part::One(Term { base: Base::Colour(at), shift: 0, size: self.size(class) })
    }

    /// A term for one colour.
    fn colour_term(
        &mut self,
        node: Node<'a, 'i>,
        scope: &mut Scope,
    ) -> Result<(Term, usize), Diagnostic> {
        match self.tuple(node, scope)?[..] {
            [(Part::One(term), class)] => Ok((term, class)),
            _ => Err(Diagnostic::error(span(node), "a single colour is expected")),
        }
    }

    /// A condition.
    pub(super) fn guard(
        &mut self,
        node: Node<'a, 'i>,
        scope: &mut Scope,
    ) -> Result<Guard, Diagnostic> {
        let operands: Vec<Node> = operands(node);
        let mut all = |of: &[Node<'a, 'i>]| {
            of.iter().map(|&one| self.guard(one, scope)).collect::<Result<Vec<Guard>, Diagnostic>>()
        };
        match name(node) {
            "and" => Ok(Guard::And(all(&operands)?)),
            "or" => Ok(Guard::Or(all(&operands)?)),
            "not" => match &all(&operands)?[..] {
                [one] => Ok(Guard::Not(Box::new(one.clone()))),
                _ => Err(arity(node, 1)),
            },
            "imply" => match &all(&operands)?[..] {
                [left, right] => {
                    Ok(Guard::Or(vec![Guard::Not(Box::new(left.clone())), right.clone()]))
                }
                _ => Err(arity(node, 2)),
            },
            "booleanconstant" => match attribute(node, "value")? {
                "true" => Ok(Guard::Constant(true)),
                "false" => Ok(Guard::Constant(false)),
                other => Err(Diagnostic::error(
                    span(node),
                    format!("`{other}` is neither true nor false"),
                )),
            },
            other => {
                let comparison = match other {
                    "equality" => Comparison::Equal,
                    "inequality" => Comparison::Unequal,
                    "lessthan" | "ltp" => Comparison::Less,
                    "lessthanorequal" => Comparison::AtMost,
                    "greaterthan" | "gtp" => Comparison::More,
                    "greaterthanorequal" => Comparison::AtLeast,
                    _ => {
                        return Err(unknown(
                            node,
                            &format!("`<{other}>` is not known in conditions"),
                        ));
                    }
                };
                let [left, right] = operands[..] else { return Err(arity(node, 2)) };
                self.comparison(node, comparison, left, right, scope)
            }
        }
    }

    fn comparison(
        &mut self,
        node: Node<'a, 'i>,
        comparison: Comparison,
        left: Node<'a, 'i>,
        right: Node<'a, 'i>,
        scope: &mut Scope,
    ) -> Result<Guard, Diagnostic> {
        let (left, right) = (self.sides(left, scope)?, self.sides(right, scope)?);
        let classes =
            |sides: &[(Side, usize)]| -> Sort { sides.iter().map(|(_, class)| *class).collect() };
        if classes(&left) != classes(&right) {
            let message = format!(
                "{} cannot be compared with {}",
                self.show(&classes(&left)),
                self.show(&classes(&right))
            );
            return Err(Diagnostic::error(span(node), message));
        }
        let pairs = left.into_iter().zip(right);
        let mut parts: Vec<Guard> =
            pairs.map(|((left, _), (right, _))| Guard::Compare(comparison, left, right)).collect();
        match (parts.len(), comparison) {
            (1, _) => Ok(parts.remove(0)),
            (_, Comparison::Equal) => Ok(Guard::And(parts)),
            (_, Comparison::Unequal) => Ok(Guard::Or(parts)),
            _ => Err(Diagnostic::error(span(node), "tuples have no order")),
        }
    }

    /// The colours of a side of a comparison, with their classes.
    fn sides(
        &mut self,
        node: Node<'a, 'i>,
        scope: &mut Scope,
    ) -> Result<Vec<(Side, usize)>, Diagnostic> {
        if name(node) == "partitionelementof" {
            let id = attribute(node, "refpartition")?;
            let Some(&number) = self.partition_ids.get(id) else {
                return Err(Diagnostic::error(span(node), format!("there is no partition `{id}`")));
            };
            let [operand] = operands(node)[..] else { return Err(arity(node, 1)) };
            let (term, class) = self.colour_term(operand, scope)?;
            let of = &self.partitions[number];
            if of.class != class {
                return Err(Diagnostic::error(span(node), format!("`{id}` divides another sort")));
            }
            return Ok(vec![(Side { term, partition: Some(number) }, of.elements)]);
        }
        let tuple = self.tuple(node, scope)?;
        let side = |(part, class): (Part, usize)| match part {
            Part::One(term) => Ok((Side { term, partition: None }, class)),
            Part::All => {
                Err(Diagnostic::error(span(node), "a colour is expected, not all of them"))
            }
        };
        tuple.into_iter().map(side).collect()
    }
}

/// A constant with its shift is another constant.
fn folded(term: Term) -> Term {
    match term.base {
        Base::Colour(at) => {
            Term { base: Base::Colour((at + term.shift) % term.size), shift: 0, ..term }
        }
        Base::Variable(_) => term,
    }
}

/// The operands of an operator: each in a `<subterm>`.
fn operands<'a, 'i: 'a>(node: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    elements(node)
        .filter_map(|one| if name(one) == "subterm" { elements(one).next() } else { Some(one) })
        .collect()
}

fn arity(node: Node<'_, '_>, expected: usize) -> Diagnostic {
    let message = format!("`<{}>` has {expected} operand(s)", name(node));
    Diagnostic::error(span(node), message)
}

/// Gives the variables of a term their final numbers.
fn renumber(term: &mut Term, position: &[usize]) {
    if let Base::Variable(at) = &mut term.base {
        *at = position[*at];
    }
}

/// The same in a condition.
pub(super) fn renumber_guard(guard: &mut Guard, position: &[usize]) {
    match guard {
        Guard::Constant(_) => {}
        Guard::And(parts) | Guard::Or(parts) => {
            for part in parts {
                renumber_guard(part, position);
            }
        }
        Guard::Not(part) => renumber_guard(part, position),
        Guard::Compare(_, left, right) => {
            renumber(&mut left.term, position);
            renumber(&mut right.term, position);
        }
    }
}

/// The same in a sum.
pub(super) fn renumber_sum(sum: &mut Sum, position: &[usize]) {
    for part in sum.iter_mut().flat_map(|(_, parts)| parts) {
        if let Part::One(term) = part {
            renumber(term, position);
        }
    }
}

/// The sum with one coefficient for each tuple.
pub(super) fn collected(sum: Sum) -> Sum {
    let mut parts: BTreeMap<Vec<Part>, i64> = BTreeMap::new();
    for (number, tuple) in sum {
        *parts.entry(tuple).or_default() += number;
    }
    parts
        .into_iter()
        .filter(|(_, number)| *number != 0)
        .map(|(tuple, number)| (number, tuple))
        .collect()
}
