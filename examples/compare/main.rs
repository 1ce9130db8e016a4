//! Compares two binaries of Isonomy: the same commands on all fixtures must give the same results.
//!
//! ```text
//! cargo run --example compare --release -- OLD NEW
//! cargo run --example compare --release -- OLD NEW --quick
//! cargo run --example compare --release -- OLD NEW --only peterson.m --jobs 1
//! ```
//!
//! `OLD` is a binary of an earlier commit, kept outside the repository. A change that is not meant
//! to change behaviour leaves every byte of standard output, standard error and written files as it
//! was, and every exit code; [`normal`] masks times and memory, nothing else. Limits of commands are
//! numbers of states, so that a run does not depend on the speed of the machine.
//!
//! The exit code is 1 if some run differs, 3 if some run could not be compared, else 0.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what it prints")]

mod cases;
mod difference;
mod formulas;
mod normal;
mod process;
mod replays;

use cases::Case;
use clap::Parser;
use difference::excerpt;
use normal::normalised;
use process::{Binary, Ended, Folder};
use replays::Replays;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// With `--quick`, one of so many cases is run: each model has every kind of command at times, and
/// each combination of options is tried on some models.
const QUICK: usize = 8;

/// Differences that are shown with an excerpt; further ones are listed by their commands.
const MOST_EXCERPTS: usize = 12;
const MOST_COMMANDS: usize = 60;

/// A run that ends within this part of the time limit was not near it.
const FAST_PART: u32 = 4;

/// Compare two binaries of Isonomy on all fixtures
#[derive(Parser)]
struct Options {
    /// The binary that is taken to be right
    old: PathBuf,
    /// The binary that is compared with it
    new: PathBuf,
    /// How many commands run at the same time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Run only commands that contain this text; `fixtures/models/mesi.m` and `--dot` are examples
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    only: Option<String>,
    /// Run an eighth of the commands
    #[arg(long)]
    quick: bool,
    /// The checkout whose fixtures OLD reads; files that moved are found by their names
    #[arg(long, value_name = "DIR")]
    old_root: Option<PathBuf>,
    /// A command that takes longer is stopped
    #[arg(long, value_name = "SECS", default_value_t = 60)]
    limit: u64,
    /// List the commands, and run none
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let limit = Duration::from_secs(options.limit);
    let old_root = options.old_root.as_deref().unwrap_or(root);
    let old = Binary::new(&options.old, old_root, root, limit);
    let new = Binary::new(&options.new, root, root, limit);
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(fault), _) | (_, Err(fault)) => {
            eprintln!("error: {fault}");
            return ExitCode::from(2);
        }
    };
    let groups = cases::all(root, &old);
    let mut chosen = Vec::new();
    for (g, group) in groups.into_iter().enumerate() {
        for (k, case) in group.into_iter().enumerate() {
            let is_sampled = !options.quick || (g + k) % QUICK == 0;
            let is_asked = options.only.as_ref().is_none_or(|part| case.shown().contains(part));
            if is_sampled && is_asked {
                chosen.push(case);
            }
        }
    }
    if options.list {
        for case in &chosen {
            println!("{}", case.shown());
        }
        return ExitCode::SUCCESS;
    }
    let jobs = options.jobs.or_else(|| std::thread::available_parallelism().ok().map(Into::into));
    Comparison { old, new, limit }.run(&chosen, jobs.unwrap_or(1).max(1))
}

/// Two binaries that should do the same.
struct Comparison<'a> {
    old: Binary<'a>,
    new: Binary<'a>,
    limit: Duration,
}

/// The outcome of a case.
enum Outcome {
    Equal,
    /// An excerpt of what differs.
    Different(String),
    /// Why the case says nothing.
    Incomparable(String),
}

/// A case that was run.
struct Done {
    /// The command of isonomy: `check`, `explore`, ...
    word: String,
    shown: String,
    outcome: Outcome,
    /// The file that a replay reads, if the binaries differ about it.
    result: Option<String>,
    /// How long the slower binary took.
    slower: Duration,
    /// How long both took.
    time: Duration,
}

