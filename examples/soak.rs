//! Runs the differential suites for as long as asked, with one seed after another.
//!
//! ```text
//! cargo run --release --example soak -- --questions 1000000 --seed 1
//! cargo run --release --example soak -- --minutes 60 --seed 5000 --suites fairness,verdicts --csv soak.csv
//! cargo run --release --example soak -- --list
//! ```
//!
//! Each seed is a system of its own in every suite (crate `suites`): small enough for a reference that decides by
//! definition. A wrong answer is printed with its suite and seed, and the run goes on. At the end there are totals by
//! suite, and the seed to begin with next time: a long run may be made of short ones.
//!
//! The exit code is 1 if an answer was wrong, else 0.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is what it prints")]

use clap::Parser;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use suites::{ALL, Counts, Suite};

/// A case that takes longer is reported while it runs.
const LONG: Duration = Duration::from_secs(300);

/// How often totals are printed on standard error.
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// Run the differential suites with one seed after another
#[derive(Parser)]
struct Options {
    /// Stop when so many questions are decided, over all suites
    #[arg(long, value_name = "N")]
    questions: Option<u64>,
    /// Stop after so many minutes
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// Stop after so many seeds; 1000 if there is no other limit
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The suites to run, by name; all, if none is given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    suites: Vec<String>,
    /// How many seeds are looked at at the same time
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Append the totals to a file of comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// List the suites, and run none
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let mut options = Options::parse();
    if options.list {
        for Suite { name, about, .. } in ALL {
            println!("{name:<22} {about}");
        }
        return ExitCode::SUCCESS;
    }
    if options.questions.is_none() && options.minutes.is_none() {
        options.seeds.get_or_insert(1000);
    }
    let unknown = options.suites.iter().find(|name| !ALL.iter().any(|one| one.name == **name));
    if let Some(name) = unknown {
        eprintln!("error: there is no suite `{name}`; --list lists all");
        return ExitCode::from(2);
    }
    let is_asked = |one: &&Suite| {
        options.suites.is_empty() || options.suites.iter().any(|name| name == one.name)
    };
    let totals = ALL.iter().filter(is_asked).map(Total::new).collect();
    let soak = Soak { next: AtomicU64::new(options.seed), began: Instant::now(), totals, options };
    soak.run();
    print!("{}", soak.table());
    if let Some(file) = &soak.options.csv
        && let Err(error) = soak.append(file)
    {
        eprintln!("error: cannot write to {}: {error}", file.display());
        return ExitCode::from(2);
    }
    ExitCode::from(u8::from(soak.totals.iter().any(|total| total.wrong() > 0)))
}

/// A suite, and all that was compared by it.
struct Total {
    suite: Suite,
    counts: Counts,
    wrong: AtomicUsize,
    /// The time that it took, over all threads, in microseconds.
    time: AtomicU64,
}

impl Total {
    fn new(suite: &Suite) -> Self {
        let (wrong, time) = (AtomicUsize::new(0), AtomicU64::new(0));
        Total { suite: *suite, counts: Counts::default(), wrong, time }
    }

