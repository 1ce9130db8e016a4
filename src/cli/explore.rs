//! `isonomy explore`: all reachable states of a model, and what is wrong with them.
//!
//! One [`Report`], two ways to print it: as JSON, of which its types are the schema
//! (`fixtures/schema/explore.schema.json` says the same for other programs), and as [`text`]. Both
//! are complete also when a limit or Ctrl-C has ended the search: they say what is known so far.

mod dot;
mod progress;
mod report;
mod text;

use super::budget::{Budget, RunLimits};
use super::console::{Console, say};
use super::error::Error;
use super::exit::Exit;
use super::model::{self, Loaded, ModelOptions};
use automata::StopReason;
use clap::ValueEnum;
use isonomy::explore::{self, Deadlock, Exploration, Progress, ViolationKind};
use isonomy::system::CompiledModel;
use progress::{ProgressLine, When};
use report::Report;
use std::fs;
use std::path::{Path, PathBuf};

/// `isonomy explore`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,
    /// Which symmetry reduction; only `off` for now
    #[arg(long, value_name = "KIND", default_value = "off", value_parser = symmetry)]
    symmetry: Symmetry,
    /// When a state counts as a deadlock
    #[arg(long, value_name = "KIND", default_value = "stuttering")]
    deadlock: DeadlockChoice,
    /// Go on behind states that violate an invariant
    ///
    /// By default such a state is reported, and its steps are not looked at.
    #[arg(long = "continue")]
    expand_violating: bool,
    /// How many threads work [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Write a picture of the states and steps in the language of Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// What to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print all variables after every step of a run, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Tell on standard error how far the exploration has come
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
    #[command(flatten)]
    limits: RunLimits,
    /// Stop when there are more states than this
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Limits of the run"
    )]
    max_states: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  isonomy explore model.m
  isonomy explore model.m -D N=5 --deadlock off --threads 2
  isonomy explore model.m --dot states.dot && dot -Tsvg states.dot > states.svg
  isonomy explore model.m --format json | jq '.violations[].message'

What is looked for:
  Run-time errors, violated invariants and assertions, covers that are never true, states from
  which a liveness property can never be true again, deadlocks. Each is told once, with the number
  of its states and a shortest run to one of them. The outcome does not depend on the number of
  threads.

Pictures:
  Of at most 2000 states. Start states have an arrow of their own, violations are red, deadlocks
  are grey.

Exit codes of explorations:
  1 if something is violated, a deadlock included; 3 if a limit was reached before, or if there are
  too many states for a picture.";

/// More states than this make no picture.
const LARGEST_PICTURE: u64 = 2000;

/// `--symmetry`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symmetry {
    Off,
}

fn symmetry(text: &str) -> Result<Symmetry, String> {
    match text {
        "off" => Ok(Symmetry::Off),
        "auto" | "fast" => Err("explorations do not use symmetry yet: only `off` works".to_owned()),
        _ => Err("only `off` works".to_owned()),
    }
}

/// `--deadlock`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum DeadlockChoice {
    /// Never
    Off,
    /// If no rule is enabled
    Stuck,
    /// If no enabled rule changes the state
    Stuttering,
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
enum Format {
    /// For people
    Text,
    /// A JSON object, on a line
    Json,
}

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    if options.dot.as_deref() == Some(Path::new("-")) {
        return Err(Error::usage("standard output is for the results of the exploration")
            .help("name a file for the picture: `--dot states.dot`"));
    }
    model::with_large_stack(|| {
        let mut budget = Budget::of_run(&options.limits);
        let loaded = options.model.load(budget.interrupt(), console)?;
        model::note_unchecked(&loaded.model);
        let asked = options.asked();
        let exploration = explored(&loaded, &asked, options.progress, &mut budget);
        if let Some(error) = without_states(&exploration) {
            return Err(error);
        }
        let report = Report::of(&loaded, &asked, &exploration);
        console.print(&match options.format {
            Format::Text => {
                text::layout(&report, &loaded, options.full_states, console.colour_of_results())
            }
            Format::Json => {
                serde_json::to_string(&report).expect("strings, numbers and lists are JSON") + "\n"
            }
        })?;
        let exit = concluded(&exploration, console);
        let drawn = match &options.dot {
            Some(file) => draw(file, &loaded, &asked, &exploration, &budget),
            None => Ok(()),
        };
        Ok(exit.and(drawn.err().map_or(Exit::Done, |error| {
            console.complain(&error);
            error.exit()
        })))
    })
}

impl Options {
    /// What is asked of the exploration.
    fn asked(&self) -> explore::Options {
        let Symmetry::Off = self.symmetry;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        explore::Options {
            deadlock: self.deadlock.into(),
            expand_violating: self.expand_violating,
            most_states: self.max_states,
            threads: self.threads.map_or_else(cores, usize::from),
            symmetry: explore::Symmetry::Off,
        }
    }
}

fn explored(
    loaded: &Loaded,
    asked: &explore::Options,
    when: When,
    budget: &mut Budget,
) -> Exploration {
    let system = CompiledModel::new(&loaded.model);
    let mut watcher = Watcher { line: ProgressLine::new(when), budget };
    let mut watch = |progress: &Progress| watcher.look(progress);
    let exploration = explore::explore(&system, asked, &mut watch);
    watcher.line.end(&exploration.progress);
    exploration
}

/// Shows the progress and watches the limits, from whatever thread the search runs in. So the budget
/// is not shared.
struct Watcher<'b> {
    line: ProgressLine,
    budget: &'b mut Budget,
}

impl Watcher<'_> {
    fn look(&mut self, progress: &Progress) -> Option<StopReason> {
        self.line.show(progress);
        self.budget.probe()
    }
}

/// A model that the assumptions leave without any state would satisfy everything.
fn without_states(exploration: &Exploration) -> Option<Error> {
    let is_empty = exploration.starts == 0
        && exploration.stopped.is_none()
        && !exploration.violations.iter().any(|v| matches!(v.kind, ViolationKind::Failure(_)));
    is_empty.then(model::no_start)
}

/// Says what a reader of the results should know, and how the run ends.
fn concluded(exploration: &Exploration, console: &Console) -> Exit {
    let violated = if exploration.violations.is_empty() { Exit::Done } else { Exit::Violated };
    if let Some(reason) = exploration.stopped {
        let error = Error::from(reason);
        console.complain(&error);
        return violated.and(error.exit());
    }
    if !exploration.is_exhaustive() {
        say(format_args!(
            "note: states that violate an invariant were not expanded; `--continue` does it"
        ));
    }
    violated
}

/// Writes the picture of a small state space.
fn draw(
    file: &Path,
    loaded: &Loaded,
    asked: &explore::Options,
    exploration: &Exploration,
    budget: &Budget,
) -> Result<(), Error> {
    let states = exploration.progress.states;
    if exploration.stopped.is_some() {
        return Err(Error::TooLarge("there is no picture of what was not explored".to_owned()));
    }
    if states > LARGEST_PICTURE {
        return Err(Error::TooLarge(format!(
            "{states} states are too many for a picture, {LARGEST_PICTURE} at most\n    \
             = help: give constants smaller values with `-D CONST=VALUE`"
        )));
    }
    let graph = explore::graph(&loaded.model, asked, &mut || budget.probe())?;
    if graph.nodes.len() as u64 != states {
        return Err(Error::Internal(format!(
            "the interpreter finds {} states, the exploration {states}",
            graph.nodes.len()
        )));
    }
    fs::write(file, dot::layout(&loaded.model, &graph)).map_err(|error| Error::File {
        action: "write",
        name: file.display().to_string(),
        error,
    })
}
