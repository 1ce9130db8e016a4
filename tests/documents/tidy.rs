//! Rules that the compiler does not know.

#![allow(clippy::print_stderr, reason = "advice is for the reader of the test's output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Words that no source file contains. (Written in two parts, so that this file may stay.)
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("to", "do!"), "finish it"),
    (concat!("unimple", "mented!"), "finish it"),
    (concat!("db", "g!"), "use tracing"),
    (concat!("#[", "ignore"), "a test that does not run proves nothing"),
];

/// What only those do that talk to the outside: the command line, tests and benches.
const INPUT_AND_OUTPUT: &[&str] = &[
    "std::fs",
    "use std::io",
    "println!",
    "print!(",
    "eprint!(",
    "stdout()",
    "stderr()",
    "stdin()",
];

/// Packages, and packages that they must not depend on, directly or not.
const APART: &[(&str, &[&str])] = &[
    ("isonomy-judge", &["model", "engine", "compile", "automata"]),
    ("isonomy-verify", &["model", "engine", "compile", "automata", "certify"]),
    ("isonomy-certify", &["model", "engine", "compile", "automata"]),
    ("isonomy-model", &["engine", "compile", "automata"]),
    ("isonomy-engine", &["model", "compile", "judge"]),
];

/// The checker of certificates is read by people who doubt everything else: it has fewer lines, without
/// comments and empty ones.
const LONGEST_CHECKER: usize = 1500;

/// And it depends on these packages only, directly.
const OF_CHECKER: &[&str] = &["flate2", "judge", "ltl", "run", "terms"];

