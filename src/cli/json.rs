//! Values, states and steps of models as JSON, the same in every command.
//!
//! Booleans are booleans, numbers numbers, enum members and indices strings (`"Idle"`,
//! `"client_0"`), undefined is null; records are objects, arrays objects keyed by the printed index,
//! queues, sets and multisets arrays. A number that doubles cannot tell from its neighbours (beyond 2^53) is a string
//! of decimal digits: no member of an enumeration looks like one.

pub(crate) mod component;
pub(crate) mod read;

use super::view::{EventOf, LoadedSystem, ProcessOf, StateOf, StepOf, View};
use model::checked::Model;
use model::types::{BOOLEAN_ENUMERATION, Type, TypeId, Types};
use model::value::{Scalar, Value, in_order};
use num_bigint::BigUint;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

/// From here on neighbours share a double.
const LARGEST_EXACT: u128 = 1 << 53;

/// A value with its type.
pub(crate) struct Typed<'a> {
    /// All types.
    pub(crate) types: &'a Types,
    /// Its type.
    pub(crate) of: TypeId,
    /// The value.
    pub(crate) value: &'a Value,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let types = self.types;
        let part = |of: TypeId, value| Typed { types, of, value };
        match (self.value, types.get(self.of)) {
            (Value::Undefined, _) => to.serialize_unit(),
            (Value::Scalar(scalar), _) => Simple(types, *scalar).serialize(to),
            (Value::Parts(parts), Type::Array { index, element }) => {
                // Parts first: there may be no key beyond the last.
                to.collect_map(parts.iter().zip(0..).map(|(value, k)| {
                    (Scalar::nth(types, *index, k).show(types), part(*element, value))
                }))
            }
            (Value::Parts(parts), Type::Record(fields)) => {
                to.collect_map(fields.iter().zip(parts).map(|((name, of), v)| (name, part(*of, v))))
            }
            (Value::Queue(elements), Type::Queue { element, .. }) => {
                to.collect_seq(elements.iter().map(|value| part(*element, value)))
            }
            (Value::Set(elements), Type::Set(element)) => {
                let ordered = in_order(types, *element, elements);
                to.collect_seq(ordered.map(|one| Simple(types, one)))
            }
            (Value::Multiset(elements), Type::Multiset { element, .. }) => {
                to.collect_seq(elements.iter().flatten().map(|value| part(*element, value)))
            }
            (Value::Parts(_) | Value::Queue(_) | Value::Set(_) | Value::Multiset(_), _) => {
                unreachable!("a value is written with its own type")
            }
        }
    }
}

/// A simple value.
pub(crate) struct Simple<'a>(pub(crate) &'a Types, pub(crate) Scalar);

impl Serialize for Simple<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Scalar::Number(n) if u128::from(n.unsigned_abs()) <= LARGEST_EXACT => {
                to.serialize_i64(n)
            }
            Scalar::Member(BOOLEAN_ENUMERATION, _) => to.serialize_bool(self.1.is_true()),
            other => to.serialize_str(&other.show(self.0)),
        }
    }
}

/// A count: a number, or a string of decimal digits beyond 2^53.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Count<N = u128>(pub(crate) N);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(n) if self.0 <= LARGEST_EXACT => to.serialize_u64(n),
            _ => to.collect_str(&self.0),
        }
    }
}

impl Serialize for Count<BigUint> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match u128::try_from(&self.0) {
            Ok(small) => Count(small).serialize(to),
            Err(_) => to.collect_str(&self.0),
        }
    }
}

/// A step, with the state before it. In a stutter no process is executed.
#[derive(Serialize)]
#[serde(bound = "")]
pub(crate) struct StepEntry<'a, W: View> {
    #[serde(flatten)]
    action: ActionEntry<'a, W>,
    state: StateEntry<'a, W>,
}

/// The process and the event of a step; a front end without processes has none.
#[derive(Serialize)]
#[serde(bound = "")]
pub(crate) struct ActionEntry<'a, W: View> {
    process: Option<String>,
    event: Option<&'a str>,
    args: Arguments<'a, W>,
}

/// The arguments of an event, if there is one.
struct Arguments<'a, W: View>(Option<(&'a W, &'a EventOf<W>)>);

impl<'a, W: View> ActionEntry<'a, W> {
    pub(crate) fn of(view: &'a W, action: Option<&'a (ProcessOf<W>, EventOf<W>)>) -> Self {
        ActionEntry {
            process: action.and_then(|(process, _)| view.process(process)),
            event: action.map(|(_, event)| view.event_name(event)),
            args: Arguments(action.map(|(_, event)| (view, event))),
        }
    }
}

impl<W: View> Serialize for Arguments<'_, W> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some((view, event)) => view.write_arguments(event, to),
            None => to.collect_seq::<[(); 0]>([]),
        }
    }
}

impl<'a, W: View> StepEntry<'a, W> {
    pub(crate) fn of(
        view: &'a W,
        action: Option<&'a (ProcessOf<W>, EventOf<W>)>,
        state: &'a StateOf<W>,
    ) -> Self {
        StepEntry { action: ActionEntry::of(view, action), state: StateEntry { view, state } }
    }
}

