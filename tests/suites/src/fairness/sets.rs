//! Answers by elimination, against brute force and the path-based search: with and without symmetry,
//! with annotations at random, and by any number of threads, which must not be noticed.

use super::brute_force::{Reference, violates};
use super::walks::{Disturbed, Told};
use super::{LARGEST, demands, schedules, system};
use crate::Counts;
use automata::limits::Limits;
use compile::CompiledModel;
use engine::explore::Compression;
use engine::fairness::rules::Exact;
use engine::instances::Instance;
use engine::quotient::Quotient;
use engine::sets::ways::{self, Ways};
use engine::symmetry::Reduction;
use isonomy::check::{
    Answer, CheckStatistics, Engine, MANY_THREADS, Method, Misjudged, Options, Outcome, Question,
    Verdict, check,
};
use model::checked::{Demand, Formula, Model};
use model::syntax::Fairness;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// How many questions are asked about each system.
pub const QUESTIONS: usize = super::QUESTIONS;

/// Above it, a cycle is told by its first lap.
const LONGEST_CYCLES: [usize; 3] = [10_000, 10_000, 1];

/// What was met.
#[derive(Default)]
pub struct Figures {
    pub holds: AtomicUsize,
    pub violated: AtomicUsize,
    pub fails: AtomicUsize,
    /// Those of them under global fairness.
    pub global: AtomicUsize,
    /// The answers by elimination that `auto` has chosen.
    pub together: AtomicUsize,
}

fn count(figure: &AtomicUsize) {
    figure.fetch_add(1, Ordering::Relaxed);
}

/// Asks the questions about a small system.
pub fn small_system(seed: u64, counts: &Counts) {
    ask_small_system(seed, counts, &Figures::default());
}

/// The same, and counts kinds of answers.
pub fn ask_small_system(seed: u64, counts: &Counts, figures: &Figures) {
    ask_system(seed, counts, figures, ask);
}

/// Asks each question about a small system in few ways: by one thread with one reduction, and of
/// the path-based search. So there is time for many systems.
pub fn small_system_once(seed: u64, counts: &Counts) {
    ask_system(seed, counts, &Figures::default(), ask_once);
}

/// Asks a question in some ways, and returns their number.
type Ask = fn(&Model, &Formula, Demand, usize, bool, &Figures) -> usize;

fn ask_system(seed: u64, counts: &Counts, figures: &Figures, ask: Ask) {
    let (context, model) = if seed % 8 == 7 { schedules::system(seed) } else { system(seed) };
    let run = AssertUnwindSafe(|| compare(seed, &model, counts, figures, ask));
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("of {context}");
        std::panic::resume_unwind(panic);
    }
}

fn compare(seed: u64, model: &Model, counts: &Counts, figures: &Figures, ask: Ask) {
    let Some(reference) = Reference::new(model, LARGEST) else {
        return counts.add(1, 0, 0, model.questions.len());
    };
    counts.add(1, 0, 0, 0);
    for (k, demand) in demands(seed, model).into_iter().enumerate() {
        let formula = &model.questions[k];
        let Some(expected) = violates(&reference, formula, demand) else {
            count(&figures.fails);
            counts.add(0, 0, 0, 1);
            continue;
        };
        count(if expected { &figures.violated } else { &figures.holds });
        if demand.fairness == Fairness::Global {
            count(&figures.global);
        }
        let turn = seed as usize + k;
        let answers = ask(model, formula, demand, turn, expected, figures);
        counts.add(0, 1, answers, 0);
    }
}

/// Asks a question in all ways, and returns their number.
fn ask(
    model: &Model,
    formula: &Formula,
    demand: Demand,
    turn: usize,
    expected: bool,
    figures: &Figures,
) -> usize {
    let system = CompiledModel::new(model);
    let mut answers = 0;
    for reduction in [Reduction::Off, Reduction::Canonical, Reduction::Sorted] {
        let is_global = demand.fairness == Fairness::Global;
        if is_global && reduction == Reduction::Sorted {
            continue;
        }
        let longest_cycle = LONGEST_CYCLES[if is_global { 0 } else { turn % 3 }];
        let options = Options {
            reduction,
            demand,
            longest_cycle,
            engine: Engine::Sets,
            ..Options::default()
        };
        let about = |what: &str| format!("{what} {reduction:?} {demand:?} {}", formula.text);
        let by = |threads| {
            let options = Options { threads, ..options };
            let found = check(&system, formula, &options, &isonomy::Watch::none());
            found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("misjudged")))
        };
        let alone = by(1);
        assert_eq!(is_violated(&alone.verdict), expected, "{:?} {}", alone.verdict, about(""));
        let threads = [2, 3, 8][turn % 3];
        same(&by(threads), &alone, &about("threads"));
        let together =
            Options { engine: Engine::Auto, threads: MANY_THREADS, most_alone: 0, ..options };
        let found = check(&system, formula, &together, &isonomy::Watch::none());
        let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("together")));
        assert_eq!(is_violated(&found.verdict), expected, "{:?} {}", found.verdict, about("auto"));
        if found.method == Method::Sets {
            same(&found, &alone, &about("auto"));
            count(&figures.together);
        }
        // The search near the start would find nearly all violations before the elimination.
        let everywhere = |threads| {
            let options = Options { threads, ..options };
            let found = eliminated(model, formula, &options);
            found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("misjudged everywhere")))
        };
        let alone = everywhere(1);
        assert_eq!(is_violated(&alone), expected, "{alone:?} {}", about("everywhere"));
        same_verdict(&everywhere(threads), &alone, &about("threads everywhere"));
        answers += 5;
        if reduction != Reduction::Off {
            let found = disturbed::<ways::Everywhere>(
                model,
                formula,
                &options,
                Some(turn as u64),
                Told::All,
            );
            let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("disturbed")));
            assert_eq!(is_violated(&found), expected, "{found:?} {}", about("disturbed"));
            answers += 1;
        }
    }
    answers
}

