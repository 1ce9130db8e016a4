//! What an exploration has found, in words and places.

use super::super::describe::property_kind;
use super::super::json::{Constants, Count, StateEntry, StepEntry};
use super::super::model::Loaded;
use super::super::numbers::per_second;
use super::super::properties::{self, Bindings, Values};
use super::super::steps;
use isonomy::explore::{Deadlock, Exploration, Full, Options, Symmetry, Violation, ViolationKind};
use isonomy::model::checked::{Model, Property, PropertyId};
use isonomy::model::interpret::{Failure, FailureKind};
use isonomy::model::syntax::PropertyKind;
use ltl::{Diagnostic, Span};
use model::reference::{Run, Step};
use num_bigint::BigUint;
use serde::Serialize;

/// All that is said of an exploration.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    schema: u32,
    pub(super) model: &'a str,
    constants: Constants<'a>,
    symmetry: &'static str,
    pub(super) deadlock: &'static str,
    /// Without symmetry, exactly, as are all counts that may be missing. They are if states were
    /// only sorted.
    pub(super) states: Option<Count<BigUint>>,
    pub(super) start_states: Option<Count<BigUint>>,
    pub(super) steps: Option<Count<BigUint>>,
    pub(super) fired: Option<Count<BigUint>>,
    /// Steps to the farthest states.
    pub(super) depth: u64,
    /// These four are of quotients: there is none without symmetry.
    representatives: Option<Count>,
    annotated_edges: Option<Count>,
    kept_edges: Option<Count>,
    orbit_edges: Option<Count>,
    pub(super) deadlocks: Option<Count<BigUint>>,
    exhaustive: bool,
    pub(super) properties: Vec<PropertyEntry<'a>>,
    pub(super) violations: Vec<ViolationEntry<'a>>,
    pub(super) stopped: Option<String>,
    pub(super) time_us: Count,
    pub(super) states_per_second: u64,
    pub(super) bytes_per_state: u64,
    pub(super) packed_bytes: usize,
    threads: usize,
    /// Whether anything can be permuted, so that what was stored is more than states.
    #[serde(skip)]
    pub(super) is_reduced: bool,
    #[serde(skip)]
    pub(super) found: &'a Exploration,
}

/// A property, and what came of it.
#[derive(Serialize)]
pub(super) struct PropertyEntry<'a> {
    pub(super) kind: &'static str,
    pub(super) name: Option<&'a str>,
    statement: bool,
    pub(super) location: Location,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Holds,
    Violated,
    Unknown,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Location {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Something that is wrong.
#[derive(Serialize)]
pub(super) struct ViolationEntry<'a> {
    pub(super) kind: &'static str,
    name: Option<&'a str>,
    pub(super) message: String,
    location: Option<Location>,
    bindings: Bindings<'a>,
    /// None for a cover, which is a matter of all states.
    pub(super) count: Option<Count<BigUint>>,
    trace: Option<TraceEntry<'a>>,
    /// The step out of the last state that fails.
    failing: Option<StepEntry<'a>>,
    /// As a message with its place in the model.
    #[serde(skip)]
    pub(super) diagnostic: Option<Diagnostic>,
    #[serde(skip)]
    pub(super) violation: &'a Violation,
}

/// A run.
#[derive(Serialize)]
struct TraceEntry<'a> {
    start: String,
    steps: Vec<StepEntry<'a>>,
    end: StateEntry<'a>,
}

impl<'a> Report<'a> {
    /// Of an exploration; `is_reduced` if there was something to permute, and it was permuted.
    pub(super) fn of(
        loaded: &'a Loaded,
        options: &Options,
        is_reduced: bool,
        found: &'a Exploration,
    ) -> Self {
        let model = &loaded.model;
        let count = |number: u64| Count(u128::from(number));
        let full =
            |part: fn(&Full) -> &BigUint| found.full.as_ref().map(|full| Count(part(full).clone()));
        let quotient = found.quotient;
        let progress = &found.progress;
        let teller = Teller { loaded, model };
        Report {
            schema: 1,
            model: &loaded.text.name,
            constants: Constants(model),
            symmetry: match options.symmetry {
                Symmetry::Off => "off",
                Symmetry::Canonical => "auto",
                Symmetry::Sorted => "fast",
            },
            deadlock: match options.deadlock {
                Deadlock::Off => "off",
                Deadlock::Stuck => "stuck",
                Deadlock::Stuttering => "stuttering",
            },
            states: full(|full| &full.states),
            start_states: full(|full| &full.starts),
            steps: full(|full| &full.steps),
            fired: full(|full| &full.fired),
            depth: progress.depth.saturating_sub(1),
            representatives: quotient.map(|one| count(one.representatives)),
            annotated_edges: quotient.map(|one| count(one.annotated_edges)),
            kept_edges: quotient.and_then(|one| one.kept_edges).map(count),
            orbit_edges: quotient.and_then(|one| one.orbit_edges).map(count),
            deadlocks: full(|full| &full.deadlocks),
            exhaustive: found.is_exhaustive(),
            properties: teller.properties(found),
            violations: found.violations.iter().map(|one| teller.violation(one)).collect(),
            stopped: found.stopped.map(|reason| reason.to_string()),
            time_us: Count(found.time.as_micros()),
            states_per_second: per_second(progress.states, found.time),
            bytes_per_state: found.memory.div_ceil(progress.states.max(1)),
            packed_bytes: found.state_bytes,
            threads: options.threads,
            is_reduced,
            found,
        }
    }
}

