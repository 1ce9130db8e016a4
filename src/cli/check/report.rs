//! Findings with what the model adds to them: names, places, values and messages. All views show these.

use super::super::certificate::Certified;
use super::super::choices::SymmetryChoice;
use super::super::error::Error;
use super::super::escape::on_one_line;
use super::super::exit::Exit;
use super::super::loading::Loaded;
use super::super::properties::{self, Bindings};
use super::super::results::{ResultKind, VerdictWord};
use super::super::steps;
use super::asked::Asked;
use super::words;
use crate::check::{self, AtomFailure};
use crate::finding::{Evidence, Finding, FindingWarning, Findings, Subject, Unknown, Verdict};
use ltl::{Diagnostic, Span};
use model::checked::{Atom, Demand, Formula, LocalId, Model, PropertyId};
use model::interpret::{Event, Failure, Process};
use model::reference::Binding;
use model::value::{Scalar, Value};
use run::StopReason;
use serde::Serialize;

/// The results of a check.
pub(super) struct Report<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) symmetry: SymmetryChoice,
    pub(super) results: Vec<ResultView<'a>>,
    /// Why some results are missing.
    pub(super) stopped: Option<StopReason>,
}

/// A finding in the words of the model.
pub(super) struct ResultView<'a> {
    pub(super) finding: &'a Finding,
    pub(super) kind: ResultKind,
    /// The name in the model.
    pub(super) name: Option<&'a str>,
    /// The formula or condition, as written.
    pub(super) written: Option<&'a str>,
    /// `ltl "exclusion"`, `the formula`.
    pub(super) title: String,
    /// The values that it is about.
    pub(super) bindings: Bindings<'a>,
    /// Why it is unknown; or, of a run-time error, what fails.
    pub(super) reason: Option<String>,
    /// What is wrong, with its place.
    pub(super) diagnostic: Option<Diagnostic>,
    /// The formula that was checked.
    pub(super) formula: Option<&'a Formula>,
    /// Whether it is one of several, one for each kind of fairness.
    pub(super) is_of_all_kinds: bool,
    /// The certificate, or why there is none; none if none is wanted.
    pub(super) certificate: Option<Result<Proof<'a>, &'a str>>,
}

/// A certificate of a result.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Proof<'a> {
    pub(super) file: &'a str,
    /// The number of its nodes; 0 for a property of states.
    pub(super) nodes: usize,
}

impl<'a> Report<'a> {
    /// A view of each finding.
    pub(super) fn of(
        loaded: &'a Loaded,
        asked: &'a Asked<'a>,
        symmetry: SymmetryChoice,
        findings: &'a Findings,
        certified: Option<&'a Certified>,
    ) -> Self {
        let naming = Naming { loaded, model: &loaded.model, asked };
        let mut results: Vec<_> = findings.all.iter().map(|finding| naming.view(finding)).collect();
        if let Some(Certified { file, of_findings, .. }) = certified {
            for (result, outcome) in results.iter_mut().zip(of_findings) {
                result.certificate = outcome.as_ref().map(|outcome| match outcome {
                    Ok(nodes) => Ok(Proof { file, nodes: *nodes }),
                    Err(why) => Err(&**why),
                });
            }
        }
        Report { loaded, symmetry, results, stopped: findings.stopped }
    }

    /// What the judge has against results.
    pub(super) fn bugs(&self) -> impl Iterator<Item = Error> {
        self.results.iter().filter_map(|one| {
            let Verdict::Unknown(Unknown::Misjudged(objection)) = &one.finding.verdict else {
                return None;
            };
            Some(Error::Internal(format!(
                "a counterexample was found that is none: {}: {objection}",
                one.title
            )))
        })
    }

