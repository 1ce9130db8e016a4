//! What an exploration has found, in words and places.

use super::super::describe::property_kind;
use super::super::json::{Constants, Count, StateEntry, StepEntry, Typed};
use super::super::model::Loaded;
use super::super::steps;
use isonomy::explore::{Deadlock, Exploration, Options, Trace, Violation, ViolationKind};
use isonomy::model::checked::{Model, Property, PropertyId};
use isonomy::model::interpret::{Failure, FailureKind, Interpreter, State};
use isonomy::model::syntax::PropertyKind;
use isonomy::model::value::Value;
use ltl::{Diagnostic, Span};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// All that is said of an exploration.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    schema: u32,
    pub(super) model: &'a str,
    constants: Constants<'a>,
    symmetry: &'static str,
    pub(super) deadlock: &'static str,
    pub(super) states: Count,
    pub(super) start_states: Count,
    pub(super) steps: Count,
    pub(super) fired: Count,
    /// Steps to the farthest states.
    pub(super) depth: u32,
    /// These four are of quotients: there is none without symmetry.
    representatives: Option<Count>,
    annotated_edges: Option<Count>,
    kept_edges: Option<Count>,
    orbit_edges: Option<Count>,
    pub(super) deadlocks: Count,
    exhaustive: bool,
    pub(super) properties: Vec<PropertyEntry<'a>>,
    pub(super) violations: Vec<ViolationEntry<'a>>,
    pub(super) stopped: Option<String>,
    pub(super) time_us: Count,
    pub(super) states_per_second: u64,
    pub(super) bytes_per_state: u64,
    pub(super) packed_bytes: usize,
    threads: usize,
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
    kind: &'static str,
    name: Option<&'a str>,
    pub(super) message: String,
    location: Option<Location>,
    bindings: Bindings<'a>,
    /// None for a cover, which is a matter of all states.
    pub(super) count: Option<Count>,
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
    start: &'a str,
    steps: Vec<StepEntry<'a>>,
    end: StateEntry<'a>,
}

/// The values around a property, by name.
struct Bindings<'a> {
    model: &'a Model,
    property: Option<&'a Property>,
    values: Vec<Value>,
}

impl Serialize for Bindings<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let locals = self.property.into_iter().flat_map(steps::bound);
        let types = &self.model.types;
        to.collect_map(
            locals
                .zip(&self.values)
                .map(|(local, value)| (&local.name, Typed { types, of: local.of, value })),
        )
    }
}

impl<'a> Report<'a> {
    pub(super) fn of(loaded: &'a Loaded, options: &Options, found: &'a Exploration) -> Self {
        let model = &loaded.model;
        let count = |number: u64| Count(u128::from(number));
        let progress = &found.progress;
        let teller = Teller { loaded, model, interpreter: Interpreter::new(model) };
        Report {
            schema: 1,
            model: &loaded.text.name,
            constants: Constants(model),
            symmetry: "off",
            deadlock: match options.deadlock {
                Deadlock::Off => "off",
                Deadlock::Stuck => "stuck",
                Deadlock::Stuttering => "stuttering",
            },
            states: count(progress.states),
            start_states: count(found.starts),
            steps: count(progress.steps),
            fired: count(progress.fired),
            depth: progress.depth.saturating_sub(1),
            representatives: None,
            annotated_edges: None,
            kept_edges: None,
            orbit_edges: None,
            deadlocks: count(found.deadlocks),
            exhaustive: found.is_exhaustive(),
            properties: teller.properties(found),
            violations: found.violations.iter().map(|one| teller.violation(one)).collect(),
            stopped: found.stopped.map(|reason| reason.to_string()),
            time_us: Count(found.time.as_micros()),
            states_per_second: per_second(progress.states, found.time),
            bytes_per_state: found.memory.div_ceil(progress.states.max(1)),
            packed_bytes: found.state_bytes,
            threads: options.threads,
        }
    }
}

/// How many per second.
pub(super) fn per_second(count: u64, time: Duration) -> u64 {
    let rate = u128::from(count) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// Finds the words.
struct Teller<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
    interpreter: Interpreter<'a>,
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
                let values = self.false_values(*id, trace.map(|trace| &trace.end));
                self.claim(*id, values, "is violated", "")
            }
            ViolationKind::Cover(id, choice) => {
                let start = self.interpreter.starts().find_map(Result::ok);
                let values = self.nth_values(*id, *choice, start.as_ref().map(|one| &one.state));
                self.claim(*id, values, "is never true", "")
            }
            ViolationKind::Liveness(id, choice) => {
                let values = self.nth_values(*id, *choice, trace.map(|trace| &trace.end));
                self.claim(*id, values, "is violated", ": from some states it can never come true")
            }
        };
        let message = match &diagnostic {
            Some(diagnostic) => diagnostic.message.clone(),
            None => self.deadlock(trace),
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
            bindings: Bindings { model: self.model, property, values },
            count: (!is_cover)
                .then(|| Count(u128::try_from(&violation.count).unwrap_or(u128::MAX))),
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
        values: Vec<Value>,
        verdict: &str,
        reason: &str,
    ) -> (&'static str, Option<Diagnostic>, Option<&'a Property>, Vec<Value>) {
        let property = self.property(id);
        let around = steps::for_values(self.model, property, &values);
        let message = format!("{} {verdict}{around}{reason}", steps::property(property));
        let diagnostic = Diagnostic::error(property.span, message);
        (property_kind(property.kind), Some(diagnostic), Some(property), values)
    }

    fn deadlock(&self, trace: Option<&Trace>) -> String {
        let steps = trace.map(|trace| self.interpreter.steps(&trace.end));
        let why = match steps {
            Some(Ok(steps)) if !steps.is_empty() => "no step changes the state",
            _ => "no step is possible",
        };
        format!("deadlock: {why}")
    }

    /// The first values around a property for which it is false.
    fn false_values(&self, id: PropertyId, state: Option<&State>) -> Vec<Value> {
        let instances = state.and_then(|state| self.interpreter.instances_of(state, id).ok());
        let is_false = instances.into_iter().flatten().find(|one| one.holds == Ok(false));
        is_false.map(|one| one.arguments).unwrap_or_default()
    }

    /// The values around a property of this choice. What is chosen from a multiset is another one
    /// in every state; then there are no values to speak of.
    fn nth_values(&self, id: PropertyId, choice: usize, state: Option<&State>) -> Vec<Value> {
        if self.property(id).is_statement {
            return Vec::new();
        }
        let instances = state.and_then(|state| self.interpreter.instances_of(state, id).ok());
        let nth = instances.into_iter().flatten().nth(choice);
        nth.map(|one| one.arguments).unwrap_or_default()
    }

    fn trace(&self, trace: &'a Trace) -> TraceEntry<'a> {
        let step = |step: &'a isonomy::explore::TraceStep| {
            StepEntry::of(self.model, &step.process, &step.event, &step.state)
        };
        TraceEntry {
            start: &trace.start,
            steps: trace.steps.iter().map(step).collect(),
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
