//! What a check has found, in words and places.

use super::super::argument::{self, ArgumentEntry};
use super::super::budget::peak_memory;
use super::super::choices::SymmetryChoice;
use super::super::describe::property_kind;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::json::component::ComponentEntry;
use super::super::json::{Constants, Count, StateEntry, StepEntry};
use super::super::model::Loaded;
use super::super::properties::{self, Bindings, Values};
use super::super::steps;
use super::Options;
use super::asked::{Asked, Item};
use super::words;
use compile::atoms::tracked_variables;
use engine::instances::tuples;
use isonomy::check::states::{self, Fault, StatesStatistics, Violated};
use isonomy::check::why::why;
use isonomy::check::{self, Cause, CheckStatistics, Failed, Method, Misjudged, Reason, demand_of};
use isonomy::counterexample::argument::Argument;
use isonomy::counterexample::component::Component;
use isonomy::counterexample::judge::{Claim, Extent, FailurePattern, ModelReference, judge_claim};
use isonomy::counterexample::renaming::Renaming;
use isonomy::counterexample::{Binding, Run, Step};
use isonomy::explore::Subject;
use isonomy::model::checked::{Atom, Formula, Local, Model, PropertyId};
use isonomy::model::interpret::{Event, Failure, FailureKind, Process};
use isonomy::model::value::Value;
use ltl::{Diagnostic, Span};
use num_bigint::BigUint;
use run::StopReason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the searches have said.
pub(super) struct Found {
    /// Of properties of states and deadlocks, if there was something to ask.
    pub(super) states: Option<states::Outcome>,
    /// Of formulas, in the order in which they were asked.
    pub(super) formulas: Vec<Result<check::Outcome, Box<Misjudged>>>,
}

/// All that is said of a check.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    schema: u32,
    model: &'a str,
    constants: Constants<'a>,
    pub(super) results: Vec<Entry<'a>>,
    #[serde(skip)]
    stopped: Option<StopReason>,
}

/// A result.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    name: Option<&'a str>,
    pub(super) kind: &'static str,
    /// As written.
    pub(super) formula: Option<&'a str>,
    pub(super) verdict: Verdict,
    /// Of unknown; and of a run-time error, what fails.
    pub(super) reason: Option<String>,
    warnings: Vec<String>,
    pub(super) fairness: &'static str,
    pub(super) over: Option<&'static str>,
    pub(super) declared_fairness: Vec<String>,
    pub(super) symmetry: &'static str,
    pub(super) engine: &'static str,
    pub(super) instances: Option<Count>,
    bindings: Bindings<'a>,
    pub(super) stats: Stats,
    counterexample: Option<CounterexampleEntry<'a>>,
    /// `ltl "exclusion"`, `the formula`.
    #[serde(skip)]
    pub(super) title: String,
    /// What is wrong, with its place.
    #[serde(skip)]
    pub(super) diagnostic: Option<Diagnostic>,
    /// Those of the warnings that are about this result alone.
    #[serde(skip)]
    pub(super) own_warnings: usize,
    /// What the run violates, if that is a formula about runs.
    #[serde(skip)]
    pub(super) refuted: Option<(&'a Formula, &'a Binding)>,
    #[serde(skip)]
    pub(super) run: Option<&'a Run>,
    #[serde(skip)]
    pub(super) renaming: Option<&'a Renaming>,
    #[serde(skip)]
    pub(super) component: Option<&'a Component>,
    /// Why the run is fair.
    #[serde(skip)]
    pub(super) argument: Option<&'a Argument>,
    /// Why the run violates the formula, line by line.
    #[serde(skip)]
    pub(super) why: Vec<String>,
    /// The step out of the last state that fails.
    #[serde(skip)]
    pub(super) failing: Option<(Process, Event)>,
    #[serde(skip)]
    pub(super) time: Duration,
    /// How many tuples of values there are without symmetry.
    #[serde(skip)]
    pub(super) tuples: Option<BigUint>,
    /// Whether it is one of several, one for each kind of fairness.
    #[serde(skip)]
    pub(super) is_of_all_kinds: bool,
    /// What the judge has against it.
    #[serde(skip)]
    bug: Option<String>,
    #[serde(skip)]
    is_interrupted: bool,
    /// Whether the search would not have been sound.
    #[serde(skip)]
    is_refused: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Holds,
    Violated,
    Unknown,
}