/// Finds the words.
struct Teller<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
}

impl<'a> Teller<'a> {
    fn location(&self, span: Span) -> Location {
        let (line, column) = self.loaded.text.source().position(span.start);
        Location { line, column }
    }

    fn property(&self, id: PropertyId) -> &'a Property {
        &self.model.properties[id.0 as usize]
    }

    /// All that can be violated.
    fn properties(&self, found: &Exploration) -> Vec<PropertyEntry<'a>> {
        let all = (0..).map(PropertyId).zip(&self.model.properties);
        let claims = all.filter(|(_, property)| property.kind != PropertyKind::Assume);
        let entry = |(id, property): (PropertyId, &'a Property)| PropertyEntry {
            kind: property_kind(property.kind),
            name: property.name.as_deref(),
            statement: property.is_statement,
            location: self.location(property.span),
            verdict: verdict(id, property, found),
        };
        claims.map(entry).collect()
    }

    fn violation(&self, violation: &'a Violation) -> ViolationEntry<'a> {
        let trace = violation.trace.as_ref();
        let (kind, diagnostic, property, values) = match &violation.kind {
            ViolationKind::Deadlock => ("deadlock", None, None, Vec::new()),
            ViolationKind::Failure(failure) => {
                let property = match failure.kind {
                    FailureKind::Assertion(id) => Some(self.property(id)),
                    _ => None,
                };
                let kind = property.map_or("runtime-error", |one| property_kind(one.kind));
                (kind, Some(failure.diagnostic()), property, Vec::new())
            }
            ViolationKind::Invariant(id) => {
                let values =
                    trace.map(|trace| properties::false_values(self.model, *id, &trace.end));
                let values = values.unwrap_or_default();
                self.claim(*id, values, "is violated", "")
            }
            ViolationKind::Cover(id, choice) => {
                let values = properties::nth_values(self.model, *id, *choice);
                self.claim(*id, values, "is never true", "")
            }
            ViolationKind::Liveness(id, choice) => {
                let values = properties::nth_values(self.model, *id, *choice);
                self.claim(*id, values, "is violated", ": from some states it can never come true")
            }
        };
        let message = match &diagnostic {
            Some(diagnostic) => diagnostic.message.clone(),
            None => properties::deadlock(self.model, trace.map(|trace| &trace.end)),
        };
        let failing = match (&violation.kind, trace) {
            (ViolationKind::Failure(Failure { during: Some(during), .. }), Some(trace)) => {
                Some(StepEntry::of(self.model, &during.0, &during.1, &trace.end))
            }
            _ => None,
        };
        let is_cover = matches!(violation.kind, ViolationKind::Cover(..));
        ViolationEntry {
            kind,
            name: property.and_then(|one| one.name.as_deref()),
            message,
            location: diagnostic.as_ref().map(|one| self.location(one.span)),
            bindings: Bindings { model: self.model, values },
            count: (!is_cover).then(|| Count(violation.count.clone())),
            trace: trace.map(|trace| self.trace(trace)),
            failing,
            diagnostic,
            violation,
        }
    }

    /// What is said of a property for some values around it.
    fn claim(
        &self,
        id: PropertyId,
        values: Values<'a>,
        verdict: &str,
        reason: &str,
    ) -> (&'static str, Option<Diagnostic>, Option<&'a Property>, Values<'a>) {
        let property = self.property(id);
        let pairs = values.iter().map(|(local, value)| (*local, value));
        let around = steps::for_values(self.model, pairs);
        let message = format!("{} {verdict}{around}{reason}", steps::property(property));
        let diagnostic = Diagnostic::error(property.span, message);
        (property_kind(property.kind), Some(diagnostic), Some(property), values)
    }

    fn trace(&self, trace: &'a Run) -> TraceEntry<'a> {
        let step = |step: &'a Step| {
            let (process, event) = step.action.as_ref().expect("a run that ends does not stutter");
            StepEntry::of(self.model, process, event, &step.state)
        };
        TraceEntry {
            start: steps::start(self.model, trace),
            steps: trace.stem.iter().map(step).collect(),
            end: StateEntry { model: self.model, state: &trace.end },
        }
    }
}

/// What came of a property.
fn verdict(id: PropertyId, property: &Property, found: &Exploration) -> Verdict {
    let mut fails = false;
    for violation in &found.violations {
        match &violation.kind {
            ViolationKind::Invariant(one)
            | ViolationKind::Cover(one, _)
            | ViolationKind::Liveness(one, _)
                if *one == id =>
            {
                return Verdict::Violated;
            }
            ViolationKind::Failure(Failure { kind: FailureKind::Assertion(one), .. })
                if *one == id =>
            {
                return Verdict::Violated;
            }
            ViolationKind::Failure(failure) => {
                let outermost = failure.calls.first().unwrap_or(&failure.span);
                fails |=
                    property.span.start <= outermost.start && outermost.end <= property.span.end;
            }
            _ => {}
        }
    }
    if found.covered.contains(&id) || (found.is_exhaustive() && !fails) {
        Verdict::Holds
    } else {
        Verdict::Unknown
    }
}
