//! The command line: arguments in, results on standard output, an exit code.
//!
//! One file per command. [`run`] is the frame around them all: it reads the arguments, sets tracing
//! up if asked to, runs the command, writes the profile whatever happened, and turns the outcome
//! into an [`Exit`]. A panic below is a bug of ours: it ends in exit 4 and a request for a report.
//!
//! Start-up counts (a shell loop over formulas runs us thousands of times), so nothing is set up
//! that was not asked for: no tracing, and no thread before the first search. (At a
//! terminal, progress is asked for unless `--progress never` says otherwise.)

mod exit;
mod error;
mod message;
mod escape;
mod console;
mod trace;
mod interrupt;
mod budget;
mod input;
mod include;
mod table;
mod numbers;
mod choices;
mod progress;
mod picture;
mod json;
mod writing;
mod results;
mod states;
mod steps;
mod places;
mod properties;
mod constants;
mod coverage;
mod foreign;
mod loading;
mod mistakes;
mod view;
mod argument;
mod describe;
mod print;
mod format;
mod simulate;
mod explore;
mod check;
mod replay;
mod certificate;
mod verify;
mod formulas;
mod automaton;
mod formula;
mod manual;
mod nets;

pub(crate) use budget::resident_memory;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use console::{ColourChoice, Console};
use error::Error;
use exit::Exit;
use message::MessageFormat;
use std::backtrace::Backtrace;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;

/// A model checker for systems of interchangeable processes
///
/// Isonomy checks temporal formulas, invariants and other properties of models, under any notion of
/// fairness, with symmetry reduction. It also describes, simulates and explores models, and translates
/// temporal formulas into small Büchi automata, simplifies, classifies and compares them.
#[derive(Parser)]
#[command(name = "isonomy", version, after_long_help = AFTER_HELP, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command accepts.
#[derive(clap::Args)]
#[command(next_help_heading = "Common options")]
struct Common {
    /// Log to standard error, down to this level
    ///
    /// Without it the environment variable `ISONOMY_LOG` decides, in the syntax of `RUST_LOG`
    /// (`debug`, `automata=trace`, ...). `debug` shows each phase with its counts and its time.
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<trace::Level>,
    /// Write a profile of the run; the ending of the name chooses the format
    ///
    /// .json: Chrome trace events (open in ui.perfetto.dev or `chrome://tracing`);
    /// .jsonl: one JSON record per span; .folded: folded stacks for flame graphs.
    #[arg(long, global = true, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print a table of the phases of the run at its end, on standard error
    ///
    /// For each phase: how often it was entered, its time with and without the phases inside it, and its
    /// share of the time; then the time and the peak memory of the run.
    #[arg(long, global = true)]
    stats: bool,
    /// Report progress on standard error
    ///
    /// The current phase, its counts, time and memory: at a terminal in one line that is updated, elsewhere
    /// in a new line every second.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    progress: progress::When,
    /// Colour messages
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    color: ColourChoice,
    /// How to write messages on standard error
    ///
    /// As JSON, each error, warning and note is an object on one line, with its positions in the model or in
    /// the formula. Results on standard output, logs and progress are not affected.
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true
    )]
    message_format: MessageFormat,
}

#[derive(Subcommand)]
enum Command {
    /// Print what a model consists of
    ///
    /// Constants, index types with their symmetry, variables, processes, events, start states and
    /// properties: the names that a formula may use. Errors and warnings about the model go to standard
    /// error.
    Describe(describe::Options),
    /// Step through a model, by hand or at random
    Simulate(simulate::Options),
    /// Check properties of a model
    ///
    /// Checks temporal formulas, given here or in the model, and the model's invariants, assertions, covers
    /// and liveness properties. A violated property comes with a counterexample, step by step, which was
    /// executed again by the reference interpreter: it shares no code with the search.
    Check(check::Options),
    /// Explore all states of a model
    ///
    /// Counts states, steps and deadlocks, and searches for run-time errors, violated invariants and
    /// assertions, covers that are never true, and states that can no longer satisfy a liveness property.
    /// Prints a shortest run to each.
    Explore(explore::Options),
    /// Validate a counterexample again
    ///
    /// Reads the output of `isonomy check --format json`, and compares every state and every step with the
    /// reference interpreter.
    Replay(replay::Options),
    /// Verify a certificate
    ///
    /// Reads the output of `isonomy check --certificate`, and verifies node by node that the model has the
    /// claimed properties: without any search, by the reference interpreter.
    Verify(verify::Options),
    /// Print a model in a uniform layout
    ///
    /// Any model that can be parsed is printed, even with errors of names or types: `isonomy describe`
    /// reports those.
    Print(print::Options),
    /// Format models, or say which are not formatted
    ///
    /// The layout is that of `isonomy print`: comments are kept, and only blanks and line breaks change.
    #[command(name = "fmt")]
    Format(format::Options),
    /// Print the Büchi automaton of a formula
    ///
    /// As a picture (the default: DOT), in the HOA format, as a never claim for Spin, as JSON, or only its
    /// sizes.
    Automaton(automaton::Options),
    /// Print, simplify, classify or compare formulas
    Formula(formula::Options),
    /// Print a script that completes commands and options in a shell
    Completions(manual::Completions),
    /// Print the manual, as pages for man
    ///
    /// Example: `isonomy man | man -l -`
    Man,
}