    /// How the run ends.
    pub(super) fn exit(&self) -> Exit {
        let stopped = match self.stopped {
            Some(StopReason::Interrupted) => Exit::Interrupted,
            Some(_) => Exit::NoAnswer,
            None => Exit::Done,
        };
        let exit = |one: &ResultView<'_>| match &one.finding.verdict {
            Verdict::Holds => Exit::Done,
            Verdict::Violated(_) => Exit::Violated,
            Verdict::Unknown(Unknown::Misjudged(_)) => Exit::Internal,
            Verdict::Unknown(Unknown::Formula(check::Reason::Unsound(_))) => Exit::BadInput,
            Verdict::Unknown(unknown) if unknown.stopped() == Some(StopReason::Interrupted) => {
                Exit::Interrupted
            }
            Verdict::Unknown(_) => Exit::NoAnswer,
        };
        self.results.iter().map(exit).fold(stopped, Exit::and)
    }

    /// The names of the fairness that the model declares, if it counts for a result: of its
    /// requirements, and of its events those that are fair.
    pub(super) fn declared_fairness(&self, result: &ResultView<'_>) -> Vec<String> {
        if !result.demand().declared {
            return Vec::new();
        }
        let model = &self.loaded.model;
        let requirements = (0..model.requirements.len()).map(|k| self.requirement(k));
        let events = model.events.iter().filter(|one| one.fairness.is_some());
        requirements.chain(events.map(|one| one.name.clone())).collect()
    }

    /// The name of a declared requirement, or its place.
    pub(super) fn requirement(&self, k: usize) -> String {
        let one = &self.loaded.model.requirements[k];
        one.name.clone().unwrap_or_else(|| {
            let kind = if one.premise.is_some() { "compassion" } else { "justice" };
            placed(self.loaded, kind, one.span)
        })
    }

    /// The index types that are not reduced, each with the reason.
    pub(super) fn symmetry_warnings(&self) -> Vec<String> {
        if self.symmetry == SymmetryChoice::Off {
            return Vec::new();
        }
        let model = &self.loaded.model;
        let spoilt = model.symmetries.iter().filter_map(|one| {
            let (span, why) = one.reasons.first()?;
            let name = &model.types.index_type(one.of).name;
            Some(placed(self.loaded, &format!("no symmetry of {name}: {why}"), *span))
        });
        spoilt.collect()
    }
}

impl ResultView<'_> {
    /// The verdict in a word.
    pub(super) fn verdict(&self) -> VerdictWord {
        match self.finding.verdict {
            Verdict::Holds => VerdictWord::Holds,
            Verdict::Violated(_) => VerdictWord::Violated,
            Verdict::Unknown(_) => VerdictWord::Unknown,
        }
    }

    /// What it is about: by its name or, if it has none, as written.
    pub(super) fn subject(&self) -> String {
        match self.written {
            Some(written) if self.name.is_none() => {
                format!("{}: {}", self.title, words::one_line(written))
            }
            _ => self.title.clone(),
        }
    }

    /// What is demanded of runs; nothing, if it is not about runs.
    pub(super) fn demand(&self) -> Demand {
        match self.finding.subject {
            Subject::Formula { demand, .. } => demand,
            _ => Demand::NONE,
        }
    }

    /// Why the search would not have been sound, if that is so.
    pub(super) fn refusal(&self) -> Option<Error> {
        let Verdict::Unknown(Unknown::Formula(reason @ check::Reason::Unsound(_))) =
            &self.finding.verdict
        else {
            return None;
        };
        Some(Error::usage(format!("{}: {}", self.title, words::reason(reason))))
    }

    /// The step out of the last state that fails.
    pub(super) fn failing(&self) -> Option<&(Process, Event)> {
        self.finding.failure().and_then(|failure| failure.during.as_deref())
    }

    /// Why the run violates the formula, line by line.
    pub(super) fn why(&self) -> Vec<String> {
        match (&self.finding.verdict, self.formula) {
            (Verdict::Violated(Evidence::Formula { counterexample, why }), Some(formula)) => {
                words::facts(formula, why, &counterexample.run)
            }
            _ => Vec::new(),
        }
    }

    /// The warnings that are about this result alone.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.finding.warnings.iter().map(|one| match one {
            FindingWarning::Formula(warning) => words::warning(warning),
            FindingWarning::RunAlone => words::RUN_ALONE.to_owned(),
        })
    }
}

/// `message (model.m:3:4)`
fn placed(loaded: &Loaded, message: &str, span: Span) -> String {
    let place = loaded.place(span);
    format!("{message} ({}:{}:{})", place.name, place.line, place.column)
}

/// Finds the words.
struct Naming<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
    asked: &'a Asked<'a>,
}

