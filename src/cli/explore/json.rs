//! The JSON of an exploration. These types are its schema; `fixtures/schema/explore.schema.json` says the
//! same for other programs.

use super::super::coverage::RuleEntry;
use super::super::json::{Constants, Count, StateEntry, StepEntries, StepEntry};
use super::super::loading::Location;
use super::super::properties::Bindings;
use super::super::results::{ResultKind, VerdictWord};
use super::super::view::LoadedSystem as _;
use super::super::writing::{LongPart, LongParts};
use super::report::{Report, ViolationView};
use crate::explore::{Full, ViolationKind};
use model::checked::{Model, Property};
use num_bigint::BigUint;
use serde::Serialize;

/// All results.
#[derive(Serialize)]
pub(super) struct ReportEntry<'a> {
    schema: u32,
    model: &'a str,
    constants: Constants<'a>,
    symmetry: &'static str,
    deadlock: &'static str,
    /// Without symmetry, exactly, as are all counts that may be missing. They are if states were
    /// only sorted.
    states: Option<Count<BigUint>>,
    start_states: Option<Count<BigUint>>,
    steps: Option<Count<BigUint>>,
    fired: Option<Count<BigUint>>,
    /// Steps to the farthest states.
    depth: u64,
    /// These four are of quotients: there is none without symmetry.
    representatives: Option<Count>,
    annotated_edges: Option<Count>,
    kept_edges: Option<Count>,
    orbit_edges: Option<Count>,
    deadlocks: Option<Count<BigUint>>,
    exhaustive: bool,
    properties: Vec<PropertyEntry<'a>>,
    rules: Vec<RuleEntry<'a>>,
    /// None if not every reachable state was expanded, or if something fails there.
    never_fired: Option<Vec<RuleEntry<'a>>>,
    violations: Vec<ViolationEntry<'a>>,
    stopped: Option<String>,
    time_us: Count,
    states_per_second: u64,
    bytes_per_state: u64,
    packed_bytes: usize,
    threads: usize,
}

/// A property, and what came of it.
#[derive(Serialize)]
struct PropertyEntry<'a> {
    kind: ResultKind,
    name: Option<&'a str>,
    statement: bool,
    location: Location<'a>,
    verdict: VerdictWord,
}

/// Something that is wrong.
#[derive(Serialize)]
struct ViolationEntry<'a> {
    kind: ResultKind,
    name: Option<&'a str>,
    message: &'a str,
    location: Option<Location<'a>>,
    bindings: &'a Bindings,
    /// None for a cover, which is a matter of all states.
    count: Option<Count<BigUint>>,
    trace: Option<LongPart>,
    /// The step out of the last state that fails.
    failing: Option<StepEntry<'a, Model>>,
}

/// A run.
#[derive(Serialize)]
struct TraceEntry<'a> {
    start: Option<String>,
    steps: StepEntries<'a, Model>,
    end: StateEntry<'a, Model>,
}

impl<'a> ReportEntry<'a> {
    pub(super) fn of(report: &'a Report<'a>, parts: &mut LongParts<'_>) -> Self {
        let found = report.found;
        let count = |number: u64| Count(u128::from(number));
        let full =
            |part: fn(&Full) -> &BigUint| found.full.as_ref().map(|full| Count(part(full).clone()));
        let quotient = found.quotient;
        let property = |&(property, verdict): &(&'a Property, VerdictWord)| PropertyEntry {
            kind: ResultKind::State(property.kind),
            name: property.name.as_deref(),
            statement: property.is_statement,
            location: report.loaded.place(property.span).location(),
            verdict,
        };
        ReportEntry {
            schema: 1,
            model: &report.loaded.text.name,
            constants: Constants(&report.loaded.model),
            symmetry: report.symmetry.name(),
            deadlock: report.deadlock.name(),
            states: full(|full| &full.states),
            start_states: full(|full| &full.starts),
            steps: full(|full| &full.steps),
            fired: full(|full| &full.fired),
            depth: report.depth(),
            representatives: quotient.map(|one| count(one.representatives)),
            annotated_edges: quotient.map(|one| count(one.annotated_edges)),
            kept_edges: quotient.and_then(|one| one.kept_edges).map(count),
            orbit_edges: quotient.and_then(|one| one.orbit_edges).map(count),
            deadlocks: full(|full| &full.deadlocks),
            exhaustive: found.is_exhaustive(),
            properties: report.properties.iter().map(property).collect(),
            rules: report.coverage.entries(report.loaded),
            never_fired: report.coverage.never_entries(report.loaded),
            violations: (report.violations.iter())
                .map(|one| ViolationEntry::of(report, one, parts))
                .collect(),
            stopped: found.stopped.map(|reason| reason.to_string()),
            time_us: Count(found.time.as_micros()),
            states_per_second: report.states_per_second(),
            bytes_per_state: report.bytes_per_state(),
            packed_bytes: found.state_bytes,
            threads: report.threads,
        }
    }
}

impl<'a> ViolationEntry<'a> {
    fn of(report: &'a Report<'a>, view: &'a ViolationView<'a>, parts: &mut LongParts<'_>) -> Self {
        let model = &report.loaded.model;
        let run = view.violation.trace.as_ref();
        let is_cover = matches!(view.violation.kind, ViolationKind::Cover(..));
        ViolationEntry {
            kind: view.kind,
            name: view.name,
            message: &view.message,
            location: view.diagnostic.as_ref().map(|one| report.loaded.place(one.span).location()),
            bindings: &view.bindings,
            count: (!is_cover).then(|| Count(view.violation.count.clone())),
            // A note at the end says that runs were left out, for all of them together.
            trace: run.and_then(|run| {
                let entry = || TraceEntry {
                    start: report.loaded.start(run),
                    steps: StepEntries { view: model, steps: &run.stem },
                    end: StateEntry { view: model, state: &run.end },
                };
                parts.add(entry).ok()
            }),
            failing: view
                .failing()
                .zip(run)
                .map(|(action, run)| StepEntry::of(model, Some(action), &run.end)),
        }
    }
}
