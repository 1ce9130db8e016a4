//! Nets of the Model Checking Contest: how many questions are answered, and whether any answer is wrong.
//!
//! ```text
//! cargo bench --bench nets                              all that is not in the CSV file yet
//! cargo bench --bench nets -- plain Philosophers LTLC   some: folders, families or instances, categories
//! cargo bench --bench nets -- --ltl-seconds 5 --seconds 3 --memory 2G --csv quick.csv
//! cargo bench --bench nets -- --minutes 9               stops then; to be continued by the same command
//! cargo bench --bench nets -- --symmetry off            without symmetry, whose answers must be the same
//! cargo bench --bench nets -- --table                   only prints what is in the CSV file
//! ```
//!
//! The nets are beside the repository. Each category of each instance is a process of its own, with one
//! thread; its result is appended to the CSV file. The next time it is skipped if all was answered, or
//! if it ran out of memory, or if it had as much time as there is now. So short limits come first, for
//! all, and the same command with longer ones asks only what is open. In the end there is a table by
//! family of all that is in the file: of several rows of a category the one with the most answers counts.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::contest::{self, Answered, CATEGORIES, Instance, Unpacked};

const USAGE: &str = "usage: cargo bench --bench nets -- [--ltl-seconds N] [--seconds N] \
                     [--memory SIZE] [--minutes N] [--csv FILE] [--table] [--symmetry auto|off] [plain|coloured|FAMILY|INSTANCE|CATEGORY]...";

const HEADER: &str = "instance,category,asked,agreed,wrong,end,limit,seconds,megabytes";

/// The folders of instances: place/transition nets and symmetric nets.
const KINDS: [&str; 2] = ["plain", "coloured"];

struct Options {
    temporal_seconds: u64,
    seconds: u64,
    memory: &'static str,
    symmetry: &'static str,
    until: Option<Instant>,
    csv: PathBuf,
    /// Whether nothing is asked.
    is_table: bool,
    /// Folders, families, instances or categories; of each kind none means all.
    words: BTreeSet<String>,
}

fn main() {
    let Some(options) = Options::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/mcc"));
    if !corpus.is_dir() {
        eprintln!("SKIPPED: there are no nets at {}", corpus.display());
        return;
    }
    let instances = KINDS.iter().flat_map(|kind| contest::instances(&corpus.join(kind)));
    let is_complete = options.is_table || run(&instances.collect::<Vec<_>>(), &options);
    let text = fs::read_to_string(&options.csv).unwrap_or_default();
    print!("{}", table(&text));
    if !is_complete {
        println!("to be continued: the same command goes on");
    }
}

impl Options {
    fn read(words: impl Iterator<Item = String>) -> Option<Options> {
        let mut options = Options {
            temporal_seconds: 60,
            seconds: 20,
            memory: "4G",
            symmetry: "auto",
            until: None,
            csv: Path::new(env!("CARGO_TARGET_TMPDIR")).join("nets.csv"),
            is_table: false,
            words: BTreeSet::new(),
        };
        let mut words = words.filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match word.as_str() {
                "--ltl-seconds" => options.temporal_seconds = words.next()?.parse().ok()?,
                "--seconds" => options.seconds = words.next()?.parse().ok()?,
                "--memory" => options.memory = words.next()?.leak(),
                "--minutes" => {
                    let time = Duration::from_secs(60 * words.next()?.parse::<u64>().ok()?);
                    options.until = Some(Instant::now() + time);
                }
                "--csv" => options.csv = words.next()?.into(),
                "--table" => options.is_table = true,
                "--symmetry" => {
                    options.symmetry = match &*words.next()? {
                        "auto" => "auto",
                        "off" => "off",
                        _ => return None,
                    }
                }
                option if option.starts_with('-') => return None,
                _ => drop(options.words.insert(word)),
            }
        }
        Some(options)
    }

    /// Whether one of several names of a kind is asked for.
    fn wants(&self, kind: &[&str], name: &str) -> bool {
        let is_asked = |name: &str| self.words.contains(name);
        is_asked(name) || !kind.iter().any(|other| is_asked(other))
    }

    /// The options of the program.
    fn of(&self, category: &str) -> contest::Options {
        let seconds =
            if contest::is_temporal(category) { self.temporal_seconds } else { self.seconds };
        contest::Options { seconds, memory: self.memory, symmetry: self.symmetry }
    }

    /// Whether a category that has ended like this is asked again.
    fn retries(&self, row: &Row<'_>) -> bool {
        matches!(row.end, "time" | "overdue") && row.limit < self.of(row.category).seconds
    }
}

