//! `isonomy simulate`: one run of a model, step by step.
//!
//! Either the user chooses the steps ([`session`]), at a terminal or by a script, or a seed does
//! ([`walk`]). Both see a model or a net through a [`system::System`].

mod session;
pub(super) mod system;
mod walk;

use super::budget::{Budget, RunLimits};
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::loading::{self, ModelOptions};
use super::nets::LoadedNet;
use super::nets::simulate::NetSystem;
use super::replay;
use clap::ValueEnum;
use nets::{Game, Symmetry};
use session::Given;
use std::path::{Path, PathBuf};
use system::{System, WordsOfSystem};

/// `isonomy simulate`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,
    /// Begin with the run of a result that `isonomy check --format json` has printed
    ///
    /// The constants of the model are those of the file, unless -D says otherwise. Its steps are taken, if
    /// the model has them; `undo` goes back from there.
    #[arg(long, value_name = "RESULT.json", conflicts_with = "random")]
    from: Option<PathBuf>,
    /// The result to begin with: its name, or its number from 1
    #[arg(long, value_name = "NAME|N", requires = "from")]
    result: Option<String>,
    /// Take only so many steps of that run
    #[arg(long, value_name = "STEPS", requires = "from")]
    at: Option<usize>,
    /// Choose steps at random; the same seed gives the same steps
    #[arg(long, value_name = "SEED")]
    random: Option<u64>,
    /// Take this many steps
    #[arg(long, value_name = "N", default_value_t = 100, requires = "random")]
    steps: u64,
    /// What to print of a random run
    #[arg(long, default_value = "text", requires = "random")]
    format: Format,
    /// Print all variables after every step, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Print the value of an expression along the run; may be repeated
    #[arg(long, value_name = "EXPR")]
    show: Vec<String>,
    #[command(flatten)]
    limits: RunLimits,
}

const EXAMPLES: &str = "\
Examples:
  isonomy simulate model.m
  isonomy simulate model.m --random 7 --steps 1000
  isonomy check model.m --format json > result.json
  isonomy simulate model.m --from result.json --at 3
  isonomy simulate model.m --random 7 --format json | jq .result
  printf '1\\nrandom 5\\ntrace\\n' | isonomy simulate model.m

Sessions:
  Without --random the steps come from standard input, line by line; `help` lists the commands. The
  end of the input is the end of the session.

Random runs:
  start in one of the first 1000 start states and take one of the enabled steps each time, all with the
  same probability. The run ends early in a deadlock (no step is enabled, or none changes the state), in a
  state that violates an invariant, and at a run-time error.

Exit codes of simulations:
  1 if the run reached a violated invariant or a run-time error; 2 also if a script has a line that is
  not a command.";

impl Options {
    /// How to read the run to begin with.
    fn replaying(&self, file: &Path) -> replay::Options {
        replay::Options {
            model: self.model.clone(),
            file: file.to_owned(),
            result: self.result.clone(),
            full_states: self.full_states,
            show: self.show.clone(),
            paranoid: false,
            limits: self.limits.clone(),
        }
    }
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A JSON object
    Json,
}

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let reads_input = |file: &PathBuf| file.as_os_str() == "-";
    if options.from.as_ref().is_some_and(reads_input) {
        return Err(Error::usage(
            "standard input cannot be both the results and the commands of the simulation",
        )
        .help("name the file of the results"));
    }
    if options.random.is_none() && options.model.is_standard_input() {
        return Err(Error::usage(
            "standard input cannot be both the model and the commands of the simulation",
        )
        .help("name the file of the model, or let `--random SEED` choose the steps"));
    }
    loading::with_large_stack(|| {
        let budget = Budget::of_run(&options.limits);
        if super::nets::is_net(options.model.path()) {
            if !options.model.definitions().is_empty() {
                return Err(Error::usage("`-D` is not for Petri nets"));
            }
            if !options.show.is_empty() {
                return Err(Error::usage("`--show` is not for Petri nets"));
            }
            let (text, net) = super::nets::load::net(options.model.path(), &budget, console)?;
            let game = Game::new(&net, &Symmetry::none(&net));
            let given = options.from.as_ref().map(|file| {
                replay::read_net_run(&options.replaying(file), &game, &budget, console)
            });
            let given = given.transpose()?;
            let system = NetSystem::new(LoadedNet::new(&text, game));
            return simulated(&system, given.as_ref(), options, &budget, console);
        }
        let (loaded, given) = match &options.from {
            None => (options.model.load_with(&[], &options.show, &budget, console)?, None),
            Some(file) => {
                let read = replay::read_run(&options.replaying(file), &budget, console)?;
                (read.0, Some(read.1))
            }
        };
        let system = system::ModelSystem::new(&loaded);
        simulated(&system, given.as_ref(), options, &budget, console)
    })
}

fn simulated<S: System>(
    system: &S,
    given: Option<&judge::Run<WordsOfSystem<S>>>,
    options: &Options,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    match options.random {
        None => budget.watch().over(|| {
            let given = given.map(|run| Given::of(system, run, options.at, budget)).transpose()?;
            session::run(system, given, options.full_states, budget, console)
        })?,
        Some(seed) => walk::run(system, seed, options, budget, console),
    }
}