/// Longer files are listed: perhaps they hold more than one idea.
const LONG: usize = 600;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below the root with a path relative to it, in order; build products left out.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                let built = name == "target" || name == "corpus" || name == "artifacts";
                if !built && !name.starts_with('.') {
                    open.push(path);
                }
            } else {
                found.push(path.strip_prefix(root()).expect("below the root").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The Rust files with their texts.
fn sources() -> Vec<(String, String)> {
    let rust = files().into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let sources: Vec<_> = rust.map(|path| (shown(&path), read(&path))).collect();
    assert!(sources.len() > 10, "the sources are where they are looked for");
    sources
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_file_says_what_it_is() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        // A fuzz target is a program of its own: an attribute of the crate may come first.
        let start = text.trim_start_matches("#![no_main]\n").trim_start();
        if !start.starts_with("//! ") {
            faults.push(format!("{path} does not start with `//!`"));
        }
        for (word, advice) in FORBIDDEN {
            for (at, line) in text.lines().enumerate() {
                if line.contains(word) {
                    faults.push(format!("{path}:{}: `{word}`: {advice}", at + 1));
                }
            }
        }
        let lines = text.lines().count();
        if lines > LONG {
            eprintln!("advice: {path} has {lines} lines; is it one idea?");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_merge_is_finished() {
    let mut faults = Vec::new();
    for path in files() {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (at, line) in text.lines().enumerate() {
            if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
                faults.push(format!("{}:{}: a mark of a conflict", shown(&path), at + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn only_the_command_line_talks_to_the_outside() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let folders: Vec<_> = path.split('/').collect();
        let allowed = path.starts_with("src/cli")
            || path == "src/main.rs"
            || folders
                .iter()
                .any(|folder| ["tests", "benches", "fuzz", "examples"].contains(folder));
        for (at, line) in text.lines().enumerate() {
            let word = INPUT_AND_OUTPUT.iter().find(|word| line.contains(**word));
            if let (false, Some(word)) = (allowed, word) {
                faults.push(format!("{path}:{}: `{word}` belongs in src/cli", at + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The accused and the judge share no code: Cargo sees to it, as long as the manifests do.
#[test]
fn judge_interpreter_and_engine_are_apart() {
    for (package, forbidden) in APART {
        let known = dependencies(package);
        assert_eq!(known.first().map(String::as_str), Some(*package), "the tree starts with it");
        assert!(known.iter().any(|one| one == "isonomy-terms"), "{package}: {known:?}");
        for name in *forbidden {
            let name = format!("isonomy-{name}");
            assert!(!known.contains(&name), "{package} depends on {name}: {known:?}");
        }
        assert!(!known.iter().any(|one| one == "isonomy"), "{package} depends on all");
    }
}

#[test]
fn the_checker_of_certificates_is_small() {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let of_checker = |file: &PathBuf| {
        file.starts_with("verify/src") && file.extension().is_some_and(|ending| ending == "rs")
    };
    let lines = files().into_iter().filter(of_checker).map(|file| {
        let text = fs::read_to_string(root().join(file)).expect("UTF-8");
        assert!(!text.contains("#[cfg(test)]"), "its tests are those of `certify`");
        text.lines().filter(is_code).count()
    });
    let lines: usize = lines.sum();
    assert!((500..LONGEST_CHECKER).contains(&lines), "{lines} lines");
    let manifest = fs::read_to_string(root().join("verify/Cargo.toml")).expect("a manifest");
    let listed = manifest.split("[dependencies]\n").nth(1).expect("it has some");
    let listed = listed.lines().take_while(|line| !line.is_empty());
    let names = listed.map(|line| line.split(['.', ' ']).next().unwrap_or_default());
    assert!(names.eq(OF_CHECKER.iter().copied()), "{manifest}");
}

/// A package and all that it is built from, by `cargo tree`.
fn dependencies(package: &str) -> Vec<String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").expect("Cargo runs the tests"));
    cargo.args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    cargo.args(["--package", package]);
    // What is tested was built from what is here and locked.
    cargo.args(["--offline", "--locked"]).current_dir(root());
    let output = cargo.output().expect("Cargo is there");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree --package {package}: {errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The cross-check of whole components shares nothing with the search but the crates that it names.
#[test]
fn the_cross_check_names_nothing_of_this_crate() {
    let text = read("src/check/paths.rs");
    for word in ["crate::", "super::"] {
        assert!(!text.contains(word), "src/check/paths.rs mentions `{word}`");
    }
}

#[test]
fn folders_have_names_that_say_something() {
    for path in files() {
        for folder in path.parent().expect("a folder").components() {
            let name = folder.as_os_str().to_string_lossy();
            assert!(!["utils", "util", "helpers", "misc"].contains(&&*name), "{}", path.display());
        }
    }
}

#[test]
fn there_is_a_reason_for_every_dependency() {
    let page = read("docs/architecture.md");
    let table = page.split("## Dependencies").nth(1).expect("a table of dependencies");
    let explained: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(name, _)| name)
        .collect();
    let (mut used, mut own) = (BTreeSet::new(), BTreeSet::new());
    for path in files().iter().filter(|path| path.ends_with("Cargo.toml")) {
        let mut in_dependencies = false;
        for line in read(path).lines() {
            if let Some(section) = line.strip_prefix('[') {
                in_dependencies = section.trim_end_matches(']').ends_with("dependencies");
            } else if in_dependencies && let Some((name, source)) = line.split_once('=') {
                let name = name.trim().trim_end_matches(".workspace").to_owned();
                // Members of the workspace are found by their paths.
                let all = if source.contains("path =") { &mut own } else { &mut used };
                all.insert(name);
            }
        }
    }
    used.retain(|name| !own.contains(name));
    assert!(used.contains("clap"), "the dependencies are where they are looked for");
    let missing: Vec<_> = used.iter().filter(|name| !explained.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "the table of docs/architecture.md lacks {missing:?}");
}

/// This test runs itself again, as a test that needs a program which is not installed.
#[test]
fn a_missing_program_fails_in_ci_and_is_listed_elsewhere() {
    const PROBE: &str = "ISONOMY_PROBE";
    if std::env::var_os(PROBE).is_some() {
        assert!(support::needs::program("no-such-program").is_none());
        return;
    }
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped-by-a-probe");
    let probe = |ci: &str| {
        let mut this = Command::new(std::env::current_exe().expect("this program is a file"));
        this.args(["--exact", "tidy::a_missing_program_fails_in_ci_and_is_listed_elsewhere"]);
        this.env(PROBE, "1").env("CI", ci).env("ISONOMY_SKIPPED", &list);
        this.output().expect("it can be started")
    };
    let _ = fs::remove_file(&list);
    let failed = probe("true");
    assert!(!failed.status.success());
    assert!(String::from_utf8_lossy(&failed.stdout).contains("CI=true demands it"), "{failed:?}");
    assert!(!list.exists(), "a failure is not a skip");
    let skipped = probe("");
    assert!(skipped.status.success());
    assert!(String::from_utf8_lossy(&skipped.stderr).contains("SKIPPED"), "{skipped:?}");
    let listed = fs::read_to_string(&list).expect("a list");
    assert!(listed.contains("no-such-program is not installed"), "{listed}");
    fs::remove_file(&list).expect("the list can be removed");
}
