//! Formulas about nets: temporal operators over conditions on markings, and events.
//!
//! A condition is one atom of the temporal formula, however large it is, so that automata stay small.

use ltl::printer::{Syntax, print_named};
use ltl::{Formulas, Node};
use std::fmt::Write as _;

/// A temporal formula about a net.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name or its text, for messages.
    pub text: String,
    /// Where `root` and its parts are.
    pub formulas: Formulas,
    /// The formula.
    pub root: ltl::Formula,
    /// By number.
    pub atoms: Vec<Atom>,
}

/// An atom of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A condition on markings.
    Marking(Condition),
    /// An event.
    Event(Event),
}

/// A condition on markings. Invariant, from [`Condition::and`] and the like: no constant inside another
/// condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// Not this one.
    Not(Box<Condition>),
    /// All of them.
    And(Vec<Condition>),
    /// One of them.
    Or(Vec<Condition>),
    /// A sum of tokens that is at most 0.
    AtMostZero(Sum),
    /// Some binding of one of these transitions is enabled. In ascending order.
    Fireable(Vec<usize>),
}

/// A sum of numbers of tokens.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sum {
    /// Added to the others.
    pub constant: i64,
    /// Factors and places, all colours of each together: in ascending order of places, no factor is 0.
    pub places: Vec<(i64, usize)>,
}

/// Steps of a transition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// The transition; none stands for all of them.
    pub transition: Option<usize>,
    /// The colours that its variables must have: by variable; none stands for all colours.
    pub binding: Vec<Option<u32>>,
}

impl Sum {
    /// A sum in which a place may come more than once.
    pub fn new(constant: i64, places: impl IntoIterator<Item = (i64, usize)>) -> Sum {
        let mut sum = Sum { constant, places: Vec::new() };
        let mut all: Vec<(i64, usize)> = places.into_iter().collect();
        all.sort_by_key(|&(_, place)| place);
        for (factor, place) in all {
            match sum.places.last_mut() {
                Some((before, last)) if *last == place => *before += factor,
                _ => sum.places.push((factor, place)),
            }
        }
        sum.places.retain(|&(factor, _)| factor != 0);
        sum
    }

    /// This one less another one.
    #[must_use]
    pub fn less(&self, other: &Sum) -> Sum {
        let negated = other.places.iter().map(|&(factor, place)| (-factor, place));
        Sum::new(
            self.constant.saturating_sub(other.constant),
            self.places.iter().copied().chain(negated),
        )
    }
}

impl Condition {
    /// A sum is at most another one.
    pub fn at_most(left: &Sum, right: &Sum) -> Condition {
        let difference = left.less(right);
        if difference.places.is_empty() {
            Condition::Constant(difference.constant <= 0)
        } else {
            Condition::AtMostZero(difference)
        }
    }

    /// Some of these transitions can fire.
    pub fn fireable(transitions: impl IntoIterator<Item = usize>) -> Condition {
        let mut transitions: Vec<usize> = transitions.into_iter().collect();
        transitions.sort_unstable();
        transitions.dedup();
        if transitions.is_empty() {
            Condition::Constant(false)
        } else {
            Condition::Fireable(transitions)
        }
    }

    /// Not this one.
    #[must_use]
    pub fn negated(self) -> Condition {
        match self {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// All of these.
    pub fn and(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Condition::Constant(true) => {}
                Condition::Constant(false) => return Condition::Constant(false),
                Condition::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Condition::Constant(true),
            1 => all.remove(0),
            _ => Condition::And(all),
        }
    }

    /// Some of these.
    pub fn or(parts: impl IntoIterator<Item = Condition>) -> Condition {
        Condition::and(parts.into_iter().map(Condition::negated)).negated()
    }

    /// The condition with these values in place of sums and transitions: in any front end the same.
    pub fn evaluate(
        &self,
        sum: &mut impl FnMut(&Sum) -> i64,
        fireable: &mut impl FnMut(&[usize]) -> bool,
    ) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Not(inner) => !inner.evaluate(sum, fireable),
            Condition::And(parts) => parts.iter().all(|part| part.evaluate(sum, fireable)),
            Condition::Or(parts) => parts.iter().any(|part| part.evaluate(sum, fireable)),
            Condition::AtMostZero(of) => sum(of) <= 0,
            Condition::Fireable(of) => fireable(of),
        }
    }
}

