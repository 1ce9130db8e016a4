//! `isonomy print` of a net: a model that means the same.

use super::load;
use crate::cli::budget::Budget;
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use model::{parser, printer};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Runs the command.
pub(in crate::cli) fn run(
    path: &Path,
    properties: &[PathBuf],
    console: &mut Console,
) -> Result<Exit, Error> {
    let budget = Budget::unlimited();
    let (_, net) = load::net(path, &budget, console)?;
    let mut all = Vec::new();
    for file in properties {
        all.extend(load::properties(file, &net, &budget, console)?);
    }
    let printed = nets::print::print(&net, &all);
    let parsed = parser::parse(&printed.text);
    if let Some(wrong) = parsed.errors.first() {
        let message = format!("a net was printed as a model that has errors: {}", wrong.message);
        return Err(Error::Internal(message));
    }
    let mut text = format!("-- The Petri net {} as a model.\n", one_line(&net.name));
    for remark in &printed.remarks {
        let _ = writeln!(text, "-- {}", one_line(remark));
    }
    text.push('\n');
    text.push_str(&printer::print(&parsed.model));
    console.print_data(&text)?;
    Ok(Exit::Done)
}

/// A name of the file, without ends of lines: they would end the comment.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
