//! `isonomy print`: a model in the layout of the printer, or a Petri net as a model.
//!
//! Like other formatters it looks at the syntax alone: whatever can be parsed is printed, also a
//! model with errors of types or names; `isonomy describe` tells of those.

use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::interrupt::Interrupt;
use super::loading;
use model::printer;
use std::path::PathBuf;

/// `isonomy print`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    included: loading::IncludeOptions,
    /// Print the formulas of a file of the Model Checking Contest, too: for Petri nets; may be
    /// repeated
    #[arg(long, value_name = "FILE.xml")]
    properties: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  isonomy print model.m > tidy.m
  isonomy print - < model.m | diff model.m -
  isonomy print net.pnml > net.m";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let interrupt = Interrupt::watch();
    loading::with_large_stack(|| {
        if super::nets::is_net(&options.model) {
            return super::nets::print::run(&options.model, &options.properties, console);
        }
        if !options.properties.is_empty() {
            return Err(Error::usage("`--properties` is for Petri nets, and this is a model"));
        }
        let model = loading::parse(&options.model, &options.included, &interrupt, console)?;
        console.print_data(&printer::print(&model))?;
        Ok(Exit::Done)
    })
}
