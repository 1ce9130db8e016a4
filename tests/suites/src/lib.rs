//! Differential suites: random systems, and the verdicts, states and steps of the checker compared with an independent
//! reference that computes the same by definition.
//!
//! A suite is a function of a seed ([`Suite::case`]). It makes a system, asks questions about it, and panics at a wrong
//! answer; the message names the seed. Tests call it for a few thousand seeds, the example `soak` for as many as one likes.
//! Some suites collect more than [`Counts`], so that tests can demand that enough of each kind was compared.

#![allow(missing_docs, reason = "a library for tests only; fields that need words have them")]

pub mod counts;
pub mod simplification;
pub mod translation;

#[cfg(feature = "models")]
pub mod agreement;
#[cfg(feature = "models")]
pub mod atoms;
#[cfg(feature = "models")]
pub mod brute_force;
#[cfg(feature = "models")]
pub mod canonical;
#[cfg(feature = "models")]
pub mod compiled;
#[cfg(feature = "models")]
pub mod explored;
#[cfg(feature = "models")]
pub mod fairness;
#[cfg(feature = "models")]
pub mod fuzzed;
#[cfg(feature = "models")]
pub mod judged;
#[cfg(feature = "models")]
pub mod partial_order;
#[cfg(feature = "models")]
pub mod representatives;
#[cfg(feature = "models")]
pub mod symmetry;
#[cfg(feature = "models")]
pub mod systems;
#[cfg(feature = "models")]
pub mod unfolded;
#[cfg(feature = "models")]
pub mod verdicts;

pub use counts::Counts;

/// One kind of comparison.
#[derive(Clone, Copy)]
pub struct Suite {
    pub name: &'static str,
    /// The question, and the reference that the answer is compared with.
    pub about: &'static str,
    /// Asks all questions about the system of a seed. Panics at a wrong answer.
    pub case: fn(u64, &Counts),
}

/// All suites.
#[cfg(feature = "models")]
pub const ALL: &[Suite] = &[
    Suite {
        name: "verdicts",
        about: "formulas of small systems, by all engines and reductions, against the unreduced product",
        case: verdicts::small_system,
    },
    Suite {
        name: "formulas",
        about: "the same for random formulas of random models",
        case: verdicts::random_model,
    },
    Suite {
        name: "fairness",
        about: "formulas under every notion of fairness against the unreduced product and the definitions",
        case: fairness::small_system,
    },
    Suite {
        name: "components",
        about: "globally fair runs that are reported as components, against the same",
        case: fairness::components::small_system,
    },
    Suite {
        name: "sets",
        about: "elimination by sets under every notion of fairness, by any number of threads, against the same",
        case: fairness::sets::small_system,
    },
    Suite {
        name: "sets-once",
        about: "the same and the path-based search, each question by one thread with one reduction",
        case: fairness::sets::small_system_once,
    },
    Suite {
        name: "partial-order",
        about: "partial-order reduction of systems with local steps, under weak and strong fairness, against the same",
        case: partial_order::small_system,
    },
    Suite {
        name: "engines",
        about: "nested and hashed searches against the search for components",
        case: agreement::random_model,
    },
    Suite {
        name: "explored",
        about: "counts, violations and runs of explorations against brute force",
        case: explored::random_model,
    },
    Suite {
        name: "unfolded",
        about: "quotients, unfolded, against the unreduced graph",
        case: unfolded::random_model,
    },
    Suite {
        name: "representatives",
        about: "representatives and stabilisers of reachable states against orbits by brute force",
        case: representatives::random_model,
    },
    Suite {
        name: "canonical",
        about: "representatives and stabilisers of random states against all elements of the group",
        case: canonical::random_state,
    },
    Suite {
        name: "canonical-large",
        about: "the same for larger groups against some elements",
        case: canonical::random_state_of_larger_types,
    },
    Suite {
        name: "compiled",
        about: "steps and properties in compiled code against the interpreter",
        case: compiled::random_model,
    },
    Suite {
        name: "multisets",
        about: "the same for models with many multisets",
        case: compiled::random_multisets,
    },
    Suite {
        name: "guards",
        about: "the same for models with nested guards and quantifiers",
        case: compiled::random_guards,
    },
    Suite {
        name: "atoms",
        about: "compiled atoms of formulas against the interpreter and the definition of events",
        case: atoms::random_model,
    },
    Suite {
        name: "judge",
        about: "judged runs, right and altered, against the meaning of formulas written a second time",
        case: judged::random_model,
    },
    Suite {
        name: "symmetry",
        about: "groups that the language guarantees against behaviours of renamed states",
        case: symmetry::random_model,
    },
    Suite {
        name: "translation",
        about: "automata of formulas against the meaning of formulas on words",
        case: translation::random_formula,
    },
    Suite {
        name: "translation-events",
        about: "the same over events, and written as HOA and read again",
        case: translation::random_formula_over_events,
    },
    Suite {
        name: "simplification",
        about: "simplified formulas against the meaning of the originals on words",
        case: simplification::random_formulas,
    },
    Suite {
        name: "simplification-events",
        about: "the same over events",
        case: simplification::random_formulas_over_events,
    },
];
