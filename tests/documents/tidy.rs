//! Rules that the compiler does not know.

#![allow(clippy::print_stderr, reason = "advice is for the reader of the test's output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Which crate or file must not know which, in code or as a dependency: (how its path starts, words).
const LAYERS: &[(&str, &[&str])] = &[
    ("drawing/", &["ltl", "automata", "isonomy"]),
    ("ltl/", &["automata::", "automata.workspace", "drawing", "\nisonomy"]),
    ("automata/", &["\nisonomy"]),
    ("src/check/paths", SEARCHERS),
];

/// What the cross-check by automata must not know.
const SEARCHERS: &[&str] = &["crate::", "super::"];

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

#[test]
fn layers_do_not_look_up() {
    let mut faults = Vec::new();
    let manifests = ["drawing/Cargo.toml", "ltl/Cargo.toml", "automata/Cargo.toml"];
    let manifests = manifests.map(|path| (path.to_owned(), read(path)));
    for (path, text) in sources().into_iter().chain(manifests) {
        for (folder, words) in LAYERS {
            let below = path.starts_with(folder);
            for word in words.iter().filter(|word| below && text.contains(**word)) {
                faults.push(format!("{path} mentions `{}`", word.trim()));
            }
        }
    }
    for (start, _) in LAYERS {
        assert!(sources().iter().any(|(path, _)| path.starts_with(start)), "{start} is gone");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
fn the_readme_gives_a_reason_for_every_dependency() {
    let readme = read("README.md");
    let explained: BTreeSet<&str> = readme
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
    assert!(missing.is_empty(), "the README's table lacks {missing:?}");
}
