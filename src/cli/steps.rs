//! States, steps and properties as people read them, the same in every command.

use super::console::paint;
use super::describe::property_kind;
use judge::Renaming;
use ltl::source::Colour;
use model::checked::{Local, Model, Property, Scope};
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::Run;
use model::types::IndexTypeId;
use model::value::Value;
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
    coloured_changes(model, before, after, Colour::Off)
}

fn coloured_changes(model: &Model, before: &State, after: &State, colour: Colour) -> String {
    let changes = after.changes(before, model);
    indented(changes.iter().map(|change| {
        let after = paint(colour, "36", &change.after);
        format!("{}: {} -> {after}", change.place, change.before)
    }))
}

/// The name of the start state that a run begins with, with the values of its parameters.
pub(crate) fn start(model: &Model, run: &Run) -> String {
    let first = run.states().next().expect("a run has a state");
    let mut starts = Interpreter::new(model).starts().flatten();
    let start = starts.find(|start| start.state == *first);
    start.expect("a run that was judged begins in a start state").show(model)
}

/// `invariant "exclusion"`
pub(crate) fn property(property: &Property) -> String {
    let name = property.name.as_ref().map(|name| format!(" \"{name}\""));
    format!("{}{}", property_kind(property.kind), name.unwrap_or_default())
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

/// The steps of a run; steps count from 1. If its start state has a name, that is said.
pub(crate) fn steps(
    model: &Model,
    start: Option<&str>,
    run: &Run,
    full_states: bool,
    colour: Colour,
) -> String {
    let states: Vec<&State> = run.states().collect();
    let mut out = match start {
        Some(start) => format!("start: {start}\n"),
        None => "start\n".to_owned(),
    };
    out += &state(model, states[0]);
    for (k, step) in run.steps().enumerate() {
        let (before, after) = (states[k], states[k + 1]);
        if k == run.stem.len() {
            let _ = writeln!(out, "{}", paint(colour, "1;35", "the loop starts here"));
            // What has not changed for long is hard to remember.
            if k > 0 && !full_states {
                out += &state(model, before);
            }
        }
        let label = match &step.action {
            Some((process, event)) => label(model, process, event),
            None => "nobody can do anything".to_owned(),
        };
        let what = match &step.action {
            Some(_) if full_states => state(model, after),
            _ => coloured_changes(model, before, after, colour),
        };
        let _ = write!(out, "{}\n{what}", paint(colour, "1", &format!("{} {label}", k + 1)));
    }
    out
}

/// A run, step by step. If its cycle is one lap of many, it is said what takes it to the next.
pub(crate) fn run(
    model: &Model,
    start: Option<&str>,
    run: &Run,
    lap: Option<&Renaming>,
    full_states: bool,
    colour: Colour,
) -> String {
    let mut out = steps(model, start, run, full_states, colour);
    let first = run.stem.len() + 1;
    match (lap, run.cycle.len()) {
        (_, 0) => {
            // It has just been shown, if it is the first or all are.
            if !full_states && !run.stem.is_empty() {
                let _ = write!(out, "end\n{}", state(model, &run.end));
            }
        }
        (None, 1) => {
            let back = format!("step {first} is repeated for ever");
            let _ = writeln!(out, "{}", paint(colour, "1;35", &back));
        }
        (None, _) => {
            let back = format!("back to the state before step {first}");
            let _ = writeln!(out, "{}", paint(colour, "1;35", &back));
        }
        (Some(renaming), _) => {
            let back = format!("back to the state before step {first}");
            let _ = writeln!(
                out,
                "{}, with indices permuted by {}; so goes every lap",
                paint(colour, "1;35", &back),
                permutation(model, renaming)
            );
        }
    }
    out
}

/// What a renaming does: `client (0 1), ticket (0 1 2)`.
pub(crate) fn permutation(model: &Model, renaming: &Renaming) -> String {
    let moved = renamed(model, renaming);
    let moved: Vec<_> = moved.iter().map(|(of, cycles)| format!("{of} {cycles}")).collect();
    moved.join(", ")
}

/// What a renaming does, by the names of the index types that it changes, in cycle notation.
pub(crate) fn renamed<'m>(model: &'m Model, renaming: &Renaming) -> Vec<(&'m str, String)> {
    let types = (0..).map(IndexTypeId).zip(&model.types.index_types);
    let types = types.filter(|(id, _)| renaming.images(*id).iter().zip(0..).any(|(&g, k)| g != k));
    types.map(|(id, of)| (&of.name[..], renaming.show(id))).collect()
}

/// Two blanks before each line.
pub(crate) fn indented(lines: impl Iterator<Item = impl Display>) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
    out
}