impl<'a> Naming<'a> {
    fn view(&self, finding: &'a Finding) -> ResultView<'a> {
        match &finding.subject {
            Subject::Formula { number, .. } => self.formula(finding, *number),
            Subject::Property(id) => self.property(finding, *id),
            Subject::NoDeadlock => self.deadlock(finding),
            Subject::Failure(failure) => self.failure(finding, failure),
            Subject::Atom { number, failure, binding } => {
                self.atom(finding, *number, failure, binding)
            }
        }
    }

    /// A result that has no name.
    fn unnamed(&self, finding: &'a Finding, kind: ResultKind, title: String) -> ResultView<'a> {
        let reason = match &finding.verdict {
            Verdict::Unknown(unknown) => Some(self.unknown(unknown)),
            Verdict::Holds | Verdict::Violated(_) => None,
        };
        ResultView {
            finding,
            kind,
            name: None,
            written: None,
            title,
            bindings: Bindings { model: self.model, values: Vec::new() },
            reason,
            diagnostic: None,
            formula: None,
            is_of_all_kinds: false,
            certificate: None,
        }
    }

    /// A result that has the name of a property.
    fn named(&self, finding: &'a Finding, id: PropertyId) -> ResultView<'a> {
        let property = &self.model.properties[id.0 as usize];
        let written = properties::written(&self.loaded.text.content, property);
        let kind = ResultKind::State(property.kind);
        ResultView {
            name: property.name.as_deref(),
            written: Some(written),
            ..self.unnamed(finding, kind, steps::property(property))
        }
    }

    fn formula(&self, finding: &'a Finding, number: usize) -> ResultView<'a> {
        let formula: &'a Formula = &self.asked.formulas[number];
        let is_asked = self.model.questions.iter().any(|one| one.span == formula.span);
        let title = match (&formula.name, is_asked) {
            (Some(name), _) => format!("ltl \"{}\"", on_one_line(name)),
            (None, true) if self.loaded.formulas.len() == 1 => "the formula".to_owned(),
            (None, true) => self.loaded.place(formula.span).name.to_owned(),
            (None, false) => "ltl".to_owned(),
        };
        let mut view = ResultView {
            name: formula.name.as_deref(),
            written: Some(&formula.text),
            formula: Some(formula),
            is_of_all_kinds: self.asked.is_of_all_kinds[number],
            certificate: None,
            ..self.unnamed(finding, ResultKind::Ltl, title)
        };
        if let Some(counterexample) = finding.counterexample() {
            view.bindings = self.tracked(formula, &counterexample.binding);
            let message = format!("{} is violated{}", view.title, view.bindings.around());
            view.diagnostic = Some(Diagnostic::error(formula.span, message));
        }
        view
    }

    fn property(&self, finding: &'a Finding, id: PropertyId) -> ResultView<'a> {
        let mut view = self.named(finding, id);
        match &finding.verdict {
            Verdict::Violated(Evidence::State { failure: Some(failure), .. }) => {
                view.diagnostic = Some(failure.diagnostic());
            }
            Verdict::Violated(Evidence::State { run, choice, .. }) => {
                let end = run.as_ref().map(|run| &run.end);
                let hopeless = ": from the last state of this run it can never come true";
                let (bindings, diagnostic) =
                    properties::violated(self.model, id, *choice, end, hopeless);
                view.bindings = bindings;
                view.diagnostic = Some(diagnostic);
            }
            _ => {}
        }
        view
    }

    fn deadlock(&self, finding: &'a Finding) -> ResultView<'a> {
        let title = match &finding.verdict {
            Verdict::Violated(_) => {
                properties::deadlock(self.model, finding.run().map(|run| &run.end))
            }
            Verdict::Holds | Verdict::Unknown(_) => "no deadlock".to_owned(),
        };
        self.unnamed(finding, ResultKind::Deadlock, title)
    }

    fn failure(&self, finding: &'a Finding, failure: &Failure) -> ResultView<'a> {
        let view = match properties::failing(self.model, failure) {
            (_, Some((id, _))) => self.named(finding, id),
            (kind, None) => self.unnamed(finding, kind, "run-time error".to_owned()),
        };
        ResultView {
            reason: Some(placed(self.loaded, &failure.message, failure.span)),
            diagnostic: Some(failure.diagnostic()),
            ..view
        }
    }

    fn atom(
        &self,
        finding: &'a Finding,
        number: usize,
        fails: &AtomFailure,
        binding: &Binding,
    ) -> ResultView<'a> {
        let formula: &'a Formula = &self.asked.formulas[number];
        let bindings = self.tracked(formula, binding);
        let (Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. }) =
            &formula.atoms[fails.atom.0 as usize];
        let mut diagnostic = fails.failure.diagnostic();
        diagnostic.message = format!(
            "{}, in the atom `{}`{}",
            diagnostic.message,
            words::one_line(text),
            bindings.around()
        );
        ResultView {
            written: Some(&formula.text),
            bindings,
            reason: Some(placed(self.loaded, &diagnostic.message, diagnostic.span)),
            diagnostic: Some(diagnostic),
            ..self.failure(finding, &fails.failure)
        }
    }

    fn unknown(&self, unknown: &Unknown) -> String {
        match unknown {
            Unknown::Formula(reason) => words::reason(reason),
            Unknown::State(reason) => words::reason_of_states(reason),
            Unknown::Failed(failure) => {
                let place = placed(self.loaded, &failure.message, failure.span);
                format!("a run-time error was reached: {place}")
            }
            Unknown::Misjudged(_) => "internal error".to_owned(),
        }
    }

    fn tracked(&self, formula: &'a Formula, binding: &Binding) -> Bindings<'a> {
        let value = |&(local, scalar): &(LocalId, Scalar)| {
            (&formula.locals[local.0 as usize], Value::Scalar(scalar))
        };
        Bindings { model: self.model, values: binding.iter().map(value).collect() }
    }
}