impl Comparison<'_> {
    /// Runs all cases and prints the report.
    fn run(&self, cases: &[Case], jobs: usize) -> ExitCode {
        let began = Instant::now();
        let (next, replays) = (AtomicUsize::new(0), Replays::default());
        let all = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for job in 0..jobs {
                let (next, replays, all) = (&next, &replays, &all);
                scope.spawn(move || {
                    let folder = Folder::new(job);
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let done = self.with_replays(case, replays, &folder);
                        let mut all = all.lock().expect("no thread panics with the lock");
                        all.extend(done);
                    }
                });
            }
            let mut said = 0;
            while next.load(Ordering::Relaxed) < cases.len() {
                std::thread::sleep(Duration::from_millis(100));
                let number = next.load(Ordering::Relaxed).min(cases.len());
                if number >= said + 1000 {
                    said = number;
                    eprintln!("{number} of {} cases after {:.0?}", cases.len(), began.elapsed());
                }
            }
        });
        let all = all.into_inner().expect("no thread panics with the lock");
        report(all, began.elapsed())
    }

    /// Runs a case, and replays of the counterexamples that it finds.
    fn with_replays(&self, case: &Case, replays: &Replays, folder: &Folder) -> Vec<Done> {
        let (done, output) = self.compare(case, folder);
        let mut all = vec![done];
        if let (Some(definitions), Some(output)) = (&case.replayed, output) {
            for further in replays.of(case, definitions, &output) {
                all.push(self.compare(&further, folder).0);
            }
        }
        all
    }

    /// Runs a case with both binaries; also returns the old standard output.
    fn compare(&self, case: &Case, folder: &Folder) -> (Done, Option<String>) {
        let mut runs = [self.old.run(case, folder), self.new.run(case, folder)];
        let mut shown = case.shown();
        let mut outcome = self.outcome(case, &runs);
        // Where several threads are when the limit is reached is a matter of chance.
        if let (Outcome::Different(_), Some(alone)) = (&outcome, case.by_one_thread())
            && runs.iter().flatten().any(|run| case.is_limited(&run.out))
        {
            runs = [self.old.run(&alone, folder), self.new.run(&alone, folder)];
            shown = alone.shown();
            outcome = self.outcome(&alone, &runs);
        }
        let times = runs.each_ref().map(|run| run.as_ref().map_or(Duration::ZERO, |run| run.time));
        let (slower, time) = (times[0].max(times[1]), times.iter().sum());
        let word = case.arguments.first().cloned().unwrap_or_default();
        let [old, _] = runs;
        let is_different = matches!(outcome, Outcome::Different(_));
        let result = case.result.clone().filter(|_| is_different);
        (Done { word, shown, outcome, result, slower, time }, old.ok().and_then(Ended::text))
    }

    fn outcome(&self, case: &Case, runs: &[Result<Ended, String>; 2]) -> Outcome {
        let (old, new) = match runs {
            [Ok(old), Ok(new)] => (old, new),
            [Err(fault), _] | [_, Err(fault)] => return Outcome::Incomparable(fault.clone()),
        };
        match (old.is_stopped, new.is_stopped) {
            (true, true) => return Outcome::Incomparable("both took too long".to_owned()),
            (false, false) => {}
            (is_old, _) => {
                let (slow, time) = if is_old { ("OLD", new.time) } else { ("NEW", old.time) };
                let words = format!("{slow} was stopped, the other took {time:.1?}");
                return if time < self.limit / FAST_PART {
                    Outcome::Different(words)
                } else {
                    Outcome::Incomparable(words)
                };
            }
        }
        let mut differences = Vec::new();
        if old.code != new.code {
            differences.push(format!("exit code {} -> {}", code(old), code(new)));
        }
        let streams = [
            ("standard output", Some(&old.out), Some(&new.out), case.form),
            ("standard error", Some(&old.err), Some(&new.err), normal::Form::Exact),
            ("the file", old.file.as_ref(), new.file.as_ref(), case.file_form()),
        ];
        for (name, old, new, form) in streams {
            let text = |bytes: Option<&Vec<u8>>| bytes.map(|bytes| normalised(bytes, form));
            let (old, new) = (text(old), text(new));
            if old != new {
                let [old, new] =
                    [old, new].map(|text| text.unwrap_or_else(|| "(not written)".to_owned()));
                differences.push(format!("{name}\n{}", excerpt(&old, &new, form)));
            }
        }
        if differences.is_empty() {
            Outcome::Equal
        } else {
            Outcome::Different(differences.join("\n"))
        }
    }
}

fn code(run: &Ended) -> String {
    run.code.map_or("by a signal".to_owned(), |code| code.to_string())
}

/// Prints what was found.
fn report(mut all: Vec<Done>, time: Duration) -> ExitCode {
    all.sort_by(|a, b| a.shown.cmp(&b.shown));
    let mut counts: BTreeMap<&str, ([usize; 3], Duration)> = BTreeMap::new();
    let (mut different, mut incomparable) = (Vec::new(), Vec::new());
    for done in &all {
        let (counts, time) = counts.entry(&done.word).or_default();
        *time += done.time;
        match &done.outcome {
            Outcome::Equal => counts[0] += 1,
            Outcome::Different(excerpt) => {
                counts[1] += 1;
                different.push((done, excerpt));
            }
            Outcome::Incomparable(reason) => {
                counts[2] += 1;
                incomparable.push((done, reason));
            }
        }
    }
    for (k, (done, excerpt)) in different.iter().enumerate() {
        if k < MOST_EXCERPTS {
            println!("different: isonomy {}\n{excerpt}", done.shown);
            if let Some(path) = done.result.as_ref().and_then(|text| process::keep(k, text)) {
                println!("{{result}} is {}", path.display());
            }
            println!();
        } else if k < MOST_EXCERPTS + MOST_COMMANDS {
            println!("different: isonomy {}", done.shown);
        }
    }
    if different.len() > MOST_EXCERPTS + MOST_COMMANDS {
        println!("and {} more", different.len() - MOST_EXCERPTS - MOST_COMMANDS);
    }
    for (done, reason) in &incomparable {
        println!("incomparable: isonomy {}: {reason}", done.shown);
    }
    println!("{:<14}{:>8}{:>12}{:>14}{:>8}", "", "equal", "different", "incomparable", "time");
    for (word, ([equal, different, incomparable], time)) in &counts {
        let time = time.as_secs();
        println!("{word:<14}{equal:>8}{different:>12}{incomparable:>14}{time:>6} s");
    }
    if let Some(slowest) = all.iter().max_by_key(|done| done.slower) {
        println!("slowest: {:.1?}, isonomy {}", slowest.slower, slowest.shown);
    }
    println!(
        "{} runs in {time:.0?}: {} equal, {} different, {} incomparable",
        all.len(),
        all.len() - different.len() - incomparable.len(),
        different.len(),
        incomparable.len()
    );
    match (different.is_empty(), incomparable.is_empty()) {
        (false, _) => ExitCode::from(1),
        (true, false) => ExitCode::from(3),
        (true, true) => ExitCode::SUCCESS,
    }
}
