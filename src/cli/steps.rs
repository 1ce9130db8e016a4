//! States, steps and properties as people read them, the same in every command.

use super::console::paint;
use super::describe::property_kind;
use super::escape::on_one_line;
use super::loading::Loaded;
use super::writing::Sheet;
use judge::Renaming;
use ltl::source::Colour;
use model::checked::{Local, Model, Property, Scope};
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::Run;
use model::types::IndexTypeId;
use model::value::Value;
use run::poll::poll_for;
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

/// The name of the start state that a run begins with, with the values of its parameters; none if it
/// is not found within the limits of the run, and if there is no such start state.
pub(crate) fn start(loaded: &Loaded, run: &Run) -> Option<String> {
    let span = tracing::debug_span!("model.starts", states = tracing::field::Empty).entered();
    let first = run.states().next().expect("a run has a state");
    let starts = Interpreter::new(&loaded.model).starts().enumerate();
    let mut starts = starts.filter_map(|(tried, start)| {
        tracing::trace!(target: "progress", parent: &span, states = tried);
        start.ok()
    });
    let start = loaded.watch.over(|| starts.find(|start| start.state == *first));
    start.ok().flatten().map(|start| start.show(&loaded.model))
}

/// `invariant "exclusion"`
pub(crate) fn property(property: &Property) -> String {
    let name = property.name.as_ref().map(|name| format!(" \"{}\"", on_one_line(name)));
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

/// The steps of a run; steps count from 1. If its start state has a name, that is said. A limit may end it
/// behind any step.
pub(crate) fn steps(
    out: &mut Sheet<'_>,
    model: &Model,
    start: Option<&str>,
    run: &Run,
    full_states: bool,
    colour: Colour,
) {
    match start {
        Some(start) => out.push(&format!("start: {start}\n")),
        None => out.push("start\n"),
    }
    let first = run.states().next().expect("a run has a state");
    out.push(&state(model, first));
    let work = 1 + first.0.iter().map(cells).sum::<u64>();
    for (k, (step, after)) in run.steps().zip(run.states().skip(1)).enumerate() {
        poll_for(work);
        if out.is_lost() {
            return;
        }
        let before = &step.state;
        if k == run.stem.len() {
            out.push(&format!("{}\n", paint(colour, "1;35", "the loop starts here")));
            // What has not changed for long is hard to remember.
            if k > 0 && !full_states {
                out.push(&state(model, before));
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
        out.push(&format!("{}\n{what}", paint(colour, "1", &format!("{} {label}", k + 1))));
    }
}

/// Of how many simple values a value consists.
pub(crate) fn cells(value: &Value) -> u64 {
    match value {
        Value::Undefined | Value::Scalar(_) => 1,
        Value::Parts(parts) | Value::Queue(parts) => parts.iter().map(cells).sum(),
        Value::Set(elements) => elements.len() as u64,
        Value::Multiset(elements) => elements.iter().flatten().map(cells).sum(),
    }
}

/// A run, step by step. If its cycle is one lap of many, it is said what takes it to the next.
pub(crate) fn run(
    out: &mut Sheet<'_>,
    model: &Model,
    start: Option<&str>,
    run: &Run,
    lap: Option<&Renaming>,
    full_states: bool,
    colour: Colour,
) {
    steps(out, model, start, run, full_states, colour);
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
