//! Findings: the results of a check, of whatever it is about and however it was searched.
//!
//! [`check_all`](crate::check::check_all) answers formulas about runs,
//! [`check_states`](crate::check::states::check_states) answers properties of states. [`Findings::new`]
//! makes one list of their outcomes. A run-time error may be met by any of the searches: it is a
//! finding of its own, is listed once, and comes before everything that was asked.
//!
//! A [`Finding`] holds data and no words: formulas and properties by number, and runs in the states
//! and events of the front end. Names, messages and places in the text are added by views, of which
//! the command line has three: text, JSON and HTML.
//!
//! Every run in a finding was accepted by the judge. A result that the judge rejects is
//! [`Unknown::Misjudged`].
//!
//! # Example
//! ```
//! use isonomy::terms::PropertyId;
//! use isonomy::{
//!     Asked, CheckOptions, CompiledModel, Deadlock, FindingVerdict, Findings, Item, Reduction,
//!     StatesOptions, Watch, check_all, check_states, check_with,
//! };
//!
//! let text = "var x: 0..3;
//!     startstate x := 0 end;
//!     rule \"up\" x < 3 ==> x := x + 1 end;
//!     invariant \"small\" x < 3;";
//! let model = check_with(text, &[], &["F x = 3"]).expect("a model without errors");
//! let system = CompiledModel::new(&model);
//! let small = PropertyId(0);
//! let about_states = StatesOptions {
//!     properties: vec![small],
//!     deadlock: Deadlock::Off,
//!     symmetry: Reduction::Canonical,
//!     most_states: None,
//!     threads: 1,
//! };
//! let (formulas, options) = ([&model.questions[0]], CheckOptions::default());
//! let outcomes = check_all(&system, &formulas, &options, &Watch::none());
//! let states = check_states(&system, &about_states, &Watch::none());
//! let items = [Item::Formula(0), Item::Property(small)];
//! let asked = Asked { system: &system, formulas: &formulas, options: &options, items: &items };
//! let findings = Findings::new(&asked, outcomes, Some(states));
//! let [formula, property] = &findings.all[..] else { panic!() };
//! assert!(matches!(formula.verdict, FindingVerdict::Holds));
//! assert_eq!(property.run().expect("a run to x = 3").steps().count(), 3);
//! ```

#[cfg(test)]
mod tests;

use crate::check::states::{self, StatesStatistics};
use crate::check::why::{Fact, why};
use crate::check::{
    self, AtomFailure, Cause, CheckStatistics, Counterexample, Failed, Method, Misjudged, Warning,
    demanded,
};
use crate::explore;
use crate::frontend::{FormulaOf, FrontEnd, VocabularyOf};
use engine::instances::tuples;
use judge::{Bound, Extent, Objection, Reference, Run, Vocabulary};
use model::reference::ModelVocabulary;
use num_bigint::BigUint;
use run::StopReason;
use std::time::Duration;
use terms::{Demand, PropertyId};

/// A result of a check.
#[derive(Debug)]
pub struct Finding<V: Vocabulary = ModelVocabulary> {
    /// What it is about.
    pub subject: Subject<V>,
    /// Whether that is so.
    pub verdict: Verdict<V>,
    /// What was done to find it.
    pub work: Work,
    /// What its reader should know besides.
    pub warnings: Vec<FindingWarning>,
}

/// What a finding is about.
#[derive(Debug)]
pub enum Subject<V: Vocabulary = ModelVocabulary> {
    /// All fair runs satisfy a formula.
    Formula {
        /// The number of the formula in [`Asked::formulas`].
        number: usize,
        /// Which runs are fair.
        demand: Demand,
    },
    /// The states have a property.
    Property(PropertyId),
    /// No deadlock is reachable.
    NoDeadlock,
    /// Nothing fails: this is what does. It need not be asked for.
    Failure(V::Fault),
    /// The atoms of a formula have values in all states: this one does not.
    Atom {
        /// The number of the formula in [`Asked::formulas`].
        number: usize,
        /// The atom, and how its evaluation fails.
        failure: AtomFailure<V>,
        /// The values of the tracked variables of the formula.
        binding: Vec<Bound<V>>,
    },
}

/// Whether a subject is as it should be.
#[derive(Debug)]
pub enum Verdict<V: Vocabulary = ModelVocabulary> {
    /// It is.
    Holds,
    /// It is not, and this shows it.
    Violated(Evidence<V>),
    /// There is no answer.
    Unknown(Unknown<V>),
}

