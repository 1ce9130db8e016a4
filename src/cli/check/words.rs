//! Words for what the library says.

use crate::check::why::{Fact, FormulaOf, Sight, When, sight, text};
use crate::check::{Method, Reason, Reduced, Unreduced, Unsound, Warning, states};
use crate::finding::Work;
use judge::{Reference, Run};
use run::StopReason;
use terms::{Demand, Fairness, Over};

/// Why there is no answer about a formula.
pub(in crate::cli) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Stopped(reason) => reason.to_string(),
        Reason::Unjudged(reason) => unjudged(*reason),
        Reason::Atoms(atoms) => format!("its {atoms} atoms are too many: 64 at most"),
        Reason::NotExhaustive(omission) => format!(
            "no violation was found, but the search was not exhaustive: {} nodes were entered, \
             of others about {} were omitted; the chance that any was is {}",
            omission.entered,
            rounded(omission.expected),
            rounded(omission.probability())
        ),
        Reason::Unsound(Unsound::Nested) => {
            "refused: nested search is not sound under fairness, for it misses fair runs; leave out \
             `--engine ndfs`, `--bitstate` and `--hash-compaction`"
                .to_owned()
        }
        Reason::Unsound(Unsound::Representatives) => {
            "refused: `--symmetry fast` is not sound under global fairness, for with several \
             representatives of a state nobody knows which of its steps are taken; say `--symmetry auto`"
                .to_owned()
        }
        Reason::NotShown => "a run violates it, which was not asked for".to_owned(),
        Reason::LargeComponent(most) => format!(
            "a fair run violates it, but it takes more than {most} different steps, even up to \
             renaming: too many to be shown and validated"
        ),
    }
}

/// A violation was found, but there is no run that the judge has accepted.
fn unjudged(reason: StopReason) -> String {
    format!("{reason}: a violation was found, but its run could not be completed and validated")
}

/// Why there is no answer about a property of states.
pub(in crate::cli) fn reason_of_states(reason: &states::Reason) -> String {
    match reason {
        states::Reason::Stopped(reason) => reason.to_string(),
        states::Reason::Unjudged(reason) => unjudged(*reason),
        states::Reason::Fails => "it cannot be evaluated in some state".to_owned(),
        states::Reason::Failure => {
            "a run-time error was reached: what would come behind it is not known".to_owned()
        }
    }
}

/// Why a run violates a formula, line by line.
pub(in crate::cli) fn facts<R: Reference>(
    reference: &R,
    formula: &FormulaOf<R>,
    facts: &[Fact],
    run: &Run<R::Vocabulary>,
) -> Vec<String> {
    let mut before = None;
    let line = |fact: &Fact| {
        let part = format!("`{}`", one_line(&text(reference, formula, fact.part)));
        let place = |at: usize| match sight(reference, formula, fact.part) {
            Sight::States => format!("before step {}", at + 1),
            Sight::Steps => format!("in step {}", at + 1),
            Sight::Both => format!("at step {}", at + 1),
        };
        let holds = if fact.is_true { "holds" } else { "is false" };
        let ever = if fact.is_true { "always" } else { "never" };
        let is_there = before == Some(fact.when);
        before = match fact.when {
            When::At(at) => Some(When::From(at)),
            _ => None,
        };
        match fact.when {
            When::At(at) => format!("{part} {holds} {}", place(at)),
            When::Again(at) => format!("{part} {holds} {}, in every round of the loop", place(at)),
            When::From(_) if is_there => format!("{part} {ever} holds from there on"),
            When::From(0) => format!("{part} {ever} holds"),
            When::From(at) if at >= run.stem.len() => format!("{part} {ever} holds in the loop"),
            When::From(at) => format!("{part} {ever} holds from step {} on", at + 1),
            When::Through(first, last) => {
                format!("{part} {holds} from step {} to step {}", first + 1, last + 1)
            }
        }
    };
    facts.iter().map(line).collect()
}

/// How something was searched for, as in the schema.
pub(in crate::cli) fn engine(work: &Work) -> &'static str {
    let method = match work {
        Work::Exploration(_) => return "reachability",
        Work::Walks(_) => return "walks",
        Work::Equation(_) => return "equation",
        Work::Product { method, .. } => method,
    };
    match method {
        Method::Prefix => "prefix",
        Method::Components => "scc",
        Method::Sets => "sets",
        Method::Nested | Method::Bitstate { .. } | Method::Compaction => "ndfs",
    }
}

/// Whether the search was reduced by partial order, or why not; none if that was not requested.
pub(super) fn by_partial_order(work: &Work) -> Option<String> {
    match work.product()?.by_partial_order {
        Reduced::Yes => Some("by partial order".to_owned()),
        Reduced::No(Unreduced::Off) => None,
        Reduced::No(reason) => Some(format!("not by partial order: {reason}")),
    }
}

/// The warning about a violated `liveness` of which not everything was judged.
pub(in crate::cli) const RUN_ALONE: &str = "of the counterexample the run was validated; that nothing better \
     can be reached from its end was found by the search alone";

/// What a reader of a verdict should know.
pub(in crate::cli) fn warning(warning: &Warning) -> String {
    match warning {
        Warning::Tautology => "it says nothing about the model: every run satisfies it".to_owned(),
        Warning::NoInstance => {
            "it holds vacuously: there are no values for its variables that are distinct".to_owned()
        }
        Warning::SingleProcess => {
            "there is one process only, so that fairness over processes says nothing: \
             `--fair-over event` treats its events fairly"
                .to_owned()
        }
        Warning::NoRun => {
            "it holds vacuously: THERE IS NO RUN, for the assumptions of the model cut every one"
                .to_owned()
        }
        Warning::NoFairRun => {
            "it holds vacuously: NO RUN IS FAIR as demanded; look at what the model declares"
                .to_owned()
        }
        Warning::Vacuous(antecedent) => format!(
            "it holds vacuously: `{antecedent}` is never true, or never where it matters, so that \
             what it implies does not count"
        ),
    }
}

/// An estimate, of which the first digits are worth telling.
fn rounded(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        _ if (0.001..1e6).contains(&number) => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}

/// What is demanded of runs in the words of the command line: the kind of fairness, and over what.
pub(in crate::cli) fn under(demand: Demand) -> (&'static str, Option<&'static str>) {
    let over = match demand.over {
        Over::Events => "event",
        Over::Processes => "process",
    };
    match demand.fairness {
        Fairness::None => ("none", None),
        Fairness::Weak => ("weak", Some(over)),
        Fairness::Strong => ("strong", Some(over)),
        Fairness::Global => ("global", None),
    }
}

/// A text that may have line ends, without them.
pub(in crate::cli) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
