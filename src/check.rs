//! Checking: whether all runs of a model satisfy its formulas.
//!
//! The negation of a formula becomes an automaton ([`Question`]); for one tuple of tracked values
//! per orbit, the product with the quotient is searched for an accepting component
//! ([`Question::answer`]). If there is one, a lasso in it (or the whole component) is made concrete
//! and then validated by the judge, which shares no code with the search: only then it is a
//! counterexample.
//!
//! Several formulas share one quotient. Their tuples are checked in parallel, and the answers do
//! not depend on that: the deciding tuple is the first in order that decides, and counts are those
//! of its formula's tuples up to that one.

mod answer;
mod component;
mod evidence;
mod fair;
mod letters;
mod parallel;
pub mod paths;
mod question;
mod reduced;
#[cfg(feature = "testing")]
mod replaced;
mod search;
mod sets;
mod shorten;
pub mod states;
mod unstored;
pub mod why;

pub use answer::Answer;
pub(crate) use answer::renaming;
pub use parallel::{check_all, check_all_on, empty_quotient, expanded_all};
pub use question::{Question, demanded};
pub use reduced::{PartialOrder, Reduced, Unreduced};
pub use run::{Progress, Report, Watch};

use crate::frontend::{FormulaOf, FrontEnd, VocabularyOf};
use automata::translate::Effort;
use engine::search::hashed::Omission;
use engine::symmetry::Reduction;
use judge::{Argument, Bound, Component, Objection, Renaming, Run, Vocabulary};
use model::reference::ModelVocabulary;
use run::StopReason;
use std::time::Duration;
use terms::Demand;

/// With so many threads, elimination is faster than a path-based search by one of them, though it
/// begins anew.
pub const MANY_THREADS: usize = 4;

/// The options of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How states are reduced by symmetry.
    pub reduction: Reduction,
    /// How much effort is spent on a small automaton.
    pub effort: Effort,
    /// What is done about the order of independent steps.
    pub partial_order: PartialOrder,
    /// How products are searched.
    pub engine: Engine,
    /// The greatest number of steps of a counterexample's cycle. Beyond it, only the first lap is
    /// written down.
    pub longest_cycle: usize,
    /// The size of the largest component that is reported instead of a globally fair cycle, in
    /// steps up to renaming.
    pub largest_component: usize,
    /// The most representatives that a formula may need: those whose edges its searches ask for. A
    /// search without a store counts nodes of the product instead, now and then.
    pub most_states: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// The nodes of a product that [`Engine::Auto`] has searched by one thread before it lets all
    /// threads eliminate. It does so from `MANY_THREADS` on, for a formula that is checked alone.
    pub most_alone: u64,
    /// Whether to search for formulas that hold vacuously.
    pub finds_vacuity: bool,
    /// How much is done to find a shorter counterexample than the first one.
    pub shortening: Shortening,
    /// Whether a counterexample is computed. If not, the verdict is [`Reason::NotShown`], which is
    /// cheaper: no run is computed and judged.
    pub shows: bool,
    /// The fairness that is demanded of runs, unless a formula says so itself.
    pub demand: Demand,
    /// Whether all runs count, whatever fairness formulas demand.
    pub ignores_fairness: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            reduction: Reduction::Canonical,
            effort: Effort::High,
            partial_order: PartialOrder::Off,
            engine: Engine::Auto,
            longest_cycle: 10_000,
            largest_component: 200_000,
            most_states: None,
            threads: 1,
            most_alone: 1 << 20,
            finds_vacuity: false,
            shortening: Shortening::Quick,
            shows: true,
            demand: Demand { declared: true, ..Demand::NONE },
            ignores_fairness: false,
        }
    }
}

/// How much is done to find a shorter counterexample than the one that a search meets first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shortening {
    /// Nothing.
    Off,
    /// An eighth of the search, or a little for a small one.
    Quick,
    /// As much as takes some seconds.
    Thorough,
}

/// How a product is searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Breadth first for the end of a bad prefix, if the formula is a safety property; else for an
    /// accepting component; with many threads, a single formula with a large product by [`Engine::Sets`].
    Auto,
    /// For an accepting component, [`engine::search::accepting_component`].
    Components,
    /// All threads on one question, [`engine::sets`]: nodes without fair, accepting runs are removed
    /// from the whole product.
    Sets,
    /// For an accepting cycle, [`engine::search::nested`], with a state-based automaton.
    Nested,
    /// Like [`Engine::Nested`], but visited nodes are represented by bits,
    /// [`engine::search::hashed`]: it never returns that a formula holds.
    Bitstate {
        /// The bytes for the bits of one search; there are as many searches at a time as there are
        /// threads.
        bytes: u64,
    },
    /// Like [`Engine::Nested`], but visited nodes are represented by hashes.
    Compaction,
}

impl Engine {
    /// Whether visited nodes, and their edges, are not stored.
    pub fn is_unstored(self) -> bool {
        matches!(self, Engine::Bitstate { .. } | Engine::Compaction)
    }
}

/// The method by which a product was searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Breadth first, for the end of a bad prefix.
    Prefix,
    /// For an accepting component.
    Components,
    /// For what is left when nodes without accepting runs are removed.
    Sets,
    /// For an accepting cycle.
    Nested,
    /// Nested search without a store of nodes, but bits. Representatives are not counted.
    Bitstate {
        /// The bytes for the bits of one search.
        bytes: u64,
    },
    /// Nested search without a store of nodes, but hashes. Representatives are not counted.
    Compaction,
}

