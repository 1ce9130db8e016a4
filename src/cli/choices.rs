//! Options that several commands have.

use super::console::Console;
use crate::explore::{Compression, Deadlock, Symmetry};
use clap::ValueEnum;
use compile::CompiledModel;
use engine::symmetry::Structure;
use engine::system::System as _;

/// `--symmetry`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SymmetryChoice {
    /// One representative of each orbit of states
    Auto,
    /// Perhaps several representatives of an orbit, which are found faster; the sizes of orbits are not
    /// counted. Like `auto` for models whose states sorting does not reduce
    Fast,
    /// All states
    Off,
}

impl SymmetryChoice {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SymmetryChoice::Auto => "auto",
            SymmetryChoice::Fast => "fast",
            SymmetryChoice::Off => "off",
        }
    }

    /// The choice that is carried out: where sorting does not reduce the states of a system, `fast`
    /// is replaced by `auto`, with a warning.
    pub(crate) fn for_system(self, system: &CompiledModel<'_>, console: &Console) -> Self {
        if self != SymmetryChoice::Fast {
            return self;
        }
        let structure = Structure::new(system.layout(), &system.indices());
        let types = &system.model().types;
        let names = structure.types_beyond_sorting().map(|of| types.index_type(of).name.as_str());
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return self;
        }
        console.warn(&format!(
            "`--symmetry auto` is used in place of `fast`: sorting does not reduce states that \
             relate the values of {}",
            names.join(" and of ")
        ));
        SymmetryChoice::Auto
    }
}

impl From<SymmetryChoice> for Symmetry {
    fn from(choice: SymmetryChoice) -> Symmetry {
        match choice {
            SymmetryChoice::Auto => Symmetry::Canonical,
            SymmetryChoice::Fast => Symmetry::Sorted,
            SymmetryChoice::Off => Symmetry::Off,
        }
    }
}

/// `--compression`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum CompressionChoice {
    /// As they are
    None,
    /// As trees of shared parts: less memory for long states, more time
    Tree,
}

impl From<CompressionChoice> for Compression {
    fn from(choice: CompressionChoice) -> Compression {
        match choice {
            CompressionChoice::None => Compression::None,
            CompressionChoice::Tree => Compression::Tree,
        }
    }
}

/// `--deadlock`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DeadlockChoice {
    /// Deadlocks are no violations
    Off,
    /// States in which no rule is enabled
    Stuck,
    /// States in which no enabled rule changes the state
    Stuttering,
}

impl DeadlockChoice {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DeadlockChoice::Off => "off",
            DeadlockChoice::Stuck => "stuck",
            DeadlockChoice::Stuttering => "stuttering",
        }
    }
}

impl From<DeadlockChoice> for Deadlock {
    fn from(choice: DeadlockChoice) -> Deadlock {
        match choice {
            DeadlockChoice::Off => Deadlock::Off,
            DeadlockChoice::Stuck => Deadlock::Stuck,
            DeadlockChoice::Stuttering => Deadlock::Stuttering,
        }
    }
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// A JSON object, on a line
    Json,
    /// The lines of the Model Checking Contest: for Petri nets
    Mcc,
}

/// `--threads`: one per core, unless said otherwise.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from)
}

/// Says that the system has refused to start some threads, if it has.
pub(crate) fn warn_of_threads(console: &Console) {
    if let Some((wanted, started)) = run::threads::shortage() {
        let threads = if started > 1 { "threads" } else { "thread" };
        console.warn(&format!(
            "the system refuses to start {wanted} threads: {} {threads} did the work",
            started.max(1)
        ));
    }
}
