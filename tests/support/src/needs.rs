//! Programs and files that a test needs and that may be absent.
//!
//! With `CI=true` in the environment, a test that lacks a program fails. Otherwise it is skipped, which is said at once
//! on standard error, past libtest, which keeps what passing tests print; and it is recorded, so that the run ends
//! with a list ([`recorded`], `tests/support/tests/skipped.rs`). Files beside the repository are extra: a test that
//! lacks them is skipped in any case.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A program, if it is installed.
///
/// # Panics
///
/// If it is not, and `CI=true`.
pub fn program(name: &str) -> Option<Command> {
    programs(&[name]).then(|| Command::new(name))
}

/// Whether all of these programs are installed.
///
/// # Panics
///
/// If one is not, and `CI=true`.
pub fn programs(names: &[&str]) -> bool {
    let missing = missing(names);
    missing.inspect(|name| lack(name)).is_none()
}

/// The first of these programs that is not installed.
pub fn missing<'n>(names: &[&'n str]) -> Option<&'n str> {
    names.iter().copied().find(|name| !is_installed(name))
}

fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| {
        let file = folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
        file.is_file()
    })
}

/// Records that a test is skipped because this program is not installed.
///
/// # Panics
///
/// If `CI=true`.
pub fn lack(program: &str) {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!is_ci, "{program} is not installed, and CI=true demands it");
    record(&format!("{program} is not installed"));
}

/// A folder beside the repository, if it is there.
pub fn beside(path: &str) -> Option<PathBuf> {
    let folder = crate::root().parent().expect("a folder above the project").join(path);
    if folder.exists() {
        return Some(folder);
    }
    record(&format!("extra: there is no ../{path}"));
    None
}

/// What this program has recorded.
static RECORDED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Records a test that is skipped, or a part of one, once.
fn record(why: &str) {
    let thread = std::thread::current();
    let line = format!("{} {}: {why}\n", this_program(), thread.name().unwrap_or("a test"));
    let is_new = RECORDED.lock().is_ok_and(|mut recorded| recorded.insert(line.clone()));
    if is_new {
        // Whole lines, and not by a macro: libtest would keep them.
        let _ = std::io::stderr().write_all(format!("SKIPPED {line}").as_bytes());
        let file = OpenOptions::new().create(true).append(true).open(list());
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("the list of skipped tests can be written");
    }
}

/// The list of this run. `ISONOMY_SKIPPED` is its absolute path; otherwise it is in the folder that the programs are
/// built in, named after the process that has started them all.
fn list() -> PathBuf {
    std::env::var_os("ISONOMY_SKIPPED")
        .map_or_else(|| build_folder().join(format!("{LIST}{}", parent())), PathBuf::from)
}

/// How the names of lists start.
const LIST: &str = "skipped-by-";

/// The folder that the profile is built in.
fn build_folder() -> PathBuf {
    let program = std::env::current_exe().expect("this program is a file");
    program.ancestors().nth(2).map(Path::to_owned).expect("it is in target/PROFILE/deps")
}

/// The name of the test program, without the hash behind it.
fn this_program() -> String {
    let program = std::env::current_exe().expect("this program is a file");
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    name.rsplit_once('-').map_or(name.clone(), |(name, _)| name.to_owned())
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// What all programs that the same process has started have recorded, line by line. It is forgotten unless
/// `ISONOMY_SKIPPED` names the list.
pub fn recorded() -> Vec<String> {
    let text = fs::read_to_string(list()).unwrap_or_default();
    if std::env::var_os("ISONOMY_SKIPPED").is_none()
        && let Ok(files) = fs::read_dir(build_folder())
    {
        // Also those of runs that were ended before.
        for file in files.flatten().filter(|file| is_list(&file.path())) {
            let _ = fs::remove_file(file.path());
        }
    }
    let lines: BTreeSet<&str> = text.lines().collect();
    lines.into_iter().map(str::to_owned).collect()
}

fn is_list(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIST))
}
