//! How fast are representatives explored, and how does that compare with rumur?
//!
//! `cargo bench --bench symmetry` runs the models of its table with one representative per orbit, by
//! one thread and by two, and with states that are only sorted; and rumur's verifier beside them, where
//! rumur and gcc are installed: its heuristic mode, which sorts, too (gcc -O3, one thread, without the
//! schedules that its traces need). Each is a process of its own, so that times include everything and
//! peak memory is comparable. Nobody looks for deadlocks. rumur may have several states of an orbit:
//! the ratio `each` is of the times per state that was found, `all` of the whole times. On a busy
//! machine the work, in seconds of processors, says more than the time.
//!
//! `cargo bench --bench symmetry -- FILE N=5 ...` runs another model.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::cast_precision_loss, reason = "figures of three digits")]

#[path = "../tests/measured/mod.rs"]
mod measured;
#[path = "../tests/rumur/mod.rs"]
mod rumur;

use isonomy::explore::{Deadlock, Options, Symmetry, explore};
use isonomy::model::{Definition, check};
use isonomy::system::CompiledModel;
use measured::{Measured, measure};
use rumur::{Reduction, Verifier, report, translated};
use std::path::Path;
use std::process::Command;

/// Fixtures with more than 100,000 representatives.
const MODELS: [&[&str]; 5] = [
    &["fixtures/models/peterson.m", "N=8"],
    &["fixtures/models/german.m", "N=5", "D=2"],
    &["fixtures/models/german.m", "N=6", "D=1"],
    &["fixtures/models/mcs_lock_stepwise.m", "N=5"],
    &["fixtures/models/two_phase_commit.m", "N=26"],
];

/// The argument that makes a process explore one model, and print its counts.
const ALONE: &str = "--alone";

/// What follows it, if states are only to be sorted.
const SORTED: &str = "sorted";

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [ALONE, way, threads, model @ ..] => {
            let symmetry = if *way == SORTED { Symmetry::Sorted } else { Symmetry::Canonical };
            alone(symmetry, threads.parse().expect("a number"), model);
        }
        [] => compare(&MODELS),
        models => {
            let is_file = |word: &str| !word.contains('=');
            let groups = models.chunk_by(|_, next| !is_file(next)).collect::<Vec<_>>();
            compare(&groups);
        }
    }
}

/// Explores a model in this process.
fn alone(symmetry: Symmetry, threads: usize, model: &[&str]) {
    let (text, definitions) = read(model);
    let model = check(&text, &definitions).unwrap_or_else(|errors| panic!("{errors:?}"));
    let system = CompiledModel::new(&model);
    let deadlock = Deadlock::Off;
    let options = Options { deadlock, threads, symmetry, ..Options::default() };
    let found = explore(&system, &options, &mut |_| None);
    println!(
        "{} states, {} rules fired in {} s: {}; for {} states in all",
        found.progress.states,
        found.progress.fired,
        found.time.as_secs(),
        if found.violations.is_empty() { "No error found." } else { "errors" },
        found.full.map_or("unknown".to_owned(), |full| full.states.to_string()),
    );
}

fn read(model: &[&str]) -> (String, Vec<Definition>) {
    let (file, definitions) = model.split_first().expect("a model has a file");
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let definitions = definitions.iter().map(|one| {
        let (name, value) = one.split_once('=').expect("NAME=VALUE");
        Definition { name: name.to_owned(), value: value.to_owned() }
    });
    (text, definitions.collect())
}

/// Prints the table.
fn compare(models: &[&[&str]]) {
    if let Some(program) = rumur::missing() {
        println!("SKIPPED: {program} is not installed, there is no comparison with rumur");
    }
    println!(
        "{:<37} {:<9} {:>8} {:>9} {:>7} {:>7} {:>9} {:>8} {:>6} {:>6}",
        "model", "by", "states", "fired", "s", "work s", "states/s", "peak MB", "each", "all"
    );
    for model in models {
        let name = Path::new(model[0]).file_stem().expect("a file has a name").to_string_lossy();
        let title = format!("{name} {}", model[1..].join(" "));
        let theirs = verifier(&name, model).map(|verifier| measure(&mut verifier.command()));
        // One that takes too long is stopped, and says nothing.
        let theirs = theirs.filter(|theirs| report(&theirs.output).is_some());
        let mut rows = Vec::from_iter(theirs.map(|theirs| ("rumur", theirs)));
        for (by, way, threads) in
            [("1 thread", "exact", "1"), ("2 threads", "exact", "2"), ("sorted", SORTED, "1")]
        {
            let program = std::env::current_exe().expect("this program has a path");
            let ours = measure(Command::new(program).args([ALONE, way, threads]).args(*model));
            rows.push((by, ours));
        }
        for (by, measured) in &rows {
            let counts = report(&measured.output);
            let counts =
                counts.unwrap_or_else(|| panic!("{title}, {by}: no result\n{}", measured.output));
            row(&title, by, measured, counts.states, &rows[0].1);
        }
        let states: Vec<_> = rows.iter().map(|(_, one)| report(&one.output)).collect();
        let states: Vec<_> = states.into_iter().flatten().map(|one| one.states).collect();
        let [.., one, two, _] = states[..] else { unreachable!("three runs are ours") };
        assert_eq!(one, two, "{title}: one thread and two");
        assert!(states.iter().all(|&sorted| sorted >= one), "{title}: there are {one} orbits");
    }
}

fn row(title: &str, by: &str, measured: &Measured, states: u64, first: &Measured) {
    let seconds = measured.time.as_secs_f64();
    let Some(firsts) = report(&first.output) else { return };
    let each = |time: f64, states: u64| time / states as f64;
    let first_seconds = first.time.as_secs_f64();
    println!(
        "{title:<37} {by:<9} {states:>8} {:>9} {seconds:>7.2} {:>7.2} {:>9.0} {:>8.1} {:>6.2} {:>6.2}",
        report(&measured.output).map_or(0, |report| report.fired),
        measured.work,
        states as f64 / seconds,
        measured.peak as f64 / 1e6,
        each(first_seconds, firsts.states) / each(seconds, states),
        first_seconds / seconds,
    );
}

/// rumur's verifier of a model, if that can be had.
fn verifier(name: &str, model: &[&str]) -> Option<Verifier> {
    if rumur::missing().is_some() {
        return None;
    }
    let (text, definitions) = read(model);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symmetry");
    std::fs::create_dir_all(&folder).expect("a folder for verifiers");
    let text = translated(&text, &definitions);
    match Verifier::new(&folder, name, &text, Deadlock::Off, Reduction::Heuristic, "-O3") {
        Ok(verifier) => Some(verifier),
        Err(message) => {
            println!("{name}: rumur refuses it: {}", message.lines().next().unwrap_or_default());
            None
        }
    }
}
