//! Lock, token ring, MCS lock, two-phase commit and Peterson, in Rust and as model texts.
//!
//! Verdicts, counts and representatives must be the same under every kind of fairness, with and
//! without symmetry, with one thread and with two. Counterexamples have been judged; those of the
//! protocols are executed once more.

mod lock;
mod mcs_lock;
mod peterson;
mod token_ring;
mod two_phase_commit;

use crate::replay::{replay, replay_counterexample};
use compile::CompiledModel;
use engine::explore::Deadlock;
use engine::symmetry::Reduction;
use engine::system::System;
use isonomy::check::states::{self, check_states};
use isonomy::check::{Counterexample, Options, Outcome, Verdict, check};
use isonomy::explore::{Asked, explore, explore_asked};
use isonomy::protocol::{self, Cells, Formula, Prepared, Protocol, Typed, Verification, typed_run};
use isonomy::{Watch, explore as exploration};
use judge::Vocabulary;
use model::checked::Model;
use model::{Definition, check_with};
use terms::{Demand, Fairness, Over, PropertyId, PropertyKind};

/// All kinds of fairness.
pub(crate) const DEMANDS: [Demand; 7] = [
    Demand::NONE,
    Demand { fairness: Fairness::Weak, ..Demand::NONE },
    Demand { fairness: Fairness::Strong, ..Demand::NONE },
    Demand { fairness: Fairness::Weak, over: Over::Events, declared: false },
    Demand { fairness: Fairness::Strong, over: Over::Events, declared: false },
    Demand { declared: true, ..Demand::NONE },
    Demand { fairness: Fairness::Global, ..Demand::NONE },
];

/// A protocol beside its model.
pub(crate) struct Twins<P: Protocol> {
    make: Box<dyn Fn() -> P>,
    front: Prepared,
    model: Model,
    /// By question of the model.
    formulas: Vec<Formula>,
    order: Order,
}

/// The order in which a protocol lists events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Rule by rule, as its model does. Searches go the same way and find runs of equal lengths.
    Rules,
    /// Some other order. What a search visits before it finds a run may differ.
    Other,
}

/// How often questions were answered in which way.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) holds: usize,
    violated: usize,
    pub(crate) failed: usize,
    /// Verdicts that differ because only one of the searches has met a failure.
    pub(crate) excused: usize,
    /// Formulas that hold because a left side is never true.
    pub(crate) vacuous: usize,
    /// Cycles of which only the first lap is written down.
    pub(crate) laps: usize,
    /// Components instead of cycles.
    pub(crate) components: usize,
    /// The states that were stored, of all systems.
    pub(crate) states: u64,
}

impl Tally {
    /// Counts a verdict.
    pub(crate) fn count<V: Vocabulary>(&mut self, verdict: &Verdict<V>) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Violated(_) => self.violated += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Unknown(reason) => panic!("there is no answer: {reason:?}"),
        }
    }

    /// Sees that the questions were not tame.
    pub(crate) fn assert_mixed(&self) {
        let least = (self.holds + self.violated) / 5;
        assert!(self.holds >= least && self.violated >= least, "{self:?}");
    }
}

