//! What an exploration has found, for people: the verdict, the counts, the properties, and then
//! each violation with the run that leads there.

use super::super::json::Count;
use super::super::model::Loaded;
use super::super::numbers::{counted, measured, seconds};
use super::super::steps;
use super::super::table::table;
use super::report::{Location, Report, Verdict, ViolationEntry};
use isonomy::explore::ViolationKind;
use isonomy::model::checked::Model;
use ltl::source::Colour;
use model::interpret::State;
use model::reference::Run;
use num_bigint::BigUint;
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
        out.push_str(&run(violation, stated(report), &loaded.model, full_states));
    }
    out
}

fn verdict(report: &Report<'_>) -> String {
    let violations = match report.violations.len() {
        0 => "no violation".to_owned(),
        1 => "1 violation".to_owned(),
        count => format!("{count} violations"),
    };
    let representatives = || counted(&report.found.progress.states.into(), "representative");
    let states = match &report.states {
        None => representatives(),
        Some(states) if report.is_reduced => {
            format!("{} ({})", counted(&states.0, "state"), representatives())
        }
        Some(states) => counted(&states.0, "state"),
    };
    match &report.stopped {
        None => format!("{violations} in {states}\n"),
        Some(reason) => format!("stopped ({reason}): {violations} in {states} so far\n"),
    }
}

fn counts(report: &Report<'_>) -> Vec<Vec<String>> {
    let time = seconds(report.found.time);
    let number = |count: &Option<Count<BigUint>>| count.as_ref().map(|count| measured(&count.0));
    let deadlocks = match (report.deadlock, number(&report.deadlocks)) {
        ("off", _) => "not looked for".to_owned(),
        (_, Some(states)) => states,
        (_, None) => counted(&report.found.deadlocks.into(), "representative"),
    };
    let packed = counted(&report.packed_bytes.into(), "byte");
    let stored = if report.is_reduced { "representative" } else { "state" };
    let quotient = report.found.quotient.filter(|_| report.is_reduced);
    [
        ("states", number(&report.states)),
        ("start states", number(&report.start_states)),
        ("steps", number(&report.steps)),
        ("rules fired", number(&report.fired)),
        ("depth", Some(report.depth.to_string())),
        ("deadlocks", Some(deadlocks)),
        ("representatives", quotient.map(|one| one.representatives.to_string())),
        ("annotated edges", quotient.map(|one| one.annotated_edges.to_string())),
        ("kept edges", quotient.and_then(|one| one.kept_edges).map(|count| count.to_string())),
        ("orbit edges", quotient.and_then(|one| one.orbit_edges).map(|count| count.to_string())),
        ("time", Some(format!("{time}, {} {stored}s/s", report.states_per_second))),
        (
            "memory",
            Some(format!("{packed} per {stored} packed, {} in all", report.bytes_per_state)),
        ),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(vec![name.to_owned(), value?]))
    .collect()
}

/// What the counts of violations are about.
fn stated(report: &Report<'_>) -> &'static str {
    if report.states.is_some() { "state" } else { "representative" }
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
fn run(violation: &ViolationEntry<'_>, one: &str, model: &Model, full_states: bool) -> String {
    let Some(trace) = &violation.violation.trace else { return String::new() };
    let mut out = String::new();
    if let Some(count) = &violation.count {
        let length = counted(&trace.stem.len().into(), "step");
        let _ = writeln!(out, "in {}; a shortest run has {length}", counted(&count.0, one));
    }
    let _ =
        write!(out, "start: {}\n{}", steps::start(model, trace), steps::state(model, first(trace)));
    for (k, step) in trace.stem.iter().enumerate() {
        let after = trace.stem.get(k + 1).map_or(&trace.end, |next| &next.state);
        let (process, event) = step.action.as_ref().expect("a run that ends does not stutter");
        let label = steps::label(model, process, event);
        let what = if full_states {
            steps::state(model, after)
        } else {
            steps::changes(model, &step.state, after)
        };
        let _ = write!(out, "{} {label}\n{what}", k + 1);
    }
    // It has just been shown, if it is the first or all are.
    if !full_states && !trace.stem.is_empty() {
        let _ = write!(out, "end\n{}", steps::state(model, &trace.end));
    }
    if let ViolationKind::Failure(failure) = &violation.violation.kind
        && let Some(during) = failure.during.as_deref()
    {
        let _ = writeln!(out, "fails in {}", steps::label(model, &during.0, &during.1));
    }
    out
}

fn first(trace: &Run) -> &State {
    trace.states().next().expect("a run has a state")
}