impl Formula {
    /// A formula that no run satisfies.
    #[must_use]
    pub fn unsatisfiable(&self) -> Formula {
        Formula { root: ltl::Formula::FALSE, ..self.clone() }
    }

    /// The condition of a formula `G condition`: that all markings satisfy it means the same as that all
    /// runs satisfy the formula, because every marking that can be reached is in some run.
    pub fn invariant(&self) -> Option<Condition> {
        let condition = |f| match self.formulas.node(f) {
            Node::Atom(atom) => match &self.atoms[atom.0 as usize] {
                Atom::Marking(condition) => Some(condition.clone()),
                Atom::Event(_) => None,
            },
            _ => None,
        };
        let Node::Globally(inner) = self.formulas.node(self.root) else { return None };
        match self.formulas.node(inner) {
            Node::Not(operand) => condition(operand).map(Condition::negated),
            _ => condition(inner),
        }
    }

    /// Colours that the atoms name.
    pub fn named(&self, net: &crate::Net) -> Vec<(usize, u32)> {
        let mut named = Vec::new();
        for atom in &self.atoms {
            if let Atom::Event(Event { transition: Some(transition), binding }) = atom {
                let variables = &net.transitions[*transition].variables;
                for (variable, colour) in variables.iter().zip(binding) {
                    named.extend(colour.map(|colour| (variable.class, colour)));
                }
            }
        }
        named
    }
}

/// Makes formulas: what is not temporal becomes a condition, and a condition an atom only where a
/// temporal operator needs it.
#[derive(Debug, Default)]
pub struct Builder {
    formulas: Formulas,
    atoms: Vec<Atom>,
}

/// A formula that is being made.
#[derive(Clone, Debug)]
pub enum Value {
    /// Without temporal operators.
    Condition(Condition),
    /// With them, or with events.
    Temporal(ltl::Formula),
}

impl Builder {
    /// The value as a temporal formula. A negated condition is the negation of an atom.
    pub fn temporal(&mut self, value: Value) -> ltl::Formula {
        match value {
            Value::Temporal(formula) => formula,
            Value::Condition(Condition::Constant(value)) => {
                if value {
                    ltl::Formula::TRUE
                } else {
                    ltl::Formula::FALSE
                }
            }
            Value::Condition(Condition::Not(inner)) => {
                let inner = self.atom(Atom::Marking(*inner));
                self.formulas.written(Node::Not(inner))
            }
            Value::Condition(condition) => self.atom(Atom::Marking(condition)),
        }
    }

    fn atom(&mut self, atom: Atom) -> ltl::Formula {
        let known = self.atoms.iter().position(|one| *one == atom);
        let number = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        self.formulas.written(Node::Atom(ltl::Atom(number as u32)))
    }

    /// An event.
    pub fn event(&mut self, event: Event) -> Value {
        Value::Temporal(self.atom(Atom::Event(event)))
    }

    /// A formula with one operator.
    pub fn node(&mut self, node: Node<'_>) -> Value {
        Value::Temporal(self.formulas.written(node))
    }

    /// How deep a value is.
    pub fn depth(&self, value: &Value) -> u32 {
        match value {
            Value::Condition(_) => 0,
            Value::Temporal(formula) => self.formulas.depth(*formula),
        }
    }

    /// `!value`
    pub fn not(&mut self, value: Value) -> Value {
        match value {
            Value::Condition(condition) => Value::Condition(condition.negated()),
            Value::Temporal(formula) => self.node(Node::Not(formula)),
        }
    }