impl<P: Protocol> Twins<P>
where
    P::State: Cells,
    P::Event: Cells,
{
    /// A protocol and a model with so many processes. Formulas are given for the protocol and for
    /// the model.
    pub(crate) fn new(
        make: impl Fn() -> P + 'static,
        (text, size): (&str, usize),
        formulas: &[(&str, &str)],
        order: Order,
    ) -> Twins<P> {
        let questions: Vec<&str> = formulas.iter().map(|(_, of_model)| *of_model).collect();
        let size = Definition { name: "N".to_owned(), value: size.to_string() };
        let model = check_with(text, &[size], &questions).expect("the text is a model");
        let front = Prepared::new::<P, Typed<P>>(make()).expect("the declarations fit together");
        let read = |(text, _): &(&str, &str)| front.formula(text).expect("it is a formula");
        let formulas = formulas.iter().map(read).collect();
        Twins { make: Box::new(make), front, model, formulas, order }
    }

    /// Compares all there is to compare.
    pub(crate) fn compare(&self) -> Tally {
        self.compare_counts();
        let of_properties = self.compare_properties();
        let mut tally = Tally::default();
        for demand in DEMANDS {
            for reduction in [Reduction::Off, Reduction::Canonical] {
                let mut expected = Vec::new();
                for number in 0..self.formulas.len() {
                    for threads in [1, 2] {
                        let options = Options { demand, reduction, threads, ..Options::default() };
                        let holds = self.compare_formula(number, &options);
                        *(if holds { &mut tally.holds } else { &mut tally.violated }) += 1;
                        expected.push(holds);
                    }
                }
                let one_thread: Vec<bool> = expected.iter().copied().step_by(2).collect();
                let two_threads = expected.into_iter().skip(1).step_by(2);
                assert!(two_threads.eq(one_thread.iter().copied()));
                let holds = [&of_properties[..], &one_thread].concat();
                self.compare_report(demand, reduction == Reduction::Canonical, &holds);
            }
        }
        tally
    }

    /// Numbers of states, steps and representatives.
    fn compare_counts(&self) {
        let system = CompiledModel::new(&self.model);
        for symmetry in [Reduction::Off, Reduction::Canonical] {
            for threads in [1, 2] {
                let options = exploration::Options {
                    symmetry,
                    threads,
                    deadlock: Deadlock::Stuck,
                    ..exploration::Options::default()
                };
                let found = explore(&self.front, &options, &Watch::none());
                let expected = explore(&system, &options, &Watch::none());
                assert_eq!(found.full, expected.full, "{symmetry:?}");
                assert_eq!(found.quotient, expected.quotient, "{symmetry:?}");
                assert_eq!(found.progress, expected.progress, "{symmetry:?}");
                assert_eq!(found.starts, expected.starts, "{symmetry:?}");
                assert_eq!(found.deadlocks, expected.deadlocks, "{symmetry:?}");
                let is_reduced = symmetry == Reduction::Canonical;
                let check = protocol::check((self.make)()).symmetry(is_reduced).threads(threads);
                let counts = check.count().expect("the protocol can be explored");
                // Nothing is asked: states that violate an invariant are expanded, too.
                let nothing = Asked { properties: Vec::new(), until_decided: false };
                let (expected, _) = explore_asked(&system, &options, &nothing, &Watch::none());
                let full = expected.full.expect("states are not sorted");
                assert_eq!(counts.states, full.states);
                assert_eq!(counts.steps, full.steps);
                assert_eq!(counts.representatives, expected.progress.states);
            }
        }
    }

    /// The properties in question: of both the same, in the same order.
    fn properties(&self) -> Vec<PropertyId> {
        let kinds = |system: &dyn System| -> Vec<PropertyKind> {
            system.properties().iter().map(|one| one.kind).collect()
        };
        let system = CompiledModel::new(&self.model);
        let expected = kinds(&system);
        assert_eq!(kinds(&self.front), expected);
        let asked = (0..).map(PropertyId).zip(expected);
        asked.filter(|(_, kind)| *kind != PropertyKind::Assume).map(|(id, _)| id).collect()
    }

    /// Properties of states: verdicts, and the lengths of the runs, which are shortest ones.
    /// Returns which of them hold.
    fn compare_properties(&self) -> Vec<bool> {
        let system = CompiledModel::new(&self.model);
        let properties = self.properties();
        let mut holds = Vec::new();
        for symmetry in [Reduction::Off, Reduction::Canonical] {
            for threads in [1, 2] {
                let options = states::Options {
                    properties: properties.clone(),
                    deadlock: Deadlock::Stuck,
                    symmetry,
                    most_states: None,
                    threads,
                };
                let found = check_states(&self.front, &options, &Watch::none());
                let expected = check_states(&system, &options, &Watch::none());
                assert_eq!(found.progress, expected.progress);
                assert!(found.failures.is_empty() && expected.failures.is_empty());
                assert_eq!(found.answers.len(), expected.answers.len());
                for (found, expected) in found.answers.iter().zip(&expected.answers) {
                    assert_eq!(found.subject, expected.subject);
                    let length = shortest(&found.verdict);
                    assert_eq!(length, shortest(&expected.verdict), "{:?}", found.subject);
                    if let states::Verdict::Violated(states::Violated { run: Some(run), .. }) =
                        &found.verdict
                    {
                        replay(&(self.make)(), &typed_run(run));
                    }
                    holds.push(length.0 == "holds");
                }
            }
        }
        // The last answer is about deadlocks, which are not asked for below.
        holds.truncate(properties.len());
        holds
    }

    /// Asks both, and compares; whether it holds.
    fn compare_formula(&self, number: usize, options: &Options) -> bool {
        let (formula, question) = (&self.formulas[number], &self.model.questions[number]);
        let found = check(&self.front, formula, options, &Watch::none()).expect("the judge agrees");
        let system = CompiledModel::new(&self.model);
        let expected = check(&system, question, options, &Watch::none()).expect("the judge agrees");
        let context = format!("{} {options:?}", formula.text());
        assert_eq!(figures(&found, self.order), figures(&expected, self.order), "{context}");
        match &found.verdict {
            Verdict::Holds => true,
            Verdict::Violated(found) => {
                replay_counterexample((&(self.make)(), &self.front), found);
                false
            }
            other => panic!("{context}: {other:?}"),
        }
    }

    /// What users see: all questions at once, in a thread of their own, after an examination of
    /// some states for symmetry.
    fn compare_report(&self, demand: Demand, is_reduced: bool, holds: &[bool]) {
        let mut check = protocol::check((self.make)())
            .fairness(demand.fairness)
            .over(demand.over)
            .declared_fairness(demand.declared)
            .symmetry(is_reduced)
            .verify(Verification::First(200))
            .threads(1);
        for formula in &self.formulas {
            check = check.formula(formula.text()).expect("it is a formula");
        }
        let report = check.run().expect("it can be checked");
        let properties = self.front.properties().filter(|(_, kind)| *kind != PropertyKind::Assume);
        let names = properties.map(|(name, _)| name).chain(self.formulas.iter().map(Formula::text));
        for (k, name) in names.enumerate() {
            let answer = report.answer(name).expect("every question has an answer");
            let expected =
                if holds[k] { protocol::Verdict::Holds } else { protocol::Verdict::Violated };
            assert_eq!(answer.verdict(), expected, "{name} {demand:?}");
            if let Some(run) = answer.run() {
                replay(&(self.make)(), run);
            }
        }
        assert_eq!(report.answers().len(), holds.len());
    }
}

