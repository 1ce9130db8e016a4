//! The engines against each other: whatever is visited and however that is remembered, what is violated is found, and
//! an engine that may have omitted something says so.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

use crate::Counts;
use automata::StopReason;
use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::{Engine, Options, Outcome, Reason, Verdict, check};
use ltl::generate::Random;
use model::checked::{Formula, Model};
use run::{Progress, Watch};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::random;

/// The sizes of formulas that are asked about a model.
const SIZES: [usize; 3] = [3, 5, 8];

const REDUCTIONS: [Reduction; 3] = [Reduction::Off, Reduction::Canonical, Reduction::Sorted];

/// Enough for all that is looked at here: with these hashes, nothing is omitted.
const AMPLE: Engine = Engine::Bitstate { bytes: 1 << 22 };

/// Larger products are left to larger tests.
const MOST_NODES: u64 = 4000;

pub fn run(system: &CompiledModel<'_>, formula: &Formula, options: &Options) -> Outcome {
    // An automaton with one acceptance set may be larger.
    let most = MOST_NODES * if options.engine == Engine::Components { 1 } else { 8 };
    let is_enough = move |now: &Progress| now.product_nodes > most;
    let watch = Watch::new(move |now| is_enough(now).then_some(StopReason::Interrupted));
    let found = check(system, formula, options, &watch);
    found.unwrap_or_else(|wrong| panic!("{wrong:#?} {options:?}"))
}

/// Questions by their answers.
#[derive(Default)]
pub struct Outcomes {
    holds: AtomicUsize,
    violated: AtomicUsize,
    failed: AtomicUsize,
    /// No answer, because the product is too large.
    unknown: AtomicUsize,
}

impl Outcomes {
    pub fn report(&self, what: &str, least: usize) {
        let [holds, violated, failed] =
            [&self.holds, &self.violated, &self.failed].map(|one| one.load(Ordering::Relaxed));
        eprintln!("{what}: {holds} hold, {violated} are violated, {failed} fail");
        assert!(holds >= least && violated >= least, "too few were compared");
    }
}

/// Compares the answers of all engines.
pub fn compare(context: &str, model: &Model, formula: &Formula, outcomes: &Outcomes) {
    let system = CompiledModel::new(model);
    for reduction in REDUCTIONS {
        let base = Options { reduction, ignores_fairness: true, ..Options::default() };
        let by = |engine| run(&system, formula, &Options { engine, ..base });
        let expected = by(Engine::Components);
        let count = match &expected.verdict {
            Verdict::Holds => &outcomes.holds,
            Verdict::Violated(_) => &outcomes.violated,
            Verdict::Failed(_) => &outcomes.failed,
            Verdict::Unknown(_) => {
                outcomes.unknown.fetch_add(1, Ordering::Relaxed);
                continue;
            }
        };
        count.fetch_add(1, Ordering::Relaxed);
        for engine in [Engine::Nested, AMPLE, Engine::Compaction, Engine::Bitstate { bytes: 8 }] {
            let found = by(engine);
            let context = format!(
                "{engine:?} {reduction:?}: {:?}, not {:?} {formula:?} {context}",
                found.verdict, expected.verdict
            );
            let agrees = match (&expected.verdict, &found.verdict) {
                // On the fly, what fails may never be reached, with one automaton or the other.
                (Verdict::Failed(_), _)
                | (_, Verdict::Failed(_))
                | (Verdict::Violated(_), Verdict::Violated(_)) => true,
                (_, Verdict::Holds) if engine != Engine::Nested => {
                    // No search at all.
                    found.statistics.instances == 0
                }
                (expected, Verdict::Holds) => matches!(expected, Verdict::Holds),
                (expected, Verdict::Unknown(Reason::NotExhaustive(omission))) => {
                    assert!(omission.expected.is_finite(), "{context}");
                    // Eight bytes may omit anything.
                    matches!(expected, Verdict::Holds) || engine == Engine::Bitstate { bytes: 8 }
                }
                _ => false,
            };
            assert!(agrees, "{context}");
            if let (Verdict::Failed(before), Verdict::Failed(now)) =
                (&expected.verdict, &found.verdict)
            {
                assert_eq!(before.run.is_some(), now.run.is_some(), "{context}");
            }
        }
    }
}

/// Asks random formulas of the random model of a seed, if it has a symmetry.
pub fn random_model(seed: u64, counts: &Counts) {
    let outcomes = Outcomes::default();
    match random::symmetric_model(seed) {
        Some((context, model)) => ask_random_model(&context, &model, &outcomes),
        None => return counts.add(1, 0, 0, SIZES.len()),
    }
    let Outcomes { holds, violated, failed, unknown } = outcomes;
    let [holds, violated, failed, unknown] =
        [holds, violated, failed, unknown].map(AtomicUsize::into_inner);
    // Each of these was compared with the answers of four other searches.
    counts.add(1, holds + violated, 4 * (holds + violated), failed + unknown);
}

/// The same for a model.
pub fn ask_random_model(context: &str, model: &Model, outcomes: &Outcomes) {
    let Some(base) = model.formulas.first() else { return };
    let mut random = Random::new(context.len() as u64);
    for size in SIZES {
        let mut formula = base.clone();
        formula.under = None;
        let atoms: Vec<ltl::Atom> = (0..formula.atoms.len() as u32).map(ltl::Atom).collect();
        formula.root = random.formula(size, &atoms, &mut formula.formulas);
        compare(context, model, &formula, outcomes);
    }
}
