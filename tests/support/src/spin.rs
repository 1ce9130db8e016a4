//! Spin beside us: its verifiers of our Promela versions, and what they say.

use crate::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that are needed.
pub const PROGRAMS: [&str; 2] = ["spin", "gcc"];

/// What a verifier is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aim {
    /// All states, and nothing else. Variables that nobody reads any more keep their values, as ours do: so
    /// the states are the same.
    States,
    /// The formula in the file, under weak fairness. Everything that Spin does by itself is allowed.
    Liveness,
}

/// A verifier that Spin has made, without partial order reduction.
pub struct Pan {
    program: PathBuf,
    aim: Aim,
}

/// What a verifier says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// Different states.
    pub stored: u64,
    /// Transitions, with those to known states.
    pub transitions: u64,
    /// How deep the search was.
    pub depth: u64,
    /// Whether no error was found.
    pub passes: bool,
}

impl Pan {
    /// Makes the verifier of `benches/peers/{model}.pml` for N processes, in a folder of its own.
    pub fn new(folder: &Path, model: &str, n: u32, aim: Aim, optimisation: &str) -> Pan {
        let folder = folder.join(format!("{model}_{n}_{aim:?}"));
        fs::create_dir_all(&folder).expect("a folder for a verifier");
        let source = root().join(format!("benches/peers/{model}.pml"));
        let mut spin = Command::new("spin");
        spin.arg(format!("-DN={n}"));
        let mut gcc = Command::new("gcc");
        gcc.args([optimisation, "-march=native", "-w", "-DNOREDUCE", "-DMEMLIM=8000"]);
        // The table is as large as is asked for: under fairness it would grow by visits, not by states.
        gcc.arg("-DNO_RESIZE");
        match aim {
            Aim::States => {
                spin.arg("-o2");
                gcc.arg("-DSAFETY");
            }
            Aim::Liveness => {
                spin.arg("-DLIVENESS");
                // Each unit is for four processes, less two in all; the automaton is a process, too.
                gcc.arg(format!("-DNFAIR={}", (n + 2) / 4 + 1));
            }
        }
        succeed(spin.arg("-a").arg(source).current_dir(&folder));
        let program = folder.join("pan");
        succeed(gcc.args(["-o", "pan", "pan.c"]).current_dir(&folder));
        Pan { program, aim }
    }

    /// How it is run, with a stack of `depth` and a table of two to the power of `table` entries.
    pub fn command(&self, depth: u64, table: u32) -> Command {
        let mut command = Command::new(&self.program);
        command.args([format!("-m{depth}"), format!("-w{table}")]);
        match self.aim {
            // States without steps are no errors here.
            Aim::States => command.arg("-E"),
            Aim::Liveness => command.args(["-a", "-f"]),
        };
        // It writes a trail of what it finds wrong where it is.
        command.current_dir(self.program.parent().expect("a folder"));
        command
    }
}

fn succeed(command: &mut Command) {
    let output = command.output().expect("the program is here");
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What a verifier's output says; `None` if it has not seen everything.
pub fn report(text: &str) -> Option<Report> {
    let is_cut = ["search depth too small", "out of memory", "too many processes"];
    if is_cut.iter().any(|words| text.contains(words)) {
        return None;
    }
    // Eight digits are exact; more are only seen under fairness.
    let number = |behind: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.contains(behind))?;
        let number = line.split_whitespace().next()?.parse::<f64>().ok()?;
        format!("{number:.0}").parse().ok()
    };
    let (_, depth) = text.split_once("depth reached ")?;
    let (_, errors) = text.split_once("errors: ")?;
    Some(Report {
        stored: number(" states, stored")?,
        transitions: number(" transitions (=")?,
        depth: depth.split(',').next()?.parse().ok()?,
        passes: errors.lines().next()?.trim() == "0",
    })
}
