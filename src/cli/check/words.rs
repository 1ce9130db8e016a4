//! Words for what the library says.

use isonomy::check::{Method, Reason, Unsound, Warning};
use isonomy::model::syntax::{Fairness, Over};

/// Why there is no answer.
pub(super) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Stopped(reason) => reason.to_string(),
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
        Reason::LargeComponent(most) => format!(
            "a fair run violates it, but it takes more than {most} different steps, even up to \
             renaming: too many to be shown and validated"
        ),
    }
}

/// How a formula was searched for, as in the schema.
pub(super) fn engine(method: Method) -> &'static str {
    match method {
        Method::Prefix => "prefix",
        Method::Components => "scc",
        Method::Nested | Method::Bitstate { .. } | Method::Compaction => "ndfs",
    }
}

/// What a reader of a verdict should know.
pub(super) fn warning(warning: &Warning) -> String {
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

/// The fairness of a formula in the words of the command line.
pub(super) fn under(
    fairness: Fairness,
    over: Option<Over>,
) -> (&'static str, Option<&'static str>) {
    let over = match over {
        Some(Over::Events) => "event",
        Some(Over::Processes) | None => "process",
    };
    match fairness {
        Fairness::None => ("none", None),
        Fairness::Weak => ("weak", Some(over)),
        Fairness::Strong => ("strong", Some(over)),
        Fairness::Global => ("global", None),
    }
}

/// A text that may have line ends, without them.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