const AFTER_HELP: &str = "\
Exit codes:
  0    done
  1    something does not hold: a validated counterexample is printed
  2    bad usage or bad input
  3    no answer: a limit was reached
  4    internal error: please report it
  130  interrupted

Environment:
  ISONOMY_LOG  what to log, when there is no --log
  NO_COLOR     no colours, when there is no --color";

/// Bytes of memory that are kept for the end of a run that gets no more: enough to print what is known.
const RESERVE: usize = 8 << 20;

/// The whole program, with a standard output that was open when the process began, or was not.
pub fn run(is_output_open: bool) -> ExitCode {
    interrupt::expect();
    run::memory::Reserving::reserve(RESERVE, budget::out_of_memory);
    let arguments: Vec<_> = std::env::args_os().collect();
    let mut console = Console::new(&arguments, is_output_open);
    let messages = console.messages();
    panic::set_hook(Box::new(move |report| {
        let message = message_of(report.payload());
        let place = report.location().map(|place| format!(" ({place})")).unwrap_or_default();
        console::report(messages, &format!("{message}{place}"), &Backtrace::capture());
    }));
    guarded(|| {
        match parse(&arguments) {
            Ok(arguments) => traced(&arguments, &mut console),
            Err(message) => {
                let exit = if message.use_stderr() { Exit::BadInput } else { Exit::Done };
                // Messages quote arguments: the same command line is as wrong with escaped ones.
                let shown: Vec<OsString> = arguments
                    .iter()
                    .map(|one| escape::on_one_line(&one.to_string_lossy()).into())
                    .collect();
                if let Some(error) = mistakes::explained(&Arguments::command(), &message, &shown) {
                    return conclude(Err(error), &console);
                }
                let shown = parse(&shown).err().filter(|_| shown != arguments);
                let printed = console.print_clap(shown.as_ref().unwrap_or(&message));
                if let Some(model) = model_for_command(&message) {
                    console.note(&format!("`isonomy check {model}` checks a model"));
                }
                conclude(printed.map(|()| exit), &console)
            }
        }
    })
    .into()
}

fn parse(arguments: &[OsString]) -> Result<Arguments, clap::Error> {
    let matches = Arguments::command().try_get_matches_from(arguments)?;
    Arguments::from_arg_matches(&matches)
}

/// A model that stands where a command should be.
fn model_for_command(message: &clap::Error) -> Option<String> {
    let given = message.get(clap::error::ContextKind::InvalidSubcommand)?;
    let name = given.to_string();
    std::path::Path::new(&name).is_file().then_some(name)
}

/// What a panic says: `panic!` makes its payload a string of one kind or the other.
fn message_of(payload: &dyn std::any::Any) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic without a message",
    }
}

/// Runs the command and, whatever comes of it, completes the profile.
fn traced(arguments: &Arguments, console: &mut Console) -> Exit {
    // The console knows the others: it must, even if the arguments make no sense.
    let Common { log, ref trace, stats, progress, color: _, message_format: _ } = arguments.common;
    // A report tells where the time went.
    let phases = matches!(&arguments.command, Command::Check(options) if options.report.is_some());
    let asked = trace::Asked { log, file: trace.as_deref(), stats, progress, phases };
    match trace::Tracing::set_up(asked, console.colour()) {
        Err(error) => conclude(Err(error), console),
        Ok(tracing) => {
            let exit = guarded(|| conclude(dispatch(&arguments.command, console), console));
            exit.and(conclude(tracing.finish().map(|()| Exit::Done), console))
        }
    }
}

fn dispatch(command: &Command, console: &mut Console) -> Result<Exit, Error> {
    match command {
        Command::Describe(options) => describe::run(options, console),
        Command::Simulate(options) => simulate::run(options, console),
        Command::Explore(options) => explore::run(options, console),
        Command::Check(options) => check::run(options, console),
        Command::Replay(options) => replay::run(options, console),
        Command::Verify(options) => verify::run(options, console),
        Command::Print(options) => print::run(options, console),
        Command::Format(options) => format::run(options, console),
        Command::Automaton(options) => automaton::run(options, console),
        Command::Formula(options) => formula::run(options, console),
        Command::Completions(options) => manual::completions(options, console),
        Command::Man => manual::man(console),
    }
}

/// Says what went wrong, if something did.
fn conclude(outcome: Result<Exit, Error>, console: &Console) -> Exit {
    outcome.unwrap_or_else(|error| {
        console.complain(&error);
        error.exit()
    })
}

/// A panic is a bug of ours. The hook has said so already.
fn guarded(run: impl FnOnce() -> Exit) -> Exit {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| panic!("(this panic is part of a test)")), Exit::Internal);
        assert_eq!(guarded(|| Exit::NoAnswer), Exit::NoAnswer);
    }
}
