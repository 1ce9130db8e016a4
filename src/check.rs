//! Checking: whether all runs of a model satisfy its formulas.
//!
//! The negation of a formula becomes an automaton ([`Question`]); for one tuple of tracked values per orbit,
//! the product with the quotient is searched for an accepting component ([`Question::answer`]). If there is
//! one, a lasso in it is made concrete, or all of it is told, and what comes out is judged by somebody who knows nothing of all
//! this: only then it is a counterexample.
//!
//! Several formulas share one quotient. Their tuples are asked about in parallel; what is answered does
//! not depend on it: the tuple that decides is the first in order that does, and counts are those of its
//! formula's tuples up to that one.

mod answer;
mod component;
mod fair;
mod letters;
mod parallel;
pub mod paths;
mod question;
pub mod states;
mod unstored;
pub mod why;

pub use answer::Answer;
pub use parallel::check_all;
pub use question::{Question, demand_of, demanded, soundness};
pub use run::{Progress, Watch};

use crate::frontend::{FormulaOf, FrontEnd, VocabularyOf};
use automata::translate::Effort;
use engine::quotient::Policy;
use engine::search::hashed::Omission;
use engine::symmetry::Reduction;
use judge::{Argument, Bound, Component, Objection, Renaming, Run, Vocabulary};
use model::reference::ModelVocabulary;
use run::StopReason;
use std::time::Duration;
use terms::Demand;

/// What is asked of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What is done about symmetry.
    pub reduction: Reduction,
    /// When edges of the quotient are made.
    pub policy: Policy,
    /// How much is done to make the automaton small.
    pub effort: Effort,
    /// How to search.
    pub engine: Engine,
    /// The longest cycle of a counterexample, in steps.
    pub longest_cycle: usize,
    /// The largest component that is told instead of a globally fair cycle, in steps up to renaming.
    pub largest_component: usize,
    /// How many threads work.
    pub threads: usize,
    /// Whether to look for what holds for the wrong reason.
    pub finds_vacuity: bool,
    /// Whether what violates a formula is shown. If not, it is [`Reason::NotShown`], which is cheaper: no run is made
    /// and judged.
    pub shows: bool,
    /// What is demanded of runs, unless a formula says so itself.
    pub demand: Demand,
    /// Whether all runs count, whatever formulas say.
    pub ignores_fairness: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            reduction: Reduction::Canonical,
            policy: Policy::Store,
            effort: Effort::High,
            engine: Engine::Auto,
            longest_cycle: 10_000,
            largest_component: 200_000,
            threads: 1,
            finds_vacuity: false,
            shows: true,
            demand: Demand { declared: true, ..Demand::NONE },
            ignores_fairness: false,
        }
    }
}

/// How a product is searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Breadth first for the end of a bad prefix, if the formula is one of safety; else for an accepting
    /// component.
    Auto,
    /// For an accepting component, [`engine::search::accepting_component`].
    Components,
    /// For an accepting cycle, [`engine::search::nested`], with a state-based automaton.
    Nested,
    /// The same, but bits stand for the nodes that were visited, [`engine::search::hashed`]: it never says that a
    /// formula holds.
    Bitstate {
        /// Bytes for the bits of one search; there are as many searches at a time as there are threads.
        bytes: u64,
    },
    /// The same, with hashes for the nodes.
    Compaction,
}

/// How a product was searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Breadth first, for the end of a bad prefix.
    Prefix,
    /// For an accepting component.
    Components,
    /// For an accepting cycle.
    Nested,
    /// The same without a store, in so many bytes for each search. Representatives are not counted.
    Bitstate {
        /// The bytes.
        bytes: u64,
    },
    /// The same with hashes. Representatives are not counted.
    Compaction,
}

/// What came of a check.
#[derive(Debug)]
pub struct Outcome<V: Vocabulary = ModelVocabulary> {
    /// The answer.
    pub verdict: Verdict<V>,
    /// How it was searched for.
    pub method: Method,
    /// What the searches did, all together.
    pub statistics: CheckStatistics,
    /// What its author should know.
    pub warnings: Vec<Warning>,
}

