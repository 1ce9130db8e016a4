//! Where programs are made and measured, side by side.
//!
//! What is compared is run in turns, so that a busy minute hits everybody, and the least time of three counts;
//! what takes long is run once. Whatever was measured is kept: sections that ask for the same get the same.

use crate::model::{Model, Way};
use isonomy::explore::Deadlock;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use support::measured::{Measured, measure_within};
use support::needs;
use support::rumur::{self, Reduction, Verifier};
use support::spin::{self, Aim, Pan};

/// Who explores a model, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum By {
    Us(Way),
    /// rumur with one thread, without symmetry or sorting.
    Rumur {
        sorting: bool,
    },
    /// Spin with a stack of so many, and a table of two to the power of so many.
    Spin {
        depth: u64,
        table: u32,
    },
}

/// What a run has found.
pub(crate) struct Run {
    pub(crate) states: u64,
    /// Rules fired, from all start states.
    pub(crate) fired: u64,
    /// Wall-clock seconds of the whole process.
    pub(crate) seconds: f64,
    pub(crate) measured: Measured,
}

/// What takes longer is not repeated.
const LONG: Duration = Duration::from_secs(4);

/// How often the rest is run.
const TIMES: usize = 3;

/// Nobody is waited for longer.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) struct Lab {
    folder: PathBuf,
    has_rumur: bool,
    has_spin: bool,
    runs: HashMap<(By, Model), Option<Rc<Run>>>,
    pans: HashMap<(Model, Aim), Rc<Pan>>,
}

impl Lab {
    pub(crate) fn new() -> Lab {
        for (peer, programs) in [("rumur", rumur::PROGRAMS), ("Spin", spin::PROGRAMS)] {
            if let Some(program) = needs::missing(&programs) {
                println!("SKIPPED: {program} is not installed, there is no comparison with {peer}");
            }
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers-bench");
        std::fs::create_dir_all(&folder).expect("a folder for verifiers");
        Lab {
            folder,
            has_rumur: needs::missing(&rumur::PROGRAMS).is_none(),
            has_spin: needs::missing(&spin::PROGRAMS).is_none(),
            runs: HashMap::new(),
            pans: HashMap::new(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn has_spin(&self) -> bool {
        self.has_spin
    }

    /// How some explore a model, in their order. `None` is who is not here, refuses the model, or has not
    /// finished.
    pub(crate) fn explored(&mut self, model: Model, by: &[By]) -> Vec<Option<Rc<Run>>> {
        let new: Vec<By> =
            by.iter().copied().filter(|&one| !self.runs.contains_key(&(one, model))).collect();
        let commands: Vec<_> = new.iter().map(|&one| self.command(model, one)).collect();
        for (one, measured) in new.into_iter().zip(in_turns(commands)) {
            let run = measured.and_then(|measured| run(model, one, measured)).map(Rc::new);
            self.runs.insert((one, model), run);
        }
        by.iter().map(|&one| self.runs[&(one, model)].clone()).collect()
    }

    fn command(&mut self, model: Model, by: By) -> Option<Command> {
        match by {
            By::Us(way) => Some(model.explored(way)),
            By::Rumur { sorting } => {
                let reduction = if sorting { Reduction::Heuristic } else { Reduction::Off };
                self.verifier(model, reduction).map(|verifier| verifier.command())
            }
            By::Spin { depth, table } => {
                let pan = self.pan(model, Aim::States)?;
                Some(pan.command(depth, table))
            }
        }
    }

    fn verifier(&self, model: Model, reduction: Reduction) -> Option<Verifier> {
        if !self.has_rumur {
            return None;
        }
        let text = rumur::translated(&model.text(), &model.definitions());
        let name = format!("{model}_{reduction:?}").replace([' ', '='], "_");
        let made = Verifier::new(&self.folder, &name, &text, Deadlock::Off, reduction, "-O3");
        made.inspect_err(|message| {
            let reason = message.lines().next().unwrap_or_default();
            let reason = reason.rsplit('/').next().unwrap_or_default();
            println!("{model}: rumur refuses it: {reason}");
        })
        .ok()
    }

    /// Spin's verifier of the Promela version of a model, if Spin is here.
    pub(crate) fn pan(&mut self, model: Model, aim: Aim) -> Option<Rc<Pan>> {
        if !self.has_spin {
            return None;
        }
        let folder = &self.folder;
        let make = || Rc::new(Pan::new(folder, model.name, model.size(), aim, "-O3"));
        Some(Rc::clone(self.pans.entry((model, aim)).or_insert_with(make)))
    }
}

/// Runs programs in turns; what the best run of each took.
pub(crate) fn in_turns(mut commands: Vec<Option<Command>>) -> Vec<Option<Measured>> {
    let mut best: Vec<Option<Measured>> = commands.iter().map(|_| None).collect();
    for _ in 0..TIMES {
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let Some(command) = command else { continue };
            let least = best.as_ref().map_or(Duration::MAX, |best| best.time);
            if best.is_some() && least > LONG {
                continue;
            }
            let measured = measure_within(PATIENCE, command);
            eprintln!(
                "{:>8.2} s, {:>8.2} s of work: {}",
                measured.time.as_secs_f64(),
                measured.work,
                shown(command)
            );
            if measured.time < least {
                *best = Some(measured);
            }
        }
    }
    best
}

/// A command without its folders.
fn shown(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words =
        words.map(|word| word.to_string_lossy().rsplit('/').next().unwrap_or("").to_owned());
    words.collect::<Vec<_>>().join(" ")
}

fn run(model: Model, by: By, measured: Measured) -> Option<Run> {
    let seconds = measured.time.as_secs_f64();
    let (states, fired) = match by {
        By::Us(_) => {
            let report = rumur::report(&measured.output)
                .unwrap_or_else(|| panic!("{model}: no result\n{}", measured.output));
            (report.states, report.fired)
        }
        By::Rumur { .. } => {
            let report = rumur::report(&measured.output)?;
            (report.states, report.fired)
        }
        By::Spin { .. } => {
            let report = spin::report(&measured.output)
                .unwrap_or_else(|| panic!("{model}: no result of Spin\n{}", measured.output));
            (report.stored, report.transitions)
        }
    };
    Some(Run { states, fired, seconds, measured })
}
