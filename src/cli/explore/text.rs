//! The results of an exploration as text: the verdict, the counts, the properties, and then each violation
//! with the run that leads there.

use super::super::console::paint;
use super::super::describe::property_kind;
use super::super::escape::marked;
use super::super::loading::Loaded;
use super::super::numbers::{counted, measured, seconds};
use super::super::properties;
use super::super::results::VerdictWord;
use super::super::steps;
use super::super::table::table;
use super::super::view::{LoadedSystem as _, View as _};
use super::super::writing::Sheet;
use super::report::{Report, ViolationView};
use crate::explore::{Full, ViolationKind};
use ltl::source::Colour;
use model::checked::Property;
use num_bigint::BigUint;
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout(out: &mut Sheet<'_>, report: &Report<'_>, full_states: bool, colour: Colour) {
    out.push(&verdict(report));
    out.push(&table(&counts(report)));
    let properties = properties(report);
    if !properties.is_empty() {
        out.push(&format!("\nproperties\n{}", table(&properties)));
    }
    if report.shows_coverage {
        out.push(&format!("\nrules\n{}", table(&report.coverage.rows(report.loaded))));
    }
    for violation in &report.violations {
        out.push("\n");
        out.push(&headline(report, violation, colour));
        run(out, violation, stated(report), report.loaded, full_states);
    }
}

fn verdict(report: &Report<'_>) -> String {
    let violations = match report.violations.len() {
        0 => "no violation".to_owned(),
        1 => "1 violation".to_owned(),
        count => format!("{count} violations"),
    };
    let representatives = || counted(&report.found.progress.states.into(), "representative");
    let states = match &report.found.full {
        None => representatives(),
        Some(full) if report.is_reduced => {
            format!("{} ({})", counted(&full.states, "state"), representatives())
        }
        Some(full) => counted(&full.states, "state"),
    };
    match report.found.stopped {
        None => format!("{violations} in {states}\n"),
        Some(reason) => format!("stopped ({reason}): {violations} in {states} so far\n"),
    }
}

fn counts(report: &Report<'_>) -> Vec<Vec<String>> {
    let time = seconds(report.found.time);
    let number =
        |part: fn(&Full) -> &BigUint| report.found.full.as_ref().map(|full| measured(part(full)));
    let deadlocks = match number(|full| &full.deadlocks) {
        Some(states) => states,
        None => counted(&report.found.deadlocks.into(), "representative"),
    };
    let packed = counted(&report.found.state_bytes.into(), "byte");
    let stored = if report.is_reduced { "representative" } else { "state" };
    let quotient = report.found.quotient.filter(|_| report.is_reduced);
    [
        ("states", number(|full| &full.states)),
        ("start states", number(|full| &full.starts)),
        ("steps", number(|full| &full.steps)),
        ("rules fired", number(|full| &full.fired)),
        ("depth", Some(report.depth().to_string())),
        ("deadlocks", Some(deadlocks)),
        ("representatives", quotient.map(|one| one.representatives.to_string())),
        ("annotated edges", quotient.map(|one| one.annotated_edges.to_string())),
        ("kept edges", quotient.and_then(|one| one.kept_edges).map(|count| count.to_string())),
        ("orbit edges", quotient.and_then(|one| one.orbit_edges).map(|count| count.to_string())),
        (
            "time",
            report.is_timed.then(|| format!("{time}, {} {stored}s/s", report.states_per_second())),
        ),
        (
            "memory",
            Some(format!("{packed} per {stored} packed, {} in all", report.bytes_per_state())),
        ),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(vec![name.to_owned(), value?]))
    .collect()
}

/// What the counts of violations are about.
fn stated(report: &Report<'_>) -> &'static str {
    if report.found.full.is_some() { "state" } else { "representative" }
}

fn properties(report: &Report<'_>) -> Vec<Vec<String>> {
    let row = |(property, verdict): &(&Property, VerdictWord)| {
        let place = report.loaded.place(property.span).location().to_string();
        let name = property.name.as_ref().map(|name| format!("\"{name}\"")).unwrap_or_default();
        let kind = property_kind(property.kind).to_owned();
        vec![verdict.name().to_owned(), kind, place, name]
    };
    report.properties.iter().map(row).collect()
}

/// What is wrong, with its place.
fn headline(report: &Report<'_>, violation: &ViolationView<'_>, colour: Colour) -> String {
    if let Some(diagnostic) = &violation.diagnostic {
        let headline = properties::headline(diagnostic);
        return marked(&report.loaded.sources().render(&headline, colour));
    }
    let word = paint(colour, "1;31", "violated");
    format!("{word}: {}\n", paint(colour, "1", &violation.message))
}

/// How often, and how to get there.
fn run(
    out: &mut Sheet<'_>,
    view: &ViolationView<'_>,
    one: &str,
    loaded: &Loaded,
    full_states: bool,
) {
    let model = &loaded.model;
    let Some(run) = &view.violation.trace else {
        if let Some(reason) = view.violation.untraced {
            let count = counted(&view.violation.count, one);
            let _ = writeln!(out, "in {count}; {reason}, before there was a run to it");
        }
        return;
    };
    if !matches!(view.violation.kind, ViolationKind::Cover(..)) {
        let length = counted(&run.stem.len().into(), "step");
        let count = counted(&view.violation.count, one);
        let _ = writeln!(out, "in {count}; a shortest run has {length}");
    }
    let start = loaded.start(run);
    // One message at the end says that runs were cut.
    let _ = out.push_long(run.stem.len(), |out| {
        steps::run(out, model, start.as_deref(), run, None, full_states, Colour::Off);
    });
    if let Some((process, event)) = view.failing() {
        let _ = writeln!(out, "fails in {}", model.label(process, event));
    }
}