/// What shows a violation.
#[derive(Debug)]
pub enum Evidence<V: Vocabulary = ModelVocabulary> {
    /// A formula: a fair run that does not satisfy it.
    Formula {
        /// The run, the values of the tracked variables, and why the run is fair.
        counterexample: Box<Counterexample<V>>,
        /// Facts about the run that make the formula false; none if there is no short reason.
        why: Vec<Fact>,
    },
    /// Anything else: a shortest run to a state where it is violated.
    State {
        /// The run, which ends. There is none for a `cover`, which is true in no state, and for a
        /// start state that cannot be made.
        run: Option<Run<V>>,
        /// The choice of values around a `cover` or `liveness` for which it is violated, see
        /// [`PropertySummary::parameters`](engine::system::PropertySummary::parameters).
        choice: Option<usize>,
        /// How a statement that is a property fails.
        failure: Option<V::Fault>,
    },
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Unknown<V: Vocabulary = ModelVocabulary> {
    /// The search for a run that violates a formula has none.
    Formula(check::Reason),
    /// The exploration for properties of states has none.
    State(states::Reason),
    /// The search for a run that violates a formula met a failure, which is a finding of its own.
    Failed(V::Fault),
    /// The judge rejects the violation that was found: a bug of ours.
    Misjudged(Objection<V>),
}

/// What the reader of a finding should know besides its verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FindingWarning {
    /// About a formula.
    Formula(Warning),
    /// Of a violated `liveness` the judge has accepted the run, but the states that are reachable from
    /// its end are too many to be judged, see [`Extent::RunAlone`].
    RunAlone,
}

/// What was done to find something.
#[derive(Clone, Debug)]
pub enum Work {
    /// An exploration of all states.
    Exploration(StatesStatistics),
    /// The state equation of a net, solved in so long.
    Equation(Duration),
    /// Random runs, for so long. Nothing is stored.
    Walks(Duration),
    /// Searches of products with the automaton of a formula.
    Product {
        /// How they were searched.
        method: Method,
        /// What the searches did, all together.
        statistics: CheckStatistics,
        /// How many tuples of values the tracked variables have without symmetry.
        tuples: BigUint,
    },
}

/// The findings of a check.
#[derive(Debug)]
pub struct Findings<V: Vocabulary = ModelVocabulary> {
    /// Failures first, then all that was asked in its order, at last deadlocks.
    pub all: Vec<Finding<V>>,
    /// Why some answers are missing.
    pub stopped: Option<StopReason>,
}

/// What was asked.
pub struct Asked<'a, F: FrontEnd> {
    /// The system.
    pub system: &'a F,
    /// The formulas, as they were given to [`check_all`](crate::check::check_all).
    pub formulas: &'a [&'a FormulaOf<F>],
    /// With these options.
    pub options: &'a check::Options,
    /// All questions, in the order in which the findings are wanted.
    pub items: &'a [Item],
}

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// The formula of this number in [`Asked::formulas`].
    Formula(usize),
    /// A property of states.
    Property(PropertyId),
}

impl<V: Vocabulary> Findings<V> {
    /// Of the outcomes of [`check_all`](crate::check::check_all), in the order of the formulas, and of
    /// [`check_states`](crate::check::states::check_states), which must have been called if there are
    /// properties among the questions.
    pub fn new<F: FrontEnd>(
        asked: &Asked<'_, F>,
        formulas: Vec<Result<check::Outcome<V>, Box<Misjudged<V>>>>,
        states: Option<states::Outcome<V>>,
    ) -> Findings<V>
    where
        F::Reference: Reference<Vocabulary = V>,
    {
        let mut formulas: Vec<_> = formulas.into_iter().map(Some).collect();
        let (mut failures, mut answers, mut stopped) = (Vec::new(), Vec::new(), None);
        if let Some(states) = states {
            let statistics = states.statistics;
            failures.extend(states.failures.into_iter().map(|one| of_fault(one, statistics)));
            answers = states.answers.into_iter().map(Some).collect();
            stopped = states.stopped;
        }
        let mut all = Vec::new();
        for item in asked.items {
            all.push(match *item {
                Item::Formula(number) => {
                    let outcome = formulas[number].take().expect("a formula is asked about once");
                    let (finding, failure) = asked.of_formula(number, outcome);
                    // Searches for several formulas meet the same failure.
                    failures.extend(failure.filter(|one| !is_known(asked.system, &failures, one)));
                    finding
                }
                Item::Property(id) => {
                    let answer = take(&mut answers, explore::Subject::Property(id));
                    of_answer(answer.expect("every property has been explored once"))
                }
            });
        }
        all.extend(take(&mut answers, explore::Subject::Deadlock).map(of_answer));
        let stopped = stopped.or_else(|| {
            all.iter().find_map(|one| match one.verdict {
                Verdict::Unknown(ref unknown) => unknown.stopped(),
                _ => None,
            })
        });
        // A statement that fails, and whose property is in question, is one finding.
        let is_answer = |one: &Finding<V>| {
            matches!(one.subject, Subject::Failure(_)) && is_known(asked.system, &all, one)
        };
        failures.retain(|one| !is_answer(one));
        failures.append(&mut all);
        Findings { all: failures, stopped }
    }
}