/// A formula holds, but perhaps not for the reason that its author thinks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// It is true of all runs of all models.
    Tautology,
    /// There are no values for its tracked variables.
    NoInstance,
    /// Fairness to processes is demanded, and there is only one.
    SingleProcess,
    /// There is no run at all: the assumptions cut every one.
    NoRun,
    /// No run is fair as demanded.
    NoFairRun,
    /// It would hold with `false` on the right side of the implication with this left side: that is never
    /// true, or never where it matters.
    Vacuous(String),
}

/// What was done for one formula: what its own searches touched, whatever others did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckStatistics {
    /// Tuples of tracked values that were asked about.
    pub instances: u64,
    /// States of the automaton.
    pub automaton_states: u64,
    /// Representatives whose edges were needed.
    pub representatives: u64,
    /// Those edges, one per orbit of a representative's stabiliser on its steps.
    pub edges: u64,
    /// Nodes of products that were visited.
    pub product_nodes: u64,
    /// Edges of products that were looked at.
    pub product_edges: u64,
    /// Components that were completed, none of them accepting.
    pub components: u64,
    /// Time of its searches, added up over all threads.
    pub time: Duration,
}

/// The answer.
#[derive(Debug)]
pub enum Verdict<V: Vocabulary = ModelVocabulary> {
    /// Every run satisfies the formula.
    Holds,
    /// A run violates it; it has been judged.
    Violated(Box<Counterexample<V>>),
    /// Something fails in a state that was reached, or in a start state.
    Failed(Box<Failed<V>>),
    /// There is none.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// A limit.
    Stopped(StopReason),
    /// The formula has more atoms than a letter has room for.
    Atoms(usize),
    /// What was asked for is not sound with the fairness that is demanded.
    Unsound(Unsound),
    /// A globally fair run violates the formula, but takes more steps than these even up to renaming.
    LargeComponent(usize),
    /// A run violates the formula, says the search alone, for nobody has asked to see it.
    NotShown,
    /// Nothing was found, but the search may have omitted something.
    NotExhaustive(Omission),
}

/// Why a search is not sound with some fairness.
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
    /// The values.
    pub binding: Vec<Bound<V>>,
    /// The run. If the cycle takes too many steps before it closes, only its first lap.
    pub run: Run<V>,
    /// What takes a lap to the next, if there is more than the first.
    pub renaming: Option<Renaming>,
    /// If a globally fair run takes too many steps: what it does behind the stem. Then there is no cycle.
    pub component: Option<Component<V>>,
    /// Why it is fair, in the words of the judge.
    pub argument: Argument<V>,
}

/// Something that cannot be evaluated or executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed<V: Vocabulary = ModelVocabulary> {
    /// What.
    pub cause: Cause<V>,
    /// The values of the tracked variables.
    pub binding: Vec<Bound<V>>,
    /// A run that ends in the state where it fails; none if that is the making of a start state.
    pub run: Option<Run<V>>,
}

/// What fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause<V: Vocabulary = ModelVocabulary> {
    /// A start state, a guard, the body of a rule or an assumption.
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

/// A counterexample that the judge does not believe: a bug of ours.
#[derive(Debug)]
pub struct Misjudged<V: Vocabulary = ModelVocabulary> {
    /// What was found.
    pub counterexample: Counterexample<V>,
    /// What is wrong with it.
    pub objection: Objection<V>,
}

/// Checks one formula, see [`check_all`].
pub fn check<F: FrontEnd>(
    system: &F,
    formula: &FormulaOf<F>,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Outcome<VocabularyOf<F>>, Box<Misjudged<VocabularyOf<F>>>> {
    let mut outcomes = check_all(system, &[formula], options, watch);
    outcomes.pop().expect("one formula has one outcome")
}
