//! States, steps and properties as people read them, the same in every command.

use super::describe::property_kind;
use isonomy::model::checked::{Local, Model, Property, Scope};
use isonomy::model::interpret::{Event, Interpreter, Process, State};
use isonomy::model::value::Value;
use std::fmt::{Display, Write as _};

/// `client_0: request(client_0)`
pub(crate) fn label(model: &Model, process: &Process, event: &Event) -> String {
    format!("{}: {}", process.show(model), event.show(model))
}

/// All variables, two blanks before each line.
pub(crate) fn state(model: &Model, state: &State) -> String {
    indented(state.show(model).lines())
}

/// What a step changed, two blanks before each line: `  st[client_0]: Idle -> Waiting`.
pub(crate) fn changes(model: &Model, before: &State, after: &State) -> String {
    let changes = after.changes(before, model);
    indented(changes.iter().map(|c| format!("{}: {} -> {}", c.place, c.before, c.after)))
}

/// `invariant "exclusion"`
pub(crate) fn property(property: &Property) -> String {
    let name = property.name.as_ref().map(|name| format!(" \"{name}\""));
    format!("{}{}", property_kind(property.kind), name.unwrap_or_default())
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

/// What stands around a property and has a value, outermost first.
pub(crate) fn bound(property: &Property) -> impl Iterator<Item = &Local> {
    property.scope.iter().filter_map(|part| match part {
        Scope::Parameter { local, .. } | Scope::Choose { local, .. } => {
            Some(&property.locals[local.0 as usize])
        }
        Scope::Alias { .. } => None,
    })
}

/// The values of what stands around a property: `, for c = client_0`; or nothing.
pub(crate) fn for_values<'a>(
    model: &Model,
    values: impl IntoIterator<Item = (&'a Local, &'a Value)>,
) -> String {
    let pairs: Vec<_> = values
        .into_iter()
        .map(|(local, value)| format!("{} = {}", local.name, value.show(&model.types, local.of)))
        .collect();
    if pairs.is_empty() { String::new() } else { format!(", for {}", pairs.join(", ")) }
}

/// Two blanks before each line.
pub(crate) fn indented(lines: impl Iterator<Item = impl Display>) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
    out
}