impl<V: Vocabulary> Finding<V> {
    /// The run that shows a violation, if there is one.
    pub fn run(&self) -> Option<&Run<V>> {
        match &self.verdict {
            Verdict::Violated(Evidence::Formula { counterexample, .. }) => {
                Some(&counterexample.run)
            }
            Verdict::Violated(Evidence::State { run, .. }) => run.as_ref(),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// The run that violates a formula, with all that belongs to it.
    pub fn counterexample(&self) -> Option<&Counterexample<V>> {
        match &self.verdict {
            Verdict::Violated(Evidence::Formula { counterexample, .. }) => Some(counterexample),
            _ => None,
        }
    }

    /// What fails, if the violation is that something does.
    pub fn failure(&self) -> Option<&V::Fault> {
        match (&self.subject, &self.verdict) {
            (Subject::Failure(failure), _) => Some(failure),
            (Subject::Atom { failure, .. }, _) => Some(&failure.failure),
            (_, Verdict::Violated(Evidence::State { failure, .. })) => failure.as_ref(),
            _ => None,
        }
    }
}

impl<V: Vocabulary> Unknown<V> {
    /// The limit that was reached, if that is the reason.
    pub fn stopped(&self) -> Option<StopReason> {
        match self {
            Unknown::Formula(check::Reason::Stopped(reason) | check::Reason::Unjudged(reason))
            | Unknown::State(states::Reason::Stopped(reason) | states::Reason::Unjudged(reason)) => {
                Some(*reason)
            }
            _ => None,
        }
    }
}

impl Work {
    /// How long it took; of several threads, all together.
    pub fn time(&self) -> Duration {
        match self {
            Work::Exploration(statistics) => statistics.time,
            Work::Walks(time) | Work::Equation(time) => *time,
            Work::Product { statistics, .. } => statistics.time,
        }
    }

    /// What searches of products did, if these were searched.
    pub fn product(&self) -> Option<&CheckStatistics> {
        match self {
            Work::Exploration(_) | Work::Walks(_) | Work::Equation(_) => None,
            Work::Product { statistics, .. } => Some(statistics),
        }
    }

    /// Representatives and their edges, unless they are not stored.
    pub fn quotient(&self) -> Option<(u64, u64)> {
        match self {
            Work::Exploration(done) => Some((done.representatives, done.edges)),
            Work::Walks(_)
            | Work::Equation(_)
            | Work::Product { method: Method::Bitstate { .. } | Method::Compaction, .. } => None,
            Work::Product { statistics: done, .. } => Some((done.representatives, done.edges)),
        }
    }
}

impl<F: FrontEnd> Asked<'_, F> {
    /// The finding about a formula, and what failed on the way.
    fn of_formula(
        &self,
        number: usize,
        outcome: Result<check::Outcome<VocabularyOf<F>>, Box<Misjudged<VocabularyOf<F>>>>,
    ) -> (Finding<VocabularyOf<F>>, Option<Finding<VocabularyOf<F>>>) {
        let formula = self.formulas[number];
        let demand = demanded(self.system, formula, self.options);
        let subject = Subject::Formula { number, demand };
        let tuples = tuples(&self.system.tracked(formula));
        let (verdict, method, statistics, warnings) = match outcome {
            Ok(check::Outcome { verdict, method, statistics, warnings }) => {
                let warnings = warnings.into_iter().map(FindingWarning::Formula).collect();
                (Ok(verdict), method, statistics, warnings)
            }
            Err(misjudged) => {
                // The search is not counted: its result is wrong.
                let statistics = CheckStatistics::default();
                (Err(misjudged.objection), Method::Components, statistics, Vec::new())
            }
        };
        let work = Work::Product { method, statistics, tuples };
        let mut failed = None;
        let verdict = match verdict {
            Ok(check::Verdict::Holds) => Verdict::Holds,
            Ok(check::Verdict::Violated(counterexample)) => {
                let Counterexample { binding, run, component, .. } = &*counterexample;
                // The run through a component is not written down.
                let why = match component {
                    None => why(self.system.reference(), formula, binding, run),
                    Some(_) => Vec::new(),
                };
                Verdict::Violated(Evidence::Formula { counterexample, why })
            }
            Ok(check::Verdict::Failed(one)) => {
                let failure = match &one.cause {
                    Cause::Model(failure) => failure.clone(),
                    Cause::Atom(atom) => atom.failure.clone(),
                };
                failed = Some(of_failed(number, *one, work.clone()));
                Verdict::Unknown(Unknown::Failed(failure))
            }
            Ok(check::Verdict::Unknown(reason)) => Verdict::Unknown(Unknown::Formula(reason)),
            Err(objection) => Verdict::Unknown(Unknown::Misjudged(objection)),
        };
        (Finding { subject, verdict, work, warnings }, failed)
    }
}

/// Something that fails, met by the search for the formula of this number.
fn of_failed<V: Vocabulary>(number: usize, failed: Failed<V>, work: Work) -> Finding<V> {
    let Failed { cause, binding, run } = failed;
    let subject = match cause {
        Cause::Model(failure) => Subject::Failure(failure),
        Cause::Atom(failure) => Subject::Atom { number, failure, binding },
    };
    let verdict = Verdict::Violated(Evidence::State { run, choice: None, failure: None });
    Finding { subject, verdict, work, warnings: Vec::new() }
}

/// Something that fails, met by the exploration.
fn of_fault<V: Vocabulary>(fault: states::Fault<V>, statistics: StatesStatistics) -> Finding<V> {
    let states::Fault { failure, run, objection } = fault;
    let verdict = match objection {
        None => Verdict::Violated(Evidence::State { run, choice: None, failure: None }),
        Some(objection) => Verdict::Unknown(Unknown::Misjudged(objection)),
    };
    let (subject, work) = (Subject::Failure(failure), Work::Exploration(statistics));
    Finding { subject, verdict, work, warnings: Vec::new() }
}

/// The answer to a question about states.
fn of_answer<V: Vocabulary>(answer: states::Answer<V>) -> Finding<V> {
    let states::Answer { subject, verdict, statistics } = answer;
    let mut warnings = Vec::new();
    let verdict = match verdict {
        states::Verdict::Holds => Verdict::Holds,
        states::Verdict::Violated(states::Violated { choice, failure, run, extent }) => {
            warnings.extend((extent == Extent::RunAlone).then_some(FindingWarning::RunAlone));
            Verdict::Violated(Evidence::State { run, choice, failure })
        }
        states::Verdict::Misjudged(objection) => Verdict::Unknown(Unknown::Misjudged(objection)),
        states::Verdict::Unknown(reason) => Verdict::Unknown(Unknown::State(reason)),
    };
    let subject = match subject {
        explore::Subject::Property(id) => Subject::Property(id),
        explore::Subject::Deadlock => Subject::NoDeadlock,
    };
    Finding { subject, verdict, work: Work::Exploration(statistics), warnings }
}

/// Whether something that fails is known to do so.
fn is_known<F: FrontEnd>(
    system: &F,
    known: &[Finding<VocabularyOf<F>>],
    failing: &Finding<VocabularyOf<F>>,
) -> bool {
    let reference = system.reference();
    let Some(failure) = failing.failure() else { return false };
    let pattern = reference.pattern(failure);
    known.iter().filter_map(Finding::failure).any(|known| reference.matches(known, pattern))
}

/// Takes the answer about a subject out of those that are left.
fn take<V: Vocabulary>(
    answers: &mut [Option<states::Answer<V>>],
    subject: explore::Subject,
) -> Option<states::Answer<V>> {
    let is_it = |one: &&mut Option<states::Answer<V>>| {
        one.as_ref().is_some_and(|answer| answer.subject == subject)
    };
    answers.iter_mut().find(is_it).and_then(Option::take)
}