/// What was done; what makes no sense for this kind of search is null.
#[derive(Serialize)]
pub(super) struct Stats {
    pub(super) aqs_states: Option<Count>,
    pub(super) aqs_edges: Option<Count>,
    pub(super) product_nodes: Option<Count>,
    pub(super) product_edges: Option<Count>,
    pub(super) sccs: Option<Count>,
    pub(super) automaton_states: Option<Count>,
    time_us: Count,
    peak_rss_bytes: Option<Count>,
}

/// A run; only those that were judged get here.
#[derive(Serialize)]
struct CounterexampleEntry<'a> {
    stem: Vec<StepEntry<'a>>,
    cycle: Vec<StepEntry<'a>>,
    end: StateEntry<'a>,
    /// Of one lap of a cycle that is too long to be written down: what takes it to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    lap_permutation: Option<BTreeMap<&'a str, String>>,
    /// Of a globally fair run that is too long to be written down: what it does behind its stem.
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<ComponentEntry<'a>>,
    /// Why it is fair, if that was demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness_argument: Option<Vec<ArgumentEntry>>,
    validated: bool,
}

impl<'a> Report<'a> {
    /// Of what was found.
    pub(super) fn of(
        loaded: &'a Loaded,
        asked: &'a Asked<'a>,
        options: &Options,
        found: &'a Found,
    ) -> Self {
        let teller =
            Teller { loaded, model: &loaded.model, options, peak: peak_memory().map(count) };
        let mut faults = Vec::new();
        let mut results = Vec::new();
        let states = found.states.as_ref();
        for fault in states.iter().flat_map(|states| &states.failures) {
            faults.push((&fault.failure, teller.fault(fault, states)));
        }
        for item in &asked.items {
            match *item {
                Item::Formula(k) => {
                    let formula: &Formula = &asked.formulas[k];
                    if let Ok(outcome) = &found.formulas[k]
                        && let check::Verdict::Failed(failed) = &outcome.verdict
                    {
                        let failure = failure_of(failed);
                        let is_same = |known: &Failure| {
                            (known.kind, known.span) == (failure.kind, failure.span)
                        };
                        if !faults.iter().any(|(known, _)| is_same(known)) {
                            faults.push((failure, teller.failed(formula, failed, outcome)));
                        }
                    }
                    let mut entry = teller.formula(formula, &found.formulas[k]);
                    entry.is_of_all_kinds = asked.is_of_all_kinds[k];
                    results.push(entry);
                }
                Item::Property(k) => {
                    let states = states.expect("there was an exploration");
                    results.push(teller.answer(&states.answers[k]));
                }
            }
        }
        if let Some(states) = states
            && let Some(deadlock) =
                states.answers.iter().find(|one| one.subject == Subject::Deadlock)
        {
            results.push(teller.answer(deadlock));
        }
        let faults = faults.into_iter().map(|(_, entry)| entry);
        let stopped = found.formulas.iter().find_map(|one| match one.as_ref().ok()?.verdict {
            check::Verdict::Unknown(Reason::Stopped(reason)) => Some(reason),
            _ => None,
        });
        Report {
            schema: 1,
            model: &loaded.text.name,
            constants: Constants(&loaded.model),
            results: faults.chain(results).collect(),
            stopped: states.and_then(|states| states.stopped).or(stopped),
        }
    }

