//! Reads nets and property files.

use crate::cli::budget::Budget;
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::input::{Input, Text};
use ltl::Diagnostic;
use nets::{Fault, Net, Property};
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The techniques that a line of the Model Checking Contest names.
pub(super) struct Contest;

impl fmt::Display for Contest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TECHNIQUES EXPLICIT STATE_COMPRESSION SYMMETRIES")
    }
}

/// A fault, where the file is to blame.
pub(in crate::cli) fn diagnostic(net: &Net, fault: &Fault) -> Diagnostic {
    let span = match fault {
        Fault::TooMany { place, .. } => net.places[*place].span,
        Fault::Unsafe { place, .. } => net.places[*place].safe.unwrap_or(net.places[*place].span),
        Fault::Negative { transition, .. } => net.transitions[*transition].span,
        Fault::NoRoom => unreachable!("who asks begins again with more room"),
    };
    Diagnostic::error(span, fault.to_string())
}

/// Whether a file is to be read as a net: its name ends like one, or it begins like XML. Standard input
/// is a model.
pub(in crate::cli) fn is_net(path: &Path) -> bool {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pnml")) {
        return true;
    }
    if path == Path::new("-") || !path.is_file() {
        return false;
    }
    let mut start = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    let start = String::from_utf8_lossy(&start[..read]);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    start.starts_with("<?xml") || start.starts_with("<pnml")
}

/// Reads a net; says what is wrong with it.
pub(in crate::cli) fn net(
    path: &Path,
    budget: &Budget,
    console: &Console,
) -> Result<(Text, Net), Error> {
    let text = read(path, budget, console)?;
    match nets::pnml::parse(&text.content) {
        Ok(net) => Ok((text, net)),
        Err(wrong) => {
            console.diagnose(&text, &wrong);
            Err(Error::Diagnosed)
        }
    }
}

/// Reads the properties of a file.
pub(super) fn properties(
    path: &Path,
    net: &Net,
    budget: &Budget,
    console: &Console,
) -> Result<Vec<Property>, Error> {
    let text = read(path, budget, console)?;
    nets::properties::parse(&text.content, net).map_err(|wrong| {
        console.diagnose(&text, &wrong);
        Error::Diagnosed
    })
}

fn read(path: &Path, budget: &Budget, console: &Console) -> Result<Text, Error> {
    let text = Input::open(path, budget.interrupt())?.read(budget.interrupt())?;
    match &text.fault {
        Some(fault) => {
            console.diagnose(&text, fault);
            Err(Error::Diagnosed)
        }
        None => Ok(text),
    }
}
