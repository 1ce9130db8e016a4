//! Runs of a binary.

use crate::cases::{Case, FILE, RESULT};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Variables that change what the program prints.
const VARIABLES: [&str; 6] =
    ["ISONOMY_LOG", "ISONOMY_PROGRESS_MS", "NO_COLOR", "TERM", "COLUMNS", "RUST_BACKTRACE"];

/// A binary with the checkout in which it runs.
pub(crate) struct Binary<'a> {
    path: PathBuf,
    /// The folder in which commands run.
    root: &'a Path,
    /// Fixtures that are elsewhere in that folder, by their paths in this checkout.
    moved: BTreeMap<String, String>,
    limit: Duration,
}

/// A run that has ended.
pub(crate) struct Ended {
    /// The exit code; none after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
    /// What the command wrote into the file that the case names.
    pub(crate) file: Option<Vec<u8>>,
    /// Whether the run took too long.
    pub(crate) is_stopped: bool,
    pub(crate) time: Duration,
}

impl Ended {
    /// Standard output, if it is a text.
    pub(crate) fn text(self) -> Option<String> {
        String::from_utf8(self.out).ok()
    }
}

/// A folder for the files that commands read and write; it ends with the value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder of a job.
    pub(crate) fn new(job: usize) -> Folder {
        let name = format!("isonomy-compare-{}-{job}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// Keeps the file of a replay for the reader of the report.
pub(crate) fn keep(number: usize, text: &str) -> Option<PathBuf> {
    let path = std::env::temp_dir().join(format!("isonomy-compare-{number}.json"));
    fs::write(&path, text).ok().map(|()| path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left there does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl<'a> Binary<'a> {
    /// The binary at a path, for runs in a checkout that may differ from the one with the cases.
    pub(crate) fn new(
        path: &Path,
        root: &'a Path,
        cases: &Path,
        limit: Duration,
    ) -> Result<Binary<'a>, String> {
        let path =
            fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let moved = if root == cases { BTreeMap::new() } else { moved(root, cases) };
        Ok(Binary { path, root, moved, limit })
    }

    /// Runs a case to its end, or until it takes too long.
    pub(crate) fn run(&self, case: &Case, folder: &Folder) -> Result<Ended, String> {
        let result = folder.file("result.json");
        if let Some(text) = &case.result {
            fs::write(&result, text).map_err(|error| error.to_string())?;
        }
        let file = case.file.map(|name| folder.file(name));
        let mut arguments = Vec::new();
        for argument in &case.arguments {
            let argument = match (argument.as_str(), &file) {
                (FILE, Some(file)) => file.display().to_string(),
                (RESULT, _) => result.display().to_string(),
                (path, _) => self.moved.get(path).cloned().unwrap_or_else(|| path.to_owned()),
            };
            arguments.push(argument);
        }
        let mut ended = self.execute(&arguments, &case.input).map_err(|error| error.to_string())?;
        if let Some(file) = file {
            ended.file = fs::read(&file).ok();
            let _ = fs::remove_file(&file);
        }
        // Moved fixtures have the paths of this checkout.
        for (here, there) in &self.moved {
            for bytes in [&mut ended.out, &mut ended.err].into_iter().chain(&mut ended.file) {
                if let Ok(text) = std::str::from_utf8(bytes)
                    && text.contains(there)
                {
                    *bytes = text.replace(there, here).into_bytes();
                }
            }
        }
        Ok(ended)
    }

    fn execute(&self, arguments: &[String], input: &[u8]) -> std::io::Result<Ended> {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(self.root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        let began = Instant::now();
        let mut child = command.spawn()?;
        let (send, receive) = mpsc::channel();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let readers: [Option<Box<dyn Read + Send>>; 2] =
            [out.map(|pipe| Box::new(pipe) as _), err.map(|pipe| Box::new(pipe) as _)];
        for (k, pipe) in readers.into_iter().enumerate() {
            let (send, mut pipe) = (send.clone(), pipe.expect("a pipe was asked for"));
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = pipe.read_to_end(&mut bytes);
                let _ = send.send((k, bytes));
            });
        }
        // A command that does not read its input closes the pipe.
        let _ = child.stdin.take().expect("a pipe was asked for").write_all(input);
        let (mut texts, mut is_stopped) = ([Vec::new(), Vec::new()], false);
        for _ in 0..2 {
            let left = self.limit.saturating_sub(began.elapsed());
            if let Ok((k, bytes)) = receive.recv_timeout(left) {
                texts[k] = bytes;
            } else {
                is_stopped = true;
                child.kill()?;
            }
        }
        let code = child.wait()?.code();
        let [out, err] = texts;
        Ok(Ended { code, out, err, file: None, is_stopped, time: began.elapsed() })
    }
}

/// Files below `fixtures`, with paths relative to the root, in order.
pub(crate) fn fixtures(root: &Path) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![root.join("fixtures")]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(path) = path.strip_prefix(root) {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Whether the name of a file has this ending.
pub(crate) fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == ending)
}

/// Fixtures of the cases that have another path in another checkout: the one with the same name, if
/// there is just one.
fn moved(root: &Path, cases: &Path) -> BTreeMap<String, String> {
    let there = fixtures(root);
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut moved = BTreeMap::new();
    for here in fixtures(cases) {
        let same: Vec<_> = there.iter().filter(|path| name(path) == name(&here)).collect();
        if let ([one], false) = (&same[..], there.contains(&here)) {
            moved.insert(here, (*one).clone());
        }
    }
    moved
}
