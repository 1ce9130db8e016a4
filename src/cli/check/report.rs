//! Results with what is said of them: names, places, values and messages. All views show these.
//!
//! They are the same for all front ends: [`naming`](super::naming) makes them of the findings about a
//! model, and `cli::nets` of the answers about a net.

use super::super::choices::SymmetryChoice;
use super::super::coverage::Coverage;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::properties::Bindings;
use super::super::results::{ResultKind, VerdictWord};
use super::super::view::{LoadedSystem, View};
use super::words;
use crate::check::Counterexample;
use crate::finding::Work;
use judge::{Run, Vocabulary};
use ltl::Diagnostic;
use run::StopReason;
use serde::Serialize;
use terms::Demand;

/// The types of the results about a system.
pub(in crate::cli) type WordsOf<L> = <<L as LoadedSystem>::View as View>::Words;

/// The results of a check.
pub(in crate::cli) struct Report<'a, L: LoadedSystem> {
    pub(in crate::cli) loaded: &'a L,
    pub(in crate::cli) symmetry: SymmetryChoice,
    /// Whether states are stored up to symmetry: as representatives.
    pub(in crate::cli) is_reduced: bool,
    /// Whether the text says how long each result took.
    pub(in crate::cli) is_timed: bool,
    pub(in crate::cli) results: Vec<ResultView<'a, WordsOf<L>>>,
    /// Why some results are missing.
    pub(in crate::cli) stopped: Option<StopReason>,
    /// How often rules fired.
    pub(in crate::cli) coverage: Coverage,
    /// Whether that is to be printed for all rules.
    pub(in crate::cli) shows_coverage: bool,
}

/// A result in words.
pub(in crate::cli) struct ResultView<'a, V: Vocabulary> {
    pub(in crate::cli) kind: ResultKind,
    /// Its name in the file.
    pub(in crate::cli) name: Option<&'a str>,
    /// The formula or condition, as written.
    pub(in crate::cli) written: Option<&'a str>,
    /// `ltl "exclusion"`, `the formula`.
    pub(in crate::cli) title: String,
    pub(in crate::cli) verdict: VerdictWord,
    /// How the run ends because of it.
    pub(in crate::cli) exit: Exit,
    /// What is demanded of runs; nothing, if it is not about runs.
    pub(in crate::cli) demand: Demand,
    /// The values that it is about.
    pub(in crate::cli) bindings: Bindings,
    /// The answer, if it is not said by the verdict: of a question of how many, or whether there is.
    pub(in crate::cli) answer: Option<String>,
    /// Why it is unknown; or, of a run-time error, what fails.
    pub(in crate::cli) reason: Option<String>,
    /// What is wrong, with its place.
    pub(in crate::cli) diagnostic: Option<Diagnostic>,
    /// Why the search would not have been sound, if that is so.
    pub(in crate::cli) refusal: Option<String>,
    /// What the judge has against it.
    pub(in crate::cli) bug: Option<String>,
    /// The formula that was checked.
    pub(in crate::cli) formula: Option<&'a V::Formula>,
    /// The run that shows a violation.
    pub(in crate::cli) run: Option<&'a Run<V>>,
    /// If that is a run that violates a formula: all that belongs to it.
    pub(in crate::cli) counterexample: Option<&'a Counterexample<V>>,
    /// Why the run violates the formula, line by line.
    pub(in crate::cli) why: Vec<String>,
    /// The step out of the last state that fails.
    pub(in crate::cli) failing: Option<String>,
    /// What was done; nothing is known of what was stopped before.
    pub(in crate::cli) work: Option<&'a Work>,
    /// The warnings that are about this result alone.
    pub(in crate::cli) warnings: Vec<String>,
    /// Whether it is one of several, one for each kind of fairness.
    pub(in crate::cli) is_of_all_kinds: bool,
    /// The certificate, or why there is none; none if none is wanted.
    pub(in crate::cli) certificate: Option<Result<Proof<'a>, &'a str>>,
}

/// A certificate of a result.
#[derive(Clone, Copy, Serialize)]
pub(in crate::cli) struct Proof<'a> {
    pub(in crate::cli) file: &'a str,
    /// The number of its nodes; 0 for a property of states.
    pub(in crate::cli) nodes: usize,
}

impl<L: LoadedSystem> Report<'_, L> {
    /// What the judge has against results.
    pub(in crate::cli) fn bugs(&self) -> impl Iterator<Item = Error> {
        self.results.iter().filter_map(|one| {
            let objection = one.bug.as_ref()?;
            Some(Error::Internal(format!(
                "a counterexample was found that is none: {}: {objection}",
                one.title
            )))
        })
    }

    /// How the run ends.
    pub(in crate::cli) fn exit(&self) -> Exit {
        let stopped = match self.stopped {
            Some(StopReason::Interrupted) => Exit::Interrupted,
            Some(_) => Exit::NoAnswer,
            None => Exit::Done,
        };
        self.results.iter().map(|one| one.exit).fold(stopped, Exit::and)
    }

    /// The names of the fairness that is declared, if it counts for a result: of requirements, and of the
    /// events that are fair.
    pub(in crate::cli) fn declared_fairness(
        &self,
        result: &ResultView<'_, WordsOf<L>>,
    ) -> Vec<String> {
        if result.demand.declared { self.loaded.declared_fairness() } else { Vec::new() }
    }

    /// What is not reduced, with the reasons.
    pub(in crate::cli) fn symmetry_warnings(&self) -> Vec<String> {
        match self.symmetry {
            SymmetryChoice::Off => Vec::new(),
            SymmetryChoice::Auto | SymmetryChoice::Fast => self.loaded.symmetry_warnings(),
        }
    }
}

impl<V: Vocabulary> ResultView<'_, V> {
    /// What it is about: by its name or, if it has none, as written.
    pub(in crate::cli) fn subject(&self) -> String {
        match self.written {
            Some(written) if self.name.is_none() => {
                format!("{}: {}", self.title, words::one_line(written))
            }
            _ => self.title.clone(),
        }
    }

    /// The same as an error, if the search would not have been sound.
    pub(in crate::cli) fn refused(&self) -> Option<Error> {
        let refusal = self.refusal.as_ref()?;
        Some(Error::usage(format!("{}: {refusal}", self.title)))
    }
}
