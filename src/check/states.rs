//! Properties of states: `invariant`, `assert`, `cover`, `liveness`, and that there is no deadlock.
//!
//! One exploration answers all that is asked, each question for itself: states that violate an invariant are
//! expanded, too, so that no answer hides another. What is found to be wrong is shown to the judge, as are
//! counterexamples to formulas.
//!
//! What fails (a run-time error) is told apart from the answers. Where a guard or a body fails there is no
//! step, and nobody knows what would come behind it: then nothing is said to hold that only all states could
//! tell. If it is a property that fails, then that is so of this property alone.

use crate::counterexample::judge::{self, Claim, Extent, Objection, judge_claim};
use crate::counterexample::{Run, Step};
use crate::explore::{
    Asked, Compression, Deadlock, Decision, Exploration, Options as ExploreOptions, Progress,
    Subject, Symmetry, Trace, ViolationKind, Watch, explore_for,
};
use crate::system::CompiledModel;
use model::checked::{Model, PropertyId};
use model::interpret::{Failure, FailureKind};
use model::syntax::PropertyKind;
use run::StopReason;
use std::time::Duration;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// These properties. Even if there are none, what fails is found.
    pub properties: Vec<PropertyId>,
    /// Whether there is a deadlock of this kind.
    pub deadlock: Deadlock,
    /// What is done about symmetry.
    pub symmetry: Symmetry,
    /// Stop when there are more representatives than this.
    pub most_states: Option<u64>,
    /// How many threads work.
    pub threads: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// The answers: of the properties in the order in which they were asked about, then of deadlocks if
    /// they count.
    pub answers: Vec<Answer>,
    /// What fails, in the order of the text, each with a shortest run to where it does. Statements whose
    /// property is asked about are told there.
    pub failures: Vec<Fault>,
    /// Representatives of start states.
    pub starts: u64,
    /// What was done in all.
    pub statistics: StatesStatistics,
    /// How far it came.
    pub progress: Progress,
    /// Why it is not complete.
    pub stopped: Option<StopReason>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// To what.
    pub subject: Subject,
    /// Which.
    pub verdict: Verdict,
    /// What was done for it.
    pub statistics: StatesStatistics,
}

/// The answer to one question.
#[derive(Debug)]
pub enum Verdict {
    /// It is as it should be.
    Holds,
    /// It is not, as the judge agrees.
    Violated(Violated),
    /// It is not, says the search, but the judge does not agree: a bug of ours.
    Misjudged(Objection),
    /// Nobody knows.
    Unknown(Reason),
}

/// What is wrong.
#[derive(Debug)]
pub struct Violated {
    /// For which choice of values around a `cover` or `liveness`, see
    /// [`PropertySummary::parameters`](crate::system::PropertySummary::parameters).
    pub choice: Option<usize>,
    /// How a statement fails.
    pub failure: Option<Failure>,
    /// A shortest run to where it is; none for a `cover` that is never true, and for a statement that fails
    /// in the making of a start state.
    pub run: Option<Run>,
    /// How much of it was judged.
    pub extent: Extent,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit.
    Stopped(StopReason),
    /// A run-time error of the model: not all of its states are known.
    Failure,
    /// The property itself fails in some state.
    Fails,
}

/// Something fails.
#[derive(Debug)]
pub struct Fault {
    /// What.
    pub failure: Failure,
    /// A shortest run to the state where it does; none if that is the making of a start state.
    pub run: Option<Run>,
    /// What the judge has against it: a bug of ours.
    pub objection: Option<Objection>,
}

/// What was done for one answer: up to the moment when it was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StatesStatistics {
    /// Representatives found.
    pub representatives: u64,
    /// Steps out of those that were expanded; of those that are alike, one.
    pub edges: u64,
    /// How long it took.
    pub time: Duration,
}

/// Answers questions about the reachable states of a model.
pub fn check_states(system: &CompiledModel<'_>, options: &Options, watch: &Watch<'_>) -> Outcome {
    let Options { deadlock, symmetry, most_states, threads, .. } = *options;
    let explored = ExploreOptions {
        deadlock,
        expand_violating: true,
        most_states,
        threads,
        symmetry,
        compression: Compression::None,
    };
    let is_anything_asked = !options.properties.is_empty() || deadlock != Deadlock::Off;
    let asked = Asked { properties: options.properties.clone(), until_decided: is_anything_asked };
    let (found, decisions) = explore_for(system, &explored, &asked, watch);
    let conclusion =
        Conclusion { model: system.model(), options, found: &found, decisions: &decisions };
    let properties = options.properties.iter().map(|&id| Subject::Property(id));
    let subjects = properties.chain((deadlock != Deadlock::Off).then_some(Subject::Deadlock));
    Outcome {
        answers: subjects.map(|subject| conclusion.answer(subject)).collect(),
        failures: conclusion.faults(),
        starts: found.starts,
        statistics: conclusion.total(),
        progress: found.progress,
        stopped: found.stopped,
    }
}

/// Reads answers off an exploration.
struct Conclusion<'c> {
    model: &'c Model,
    options: &'c Options,
    found: &'c Exploration,
    decisions: &'c [Decision],
}

