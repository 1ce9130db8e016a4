//! The results of a check of a protocol.

use super::certificate::Certificate;
use super::runner::{CheckError, Message, Options};
use super::text;
use crate::check::Counterexample;
use crate::finding::{Finding, Subject, Unknown, Verdict as Found};
use judge::Run;
use num_bigint::BigUint;
use protocol::{AnyWords, Broken, Call, Formula, Prepared, Protocol, Verified, Words, typed_run};
use run::StopReason;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use terms::{Demand, PropertyKind};

/// The results of a check. Displayed, it is a text with a run for everything that is violated.
pub struct Report<P: Protocol> {
    results: Results,
    /// One for each answer of the results.
    answers: Vec<Answer<P>>,
}

/// The results of a check of a protocol whose types do not matter.
pub(super) struct Results {
    /// The name of the protocol's type.
    pub(super) protocol: &'static str,
    pub(super) system: Arc<Prepared>,
    pub(super) formulas: Vec<Formula>,
    pub(super) options: Options,
    /// The states that were examined for symmetry.
    pub(super) verified: Option<Verified>,
    /// The limit that was reached, if one was.
    pub(super) stopped: Option<StopReason>,
    /// The call of the protocol's code that does not return, if there is one.
    pub(super) stuck: Option<Stuck>,
    pub(super) answers: Vec<Arc<Answered>>,
    /// The certificate, if one is wanted.
    pub(super) certificate: Option<Certificate>,
}

/// The answer to one question, or something that fails.
pub(super) struct Answered {
    pub(super) name: String,
    pub(super) finding: Option<Finding<AnyWords>>,
    pub(super) formula: Option<usize>,
}

/// A call of the protocol's code that has not returned in time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The call.
    pub call: Call,
    /// The state for which it was called, if there is one.
    pub state: Option<String>,
    /// How long it was waited for.
    pub patience: Duration,
}

impl fmt::Display for Stuck {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stuck { call, state, patience } = self;
        write!(out, "{call} has not returned for {} s", patience.as_secs_f64())?;
        match state {
            Some(state) => write!(out, "\n  in the state {state}"),
            None => Ok(()),
        }
    }
}

/// The answer to one question, or something that fails.
pub struct Answer<P: Protocol> {
    of: Arc<Answered>,
    /// The run in the protocol's types, made when it is first asked for.
    run: OnceLock<Option<Run<Words<P>>>>,
}

/// The verdict on one question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// It holds; if there is a boundary, within the boundary.
    Holds,
    /// It is violated.
    Violated,
    /// There is no answer.
    Unknown,
}

/// Numbers of states and steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// The number of states, as without symmetry.
    pub states: BigUint,
    /// The number of stored states: one for each orbit.
    pub representatives: u64,
    /// The number of different steps, as without symmetry.
    pub steps: BigUint,
    /// Why these are not all.
    pub stopped: Option<StopReason>,
    /// The call of the protocol's code that does not return, if there is one.
    pub stuck: Option<Stuck>,
}

impl Counts {
    pub(super) fn of(found: &engine::explore::Exploration) -> Counts {
        let full = found.full.as_ref().expect("states are not sorted");
        Counts {
            states: full.states.clone(),
            representatives: found.progress.states,
            steps: full.steps.clone(),
            stopped: found.stopped,
            stuck: None,
        }
    }

    pub(super) fn unknown(stuck: Option<Stuck>) -> Counts {
        let (states, steps) = (BigUint::ZERO, BigUint::ZERO);
        Counts { states, representatives: 0, steps, stopped: Some(StopReason::Interrupted), stuck }
    }
}

/// The name of a question, or what fails.
pub(super) fn name_of(
    system: &Prepared,
    formulas: &[Formula],
    subject: &Subject<AnyWords>,
) -> String {
    match subject {
        Subject::Formula { number, .. } => formulas[*number].text().to_owned(),
        Subject::Property(id) => {
            let named = system.properties().nth(id.0 as usize);
            named.map(|(name, _)| name.to_owned()).unwrap_or_default()
        }
        Subject::NoDeadlock => "no deadlock".to_owned(),
        Subject::Failure(fault) => fault.to_string(),
        Subject::Atom { failure, .. } => failure.failure.to_string(),
    }
}

/// What the thread that checks has found.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) verified: Option<Result<Verified, Box<Broken>>>,
    pub(super) findings: Vec<Finding<AnyWords>>,
    pub(super) stopped: Option<StopReason>,
    pub(super) panicked: Option<String>,
    pub(super) certificate: Option<Certificate>,
}

