//! Properties of states: `invariant`, `assert`, `cover`, `liveness`, and the absence of deadlocks.
//!
//! One exploration answers all questions, each independently of the others: states that violate an
//! invariant are expanded, too, so that no answer hides another. Violations are validated by the
//! judge, like counterexamples to formulas.
//!
//! Failures (run-time errors) are reported apart from the answers. Where a guard or a body fails
//! there is no step, and its successors are unknown: then no property is reported to hold that
//! depends on all states. A property that fails itself affects its own answer only.

use crate::explore::retrace;
use crate::frontend::{FaultOf, FrontEnd, VocabularyOf};
pub use engine::explore::reduction_for;
use engine::explore::{
    Asked, Compression, Deadlock, Decision, Exploration, Options as ExploreOptions, Progress,
    Subject, Symmetry, Violation, ViolationKind, Watch, explore_on,
};
use engine::quotient::Quotient;
use judge::{Claim, Extent, Objection, Reference as _, Run, Vocabulary, judge_claim};
use model::reference::ModelVocabulary;
use num_bigint::BigUint;
use run::StopReason;
use std::cell::Cell;
use std::time::Duration;
use terms::{PropertyId, PropertyKind};

/// The questions and options of a check of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The properties in question. Failures are found even if there are none.
    pub properties: Vec<PropertyId>,
    /// The kind of deadlock in question.
    pub deadlock: Deadlock,
    /// How states are reduced by symmetry.
    pub symmetry: Symmetry,
    /// The check stops when there are more representatives than this.
    pub most_states: Option<u64>,
    /// The number of threads.
    pub threads: usize,
}

/// The result of a check of states.
#[derive(Debug)]
pub struct Outcome<V: Vocabulary = ModelVocabulary> {
    /// The answers: of the properties in the order of the options, then of deadlocks if they are in
    /// question.
    pub answers: Vec<Answer<V>>,
    /// The failures, in the order of the text, each with a shortest run to the state where it
    /// occurs. Failures of statements whose property is in question are reported in its answer
    /// instead.
    pub failures: Vec<Fault<V>>,
    /// The number of representatives of start states.
    pub starts: u64,
    /// The statistics of the whole exploration.
    pub statistics: StatesStatistics,
    /// The progress at the end.
    pub progress: Progress,
    /// By rule: the number of its instances executed, see
    /// [`Exploration::rules`](engine::explore::Exploration::rules).
    pub rules: Vec<BigUint>,
    /// Whether every reachable state was expanded, and nothing fails there.
    pub is_complete: bool,
    /// Why the exploration is not complete; none if it is.
    pub stopped: Option<StopReason>,
}

/// The answer to one question.
#[derive(Debug)]
pub struct Answer<V: Vocabulary = ModelVocabulary> {
    /// The question.
    pub subject: Subject,
    /// The verdict.
    pub verdict: Verdict<V>,
    /// The statistics of the exploration up to the moment when the verdict was known.
    pub statistics: StatesStatistics,
}

/// The verdict on one question.
#[derive(Debug)]
pub enum Verdict<V: Vocabulary = ModelVocabulary> {
    /// The property holds, or there is no deadlock.
    Holds,
    /// The property is violated, or there is a deadlock; the judge has confirmed it.
    Violated(Violated<V>),
    /// The search has found a violation that the judge rejects: a bug of this checker.
    Misjudged(Objection<V>),
    /// There is no answer, for this reason.
    Unknown(Reason),
}

/// A violation.
#[derive(Debug)]
pub struct Violated<V: Vocabulary = ModelVocabulary> {
    /// The number of the choice of values of the parameters of a `cover` or `liveness`, see
    /// [`PropertySummary::parameters`](engine::system::PropertySummary::parameters).
    pub choice: Option<usize>,
    /// The failure of a statement.
    pub failure: Option<V::Fault>,
    /// A shortest run to a violating state; none for a `cover` that is never true, and for a
    /// statement that fails in the construction of a start state.
    pub run: Option<Run<V>>,
    /// How much of the claim the judge has confirmed.
    pub extent: Extent,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was reached.
    Stopped(StopReason),
    /// A limit was reached after a violation was found, but before the judge had confirmed it.
    Unjudged(StopReason),
    /// A run-time error of the model: not all of its states are known.
    Failure,
    /// The evaluation of the property itself fails in some state.
    Fails,
}

