//! Findings about a model in words.

use super::super::certificate::Certified;
use super::super::choices::SymmetryChoice;
use super::super::coverage::Coverage;
use super::super::escape::on_one_line;
use super::super::exit::Exit;
use super::super::loading::Loaded;
use super::super::properties::{self, Bindings};
use super::super::results::{ResultKind, VerdictWord};
use super::super::steps;
use super::super::view::{LoadedSystem as _, View as _};
use super::asked::Asked;
use super::report::{Proof, Report, ResultView};
use super::words;
use crate::check::{self, AtomFailure};
use crate::finding::{Evidence, Finding, FindingWarning, Findings, Subject, Unknown, Verdict};
use compile::CompiledModel;
use ltl::source::Severity;
use ltl::{Diagnostic, Span};
use model::checked::{Atom, Demand, Formula, LocalId, Model, PropertyId};
use model::interpret::Failure;
use model::reference::{Binding, ModelVocabulary};
use model::value::{Scalar, Value};
use run::StopReason;

/// A finding about a model in words.
type ModelView<'a> = ResultView<'a, ModelVocabulary>;

/// The results of a check of a model.
pub(super) fn report<'a>(
    loaded: &'a Loaded,
    (asked, system): (&'a Asked<'a>, &'a CompiledModel<'a>),
    symmetry: SymmetryChoice,
    (findings, coverage, shows_coverage): (&'a Findings, Coverage, bool),
    certified: Option<&'a Certified>,
) -> Report<'a, Loaded> {
    let naming = Naming { loaded, model: &loaded.model, asked, system };
    let mut results: Vec<_> = findings.all.iter().map(|finding| naming.view(finding)).collect();
    if let Some(Certified { file, of_findings, .. }) = certified {
        for (result, outcome) in results.iter_mut().zip(of_findings) {
            result.certificate = outcome.as_ref().map(|outcome| match outcome {
                Ok(nodes) => Ok(Proof { file, nodes: *nodes }),
                Err(why) => Err(&**why),
            });
        }
    }
    let is_reduced = symmetry != SymmetryChoice::Off;
    let stopped = findings.stopped;
    Report {
        loaded,
        symmetry,
        is_reduced,
        is_timed: true,
        results,
        stopped,
        coverage,
        shows_coverage,
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
    system: &'a CompiledModel<'a>,
}

impl<'a> Naming<'a> {
    fn view(&self, finding: &'a Finding) -> ModelView<'a> {
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
    fn unnamed(&self, finding: &'a Finding, kind: ResultKind, title: String) -> ModelView<'a> {
        let (verdict, exit) = match &finding.verdict {
            Verdict::Holds => (VerdictWord::Holds, Exit::Done),
            Verdict::Violated(_) => (VerdictWord::Violated, Exit::Violated),
            Verdict::Unknown(unknown) => (VerdictWord::Unknown, exit_of(unknown)),
        };
        let (mut reason, mut refusal, mut bug) = (None, None, None);
        match &finding.verdict {
            Verdict::Unknown(unknown) => {
                reason = Some(self.unknown(unknown));
                match unknown {
                    Unknown::Formula(why @ check::Reason::Unsound(_)) => {
                        refusal = Some(words::reason(why));
                    }
                    Unknown::Misjudged(objection) => bug = Some(objection.to_string()),
                    _ => {}
                }
            }
            Verdict::Holds | Verdict::Violated(_) => {}
        }
        ResultView {
            kind,
            name: None,
            written: None,
            title,
            verdict,
            exit,
            demand: match finding.subject {
                Subject::Formula { demand, .. } => demand,
                _ => Demand::NONE,
            },
            bindings: Bindings::default(),
            answer: None,
            reason,
            diagnostic: None,
            refusal,
            bug,
            formula: None,
            run: finding.run(),
            counterexample: finding.counterexample(),
            why: Vec::new(),
            failing: finding
                .failure()
                .and_then(|failure| failure.during.as_deref())
                .map(|(process, event)| self.model.label(process, event)),
            work: Some(&finding.work),
            warnings: finding.warnings.iter().map(warning).collect(),
            is_of_all_kinds: false,
            certificate: None,
        }
    }

    /// A result that has the name of a property.
    fn named(&self, finding: &'a Finding, id: PropertyId) -> ModelView<'a> {
        let property = &self.model.properties[id.0 as usize];
        let written = properties::written(&self.loaded.text.content, property);
        let kind = ResultKind::State(property.kind);
        ResultView {
            name: property.name.as_deref(),
            written: Some(written),
            ..self.unnamed(finding, kind, steps::property(property))
        }
    }

    fn formula(&self, finding: &'a Finding, number: usize) -> ModelView<'a> {
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
            ..self.unnamed(finding, ResultKind::Ltl, title)
        };
        if let Verdict::Violated(Evidence::Formula { counterexample, why }) = &finding.verdict {
            view.why = words::facts(self.system.reference(), formula, why, &counterexample.run);
            view.bindings = self.tracked(formula, &counterexample.binding);
            let message = format!("{} is violated{}", view.title, view.bindings.around());
            view.diagnostic = Some(Diagnostic::violated(formula.span, message));
        }
        view
    }

    fn property(&self, finding: &'a Finding, id: PropertyId) -> ModelView<'a> {
        let mut view = self.named(finding, id);
        match &finding.verdict {
            Verdict::Violated(Evidence::State { failure: Some(failure), .. }) => {
                let severity = Severity::Violated;
                view.diagnostic = Some(Diagnostic { severity, ..failure.diagnostic() });
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

    fn deadlock(&self, finding: &'a Finding) -> ModelView<'a> {
        let title = match &finding.verdict {
            Verdict::Violated(_) => {
                properties::deadlock(self.model, finding.run().map(|run| &run.end))
            }
            Verdict::Holds | Verdict::Unknown(_) => "no deadlock".to_owned(),
        };
        self.unnamed(finding, ResultKind::Deadlock, title)
    }

    fn failure(&self, finding: &'a Finding, failure: &Failure) -> ModelView<'a> {
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
    ) -> ModelView<'a> {
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

    fn tracked(&self, formula: &Formula, binding: &Binding) -> Bindings {
        let value = |&(local, scalar): &(LocalId, Scalar)| {
            (&formula.locals[local.0 as usize], Value::Scalar(scalar))
        };
        Bindings::of(self.model, &binding.iter().map(value).collect())
    }
}

/// How the run ends if a result is unknown.
fn exit_of(unknown: &Unknown) -> Exit {
    match unknown {
        Unknown::Misjudged(_) => Exit::Internal,
        Unknown::Formula(check::Reason::Unsound(_)) => Exit::BadInput,
        _ if unknown.stopped() == Some(StopReason::Interrupted) => Exit::Interrupted,
        _ => Exit::NoAnswer,
    }
}

fn warning(warning: &FindingWarning) -> String {
    match warning {
        FindingWarning::Formula(warning) => words::warning(warning),
        FindingWarning::RunAlone => words::RUN_ALONE.to_owned(),
    }
}