impl Results {
    pub(super) fn new(
        (protocol, system): (&'static str, Arc<Prepared>),
        formulas: Vec<Formula>,
        options: Options,
        messages: Vec<Message>,
        stuck: Option<Stuck>,
    ) -> Result<Self, CheckError> {
        let Parts { verified, findings, stopped, panicked, certificate } = Parts::from(messages);
        let verified = verified.transpose().map_err(CheckError::Broken)?;
        if let Some(what) = panicked {
            return Err(CheckError::Unrepeatable(what));
        }
        let unrepeatable = findings.iter().find_map(|one| match &one.verdict {
            Found::Unknown(Unknown::Misjudged(objection)) => Some(objection.to_string()),
            _ => None,
        });
        if let Some(what) = unrepeatable {
            return Err(CheckError::Unrepeatable(what));
        }
        let mut answers: Vec<Arc<Answered>> = Vec::new();
        let mut known_faults = Vec::new();
        for finding in findings {
            // Both searches may meet the same run-time error.
            if let Some(fault) = finding.failure() {
                let reference = system.plain();
                let key = judge::Reference::pattern(reference, fault);
                if matches!(finding.subject, Subject::Failure(_)) {
                    if known_faults.contains(&key) {
                        continue;
                    }
                    known_faults.push(key);
                }
            }
            let name = name_of(&system, &formulas, &finding.subject);
            let formula = match &finding.subject {
                Subject::Formula { number, .. } | Subject::Atom { number, .. } => Some(*number),
                _ => None,
            };
            answers.push(Arc::new(Answered { name, finding: Some(finding), formula }));
        }
        let mut results = Results {
            protocol,
            system,
            formulas,
            options,
            verified,
            stopped,
            stuck,
            answers,
            certificate,
        };
        results.add_unanswered();
        Ok(results)
    }

    /// Questions that were not reached have no answer.
    fn add_unanswered(&mut self) {
        let is_answered =
            |answers: &[Arc<Answered>], name: &str| answers.iter().any(|one| one.name == name);
        let properties = self.system.properties().filter(|(_, kind)| *kind != PropertyKind::Assume);
        let properties: Vec<String> = properties.map(|(name, _)| name.to_owned()).collect();
        for name in properties {
            if !is_answered(&self.answers, &name) {
                self.answers.push(Arc::new(Answered { name, finding: None, formula: None }));
            }
        }
        for (number, formula) in self.formulas.iter().enumerate() {
            let is_this = |one: &Arc<Answered>| matches!(&one.finding, Some(Finding { subject: Subject::Formula { number: n, .. }, .. }) if *n == number);
            if !self.answers.iter().any(is_this) {
                let name = formula.text().to_owned();
                self.answers.push(Arc::new(Answered {
                    name,
                    finding: None,
                    formula: Some(number),
                }));
            }
        }
    }

    /// Whether there is a boundary, so that results hold within it only.
    pub(super) fn is_bounded(&self) -> bool {
        self.system.has_boundary()
    }

    fn holds(&self) -> bool {
        self.stuck.is_none() && self.answers.iter().all(|one| one.verdict() == Verdict::Holds)
    }
}

impl Answered {
    pub(super) fn verdict(&self) -> Verdict {
        match self.finding.as_ref().map(|one| &one.verdict) {
            Some(Found::Holds) => Verdict::Holds,
            Some(Found::Violated(_)) => Verdict::Violated,
            Some(Found::Unknown(_)) | None => Verdict::Unknown,
        }
    }

    pub(super) fn run(&self) -> Option<&Run<AnyWords>> {
        self.finding.as_ref().and_then(Finding::run)
    }

    pub(super) fn counterexample(&self) -> Option<&Counterexample<AnyWords>> {
        self.finding.as_ref().and_then(Finding::counterexample)
    }

    pub(super) fn demand(&self) -> Option<Demand> {
        match self.finding.as_ref()?.subject {
            Subject::Formula { demand, .. } => Some(demand),
            _ => None,
        }
    }
}

impl<P: Protocol> Report<P> {
    pub(super) fn of(results: Results) -> Self {
        let answer = |of: &Arc<Answered>| Answer { of: Arc::clone(of), run: OnceLock::new() };
        let answers = results.answers.iter().map(answer).collect();
        Report { results, answers }
    }

    /// Whether everything holds that was asked, and nothing fails. With a boundary: within it.
    pub fn holds(&self) -> bool {
        self.results.holds()
    }

    /// The answers: failures first, then properties, deadlocks and formulas.
    pub fn answers(&self) -> &[Answer<P>] {
        &self.answers
    }

    /// The answer to the question of this name: a formula as it was written, or a property.
    pub fn answer(&self, name: &str) -> Option<&Answer<P>> {
        self.answers.iter().find(|one| one.name() == name)
    }

    /// The states that were examined for symmetry and determinism, if some were.
    pub fn verified(&self) -> Option<Verified> {
        self.results.verified
    }

    /// Whether there is a boundary, so that results hold within it only.
    pub fn is_bounded(&self) -> bool {
        self.results.is_bounded()
    }

    /// The limit that was reached, if one was.
    pub fn stopped(&self) -> Option<StopReason> {
        self.results.stopped
    }

    /// The call of the protocol's code that does not return, if there is one.
    pub fn stuck(&self) -> Option<&Stuck> {
        self.results.stuck.as_ref()
    }

    /// The certificate of what holds, if one was asked for.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.results.certificate.as_ref()
    }

    /// All results as JSON, for programs.
    pub fn to_json(&self) -> String {
        super::json::document(&self.results)
    }

    /// All results as a page for browsers.
    pub fn to_html(&self) -> String {
        super::html::page(&self.results)
    }
}

impl<P: Protocol> fmt::Display for Report<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&text::layout(&self.results))
    }
}

impl<P: Protocol> Answer<P> {
    /// The question: a formula as it was written, or the name of a property; or what fails.
    pub fn name(&self) -> &str {
        &self.of.name
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.of.verdict()
    }

    /// The run that shows a violation, in the protocol's own states and events.
    pub fn run(&self) -> Option<&Run<Words<P>>> {
        self.run.get_or_init(|| self.of.run().map(typed_run::<P>)).as_ref()
    }

    /// The run that violates a formula, with the values of its variables and why it is fair. States and
    /// events are [`Value`](protocol::Value)s.
    pub fn counterexample(&self) -> Option<&Counterexample<AnyWords>> {
        self.of.counterexample()
    }

    /// The number of representatives that were visited.
    pub fn representatives(&self) -> Option<u64> {
        self.of.finding.as_ref()?.work.quotient().map(|(states, _)| states)
    }

    /// What the finding has in full. States and events are [`Value`](protocol::Value)s.
    pub fn finding(&self) -> Option<&Finding<AnyWords>> {
        self.of.finding.as_ref()
    }

    /// The fairness that was demanded, for a formula.
    pub fn demand(&self) -> Option<Demand> {
        self.of.demand()
    }
}
