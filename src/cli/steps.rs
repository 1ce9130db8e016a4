//! States, steps and properties as people read them, the same in every command.

use super::console::paint;
use super::describe::property_kind;
use super::escape::on_one_line;
use super::view::{RunOf, StateOf, View};
use super::writing::Sheet;
use judge::Renaming;
use ltl::source::Colour;
use model::checked::{Local, Model, Property, Scope};
use model::value::Value;
use run::poll::poll_for;
use std::fmt::{Display, Write as _};

/// All parts of a state, two blanks before each line.
pub(crate) fn state<W: View>(view: &W, state: &StateOf<W>) -> String {
    indented(view.lines(state))
}

/// What a step changed, two blanks before each line: `  st[client_0]: Idle -> Waiting`.
pub(crate) fn changes<W: View>(view: &W, before: &StateOf<W>, after: &StateOf<W>) -> String {
    coloured_changes(view, before, after, Colour::Off)
}

fn coloured_changes<W: View>(
    view: &W,
    before: &StateOf<W>,
    after: &StateOf<W>,
    colour: Colour,
) -> String {
    let changes = view.changes(before, after);
    let new = |text: &str| paint(colour, "36", text);
    indented(changes.iter().map(|change| format!("{}: {}", change.place, change.show(new))))
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
pub(crate) fn steps<W: View>(
    out: &mut Sheet<'_>,
    view: &W,
    start: Option<&str>,
    run: &RunOf<W>,
    full_states: bool,
    colour: Colour,
) {
    match start {
        Some(start) => out.push(&format!("start: {start}\n")),
        None => out.push("start\n"),
    }
    let first = run.states().next().expect("a run has a state");
    out.push(&state(view, first));
    let work = view.size(first);
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
                out.push(&state(view, before));
            }
        }
        let label = match &step.action {
            Some((process, event)) => view.label(process, event),
            None => "no process is enabled".to_owned(),
        };
        let what = match &step.action {
            Some(_) if full_states => state(view, after),
            _ => coloured_changes(view, before, after, colour),
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
pub(crate) fn run<W: View>(
    out: &mut Sheet<'_>,
    view: &W,
    start: Option<&str>,
    run: &RunOf<W>,
    lap: Option<&Renaming>,
    full_states: bool,
    colour: Colour,
) {
    steps(out, view, start, run, full_states, colour);
    let first = run.stem.len() + 1;
    match (lap, run.cycle.len()) {
        (_, 0) => {
            // It has just been shown, if it is the first or all are.
            if !full_states && !run.stem.is_empty() {
                let _ = write!(out, "end\n{}", state(view, &run.end));
            }
        }
        (None, 1) => {
            let back = format!("step {first} is repeated forever");
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
                permutation(view, renaming)
            );
        }
    }
}

/// What a renaming does: `client (0 1), ticket (0 1 2)`.
pub(crate) fn permutation<W: View>(view: &W, renaming: &Renaming) -> String {
    let moved = view.renamed(renaming);
    let moved: Vec<_> = moved.iter().map(|(of, cycles)| format!("{of} {cycles}")).collect();
    moved.join(", ")
}

/// Two blanks before each line.
pub(crate) fn indented(lines: impl IntoIterator<Item = impl Display>) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
    out
}
