//! Models that are measured: fixtures with values of constants; and what we do with one in a process of its own.

use compile::CompiledModel;
use isonomy::explore::{Deadlock, Options, Symmetry, explore};
use model::{Definition, check};
use std::fmt;
use std::path::Path;
use std::process::Command;

/// A fixture, and the values of its constants as `NAME=VALUE`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) constants: &'static str,
}

/// How we explore a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// All states, by so many threads.
    All(usize),
    /// One representative of each orbit, by so many threads.
    Canonical(usize),
    /// States that are only sorted, by one thread.
    Sorted,
}

/// The argument that makes a process explore one model, and print its counts.
pub(crate) const ALONE: &str = "--alone";

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.constants)
    }
}

impl Model {
    pub(crate) const fn new(name: &'static str, constants: &'static str) -> Model {
        Model { name, constants }
    }

    /// From the root of the project, where benches run.
    pub(crate) fn path(&self) -> String {
        format!("fixtures/models/{}.m", self.name)
    }

    pub(crate) fn text(&self) -> String {
        read(self.path())
    }

    pub(crate) fn definitions(&self) -> Vec<Definition> {
        definitions(&self.constants.split_whitespace().collect::<Vec<_>>())
    }

    /// The value of its first constant, by which Promela versions are made.
    pub(crate) fn size(&self) -> u32 {
        self.definitions()[0].value.parse().expect("a number")
    }

    /// A process of this program that explores the model.
    pub(crate) fn explored(&self, way: Way) -> Command {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        let (way, threads) = match way {
            Way::All(threads) => ("all", threads),
            Way::Canonical(threads) => ("canonical", threads),
            Way::Sorted => ("sorted", 1),
        };
        command.args([ALONE, way, &threads.to_string(), &self.path()]);
        command.args(self.constants.split_whitespace());
        command
    }
}

/// Explores a model in this process: the way, the number of threads, the file, constants.
pub(crate) fn alone(arguments: &[&str]) {
    let [way, threads, file, constants @ ..] = arguments else { panic!("{arguments:?}") };
    let threads = threads.parse().expect("a number");
    let symmetry = match *way {
        "all" => Symmetry::Off,
        "canonical" => Symmetry::Canonical,
        _ => Symmetry::Sorted,
    };
    let model = check(&read(file), &definitions(constants));
    let model = model.unwrap_or_else(|errors| panic!("{errors:?}"));
    let system = CompiledModel::new(&model);
    let deadlock = Deadlock::Off;
    let options = Options { deadlock, threads, symmetry, ..Options::default() };
    let found = explore(&system, &options, &isonomy::Watch::none());
    println!(
        "{} states, {} rules fired in {} s: {}",
        found.progress.states,
        found.progress.fired,
        found.time.as_secs(),
        if found.violations.is_empty() { "No error found." } else { "errors" },
    );
    if let Some(quotient) = found.quotient {
        println!("{} annotated edges", quotient.annotated_edges);
    }
}

/// The number before some words of an output.
pub(crate) fn number_before(output: &str, words: &str) -> Option<u64> {
    let (before, _) = output.split_once(words)?;
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn read(file: impl AsRef<Path>) -> String {
    let file = file.as_ref();
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn definitions(constants: &[&str]) -> Vec<Definition> {
    let one = |constant: &&str| {
        let (name, value) = constant.split_once('=').expect("NAME=VALUE");
        Definition { name: name.to_owned(), value: value.to_owned() }
    };
    constants.iter().map(one).collect()
}
