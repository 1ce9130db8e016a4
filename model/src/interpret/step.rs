//! States, steps, and their texts for users.

use super::super::checked::{EventId, FamilyId, Model};
use super::super::types::{Type, TypeId, Types};
use super::super::value::{Scalar, Value, in_order};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A state: one value per global variable, in their order, all settled ([`Value::settle`]).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State(pub Vec<Value>);

/// The process that executes a step.
///
/// A process is an index or a name: two families that contain the same index (a type, and a union
/// of it) contain the same process. So that equal processes compare equal, the family of an index
/// or an enum member is the first one that contains it ([`Process::new`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Process {
    /// The family.
    pub family: FamilyId,
    /// The member of the family; `None` if it is a single process.
    pub member: Option<Scalar>,
}

/// The observable part of a step: the event and its arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Event {
    /// The event.
    pub event: EventId,
    /// The values of the parameters and the chosen elements around the rule, outermost first.
    pub arguments: Vec<Value>,
}

/// A step of the system.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The rule, by its position in [`Model::rules`].
    pub rule: usize,
    /// The process that executes it.
    pub process: Process,
    /// The event, with its arguments.
    pub event: Event,
    /// The successor.
    pub target: State,
}

/// A part of the state that a step changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The place as a designator: `st[client_0]`.
    pub place: String,
    /// The old value.
    pub before: String,
    /// The new value.
    pub after: String,
    /// What was removed and added, if it is a multiset, a set, or a queue that lost elements at its head
    /// and got others at its tail.
    pub edit: Option<Edit>,
}

/// How the elements of a multiset, a set or a queue change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The elements that are there no more.
    pub removed: Vec<String>,
    /// The new elements.
    pub added: Vec<String>,
}

impl Change {
    /// The change as it is written after the name of the place: `Idle -> Waiting`, `- 1 + 2, 3`. The text
    /// of what is new is `emphasised`.
    pub fn show(&self, emphasised: impl Fn(&str) -> String) -> String {
        let Some(Edit { removed, added }) = &self.edit else {
            return format!("{} -> {}", self.before, emphasised(&self.after));
        };
        match (removed.is_empty(), added.is_empty()) {
            (_, true) => format!("- {}", removed.join(", ")),
            (true, false) => format!("+ {}", emphasised(&added.join(", "))),
            (false, false) => {
                format!("- {} + {}", removed.join(", "), emphasised(&added.join(", ")))
            }
        }
    }
}

impl State {
    /// One line per simple variable or part, and per multiset: `st[client_0] = Idle`.
    pub fn show(&self, model: &Model) -> String {
        let mut out = String::new();
        for (place, value) in self.parts(model) {
            let _ = writeln!(out, "{place} = {value}");
        }
        out
    }

    /// The simple variables, simple parts of others, and multisets, each with its value. All states
    /// of a model have the same places, in the same order.
    pub fn parts(&self, model: &Model) -> Vec<(String, String)> {
        let mut parts = Vec::new();
        for (variable, value) in model.variables.iter().zip(&self.0) {
            leaves(
                &model.types,
                variable.of,
                &variable.name,
                &[value],
                &mut |place, of, values| {
                    parts.push((place.to_owned(), values[0].show(&model.types, of)));
                },
            );
        }
        parts
    }

    /// The differences from `before`, part by part.
    pub fn changes(&self, before: &State, model: &Model) -> Vec<Change> {
        let mut changes = Vec::new();
        for ((variable, old), new) in model.variables.iter().zip(&before.0).zip(&self.0) {
            // Most variables do not change: their parts need no names.
            if old == new {
                continue;
            }
            leaves(
                &model.types,
                variable.of,
                &variable.name,
                &[old, new],
                &mut |place, of, both| {
                    if both[0] != both[1] {
                        let place = place.to_owned();
                        let [before, after] = [0, 1].map(|k| both[k].show(&model.types, of));
                        let edit = edit(&model.types, of, both[0], both[1]);
                        changes.push(Change { place, before, after, edit });
                    }
                },
            );
        }
        changes
    }
}

/// What was removed from a multiset, set or queue, and added to it. None for other values, and if the
/// queue has changed in another way.
fn edit(types: &Types, of: TypeId, before: &Value, after: &Value) -> Option<Edit> {
    match (before, after, types.get(of)) {
        (Value::Multiset(before), Value::Multiset(after), Type::Multiset { element, .. }) => {
            let missing = |from: &[Option<Value>], there: &[Option<Value>]| {
                let mut there: Vec<&Value> = there.iter().flatten().collect();
                let mut missing = Vec::new();
                for one in from.iter().flatten() {
                    match there.iter().position(|other| *other == one) {
                        Some(at) => drop(there.swap_remove(at)),
                        None => missing.push(one.show(types, *element)),
                    }
                }
                missing
            };
            Some(Edit { removed: missing(before, after), added: missing(after, before) })
        }
        (Value::Set(before), Value::Set(after), Type::Set(element)) => {
            let missing = |from, there: &BTreeSet<Scalar>| {
                let missing = in_order(types, *element, from).filter(|one| !there.contains(one));
                missing.map(|one| one.show(types)).collect()
            };
            Some(Edit { removed: missing(before, after), added: missing(after, before) })
        }
        (Value::Queue(before), Value::Queue(after), Type::Queue { element, .. }) => {
            // The fewest elements that have left.
            let left = (0..=before.len()).find(|&left| after.starts_with(&before[left..]))?;
            // Nothing has stayed: that is a new queue.
            if left == before.len() && !before.is_empty() && !after.is_empty() {
                return None;
            }
            let show = |all: &[Value]| all.iter().map(|one| one.show(types, *element)).collect();
            let removed = show(&before[..left]);
            Some(Edit { removed, added: show(&after[before.len() - left..]) })
        }
        _ => None,
    }
}

