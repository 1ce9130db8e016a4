//! Values of a model as cells.
//!
//! A *cell* holds a simple value as one `i64` (see [`Layout`]): a number as it is, a member of an
//! enumeration, an index type or a union as its position there. Variables follow each other in the
//! order of the model.

pub use engine::system::layout::{Layout, PRESENT, Shape, Slots, UNDEFINED};

use model::checked::{Model, Scope};
use model::interpret::{Event, Process, State};
use model::types::{Type, TypeId, Types};
use model::value::{Scalar, Value};

/// The layout of a model's states.
pub fn layout_of(model: &Model) -> Layout {
    Layout::new(model.variables.iter().map(|one| shape_of(&model.types, one.of)).collect())
}

/// The shape of a type.
pub fn shape_of(types: &Types, of: TypeId) -> Shape {
    let indices = |of| {
        let mut first = 0;
        let mut found = Vec::new();
        let members = match types.get(of) {
            Type::Union(members) => members.clone(),
            _ => vec![of],
        };
        for member in members {
            if let Type::Index(id) = types.get(member) {
                found.push((*id, first));
            }
            first += types.size(member) as i64;
        }
        found
    };
    match types.get(of) {
        Type::Array { index, element } => Shape::Array {
            length: types.size(*index),
            indices: indices(*index),
            element: Box::new(shape_of(types, *element)),
        },
        Type::Record(fields) => {
            Shape::Record(fields.iter().map(|&(_, of)| shape_of(types, of)).collect())
        }
        // Each value that is there has a defined cell.
        Type::Set(element) => Shape::Array {
            length: types.size(*element),
            indices: indices(*element),
            element: Box::new(Shape::range(PRESENT, PRESENT)),
        },
        // The length, which is undefined if it is 0: so an empty queue has no defined cell, and there
        // is one way to write each queue.
        Type::Queue { capacity, element } => Shape::Record(vec![
            Shape::range(1, i64::from(*capacity)),
            Shape::Array {
                length: u64::from(*capacity),
                indices: Vec::new(),
                element: Box::new(shape_of(types, *element)),
            },
        ]),
        Type::Multiset { capacity, element } => {
            Shape::Multiset { capacity: *capacity, element: Box::new(shape_of(types, *element)) }
        }
        Type::Range { low, high } => Shape::range(*low, *high),
        Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => {
            Shape::Simple { low: 0, values: types.size(of), indices: indices(of) }
        }
    }
}

/// The state of the reference interpreter with these cells.
pub fn state_of(model: &Model, cells: &[i64]) -> State {
    let mut rest = cells;
    State(model.variables.iter().map(|one| value(&model.types, one.of, &mut rest)).collect())
}

/// Writes the cells of a state of the reference interpreter.
pub fn flatten_state(model: &Model, state: &State, cells: &mut Vec<i64>) {
    cells.clear();
    for (variable, value) in model.variables.iter().zip(&state.0) {
        flatten(&model.types, variable.of, value, cells);
    }
}

/// The owner and the event of a step of a rule with these cells of arguments.
pub fn action_of(model: &Model, rule: usize, arguments: &[i64]) -> (Process, Event) {
    let rule = &model.rules[rule];
    let mut rest = arguments;
    let mut values = Vec::new();
    let mut member = None;
    for scope in &rule.scope {
        let (Scope::Parameter { local, .. } | Scope::Choose { local, .. }) = scope else {
            continue;
        };
        let value = value(&model.types, rule.locals[local.0 as usize].of, &mut rest);
        if let Value::Scalar(scalar) = value
            && rule.owner.parameter == Some(*local)
        {
            member = Some(scalar);
        }
        values.push(value);
    }
    let process = Process::new(model, rule.owner.family, member);
    (process, Event { event: rule.event, arguments: values })
}

/// The number of cells of a value.
pub fn width(types: &Types, of: TypeId) -> usize {
    types.cells(of) as usize
}

/// The cell of a simple value.
pub fn encode(types: &Types, of: TypeId, value: Scalar) -> i64 {
    match value {
        Scalar::Number(n) => n,
        _ => value.position(types, of).expect("a value is in its type") as i64,
    }
}