/// The steps of a run. A state that has no steps is followed by itself.
pub(crate) struct StepEntries<'a, W: View> {
    /// The words.
    pub(crate) view: &'a W,
    /// The steps.
    pub(crate) steps: &'a [StepOf<W>],
}

impl<W: View> Serialize for StepEntries<'_, W> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.steps.len()))?;
        for step in self.steps {
            list.serialize_element(&StepEntry::of(self.view, step.action.as_ref(), &step.state))?;
        }
        list.end()
    }
}

/// A state: an object of all variables.
pub(crate) struct StateEntry<'a, W: View> {
    /// The words.
    pub(crate) view: &'a W,
    /// The state.
    pub(crate) state: &'a StateOf<W>,
}

impl<W: View> Serialize for StateEntry<'_, W> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.view.write_state(self.state, to)
    }
}

/// The constants of a system, as an object.
pub(crate) struct ConstantsOf<'a, L>(pub(crate) &'a L);

impl<L: LoadedSystem> Serialize for ConstantsOf<'_, L> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.write_constants(to)
    }
}

/// All constants, as an object.
pub(crate) struct Constants<'a>(pub(crate) &'a Model);

impl Serialize for Constants<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let types = &self.0.types;
        to.collect_map(self.0.constants.iter().map(|c| (&c.name, Simple(types, c.value))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::Span;
    use model::syntax::IndexKind;
    use model::types::IndexType;

    #[test]
    fn values_are_written_as_people_expect_them() {
        let mut types = Types::new();
        let span = Span::at(0);
        let client = IndexType { name: "client".into(), kind: IndexKind::Ring, size: 2, span };
        let client = types.declare_index_type(client);
        let phase = types.declare_enumeration(vec!["Idle".into(), "Busy".into()], span);
        let small = types.intern(Type::Range { low: -1, high: 5 });
        let array = types.intern(Type::Array { index: client, element: Types::BOOLEAN });
        let either = types.intern(Type::Union(vec![client, phase]));
        let by_union = types.intern(Type::Array { index: either, element: Types::BOOLEAN });
        let numbers = types.intern(Type::Array { index: small, element: small });
        let record = types.intern(Type::Record(vec![("z".into(), phase), ("a".into(), client)]));
        let bag = types.intern(Type::Multiset { capacity: 3, element: phase });
        let line = types.intern(Type::Queue { capacity: 3, element: phase });
        let some = types.intern(Type::Set(either));
        let number = |n| Value::Scalar(Scalar::Number(n));
        let nth = |of, k| Value::Scalar(Scalar::nth(&types, of, k));
        for (of, value, expected) in [
            (small, number(-1), "-1"),
            (small, Value::Undefined, "null"),
            (Types::INTEGER, number(1 << 53), "9007199254740992"),
            (Types::INTEGER, number(-(1 << 53) - 1), r#""-9007199254740993""#),
            (Types::INTEGER, number(i64::MIN), r#""-9223372036854775808""#),
            (phase, nth(phase, 1), r#""Busy""#),
            (client, nth(client, 1), r#""client_1""#),
            (
                array,
                Value::Parts(vec![Value::boolean(true), Value::Undefined]),
                r#"{"client_0":true,"client_1":null}"#,
            ),
            (
                by_union,
                Value::Parts(vec![Value::boolean(true); 4]),
                r#"{"client_0":true,"client_1":true,"Idle":true,"Busy":true}"#,
            ),
            (
                numbers,
                Value::Parts((-1..=5).map(number).collect()),
                r#"{"-1":-1,"0":0,"1":1,"2":2,"3":3,"4":4,"5":5}"#,
            ),
            (
                record,
                Value::Parts(vec![nth(phase, 0), nth(client, 0)]),
                r#"{"z":"Idle","a":"client_0"}"#,
            ),
            (bag, Value::Multiset(Vec::new()), "[]"),
            (line, Value::Queue(vec![nth(phase, 1), nth(phase, 0)]), r#"["Busy","Idle"]"#),
            (
                some,
                Value::Set([Scalar::nth(&types, phase, 1), Scalar::nth(&types, client, 1)].into()),
                r#"["client_1","Busy"]"#,
            ),
            (bag, Value::Multiset(vec![Some(nth(phase, 0)); 2]), r#"["Idle","Idle"]"#),
        ] {
            let typed = Typed { types: &types, of, value: &value };
            assert_eq!(serde_json::to_string(&typed).expect("JSON"), expected);
        }
        for (count, expected) in
            [(0, "0"), (1 << 53, "9007199254740992"), ((1 << 53) + 1, r#""9007199254740993""#)]
        {
            assert_eq!(serde_json::to_string(&Count(count)).expect("JSON"), expected);
            let count = Count(BigUint::from(count));
            assert_eq!(serde_json::to_string(&count).expect("JSON"), expected);
        }
        let large = Count(BigUint::from(10_u32).pow(100));
        let expected = format!("\"1{}\"", "0".repeat(100));
        assert_eq!(serde_json::to_string(&large).expect("JSON"), expected);
    }
}