/// Asks a question by elimination alone, with annotations at random if there are any, and of the
/// path-based search.
fn ask_once(
    model: &Model,
    formula: &Formula,
    demand: Demand,
    turn: usize,
    expected: bool,
    _: &Figures,
) -> usize {
    let reduction = match turn % 3 {
        0 => Reduction::Off,
        1 if demand.fairness != Fairness::Global => Reduction::Sorted,
        _ => Reduction::Canonical,
    };
    let about = |what: &str| format!("{what} {reduction:?} {demand:?} {}", formula.text);
    let options = Options { reduction, demand, ..Options::default() };
    let eliminating = Options { engine: Engine::Sets, ..options };
    let found = if reduction == Reduction::Off {
        eliminated(model, formula, &eliminating)
    } else {
        let seed = Some(turn as u64);
        disturbed::<ways::Everywhere>(model, formula, &eliminating, seed, Told::All)
    };
    let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("misjudged")));
    assert_eq!(is_violated(&found), expected, "{found:?} {}", about("eliminated"));
    let by_paths = Options { engine: Engine::Components, ..options };
    let found = check(&CompiledModel::new(model), formula, &by_paths, &isonomy::Watch::none());
    let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("misjudged")));
    assert_eq!(is_violated(&found.verdict), expected, "{:?} {}", found.verdict, about("by paths"));
    2
}

/// The answer for all tuples, by nothing but elimination.
fn eliminated(
    model: &Model,
    formula: &Formula,
    options: &Options,
) -> Result<Verdict, Box<Misjudged>> {
    of_all_tuples(model, formula, options, |question, quotient, instance| {
        question.answer_by_elimination::<ways::Everywhere>(quotient, instance, &|_| None)
    })
}

/// The answer for all tuples, by walks with annotations at random if there is a seed, and by these
/// decisions.
pub fn disturbed<Y: Ways>(
    model: &Model,
    formula: &Formula,
    options: &Options,
    seed: Option<u64>,
    told: Told,
) -> Result<Verdict, Box<Misjudged>> {
    let turn = AtomicU64::new(0);
    of_all_tuples(model, formula, options, |question, quotient, instance| {
        let walk = || {
            let turn = turn.fetch_add(1, Ordering::Relaxed);
            Disturbed::new(quotient, seed.map(|seed| seed.wrapping_add(turn)), told)
        };
        question.answer_with::<_, _, Exact, Y>(quotient, &walk, instance, &|_| None)
    })
}

/// The first answer for a tuple that is not "holds", if there is one.
fn of_all_tuples(
    model: &Model,
    formula: &Formula,
    options: &Options,
    ask: impl Fn(
        &Question<'_, CompiledModel<'_>>,
        &Quotient<'_>,
        &Instance,
    ) -> Result<Answer, Box<Misjudged>>,
) -> Result<Verdict, Box<Misjudged>> {
    let system = CompiledModel::new(model);
    let quotient = Quotient::sharded(&system, options.reduction, Compression::None);
    let question = Question::new(&system, formula, options, Limits::default());
    let question = question.expect("a small formula");
    for instance in question.instances(quotient.structure().indices()) {
        let found = ask(&question, &quotient, &instance)?;
        if !matches!(found.verdict, Verdict::Holds) {
            return Ok(found.verdict);
        }
    }
    Ok(Verdict::Holds)
}

fn is_violated(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        other => panic!("{other:?}"),
    }
}

/// Whether two outcomes are the same, time aside.
fn same(found: &Outcome, expected: &Outcome, context: &str) {
    let without_time = |one: &Outcome| CheckStatistics { time: Duration::ZERO, ..one.statistics };
    assert_eq!(without_time(found), without_time(expected), "{context}");
    assert_eq!(found.warnings, expected.warnings, "{context}");
    same_verdict(&found.verdict, &expected.verdict, context);
}

fn same_verdict(found: &Verdict, expected: &Verdict, context: &str) {
    let agree = match (found, expected) {
        (Verdict::Holds, Verdict::Holds) => true,
        (Verdict::Violated(found), Verdict::Violated(expected)) => found == expected,
        _ => false,
    };
    assert!(agree, "{found:?}, not {expected:?} {context}");
}