/// Asks what is not known yet; says whether nothing is left.
fn run(instances: &[Instance], options: &Options) -> bool {
    let names: Vec<&str> =
        instances.iter().flat_map(|one| [contest::family(&one.name), &one.name]).collect();
    let categories = CATEGORIES.map(|(name, _)| name);
    let text = fs::read_to_string(&options.csv).unwrap_or_default();
    let known: BTreeSet<(&str, &str)> = rows(&text)
        .filter(|row| !options.retries(row))
        .map(|row| (row.instance, row.category))
        .collect();
    for instance in instances {
        let kind = if instance.is_coloured() { "coloured" } else { "plain" };
        let is_wanted = options.wants(&KINDS, kind)
            && (options.wants(&names, &instance.name)
                || options.wants(&names, contest::family(&instance.name)));
        let mut files = None;
        for category in categories {
            let is_known = known.contains(&(&*instance.name, category));
            let is_open = instance.answers.contains_key(category) && !is_known;
            if !is_wanted || !is_open || !options.wants(&categories, category) {
                continue;
            }
            if options.until.is_some_and(|until| Instant::now() > until) {
                return false;
            }
            let files = files.get_or_insert_with(|| Unpacked::new(instance));
            let binary = Path::new(env!("CARGO_BIN_EXE_isonomy"));
            let limits = options.of(category);
            let answered = contest::ask(binary, instance, files, category, limits);
            for wrong in &answered.wrong {
                println!("WRONG: {} {wrong}", instance.name);
            }
            append(&options.csv, (&instance.name, category, limits.seconds), &answered);
        }
    }
    true
}

/// A row of the CSV file.
struct Row<'t> {
    instance: &'t str,
    category: &'t str,
    asked: usize,
    agreed: usize,
    wrong: usize,
    end: &'t str,
    /// The seconds that it had.
    limit: u64,
}

/// The rows of a CSV file; one that was not written to its end is left out.
fn rows(csv: &str) -> impl Iterator<Item = Row<'_>> {
    csv.lines().skip(1).filter_map(|line| {
        let [instance, category, asked, agreed, wrong, end, limit, _, _] =
            line.split(',').collect::<Vec<_>>().try_into().ok()?;
        let number = |text: &str| text.parse().ok();
        let (asked, agreed, wrong) = (number(asked)?, number(agreed)?, number(wrong)?);
        let limit = limit.parse().ok()?;
        Some(Row { instance, category, asked, agreed, wrong, end, limit })
    })
}

fn append(csv: &Path, (instance, category, limit): (&str, &str, u64), found: &Answered) {
    let mut line = if csv.exists() { String::new() } else { format!("{HEADER}\n") };
    let Answered { asked, agreed, wrong, seconds, peak, end } = found;
    let (wrong, end, megabytes) = (wrong.len(), end.name(), peak >> 20);
    let _ = writeln!(
        line,
        "{instance},{category},{asked},{agreed},{wrong},{end},{limit},{seconds:.2},{megabytes}"
    );
    let file = OpenOptions::new().create(true).append(true).open(csv);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", csv.display()));
}

/// The sums of some rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    asked: usize,
    agreed: usize,
    wrong: usize,
    /// Rows by how they have ended.
    out_of_time: usize,
    out_of_memory: usize,
    failed: usize,
}

/// Of each category of each instance the row with the most answers; a wrong answer is never hidden.
fn best(csv: &str) -> Vec<Row<'_>> {
    let mut best: BTreeMap<(&str, &str), Row<'_>> = BTreeMap::new();
    for row in rows(csv) {
        let key = (row.instance, row.category);
        let before = best.remove(&key);
        let wrong = before.as_ref().map_or(0, |one| one.wrong).max(row.wrong);
        let most = before.filter(|one| one.agreed > row.agreed).unwrap_or(row);
        best.insert(key, Row { wrong, ..most });
    }
    best.into_values().collect()
}

/// For each family and kind of question: sums over its instances.
fn table(csv: &str) -> String {
    let mut sums: BTreeMap<(bool, String), [Sums; 2]> = BTreeMap::new();
    for row in best(csv) {
        let is_coloured = row.instance.contains("-COL-");
        let name = contest::family(row.instance).to_owned();
        for name in [name, "~ all".to_owned()] {
            let of = sums.entry((is_coloured, name)).or_default();
            let of = &mut of[usize::from(!contest::is_temporal(row.category))];
            of.asked += row.asked;
            of.agreed += row.agreed;
            of.wrong += row.wrong;
            of.out_of_time += usize::from(row.end == "time" || row.end == "overdue");
            of.out_of_memory += usize::from(row.end == "memory");
            of.failed += usize::from(row.end == "failed");
        }
    }
    let mut text = String::from(
        "                                          LTL                      |               others\n\
         family                   asked answered agreed wrong time memory failed | \
         asked answered agreed wrong time memory failed\n",
    );
    for ((is_coloured, name), of) in &sums {
        let kind = if *is_coloured { "COL" } else { "PT" };
        let [temporal, others] = of.map(Sums::columns);
        let _ = writeln!(text, "{name:<20} {kind:<3} {temporal} | {others}");
    }
    text
}

impl Sums {
    fn columns(self) -> String {
        let Sums { asked, agreed, wrong, out_of_time, out_of_memory, failed } = self;
        let answered = agreed + wrong;
        format!(
            "{asked:>5} {answered:>8} {agreed:>6} {wrong:>5} {out_of_time:>4} {out_of_memory:>6} {failed:>6}"
        )
    }
}
