//! Where the formulas of a command come from, and the loop over them.
//!
//! A formula that cannot be read, or for which a limit is reached, concerns itself only: there is a
//! message, and the next formula has its turn. When the time is over or the user wants to stop, the
//! run is over. The exit code is that of the gravest of the results.

use super::budget::Budget;
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::input::{Input, Text};
use super::message::Item;
use automata::StopReason;
use clap::ValueEnum;
use ltl::alphabet::MOST_PROFILES;
use ltl::parser::{self, Language};
use ltl::{Alphabet, Atoms, Formula, Formulas};
use std::path::{Path, PathBuf};

/// `--input`
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum InputLanguage {
    /// Spot's: `G(a -> F b)`, `GFa`, `"x > 1" U b`, `@grant(c)`
    #[default]
    Spot,
    /// Spin's: `[](a -> <> b)`, binary operators to the left
    Spin,
}

/// The options that say which formulas.
#[derive(clap::Args)]
pub(crate) struct Sources {
    /// The formula; `-` reads formulas from standard input, one a line
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,
    /// Read formulas from a file, one a line; blank lines are skipped, `-` is standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The language of the formulas
    #[arg(long, value_name = "LANGUAGE", default_value = "spot")]
    input: InputLanguage,
}

/// A formula with the tables that it lives in.
pub(crate) struct Parsed {
    pub(crate) formulas: Formulas,
    pub(crate) atoms: Atoms,
    pub(crate) formula: Formula,
}

impl Sources {
    /// Whether there may be any number of formulas.
    pub(crate) fn are_many(&self) -> bool {
        self.file.is_some() || self.formula.as_deref() == Some("-")
    }

    /// Does the work for each formula in turn.
    pub(crate) fn for_each(
        &self,
        console: &mut Console,
        budget: &Budget,
        mut work: impl FnMut(&Text, &mut Console) -> Result<Exit, Error>,
    ) -> Result<Exit, Error> {
        let path = match (&self.formula, &self.file) {
            (Some(formula), _) if formula != "-" => {
                return work(&Text::argument("formula", formula), console);
            }
            (_, Some(path)) => path.as_path(),
            (_, None) => Path::new("-"),
        };
        let mut input = Input::open(path, budget.interrupt())?;
        let lines = std::iter::from_fn(|| input.next_line(budget.interrupt()).transpose());
        Ok(each(lines, |text| Item { text, nth: None }, console, work))
    }

    /// The formula that a text means; a diagnostic if it means none.
    pub(crate) fn parse(&self, text: &Text, console: &Console) -> Result<Parsed, Error> {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let formula = self.parse_into(text, &mut formulas, &mut atoms, console)?;
        Ok(Parsed { formulas, atoms, formula })
    }

    /// The same, in given tables.
    pub(crate) fn parse_into(
        &self,
        text: &Text,
        formulas: &mut Formulas,
        atoms: &mut Atoms,
        console: &Console,
    ) -> Result<Formula, Error> {
        if let Some(fault) = &text.fault {
            console.diagnose(text, fault);
            return Err(Error::Diagnosed);
        }
        let language = match self.input {
            InputLanguage::Spot => Language::Spot,
            InputLanguage::Spin => Language::Spin,
        };
        parser::parse(language, &text.content, formulas, atoms).map_err(|diagnostic| {
            console.diagnose(text, &diagnostic);
            Error::Diagnosed
        })
    }
}

/// Does the work for each of several in turn; messages say which.
pub(crate) fn each<T>(
    all: impl Iterator<Item = Result<T, Error>>,
    item: impl Fn(&T) -> Item<'_>,
    console: &mut Console,
    mut work: impl FnMut(&T, &mut Console) -> Result<Exit, Error>,
) -> Exit {
    let mut exit = Exit::Done;
    for one in all {
        // Without a next one there is nothing that the error is about.
        let (one, outcome) = match one {
            Ok(one) => {
                let outcome = work(&one, console);
                (Some(one), outcome)
            }
            Err(error) => (None, Err(error)),
        };
        match outcome {
            Ok(done) => exit = exit.and(done),
            Err(error @ (Error::ClosedPipe(_) | Error::File { .. } | Error::System { .. })) => {
                console.complain(&error);
                return exit.and(error.exit());
            }
            Err(error) => {
                console.complain_about(one.as_ref().map(&item), &error);
                exit = exit.and(error.exit());
                if let Error::Stopped(StopReason::Timeout(_) | StopReason::Interrupted) = error {
                    break;
                }
            }
        }
    }
    exit
}

/// The letters over some atoms; too many combinations of events are a limit like others.
pub(crate) fn alphabet(atoms: &Atoms) -> Result<Alphabet, Error> {
    Alphabet::of(atoms).ok_or(Error::Stopped(StopReason::Letters(MOST_PROFILES)))
}
