//! Nets of the Model Checking Contest, with the answers that its tools agree on.
//!
//! They are in a folder beside the repository: an archive for each net, and `verdicts.csv` with the
//! columns instance, category, question, answer.

use crate::measured;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The categories of questions: their names in `verdicts.csv`, and the property files of nets.
pub const CATEGORIES: [(&str, Option<&str>); 7] = [
    ("LTLC", Some("LTLCardinality")),
    ("LTLF", Some("LTLFireability")),
    ("RC", Some("ReachabilityCardinality")),
    ("RF", Some("ReachabilityFireability")),
    ("UB", Some("UpperBounds")),
    ("RD", None),
    ("SS", None),
];

/// Whether a category contains questions of temporal logic.
pub fn is_temporal(category: &str) -> bool {
    category.starts_with("LTL")
}

/// An instance of a family of nets.
pub struct Instance {
    /// Its name: family, `COL` or `PT`, parameters.
    pub name: String,
    /// Model and properties.
    pub archive: PathBuf,
    /// By category, by question: the answer.
    pub answers: BTreeMap<String, BTreeMap<String, String>>,
}

impl Instance {
    /// Whether the tokens have colours.
    pub fn is_coloured(&self) -> bool {
        self.name.contains("-COL-")
    }
}

/// The options of a run.
#[derive(Clone, Copy)]
pub struct Options {
    /// Seconds, after which the program should stop by itself.
    pub seconds: u64,
    /// Bytes, as the program reads them.
    pub memory: &'static str,
    /// The program's option `--symmetry`.
    pub symmetry: &'static str,
}

/// How the questions of one category of one instance were answered.
pub struct Answered {
    /// The number of questions with a known answer.
    pub asked: usize,
    /// Those that have got this answer.
    pub agreed: usize,
    /// Those that have got another one, with the right one behind it.
    pub wrong: Vec<String>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Bytes of memory, at most.
    pub peak: u64,
    /// Why some were not answered.
    pub end: End,
}

/// How a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With all answers.
    Complete,
    /// Time was up, or an answer is missing although nothing was.
    OutOfTime,
    /// Memory was up.
    OutOfMemory,
    /// The program has not stopped in time, and was ended.
    Overdue,
    /// With an exit code that no run should have.
    Failed,
}

impl End {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::OutOfTime => "time",
            End::OutOfMemory => "memory",
            End::Overdue => "overdue",
            End::Failed => "failed",
        }
    }
}

/// The instances of a folder, small archives first.
///
/// # Panics
///
/// If the folder is not as described above.
pub fn instances(folder: &Path) -> Vec<Instance> {
    let text = fs::read_to_string(folder.join("verdicts.csv")).expect("a file of verdicts");
    let mut all: BTreeMap<&str, BTreeMap<String, BTreeMap<String, String>>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let [instance, category, question, answer] =
            line.split(',').collect::<Vec<_>>().try_into().expect("four columns");
        let of = all.entry(instance).or_default().entry(category.to_owned()).or_default();
        of.insert(question.to_owned(), answer.to_owned());
    }
    let instance = |(name, answers): (&str, _)| {
        let archive = folder.join(format!("{name}.tgz"));
        Instance { name: name.to_owned(), archive, answers }
    };
    let mut instances: Vec<Instance> = all.into_iter().map(instance).collect();
    let size = |one: &Instance| fs::metadata(&one.archive).map_or(0, |file| file.len());
    instances.sort_by_cached_key(|one| (size(one), one.name.clone()));
    instances
}

/// A net and its properties, as files in a folder that is removed in the end.
pub struct Unpacked {
    folder: PathBuf,
    name: String,
}

impl Unpacked {
    /// Unpacks an instance by `tar`.
    ///
    /// # Panics
    ///
    /// If the archive cannot be unpacked.
    pub fn new(instance: &Instance) -> Unpacked {
        let unique = format!("isonomy-nets-{}-{}", std::process::id(), instance.name);
        let folder = std::env::temp_dir().join(unique);
        fs::create_dir_all(&folder).expect("a temporary folder");
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(&instance.archive).arg("-C").arg(&folder);
        assert!(tar.status().expect("tar starts").success(), "{}", instance.archive.display());
        Unpacked { folder, name: instance.name.clone() }
    }

