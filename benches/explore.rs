//! How fast are states explored, and how does that compare with rumur?
//!
//! `cargo bench --bench explore` runs the models of its table with one thread and with two, and
//! rumur's verifier (gcc -O3, one thread) beside them where rumur and gcc are installed. Each is a
//! process of its own, so that times include everything and peak memory is comparable. All must
//! agree on the states and the firings; nobody looks for deadlocks, and symmetry is off. On a busy
//! machine the work, in seconds of processors, says more than the time that the ratio is of.
//!
//! `cargo bench --bench explore -- FILE N=5 ...` runs another model.
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

/// Fixtures with more than 100,000 states.
const MODELS: [&[&str]; 6] = [
    &["fixtures/models/peterson.m", "N=5"],
    &["fixtures/models/german.m", "N=4", "D=1"],
    &["fixtures/models/database_managers.m", "N=10"],
    &["fixtures/models/two_phase_commit.m", "N=7"],
    &["fixtures/models/resource_controller.m", "N=15"],
    &["fixtures/models/readers_writers.m", "READERS=8", "WRITERS=5"],
];

/// The argument that makes a process explore one model, and print its counts.
const ALONE: &str = "--alone";

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [ALONE, threads, model @ ..] => alone(threads.parse().expect("a number"), model),
        [] => compare(&MODELS),
        models => {
            let is_file = |word: &str| !word.contains('=');
            let groups = models.chunk_by(|_, next| !is_file(next)).collect::<Vec<_>>();
            compare(&groups);
        }
    }
}

/// Explores a model in this process.
fn alone(threads: usize, model: &[&str]) {
    let (text, definitions) = read(model);
    let model = check(&text, &definitions).unwrap_or_else(|errors| panic!("{errors:?}"));
    let system = CompiledModel::new(&model);
    let deadlock = Deadlock::Off;
    let options = Options { deadlock, threads, symmetry: Symmetry::Off, ..Options::default() };
    let found = explore(&system, &options, &mut |_| None);
    println!(
        "{} states, {} rules fired in {} s: {}; {:.1} bytes per state, {} of them packed; {} rules interpreted",
        found.progress.states,
        found.progress.fired,
        found.time.as_secs(),
        if found.violations.is_empty() { "No error found." } else { "errors" },
        found.memory as f64 / found.progress.states as f64,
        found.state_bytes,
        system.interpreted(),
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
        "{:<37} {:<9} {:>8} {:>9} {:>7} {:>7} {:>9} {:>10} {:>8} {:>6}",
        "model",
        "by",
        "states",
        "fired",
        "s",
        "work s",
        "states/s",
        "firings/s",
        "peak MB",
        "ratio"
    );
    for model in models {
        let name = Path::new(model[0]).file_stem().expect("a file has a name").to_string_lossy();
        let title = format!("{name} {}", model[1..].join(" "));
        let theirs = verifier(&name, model).map(|verifier| measure(&mut verifier.command()));
        let mut rows = Vec::from_iter(theirs.map(|theirs| ("rumur", theirs)));
        for (by, threads) in [("1 thread", "1"), ("2 threads", "2")] {
            let program = std::env::current_exe().expect("this program has a path");
            let ours = measure(Command::new(program).args([ALONE, threads]).args(*model));
            rows.push((by, ours));
        }
        let mut first = None;
        for (by, measured) in &rows {
            row(&title, by, measured, &rows[0].1);
            let counts = report(&measured.output);
            assert!(counts.is_some(), "{title}, {by}: no result\n{}", measured.output);
            assert_eq!(counts, *first.get_or_insert(counts), "{title}, {by}: other counts");
        }
    }
}

fn row(title: &str, by: &str, measured: &Measured, first: &Measured) {
    let seconds = measured.time.as_secs_f64();
    let Some(report) = report(&measured.output) else { return };
    println!(
        "{title:<37} {by:<9} {:>8} {:>9} {seconds:>7.2} {:>7.2} {:>9.0} {:>10.0} {:>8.1} {:>6.2}",
        report.states,
        report.fired,
        measured.work,
        report.states as f64 / seconds,
        report.fired as f64 / seconds,
        measured.peak as f64 / 1e6,
        first.time.as_secs_f64() / seconds,
    );
}

/// rumur's verifier of a model, if that can be had.
fn verifier(name: &str, model: &[&str]) -> Option<Verifier> {
    if rumur::missing().is_some() {
        return None;
    }
    let (text, definitions) = read(model);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore");
    std::fs::create_dir_all(&folder).expect("a folder for verifiers");
    let text = translated(&text, &definitions);
    match Verifier::new(&folder, name, &text, Deadlock::Off, Reduction::Off, "-O3") {
        Ok(verifier) => Some(verifier),
        Err(message) => {
            println!("{name}: rumur refuses it: {}", message.lines().next().unwrap_or_default());
            None
        }
    }
}
