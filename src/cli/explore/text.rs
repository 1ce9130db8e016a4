//! What an exploration has found, for people: the verdict, the counts, the properties, and then
//! each violation with the run that leads there.

use super::super::model::Loaded;
use super::super::steps;
use super::super::table::table;
use super::report::{Location, Report, Verdict, ViolationEntry};
use isonomy::explore::{Trace, ViolationKind};
use isonomy::model::checked::Model;
use ltl::source::Colour;
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout(
    report: &Report<'_>,
    loaded: &Loaded,
    full_states: bool,
    colour: Colour,
) -> String {
    let mut out = verdict(report) + &table(&counts(report));
    let properties = properties(report);
    if !properties.is_empty() {
        let _ = write!(out, "\nproperties\n{}", table(&properties));
    }
    for violation in &report.violations {
        out.push('\n');
        out.push_str(&headline(violation, loaded, colour));
        out.push_str(&run(violation, &loaded.model, full_states));
    }
    out
}

fn verdict(report: &Report<'_>) -> String {
    let violations = match report.violations.len() {
        0 => "no violation".to_owned(),
        1 => "1 violation".to_owned(),
        count => format!("{count} violations"),
    };
    let states = counted(report.states.0, "state");
    match &report.stopped {
        None => format!("{violations} in {states}\n"),
        Some(reason) => format!("stopped ({reason}): {violations} in {states} so far\n"),
    }
}

fn counts(report: &Report<'_>) -> Vec<Vec<String>> {
    let milliseconds = report.time_us.0.div_ceil(1000);
    let time = format!("{}.{:03} s", milliseconds / 1000, milliseconds % 1000);
    let deadlocks = match report.deadlock {
        "off" => "not looked for".to_owned(),
        _ => report.deadlocks.0.to_string(),
    };
    let packed = counted(report.packed_bytes as u128, "byte");
    [
        ("states", report.states.0.to_string()),
        ("start states", report.start_states.0.to_string()),
        ("steps", report.steps.0.to_string()),
        ("rules fired", report.fired.0.to_string()),
        ("depth", report.depth.to_string()),
        ("deadlocks", deadlocks),
        ("time", format!("{time}, {} states/s", report.states_per_second)),
        ("memory", format!("{packed} per state packed, {} in all", report.bytes_per_state)),
    ]
    .into_iter()
    .map(|(name, value)| vec![name.to_owned(), value])
    .collect()
}

fn properties(report: &Report<'_>) -> Vec<Vec<String>> {
    let row = |property: &super::report::PropertyEntry<'_>| {
        let Location { line, column } = property.location;
        let verdict = match property.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        };
        let name = property.name.map(|name| format!("\"{name}\"")).unwrap_or_default();
        vec![verdict.to_owned(), property.kind.to_owned(), format!("{line}:{column}"), name]
    };
    report.properties.iter().map(row).collect()
}

/// What is wrong, with its place.
fn headline(violation: &ViolationEntry<'_>, loaded: &Loaded, colour: Colour) -> String {
    match (&violation.diagnostic, colour) {
        (Some(diagnostic), _) => loaded.text.source().render(diagnostic, colour),
        (None, Colour::Off) => format!("error: {}\n", violation.message),
        (None, Colour::On) => {
            format!("\x1b[1;31merror\x1b[0m: \x1b[1m{}\x1b[0m\n", violation.message)
        }
    }
}

/// How often, and how to get there.
fn run(violation: &ViolationEntry<'_>, model: &Model, full_states: bool) -> String {
    let Some(trace) = &violation.violation.trace else { return String::new() };
    let mut out = String::new();
    if let Some(count) = violation.count {
        let length = counted(trace.steps.len() as u128, "step");
        let _ = writeln!(out, "in {}; a shortest run has {length}", counted(count.0, "state"));
    }
    let _ = write!(out, "start: {}\n{}", trace.start, steps::state(model, first(trace)));
    for (k, step) in trace.steps.iter().enumerate() {
        let after = trace.steps.get(k + 1).map_or(&trace.end, |next| &next.state);
        let label = steps::label(model, &step.process, &step.event);
        let what = if full_states {
            steps::state(model, after)
        } else {
            steps::changes(model, &step.state, after)
        };
        let _ = write!(out, "{} {label}\n{what}", k + 1);
    }
    // It has just been shown, if it is the first or all are.
    if !full_states && !trace.steps.is_empty() {
        let _ = write!(out, "end\n{}", steps::state(model, &trace.end));
    }
    if let ViolationKind::Failure(failure) = &violation.violation.kind
        && let Some(during) = failure.during.as_deref()
    {
        let _ = writeln!(out, "fails in {}", steps::label(model, &during.0, &during.1));
    }
    out
}

fn first(trace: &Trace) -> &isonomy::model::interpret::State {
    trace.steps.first().map_or(&trace.end, |step| &step.state)
}

fn counted(count: u128, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