/// The verdict on a property in one word, and the length of the run that violates it.
pub(crate) fn shortest<V: Vocabulary>(
    verdict: &states::Verdict<V>,
) -> (&'static str, Option<usize>) {
    match verdict {
        states::Verdict::Holds => ("holds", None),
        states::Verdict::Violated(found) => {
            ("violated", found.run.as_ref().map(|run| run.stem.len()))
        }
        states::Verdict::Misjudged(_) => ("misjudged", None),
        states::Verdict::Unknown(_) => ("unknown", None),
    }
}

/// A verdict in one word.
pub(crate) fn word<V: Vocabulary>(verdict: &Verdict<V>) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Failed(_) => "failed",
        Verdict::Unknown(_) => "unknown",
    }
}

/// All that must be the same of two outcomes.
fn figures<V: Vocabulary>(outcome: &Outcome<V>, order: Order) -> String {
    let Outcome { verdict, method, statistics, warnings } = outcome;
    let word = word(verdict);
    let run = match verdict {
        Verdict::Violated(found) => Some(lengths(found)),
        _ => None,
    };
    let counts = (
        (statistics.instances, statistics.automaton_states, statistics.representatives),
        (statistics.edges, statistics.product_nodes, statistics.product_edges),
    );
    let way = match (order, verdict) {
        (Order::Other, Verdict::Violated(_)) => None,
        _ => Some((counts, run)),
    };
    format!("{word} {method:?} {way:?} {warnings:?}")
}

/// The lengths of a run: of the stem, of the cycle, and whether that is a lap or a component.
fn lengths<V: Vocabulary>(found: &Counterexample<V>) -> (usize, usize, bool, bool) {
    let Counterexample { run, renaming, component, .. } = found;
    (run.stem.len(), run.cycle.len(), renaming.is_some(), component.is_some())
}
