//! The results of an exploration with what the model adds to them: names, places, values and messages. All
//! views show these.

use super::super::choices::{DeadlockChoice, SymmetryChoice};
use super::super::coverage::Coverage;
use super::super::loading::Loaded;
use super::super::numbers::per_second;
use super::super::properties::{self, Bindings};
use super::super::results::{ResultKind, VerdictWord};
use crate::explore::{Exploration, Violation, ViolationKind};
use ltl::Diagnostic;
use ltl::source::Severity;
use model::checked::{Model, Property, PropertyId};
use model::interpret::{Event, Failure, FailureKind, Process};
use model::syntax::PropertyKind;

/// The results of an exploration.
pub(super) struct Report<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) symmetry: SymmetryChoice,
    pub(super) deadlock: DeadlockChoice,
    pub(super) threads: usize,
    /// Whether anything can be permuted, so that representatives were stored.
    pub(super) is_reduced: bool,
    /// Whether the text says how long it took.
    pub(super) is_timed: bool,
    pub(super) found: &'a Exploration,
    pub(super) coverage: &'a Coverage,
    /// Whether the firings of all rules are to be printed.
    pub(super) shows_coverage: bool,
    /// All that can be violated.
    pub(super) properties: Vec<(&'a Property, VerdictWord)>,
    pub(super) violations: Vec<ViolationView<'a>>,
}

/// A violation in the words of the model.
pub(super) struct ViolationView<'a> {
    pub(super) violation: &'a Violation,
    pub(super) kind: ResultKind,
    /// The name of the property.
    pub(super) name: Option<&'a str>,
    pub(super) bindings: Bindings,
    /// What is wrong, with its place in the model.
    pub(super) diagnostic: Option<Diagnostic>,
    /// The same without a place.
    pub(super) message: String,
}

impl<'a> Report<'a> {
    /// A view of what was found.
    pub(super) fn of(
        loaded: &'a Loaded,
        options: &super::Options,
        is_reduced: bool,
        found: &'a Exploration,
        coverage: &'a Coverage,
    ) -> Self {
        let model = &loaded.model;
        let all = (0..).map(PropertyId).zip(&model.properties);
        let claims = all.filter(|(_, property)| property.kind != PropertyKind::Assume);
        Report {
            loaded,
            symmetry: options.symmetry,
            deadlock: options.deadlock,
            threads: options.asked().threads,
            is_reduced,
            is_timed: !options.no_time,
            found,
            coverage,
            shows_coverage: options.coverage,
            properties: claims.map(|(id, one)| (one, verdict(id, one, found))).collect(),
            violations: found.violations.iter().map(|one| ViolationView::of(model, one)).collect(),
        }
    }

    /// Steps to the farthest states.
    pub(super) fn depth(&self) -> u64 {
        self.found.progress.depth.saturating_sub(1)
    }

    /// Stored states per second.
    pub(super) fn states_per_second(&self) -> u64 {
        per_second(self.found.progress.states, self.found.time)
    }

    /// Bytes of memory for each stored state.
    pub(super) fn bytes_per_state(&self) -> u64 {
        self.found.memory.div_ceil(self.found.progress.states.max(1))
    }
}

impl<'a> ViolationView<'a> {
    fn of(model: &'a Model, violation: &'a Violation) -> Self {
        let end = violation.trace.as_ref().map(|trace| &trace.end);
        let none = Bindings::default();
        let claim = |id: PropertyId, choice| {
            let property = &model.properties[id.0 as usize];
            let hopeless = ": from some states it can never come true";
            let (bindings, diagnostic) = properties::violated(model, id, choice, end, hopeless);
            (ResultKind::State(property.kind), Some(property), bindings, Some(diagnostic))
        };
        let (kind, property, bindings, diagnostic) = match &violation.kind {
            ViolationKind::Deadlock => (ResultKind::Deadlock, None, none, None),
            ViolationKind::Failure(failure) => {
                let (kind, property) = properties::failing(model, failure);
                let mut diagnostic = failure.diagnostic();
                if kind != ResultKind::RuntimeError {
                    diagnostic.severity = Severity::Violated;
                }
                (kind, property.map(|(_, property)| property), none, Some(diagnostic))
            }
            ViolationKind::Invariant(id) => claim(*id, None),
            ViolationKind::Cover(id, choice) | ViolationKind::Liveness(id, choice) => {
                claim(*id, Some(*choice))
            }
        };
        let message = match &diagnostic {
            Some(diagnostic) => diagnostic.message.clone(),
            None => properties::deadlock(model, end),
        };
        ViolationView {
            violation,
            kind,
            name: property.and_then(|one| one.name.as_deref()),
            bindings,
            diagnostic,
            message,
        }
    }

    /// The step out of the last state that fails.
    pub(super) fn failing(&self) -> Option<&'a (Process, Event)> {
        match &self.violation.kind {
            ViolationKind::Failure(failure) => failure.during.as_deref(),
            _ => None,
        }
    }
}

/// What came of a property.
fn verdict(id: PropertyId, property: &Property, found: &Exploration) -> VerdictWord {
    let mut fails = false;
    for violation in &found.violations {
        match &violation.kind {
            ViolationKind::Invariant(one)
            | ViolationKind::Cover(one, _)
            | ViolationKind::Liveness(one, _)
                if *one == id =>
            {
                return VerdictWord::Violated;
            }
            ViolationKind::Failure(Failure { kind: FailureKind::Assertion(one), .. })
                if *one == id =>
            {
                return VerdictWord::Violated;
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
        VerdictWord::Holds
    } else {
        VerdictWord::Unknown
    }
}