    /// A file of the instance.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(&self.name).join(name)
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        // What is left behind is in the way of nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Asks the program all questions of a category.
///
/// # Panics
///
/// If the category is unknown, or the program does not start.
pub fn ask(
    binary: &Path,
    instance: &Instance,
    files: &Unpacked,
    category: &str,
    options: Options,
) -> Answered {
    let (_, properties) =
        CATEGORIES.iter().find(|(name, _)| *name == category).expect("a known category");
    let mut command = Command::new(binary);
    let command_name = if category == "SS" { "explore" } else { "check" };
    command.arg(command_name).arg(files.file("model.pnml"));
    match properties {
        Some(name) => drop(command.arg("--properties").arg(files.file(&format!("{name}.xml")))),
        None if category == "RD" => drop(command.args(["--deadlock", "stuck"])),
        None => {}
    }
    command.args(["--format", "mcc", "--threads", "1", "--memory-limit", options.memory]);
    command.args(["--symmetry", options.symmetry]);
    command.args(["--timeout", &options.seconds.to_string()]).stderr(std::process::Stdio::null());
    let patience = Duration::from_secs(2 * options.seconds + 10);
    let ran = measured::measure_within(patience, &mut command);
    let given = read(&instance.name, &ran.output);
    let expected = &instance.answers[category];
    let (mut agreed, mut wrong) = (0, Vec::new());
    for (question, answer) in expected {
        match given.get(question) {
            Some(found) if found == answer => agreed += 1,
            Some(found) => wrong.push(format!("{question}: {found} and not {answer}")),
            None => {}
        }
    }
    let end = match ran.code {
        None => End::Overdue,
        Some(_) if agreed + wrong.len() == expected.len() => End::Complete,
        Some(0 | 1 | 3) if ran.time >= Duration::from_secs(options.seconds) => End::OutOfTime,
        Some(0 | 1 | 3) => End::OutOfMemory,
        Some(_) => End::Failed,
    };
    let seconds = ran.time.as_secs_f64();
    Answered { asked: expected.len(), agreed, wrong, seconds, peak: ran.peak, end }
}

/// The answers in the output of the program, by question.
fn read(instance: &str, output: &str) -> BTreeMap<String, String> {
    let answer = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, _, "CANNOT_COMPUTE", ..] => None,
            ["FORMULA", id, answer, ..] => Some((question(instance, id), answer.to_owned())),
            ["STATE_SPACE", figure, answer, ..] => Some((figure.to_owned(), answer.to_owned())),
            _ => None,
        }
    };
    output.lines().filter_map(answer).collect()
}

/// The name of a question in `verdicts.csv`: without the instance and the year.
pub fn question(instance: &str, id: &str) -> String {
    let id = id.strip_prefix(instance).and_then(|rest| rest.strip_prefix('-')).unwrap_or(id);
    let is_year = |part: &&str| part.len() == 4 && part.starts_with("20");
    id.split('-').filter(|part| !is_year(part)).collect::<Vec<_>>().join("-")
}

/// The family of an instance: all before `-COL-` or `-PT-`.
pub fn family(instance: &str) -> &str {
    instance.split_once("-COL-").or(instance.split_once("-PT-")).map_or(instance, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_question() {
        let output = "FORMULA A-PT-1-ReachabilityCardinality-2025-07 TRUE TECHNIQUES EXPLICIT\n\
                      FORMULA A-PT-1-UpperBounds-10 3 TECHNIQUES EXPLICIT\n\
                      FORMULA A-PT-1-UpperBounds-11 CANNOT_COMPUTE\n\
                      STATE_SPACE STATES 2024 TECHNIQUES EXPLICIT\n\
                      STATE_SPACE CANNOT_COMPUTE\n";
        let expected =
            [("ReachabilityCardinality-07", "TRUE"), ("STATES", "2024"), ("UpperBounds-10", "3")];
        let read = read("A-PT-1", output);
        let read: Vec<(&str, &str)> = read.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn families_are_named_by_their_instances() {
        assert_eq!(family("Philosophers-COL-000005"), "Philosophers");
        assert_eq!(family("IBM703-PT-none"), "IBM703");
    }
}