    /// The name of the model.
    pub(super) fn model(&self) -> &'a str {
        self.model
    }

    /// Why some results are missing.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// What the judge has against results.
    pub(super) fn bugs(&self) -> impl Iterator<Item = Error> {
        self.results.iter().filter_map(|one| {
            let bug = one.bug.as_ref()?;
            Some(Error::Internal(format!(
                "a counterexample was found that is none: {}: {bug}",
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
        let exit = |entry: &Entry<'_>| match entry.verdict {
            _ if entry.bug.is_some() => Exit::Internal,
            Verdict::Unknown if entry.is_refused => Exit::BadInput,
            Verdict::Holds => Exit::Done,
            Verdict::Violated => Exit::Violated,
            Verdict::Unknown if entry.is_interrupted => Exit::Interrupted,
            Verdict::Unknown => Exit::NoAnswer,
        };
        self.results.iter().map(exit).fold(stopped, Exit::and)
    }
}

impl Entry<'_> {
    /// What it is about: by its name or, if it has none, as written.
    pub(super) fn subject(&self) -> String {
        match self.formula {
            Some(formula) if self.name.is_none() => {
                format!("{}: {}", self.title, words::one_line(formula))
            }
            _ => self.title.clone(),
        }
    }

    /// Why the search would not have been sound, if that is so.
    pub(super) fn refusal(&self) -> Option<Error> {
        let reason = self.reason.as_ref().filter(|_| self.is_refused)?;
        Some(Error::usage(format!("{}: {reason}", self.title)))
    }

    /// The values that it is about: `, for c = client_0`; or nothing.
    pub(super) fn around(&self) -> String {
        let Bindings { model, values } = &self.bindings;
        steps::for_values(model, values.iter().map(|(local, value)| (*local, value)))
    }

    /// The warnings that are about this result alone.
    pub(super) fn own_warnings(&self) -> &[String] {
        &self.warnings[..self.own_warnings]
    }
}

fn count(number: u64) -> Count {
    Count(u128::from(number))
}

fn failure_of(failed: &Failed) -> &Failure {
    match &failed.cause {
        Cause::Model(failure) => failure,
        Cause::Atom(atom) => &atom.failure,
    }
}

/// Finds the words.
struct Teller<'a, 'o> {
    loaded: &'a Loaded,
    model: &'a Model,
    options: &'o Options,
    peak: Option<Count>,
}

impl<'a> Teller<'a, '_> {
    /// A result of which nothing is known.
    fn entry(&self, kind: &'static str, title: String) -> Entry<'a> {
        Entry {
            name: None,
            kind,
            formula: None,
            verdict: Verdict::Unknown,
            reason: None,
            warnings: Vec::new(),
            fairness: "none",
            over: None,
            declared_fairness: Vec::new(),
            symmetry: match self.options.symmetry {
                SymmetryChoice::Auto => "auto",
                SymmetryChoice::Fast => "fast",
                SymmetryChoice::Off => "off",
            },
            engine: "reachability",
            instances: None,
            bindings: self.bindings(Vec::new()),
            stats: self.stats(&StatesStatistics::default()),
            counterexample: None,
            title,
            diagnostic: None,
            own_warnings: 0,
            refuted: None,
            run: None,
            renaming: None,
            component: None,
            argument: None,
            why: Vec::new(),
            failing: None,
            time: Duration::ZERO,
            tuples: None,
            is_of_all_kinds: false,
            bug: None,
            is_interrupted: false,
            is_refused: false,
        }
    }

    /// The answer to a question about states.
    fn answer(&self, answer: &'a states::Answer) -> Entry<'a> {
        let mut entry = match answer.subject {
            Subject::Deadlock => self.entry("deadlock", "no deadlock".to_owned()),
            Subject::Property(id) => {
                let property = self.property(id);
                let mut entry = self.entry(property_kind(property.kind), self.title(id));
                entry.name = property.name.as_deref();
                entry.formula = Some(self.condition(id));
                entry
            }
        };
        entry.stats = self.stats(&answer.statistics);
        entry.time = answer.statistics.time;
        match &answer.verdict {
            states::Verdict::Holds => entry.verdict = Verdict::Holds,
            states::Verdict::Violated(violated) => {
                entry.verdict = Verdict::Violated;
                self.violated(&mut entry, answer.subject, violated);
            }
            states::Verdict::Misjudged(objection) => {
                entry.reason = Some("internal error".to_owned());
                entry.bug = Some(objection.to_string());
            }
            states::Verdict::Unknown(reason) => {
                entry.is_interrupted = *reason == states::Reason::Stopped(StopReason::Interrupted);
                entry.reason = Some(match reason {
                    states::Reason::Stopped(reason) => reason.to_string(),
                    states::Reason::Fails => "it cannot be evaluated in some state".to_owned(),
                    states::Reason::Failure => {
                        "a run-time error was reached: what would come behind it is not known"
                            .to_owned()
                    }
                });
            }
        }
        entry.warnings.extend(self.symmetry_warnings());
        entry
    }

    fn violated(&self, entry: &mut Entry<'a>, subject: Subject, violated: &'a Violated) {
        let Violated { choice, failure, run, extent } = violated;
        let end = run.as_ref().map(|run| &run.end);
        if *extent == Extent::RunAlone {
            entry.warnings.push(
                "of the counterexample the run was validated; that nothing better can be reached \
                 from its end was found by the search alone"
                    .to_owned(),
            );
            entry.own_warnings += 1;
        }
        if let Some(run) = run {
            self.show(entry, run);
        }
        let Subject::Property(id) = subject else {
            entry.title = properties::deadlock(self.model, end);
            return;
        };
        if let Some(failure) = failure {
            entry.diagnostic = Some(failure.diagnostic());
            entry.failing = failure.during.as_deref().cloned();
            return;
        }
        let (values, verdict, why) = match (entry.kind, choice) {
            ("cover", Some(choice)) => {
                (properties::nth_values(self.model, id, *choice), "is never true", "")
            }
            ("liveness", Some(choice)) => (
                properties::nth_values(self.model, id, *choice),
                "is violated",
                ": from the last state of this run it can never come true",
            ),
            _ => {
                let values = end.map(|end| properties::false_values(self.model, id, end));
                (values.unwrap_or_default(), "is violated", "")
            }
        };
        let around = self.around(&values);
        let message = format!("{} {verdict}{around}{why}", entry.title);
        entry.diagnostic = Some(Diagnostic::error(self.property(id).span, message));
        entry.bindings = self.bindings(values);
    }

    /// Something that fails, met by the exploration.
    fn fault(&self, fault: &'a Fault, all: Option<&'a states::Outcome>) -> Entry<'a> {
        let mut entry = self.failing(&fault.failure);
        if let Some(all) = all {
            entry.stats = self.stats(&all.statistics);
            entry.time = all.statistics.time;
        }
        if let Some(run) = &fault.run {
            self.show(&mut entry, run);
        }
        entry.bug = fault.objection.as_ref().map(ToString::to_string);
        entry.warnings = self.symmetry_warnings();
        Self::withdraw(entry)
    }

    /// Something that fails, met by the search for a formula.
    fn failed(
        &self,
        formula: &'a Formula,
        failed: &'a Failed,
        outcome: &'a check::Outcome,
    ) -> Entry<'a> {
        let mut entry = self.failing(failure_of(failed));
        self.search(&mut entry, formula, outcome);
        let Failed { cause, binding, run } = failed;
        let claim = match cause {
            Cause::Model(failure) => Claim::Failure(FailurePattern::of(failure)),
            Cause::Atom(fails) => {
                let values = Self::tracked(formula, binding);
                let around = self.around(&values);
                let text = match &formula.atoms[fails.atom.0 as usize] {
                    Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. } => {
                        words::one_line(text)
                    }
                };
                let mut diagnostic = fails.failure.diagnostic();
                diagnostic.message =
                    format!("{}, in the atom `{text}`{around}", diagnostic.message);
                entry.reason = Some(self.placed(&diagnostic.message, diagnostic.span));
                entry.diagnostic = Some(diagnostic);
                entry.formula = Some(&formula.text);
                entry.bindings = self.bindings(values);
                Claim::Atom { formula, binding, atom: Some(fails.atom) }
            }
        };
        if let Some(run) = run {
            self.show(&mut entry, run);
            let judged = judge_claim(&ModelReference::new(self.model), &claim, run);
            entry.bug = judged.err().map(|objection| objection.to_string());
        }
        entry.warnings = self.symmetry_warnings();
        Self::withdraw(entry)
    }

    /// A result about what fails.
    fn failing(&self, failure: &'a Failure) -> Entry<'a> {
        let mut entry = match failure.kind {
            FailureKind::Assertion(id) => {
                let property = self.property(id);
                let mut entry = self.entry(property_kind(property.kind), self.title(id));
                entry.name = property.name.as_deref();
                entry.formula = Some(self.condition(id));
                entry
            }
            _ => self.entry("runtime-error", "run-time error".to_owned()),
        };
        entry.verdict = Verdict::Violated;
        entry.reason = Some(self.placed(&failure.message, failure.span));
        entry.diagnostic = Some(failure.diagnostic());
        entry.failing = failure.during.as_deref().cloned();
        entry
    }

    /// What the judge does not believe is not said.
    fn withdraw(entry: Entry<'a>) -> Entry<'a> {
        if entry.bug.is_none() {
            return entry;
        }
        Entry { verdict: Verdict::Unknown, counterexample: None, run: None, ..entry }
    }

    /// What came of a formula.
    fn formula(
        &self,
        formula: &'a Formula,
        outcome: &'a Result<check::Outcome, Box<Misjudged>>,
    ) -> Entry<'a> {
        let title = match (&formula.name, self.is_asked(formula)) {
            (Some(name), _) => format!("ltl \"{name}\""),
            (None, true) if self.loaded.formulas.len() == 1 => "the formula".to_owned(),
            (None, true) => self.loaded.place(formula.span).name.to_owned(),
            (None, false) => "ltl".to_owned(),
        };
        let mut entry = self.entry("ltl", title);
        entry.name = formula.name.as_deref();
        entry.formula = Some(&formula.text);
        let of_rules = self.model.events.iter().any(|event| event.fairness.is_some());
        let declares = of_rules || !self.model.requirements.is_empty();
        let demand = demand_of(formula.under, declares, &self.options.of_formulas());
        (entry.fairness, entry.over) = words::under(demand.fairness, Some(demand.over));
        if demand.declared {
            entry.declared_fairness = self.declared_fairness();
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(misjudged) => {
                entry.engine = words::engine(Method::Components);
                entry.reason = Some("internal error".to_owned());
                entry.bug = Some(misjudged.objection.to_string());
                return entry;
            }
        };
        self.search(&mut entry, formula, outcome);
        match &outcome.verdict {
            check::Verdict::Holds => entry.verdict = Verdict::Holds,
            check::Verdict::Violated(counterexample) => {
                entry.verdict = Verdict::Violated;
                let values = Self::tracked(formula, &counterexample.binding);
                let message = format!("{} is violated{}", entry.title, self.around(&values));
                entry.diagnostic = Some(Diagnostic::error(formula.span, message));
                entry.bindings = self.bindings(values);
                entry.refuted = Some((formula, &counterexample.binding));
                self.show(&mut entry, &counterexample.run);
                if let Some(renaming) = &counterexample.renaming {
                    self.lap(&mut entry, renaming);
                }
                if let Some(component) = &counterexample.component {
                    self.component(&mut entry, component);
                } else {
                    self.argue(&mut entry, &counterexample.argument);
                    let check::Counterexample { binding, run, .. } = &**counterexample;
                    entry.why = words::facts(formula, &why(self.model, formula, binding, run), run);
                }
            }
            check::Verdict::Failed(failed) => {
                let failure = failure_of(failed);
                let place = self.placed(&failure.message, failure.span);
                entry.reason = Some(format!("a run-time error was reached: {place}"));
            }
            check::Verdict::Unknown(reason) => {
                entry.is_interrupted = *reason == Reason::Stopped(StopReason::Interrupted);
                entry.is_refused = matches!(reason, Reason::Unsound(_));
                entry.reason = Some(words::reason(reason));
            }
        }
        entry.warnings = outcome.warnings.iter().map(words::warning).collect();
        entry.own_warnings = entry.warnings.len();
        entry.warnings.extend(self.symmetry_warnings());
        entry
    }

    /// How a formula was searched for.
    fn search(&self, entry: &mut Entry<'a>, formula: &Formula, outcome: &check::Outcome) {
        let CheckStatistics {
            instances,
            automaton_states,
            representatives,
            edges,
            product_nodes,
            product_edges,
            components,
            time,
        } = outcome.statistics;
        let is_stored = !matches!(outcome.method, Method::Bitstate { .. } | Method::Compaction);
        entry.engine = words::engine(outcome.method);
        entry.instances = Some(count(instances));
        entry.tuples = Some(tuples(&tracked_variables(&self.model.types, &formula.tracked)));
        entry.stats = Stats {
            aqs_states: is_stored.then(|| count(representatives)),
            aqs_edges: is_stored.then(|| count(edges)),
            product_nodes: Some(count(product_nodes)),
            product_edges: Some(count(product_edges)),
            sccs: (outcome.method == Method::Components).then(|| count(components)),
            automaton_states: Some(count(automaton_states)),
            time_us: Count(time.as_micros()),
            peak_rss_bytes: self.peak,
        };
        entry.time = time;
    }

    /// Adds a run that was judged.
    fn show(&self, entry: &mut Entry<'a>, run: &'a Run) {
        let model = self.model;
        let step = |step: &'a Step| match &step.action {
            Some((process, event)) => StepEntry::of(model, process, event, &step.state),
            None => StepEntry::stutter(model, &step.state),
        };
        entry.run = Some(run);
        entry.counterexample = Some(CounterexampleEntry {
            stem: run.stem.iter().map(step).collect(),
            cycle: run.cycle.iter().map(step).collect(),
            end: StateEntry { model, state: &run.end },
            lap_permutation: None,
            component: None,
            fairness_argument: None,
            validated: true,
        });
    }

    /// The cycle is one lap, and this takes it to the next.
    fn lap(&self, entry: &mut Entry<'a>, renaming: &'a Renaming) {
        entry.renaming = Some(renaming);
        let permutation = steps::renamed(self.model, renaming).into_iter().collect();
        if let Some(counterexample) = &mut entry.counterexample {
            counterexample.lap_permutation = Some(permutation);
        }
    }

    /// Behind the stem, the run stays in a component.
    fn component(&self, entry: &mut Entry<'a>, component: &'a Component) {
        entry.component = Some(component);
        if let Some(counterexample) = &mut entry.counterexample {
            counterexample.component = Some(ComponentEntry::of(self.model, component));
        }
    }

    /// This is why the run is fair.
    fn argue(&self, entry: &mut Entry<'a>, argument: &'a Argument) {
        entry.argument = Some(argument);
        if let Some(counterexample) = &mut entry.counterexample {
            let name = |k| self.requirement(k);
            counterexample.fairness_argument = argument::entries(self.loaded, argument, name);
        }
    }

    fn stats(&self, statistics: &StatesStatistics) -> Stats {
        Stats {
            aqs_states: Some(count(statistics.representatives)),
            aqs_edges: Some(count(statistics.edges)),
            product_nodes: None,
            product_edges: None,
            sccs: None,
            automaton_states: None,
            time_us: Count(statistics.time.as_micros()),
            peak_rss_bytes: self.peak,
        }
    }

    fn property(&self, id: PropertyId) -> &'a isonomy::model::checked::Property {
        &self.model.properties[id.0 as usize]
    }

    /// `invariant "exclusion"`
    fn title(&self, id: PropertyId) -> String {
        steps::property(self.property(id))
    }

    /// A property as written, without its name.
    fn condition(&self, id: PropertyId) -> &'a str {
        let property = self.property(id);
        let span = property.condition.as_ref().map_or(property.span, |condition| condition.span);
        self.loaded.text.content.get(span.start..span.end).unwrap_or_default()
    }

    fn is_asked(&self, formula: &Formula) -> bool {
        self.model.questions.iter().any(|one| one.span == formula.span)
    }

    fn tracked(formula: &'a Formula, binding: &Binding) -> Values<'a> {
        let value = |&(local, scalar): &(isonomy::model::checked::LocalId, _)| {
            (&formula.locals[local.0 as usize], Value::Scalar(scalar))
        };
        binding.iter().map(value).collect()
    }

    fn around(&self, values: &[(&Local, Value)]) -> String {
        steps::for_values(self.model, values.iter().map(|(local, value)| (*local, value)))
    }

    fn bindings(&self, values: Values<'a>) -> Bindings<'a> {
        Bindings { model: self.model, values }
    }

    /// `message (model.m:3:4)`
    fn placed(&self, message: &str, span: Span) -> String {
        let place = self.loaded.place(span);
        format!("{message} ({}:{}:{})", place.name, place.line, place.column)
    }

    /// The names of what the model declares; of events, those that are fair.
    fn declared_fairness(&self) -> Vec<String> {
        let requirements = (0..self.model.requirements.len()).map(|k| self.requirement(k));
        let events = self.model.events.iter().filter(|one| one.fairness.is_some());
        requirements.chain(events.map(|one| one.name.clone())).collect()
    }

    /// The name of a declared requirement, or its place.
    fn requirement(&self, k: usize) -> String {
        let one = &self.model.requirements[k];
        one.name.clone().unwrap_or_else(|| {
            let kind = if one.premise.is_some() { "compassion" } else { "justice" };
            self.placed(kind, one.span)
        })
    }

    /// Which index types are not reduced, and why.
    fn symmetry_warnings(&self) -> Vec<String> {
        if self.options.symmetry == SymmetryChoice::Off {
            return Vec::new();
        }
        let spoilt = self.model.symmetries.iter().filter_map(|one| {
            let (span, why) = one.reasons.first()?;
            let name = &self.model.types.index_type(one.of).name;
            Some(self.placed(&format!("no symmetry of {name}: {why}"), *span))
        });
        spoilt.collect()
    }
}