/// The simple value of a cell that is defined.
pub fn decode(types: &Types, of: TypeId, cell: i64) -> Scalar {
    match types.get(of) {
        Type::Range { .. } => Scalar::Number(cell),
        _ => Scalar::nth(types, of, cell as u64),
    }
}

fn value(types: &Types, of: TypeId, rest: &mut &[i64]) -> Value {
    match types.get(of) {
        Type::Array { index, element } => {
            Value::Parts((0..types.size(*index)).map(|_| value(types, *element, rest)).collect())
        }
        Type::Record(fields) => {
            Value::Parts(fields.iter().map(|&(_, of)| value(types, of, rest)).collect())
        }
        Type::Set(element) => {
            let all = (0..types.size(*element)).map(|k| Scalar::nth(types, *element, k));
            let cells: Vec<_> = all.map(|one| (one, take(rest))).collect();
            let there = cells.into_iter().filter(|(_, cell)| *cell == PRESENT);
            Value::Set(there.map(|(one, _)| one).collect())
        }
        Type::Queue { capacity, element } => {
            let length = match take(rest) {
                UNDEFINED => 0,
                length => length as usize,
            };
            let mut elements: Vec<_> =
                (0..*capacity).map(|_| value(types, *element, rest)).collect();
            elements.truncate(length);
            Value::Queue(elements)
        }
        Type::Multiset { capacity, element } => {
            let mut elements = Vec::new();
            for _ in 0..*capacity {
                let present = take(rest) == PRESENT;
                let element = value(types, *element, rest);
                elements.extend(present.then_some(Some(element)));
            }
            let mut multiset = Value::Multiset(elements);
            multiset.settle();
            multiset
        }
        _ => match take(rest) {
            UNDEFINED => Value::Undefined,
            cell => Value::Scalar(decode(types, of, cell)),
        },
    }
}

fn take(rest: &mut &[i64]) -> i64 {
    let (&first, behind) = rest.split_first().expect("a state has all of its cells");
    *rest = behind;
    first
}

/// Appends the cells of a value.
pub fn flatten(types: &Types, of: TypeId, value: &Value, cells: &mut Vec<i64>) {
    match (value, types.get(of)) {
        (Value::Undefined, _) => cells.push(UNDEFINED),
        (Value::Scalar(scalar), _) => cells.push(encode(types, of, *scalar)),
        (Value::Parts(parts), Type::Array { element, .. }) => {
            for part in parts {
                flatten(types, *element, part, cells);
            }
        }
        (Value::Parts(parts), Type::Record(fields)) => {
            for (part, (_, of)) in parts.iter().zip(fields) {
                flatten(types, *of, part, cells);
            }
        }
        (Value::Set(elements), Type::Set(element)) => {
            let all = (0..types.size(*element)).map(|k| Scalar::nth(types, *element, k));
            let cell = |one| if elements.contains(&one) { PRESENT } else { UNDEFINED };
            cells.extend(all.map(cell));
        }
        (Value::Queue(elements), Type::Queue { capacity, element }) => {
            let end = cells.len() + 1 + *capacity as usize * width(types, *element);
            cells.push(if elements.is_empty() { UNDEFINED } else { elements.len() as i64 });
            for part in elements {
                flatten(types, *element, part, cells);
            }
            cells.resize(end, UNDEFINED);
        }
        (Value::Multiset(elements), Type::Multiset { capacity, element }) => {
            let end = cells.len() + *capacity as usize * (1 + width(types, *element));
            let mut sorted: Vec<Vec<i64>> = Vec::new();
            for part in elements.iter().flatten() {
                let mut slot = vec![PRESENT];
                flatten(types, *element, part, &mut slot);
                sorted.push(slot);
            }
            sorted.sort_unstable();
            cells.extend(sorted.into_iter().flatten());
            cells.resize(end, UNDEFINED);
        }
        (Value::Parts(_) | Value::Queue(_) | Value::Set(_) | Value::Multiset(_), _) => {
            unreachable!("a value has its own type")
        }
    }
}