    /// All or some of these.
    pub fn join(&mut self, is_and: bool, values: Vec<Value>) -> Value {
        let (mut conditions, mut temporal) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Condition(condition) => conditions.push(condition),
                Value::Temporal(formula) => temporal.push(formula),
            }
        }
        let joined = if is_and { Condition::and(conditions) } else { Condition::or(conditions) };
        if temporal.is_empty() || joined == Condition::Constant(!is_and) {
            return Value::Condition(joined);
        }
        if joined != Condition::Constant(is_and) {
            let joined = self.temporal(Value::Condition(joined));
            temporal.push(joined);
        }
        match temporal[..] {
            [one] => Value::Temporal(one),
            _ if is_and => self.node(Node::And(&temporal)),
            _ => self.node(Node::Or(&temporal)),
        }
    }

    /// The whole formula.
    pub fn finish(mut self, value: Value, text: String) -> Formula {
        let root = self.temporal(value);
        Formula { text, formulas: self.formulas, root, atoms: self.atoms }
    }
}

/// A formula as text, which [`text::parse`](crate::text::parse) reads; none if it is too long.
pub fn written(net: &crate::Net, formula: &Formula) -> Option<String> {
    /// A formula of a property file is shorter.
    const LONGEST: usize = 1 << 20;
    let name = |atom: ltl::Atom| {
        let text = show_atom(net, &formula.atoms[atom.0 as usize]);
        (atom, if text.starts_with('@') { text } else { format!("({text})") })
    };
    let names = formula.formulas.atoms(formula.root).into_iter().map(name).collect();
    print_named(LONGEST, &formula.formulas, names, formula.root, Syntax::Isonomy).ok()
}

/// A condition, as it is written in formulas.
pub fn show(net: &crate::Net, condition: &Condition) -> String {
    match condition {
        Condition::Constant(value) => value.to_string(),
        Condition::Not(inner) => format!("!({})", show(net, inner)),
        Condition::And(parts) => joined(net, parts, " & "),
        Condition::Or(parts) => joined(net, parts, " | "),
        Condition::AtMostZero(sum) => show_sum(net, sum),
        Condition::Fireable(of) => {
            let names: Vec<String> = of.iter().map(|&at| quoted(&net.transitions[at].id)).collect();
            format!("fireable({})", names.join(", "))
        }
    }
}

fn joined(net: &crate::Net, parts: &[Condition], operator: &str) -> String {
    let parts: Vec<String> = parts.iter().map(|part| show(net, part)).collect();
    format!("({})", parts.join(operator))
}

fn show_sum(net: &crate::Net, sum: &Sum) -> String {
    let side = |is_left: bool| {
        let mut text = String::new();
        for &(factor, place) in sum.places.iter().filter(|(factor, _)| (*factor > 0) == is_left) {
            let joint = if text.is_empty() { "" } else { " + " };
            let times = match factor.unsigned_abs() {
                1 => String::new(),
                factor => format!("{factor} * "),
            };
            let _ = write!(text, "{joint}{times}tokens({})", quoted(&net.places[place].id));
        }
        let constant = if is_left { sum.constant.max(0) } else { (-sum.constant).max(0) };
        if constant != 0 || text.is_empty() {
            let joint = if text.is_empty() { "" } else { " + " };
            let _ = write!(text, "{joint}{constant}");
        }
        text
    };
    format!("{} <= {}", side(true), side(false))
}

/// A name, in quotes if it is no identifier.
pub fn quoted(name: &str) -> String {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_word =
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_letter);
    if is_word { name.to_owned() } else { format!("\"{name}\"") }
}

/// An atom, as it is written in formulas.
pub fn show_atom(net: &crate::Net, atom: &Atom) -> String {
    match atom {
        Atom::Marking(condition) => show(net, condition),
        Atom::Event(Event { transition: None, .. }) => "@_".to_owned(),
        Atom::Event(Event { transition: Some(at), binding }) => {
            let of = &net.transitions[*at];
            let colours = of.variables.iter().zip(binding).map(|(variable, colour)| match colour {
                Some(colour) => net.colour(variable.class, *colour).to_owned(),
                None => "_".to_owned(),
            });
            let colours: Vec<String> = colours.collect();
            if binding.iter().all(Option::is_none) {
                format!("@{}", quoted(&of.id))
            } else {
                format!("@{}({})", quoted(&of.id), colours.join(", "))
            }
        }
    }
}
