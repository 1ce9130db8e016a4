//! Formulas without what the state equation decides.
//!
//! The [state equation](crate::equation) allows more markings than are reached. So a comparison of sums of
//! tokens that is true of all markings that it allows is true of all that are reached, and a transition
//! never fires if some place cannot have the tokens that it takes. With these values in their places the
//! formula has the same truth on every run of the net: all its positions are markings that are reached. It
//! may turn out to be constant.

use crate::equation::Equation;
use crate::formula::{Atom, Builder, Value};
use crate::net::Net;
use crate::{Condition, Formula};
use hashbrown::HashMap;
use ltl::{Formulas, Node};

/// Simplifies formulas about a net.
pub struct Simplifier<'n> {
    net: &'n Net,
    equation: Equation,
    /// What is known of sums.
    known: HashMap<Vec<(i64, usize)>, Option<i128>>,
    /// By transition: whether it never fires, if that was asked.
    never: Vec<Option<bool>>,
}

impl<'n> Simplifier<'n> {
    /// For formulas about this net, unless it is too large.
    pub fn of(net: &'n Net) -> Option<Simplifier<'n>> {
        let (equation, known) = (Equation::of(net)?, HashMap::new());
        Some(Simplifier { net, equation, known, never: vec![None; net.transitions.len()] })
    }

    /// A formula that is true of the same runs of the net; none if nothing is simpler.
    pub fn simplified(&mut self, formula: &Formula) -> Option<Formula> {
        let mut is_simpler = false;
        let mut values = Vec::new();
        for atom in &formula.atoms {
            let Atom::Marking(condition) = atom else {
                values.push(None);
                continue;
            };
            let simple = self.condition(condition);
            is_simpler |= simple != *condition;
            values.push(Some(simple));
        }
        if !is_simpler {
            return None;
        }
        let mut rebuilt = Rebuilt { formula, values, builder: Builder::default() };
        let value = rebuilt.value(formula.root);
        Some(rebuilt.builder.finish(value, formula.text.clone()))
    }

    /// The same for markings that are reached.
    fn condition(&mut self, condition: &Condition) -> Condition {
        match condition {
            Condition::Constant(value) => Condition::Constant(*value),
            Condition::Not(inner) => self.condition(inner).negated(),
            Condition::And(parts) => Condition::and(parts.iter().map(|one| self.condition(one))),
            Condition::Or(parts) => Condition::or(parts.iter().map(|one| self.condition(one))),
            Condition::AtMostZero(sum) => {
                let constant = i128::from(sum.constant);
                if self.most(&sum.places).is_some_and(|most| constant + most <= 0) {
                    return Condition::Constant(true);
                }
                let negated: Vec<(i64, usize)> =
                    sum.places.iter().map(|&(factor, place)| (-factor, place)).collect();
                // The least value is the greatest of the negated sum, negated.
                if self.most(&negated).is_some_and(|most| constant - most > 0) {
                    return Condition::Constant(false);
                }
                condition.clone()
            }
            Condition::Fireable(of) => {
                Condition::fireable(of.iter().copied().filter(|&one| !self.never_fires(one)))
            }
        }
    }

    fn most(&mut self, places: &[(i64, usize)]) -> Option<i128> {
        if let Some(&known) = self.known.get(places) {
            return known;
        }
        let most = self.equation.most(places);
        self.known.insert(places.to_vec(), most);
        most
    }

    /// Whether some place never has the tokens that a transition takes. What subtracts is not asked.
    fn never_fires(&mut self, transition: usize) -> bool {
        if let Some(known) = self.never[transition] {
            return known;
        }
        let net = self.net;
        let never = net.transitions[transition].inputs.iter().any(|arc| {
            let is_sum = arc.sum.iter().all(|(number, _)| *number > 0);
            let least = i128::from(is_sum);
            self.most(&[(1, arc.place)]).is_some_and(|most| most < least)
        });
        self.never[transition] = Some(never);
        never
    }
}

/// A formula that is made anew with other conditions.
struct Rebuilt<'f> {
    formula: &'f Formula,
    /// By atom: its condition, if it is one.
    values: Vec<Option<Condition>>,
    builder: Builder,
}

impl Rebuilt<'_> {
    fn value(&mut self, part: ltl::Formula) -> Value {
        let formulas: &Formulas = &self.formula.formulas;
        let constant = |value: bool| Value::Condition(Condition::Constant(value));
        match formulas.node(part) {
            Node::False => constant(false),
            Node::True => constant(true),
            Node::Atom(atom) => match &self.values[atom.0 as usize] {
                Some(condition) => Value::Condition(condition.clone()),
                None => match &self.formula.atoms[atom.0 as usize] {
                    Atom::Event(event) => self.builder.event(event.clone()),
                    Atom::Marking(condition) => Value::Condition(condition.clone()),
                },
            },
            Node::Not(inner) => {
                let inner = self.value(inner);
                self.builder.not(inner)
            }
            Node::And(all) | Node::Or(all) => {
                let is_and = matches!(formulas.node(part), Node::And(_));
                let all = all.iter().map(|&one| self.value(one)).collect();
                self.builder.join(is_and, all)
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let left = self.builder.not(left);
                self.builder.join(false, vec![left, right])
            }
            Node::Next(inner) | Node::Finally(inner) | Node::Globally(inner) => {
                let inner = self.value(inner);
                if let Value::Condition(Condition::Constant(_)) = inner {
                    return inner;
                }
                let inner = self.builder.temporal(inner);
                self.builder.node(match formulas.node(part) {
                    Node::Next(_) => Node::Next(inner),
                    Node::Finally(_) => Node::Finally(inner),
                    _ => Node::Globally(inner),
                })
            }
            Node::Until(left, right)
            | Node::WeakUntil(left, right)
            | Node::Release(left, right)
            | Node::StrongRelease(left, right)
            | Node::Xor(left, right)
            | Node::Iff(left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.two(formulas.node(part), left, right)
            }
        }
    }

    fn two(&mut self, node: Node<'_>, left: Value, right: Value) -> Value {
        let truth = |value: &Value| match value {
            Value::Condition(Condition::Constant(value)) => Some(*value),
            _ => None,
        };
        match (node, truth(&left), truth(&right)) {
            // The right side decides alone: `f U true`, `f R false`, and the like.
            (Node::Until(..) | Node::Release(..), _, Some(_))
            | (Node::Until(..) | Node::WeakUntil(..), Some(false), _)
            | (Node::Release(..) | Node::StrongRelease(..), Some(true), _)
            | (Node::WeakUntil(..), _, Some(true))
            | (Node::StrongRelease(..), _, Some(false)) => return right,
            (Node::WeakUntil(..), Some(true), _) => {
                return Value::Condition(Condition::Constant(true));
            }
            (Node::StrongRelease(..), Some(false), _) => {
                return Value::Condition(Condition::Constant(false));
            }
            _ => {}
        }
        let (f, g) = (self.builder.temporal(left), self.builder.temporal(right));
        self.builder.node(match node {
            Node::Until(..) => Node::Until(f, g),
            Node::WeakUntil(..) => Node::WeakUntil(f, g),
            Node::Release(..) => Node::Release(f, g),
            Node::StrongRelease(..) => Node::StrongRelease(f, g),
            Node::Xor(..) => Node::Xor(f, g),
            _ => Node::Iff(f, g),
        })
    }
}
