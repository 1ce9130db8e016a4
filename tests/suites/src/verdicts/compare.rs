//! One case: what brute force says of its formulas, and what everybody else does.

use super::brute_force::{Answer, Reference, Truth};
use super::walks::{Disturbed, ask};
use crate::Counts;
use automata::limits::Limits;
use automata::translate::Effort;
use compile::CompiledModel;
use engine::explore::{Compression, Deadlock};
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use isonomy::check::states::{self, check_states, check_states_on};
use isonomy::check::{
    CheckStatistics, Counterexample, Engine, Misjudged, Options, Outcome, Question, Verdict, check,
    check_all, check_all_on,
};
use judge::{judge, walk};
use model::checked::{Formula, Model, PropertyId};
use model::reference::ModelReference;
use model::reference::{Run, Step};
use model::syntax::PropertyKind;
use model::types::IndexTypeId;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::orbits::Renaming;

const REDUCTIONS: [Reduction; 3] = [Reduction::Off, Reduction::Canonical, Reduction::Sorted];
const ENGINES: [Engine; 4] = [Engine::Auto, Engine::Components, Engine::Sets, Engine::Nested];
/// Above it, a cycle is told by its first lap.
const LONGEST_CYCLES: [usize; 4] = [10_000, 1, 10_000, 4];
const EFFORTS: [Effort; 3] = [Effort::Low, Effort::Medium, Effort::High];

/// Questions by their right answers.
#[derive(Default)]
pub struct Outcomes {
    holds: AtomicUsize,
    violated: AtomicUsize,
    fails: AtomicUsize,
    /// Of all runs that violate something, those that are told by one lap.
    laps: AtomicUsize,
    /// Answers to questions that do not fail.
    answers: AtomicUsize,
}

impl Outcomes {
    /// Prints them; that enough was compared is asserted.
    pub fn report(&self, what: &str, least: usize) {
        let [holds, violated, fails, laps] = [&self.holds, &self.violated, &self.fails, &self.laps]
            .map(|one| one.load(Ordering::Relaxed));
        eprintln!(
            "{what}: {holds} hold, {violated} are violated, {fails} fail; {laps} runs told by a lap"
        );
        assert!(holds >= least && violated >= least / 2, "too few were compared");
    }

    /// Adds a system with these outcomes to the totals.
    pub fn add_to(&self, counts: &Counts) {
        let [holds, violated, fails, answers] =
            [&self.holds, &self.violated, &self.fails, &self.answers]
                .map(|one| one.load(Ordering::Relaxed));
        counts.add(1, holds + violated, answers, fails);
    }

    fn count(&self, answer: Answer) {
        let counted = match answer {
            Answer::Holds => &self.holds,
            Answer::Violated => &self.violated,
            Answer::Fails => &self.fails,
        };
        counted.fetch_add(1, Ordering::Relaxed);
    }
}

/// The same answers as by brute force, whatever is done about symmetry, however is searched, when edges
/// are made, how many threads there are, and whatever annotations are chosen.
pub fn compare(
    context: &str,
    reference: &Reference<'_>,
    formulas: &[&Formula],
    seed: u64,
    outcomes: &Outcomes,
) {
    let truths: Vec<Truth<'_>> = formulas.iter().map(|formula| reference.truth(formula)).collect();
    for truth in &truths {
        outcomes.count(truth.answer);
    }
    let case = Case { context, reference, truths: &truths, outcomes };
    let system = CompiledModel::new(reference.model);
    let mut turn = seed as usize;
    for engine in ENGINES {
        for reduction in REDUCTIONS {
            // Over many cases, everything goes with everything.
            turn += 1;
            let options = Options {
                reduction,
                engine,
                effort: EFFORTS[turn / 3 % 3],
                longest_cycle: LONGEST_CYCLES[turn % 4],
                finds_vacuity: turn.is_multiple_of(5),
                ignores_fairness: true,
                ..Options::default()
            };
            let found = check_all(&system, formulas, &options, &isonomy::Watch::none());
            for (k, outcome) in found.iter().enumerate() {
                let verdict = outcome.as_ref().map(|one| &one.verdict).map_err(Box::as_ref);
                case.agree(k, verdict, &options);
            }
            if turn.is_multiple_of(6) {
                case.do_not_depend_on_each_other(&system, formulas, &options, &found);
                case.do_not_depend_on_the_space(&system, formulas, &options, &found);
            }
            // Where nothing is permuted, there is nothing to choose.
            if engine == Engine::Auto && reduction != Reduction::Off {
                case.do_not_depend_on_annotations(&system, formulas, &options, seed);
            }
        }
    }
}

