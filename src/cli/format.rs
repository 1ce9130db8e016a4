//! `isonomy fmt`: models in the layout of the printer, in place if wanted.

use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::interrupt::Interrupt;
use super::loading;
use super::results::write_file;
use model::printer;
use std::path::{Path, PathBuf};

/// `isonomy fmt`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    /// The models; `-` is standard input
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// Print the names of the models that are not formatted; exit code 1 if there are any
    #[arg(long)]
    check: bool,
    /// Write the formatted text into the files, and print the names of those that changed
    #[arg(long, conflicts_with = "check")]
    write: bool,
}

const EXAMPLES: &str = "\
Examples:
  isonomy fmt model.m
  isonomy fmt --write *.m
  isonomy fmt --check *.m

Output:
  Without `--check` and `--write` the formatted models are printed. Included files are not formatted
  with the model that includes them: name them, too.";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let interrupt = Interrupt::watch();
    if options.write && options.models.iter().any(|model| model == Path::new("-")) {
        return Err(Error::usage("standard input cannot be written to")
            .help("leave out `--write`: the formatted model is printed"));
    }
    loading::with_large_stack(|| {
        let mut exit = Exit::Done;
        for path in &options.models {
            if super::nets::is_net(path) {
                return Err(Error::usage(format!("`{}` is a Petri net", path.display()))
                    .help("`isonomy print` prints it as a model"));
            }
            let (text, model) = match loading::parse_text(path, &interrupt, console) {
                Ok(parsed) => parsed,
                // What is wrong with this one has been said: the others have their turn.
                Err(Error::Diagnosed) => {
                    exit = exit.and(Exit::BadInput);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let formatted = printer::print(&model);
            if !options.check && !options.write {
                console.print_data(&formatted)?;
            } else if formatted != text.content {
                if options.write {
                    write_file(path, &formatted)?;
                } else {
                    exit = exit.and(Exit::Violated);
                }
                console.print(&format!("{}\n", path.display()))?;
            }
        }
        Ok(exit)
    })
}