/// Visits the simple parts and the multisets of some values of one type, side by side.
fn leaves(
    types: &Types,
    of: TypeId,
    place: &str,
    values: &[&Value],
    visit: &mut dyn FnMut(&str, TypeId, &[&Value]),
) {
    let parts = |k: usize| -> Vec<&Value> { values.iter().map(|value| part(value, k)).collect() };
    match types.get(of) {
        Type::Array { index, element } => {
            for k in 0..types.size(*index) {
                let key = Scalar::nth(types, *index, k).show(types);
                leaves(types, *element, &format!("{place}[{key}]"), &parts(k as usize), visit);
            }
        }
        Type::Record(fields) => {
            for (k, (name, of)) in fields.iter().enumerate() {
                leaves(types, *of, &format!("{place}.{name}"), &parts(k), visit);
            }
        }
        _ => visit(place, of, values),
    }
}

/// The k-th part of an array or a record.
fn part(value: &Value, k: usize) -> &Value {
    match value {
        Value::Parts(parts) => &parts[k],
        _ => unreachable!("arrays and records have parts"),
    }
}

impl Process {
    /// The process of this family and member, with the first family that contains the member.
    pub fn new(model: &Model, family: FamilyId, member: Option<Scalar>) -> Process {
        let Some(scalar @ (Scalar::Member(..) | Scalar::Index(..))) = member else {
            return Process { family, member };
        };
        let contains = |of: Option<TypeId>| of.is_some_and(|of| scalar.is_in(&model.types, of));
        let first = model.processes.iter().position(|family| contains(family.of));
        let first = first.expect("the family of a process contains it");
        Process { family: FamilyId(first as u32), member }
    }

    /// The text for users: `client_1`, `server`, `system`; a number of a range follows the name of
    /// its family.
    pub fn show(&self, model: &Model) -> String {
        let name = &model.processes[self.family.0 as usize].name;
        match self.member {
            None => name.clone(),
            Some(Scalar::Number(n)) => format!("{name}_{n}"),
            Some(scalar) => scalar.show(&model.types),
        }
    }
}

impl Event {
    /// The text for users: `grant(client_1)`.
    pub fn show(&self, model: &Model) -> String {
        let event = &model.events[self.event.0 as usize];
        let types = event.parameters.iter().map(|&(_, of)| of);
        applied(&event.name, &self.arguments, types, &model.types)
    }
}

/// A name with its arguments; in quotes if it is not an identifier.
pub(super) fn applied(
    name: &str,
    arguments: &[Value],
    of: impl Iterator<Item = TypeId>,
    types: &Types,
) -> String {
    let mut out = if is_identifier(name) {
        name.to_owned()
    } else {
        let mut quoted = String::from("\"");
        for c in name.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                // On one line, as the language writes it.
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                '\r' => quoted.push_str("\\r"),
                c => quoted.push(c),
            }
        }
        quoted + "\""
    };
    for (k, (value, of)) in arguments.iter().zip(of).enumerate() {
        let _ = write!(out, "{}{}", if k > 0 { ", " } else { "(" }, value.show(types, of));
    }
    if !arguments.is_empty() {
        out.push(')');
    }
    out
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(all: &[i64]) -> Vec<Value> {
        all.iter().map(|&one| Value::Scalar(Scalar::Number(one))).collect()
    }

    /// What is removed and added, of all queues and multisets of up to three of two elements: the elements
    /// that stay and those that come are the elements after.
    #[test]
    fn edits_lead_from_before_to_after() {
        let mut types = Types::new();
        let small = types.intern(Type::Range { low: 1, high: 2 });
        let queue = types.intern(Type::Queue { capacity: 3, element: small });
        let bag = types.intern(Type::Multiset { capacity: 3, element: small });
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for k in 0..7 {
            for more in [1, 2] {
                let longer = [&all[k][..], &[more]].concat();
                all.push(longer);
            }
        }
        let shown = |all: &[i64]| -> Vec<String> { all.iter().map(i64::to_string).collect() };
        for before in &all {
            for after in &all {
                let [one, other] = [before, after].map(|all| Value::Queue(numbers(all)));
                if let Some(Edit { removed, added }) = edit(&types, queue, &one, &other) {
                    let stays = &before[removed.len()..];
                    assert_eq!(removed, shown(&before[..removed.len()]));
                    assert_eq!([shown(stays), added].concat(), shown(after), "{before:?}");
                } else {
                    let stays = |k: usize| after.starts_with(&before[k..]);
                    assert!(!before.is_empty() && !after.is_empty());
                    assert!(!(0..before.len()).any(stays), "{before:?} {after:?}");
                }
                let mut sorted = [before.clone(), after.clone()];
                for all in &mut sorted {
                    all.sort_unstable();
                }
                let bags = sorted
                    .each_ref()
                    .map(|all| Value::Multiset(numbers(all).into_iter().map(Some).collect()));
                let Edit { removed, added } =
                    edit(&types, bag, &bags[0], &bags[1]).expect("multisets have edits");
                assert!(removed.iter().all(|one| !added.contains(one)), "{before:?} {after:?}");
                let mut made = shown(before);
                for one in &removed {
                    made.remove(made.iter().position(|other| other == one).expect("it was there"));
                }
                made.extend(added);
                made.sort_unstable();
                assert_eq!(made, shown(&sorted[1]));
            }
        }
    }
}