/// What is compared.
struct Case<'c> {
    context: &'c str,
    reference: &'c Reference<'c>,
    truths: &'c [Truth<'c>],
    outcomes: &'c Outcomes,
}

impl Case<'_> {
    /// Whether this is the right answer about a formula.
    fn agree(&self, k: usize, found: Result<&Verdict, &Misjudged>, options: &Options) {
        let (context, truth) = (self.context, &self.truths[k]);
        let model = self.reference.model;
        let formula = truth.formula();
        let said = &formula.text;
        let verdict =
            found.unwrap_or_else(|wrong| panic!("{wrong:#?} {options:?} {said} {context}"));
        let agrees = match (verdict, truth.answer) {
            // On the fly, what fails may never be reached; and then any answer may be right.
            (Verdict::Holds, Answer::Holds | Answer::Fails)
            | (Verdict::Violated(_), Answer::Violated | Answer::Fails)
            | (Verdict::Failed(_), Answer::Fails) => true,
            _ => false,
        };
        assert!(agrees, "{verdict:?}, not {:?} {options:?} {said} {context}", truth.answer);
        if truth.answer != Answer::Fails {
            self.outcomes.answers.fetch_add(1, Ordering::Relaxed);
        }
        match verdict {
            Verdict::Violated(found) => {
                self.outcomes
                    .laps
                    .fetch_add(usize::from(found.renaming.is_some()), Ordering::Relaxed);
                let run = without_laps(model, found);
                // It was judged before, but not by every guard of every state.
                let reference = &ModelReference::paranoid(model);
                let judged = judge(reference, formula, &found.binding, &run);
                assert_eq!(judged, Ok(()), "{found:?} {options:?} {said} {context}");
                let refuted = self.reference.refutes(truth, &found.binding, &run);
                assert_eq!(refuted, Ok(()), "{found:?} {options:?} {said} {context}");
            }
            Verdict::Failed(failed) => {
                if let Some(run) = &failed.run {
                    let walked = walk(&ModelReference::paranoid(model), run);
                    assert_eq!(walked, Ok(()), "{failed:?} {options:?} {said} {context}");
                }
            }
            _ => {}
        }
    }

    /// With more threads, and one by one, the same is said, and the same is counted.
    fn do_not_depend_on_each_other(
        &self,
        system: &CompiledModel<'_>,
        formulas: &[&Formula],
        options: &Options,
        expected: &[Result<Outcome, Box<Misjudged>>],
    ) {
        let context = self.context;
        let threads = Options { threads: 3, ..*options };
        let together = check_all(system, formulas, &threads, &isonomy::Watch::none());
        for (k, (found, expected)) in together.iter().zip(expected).enumerate() {
            same(found, expected, &format!("{threads:?} {} {context}", formulas[k].text));
        }
        for (formula, expected) in formulas.iter().zip(expected) {
            let alone = check(system, formula, options, &isonomy::Watch::none());
            same(&alone, expected, &format!("{options:?} {} {context}", formula.text));
        }
    }

    /// On a state space that is filled by an exploration, in part or as a whole, the same is said and
    /// counted about formulas; and the same about states, whether formulas were checked before or not.
    fn do_not_depend_on_the_space(
        &self,
        system: &CompiledModel<'_>,
        formulas: &[&Formula],
        options: &Options,
        expected: &[Result<Outcome, Box<Misjudged>>],
    ) {
        let watch = &isonomy::Watch::none();
        let reduction = states::reduction_for(system, options.reduction);
        let is_claim = |id: &PropertyId| {
            let kind = self.reference.model.properties[id.0 as usize].kind;
            // Of equally near states, any may be reported.
            !matches!(kind, PropertyKind::Assume | PropertyKind::Liveness)
        };
        let count = self.reference.model.properties.len() as u32;
        let about_states = states::Options {
            properties: (0..count).map(PropertyId).filter(is_claim).collect(),
            deadlock: Deadlock::Stuck,
            symmetry: reduction,
            most_states: None,
            threads: 1,
        };
        let alone = told(&check_states(system, &about_states, watch));
        for threads in [1, 3] {
            let about_states = states::Options { threads, ..about_states.clone() };
            let options = Options { threads, ..*options };
            for begins_with_states in [true, false] {
                let mut space = Quotient::sharded(system, reduction, Compression::None);
                if begins_with_states {
                    space = space.with_edges();
                }
                for is_about_states in [begins_with_states, !begins_with_states] {
                    let context = format!("{options:?} {begins_with_states} {}", self.context);
                    if is_about_states {
                        let found = check_states_on(&space, system, &about_states, watch);
                        assert_eq!(told(&found), alone, "{context}");
                    } else if reduction == options.reduction {
                        let found = check_all_on(&space, system, formulas, &options, watch);
                        for (found, expected) in found.iter().zip(expected) {
                            same(found, expected, &context);
                        }
                    }
                }
            }
        }
    }

    /// Any annotation is as good as any other.
    fn do_not_depend_on_annotations(
        &self,
        system: &CompiledModel<'_>,
        formulas: &[&Formula],
        options: &Options,
        seed: u64,
    ) {
        let quotient = Quotient::new(system, options.reduction);
        for (k, formula) in formulas.iter().enumerate() {
            let question = Question::new(system, formula, options, Limits::default());
            let question = question.expect("a small formula");
            let mut seed = seed;
            let walk = || {
                seed = seed.wrapping_mul(0x9e37_79b9).wrapping_add(1);
                Disturbed::new(&quotient, seed)
            };
            let verdict = ask(&question, &quotient, walk, usize::MAX);
            self.agree(k, verdict.as_ref().map_err(Box::as_ref), options);
        }
    }
}