/// The result of a check.
#[derive(Debug)]
pub struct Outcome<V: Vocabulary = ModelVocabulary> {
    /// The verdict.
    pub verdict: Verdict<V>,
    /// The method of its searches.
    pub method: Method,
    /// The statistics of all its searches together.
    pub statistics: CheckStatistics,
    /// Warnings for the author of the formula.
    pub warnings: Vec<Warning>,
}

/// A formula holds, but perhaps not for the reason that its author has in mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// It is true of all runs of all models.
    Tautology,
    /// There are no values for its tracked variables.
    NoInstance,
    /// Fairness to processes is demanded, and there is only one process.
    SingleProcess,
    /// There is no run: the assumptions cut every one.
    NoRun,
    /// No run is as fair as demanded.
    NoFairRun,
    /// It would hold with `false` on the right side of the implication with this left side: the
    /// left side is never true, or never where it matters.
    Vacuous(String),
}

/// Statistics of one formula: what its own searches visited, independent of other formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckStatistics {
    /// The number of tuples of tracked values that were checked.
    pub instances: u64,
    /// The number of states of the automaton.
    pub automaton_states: u64,
    /// The number of representatives whose edges were needed.
    pub representatives: u64,
    /// The number of those edges, one per orbit of a representative's stabiliser on its steps.
    pub edges: u64,
    /// The number of nodes of products that were visited.
    pub product_nodes: u64,
    /// The number of edges of products that were followed.
    pub product_edges: u64,
    /// The number of components that were completed, none of them accepting.
    pub components: u64,
    /// Whether steps were omitted that others are independent of.
    pub by_partial_order: Reduced,
    /// The time of its searches, summed over all threads.
    pub time: Duration,
}

/// The verdict on a formula.
#[derive(Debug)]
pub enum Verdict<V: Vocabulary = ModelVocabulary> {
    /// Every run satisfies the formula.
    Holds,
    /// A run violates it, and the judge has accepted that run.
    Violated(Box<Counterexample<V>>),
    /// An evaluation fails in a reachable state, and the judge agrees; or in the construction of a
    /// start state.
    Failed(Box<Failed<V>>),
    /// There is no answer, for this reason.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// A limit was reached.
    Stopped(StopReason),
    /// A limit was reached after the search had found that a run violates the formula, but before
    /// the judge had confirmed it.
    Unjudged(StopReason),
    /// The formula has this number of atoms, more than a letter has room for.
    Atoms(usize),
    /// The requested search is not sound with the fairness that is demanded.
    Unsound(Unsound),
    /// A globally fair run violates the formula, but has more steps than this, even up to renaming.
    LargeComponent(usize),
    /// The search has found that a run violates the formula, but no counterexample was requested.
    NotShown,
    /// No violation was found, but the search may have omitted nodes.
    NotExhaustive(Omission),
}

/// Why a search is not sound with a kind of fairness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unsound {
    /// Nested search misses fair runs.
    Nested,
    /// Global fairness needs one representative per orbit.
    Representatives,
}

/// A run that violates a formula, and the values of its tracked variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample<V: Vocabulary = ModelVocabulary> {
    /// The values of the tracked variables.
    pub binding: Vec<Bound<V>>,
    /// The run. If its cycle takes too many steps before it closes, only the first lap of the
    /// cycle.
    pub run: Run<V>,
    /// The renaming that takes a lap to the next, if only the first lap is written down.
    pub renaming: Option<Renaming>,
    /// If a globally fair run takes too many steps: the component that it stays in after the stem.
    /// Then there is no cycle.
    pub component: Option<Component<V>>,
    /// The judge's argument why the run is fair.
    pub argument: Argument<V>,
}

/// An evaluation or execution that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed<V: Vocabulary = ModelVocabulary> {
    /// The part that fails, and why.
    pub cause: Cause<V>,
    /// The values of the tracked variables.
    pub binding: Vec<Bound<V>>,
    /// A run that ends in the state where it fails; none if the construction of a start state
    /// fails.
    pub run: Option<Run<V>>,
}

/// The part that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause<V: Vocabulary = ModelVocabulary> {
    /// A start state, a guard, the body of a rule or an assumption of the model.
    Model(V::Fault),
    /// An atom of the formula.
    Atom(AtomFailure<V>),
}

/// An atom cannot be evaluated in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomFailure<V: Vocabulary = ModelVocabulary> {
    /// The atom.
    pub atom: ltl::Atom,
    /// The reason.
    pub failure: V::Fault,
}

/// A result of a search that the judge rejects: a bug of this checker.
#[derive(Debug)]
pub struct Misjudged<V: Vocabulary = ModelVocabulary> {
    /// The result.
    pub found: Rejected<V>,
    /// The judge's objection.
    pub objection: Objection<V>,
}

/// A result that the judge rejects.
#[derive(Debug)]
pub enum Rejected<V: Vocabulary = ModelVocabulary> {
    /// A run that does not violate the formula, or is no run of the system, or is not fair.
    Counterexample(Counterexample<V>),
    /// A run to a state where nothing fails.
    Failure(Failed<V>),
}

/// A result, or a finding that the judge rejects.
pub type Judged<T, V = ModelVocabulary> = Result<T, Box<Misjudged<V>>>;

/// Checks one formula; see [`check_all`].
pub fn check<F: FrontEnd>(
    system: &F,
    formula: &FormulaOf<F>,
    options: &Options,
    watch: &Watch,
) -> Judged<Outcome<VocabularyOf<F>>, VocabularyOf<F>> {
    let mut outcomes = check_all(system, &[formula], options, watch);
    outcomes.pop().expect("one formula has one outcome")
}
