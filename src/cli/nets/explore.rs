//! `isonomy explore` of a net.

use super::load::{self, Contest};
use crate::cli::budget::Budget;
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::explore::{self, ViolationKind};
use crate::nets::answers;
use std::path::Path;

/// Runs the command.
pub(in crate::cli) fn run(
    path: &Path,
    options: &explore::Options,
    is_contest: bool,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let (text, net) = load::net(path, budget, console)?;
    let counted = answers::count(&net, options, &budget.watch());
    let cannot_compute = |console: &mut Console| {
        if is_contest { console.print("STATE_SPACE CANNOT_COMPUTE\n") } else { Ok(()) }
    };
    let counts = match counted {
        Ok(counts) => counts,
        Err(reason) => {
            cannot_compute(console)?;
            return Err(Error::Stopped(reason));
        }
    };
    let found = &counts.found;
    for violation in &found.violations {
        if let ViolationKind::Failure(fault) = &violation.kind {
            console.diagnose(&text, &load::diagnostic(&net, fault));
            return Ok(Exit::BadInput);
        }
    }
    let full = match (&found.full, found.stopped) {
        (Some(full), None) => full,
        (_, reason) => {
            cannot_compute(console)?;
            let reason = reason.expect("only a limit keeps from counting");
            return Err(Error::Stopped(reason));
        }
    };
    let (place, marking) = (counts.most_in_place, counts.most_in_marking);
    if is_contest {
        console.print(&format!(
            "STATE_SPACE STATES {} {Contest}\nSTATE_SPACE TRANSITIONS {} {Contest}\n\
             STATE_SPACE MAX_TOKEN_IN_PLACE {place} {Contest}\n\
             STATE_SPACE MAX_TOKEN_PER_MARKING {marking} {Contest}\n",
            full.states, full.fired,
        ))?;
        return Ok(Exit::Done);
    }
    let representatives = match &found.quotient {
        Some(quotient) => format!(", {} up to symmetry", quotient.representatives),
        None => String::new(),
    };
    console.print(&format!(
        "markings            {}{representatives}\n\
         steps               {}\n\
         dead markings       {}\n\
         tokens of a colour  {place} in a place, at most\n\
         tokens              {marking} in a marking, at most\n",
        full.states, full.fired, full.deadlocks,
    ))?;
    Ok(Exit::Done)
}