/// The run of a counterexample, all of its laps if only one is told.
fn without_laps(model: &Model, found: &Counterexample) -> Run {
    let Counterexample { run, renaming: Some(renaming), .. } = found else {
        return found.run.clone();
    };
    let types = (0..model.types.index_types.len() as u32).map(IndexTypeId);
    let by = Renaming { images: types.map(|of| renaming.images(of).to_vec()).collect() };
    let home = &run.cycle[0].state;
    let mut cycle = run.cycle.clone();
    let mut lap = run.cycle.clone();
    loop {
        for Step { state, action } in &mut lap {
            *state = by.state(model, state);
            if let Some((process, event)) = action {
                *process = by.process(*process);
                *event = by.event(model, event);
            }
        }
        if lap[0].state == *home {
            return Run { stem: run.stem.clone(), cycle, end: home.clone() };
        }
        cycle.extend(lap.iter().cloned());
    }
}

/// Whether two outcomes are the same, time aside.
fn same(
    found: &Result<Outcome, Box<Misjudged>>,
    expected: &Result<Outcome, Box<Misjudged>>,
    context: &str,
) {
    let (Ok(found), Ok(expected)) = (found, expected) else {
        panic!("{found:?}, {expected:?} {context}")
    };
    let without_time = |one: &Outcome| CheckStatistics { time: Duration::ZERO, ..one.statistics };
    assert_eq!(without_time(found), without_time(expected), "{context}");
    assert_eq!(found.method, expected.method, "{context}");
    assert_eq!(found.warnings, expected.warnings, "{context}");
    let agree = match (&found.verdict, &expected.verdict) {
        (Verdict::Holds, Verdict::Holds) => true,
        (Verdict::Violated(found), Verdict::Violated(expected)) => found == expected,
        (Verdict::Failed(found), Verdict::Failed(expected)) => found == expected,
        _ => false,
    };
    assert!(agree, "{:?}, not {:?} {context}", found.verdict, expected.verdict);
}

/// What is said about states, without times.
fn told(outcome: &states::Outcome) -> Vec<String> {
    let states::Outcome { answers, failures, starts, progress, .. } = outcome;
    let all = format!("{failures:?} {starts:?} {progress:?}");
    let answers = answers.iter().map(|states::Answer { subject, verdict, statistics }| {
        let states::StatesStatistics { representatives, edges, .. } = statistics;
        format!("{subject:?} {verdict:?} {representatives} {edges}")
    });
    std::iter::once(all).chain(answers).collect()
}
