//! The action of renamings on the values, states and events of a model.
//!
//! A number stays, an index value k becomes g(k), and in an array over an index type the element at k
//! becomes the element at g(k):
//!
//! ```text
//! g(a)[g(k)] = g(a[k])
//! ```
//!
//! This is written for the judge, a second time, and shares no code with [`action`](crate::action) or
//! with the permutations of the engine.

use crate::checked::Model;
use crate::interpret::{Event, Process, State};
use crate::types::{Type, TypeId, Types};
use crate::value::{Scalar, Value};
use judge::Renaming;

/// How a renaming acts on a model.
pub trait ModelRenaming {
    /// The image of a simple value.
    fn scalar(&self, scalar: Scalar) -> Scalar;

    /// The image of a value of this type.
    fn value(&self, types: &Types, of: TypeId, value: &Value) -> Value;

    /// The image of a state of the model.
    fn state(&self, model: &Model, state: &State) -> State;

    /// The image of a process. It is of the same family, whose type has all values of an index type or
    /// none.
    fn process(&self, process: &Process) -> Process;

    /// The image of an event of the model.
    fn event(&self, model: &Model, event: &Event) -> Event;
}

impl ModelRenaming for Renaming {
    fn scalar(&self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Index(of, k) => Scalar::Index(of, self.images(of)[k as usize]),
            Scalar::Number(_) | Scalar::Member(..) => scalar,
        }
    }

    fn value(&self, types: &Types, of: TypeId, value: &Value) -> Value {
        let mut image = match (value, types.get(of)) {
            (Value::Scalar(scalar), _) => Value::Scalar(self.scalar(*scalar)),
            (Value::Parts(parts), Type::Array { index, element }) => {
                let place = |k: usize| {
                    let key = self.scalar(Scalar::nth(types, *index, k as u64));
                    key.position(types, *index).expect("a type has the images of its values")
                };
                let images = parts.iter().enumerate();
                let mut images: Vec<(u64, Value)> =
                    images.map(|(k, part)| (place(k), self.value(types, *element, part))).collect();
                images.sort_by_key(|(place, _)| *place);
                Value::Parts(images.into_iter().map(|(_, part)| part).collect())
            }
            (Value::Parts(parts), Type::Record(fields)) => {
                let parts = parts.iter().zip(fields);
                Value::Parts(parts.map(|(part, (_, of))| self.value(types, *of, part)).collect())
            }
            (Value::Queue(elements), Type::Queue { element, .. }) => {
                Value::Queue(elements.iter().map(|one| self.value(types, *element, one)).collect())
            }
            (Value::Set(elements), _) => {
                Value::Set(elements.iter().map(|&one| self.scalar(one)).collect())
            }
            (Value::Multiset(elements), Type::Multiset { element, .. }) => {
                let image =
                    |one: &Option<Value>| one.as_ref().map(|one| self.value(types, *element, one));
                Value::Multiset(elements.iter().map(image).collect())
            }
            // It contains no index value.
            (Value::Undefined | Value::Parts(_) | Value::Queue(_) | Value::Multiset(_), _) => {
                value.clone()
            }
        };
        image.settle();
        image
    }

    fn state(&self, model: &Model, state: &State) -> State {
        let values = model.variables.iter().zip(&state.0);
        State(values.map(|(one, value)| self.value(&model.types, one.of, value)).collect())
    }

    fn process(&self, process: &Process) -> Process {
        Process { member: process.member.map(|scalar| self.scalar(scalar)), ..*process }
    }

    fn event(&self, model: &Model, event: &Event) -> Event {
        let parameters = &model.events[event.event.0 as usize].parameters;
        let arguments = event.arguments.iter().zip(parameters);
        let arguments = arguments.map(|(value, (_, of))| self.value(&model.types, *of, value));
        Event { event: event.event, arguments: arguments.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::types::IndexTypeId;

    const ONE: IndexTypeId = IndexTypeId(0);

    #[test]
    fn everything_made_of_indices_is_renamed() {
        let model = check(
            "type client: scalarset(3); colour: enum { red };
               either: union { colour, client };
               message: record from: client; n: 0..1; end;
             var next: array [client] of client; by: array [either] of 0..3;
               bag: multiset [3] of message; last: either;
             startstate undefine next; end;
             rule last := red; end;",
            &[],
        );
        let model = model.expect("a model");
        let client = |k| Value::Scalar(Scalar::Index(ONE, k));
        let number = |n| Value::Scalar(Scalar::Number(n));
        let message = |k, n| Some(Value::Parts(vec![client(k), number(n)]));
        let state = State(vec![
            Value::Parts(vec![client(0), client(0), Value::Undefined]),
            Value::Parts(vec![number(0), number(1), number(2), number(3)]),
            Value::Multiset(vec![message(0, 1), message(2, 0)]),
            client(1),
        ]);
        let mut renaming = Renaming::identity([3]);
        assert_eq!(renaming.state(&model, &state), state);
        renaming.read(ONE, "(0 1 2)").expect("cycles");
        let expected = State(vec![
            Value::Parts(vec![Value::Undefined, client(1), client(1)]),
            Value::Parts(vec![number(0), number(3), number(1), number(2)]),
            Value::Multiset(vec![message(0, 0), message(1, 1)]),
            client(2),
        ]);
        assert_eq!(renaming.state(&model, &state), expected);
    }
}