/// A failure.
#[derive(Debug)]
pub struct Fault<V: Vocabulary = ModelVocabulary> {
    /// The failure.
    pub failure: V::Fault,
    /// A shortest run to the state where it occurs; none if the construction of a start state
    /// fails.
    pub run: Option<Run<V>>,
    /// The judge's objection: a bug of this checker.
    pub objection: Option<Objection<V>>,
}

/// The statistics of one answer: up to the moment when it was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StatesStatistics {
    /// The number of representatives found.
    pub representatives: u64,
    /// The number of steps out of those that were expanded; equivalent steps count once.
    pub edges: u64,
    /// The duration.
    pub time: Duration,
}

/// Decides questions about the reachable states of a system.
pub fn check_states<F: FrontEnd>(
    system: &F,
    options: &Options,
    watch: &Watch,
) -> Outcome<VocabularyOf<F>> {
    let reduction = reduction_for(system, options.symmetry);
    let quotient = Quotient::sharded(system, reduction, Compression::None);
    check_states_on(&quotient, system, options, watch)
}

/// [`check_states`] on a state space that other checks of the same system may have filled in part,
/// and that they find filled. It must be [sharded](Quotient::sharded), and reduced by
/// [`reduction_for`] the symmetry of the options.
///
/// Of several states that are equally near and violate a `liveness` property, any may be reported
/// if formulas have been checked on the same space before.
pub fn check_states_on<F: FrontEnd>(
    quotient: &Quotient<'_>,
    system: &F,
    options: &Options,
    watch: &Watch,
) -> Outcome<VocabularyOf<F>> {
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
    let (mut found, decisions) = explore_on(quotient, &explored, &asked, watch);
    // Paths may be long: none is kept together with its run.
    let run = |one: &mut Violation| match (one.trace.take(), one.untraced) {
        (_, Some(reason)) => Err(reason),
        (Some(path), None) => watch.over(|| retrace(system, &path)).map(Some),
        (None, None) => Ok(None),
    };
    let runs = found.violations.iter_mut().map(run).map(Cell::new).collect();
    let conclusion = Conclusion {
        watch,
        system,
        kinds: system.properties().into_iter().map(|one| one.kind).collect(),
        options,
        runs,
        found: &found,
        decisions: &decisions,
    };
    let properties = options.properties.iter().map(|&id| Subject::Property(id));
    let subjects = properties.chain((deadlock != Deadlock::Off).then_some(Subject::Deadlock));
    let answers = subjects.map(|subject| conclusion.answer(subject)).collect();
    let (failures, unjudged) = conclusion.faults();
    let fails = |one: &Violation| matches!(one.kind, ViolationKind::Failure(_));
    Outcome {
        answers,
        failures,
        starts: found.starts,
        statistics: conclusion.total(),
        progress: found.progress,
        is_complete: found.is_exhaustive() && !found.violations.iter().any(fails),
        rules: found.rules.clone(),
        stopped: found.stopped.or(unjudged),
    }
}

/// The run to a violation, if one belongs to it, or why it could not be made.
type Found<F> = Result<Option<Run<VocabularyOf<F>>>, StopReason>;

/// Derives the answers from an exploration.
struct Conclusion<'c, F: FrontEnd> {
    watch: &'c Watch,
    system: &'c F,
    /// The kinds of all properties.
    kinds: Vec<PropertyKind>,
    options: &'c Options,
    found: &'c Exploration,
    /// The runs to the violations, in their order, or why there is none. Each belongs to one answer or
    /// fault, which takes it.
    runs: Vec<Cell<Found<F>>>,
    decisions: &'c [Decision],
}

