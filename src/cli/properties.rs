//! Properties of states in words: the values of what stands around them, how they are violated, and
//! deadlocks.

use super::json::Typed;
use super::results::ResultKind;
use super::steps;
use ltl::Diagnostic;
use ltl::source::Severity;
use model::checked::{Local, Model, ParameterDomain, Property, PropertyId, Scope};
use model::interpret::{Failure, FailureKind, Interpreter, State};
use model::syntax::PropertyKind;
use model::value::{Scalar, Value};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// Values around a property, each with what has it.
pub(crate) type Values<'a> = Vec<(&'a Local, Value)>;

/// The values around a property, by name.
#[derive(Default)]
pub(crate) struct Bindings {
    /// As people read them.
    around: String,
    /// As JSON.
    json: Vec<(String, Box<RawValue>)>,
}

impl Bindings {
    pub(crate) fn of(model: &Model, values: &Values<'_>) -> Self {
        let typed = |(local, value): &(&Local, Value)| {
            let typed = Typed { types: &model.types, of: local.of, value };
            let json = to_raw_value(&typed).expect("strings, numbers and lists are JSON");
            (local.name.clone(), json)
        };
        let shown = values.iter().map(|(local, value)| (*local, value));
        Bindings {
            around: steps::for_values(model, shown),
            json: values.iter().map(typed).collect(),
        }
    }

    /// `, for c = client_0`; or nothing.
    pub(crate) fn around(&self) -> &str {
        &self.around
    }
}

impl Serialize for Bindings {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.json.iter().map(|(name, value)| (name, value)))
    }
}

/// The condition of a property as the text of its model has it; of a statement, all of it.
pub(crate) fn written<'t>(text: &'t str, property: &Property) -> &'t str {
    let span = property.condition.as_ref().map_or(property.span, |condition| condition.span);
    text.get(span.start..span.end).unwrap_or_default()
}

/// How a property is violated: for which values around it, and the message at its place. It is for a
/// choice of values, or in the last state of a run. `hopeless` completes the message of a `liveness`.
pub(crate) fn violated(
    model: &Model,
    id: PropertyId,
    choice: Option<usize>,
    end: Option<&State>,
    hopeless: &str,
) -> (Bindings, Diagnostic) {
    let property = &model.properties[id.0 as usize];
    let (values, verdict, why) = match (property.kind, choice) {
        (PropertyKind::Cover, Some(choice)) => (nth_values(model, id, choice), "is never true", ""),
        (PropertyKind::Liveness, Some(choice)) => {
            (nth_values(model, id, choice), "is violated", hopeless)
        }
        _ => {
            let values = end.map(|end| false_values(model, id, end));
            (values.unwrap_or_default(), "is violated", "")
        }
    };
    let bindings = Bindings::of(model, &values);
    let message = format!("{} {verdict}{}{why}", steps::property(property), bindings.around());
    (bindings, Diagnostic::violated(property.span, message))
}

/// What is wrong, as the first lines of a result: the word in front says already that it is violated.
pub(crate) fn headline(diagnostic: &Diagnostic) -> Diagnostic {
    let mut headline = diagnostic.clone();
    if headline.severity == Severity::Violated {
        headline.message = headline.message.replacen(" is violated", "", 1);
    }
    headline
}

/// The kind of a result that something fails, and the property if that is an `assert`.
pub(crate) fn failing<'a>(
    model: &'a Model,
    failure: &Failure,
) -> (ResultKind, Option<(PropertyId, &'a Property)>) {
    match failure.kind {
        FailureKind::Assertion(id) => {
            let property = &model.properties[id.0 as usize];
            (ResultKind::State(property.kind), Some((id, property)))
        }
        _ => (ResultKind::RuntimeError, None),
    }
}

/// `deadlock: no step is possible`, of a state that is one.
pub(crate) fn deadlock(model: &Model, state: Option<&State>) -> String {
    let steps = state.map(|state| Interpreter::new(model).steps(state));
    let why = match steps {
        Some(Ok(steps)) if !steps.is_empty() => "no step changes the state",
        _ => "no step is possible",
    };
    format!("deadlock: {why}")
}

/// The first values around a property for which it is false in a state.
fn false_values<'a>(model: &'a Model, id: PropertyId, state: &State) -> Values<'a> {
    let instances = Interpreter::new(model).instances_of(state, id).unwrap_or_default();
    let is_false = instances.into_iter().find(|one| one.holds == Ok(false));
    let values = is_false.map(|one| one.arguments).unwrap_or_default();
    steps::bound(&model.properties[id.0 as usize]).zip(values).collect()
}

/// The values of the parameters around a property, for the choice of this number; the values of the
/// last change fastest. What is chosen from a multiset is another one in every state, and not among
/// them.
fn nth_values(model: &Model, id: PropertyId, mut choice: usize) -> Values<'_> {
    let property = &model.properties[id.0 as usize];
    if property.is_statement {
        return Vec::new();
    }
    let types = &model.types;
    let mut values = Vec::new();
    for scope in property.scope.iter().rev() {
        let Scope::Parameter { local, domain } = scope else { continue };
        let count = match domain {
            ParameterDomain::Type(of) => types.size(*of),
            ParameterDomain::Steps { from, to, by } => to.abs_diff(*from) / by.unsigned_abs() + 1,
        };
        let k = choice as u64 % count;
        choice = (choice as u64 / count) as usize;
        let value = match domain {
            ParameterDomain::Type(of) => Scalar::nth(types, *of, k),
            ParameterDomain::Steps { from, by, .. } => {
                Scalar::Number(from.wrapping_add(by.wrapping_mul(k.cast_signed())))
            }
        };
        values.push((&property.locals[local.0 as usize], Value::Scalar(value)));
    }
    values.reverse();
    values
}