    fn wrong(&self) -> usize {
        self.wrong.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> f64 {
        Duration::from_micros(self.time.load(Ordering::Relaxed)).as_secs_f64()
    }

    /// Looks at the system of a seed.
    fn look(&self, seed: u64) {
        let began = Instant::now();
        let case = AssertUnwindSafe(|| (self.suite.case)(seed, &self.counts));
        if catch_unwind(case).is_err() {
            self.wrong.fetch_add(1, Ordering::Relaxed);
            let name = self.suite.name;
            eprintln!(
                "WRONG: suite {name}, seed {seed}; again by\n  cargo run --release --example soak -- \
                 --suites {name} --seed {seed} --seeds 1"
            );
        }
        self.time.fetch_add(began.elapsed().as_micros() as u64, Ordering::Relaxed);
    }
}

struct Soak {
    options: Options,
    began: Instant,
    /// The next seed. When the run is over, all before it have been looked at by all suites.
    next: AtomicU64,
    totals: Vec<Total>,
}

/// What a thread is doing: the suite, the seed, and since when.
type Current = Mutex<Option<(&'static str, u64, Instant)>>;

impl Soak {
    fn run(&self) {
        let threads = self
            .options
            .threads
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1)
            .max(1);
        let current: Vec<Current> = (0..threads).map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                current.iter().map(|current| scope.spawn(move || self.work(current))).collect();
            let mut reported = Instant::now();
            while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                std::thread::sleep(Duration::from_millis(50));
                for current in &current {
                    report_long(current);
                }
                if reported.elapsed() > REPORT_EVERY {
                    reported = Instant::now();
                    eprint!("{}", self.table());
                }
            }
        });
    }

    fn work(&self, current: &Current) {
        while !self.is_over() {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            for total in &self.totals {
                *current.lock().expect("no thread panics with the lock") =
                    Some((total.suite.name, seed, Instant::now()));
                total.look(seed);
            }
        }
        *current.lock().expect("no thread panics with the lock") = None;
    }

    fn is_over(&self) -> bool {
        let Options { questions, minutes, seeds, seed, .. } = &self.options;
        let decided = || self.totals.iter().map(|total| total.counts.totals()[1]).sum::<u64>();
        questions.is_some_and(|most| decided() >= most)
            || minutes.is_some_and(|most| self.began.elapsed().as_secs_f64() >= most * 60.0)
            || seeds.is_some_and(|most| self.next.load(Ordering::Relaxed) - seed >= most)
    }

    /// The totals, for people.
    fn table(&self) -> String {
        let mut rows = vec![
            ["suite", "systems", "questions", "answers", "undecided", "wrong", "seconds"]
                .map(str::to_owned),
        ];
        let mut sums = ([0; 4], 0, 0.0);
        for total in &self.totals {
            let counts = total.counts.totals();
            for (sum, one) in sums.0.iter_mut().zip(counts) {
                *sum += one;
            }
            sums.1 += total.wrong();
            sums.2 += total.seconds();
            rows.push(row(total.suite.name, counts, total.wrong(), total.seconds()));
        }
        rows.push(row("all", sums.0, sums.1, sums.2));
        let mut text = String::new();
        for [name, numbers @ ..] in rows {
            let _ = write!(text, "{name:<22}");
            for number in numbers {
                let _ = write!(text, "{number:>12}");
            }
            text.push('\n');
        }
        let (time, seed) = (self.began.elapsed(), self.options.seed);
        let next = self.next.load(Ordering::Relaxed);
        let _ = writeln!(text, "{time:.0?} since seed {seed}; next seed: {next}");
        text
    }

    /// The totals, for programs.
    fn append(&self, path: &Path) -> std::io::Result<()> {
        let is_new = !path.exists();
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        if is_new {
            writeln!(file, "seed,next,suite,systems,questions,answers,undecided,wrong,seconds")?;
        }
        let (seed, next) = (self.options.seed, self.next.load(Ordering::Relaxed));
        for total in &self.totals {
            let [systems, questions, answers, undecided] = total.counts.totals();
            writeln!(
                file,
                "{seed},{next},{},{systems},{questions},{answers},{undecided},{},{:.1}",
                total.suite.name,
                total.wrong(),
                total.seconds()
            )?;
        }
        Ok(())
    }
}

fn row(name: &str, counts: [u64; 4], wrong: usize, seconds: f64) -> [String; 7] {
    let [systems, questions, answers, undecided] = counts.map(|one| one.to_string());
    let (wrong, seconds) = (wrong.to_string(), format!("{seconds:.1}"));
    [name.to_owned(), systems, questions, answers, undecided, wrong, seconds]
}

/// Names a case that takes long, once.
fn report_long(current: &Current) {
    let mut current = current.lock().expect("no thread panics with the lock");
    if let Some((name, seed, began)) = *current
        && began.elapsed() > LONG
    {
        eprintln!("suite {name}, seed {seed}: it has taken {:.0?} so far", began.elapsed());
        *current = None;
    }
}