impl<F: FrontEnd> Conclusion<'_, F> {
    fn answer(&self, subject: Subject) -> Answer<VocabularyOf<F>> {
        let decision = self.decisions.iter().find(|one| one.subject == subject);
        let statistics = match decision {
            Some(&Decision { states, edges, time, .. }) => {
                StatesStatistics { representatives: states, edges, time }
            }
            None => self.total(),
        };
        Answer { subject, verdict: self.verdict(subject), statistics }
    }

    /// The statistics of the whole exploration.
    fn total(&self) -> StatesStatistics {
        let orbits = self.found.quotient.and_then(|quotient| quotient.orbit_edges);
        StatesStatistics {
            representatives: self.found.progress.states,
            edges: orbits.unwrap_or(self.found.progress.steps),
            time: self.found.time,
        }
    }

    fn verdict(&self, subject: Subject) -> Verdict<VocabularyOf<F>> {
        let property = match subject {
            Subject::Property(id) => Some(id),
            Subject::Deadlock => None,
        };
        let (mut model_fails, mut it_fails) = (false, false);
        for violation in &self.found.violations {
            let ViolationKind::Failure(fault) = violation.kind else { continue };
            let failing = self.system.fault(fault).property;
            model_fails |= failing.is_none();
            it_fails |= failing.is_some() && failing == property;
        }
        match self.violated(subject) {
            // A state where it is true may be reachable only after a step that fails.
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

    /// Whether all states must be known to decide that it is violated.
    fn is_about_all(&self, subject: Subject) -> bool {
        let Subject::Property(id) = subject else { return false };
        let kind = self.kinds[id.0 as usize];
        matches!(kind, PropertyKind::Cover | PropertyKind::Liveness)
    }

    /// The verdict on the first violation, if there is one.
    fn violated(&self, subject: Subject) -> Option<Verdict<VocabularyOf<F>>> {
        self.found.violations.iter().zip(&self.runs).find_map(|(violation, run)| {
            let (claim, choice, failure) = match (&violation.kind, subject) {
                (ViolationKind::Invariant(id), Subject::Property(one)) if *id == one => {
                    (Some(Claim::Invariant { property: one, choice: None }), None, None)
                }
                (&ViolationKind::Failure(fault), Subject::Property(one))
                    if self.system.fault(fault).assertion == Some(one) =>
                {
                    let fault = self.system.explain(fault);
                    (Some(self.claim_of(&fault)), None, Some(fault))
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
            let judged = run.replace(Ok(None)).and_then(|run| {
                let extent = match (&claim, &run) {
                    (Some(claim), Some(run)) => self.judged(claim, run)?,
                    _ => Ok(Extent::All),
                };
                Ok((extent, run))
            });
            Some(match judged {
                Ok((Ok(extent), run)) => {
                    Verdict::Violated(Violated { choice, failure, run, extent })
                }
                Ok((Err(objection), _)) => Verdict::Misjudged(objection),
                Err(reason) => Verdict::Unknown(Reason::Unjudged(reason)),
            })
        })
    }

    fn deadlock(&self) -> judge::Deadlock {
        match self.options.deadlock {
            Deadlock::Stuttering => judge::Deadlock::Stuttering,
            Deadlock::Stuck | Deadlock::Off => judge::Deadlock::Stuck,
        }
    }

    /// The failures that the judge has looked at, and why it has not looked at others.
    fn faults(&self) -> (Vec<Fault<VocabularyOf<F>>>, Option<StopReason>) {
        let (mut faults, mut stopped) = (Vec::new(), None);
        for (violation, run) in self.found.violations.iter().zip(&self.runs) {
            let ViolationKind::Failure(fault) = violation.kind else { continue };
            if let Some(assertion) = self.system.fault(fault).assertion
                && self.options.properties.contains(&assertion)
            {
                continue;
            }
            let failure = self.system.explain(fault);
            let judged = run.replace(Ok(None)).and_then(|run| {
                let objection = match &run {
                    Some(run) => self.judged(&self.claim_of(&failure), run)?.err(),
                    None => None,
                };
                Ok(Fault { failure, run, objection })
            });
            match judged {
                Ok(fault) => faults.push(fault),
                Err(reason) => stopped = Some(reason),
            }
        }
        (faults, stopped)
    }

    /// The judge's decision on a claim about the last state of a run, or why there is none.
    fn judged(
        &self,
        claim: &Claim<'_, VocabularyOf<F>>,
        run: &Run<VocabularyOf<F>>,
    ) -> Result<Result<Extent, Objection<VocabularyOf<F>>>, StopReason> {
        let steps = run.steps().count();
        let _span = tracing::debug_span!("counterexample.validate", steps).entered();
        self.watch.over(|| judge_claim(self.system.reference(), claim, run))
    }

    fn claim_of<'a>(&'a self, fault: &FaultOf<F>) -> Claim<'a, VocabularyOf<F>> {
        Claim::Failure(self.system.reference().pattern(fault))
    }
}