impl Conclusion<'_> {
    fn answer(&self, subject: Subject) -> Answer {
        let decision = self.decisions.iter().find(|one| one.subject == subject);
        let statistics = match decision {
            Some(&Decision { states, edges, time, .. }) => {
                StatesStatistics { representatives: states, edges, time }
            }
            None => self.total(),
        };
        Answer { subject, verdict: self.verdict(subject), statistics }
    }

    /// Of the whole exploration.
    fn total(&self) -> StatesStatistics {
        let orbits = self.found.quotient.and_then(|quotient| quotient.orbit_edges);
        StatesStatistics {
            representatives: self.found.progress.states,
            edges: orbits.unwrap_or(self.found.progress.steps),
            time: self.found.time,
        }
    }

    fn verdict(&self, subject: Subject) -> Verdict {
        let property = match subject {
            Subject::Property(id) => Some(id),
            Subject::Deadlock => None,
        };
        let (mut model_fails, mut it_fails) = (false, false);
        for violation in &self.found.violations {
            let ViolationKind::Failure(failure) = &violation.kind else { continue };
            let failing = self.failing_property(failure);
            model_fails |= failing.is_none();
            it_fails |= failing.is_some() && failing == property;
        }
        match self.violated(subject) {
            // What is never true, or never again, may be behind what fails.
            Some(_) if self.is_about_all(subject) && model_fails => {
                return Verdict::Unknown(Reason::Failure);
            }
            Some(verdict) => return verdict,
            None => {}
        }
        if property.is_some_and(|id| self.found.covered.contains(&id)) {
            return Verdict::Holds;
        }
        match self.found.stopped {
            _ if it_fails => Verdict::Unknown(Reason::Fails),
            Some(reason) => Verdict::Unknown(Reason::Stopped(reason)),
            None if model_fails => Verdict::Unknown(Reason::Failure),
            None => {
                assert!(self.found.is_exhaustive(), "an open question is pursued to the end");
                Verdict::Holds
            }
        }
    }

    /// Whether it takes all states to know that it is violated.
    fn is_about_all(&self, subject: Subject) -> bool {
        let Subject::Property(id) = subject else { return false };
        let kind = self.model.properties[id.0 as usize].kind;
        matches!(kind, PropertyKind::Cover | PropertyKind::Liveness)
    }

    /// What is wrong, if something is: the first of it.
    fn violated(&self, subject: Subject) -> Option<Verdict> {
        self.found.violations.iter().find_map(|violation| {
            let (claim, choice, failure) = match (&violation.kind, subject) {
                (ViolationKind::Invariant(id), Subject::Property(one)) if *id == one => {
                    (Some(Claim::Invariant { property: one, choice: None }), None, None)
                }
                (ViolationKind::Failure(failure), Subject::Property(one))
                    if failure.kind == FailureKind::Assertion(one) =>
                {
                    (Some(claim_of(failure)), None, Some(failure.clone()))
                }
                (&ViolationKind::Cover(id, choice), Subject::Property(one)) if id == one => {
                    (None, Some(choice), None)
                }
                (&ViolationKind::Liveness(id, choice), Subject::Property(one)) if id == one => {
                    (Some(Claim::Liveness { property: one, choice }), Some(choice), None)
                }
                (ViolationKind::Deadlock, Subject::Deadlock) => {
                    (Some(Claim::Deadlock(self.deadlock())), None, None)
                }
                _ => return None,
            };
            let run = violation.trace.as_ref().map(run_of);
            let extent = match (&claim, &run) {
                (Some(claim), Some(run)) => judged(self.model, claim, run),
                _ => Ok(Extent::All),
            };
            Some(match extent {
                Ok(extent) => Verdict::Violated(Violated { choice, failure, run, extent }),
                Err(objection) => Verdict::Misjudged(objection),
            })
        })
    }

    fn deadlock(&self) -> judge::Deadlock {
        match self.options.deadlock {
            Deadlock::Stuttering => judge::Deadlock::Stuttering,
            Deadlock::Stuck | Deadlock::Off => judge::Deadlock::Stuck,
        }
    }

    /// The top-level property whose evaluation fails; none if it is something else that does.
    fn failing_property(&self, failure: &Failure) -> Option<PropertyId> {
        let outermost = failure.calls.first().unwrap_or(&failure.span);
        let all = (0..).map(PropertyId).zip(&self.model.properties);
        let mut claims =
            all.filter(|(_, one)| !one.is_statement && one.kind != PropertyKind::Assume);
        let found = claims
            .find(|(_, one)| one.span.start <= outermost.start && outermost.end <= one.span.end);
        found.filter(|_| failure.during.is_none()).map(|(id, _)| id)
    }

    fn faults(&self) -> Vec<Fault> {
        let fault = |violation: &crate::explore::Violation| {
            let ViolationKind::Failure(failure) = &violation.kind else { return None };
            if let FailureKind::Assertion(id) = failure.kind
                && self.options.properties.contains(&id)
            {
                return None;
            }
            let run = violation.trace.as_ref().map(run_of);
            let judged = run.as_ref().map(|run| judged(self.model, &claim_of(failure), run));
            let objection = judged.and_then(Result::err);
            Some(Fault { failure: failure.clone(), run, objection })
        };
        self.found.violations.iter().filter_map(fault).collect()
    }
}

/// What the judge says.
fn judged(model: &Model, claim: &Claim<'_>, run: &Run) -> Result<Extent, Objection> {
    let steps = run.steps().count();
    let _span = tracing::debug_span!("counterexample.validate", steps).entered();
    judge_claim(model, claim, run)
}

fn claim_of(failure: &Failure) -> Claim<'static> {
    Claim::Failure { kind: Some(failure.kind), span: Some(failure.span) }
}

/// A trace as a run that ends.
pub fn run_of(trace: &Trace) -> Run {
    let step = |step: &crate::explore::TraceStep| Step {
        state: step.state.clone(),
        action: Some((step.process, step.event.clone())),
    };
    Run { stem: trace.steps.iter().map(step).collect(), cycle: Vec::new(), end: trace.end.clone() }
}
